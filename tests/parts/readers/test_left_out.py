"""What a reader of a document sees is in its text; what is left out by intention is not."""

import gzip
import lzma
import struct
import zlib
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED

import pytest

from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import process_document
from sdtext.reading.read_document import Source, read, text_of_files
from sdtext.reading.recognise_file import container_of
from tests.parts.containers.containing import held
from tests.parts.readers.office import entries, packed, paragraph, relationships, t
from tests.parts.readers.packages import open_document, row, workbook
from tests.parts.readers.pdfs import Stream, bare, shown
from tests.support.cases import cases
from tests.support.compound_files import compound_of

CASES = Path(__file__).parents[2] / "samples" / "cases"
SECOND = "Second statement."


def words(path: Path, data: str | bytes) -> list[str]:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read(path).clean.split()


@pytest.mark.parametrize(
    "path", sorted(CASES.with_name("markup").iterdir()), ids=lambda it: it.name
)
def test_markup_and_recognised_pages(tmp_path: Path, path: Path) -> None:
    data, expected = path.read_text("utf-8").rpartition("=> ")[::2]
    assert words(tmp_path / "a.xml", data) == expected.split()


def drawn(*texts: str) -> str:
    boxes = (f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
    space = "http://schemas.openxmlformats.org/drawingml/2006/main"
    return f'<w xmlns:a="{space}">{"".join(boxes)}</w>'


def chart(title: str, *labels: str) -> str:
    points = "".join(f"<c:pt><c:v>{label}</c:v></c:pt>" for label in labels)
    return (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">'
        f"<c:title>{drawn(title)}</c:title><c:cat><c:strRef><c:strCache>{points}</c:strCache>"
        "</c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt><c:v>77</c:v></c:pt></c:numCache>"
        f"</c:numRef></c:val><c:txPr>{drawn('no')}</c:txPr></c:chartSpace>"
    )


def importing(data: bytes | str, name: str, times: int = 1) -> dict[str, str | bytes]:
    chunk = '<w:altChunk xmlns:r="http://r" r:id="r0"/>'
    body = f"{paragraph(t('Before.'))}{chunk * times}{paragraph(t('After.'))}"
    return {
        **entries(body),
        "word/_rels/document.xml.rels": relationships({name: "aFChunk"}),
        f"word/{name}": data,
    }


@cases("files, expected", [
    (importing(f"<html><p>{SECOND}</html>", "a.html", 2), "Before. {0} {0} After."),
    (importing(packed(entries(paragraph(t(SECOND)))), "a.docx"), "Before. {0} After."),
    (importing(rf"{{\rtf1\ansi {SECOND}\par}}", "a.rtf"), "Before. {0} After."),
    (
        importing(
            "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n"
            f"Content-Type: text/html\n\n<p>{SECOND}\n--b--\n",
            "a.mht",
        ),
        "Before. {0} After.",
    ),
    (importing(SECOND, "a.txt"), "Before. {0} After."),
    (
        {
            **entries(paragraph(t("Before."))),
            "word/_rels/document.xml.rels": relationships({"charts/c.xml": "chart"}),
            "word/charts/c.xml": chart("Catches", "Cod", "Eel", "Cod"),
        },
        "Before. Catches Cod Eel",
    ),
    (
        {
            **workbook({"Catch": row("1")}),
            "xl/_rels/sheet1.xml.rels": relationships({"d/d.xml": "drawing"}),
            "xl/d/d.xml": drawn("In a", "box."),
            "xl/d/_rels/d.xml.rels": relationships({"c.xml": "chart"}),
            "xl/d/c.xml": chart("Catches", "Cod"),
        },
        "1 In a box. Catches Cod",
    ),
    (
        {
            **open_document(
                '<text:p>Before.<draw:frame><draw:object xmlns:xlink="http://x"'
                ' xlink:href="./Object 1"/></draw:frame></text:p>'
            ),
            "Object 1/content.xml": open_document(
                '<x:chart xmlns:x="x"><text:p>Catches</text:p><table:table-cell'
                ' office:value-type="float"><text:p>7</text:p></table:table-cell></x:chart>'
            )["content.xml"],
        },
        "Before. Catches",
    ),
])  # fmt: skip
def test_parts_of_office(tmp_path: Path, files: dict[str, str | bytes], expected: str) -> None:
    assert " ".join(words(tmp_path / "a", packed(files))) == expected.format(SECOND)


@cases("files, expected", [
    (importing(b"PK\x03\x04", "a.docx"), "Before. After."),
    ({**entries(paragraph(t("A."))), "word/comments.xml": "<c><comment>No.</comment>"}, "A."),
    (entries(paragraph(t("A."), "<w:r><w:instrText> EQ \\o(a,b)</w:instrText></w:r>")), "A."),
    ({**entries(paragraph(t("A."))), "word/activeX/activeX1.xml": "<a/>"}, "A."),
    (workbook({"A": '<row><c r="A1"><f>1+1</f><v/></c><c><v>3</v></c></row>'}), "3"),
    (rb"{\rtf1 A.{\*\annotation No.}}", "A."), (rb"{\rtf1 A.{\*\fldinst{EQ \\o(a,b)}}}", "A."),
    (gzip.compress(b"A.")[:-8], "A."), (lzma.compress(b"A.")[:-8], "A."),
    (open_document("<text:p>A.<office:annotation>No.</office:annotation></text:p>"), "A."),
])  # fmt: skip
def test_what_is_left_out_is_named(tmp_path: Path, files: Any, expected: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(files if isinstance(files, bytes) else packed(files))
    document = read(path)
    assert document.clean.split() == expected.split()
    assert [problem.category for problem in document.problems] == ["partly-read"]


@cases("kind, data, expected", [
    ("office", "07/embedded.docx", ["Microsoft_Word_Document1.docx"]),
    ("pdf", "03/portfolio.pdf", ["plain.pdf", "union.txt"]),
])  # fmt: skip
def test_embedded_files_come_out(tmp_path: Path, kind: str, data: str, expected: list[str]) -> None:
    path = CASES / data
    assert list(held(kind, tmp_path / "a", path.read_bytes()).files) == expected
    assert content_at(f"{path}!{expected[0]}").head
    assert container_of(Content(path)) == kind


def test_a_file_without_text_of_its_own_hides_none_of_those_in_it() -> None:
    problems: list[Problem] = []
    path = CASES / "03" / "portfolio.pdf"
    text = "".join(text_of_files(path, Reading(), problems.append))
    assert text.count("five towns along our river") == 2
    assert [problem.severity for problem in problems] == ["warning"]
    assert process_document(path, Reading(), Source.document) == problems[0]


def native(name: bytes, data: bytes) -> bytes:
    temporary = name + b"\0"
    sizes = (struct.pack("<I", len(each)) for each in (temporary, data))
    inside = b"\x02\0" + name + b"\0" + name + b"\0" + bytes(4) + next(sizes) + temporary
    inside += next(sizes) + data
    return struct.pack("<I", len(inside)) + inside


def test_files_in_ole_objects_are_unwrapped(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        **entries(paragraph(t("Before."))),
        "word/embeddings/oleObject1.bin": compound_of(
            {"\x01Ole10Native": native(b"C:\\a.txt", b"One.")}
        ),
        "word/embeddings/oleObject2.bin": compound_of({"CONTENTS": b"%PDF-1.4"}),
        "word/embeddings/oleObject3.bin": b"damaged",
        "word/embeddings/Microsoft_Excel_Sheet1.xlsx": b"numbers",
        "word/charts/_rels/c.xml.rels": '"../embeddings/Microsoft_Excel_Sheet1.xlsx"',
    }
    members = held("office", tmp_path / "a.docx", packed(files)).files
    assert {name: data.rstrip(b"\0") for name, data in members.items()} == {
        "a.txt": b"One.", "oleObject2.bin": b"%PDF-1.4", "oleObject3.bin": b"damaged",
    }  # fmt: skip


def test_files_in_objects_of_old_office_files_are_read(tmp_path: Path) -> None:
    objects = {
        "_1": {"\x01Ole10Native": native(b"C:\\a.txt", b"One.")},
        "_2": {"CONTENTS": b"%PDF-1.4"},
        "_3": {"Equation Native": b"E=mc2"},
    }
    word = compound_of({"WordDocument": b"text", "ObjectPool": objects})
    found = held("old-office", tmp_path / "a.doc", word)
    assert found.files == {"a.txt": b"One.", "_2": b"%PDF-1.4"}
    assert ["1 embedded object left out" in each for each in found.messages] == [True]
    sheet = compound_of({"Workbook": b"cells", "MBD0123ABCD": objects["_1"]})
    assert held("old-office", tmp_path / "a.xls", sheet).files == {"a.txt": b"One."}
    packed_object = bytes(4) + zlib.compress(compound_of(objects["_1"]))
    records = struct.pack("<HHI", 0x10, 0x1011, len(packed_object)) + packed_object
    slides = compound_of({"PowerPoint Document": struct.pack("<HHI", 0, 1, 3) + b"abc" + records})
    assert held("old-office", tmp_path / "a.ppt", slides).files == {"a.txt": b"One."}
    assert read(tmp_path / "a.ppt!a.txt").text == "One."


def test_a_formula_in_an_open_document_is_read(tmp_path: Path) -> None:
    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>E</mi><mo>=</mo>'
        "<mn>5</mn></mrow><annotation>no</annotation></semantics></math>"
    )
    frame = '<draw:frame><draw:object xlink:href="./Object 1" xmlns:xlink="http://www.w3.org/1999/xlink"/></draw:frame>'
    files = open_document(f"<text:p>So {frame} it is.</text:p>")
    data = packed({**files, "Object 1/content.xml": math})
    assert words(tmp_path / "a.odt", data) == ["So", "it", "is.", "E", "=", "5"]


def on_page(*annotations: bytes, form: bytes = b"/Fields [6 0 R]") -> bytes:
    place = b" /Rect [9 9 99 99]"
    numbers = b" ".join(b"%d 0 R" % number for number in range(6, 6 + len(annotations)))
    annots = b"/Annots [%s] /Type /Page /Parent" % numbers
    data = bare(
        [Stream(shown("Name:"))],
        others=[
            b"<</Type /Annot %s%s>>" % (each, place * (b"/Rect" not in each))
            for each in annotations
        ],
        catalog=b" /AcroForm <<%s>>" % form,
    )
    return data.replace(b"/Type /Page /Parent", annots)


@cases("data, expected, categories", [
    (on_page(b"/Subtype /Widget /FT /Tx /T (a) /V (Anna)"), "Name: Anna", []),
    (
        on_page(
            b"/Subtype /Widget /FT /Ch /T (a) /V (DE) /Opt [[(DE) (Germany)] [(FR) (France)]]"
        ),
        "Name: Germany",
        [],
    ),
    (on_page(b"/Subtype /Widget /FT /Tx /Ff 8192 /T (a) /V (secret)"), "Name:", []),
    (on_page(b"/Subtype /Widget /FT /Btn /T (a) /V /Yes /AS /Yes"), "Name: ☒", []),
    (
        on_page(
            b"/Subtype /Widget /FT /Btn /T (a) /V /Bees /AS /Bees /AP <</N <</Bees 4 0 R>>>>"
        ),
        "Name: ☒ Bees",
        [],
    ),
    (on_page(b"/Subtype /Widget /FT /Btn /T (a) /V /Off /AS /Off"), "Name:", []),
    (on_page(b"/Subtype /FreeText /Contents (Anna)"), "Name: Anna", []),
    (on_page(b"/Subtype /FreeText /RC (<p>A&amp;B</p>)"), "Name: A&B", []),
    (on_page(b"/Subtype /FreeText /F 2 /Contents (no)"), "Name: no", ["hidden-text"]),
    (on_page(b"/Subtype /Text /Contents (a note)"), "Name:", ["partly-read"]),
    (on_page(b"/Subtype /Highlight /Contents (a note)"), "Name:", ["partly-read"]),
    (on_page(b"/Subtype /Stamp /AP <</N 8 0 R>>"), "Name:", ["partly-read"]),
    (on_page(b"/Subtype /Square /Rect [60 790 300 820] /IC [0 0 0]"), "Name:", ["hidden-text"]),
    (on_page(b"/Subtype /Square /Rect [60 790 300 820] /C [0 0 0]"), "Name:", []),
    (
        on_page(b"/Subtype /Link", form=b"/Fields [] /XFA 6 0 R>> /NeedsRendering true /X <<"),
        "Name:",
        ["partly-read"],
    ),
    (on_page(b"/Subtype /Link /Contents (no)", b"/Subtype /Text"), "Name:", []),
])  # fmt: skip
def test_forms_and_notes_of_pdf(
    tmp_path: Path, data: bytes, expected: str, categories: list[str]
) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)
    document = read(path)
    assert document.clean.split() == expected.split()
    assert [problem.category for problem in document.problems] == categories


