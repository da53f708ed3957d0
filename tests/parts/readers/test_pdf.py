"""The text of PDF files, by each engine and in whatever way they come, and those without text."""

import re
import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError, TextlessError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading
from sdtext.parts.readers import MAX_TITLE
from sdtext.parts.readers import pdf as pdf_engines
from sdtext.parts.readers.external_programs import version_of
from sdtext.parts.readers.pdf import Pdf
from sdtext.parts.registry import normalised, parse
from sdtext.reading.options import Reading
from sdtext.reading.read_document import Source, read
from tests.parts.readers.packages import gathered, joined_text, titles
from tests.parts.readers.pdfs import (
    ENGINES,
    LIBRARIES,
    LOCKED,
    TWO,
    WORDS,
    Stream,
    assembled,
    bare,
    document,
    needs_poppler,
    pdf,
    scan,
    shown,
    words_of,
)
from tests.support.cases import cases
from tests.support.strategies import BRISK

_WORD = st.text(st.sampled_from("abcxyzABCXYZ012éßÅñøžΣЖ語国ﬁﬂ½"), min_size=1, max_size=9)
_PAGES = st.lists(
    st.lists(st.lists(_WORD, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=6),
    min_size=1,
    max_size=3,
)


def test_large_files_are_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "two.pdf"
    path.write_bytes(TWO)
    whole = list(Pdf("pypdfium2")(Content(path)))
    monkeypatch.setattr(pdf_engines, "_IN_MEMORY", 100)
    with monkeypatch.context() as patched:
        # Bytes would be passed to this function.
        patched.delattr("pypdfium2.raw.FPDF_LoadMemDocument64")
        assert list(Pdf("pypdfium2")(Content(path))) == whole


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("packed", [False, True])
@BRISK
@given(pages=_PAGES)
def test_all_words_of_a_file_are_read_in_their_order(
    path: Path, engine: str, packed: bool, pages: list[list[str]]
) -> None:
    # A first line of some length keeps the layout analysis from taking short lines for columns,
    # and PDFium passes over a line of one character that no font draws.
    texts = ["\nline ".join(["the usual words at the head of a page", *page]) for page in pages]
    result = document(path, pdf(texts, packed=packed), engine)
    assert words_of(result) == " ".join(normalize("NFKC", " ".join(texts)).split())
    assert result.text.count("\f") == len(pages)
    assert result.text.endswith("\f")


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_agree_on_words_that_lines_part(path: Path, engine: str) -> None:
    pages = ["Some of these words are exam-\nples of hyphen-\nation in a text", "and of\ufb01cers"]
    result = document(path, pdf(pages), engine)
    assert words_of(result) == (
        "Some of these words are examples of hyphenation in a text and officers"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_controls_and_halves_of_characters_never_reach_a_term(path: Path, engine: str) -> None:
    rows = b"<67> <0007> <68> <D800> <69> <0000>"
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange"
        b" <00> <FF> endcodespacerange 3 beginbfchar %s endbfchar endcmap end end" % rows
    )
    shown = Stream(b"BT /F 10 Tf 72 800 Td (words before ghi and words after) Tj ET")
    result = document(path, bare([shown], Stream(cmap)), engine)
    assert "words before" in result.clean
    assert all(char.isprintable() or char in "\n\ufffd" for char in result.clean)
    result.clean.encode("utf-8")


def _reading(text: str) -> Reading:
    return Reading(readers=(normalised("readers", parse(text)),))


@pytest.mark.parametrize(("text", "engine"), [
    ("pdf(engine=pypdfium2)", "pypdfium2"), ("pdf(engine=pdfminer)", "pdfminer"),
    ("pdf(engine=auto)", "pypdfium2"), ("pdf", "pypdfium2"),
    ("pdf(engine=pdfminer, line_margin=0.3)", "pdfminer"),
    ("pdf(engine=pdfminer, char_margin=3, detect_vertical=true)", "pdfminer"),
    ("pdf(engine=pdfminer, boxes_flow=-1)", "pdfminer"),
    ("pdf(engine=pdfminer, disable_boxes_flow=true, all_texts=true)", "pdfminer"),
    ("pdf(engine=pypdfium2, hyphens=keep)", "pypdfium2"),
    pytest.param("pdf(engine=pdftotext)", "pdftotext", marks=needs_poppler),
])  # fmt: skip
def test_an_engine_is_chosen_with_its_options(path: Path, text: str, engine: str) -> None:
    path.write_bytes(TWO)
    result = read(path, reading=_reading(text))
    assert result.metadata["engine"].startswith(LIBRARIES[engine])
    assert words_of(result) == WORDS


def test_the_layout_options_have_their_effect(path: Path) -> None:
    # One em is 1,000: the gap is of 3 points, half of the width of a letter.
    data = bare([Stream(b"BT /F 10 Tf 72 800 Td [(some words are app) -300 (arent)] TJ ET")])
    assert document(path, data, "pdfminer").clean.split()[-2:] == ["app", "arent"]
    result = document(path, data, "pdfminer", word_margin=0.9)
    assert result.clean.split()[-1] == "apparent"


@cases("text", [
    "A file begins with %PDF-1.4 and goes on.\n", "The header is\n%PDF-1.4\nand nothing more.\n",
    "The header is\n%PDF-1.4\nand then come the objects of the file.\n",
    "x" * 1100 + "\n%PDF-1.4\n1 0 obj\n",
])  # fmt: skip
def test_a_text_about_pdf_files_is_text(path: Path, text: str) -> None:
    result = document(path, text.encode())
    assert result.metadata["reader"] == "text"
    assert result.text == text


def refusal(path: Path, data: bytes, engine: str = "") -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        document(path, data, engine)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    assert len(message) < 500
    return caught.value


@cases("text, message", [
    ("pdf(engine=nope)", "one of auto, pypdfium2, pdfminer, pdftotext"),
    (
        "pdf(engine=pypdfium2, line_margin=0.3)",
        "line_margin is for the engine pdfminer, not pypdfium2",
    ),
    (
        "pdf(engine=pdftotext, all_texts=true)",
        "all_texts is for the engine pdfminer, not pdftotext",
    ),
    ("pdf(engine=pdfminer, boxes_flow=5)", "boxes_flow is 5.0; it must be"),
])  # fmt: skip
def test_a_wrong_choice_of_engine_is_refused_at_once(text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        _reading(text)
    assert message in str(caught.value)


@cases("engine", ["", "pypdfium2"])
def test_pictures_alone_and_blank_pages_are_named_as_such(path: Path, engine: str) -> None:
    error = refusal(path, scan(), engine)
    assert isinstance(error, TextlessError)
    assert "holds no text: 1 page, only images, as in a scan" in str(error)
    error = refusal(path, pdf(["", ""]), engine)
    assert isinstance(error, TextlessError)
    assert "holds no text: 2 pages" in str(error)
    assert "blank" in str(error)


@pytest.mark.parametrize("engine", ["", *ENGINES])
@cases("before", ["nothing", "an encrypted file"])
def test_without_pages_a_file_is_damaged_after_any(path: Path, engine: str, before: str) -> None:
    if before != "nothing":  # PDFium does not forget the error of the file before
        error = refusal(path, LOCKED, engine)
        assert isinstance(error, TextlessError)
        assert "is an encrypted PDF file" in str(error)
    message = str(refusal(path, pdf([]), engine))
    assert "is a damaged PDF file" in message
    assert "Success" not in message


def test_the_next_engine_reads_what_the_first_refuses(path: Path) -> None:
    # pdfminer looks for pages wherever they are where the catalog does not name them.
    data = TWO.replace(b"/Pages 2 0 R", b"/Pagez 2 0 R")
    assert "is a damaged PDF file" in str(refusal(path, data, "pypdfium2"))
    source = Source(path)
    result = source.document()
    assert words_of(result) == WORDS
    assert result.metadata["engine"] == LIBRARIES["pdfminer"]
    (problem,) = source.problems
    assert (problem.severity, problem.category) == ("warning", "other-engine")
    assert problem.path == str(path)
    assert problem.message.startswith(f"{path}: is a damaged PDF file (pypdfium2: ")


def test_a_page_that_cannot_be_read_is_a_warning_beside_the_others(path: Path) -> None:
    path.write_bytes(TWO.replace(b"/Kids [6 0 R 8 0 R]", b"/Kids [6 0 R null ]"))
    source = Source(path)
    assert words_of(source.document()) == "The first page has words in two lines"
    (problem,) = source.problems
    assert (problem.severity, problem.category) == ("warning", "partly-read")
    assert problem.message == f"{path}: 1 of 2 pages cannot be read by pypdfium2"


def outlined(pages: Sequence[str], items: Sequence[bytes]) -> bytes:
    """A file with those pages and the items of an outline, the first of which is its root.

    In an item `@3` stands for item number 3, `#1` for page number 1.
    """
    first = 6 + len(items)  # the number of the first page

    def written(text: bytes) -> bytes:
        text = re.sub(rb"@(\d+)", lambda match: b"%d 0 R" % (6 + int(match[1])), text)
        text = re.sub(rb"#(\d+)", lambda at: b"[%d 0 R /Fit]" % (first + 2 * int(at[1])), text)
        return b"<<%s>>" % text

    contents = [Stream(shown(text)) for text in pages]
    return bare(contents, others=[*map(written, items)], catalog=b" /Outlines 6 0 R")


PAGES = ["first page", "second page", "third page"]
ROOT = b"/Type /Outlines /First @1 /Last @9 /Count 9"


def found_in(path: Path, *items: bytes, engine: str = "pypdfium2") -> list[Any]:
    path.write_bytes(outlined(PAGES, [ROOT, *items]))
    return gathered(Pdf(engine=engine), path)


def test_headings_come_before_the_page_they_lead_to(path: Path) -> None:
    items = [
        b"/Title (Part  One) /Dest #0 /First @2 /Last @3 /Next @4",
        b"/Title (Bees) /Dest #0 /Next @3 /First @5", b"/Title (Hives) /A <</S /GoTo /D #2>>",
        b"/Title <FEFF4E2D6587> /Dest #2", b"/Title (Deep) /Dest #1",
    ]  # fmt: skip
    result = found_in(path, *items)
    assert titles(result) == [(1, "Part One"), (2, "Bees"), (3, "Deep"), (2, "Hives"), (1, "中文")]
    text, headings = joined_text(result), [block for block in result if isinstance(block, Heading)]
    assert text.split("\f")[:3] == PAGES
    place = result.index(headings[2])
    assert result[place - 1] == "first page\f"
    assert result[place + 1] == "second page\f"
    # The other engines say nothing of an outline, and the text is the same with and without.
    assert titles(found_in(path, *items, engine="pdfminer")) == []
    assert joined_text(found_in(path, b"/Title (One)")) == text


@cases("item", [
    b"/Title (No page)", b"/Title (No such page) /Dest [99 0 R /Fit]",
    b"/Title (Elsewhere) /A <</S /URI /URI (http://example.org/)>>", b"/Title () /Dest #0",
    b"/Title <FEFFD83D> /Dest #0", b"/Dest #0",
])  # fmt: skip
def test_what_leads_nowhere_or_has_no_title_is_passed_over(path: Path, item: bytes) -> None:
    result = found_in(path, item + b" /Next @2", b"/Title (Bees) /Dest #1")
    assert titles(result) == [(1, "Bees")]


def test_depth_number_and_length_are_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = [b"/Title (T%d) /Dest #0 /First @%d" % (n, n + 2) for n in range(300)]
    levels = [level for level, _ in titles(found_in(path, *deep))]
    assert levels == list(range(1, pdf_engines.MAX_DEPTH + 1))
    monkeypatch.setattr(pdf_engines, "MAX_ITEMS", 7)
    long = [b"/Title (T%d) /Dest #0 /Next @%d" % (n, n + 2) for n in range(30)]
    assert len(titles(found_in(path, *long))) == 7
    result = found_in(path, b"/Title (%s) /Dest #0" % (b"a" * 9999))
    assert titles(result) == [(1, "a" * MAX_TITLE)]


_PIECES = st.sampled_from(
    ["a", "b", "ab", "a.", "b*", " ", "\n", "\r\n", " \n ", "\t", "\x0c", "\x85"]
)
_TEXTS = st.lists(_PIECES).map("".join)


@given(_TEXTS, st.lists(_TEXTS, max_size=3))
def test_titles_are_placed_as_by_a_pattern(text: str, some: list[str]) -> None:
    place, expected = 0, []
    for title in some:
        words = r"\s+".join(map(re.escape, title.split()))
        if match := re.compile(rf"^[^\S\n]*{words}", re.MULTILINE).search(text, place):
            expected.append(text[place : match.start()])
            place = match.start()
        expected.append(title)
    pieces = pdf_engines.placed([Heading(1, title) for title in some], text)
    actual = [piece.title if isinstance(piece, Heading) else piece for piece in pieces]
    assert actual == [*expected, text[place:]]


@pytest.mark.parametrize("view", [
    "/XYZ 0 753 0", "/FitH 753", "/FitR 0 0 9 753", "/XYZ 171 803 0", "/XYZ 72 753 0",
])  # fmt: skip
def test_a_chapter_begins_at_the_place_that_its_bookmark_names(path: Path, view: str) -> None:
    lines = ["Two comes later", "The end", "of", "one.", "2. Of Bees", "dance", "Bees fly."]
    items = [ROOT, b"/Title (One) /Dest #0 /Next @2", b"/Title (Two) /Dest [11 0 R %s]"]
    items[-1] %= view.encode()
    data = outlined(["first page", "\n".join(lines)], items)
    if "171" in view:  # in a second column
        data = data.replace(b" 0 -14 Td\n(2.", b" 99 30 Td\n(2.")
    if "72" in view:  # beside a line of a second column
        data = data.replace(b" 0 -14 Td\n(Bees", b" 99 18 Td\n(Bees")
    path.write_bytes(data)
    result = gathered(Pdf(), path)
    place = result.index(Heading(1, "Two"))
    assert str(result[place + 1]).splitlines()[0] == "2. Of Bees"


FULL = "Ships come from far to this harbor\nand bees make honey for the crews\n"
FULL += "when spring fills hills with thyme\nuntil the end of September or May"


@cases("old, new, sizes", [
    ("crews", "cre-", [3]), ("for the crews", "", [2, 2]), (".and", "(- and", [4]),
    ("0 -14 Td\n.when", "0 -20 Td\n(when", [2, 2]), ("0 -14 Td\n.when", "15 -14 Td\n(when", [4]),
    ("0 -14 Td\n.when", "-9 -14 Td\n(- when", [2, 2]), ("0 -14 Td\n.when", "240 14 Td\n(when", [4]),
    (".Ships.*?\\)", "/F 14 Tf (Ships come from far now) Tj /F 10 Tf ()", [1, 3]),
    ("0 -14 Td\n.when(.*?)thyme(.*?) 0", r"9 -14 Td\n(then\1the\2 -9", [2, 2]),
    (".Ships(.*\n).*0 -1", r"9 0 Td (Ships\1(and bees) Tj -9 -1", [2, 2]),
    ("Ships(.*)\n(.*)and", r"3.2. Ships\1\n\g<2>3.3. and", [1, 3]),
    ("Ships(.*)\n(.*)and", r"- Ships\1\n\g<2>1998. and", [4]),
])  # fmt: skip
def test_lines_of_a_page_are_paragraphs(path: Path, old: str, new: str, sizes: list[int]) -> None:
    data = re.sub(old.encode(), new.encode(), pdf([FULL]))
    paragraphs = document(path, data).text.strip().split("\n\n")
    assert [len(paragraph.splitlines()) for paragraph in paragraphs] == sizes


LINES = ["The harbour office reads", "letters about bees and", "small ships."]

needs_tesseract = pytest.mark.skipif(
    not shutil.which("tesseract"), reason="Tesseract is not installed"
)


def pictured() -> bytes:
    """A file whose two pages are one picture of some words."""
    shown = b" 0 -30 Td ".join(b"(%s) Tj" % line.encode() for line in LINES)
    drawn = assembled([
        b"<</Type /Catalog /Pages 2 0 R>>", b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 150]/Contents 5 0 R/Resources 6 0 R>>",
        b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
        Stream(b"BT /F 20 Tf 30 110 Td " + shown + b" ET"), b"<</Font <</F 4 0 R>>>>",
    ])  # fmt: skip
    page = pypdfium2.PdfDocument(drawn)[0]
    bitmap = page.render(scale=2, grayscale=True)
    rows = range(0, bitmap.height * bitmap.stride, bitmap.stride)
    dots = b"".join(bytes(bitmap.buffer[row : row + bitmap.width]) for row in rows)
    entries = (
        b"/Type /XObject /Subtype /Image /BitsPerComponent 8 /ColorSpace /DeviceGray"
        b" /Width %d /Height %d" % (bitmap.width, bitmap.height)
    )
    contents = [Stream(b"q 300 0 0 150 50 600 cm /X Do Q")] * 2
    return bare(contents, others=[Stream(dots, entries, packed=True)])


def last(**options: str) -> Pdf:
    """The reader that comes last where scans are to be read."""
    return Pdf(ocr=True, **options).alternatives()[-1]  # type: ignore[arg-type]


@pytest.mark.deep
@needs_tesseract
def test_a_scan_is_read_page_by_page(path: Path) -> None:
    path.write_bytes(pictured())
    with pytest.raises(TextlessError):
        list(Pdf()(Content(path)))
    page = "\n".join(LINES)
    pages = [str(text) for text in last()(Content(path))]
    assert [text.strip() for text in pages] == [page, page]
    assert all(text.endswith("\f") for text in pages)


@pytest.mark.deep
@needs_tesseract
def test_a_language_without_data_is_named(path: Path) -> None:
    path.write_bytes(scan())
    with pytest.raises(UnreadableError) as caught:
        list(last(ocr_language="eng+zzz_none")(Content(path)))
    assert "Tesseract has no data for eng+zzz_none, only for " in str(caught.value)
    assert str(caught.value).isprintable()


@needs_tesseract
def test_a_huge_page_is_drawn_smaller(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    read = pdf_engines._recognised

    def noted(picture: object, content: Content, language: str) -> str:
        sizes.append(picture.tell())  # type: ignore[attr-defined]
        return read(picture, content, language)  # type: ignore[arg-type]

    monkeypatch.setattr(pdf_engines, "_recognised", noted)
    monkeypatch.setattr(pdf_engines, "_MOST_DOTS", 1_000_000)
    path.write_bytes(scan().replace(b"[0 0 612 842]", b"[0 0 9e3 1e4]"))
    assert [str(item).strip() for item in last()(Content(path))] == [""]
    assert 900_000 < sizes[0] < 1_100_000


def test_without_tesseract_the_message_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(scan())
    monkeypatch.setenv("PATH", str(path.parent))
    version_of.cache_clear()
    with pytest.raises(UnreadableError, match="tesseract is not installed; install it to read"):
        list(last()(Content(path)))
    version_of.cache_clear()


def test_pictures_are_read_last_and_only_where_asked() -> None:
    assert "tesseract" not in [alternative.engine for alternative in Pdf().alternatives()]
    engines = [alternative.engine for alternative in Pdf(ocr=True, hyphens="keep").alternatives()]
    assert engines[-1] == "tesseract"
    assert engines[:-1] == [alternative.engine for alternative in Pdf().alternatives()]
    slow = Pdf(engine="pdfminer", line_margin=0.3, ocr=True, ocr_language="deu").alternatives()
    assert slow == (
        Pdf(engine="pdfminer", line_margin=0.3, ocr=True, ocr_language="deu"),
        Pdf(engine="tesseract", ocr=True, ocr_language="deu"),
    )
    assert last(hyphens="keep").alternatives() == (last(hyphens="keep"),)


PDF = pdf(["Some words of a page\nin two lines (of\ufb01cial)", "and another exam-\nple"])


@pytest.mark.parametrize("packed", [False, True])
def test_a_truncated_file_gives_the_pages_that_are_left(tmp_path: Path, *, packed: bool) -> None:
    whole = pdf([f"Some words of page {number}" for number in range(9)], packed=packed)
    (tmp_path / "whole.pdf").write_bytes(whole)
    pages = read(tmp_path / "whole.pdf").text.split("\f")
    begin, end = whole.index(b"/Type /Page "), whole.index(b"xref\n0 ")
    for share in (0.4, 0.7, 1.0):
        (tmp_path / "cut.pdf").write_bytes(whole[: int(begin + (end - begin) * share)])
        document = read(tmp_path / "cut.pdf")
        left = [page for page in document.text.split("\f") if page.strip()]
        assert len(left) >= int(9 * share) - 1
        assert [page.strip() for page in pages[: len(left)]] == [page.strip() for page in left]
        assert "truncated" in str([problem.what for problem in document.problems])


def test_objects_in_streams_of_a_truncated_file_are_found(tmp_path: Path) -> None:
    font = b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>"
    page = (
        b"<</Type /Page /MediaBox [0 0 99 99] /Contents 3 0 R /Resources <</Font <</F 4 0 R>>>>>>"
    )
    head = b"1 0 4 %d " % len(page)
    packed = zlib.compress(head + page + font)
    shown = b"BT /F 9 Tf 9 9 Td (Bees dance) Tj ET"
    (tmp_path / "cut.pdf").write_bytes(
        b"%%PDF-1.5\n3 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n2 0 obj\n"
        b"<</Type /ObjStm /N 2 /First %d /Filter /FlateDecode /Length %d>>\nstream\n%s\nendstream\n"
        b"endobj\n5 0 obj\n<<" % (len(shown), shown, len(head), len(packed), packed)
    )
    assert read(tmp_path / "cut.pdf").text.split() == ["Bees", "dance"]
