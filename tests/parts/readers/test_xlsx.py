"""The text of Excel workbooks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext.io.zip_reader as archive_module
from sdtext.io.decompressed_content import Content
from sdtext.parts.readers.office_open_xml import Xlsx
from tests.parts.readers.office import packed
from tests.parts.readers.packages import (
    blocks_of,
    gathered,
    joined_text,
    refused,
    row,
    titles,
    workbook,
)
from tests.support.cases import cases
from tests.support.strategies import BRISK

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
    assert refused(Xlsx(), path, packed(entries)) == (
        "is a binary Excel workbook (XLSB); store it as XLSX"
    )
