"""Hidden text of a PDF file stands apart from text that is seen, is reported, can be dropped."""

from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest
from pypdfium2 import PdfDocument

from sdtext.errors import UnreadableError
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.readers import pdf_invisible_text
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.text.document import Document
from tests.parts.readers import pdfs
from tests.support.cases import cases

UNSEEN = "not seen by anyone"
GRAY = (
    b"/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray"
)
IMAGE = pdfs.Stream(b"\x00\xff\x00\xff", GRAY)
# A form that shows the text in its own space, and that pages move.
FORM = b"/Type /XObject /Subtype /Form /BBox [0 0 600 100] /Resources <</Font <</F 3 0 R>>>>"
SEEN = b"BT /F 10 Tf 72 800 Td (Bees dance in the) Tj 0 -14 Td (evening sun.) Tj ET\n"


def text(state: bytes, place: bytes = b"72 700 Td", size: bytes = b"10") -> bytes:
    return b"q BT %s /F %s Tf %s (%s) Tj ET Q\n" % (state, size, place, UNSEEN.encode())


def image(box: bytes) -> bytes:
    return b"q %s cm /X Do Q\n" % box


HIDING = {
    "mode 3": text(b"3 Tr"), "white": text(b"1 1 1 rg"), "nearly white": text(b"0.99 g"),
    "pale yellow": text(b"1 1 0.95 rg"),
    "white over a frame": b"70 690 200 30 re S\n" + text(b"1 g"),
    "white on white": b"1 g 0 0 612 750 re f 0 g\n" + text(b"1 g"), "size": text(b"", size=b"0.5"),
    "size by matrix": text(b"", b"0.05 0 0 0.05 72 700 Tm"), "outside": text(b"", b"72 900 Td"),
    "left of the page": text(b"", b"-300 700 Td"),
    "under a rectangle": text(b"") + b"0 g 60 690 300 30 re f\n",
    "under white": text(b"") + b"1 g 60 690 300 30 re f 0 g\n",
    "under what is round": text(b"") + b"0 g -200 500 m -200 860 600 860 600 500 c f\n",
    "in a layer that is off": b"/OC /L BDC " + text(b"") + b"EMC\n",
    "behind an image": text(b"") + image(b"300 0 0 100 50 650"),
}  # fmt: skip
SHOWN = {
    "a colour": text(b"1 1 0 rg"), "light gray": text(b"0.85 g"),
    "a small image on text": text(b"") + image(b"20 0 0 9 80 700"),
    "many images beside text": text(b"") + 8 * image(b"300 0 0 100 50 500"),
    "white on black": b"0 g 60 690 300 30 re f\n" + text(b"1 g"),
    "white on an image": image(b"300 0 0 100 50 650") + text(b"1 g"),
    "white on a pattern": b"/Pattern cs /P scn 60 690 300 30 re f\n" + text(b"1 g"),
    "marked": text(b"") + b"q /G gs 1 1 0 rg 60 690 300 30 re f Q\n",
    "under a clear rectangle": text(b"") + b"q /A gs 60 690 300 30 re f Q\n",
    "framed and underlined": text(b"") + b"60 690 300 30 re S 70 698 200 1 re f\n",
    "beside a curve": text(b"") + b"0 g 60 600 m 60 650 300 650 300 720 c f\n",
    "in a layer that is on": b"/OC /M BDC " + b"".join(
        text(b"", b"72.2 %d.3 Td" % (50 * size), b"%d" % size).replace(b")", b", it will fit.)")
        for size in range(4, 13)) + b"EMC\n", "outlined": text(b"1 Tr 1 g"),
    "small": text(b"", size=b"3"), "size one by matrix": text(b"", b"10 0 0 10 72 700 Tm", b"1"),
    "beside an image": text(b"") + image(b"300 0 0 100 50 500"),
    "the layer of a scan": image(b"612 0 0 842 0 0") + text(b"3 Tr"),
    "the layer below a scan": text(b"") + image(b"600 0 0 800 0 0"),
    "the layer of a picture": image(b"300 0 0 100 50 650") + text(b"3 Tr"),
    "the rest of a long line": b"BT /F 10 Tf 600 700 Td (bee) Tj 20 0 Td (%s) Tj ET\n"
    % UNSEEN.encode(),
}  # fmt: skip


def written(folder: Path, content: bytes, other: pdfs.Stream = IMAGE) -> Path:
    path = folder / "a.pdf"
    others: list[bytes | pdfs.Stream] = [other]
    others += [b"<</Type /OCG /Name (%s)>>" % name for name in (b"off", b"on")]
    layers = b" /OCProperties <</OCGs [7 0 R 8 0 R] /D <</OFF [7 0 R]>>>>"
    path.write_bytes(
        pdfs.bare([pdfs.Stream(SEEN + content)], others=others, catalog=layers).replace(
            b"/XObject <<",
            b"/Properties <</L 7 0 R /M 8 0 R>> /ExtGState <</G <</BM /Multiply>>"
            b" /A <</ca 0.3>>>> /XObject <<",
        )
    )
    return path


