"""PAN's XML: what is written, what is read, and what is refused in one line."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.errors import FormatError
from sdtext.formats.pan import ReuseCase, TextRange, pan_of, read_pan
from sdtext.model import Similarity
from sdtext.model.reuse_evidence import Passage
from sdtext.model.texts import Span
from tests.support.strategies import BRISK

WHOLE = Similarity(1, 1)
ONE = (
    '<feature name="{name}" this_offset="5" this_length="7" source_reference="memo.txt" '
    'source_offset="0" source_length="8"/>'
)
CASE = ReuseCase(TextRange("letter.txt", 5, 12), TextRange("memo.txt", 0, 8))


def read(xml: str) -> list[ReuseCase]:
    return read_pan(io.BytesIO(xml.encode("utf-8", "surrogatepass")), "found.xml")


def document(content: str, attributes: str = 'reference="letter.txt"') -> str:
    return f"<document {attributes}>{content}</document>"


def passage(left: tuple[int, int], right: tuple[int, int], excluded: str = "") -> Passage:
    return Passage(Span(*left), Span(*right), WHOLE, excluded=excluded)


SPANS = st.tuples(st.integers(0, 10**12), st.integers(1, 10**12)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)
NAMES = st.text(min_size=1, max_size=8).filter(str.isprintable) | st.sampled_from(
    ["a b&<>'\".txt", "in\nlines\t.txt", "100%.txt", "/home/x/书.txt"]
)


@given(this=NAMES, source=NAMES, pairs=st.lists(st.tuples(SPANS, SPANS), unique=True, max_size=5))
@BRISK
def test_what_is_written_is_read_back(
    this: str, source: str, pairs: list[tuple[tuple[int, int], tuple[int, int]]]
) -> None:
    written = pan_of(this, source, [passage(*pair) for pair in pairs])
    assert read(written) == [
        ReuseCase(TextRange(this, *left), TextRange(source, *right)) for left, right in pairs
    ]


def test_excluded_passages_are_left_out_and_odd_names_written_with_escapes() -> None:
    passages = [passage((0, 9), (0, 9), "quote"), passage((20, 29), (30, 39))]
    for name in ("a\x00b", "a\udcffb", "a\x1bb"):
        [case] = read(pan_of(name, name, passages))
        assert case.this.start == 20
        assert case.this.document.startswith("a\\")


def test_true_cases_of_every_kind_and_detections_alone_are_read_once() -> None:
    # The files of the older corpora name a namespace.
    older = 'xmlns="http://www.uni-weimar.de/medien/webis/research/corpora/pan-pc-09"'
    about = '<feature name="about" authors="" title="x"/>'
    for name in ("plagiarism", "artificial-plagiarism", "detected-plagiarism"):
        assert read(document(ONE.format(name=name) * 3)) == [CASE]
        content = about + ONE.format(name=name)
        assert read(document(content, f'reference="letter.txt" {older}')) == [CASE]
    deeper = f"<part>{ONE.format(name='plagiarism')}</part><feature/>"
    assert read(document(deeper + ONE.format(name="language"))) == []


def feature(**changed: str | None) -> str:
    """The case, with attributes changed or (None) left out."""
    item = etree.fromstring(ONE.format(name="plagiarism"))
    for name, value in changed.items():
        if value is None:
            del item.attrib[name]
        else:
            item.set(name, value)
    return document(etree.tostring(item, encoding="unicode"))


DAMAGE = {
    "no XML": ("plagiarism", "XML"), "nothing": ("", "XML"),
    "cut": (document(ONE.format(name="plagiarism"))[:-5], "damaged"),
    "a document type": ("<!DOCTYPE document>" + document(""), "DOCTYPE"),
    "an entity": ('<!DOCTYPE document [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + document("&e;"),
     "DOCTYPE"), "another root": ("<evidence/>", "<evidence>"),
    "no reference": (document("", ""), "reference"),
    "an empty reference": (document("", 'reference=""'), "reference"),
    "no source": (feature(source_reference=None), "source_reference"),
    "no offset": (feature(this_offset=None), "this_offset is missing"),
    "no length": (feature(source_length=None), "source_length is missing"),
    "a negative offset": (feature(this_offset="-5"), "this_offset is '-5'"),
    "a fraction": (feature(source_offset="1.5"), "source_offset is '1.5'"),
    "no number": (feature(source_length="many"), "source_length is 'many'"),
    "another script's digits": (feature(this_length="٣"), "this_length"),
    "a number beyond all texts": (feature(this_length="9" * 400), "this_length"),
    "a length of nothing": (feature(this_length="0"), "this_length is 0"),
    "depth": ("<document reference='a'>" + "<a>" * 300, "damaged"),
}  # fmt: skip


def test_damage_is_one_line_that_names_the_file_and_what_is_wrong() -> None:
    for damage, (xml, named) in DAMAGE.items():
        with pytest.raises(FormatError) as raised:
            read(xml)
        message = str(raised.value)
        assert message.startswith("found.xml: "), damage
        assert named in message, damage
        assert "\n" not in message
        assert len(message) < 400