@cases("name, count", [("form", 383), ("form-noap", 383), ("annots", 173)])
def test_pages_of_nothing_but_forms_and_annotations(name: str, count: int) -> None:
    assert len(read(CASES / "03" / f"{name}.pdf").clean.split()) == count


def test_a_file_attached_to_a_place_on_a_page_is_a_member(tmp_path: Path) -> None:
    file = b"/FS <</Type /Filespec /F (a.txt) /EF <</F 7 0 R>>>>"
    data = bare(
        [Stream(shown("See."))],
        others=[
            b"<</Type /Annot /Rect [9 9 99 99] /Subtype /FileAttachment %s>>" % file,
            Stream(b"One.", b"/Type /EmbeddedFile"),
        ],
    ).replace(b"/Type /Page /Parent", b"/Annots [6 0 R] /Type /Page /Parent")
    assert held("pdf", tmp_path / "a", data).files == {"a.txt": b"One."}


def test_a_damaged_embedded_file_leaves_the_others(tmp_path: Path) -> None:
    files = {f"word/embeddings/{name}": f"words of {name}".encode() for name in "ab"}
    data = packed({**entries(paragraph(t("Before."))), **files}, ZIP_STORED)
    members = held("office", tmp_path / "a", data.replace(b"words of a", b"swords o a"))
    assert [*members.files] == ["a", "b"]
    assert len(members.messages) == 1