def categories(document: Document) -> list[str]:
    return [problem.category for problem in document.problems]


@cases("name", HIDING)
def test_hidden_text_stands_at_the_end_of_its_page_or_is_dropped(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, HIDING[name])
    kept, dropped = read(path), read(path, reading=Reading(hidden="drop"))
    assert kept.text.rstrip("\f").splitlines() == ["Bees dance in the", "evening sun.", UNSEEN]
    assert " ".join(dropped.clean.split()) == "Bees dance in the evening sun."
    assert categories(kept) == categories(dropped) == ["hidden-text"]
    assert f"from “{UNSEEN}” on" in str(kept.problems[0])
    assert [kept.text[span.start : span.end] for span in kept.hidden] == [UNSEEN]
    assert not dropped.hidden


@cases("name", SHOWN)
def test_text_that_is_seen_stays_in_its_place(tmp_path: Path, name: str) -> None:
    document = read(written(tmp_path, SHOWN[name]), reading=Reading(hidden="drop"))
    assert UNSEEN in document.clean
    assert not document.problems


OFF = b"/OC /L BDC " + text(b"") + b"EMC /OC /M BDC "


@cases("content, kept, dropped", [
    (b"BT /F 10 Tf 72 700 Td (hon) Tj 1 g (x) Tj 0 g (ey and ) Tj 3 Tr (y) Tj 0 Tr (wax) Tj ET",
     ["honey and wax", "xy"], ["honey and wax"]),
    (OFF + text(b"").replace(UNSEEN.encode(), b"Some words of theirs.") + b"EMC\n",
     ["Some words of theirs.", UNSEEN], ["Some words of theirs."]),
    (b"BT /F 10 Tf 72 700 Td (one two three four) Tj ET 0 g 94 690 58 20 re f\n",
     ["one four", "two three"], ["one four"]),
])  # fmt: skip
def test_what_is_hidden_within_a_line_is_told_apart(
    tmp_path: Path, content: bytes, kept: list[str], dropped: list[str]
) -> None:
    path = written(tmp_path, content)
    for document, words in (
        (read(path), kept),
        (read(path, reading=Reading(hidden="drop")), dropped),
    ):
        lines = [" ".join(line.split()) for line in document.text.splitlines() if line.strip()]
        assert lines[2:] == words
        assert categories(document) == ["hidden-text"]


def test_the_paint_tells_where_too_many_words_and_shapes_stand_in_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_invisible_text, "_MOST_PAIRS", 1000)
    compared = Mock(wraps=pdf_invisible_text._may_cover)
    monkeypatch.setattr(pdf_invisible_text, "_may_cover", compared)
    words = b"".join(b"BT /F 10 Tf %d 700 Td (b) Tj ET\n" % place for place in range(72, 272))
    boxes = b"".join(b"%d 690 1 30 re f\n" % place for place in range(72, 272))
    page = text(b"") + words + b"0 g\n" + boxes + b"60 690 300 30 re f\n"
    with closing(PdfDocument(written(tmp_path, page))) as document:
        unseen = pdf_invisible_text.unseen_on(document[0], [])
    assert len(unseen.objects) == 1 + 200
    assert compared.call_count <= 1000


def test_text_in_a_form_is_judged_where_it_stands(tmp_path: Path) -> None:
    form = pdfs.Stream(text(b"", b"10 50 Td"), FORM)
    for matrix, is_hidden in ((b"1 0 0 1 70 600", False), (b"1 0 0 1 70 900", True)):
        document = read(written(tmp_path, image(matrix), form))
        assert categories(document) == ["hidden-text"] * is_hidden
    shrunk = read(written(tmp_path, image(b"0.05 0 0 0.05 70 600"), form))
    assert categories(shrunk) == ["hidden-text"]


def test_a_file_of_hidden_text_alone_has_no_text_if_that_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdfs.bare([pdfs.Stream(HIDING["mode 3"])]))
    assert read(path).text.rstrip("\f\n") == UNSEEN
    with pytest.raises(UnreadableError, match="hidden text"):
        read(path, reading=Reading(hidden="drop"))


def test_an_engine_that_tells_no_hidden_text_reports_that_none_is_dropped(tmp_path: Path) -> None:
    path = written(tmp_path, HIDING["mode 3"])
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('tokenizer = "words"\nreader = {name = "pdf", engine = "pdfminer"}\n')
    reader = load_recipe(recipe).reader
    assert not read(path, reading=Reading().preferring(reader)).problems
    document = read(path, reading=Reading(hidden="drop").preferring(reader))
    assert UNSEEN in document.text
    assert "none was left out" in str(document.problems)
