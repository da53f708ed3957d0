import shutil
from pathlib import Path

import pypdfium2
import pytest

from sdtext.errors import TextlessError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.readers import pdf as ocr
from sdtext.parts.readers.external_programs import version_of
from sdtext.parts.readers.pdf import Pdf
from tests.parts.readers.pdfs import Stream, assembled, bare, scan

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
    read = ocr._recognised

    def noted(picture: object, content: Content, language: str) -> str:
        sizes.append(picture.tell())  # type: ignore[attr-defined]
        return read(picture, content, language)  # type: ignore[arg-type]

    monkeypatch.setattr(ocr, "_recognised", noted)
    monkeypatch.setattr(ocr, "_MOST_DOTS", 1_000_000)
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
