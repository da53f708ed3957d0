"""Values of options that a part cannot use are refused, and the option is named."""

import pytest

from sdtext.errors import OptionError
from sdtext.parts.registry import build, parse
from tests.support.cases import cases

REFUSED = """
aligners   windows(gap=-1) windows(weight=0) windows(weight=1001) windows(shortest=0)
aligners   sentences(gap=-1) weighted-words(gap=-1) weighted-words(gap=2) weighted-words(enough=0)
filters    lowercase(language=klingon) snowball(language=klingon) stop-words(language=klingon)
filters    elision(language=german) pyarabic(operation=sing) nltk-porter(mode=new)
filters    min-length(length=0) max-length(length=0)
fingerprints minhash(slots=0) minhash(slots=8193) minhash(seed=-1) minhash(scheme=new)
fingerprints minhash(rows=0) minhash(rows=2147483647) minhash(seed=4294967296)
fingerprints bbit(slots=63) bbit(slots=8193) bbit(bits=3) bbit(seed=-1) bbit(scheme=new)
fingerprints bottom-k(bytes=15) bottom-k(bytes=8193)
fingerprints digest(tokens=0) digest(tokens=1048577) digest(level=0) digest(level=10)
hashes     polynomial(m=1) polynomial(m=4294967297) modular(m=1) modular(m=9223372036854775808)
hashes     multiplicative(w=0) multiplicative(w=65) multiplicative(m=1) multiplicative(a=0)
hashes     multiplicative(a=1) multiplicative(seed=-1) xxhash(seed=-1)
indexes    bands(similarity=0) bands(similarity=1.1) bands(recall=0) bands(recall=1)
indexes    bands(bands=-1) bands(hash=new) bands(modulus=1) bands(modulus=4294967296)
indexes    groups(similarity=0) groups(recall=1) groups(radius=-2) groups(groups=-1)
indexes    groups(equal=0) windows(w=0) windows(tau=-1) windows(tau=30)
manglers   keep-lines(share=-0.1) fragment(share=0) shuffle(of=letters) shuffle(group=1)
manglers   shuffle(share=2) ocr(share=1.1)
matchers   edit(of=lines) idf-cosine(power=0) idf-cosine(power=-1) idf-jaccard(power=2.1)
shinglers  words(length=0) words(length=1001) words(within=word) characters(length=0)
shinglers  characters(length=long) characters(within=page) characters(white_space=some)
tokenizers chinese(mode=clever) japanese(engine=new) korean(engine=new) thai(engine=new)
units      chapter(level=-1) sentence(length=-1) segment(tokens=0)
"""
ROWS = [(line.split()[0], text) for line in REFUSED.split("\n") for text in line.split()[1:]]


@cases("kind, text", ROWS)
def test_a_value_that_a_part_cannot_use_is_refused_by_its_option(kind: str, text: str) -> None:
    spec = parse(text)
    ((option, _),) = spec.options
    with pytest.raises(OptionError, match=f"^{spec.name}: {option} is "):
        build(kind, spec)


@cases("kind, text", [
    ("filters", "elision"), ("filters", "elision(language=french,articles=l)"),
    ("filters", "stop-words"), ("filters", "stop-words(language=english,file=words.txt)"),
    ("filters", "stop-words(file=words.txt,short=true)"), ("indexes", "bands(bands=3)"),
    ("indexes", "groups(radius=5,groups=5)"), ("indexes", "groups(radius=6,groups=5,equal=2)"),
    ("indexes", "groups(radius=12,equal=2)"), ("units", "segment(tokens=5,step=6)"),
])  # fmt: skip
def test_options_that_do_not_go_together_are_refused(kind: str, text: str) -> None:
    with pytest.raises(OptionError):
        build(kind, parse(text))
