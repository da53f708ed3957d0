"""Where pages begin in Word files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parts.readers.office import docx, run, t, text_of
from tests.parts.readers.paging import HARD, LAST, word


def ending(kind: str | None) -> str:
    """The end of a section that begins so."""
    inside = "" if kind is None else f"<w:type w:val='{kind}'/>"
    change = "<w:sectPrChange><w:sectPr><w:type w:val='continuous'/></w:sectPr></w:sectPrChange>"
    return f"<w:sectPr>{inside}{change}</w:sectPr>"


BEFORE = "<w:pageBreakBefore/>"


def word_style(name: str, *inside: str) -> str:
    return f"<w:style w:type='paragraph' w:styleId='{name}'>{''.join(inside)}</w:style>"


WORD_STYLES = "".join(
    [
        word_style("Breaking", f"<w:pPr>{BEFORE}</w:pPr>"),
        word_style("Chapter", "<w:basedOn w:val='Breaking'/>"),
        word_style("Plain", "<w:basedOn w:val='Chapter'/>", BEFORE.replace("/", " w:val='0'/")),
        word_style("Round", "<w:basedOn w:val='Round'/>"),
    ]
)


def in_style(name: str) -> str:
    return f"<w:pStyle w:val='{name}'/>"


def word_row(*cells: str) -> str:
    return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in cells) + "</w:tr>"


A, B, C = (word(t(letter)) for letter in "abc")


@pytest.mark.parametrize(
    ("body", "text"),
    [
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
        (word(LAST, t("a")) + word(t("b"), LAST, t("b")) + C, "a\nbb\n\fc\n"),
        (word(t("a"), LAST, t("a"), HARD, t("b")) + C, "aa\f\fb\nc\n"),
        (word(t("a"), LAST, t("a"), run("<w:br/>"), t("b")) + C, "aa\n\fb\nc\n"),
        (word(t("a"), run("<w:br/>"), LAST, t("b")) + C, "a\n\fb\nc\n"),
        (word(t("a"), LAST, before="<w:rPr><w:del/></w:rPr>") + word(t("b")) + C, "ab\n\fc\n"),
        (A + word(LAST) + word(LAST, t("b")), "a\n\f\n\fb\n"),
        (A + f"<w:del>{LAST}</w:del>" + B, "a\nb\n"),
        (word(t("a"), run(f"<w:txbxContent>{word(LAST, HARD, t('b'))}</w:txbxContent>")) + C,
         "a\n\nb\nc\n"),
        (A + word_row(word(LAST, t("b")), word(LAST, t("c"), LAST, t("c"))) + B,
         "a\n\fb\ncc\n\fb\n"),
        (A + word_row(word(t("b"), before=BEFORE), word(t("c"), before=BEFORE)), "a\n\fb\nc\n"),
        (A + word_row(word(t("b"), LAST, t("b"))) + word_row(word(t("c"), LAST)) + A,
         "a\nbb\n\fc\n\fa\n"),
    ],
)  # fmt: skip
def test_word_files_begin_pages(path: Path, body: str, text: str) -> None:
    assert text_of(path, docx(body, {"styles": WORD_STYLES})) == text


def last_of(*pieces: str, begins: str | None) -> str:
    """The last paragraph of a section that begins so."""
    return word(*pieces, before=ending(begins))


@pytest.mark.parametrize("last", ["nextPage", "evenPage", "oddPage", None, "unknown"])
@pytest.mark.parametrize("first", ["nextPage", "continuous"])
def test_a_section_says_at_its_own_end_how_it_begins(
    path: Path, first: str, last: str | None
) -> None:
    body = last_of(t("a"), begins=first) + B + last_of(t("c"), begins="continuous")
    further = {"footer": word(t("foot"), HARD)}
    assert text_of(path, docx(body + A + ending(last), further)) == "a\nb\nc\n\fa\nfoot\n\n"
    for within in ("continuous", "nextColumn"):
        assert text_of(path, docx(body + A + ending(within))) == "a\nb\nc\na\n"
    assert text_of(path, docx(body + last_of(t("d"), begins=last))) == "a\nb\nc\n\fd\n"
    # No section can be told to begin a page where its end is missing: Word begins one.
    assert text_of(path, docx(body + A)) == "a\nb\nc\n\fa\n"


@pytest.mark.parametrize("kind", ["nextPage", "continuous"])
@pytest.mark.parametrize(
    ("pieces", "properties"), [((), BEFORE), ((LAST,), ""), ((LAST,), BEFORE)], ids=str
)
def test_a_section_and_its_first_paragraph_begin_one_page(
    path: Path, kind: str, pieces: tuple[str, ...], properties: str
) -> None:
    body = last_of(t("a"), begins="nextPage") + word(*pieces, t("b"), before=properties) + C
    assert text_of(path, docx(body + ending(kind))) == "a\n\fb\nc\n"
    after = last_of(t("a"), HARD, begins="nextPage") + B
    assert text_of(path, docx(after + ending(kind))) == "a\f\nb\n"
