"""What the properties draw from: texts of every kind, and parts with random valid options."""

from collections.abc import Mapping
from typing import Any

import Stemmer
from hypothesis import settings
from hypothesis import strategies as st

from sdtext.model import Option, PartSpec, RecipeSpec
from sdtext.parts.filters.arabic import OPERATIONS
from sdtext.parts.filters.case_and_elision import Elision, Lowercase
from sdtext.parts.filters.stemmers import MODES
from sdtext.parts.filters.stopwords_and_length import languages
from sdtext.parts.fingerprints.minhash import SCHEMES
from sdtext.parts.indexes import FAMILIES
from sdtext.parts.registry import PARTS

_FEWER = settings().max_examples // 5
BRISK = settings(max_examples=max(10, _FEWER))
"""For properties of which one example takes long."""
FEW = settings(max_examples=max(4, _FEWER))
"""For those that are tried for each of many parts besides."""

_WHITE = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u2003\u2028\u2029\u202f\u205f\u3000"
_CONTROL = "\x00\x01\x08\x1b\x7f\x80\x9f\ufffe\uffff\u200b\u2060\ufeff"
_MARKS = "\u0301\u0323\u0327\u0338\u0345\u064b\u0651\u05b0\u093f\u200d\ufe0f\u20dd\u3099"
_SIGNS = ".,:;'’\"-_/()@#%‰+=<>$€≥−«»،。！"
_NOT_WORDS = (*_WHITE, *_CONTROL, *_MARKS, *_SIGNS, "\r\n", "\n\n", " \u0301\u0323", "\u200d😀")
_WORDS = (
    *"aeiyzAÅÄßİΣσςµſKΩ中国語ガカ각กاअكتأ0129٣५½²",
    *("The", "the", "running", "ponies", "DON'T", "can’t", "e-mail", "naïve", "cafe\u0301"),
    *("3.14", "1,000", "-5%", "٣٫١٤", "b2b", "σ=0.5", "x²", "\U0001d7d8", "𝔘nion"),
    *("A\u030a", "\u1100\u1161\u11a8", "q\u0323\u0307", "q\u0307\u0323"),
    *("السلام", "عليكم", "كِتَابٌ", "我是中国人", "カ゛", "ภาษาไทย", "हिन्दी", "שָׁלוֹם"),
    *("😀", "👨\u200d👩\u200d👧", "🇩🇪", "🇩🇪🇫", "1\ufe0f\u20e3", "👍🏽"),
    *("a" * 70, "Run-" * 20, "é" * 40, "国" * 30, "9" * 66),
)

_ANY_WORDS = st.text(st.characters(categories=["L", "N", "M"]), min_size=1, max_size=4)


def _of(alphabet: tuple[list[str], list[str]]) -> st.SearchStrategy[str]:
    words, others = alphabet
    atoms = st.sampled_from([" ", *words, *others])
    return (
        st.lists(atoms, min_size=1, max_size=6) | st.lists(atoms, min_size=10, max_size=40)
    ).map("".join)


# A text of few different atoms brings together what a text of all of them seldom does.
TEXTS = st.tuples(
    st.lists(st.sampled_from(_WORDS) | _ANY_WORDS, min_size=1, max_size=3),
    st.lists(st.sampled_from(_NOT_WORDS), max_size=3),
).flatmap(_of)
"""Texts as they may come out of a file: all scripts, white space, marks and controls."""

WORDS = st.lists(
    st.sampled_from([*_WORDS, *_MARKS, *_SIGNS]) | _ANY_WORDS, min_size=1, max_size=4
).map("".join)
"""Words without white space."""

_PLAIN_WORDS = st.sampled_from(["the", "The", "of", "a", "running", "run", "e-mail", "中", "naïve"])
_LISTS = st.lists(_PLAIN_WORDS, min_size=1, unique=True).map(lambda words: tuple(sorted(words)))


