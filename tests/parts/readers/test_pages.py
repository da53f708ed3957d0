"""Where pages begin in the texts of word processors, beside what LibreOffice makes of them."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext import read
from sdtext.parts.readers.opendocument import Odt
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document
from tests.parts.readers import packages
from tests.parts.readers.office import docx, paragraph, run, t, text_of, word_style
from tests.parts.readers.packages import (
    DOCUMENTS,
    blocks_at,
    blocks_of,
    flat,
    joined_text,
    open_document,
    p,
)
from tests.support.cases import cases
from tests.support.strategies import BRISK

SOFT = "<text:soft-page-break/>"
"""A soft break of OpenDocument."""
HARD = run("<w:br w:type='page'/>")
"""A hard one of Word."""
LAST = run("<w:lastRenderedPageBreak/>")
"""A soft one of Word."""
PAGE_BEFORE, PAGE_AFTER = 'fo:break-before="page"', 'fo:break-after="page"'


def style(
    name: str,
    *properties: str,
    family: str = "paragraph",
    parent: str = "",
    master: str | None = None,
) -> str:
    """A style of OpenDocument; `master` is the kind of page that it begins."""
    page = "" if master is None else f' style:master-page-name="{master}"'
    inside = f"<style:{family}-properties {' '.join(properties)}/>" if properties else ""
    return packages.style(name, inside, family, parent, page)


STYLES = (
    style("Breaking", PAGE_BEFORE)
    + style("Chapter", parent="Breaking")
    + style("Wide", master="Landscape")
)
OWN = (
    style("P1", 'fo:text-align="end"', parent="Chapter")
    + style("P2", PAGE_AFTER)
    + style("P3", parent="Wide", master="")
    + style("P4", parent="P4")
    + style("P5", 'fo:break-before="auto"', parent="Chapter")
    + style("P6", PAGE_AFTER, parent="Chapter")
    + style("P7", PAGE_BEFORE, PAGE_AFTER, parent="Chapter")
    + style("T1", PAGE_BEFORE, family="table")
    + style("T2", 'fo:break-after="even-page"', family="table")
    + style("S1", family="text", master="Landscape")
)


def styled(style: str, *inside: str, tag: str = "p") -> str:
    return f'<text:{tag} text:style-name="{style}">{"".join(inside)}</text:{tag}>'


def table(*cells: str, style: str = "") -> str:
    row = "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in cells)
    columns = f'<table:table-column table:number-columns-repeated="{len(cells)}"/>'
    return (
        f'<table:table table:style-name="{style}">{columns}<table:table-row>{row}</table:table-row>'
        "</table:table>"
    )


word = partial(paragraph, before="")


SAVED = DOCUMENTS / "libreoffice"


def numbers(text: str) -> dict[str, int]:
    """The number of the page on which each marked word stands, where form feeds end pages."""
    pages = enumerate(text.split("\f"), 1)
    return {word: number for number, page in pages for word in re.findall(r"Begin\d+", page)}


def test_pages_are_those_that_libreoffice_printed_as_it_saved_the_file() -> None:
    """Soft breaks in long paragraphs, rows and between lines; breaks of styles; an empty page."""
    printed = read(SAVED / "pages.pdf").text
    result = read(SAVED / "pages.odt").text
    assert printed.count("\f") == 15
    assert result.count("\f") == 14  # the last page ends with the text
    assert numbers(result) == numbers(printed)
    assert len(numbers(result)) == 55


PIECES = st.lists(st.lists(st.sampled_from(["word", "soft", "line"]), max_size=8), max_size=6)
KINDS: Mapping[str, tuple[str, str]] = {
    "odt": ("<text:line-break/>", SOFT),
    "docx": (run("<w:br/>"), LAST),
}


def written(path: Path, kind: str, paragraphs: list[list[str]]) -> str:
    """The text of a file of such paragraphs, behind a first one; words are numbered."""
    line, soft = KINDS[kind]
    count = 0
    body = []
    for pieces in [["word"], *paragraphs]:
        inside = []
        for piece in pieces:
            text = f"Begin{count} "
            count += piece == "word"
            words = t(text).replace("<w:t>", "<w:t xml:space='preserve'>")
            spoken = words if kind == "docx" else text
            inside.append({"word": spoken, "soft": soft, "line": line}[piece])
        body.append(p(*inside) if kind == "odt" else paragraph(*inside))
    if kind == "docx":
        return text_of(path, docx("".join(body)))
    return joined_text(blocks_of(Odt(), path, open_document("".join(body))))


@BRISK
@given(paragraphs=PIECES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_line_stands_whole_on_the_page_where_it_begins(
    path: Path, kind: str, paragraphs: list[list[str]]
) -> None:
    actual = written(path, kind, paragraphs)
    plain = written(path, kind, [[item for item in each if item != "soft"] for each in paragraphs])
    assert actual.replace("\f", "") == plain
    assert actual.count("\f") == sum(each.count("soft") for each in paragraphs)
    expected, page, count = {"Begin0": 1}, 1, 1
    for pieces in paragraphs:
        of_line = 0
        for piece in pieces:
            page += piece == "soft"
            of_line = 0 if piece == "line" else of_line
            if piece == "word":
                of_line = of_line or page
                expected[f"Begin{count}"] = of_line
                count += 1
    assert numbers(actual) == expected


@cases("kind", KINDS)
def test_soft_breaks_part_no_sentence(path: Path, kind: str) -> None:
    pieces = ["word", "soft", "word", "word"]
    first, other = (
        written(path, kind, each) for each in ([pieces, pieces], [["word"] * 3, ["word"] * 3])
    )
    result, plain = (Document(each, each, line_paragraphs=True) for each in (first, other))
    assert [result.text[span.start : span.end] for span in Sentence()(result)] == [
        plain.text[span.start : span.end] for span in Sentence()(plain)
    ]


def text_in_flat(path: Path, body: str) -> str:
    path.write_text(flat(body, common=STYLES, own=OWN), "utf-8")
    return joined_text(blocks_at(Odt(), path))


def text_in_zip(path: Path, body: str) -> str:
    """The same of a zipped file, whose named styles stand in another part."""
    # What a part has for headers has nothing to do with what is called the same in the body.
    others = OWN.replace('name="P2"', 'name="P9"')
    parts = open_document(body, common=STYLES, own=OWN, others=others)
    return joined_text(blocks_of(Odt(), path, parts))


NOTE = f"<text:note><text:note-body>{styled('P1', SOFT, 'note')}</text:note-body></text:note>"
BOX = f"<draw:frame><draw:text-box>{styled('P1', SOFT, 'box')}</draw:text-box></draw:frame>"


@cases("text_in", [text_in_flat, text_in_zip])
@cases("body, text", [
    (styled("P1", "a") + styled("P1", "b"), "a\n\fb\n"),
    (p("a") + styled("Chapter", "b", tag="h"), "a\n\fb\n"),
    (p("a") + styled("Unknown", "b") + styled("P4", "c") + styled("S1", "d"), "a\nb\nc\nd\n"),
    (p("a") + styled("P2", "b") + p("c"), "a\nb\n\fc\n"),
    (p("a") + styled("P2", "b") + styled("P1", "c"), "a\nb\n\fc\n"),
    (p("a") + styled("P2", "b") + styled("P2", "c"), "a\nb\n\fc\n"),
    (p("a") + styled("P5", "b") + p("c"), "a\nb\nc\n"),
    (p("a") + styled("P6", "b") + p("c"), "a\nb\n\fc\n"),
    (p("a") + styled("P7", "b") + p("c"), "a\n\fb\n\fc\n"),
    (p("a") + styled("P9", "b") + p("c"), "a\nb\nc\n"), (p("a") + styled("P2", "b"), "a\nb\n"),
    (p("a") + styled("Wide", "b") + styled("P3", "c"), "a\n\fb\nc\n"),
    (p("a") + table(p("b"), style="T1"), "a\n\fb\n"),
    (p("a") + table(p("b"), style="T2") + p("c") + p("d"), "a\nb\n\fc\nd\n"),
    (table(p("a"), style="T1") + table(p("b"), style="T1"), "a\n\fb\n"),
    (p("a") + table(styled("P1", "b"), styled("P1", "c")) + p("d"), "a\nb\nc\nd\n"),
    (p() + styled("P1", "b"), "\n\fb\n"),
    (p("a") + styled("P1") + styled("P1", "b"), "a\n\f\n\fb\n"),
    (p("a") + SOFT + styled("P1", "b"), "a\n\fb\n"), (p("a") + styled("P1", SOFT, "b"), "a\n\fb\n"),
    (SOFT + p(SOFT, "a") + p("b", SOFT, "c") + styled("P1", "d"), "a\nbc\n\f\fd\n"),
    (p("a") + SOFT + p(SOFT, "b"), "a\n\f\fb\n"),
    (p("a", NOTE, SOFT, "b") + p("c"), "ab\nnote\n\fc\n"),
    (p("a", BOX) + BOX + p("c"), "a\nbox\nbox\nc\n"), (p("a ", SOFT, " b") + p("c"), "a b\n\fc\n"),
    (p("a") + table(p("b", SOFT, "b"), p("c", SOFT, "c", SOFT)), "a\nbb\n\fcc\n\f"),
    (table(p("a")) + SOFT + table(p(SOFT, "b"), p(SOFT, "c")), "a\n\f\fb\nc\n"),
    (p("a") + f"<text:section>{styled('P1', 'b')}</text:section>", "a\n\fb\n"),
])  # fmt: skip
def test_open_documents_begin_pages(
    path: Path, text_in: Callable[[Path, str], str], body: str, text: str
) -> None:
    assert text_in(path, body) == text


def ending(kind: str | None) -> str:
    inside = "" if kind is None else f"<w:type w:val='{kind}'/>"
    change = "<w:sectPrChange><w:sectPr><w:type w:val='continuous'/></w:sectPr></w:sectPrChange>"
    return f"<w:sectPr>{inside}{change}</w:sectPr>"


BEFORE = "<w:pageBreakBefore/>"


WORD_STYLES = "".join([
    word_style("Breaking", f"<w:pPr>{BEFORE}</w:pPr>"),
    word_style("Chapter", "<w:basedOn w:val='Breaking'/>"),
    word_style("Plain", "<w:basedOn w:val='Chapter'/>", BEFORE.replace("/", " w:val='0'/")),
    word_style("Round", "<w:basedOn w:val='Round'/>"),
])  # fmt: skip


def in_style(name: str) -> str:
    return f"<w:pStyle w:val='{name}'/>"


def word_row(*cells: str) -> str:
    return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in cells) + "</w:tr>"


A, B, C = (word(t(letter)) for letter in "abc")


@cases("body, text", [
    (word(t("a"), before=BEFORE) + word(t("b"), before=BEFORE), "a\n\fb\n"),
    (A + word(t("b"), before="<w:pageBreakBefore w:val='1'/>"), "a\n\fb\n"),
    (A + word(t("b"), before="<w:pageBreakBefore w:val='off'/>"), "a\nb\n"),
    (A + word(t("b"), before="<w:pageBreakBefore w:val='false'/>"), "a\nb\n"),
    (A + word(t("b"), before=f"<w:pPrChange><w:pPr>{BEFORE}</w:pPr></w:pPrChange>"), "a\nb\n"),
    (A + word(t("b"), before=in_style("Breaking")), "a\n\fb\n"),
    (A + word(t("b"), before=in_style("Chapter")), "a\n\fb\n"),
    (A + word(t("b"), before=in_style("Plain")) + word(before=in_style("Round")), "a\nb\n\n"),
    (A + word(t("b"), before=in_style("Chapter") + "<w:pageBreakBefore w:val='0'/>"), "a\nb\n"),
    (A + word(t("b"), before=in_style("Plain") + BEFORE), "a\n\fb\n"),
    (A + word(HARD) + word(LAST, t("b")), "a\n\f\nb\n"),
    (A + word(HARD, LAST, t("b")) + C, "a\n\fb\nc\n"),
    (word(t("a"), HARD, LAST, t("b")) + C, "a\fb\nc\n"),
    (word(t("a"), HARD) + word(LAST, t("b")) + word(LAST, t("c")), "a\f\nb\n\fc\n"),
    (word(t("a"), HARD) + word(t("b"), before=BEFORE), "a\f\nb\n"),
    (word(t("a"), HARD, t("b")) + word(t("c"), before=BEFORE), "a\fb\n\fc\n"),
    (word(HARD, HARD) + A, "\f\f\na\n"),
    (A + word(LAST, t("b"), before=BEFORE), "a\n\fb\n"),
    (word(t("a"), LAST, t("a"), HARD, t("b")) + C, "aa\f\fb\nc\n"),
    (word(t("a"), LAST, before="<w:rPr><w:del/></w:rPr>") + word(t("b")) + C, "ab\n\fc\n"),
    (A + f"<w:del>{LAST}</w:del>" + B, "a\nb\n"),
    (word(t("a"), run(f"<w:txbxContent>{word(LAST, HARD, t('b'))}</w:txbxContent>")) + C,
     "a\n\nb\nc\n"),
    (A + word_row(word(LAST, t("b")), word(LAST, t("c"), LAST, t("c"))) + B,
     "a\n\fb\ncc\n\fb\n"),
    (A + word_row(word(t("b"), before=BEFORE), word(t("c"), before=BEFORE)), "a\n\fb\nc\n"),
    (A + word_row(word(t("b"), LAST, t("b"))) + word_row(word(t("c"), LAST)) + A,
     "a\nbb\n\fc\n\fa\n"),
])  # fmt: skip
def test_word_files_begin_pages(path: Path, body: str, text: str) -> None:
    assert text_of(path, docx(body, {"styles": WORD_STYLES})) == text


def last_of(*pieces: str, begins: str | None) -> str:
    return word(*pieces, before=ending(begins))


@cases("last", ["nextPage", "evenPage", "oddPage", None, "unknown"])
@cases("first", ["nextPage", "continuous"])
def test_a_section_tells_at_its_end_how_it_begins(path: Path, first: str, last: str | None) -> None:
    body = last_of(t("a"), begins=first) + B + last_of(t("c"), begins="continuous")
    further = {"footer": word(t("foot"), HARD)}
    assert text_of(path, docx(body + A + ending(last), further)) == "a\nb\nc\n\fa\nfoot\n\n"
    for within in ("continuous", "nextColumn"):
        assert text_of(path, docx(body + A + ending(within))) == "a\nb\nc\na\n"
    assert text_of(path, docx(body + last_of(t("d"), begins=last))) == "a\nb\nc\n\fd\n"
    # No section can be told to begin a page where its end is missing: Word begins one.
    assert text_of(path, docx(body + A)) == "a\nb\nc\n\fa\n"


@cases("kind", ["nextPage", "continuous"])
@cases("pieces, properties", [((), BEFORE), ((LAST,), ""), ((LAST,), BEFORE)])
def test_a_section_and_its_first_paragraph_begin_one_page(
    path: Path, kind: str, pieces: tuple[str, ...], properties: str
) -> None:
    body = last_of(t("a"), begins="nextPage") + word(*pieces, t("b"), before=properties) + C
    assert text_of(path, docx(body + ending(kind))) == "a\n\fb\nc\n"
    after = last_of(t("a"), HARD, begins="nextPage") + B
    assert text_of(path, docx(after + ending(kind))) == "a\f\nb\n"
