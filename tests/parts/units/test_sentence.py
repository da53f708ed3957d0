"""Sentences of many languages, and how they are gathered to a length."""

import re
from dataclasses import replace
from pathlib import Path

import regex
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.parts.units.pages_chapters_paragraphs import Paragraph
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document
from tests.support.cases import cases

ROWS = Path("tests/samples/sentences.txt").read_text("utf-8").splitlines()
"""Texts with " | " where a sentence ends, or with "||" where no white space parts two."""

PIECES = st.sampled_from([
    *("a", "Bc", "long" * 5, "x" * 30, " ", "  ", ". ", "! ", "? A", "。", ".", "\n\n"),
    *("国", "3. ", "\u0e34", "Mr. "),
])  # fmt: skip
PROSE = st.lists(PIECES, max_size=60).map("".join)


def cut(text: str, length: int = 0) -> list[str]:
    spans = Sentence(length)(Document(text, text))
    return [text[span.start : span.end] for span in spans]


@cases("marked", ROWS)
def test_sentences_end_where_a_reader_would_end_them(marked: str) -> None:
    text = marked.replace("||", "").replace(" | ", " ")
    assert cut(text) == re.split(r" \| |\|\|", marked)
    # The end of a line in a paragraph is like a blank.
    broken = Document.of(text.replace(" ", "\r\n"))
    page = replace(broken, metadata={"reader": "pdf"})
    cuts = [broken.text[span.start : span.end] for span in Sentence()(page)]
    assert [item.replace("\r\n", " ") for item in cuts] == cut(text)


def test_all_marks_but_these_are_those_of_unicode() -> None:
    ends = regex.compile(r"\p{Sentence_Terminal}")
    marks = [chr(code) for code in range(0x3000) if len(cut(f"αβ{chr(code)} 国")) == 2]
    assert {mark for mark in marks if not ends.match(mark)} == set("\u2029\f…;\u037e")
    assert set("!.?։؟۔।॥።፧។") < set(marks)


def by_definition(document: Document, length: int) -> list[tuple[int, int]]:
    """Units of the sentences of each paragraph, each cut looked for in all that is there."""
    text, result = document.text, []
    sentences = Sentence()(document)
    for paragraph in Paragraph()(document):
        ends = [item.end for item in sentences if paragraph.start < item.end <= paragraph.end]
        start = paragraph.start
        while start < paragraph.end:
            end = nearest([item for item in ends if item > start], start + length)
            if end - start > 2 * length:
                end = inside(text, start, length)
            result.append((start, start + len(text[start:end].rstrip())))
            start = paragraph.end - len(text[end : paragraph.end].lstrip())
    return result


def nearest(places: list[int], target: int) -> int:
    return min(places, key=lambda place: (abs(place - target), place))


def inside(text: str, start: int, length: int) -> int:
    """Where a unit within a long sentence ends: at white space, else before a letter."""
    places = range(start + 1, start + 2 * length + 1)
    if white := [place for place in places if text[place].isspace()]:
        return nearest(white, start + length)
    whole = [place for place in places if place >= start + length and text[place] != "\u0e34"]
    return min([*whole, start + 2 * length])


@given(PROSE, st.integers(1, 60))
@example("a" + "\u0e34" * 50, 7)
@example("aaaa" + " " * 99 + "b" * 50, 3)
def test_units_end_at_the_sentence_end_nearest_to_the_length(text: str, length: int) -> None:
    document = Document(text, text)
    result = [(span.start, span.end) for span in Sentence(length)(document)]
    assert result == by_definition(document, length)


PARAGRAPHS = [
    " ".join(["The union is a work of many. It must be kept by all who love it, today!"] * 9),
    *("The end of it was near.", "2.1. First steps", "- 安装基本系统;", "第一部分", "الفصل الأول"),
    "最后，傍晚的时候人们在桥上散步，看着河水慢慢地流过这座大城市。" * 12,
    "私たちの町は川のそばにあり、夕方には人々が橋の上を散歩します。" * 8,
    " ".join(["Наше місто стоїть на березі річки, а ввечері люди гуляють мостом."] * 7),
]


def _wrapped(paragraph: str, width: int, end: str) -> str:
    """Lines of about a width, which end at blanks, in Chinese and Japanese anywhere."""
    pieces = re.findall(r"[\u3000-\uffef]|\S+ ?", paragraph)
    lines = [""]
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return end.join(line.rstrip() for line in lines)


@given(
    st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=6),
    st.integers(30, 60),
    st.sampled_from(["\n", "\r\n", "\n   "]),
)
def test_units_do_not_depend_on_line_ends(paragraphs: list[str], width: int, end: str) -> None:
    """Formats break lines elsewhere, or not at all, and then a blank line may not follow."""
    paragraphs = [PARAGRAPHS[0], *paragraphs]

    def units(document: Document) -> list[str]:
        spans = Sentence(length=150)(document)
        return ["".join(document.text[span.start : span.end].split()) for span in spans]

    whole = units(Document.of("\n\n".join(paragraphs)))
    assert units(Document.of(end.join(paragraphs))) == whole
    wrapped = "\n\n".join(_wrapped(paragraph, width, end) for paragraph in paragraphs)
    assert units(Document.of(wrapped)) == whole