def _options(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Option]]:
    return st.fixed_dictionaries(values)


def _maybe(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Option]]:
    """These options or none."""
    return st.just({}) | _options(**values)


_SEEDS = st.integers(0, 2**32 - 1)
_SHARES = st.floats(0, 1)
_MODULI = st.integers(2, 2**32)
_HIDDEN = st.sampled_from(["keep", "drop"])
_HASHES = st.sampled_from(["mixed", "xxhash", "polynomial(m=97)", "multiplicative(m=7,w=9)"])


def _segments(tokens: int) -> st.SearchStrategy[dict[str, Option]]:
    return _options(tokens=st.just(tokens)) | _options(
        tokens=st.just(tokens), step=st.integers(0, tokens)
    )


OPTIONS: Mapping[str, st.SearchStrategy[dict[str, Option]]] = {
    "strip-punctuation": _maybe(symbols=st.booleans()),
    "min-length": _options(length=st.integers(1, 12)),
    "max-length": _options(length=st.integers(1, 12)),
    "lowercase": _maybe(language=st.sampled_from(Lowercase.languages())),
    "elision": _options(language=st.sampled_from(Elision.languages())) | _options(articles=_LISTS),
    "stop-words": _options(language=st.sampled_from(languages()), short=st.booleans())
        | _options(words=_LISTS),
    "keyed": _options(id=st.just(f"{'00' * 16}-b66c6c13e49bd7d6")),
    "snowball": _options(language=st.sampled_from(Stemmer.algorithms())),
    "nltk-porter": _options(mode=st.sampled_from(tuple(MODES))),
    "pyarabic": _options(operation=st.sampled_from(OPERATIONS)),
    "unicode": _maybe(lucene=st.booleans()),
    "chinese": _maybe(mode=st.sampled_from(["individual", "smart", "bigram"]),
        join_lines=st.booleans(), letter_chunks=st.booleans(), join_blanks=st.booleans()),
    "japanese": _maybe(engine=st.sampled_from(["fugashi", "bigram"])),
    "korean": _maybe(engine=st.sampled_from(["kiwi", "bigram"])),
    "thai": _maybe(engine=st.sampled_from(["newmm", "bigram"]), join_lines=st.booleans()),
    "idf-cosine": _maybe(power=st.floats(0.01, 2)),
    "idf-jaccard": _maybe(power=st.floats(0.01, 2)),
    "edit": _maybe(of=st.sampled_from(["tokens", "characters"])),
    **dict.fromkeys(("docx", "epub", "odt"), _maybe(hidden=_HIDDEN)),
    **dict.fromkeys(("readers/mail", "readers/outlook", "readers/mhtml"),
                    _maybe(hidden=_HIDDEN, only_body=st.booleans())),
    "html": _maybe(hidden=_HIDDEN, encoding=st.sampled_from(["cp1252", "utf-8"])),
    "parquet": _maybe(text=st.just("body"), id=st.just("number")),
    "chapter": _maybe(level=st.integers(0, 4)),
    "sentence": _maybe(length=st.integers(0, 300)),
    "segment": st.integers(1, 2000).flatmap(_segments),
    "digest": _maybe(tokens=st.integers(1, 1 << 20), level=st.integers(1, 9)),
    "polynomial": _maybe(m=_MODULI),
    "modular": _maybe(m=st.integers(2, 2**63 - 1)),
    "multiplicative": _maybe(m=_MODULI, w=st.integers(8, 64), seed=_SEEDS)
        | _options(a=st.floats(0.01, 0.99), w=st.integers(8, 64)),
    "xxhash": _maybe(seed=_SEEDS),
    "shinglers/words": _maybe(length=st.integers(1, 4), hash=_HASHES)
        | _options(length=st.integers(1, 4), within=st.sampled_from(["document", "line"])),
    "shinglers/characters": _maybe(
        length=st.integers(1, 12), within=st.sampled_from(["document", "line", "word"]),
        white_space=st.sampled_from(["folded", "removed"]), hash=_HASHES),
    "minhash": _maybe(slots=st.integers(16, 300), seed=_SEEDS, scheme=st.sampled_from(SCHEMES))
        | _options(scheme=st.just("modular"), rows=st.integers(1000, 2**31 - 2)),
    "bbit": _maybe(slots=st.integers(64, 256), seed=_SEEDS)
        | _options(bits=st.sampled_from([1, 2, 4, 8]), scheme=st.sampled_from(SCHEMES)),
    "bottom-k": _maybe(bytes=st.integers(64, 600)),
    "bands": _options(similarity=st.floats(0.5, 1), recall=st.floats(0.01, 0.99))
        | _options(bands=st.integers(1, 32), rows=st.integers(1, 32),
                   hash=st.sampled_from(FAMILIES))
        | _options(hash=st.just("positional"), modulus=st.integers(2, 2**32 - 1)),
    "aligners/sentences": _maybe(gap=st.integers(0, 5)),
    "weighted-words": _maybe(gap=st.floats(0, 1), enough=st.floats(0.1, 10)),
    "aligners/windows": _maybe(gap=st.integers(0, 100), weight=st.floats(0.1, 3),
        shortest=st.integers(1, 30)) | _options(ordered=st.booleans()),
    "indexes/windows": st.integers(1, 200).flatmap(
        lambda w: _options(w=st.just(w), tau=st.integers(0, w - 1))),
    "groups": _options(similarity=st.floats(0.5, 1), recall=st.floats(0.01, 0.99))
        | _options(radius=st.integers(0, 40), groups=st.just(0) | st.integers(41, 60))
        | _options(radius=st.integers(0, 7), equal=st.integers(1, 2)),
    "doc": _options(engine=st.sampled_from(["auto", "antiword", "libreoffice"])),
    "command": _options(argv=st.just(("cat", "{}"))),
    "readers/pdf": _options(ocr=st.booleans(), ocr_language=st.sampled_from(["eng", "eng+deu"]))
        | _options(engine=st.sampled_from(["auto", "pypdfium2"]))
        | _options(hyphens=st.sampled_from(["join", "keep"]))
        | _options(engine=st.just("pdfminer"), line_margin=st.floats(0, 2),
                   all_texts=st.booleans()),
    **dict.fromkeys(("keep-lines", "ocr"), _maybe(share=_SHARES)),
    "fragment": _maybe(share=_SHARES.filter(bool)),
    "shuffle": _maybe(of=st.sampled_from(["words", "lines", "sentences"]),
        group=st.sampled_from([0, 2, 3, 5]), share=_SHARES),
}  # fmt: skip
"""Random valid options of each part that has any; a new part with options needs a row.

A part that shares its name with one of another kind stands as "kind/name".
"""


def specs(kind: str) -> st.SearchStrategy[PartSpec]:
    """Any part of a kind."""
    return st.sampled_from(sorted(PARTS[kind])).flatmap(lambda name: specs_of(name, kind))


def specs_of(name: str, kind: str = "") -> st.SearchStrategy[PartSpec]:
    """The part called `name` with random options."""
    return OPTIONS.get(f"{kind}/{name}", OPTIONS.get(name, _options())).map(
        lambda given: PartSpec(name, tuple(sorted(given.items())))
    )


def recipes() -> st.SearchStrategy[RecipeSpec]:
    """Any tokenizer and any filters, in any order and also more than once."""
    filters = st.lists(specs("filters"), max_size=6).map(tuple)
    return st.builds(RecipeSpec, specs("tokenizers"), filters)


@st.composite
def blocks(draw: st.DrawFn) -> list[str]:
    """A text cut anywhere, as it comes out of a file block by block."""
    text = draw(TEXTS)
    places = draw(st.lists(st.integers(0, len(text)), max_size=6).map(sorted))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
