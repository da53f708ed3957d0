"""The text of PowerPoint files, Excel workbooks and EPUB books."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext.io.zip_reader as archive_module
from sdtext.io.decompressed_content import Content
from sdtext.parts.readers.excel_dates import date_format, shown_date
from sdtext.parts.readers.markup import Epub
from sdtext.parts.readers.office_open_xml import Pptx, Xlsx
from tests.parts.readers.office import packed, strict
from tests.parts.readers.packages import (
    blocks_at,
    blocks_of,
    book,
    gathered,
    joined_text,
    page,
    presentation,
    recognised,
    refused,
    row,
    shape,
    slide,
    titles,
    workbook,
)
from tests.support.cases import cases
from tests.support.strategies import BRISK

TEXT = st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=6)


@BRISK
@given(pages=st.lists(st.lists(st.lists(TEXT, max_size=3), max_size=3), min_size=1, max_size=4))
def test_slides_are_pages_in_their_order(path: Path, pages: list[list[list[str]]]) -> None:
    slides = [slide(*(shape(*texts) for texts in page)) for page in pages]
    expected = "".join(
        "".join(f"{text}\n" for texts in page for text in texts) + "\f" for page in pages
    )
    assert blocks_of(Pptx(), path, presentation(slides)) == [expected]
    assert blocks_of(Pptx(), path, strict(presentation(slides))) == [expected]


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
    shapes = f"<p:sp><p:txBody><a:p>{inside}</a:p></p:txBody></p:sp>"
    assert blocks_of(Pptx(), path, presentation([slide(shapes)])) == [text + "\n\f"]


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
        shape("3", place="sldNum"), shape("May", place="dt"), shape("foot", place="ftr"),
        shape("say this", place="body"), shape("3", place="sldNum"), shape("and this"),
    )  # fmt: skip
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


WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
ROWS = st.lists(st.lists(WORD, max_size=4), max_size=4)


def line(cells: list[str]) -> str:
    return "\t".join(cells) + "\n" if cells else ""


@BRISK
@given(sheets=st.dictionaries(WORD, ROWS, min_size=1, max_size=4), shared=st.booleans())
def test_sheets_are_pages_in_the_order_of_the_workbook(
    path: Path, sheets: dict[str, list[list[str]]], shared: bool
) -> None:
    strings = sorted({word for rows in sheets.values() for cells in rows for word in cells})
    places = {word: place for place, word in enumerate(strings)}

    def written(cells: list[str]) -> str:
        named = "".join(f'<c t="s"><v>{places[word]}</v></c>' for word in cells)
        return f"<row>{named}</row>" if shared else row(*cells)

    parts = {name: "".join(map(written, rows)) for name, rows in sheets.items()}
    result = blocks_of(Xlsx(), path, workbook(parts, [f"<t>{word}</t>" for word in strings]))
    assert titles(result) == [(1, name) for name in sheets]
    texts = ["".join(map(line, rows)) + "\f" for rows in sheets.values()]
    # Heading and text come by turns.
    assert result[1::2] == texts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive_module, "_STEP", 5)
        assert gathered(Xlsx(), path) == result


@cases("cell, text", [
    ("<c><v>14</v></c>", "14"), ("<c t='n'><v>0.10000000000000001</v></c>", "0.10000000000000001"),
    ("<c><f>SUM(A1:A9)</f><v>45</v></c>", "45"),
    ("<c t='str'><f>A1&amp;\"x\"</f><v>two words</v></c>", "two words"),
    ("<c t='b'><v>1</v></c>", "TRUE"), ("<c t='b'><v>0</v></c>", "FALSE"),
    ("<c t='e'><v>#N/A</v></c>", "#N/A"),
    ("<c t='inlineStr'><is><r><rPr/><t>a </t></r><r><t>b</t></r></is></c>", "a b"),
    ("<c t='inlineStr'><is><t>漢</t><rPh><t>かん</t></rPh></is></c>", "漢"),
    ("<c t='inlineStr'><is><t> a\nb\t c </t></is></c>", "a b c"),
    ("<c t='inlineStr'><is><t>a_x000D_b_x0041_ _xD83D_ _x1</t></is></c>", "a bA _xD83D_ _x1"),
    ("<c t='s'><v>0</v></c>", "漢字"), ("<c t='s'><v> 1 </v></c>", "rich text"),
    ("<c t='s'><v>2</v></c>", ""), ("<c t='s'><v>-1</v></c>", ""), ("<c t='s'><v>x</v></c>", ""),
    ("<c t='s'><v>99999999999999999999</v></c>", ""), ("<c t='s'/>", ""), ("<c><v/></c>", ""),
    ("stray<c>stray</c>", ""),
])  # fmt: skip
def test_what_a_cell_says(path: Path, cell: str, text: str) -> None:
    strings = [
        "<t>漢字</t><rPh sb='0' eb='2'><t>かんじ</t></rPh><phoneticPr fontId='1'/>",
        "<r><rPr/><t>rich </t></r><r><t>text</t></r>",
    ]
    entries = workbook({"One": f"<row>{cell}</row>{row('end')}"}, strings)
    assert joined_text(blocks_of(Xlsx(), path, entries)) == line([text] if text else []) + "end\n\f"


def test_a_string_in_many_cells_is_held_against_the_limit(path: Path) -> None:
    cells = '<row><c t="s"><v>0</v></c></row>' * 100
    path.write_bytes(packed(workbook({"One": cells}, [f"<t>{'long ' * 200}</t>"])))
    size = 100 * 1000
    text = "".join(block for block in Xlsx()(Content(path, size + 1)) if isinstance(block, str))
    assert len(text) == size + 1
    with pytest.raises(Exception, match=f"holds more than {size:,} bytes"):
        list(Xlsx()(Content(path, size)))


def test_a_binary_workbook_is_named_as_such(path: Path) -> None:
    types = workbook({})["[Content_Types].xml"].replace(
        "openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
        "ms-excel.sheet.binary.macroEnabled.main",
    )
    entries = {
        name: part.replace("workbook.xml", "workbook.bin")
        for name, part in {**workbook({}), "[Content_Types].xml": types}.items()
        if name != "xl/workbook.xml"
    }
    entries["xl/workbook.bin"] = "\x83\x01"
    assert "(XLSB)" in refused(Xlsx(), path, packed(entries))


WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
NAMES = st.text("abcäß中 -", min_size=1, max_size=6).map(lambda name: f"{name.strip()}x.xhtml")


@BRISK
@given(pages=st.dictionaries(NAMES, WORD, min_size=1, max_size=5), data=st.data())
def test_pages_are_in_book_order(path: Path, pages: dict[str, str], data: st.DataObject) -> None:
    order = data.draw(st.lists(st.sampled_from(sorted(pages)), unique=True, min_size=1))
    inside = {name: f"<h2>{name}</h2><p>{word}</p>" for name, word in pages.items()}
    result = blocks_of(Epub(), path, book(inside, order))
    shown = {name: " ".join(name.split()) for name in pages}
    assert titles(result) == [(2, shown[name]) for name in order]
    assert joined_text(result) == "".join(f"{shown[name]}\n{pages[name]}\n" for name in order)


def test_a_page_without_end_ends_before_the_next(path: Path) -> None:
    entries = book({"a.xhtml": "", "b.xhtml": "<p>b"})
    entries["OEBPS/a.xhtml"] = "<html><body><h1>The a"
    result = blocks_of(Epub(), path, entries)
    assert (titles(result), joined_text(result)) == ([(1, "The a")], "The a\nb\n")


@cases("encoding, declared", [
    ("utf-8", "utf-8"), ("utf-8", "UTF-16"), ("utf-8", "none-such"), ("utf-8-sig", "utf-8"),
    ("utf-16", "utf-16"), ("iso-8859-1", "ISO-8859-1"), ("gb18030", "gb18030"),
])  # fmt: skip
def test_pages_are_decoded_as_they_declare(path: Path, encoding: str, declared: str) -> None:
    word = "naïve" if encoding == "iso-8859-1" else "naïve 中"
    entries: dict[str, str | bytes] = dict(book({"a.xhtml": ""}))
    text = page(word).replace('encoding="utf-8"', f"encoding='{declared}'")
    entries["OEBPS/a.xhtml"] = text.encode(encoding)
    assert joined_text(blocks_of(Epub(), path, entries)) == word + "\n"
    entries["OEBPS/a.xhtml"] = b"<html><body>na\xffve"
    assert joined_text(blocks_of(Epub(), path, entries)) == "na\ufffdve\n"


def encryption(*names: str) -> str:
    references = "".join(f'<CipherReference URI="{name}"/>' for name in names)
    return f"<encryption xmlns='urn:x'><EncryptedData>{references}</EncryptedData></encryption>"


def test_a_protected_book_is_named_as_such(path: Path) -> None:
    entries = book({"a b.xhtml": "<p>a</p>", "c.xhtml": ""}, ["a b.xhtml"])
    entries["META-INF/encryption.xml"] = encryption("OEBPS/font.otf", "OEBPS/c.xhtml")
    assert joined_text(blocks_of(Epub(), path, entries)) == "a\n"
    entries["META-INF/encryption.xml"] = encryption("OEBPS/font.otf", "OEBPS/a%20b.xhtml")
    assert refused(Epub(), path, packed(entries)) == (
        "is protected against copying (DRM); get a copy without that from its source"
    )


def test_a_book_is_known_by_its_type_or_by_its_list(path: Path) -> None:
    entries = book({"a.xhtml": "<p>a</p>"})
    assert recognised(path, packed(entries)) == ["epub"]
    assert recognised(path, packed(dict(reversed(entries.items())))) == ["epub"]
    del entries["mimetype"]
    assert recognised(path, packed(entries)) == ["epub"]
    # Music and Korean documents have such a container, too.
    assert recognised(path, packed({**entries, "mimetype": "application/hwp+zip"})) == []
    container = "META-INF/container.xml"
    music = entries[container].replace("oebps-package", "vnd.recordare.musicxml")
    assert recognised(path, packed({**entries, container: music})) == []


@cases("value, code, expected", [
    ("45352", "m/d/yyyy", "3/1/2024"),
    ("45352", "[$-409]dddd, d mmmm yyyy;@", "Friday, 1 March 2024"),
    ("45352.5", "yyyy\\-mm\\-dd hh:mm:ss", "2024-03-01 12:00:00"),
    ("45352.999999", 'mmm "of" yy', "Mar of 24"), ("0.5", "h:mm AM/PM", "12:00 PM"),
    ("1.5", "[h]:mm", "36:00"), ("59", "d.m.yyyy", "28.2.1900"),
    ("0.0000579", "mm:ss.0", "00:05.0"), ("-1", "d.m.yyyy", "-1"), ("1e300", "d.m.yyyy", "1e300"),
    ("nan", "d.m.yyyy", "nan"),
])  # fmt: skip
def test_dates_of_sheets_are_read_as_shown(value: str, code: str, expected: str) -> None:
    assert date_format("200", code) == code
    assert shown_date(value, code) == expected


def test_the_styles_of_a_workbook_say_which_numbers_are_dates(path: Path) -> None:
    cells = "".join(f'<c s="{style}"><v>45352</v></c>' for style in range(4))
    entries = workbook({"Days": f"<row>{cells}</row>"})
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    styled = ("0", "14", "165", "166")
    entries["xl/styles.xml"] = (
        f'<styleSheet xmlns="{space}"><numFmts><numFmt numFmtId="165" formatCode="d\\ mmm"/>'
        '<numFmt numFmtId="166" formatCode="#,##0&quot; days&quot;"/></numFmts>'
        '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>'
        + "".join(f'<xf numFmtId="{number}"/>' for number in styled)
        + "</cellXfs><cellStyles/></styleSheet>"
    )
    rels = "xl/_rels/workbook.xml.rels"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    entries[rels] = entries[rels].replace(
        "</Relationships>",
        f'<Relationship Id="s" Type="{kind}/styles" Target="styles.xml"/></Relationships>',
    )
    assert blocks_of(Xlsx(), path, entries)[1:] == ["45352\t3/1/2024\t1 Mar\t45352\n\f"]
    entries["xl/workbook.xml"] = entries["xl/workbook.xml"].replace(
        "<sheets>", '<workbookPr date1904="1"/><sheets>'
    )
    assert "3/2/2028" in str(blocks_of(Xlsx(), path, entries))
