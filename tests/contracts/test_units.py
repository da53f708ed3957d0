"""What every unit of a document keeps to. `segment` is another thing: it cuts a stream of terms."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import Heading, PartSpec, Span
from sdtext.parts.registry import PARTS, build
from sdtext.text.document import Document
from tests.support.cases import cases
from tests.support.strategies import BRISK, TEXTS, specs_of

OF_TERMS = {"segment"}
UNITS = sorted(set(PARTS["units"]) - OF_TERMS)

_BREAKS = st.sampled_from([
    *("\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\n \t\n", "\f", "\n\f\n", "\x0b", "\x85"),
    *("\u2028", "\u2029", " ", ". ", ".", "! ", "?” ", "。", "। ", "… ", " . . . ", ".[1] "),
    *(" 1. ", "; "),
])  # fmt: skip
MANY_LINES = st.lists(TEXTS | _BREAKS, max_size=30).map("".join)
HEADINGS = st.lists(st.builds(Heading, st.integers(1, 4), st.text(max_size=5), st.integers(-3, 99)))
DOCUMENTS = st.builds(
    lambda text, headings, lines: Document(text, text, headings=headings, line_paragraphs=lines),
    MANY_LINES,
    HEADINGS.map(tuple),
    st.booleans(),
)

every = cases("name", UNITS)


@every
@BRISK
@given(data=st.data(), document=DOCUMENTS)
def test_spans_follow_one_another_and_hold_all_that_can_be_seen(
    name: str, data: st.DataObject, document: Document
) -> None:
    text, place = document.text, 0
    spans = build("units", data.draw(specs_of(name)))(document)
    for span in [*spans, Span(len(text), len(text))]:
        assert place <= span.start
        assert not text[place : span.start].strip()
        place = span.end
    for span in spans:
        held = text[span.start : span.end]
        assert held == held.strip() != ""


@every
def test_a_text_without_anything_to_see_has_none(name: str) -> None:
    unit = build("units", PartSpec(name))
    for text in ("", " \r\n \n\f\n\u2028\u3000 ", "\f\f\f"):
        assert unit(Document(text, text, headings=(Heading(1, "Nothing", 1),))) == []


@BRISK
@given(document=DOCUMENTS)
def test_sentences_are_in_paragraphs_and_these_on_pages_of_documents(document: Document) -> None:
    names = ("sentence", "paragraph", "page", "document")
    inner, *others = (build("units", PartSpec(name))(document) for name in names)
    for outer in others:
        for span in inner:
            assert any(item.start <= span.start and span.end <= item.end for item in outer)
        inner = outer


@cases("piece", [
    *("a", "a ", "国", ".", ". ", "a. ", '."', "。", "1.", "a. [1", "\n \n", "\r", "\r\n ", "\f"),
    *(". (", ".»", "α; ", "\u0301", " ", "xxxxxxxx" * 60 + " ", "a\n" + " " * 500, "“", "!“"),
])  # fmt: skip
def test_no_text_takes_long(piece: str, rounds: Callable[[int], int]) -> None:
    """Were the time not in proportion to the length, this would take many minutes."""
    text = "a" + piece * (rounds(120_000) // len(piece)) + "b"
    for name in UNITS:
        for metadata in ({}, {"reader": "pdf"}):
            assert build("units", PartSpec(name))(Document(text, text, metadata=metadata))
    spans = build("units", PartSpec.of("sentence", length=150))(Document(text, text))
    units = (" ".join(text[span.start : span.end].split()) for span in spans)
    assert max(map(len, units)) <= 300
