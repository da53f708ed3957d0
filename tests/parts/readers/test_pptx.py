"""The text of PowerPoint files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext.io.zip_reader as archive_module
from sdtext.parts.readers.office_open_xml import Pptx
from tests.parts.readers.office import packed
from tests.parts.readers.packages import (
    blocks_at,
    blocks_of,
    gathered,
    joined_text,
    presentation,
    recognised,
    shape,
    slide,
    titles,
)
from tests.support.cases import cases
from tests.support.strategies import BRISK

TEXT = st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=6)
STRICT = {
    "presentationml/2006/main": "presentationml/main",
    "drawingml/2006/main": "drawingml/main",
    "officeDocument/2006/relationships": "officeDocument/relationships",
}


@BRISK
@given(pages=st.lists(st.lists(st.lists(TEXT, max_size=3), max_size=3), min_size=1, max_size=4))
def test_slides_are_pages_in_the_order_of_the_presentation(
    path: Path, pages: list[list[list[str]]]
) -> None:
    slides = [slide(*(shape(*texts) for texts in page)) for page in pages]
    expected = "".join(
        "".join(f"{text}\n" for texts in page for text in texts) + "\f" for page in pages
    )
    assert blocks_of(Pptx(), path, presentation(slides)) == [expected]
    strict = {
        name: _strict(part) if name.endswith("l") and "rels" not in name else part
        for name, part in presentation(slides).items()
    }
    assert blocks_of(Pptx(), path, strict) == [expected]


def _strict(part: str) -> str:
    for ours, theirs in STRICT.items():
        part = part.replace(
            f"http://schemas.openxmlformats.org/{ours}", f"http://purl.oclc.org/ooxml/{theirs}"
        )
    return part


def text_of(path: Path, *shapes: str) -> str:
    return joined_text(blocks_of(Pptx(), path, presentation([slide(*shapes)]))).removesuffix("\f")


def paragraph(inside: str) -> str:
    return f"<p:sp><p:txBody><a:p>{inside}</a:p></p:txBody></p:sp>"


def t(text: str) -> str:
    return f"<a:r><a:t>{text}</a:t></a:r>"


@cases("inside, text", [
    (t("won") + t("der"), "wonder"), (t("a") + "<a:br><a:rPr/></a:br>" + t("b"), "a\nb"),
    ("<a:pPr><a:tabLst><a:tab/></a:tabLst></a:pPr>" + t("a"), "a"),
    (f"<a:fld type='slidenum'><a:t>7</a:t></a:fld>{t('a')}", "a"),
    ("<a:fld type='datetime1'><a:t>May</a:t></a:fld>", "May"),
    ("<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>", "x=1"),
    ("<a:r><a:t>a\nb<![CDATA[<c>]]></a:t></a:r>", "a b<c>"), ("stray<a:r>stray</a:r>", ""),
])  # fmt: skip
def test_what_a_paragraph_says(path: Path, inside: str, text: str) -> None:
    assert text_of(path, paragraph(inside)) == text + "\n"


def test_titles_are_headings(path: Path) -> None:
    slides = [
        slide(shape("sub", place="subTitle"), shape("The", "bees", place="ctrTitle")),
        slide(shape("They dance", place="title"), shape("words", place="body")),
        slide(shape(" ", place="title"), shape("untitled")),
    ]
    result = blocks_of(Pptx(), path, presentation(slides))
    assert titles(result) == [(1, "The bees"), (1, "They dance")]
    assert result[0] == "sub\n"
    assert joined_text(result) == "sub\nThe\nbees\n\fThey dance\nwords\n\f \nuntitled\n\f"
    for step in (1, 7, 50):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(archive_module, "_STEP", step)
            assert gathered(Pptx(), path) == result


def test_diagrams_and_notes_follow_their_slide_without_its_number(path: Path) -> None:
    notes = slide(
        shape("3", place="sldNum"),
        shape("May", place="dt"),
        shape("foot", place="ftr"),
        shape("say this", place="body"),
        shape("3", place="sldNum"),
        shape("and this"),
    )
    beside = {"notesSlide": notes, "diagramData": slide(shape("drawn")), "comments": slide()}
    slides = [slide(shape("one"), shape("1", place="sldNum")), slide(shape("two"))]
    result = blocks_of(Pptx(), path, presentation(slides, beside))
    assert result == ["one\ndrawn\nsay this\nand this\n\ftwo\n\f"]


def test_a_slide_that_is_listed_twice_or_refers_to_itself_is_read_once(path: Path) -> None:
    entries = presentation([slide(shape("one"))], {"notesSlide": slide(shape("note"))})
    listed = entries["ppt/presentation.xml"]
    begin, end = listed.index("<p:sldId "), listed.index("</p:sldIdLst>")
    entries["ppt/presentation.xml"] = listed[:end] + listed[begin:end] * 99 + listed[end:]
    assert blocks_of(Pptx(), path, entries) == ["one\nnote\n\f"]
    # In a circle: the notes are the slide, and refer to the slide.
    rels = "ppt/slides/_rels/slide1.xml.rels"
    entries[rels] = entries[rels].replace("../beside/notesSlide.xml", "slide1.xml")
    assert blocks_of(Pptx(), path, entries) == ["one\none\n\f"]


def test_the_kind_is_known_by_the_list_of_types_or_the_default_name(path: Path) -> None:
    entries = presentation([slide(shape("one"))])
    assert recognised(path, packed(entries)) == ["pptx"]
    types = entries.pop("[Content_Types].xml")
    assert recognised(path, packed(entries)) == ["pptx"]
    moved = {name.replace("ppt/", "a/"): part for name, part in entries.items()}
    moved["_rels/.rels"] = moved["_rels/.rels"].replace("ppt/", "a/")
    assert recognised(path, packed(moved)) == []
    moved["[Content_Types].xml"] = types.replace("ppt/", "a/")
    assert recognised(path, packed(moved)) == ["pptx"]
    assert blocks_at(Pptx(), path) == ["one\n\f"]
    for kind in ("slideshow.main", "template.main"):
        moved["[Content_Types].xml"] = types.replace("presentation.main", kind)
        assert recognised(path, packed(moved)) == ["pptx"]
