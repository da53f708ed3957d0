import gzip
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import PartSpec
from sdtext.reading.main_process_limits import ProcessLimits
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.reading.sandbox import pool
from sdtext.reading.sandbox.pool import ReaderProcess, extract
from tests.parts.readers.pdfs import pdf
from tests.support.cases import cases
from tests.support.damaged_bytes import damaged

PDF = pdf(["Some words of a page\nin two lines (of\ufb01cial)", "and another exam-\nple"])
PACKED_PDF = pdf(["Some words of a page\nin two lines (of\ufb01cial)"], packed=True)
LOCKED_PDF = pdf(["Some words of a page"], password="")


def outcomes(
    path: Path, samples: list[bytes], number: int, reading: Callable[[], object]
) -> Counter[str]:
    """How often each kind of outcome came of the damaged files; whatever else leaves, leaves."""
    result: Counter[str] = Counter()
    for seed in range(number):
        draw = Random(seed)
        path.write_bytes(damaged(draw.choice(samples), draw))
        began = time.monotonic()
        try:
            reading()
            result["read"] += 1
        except UnreadableError as error:
            message = str(error)
            assert message.startswith(f"{path}: "), (seed, message)
            assert message.isprintable(), (seed, message)
            assert len(message) < 500, (seed, message)
            result["refused"] += 1
        assert time.monotonic() - began < 10, seed
    return result


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    begun: list[object] = []
    begin = ReaderProcess.__init__

    def noted(process: ReaderProcess, memory: int) -> None:
        begun.append(process)
        begin(process, memory)

    monkeypatch.setattr(ReaderProcess, "__init__", noted)
    pool._end_idle()
    yield begun
    pool._end_idle()


# pdfminer takes some 9 ms for each file, PDFium 3.
@cases("engine, number", [("pypdfium2", 100_000), ("pdfminer", 20_000)])
def test_a_damaged_pdf_is_read_or_refused(
    path: Path, processes: list[object], engine: str, number: int, rounds: Callable[[int], int]
) -> None:
    number = number if rounds(8) == 8 else {"pypdfium2": 150, "pdfminer": 40}[engine]
    limits, spec = ProcessLimits(seconds=5), PartSpec.of("pdf", engine=engine)
    samples = [PDF, PACKED_PDF, LOCKED_PDF]
    result = outcomes(path, samples, number, lambda: extract(spec, Content(path), limits))
    assert min(result["read"], result["refused"]) > number // 20, result
    # A process reads hundreds of files; damage seldom ends it before.
    assert len(processes) < max(2, number // 50)
    path.write_bytes(PDF)
    assert "another" in str(extract(spec, Content(path), limits).pieces)


def test_a_damaged_pdf_is_read_or_refused_by_the_engines_in_turn(
    path: Path, processes: list[object], rounds: Callable[[int], int]
) -> None:
    samples = [PDF, PACKED_PDF, gzip.compress(PDF, mtime=0)]
    result = outcomes(
        path, samples, rounds(200), lambda: read(path, reading=Reading(max_seconds=5))
    )
    assert min(result["read"], result["refused"]) > rounds(40), result
    path.write_bytes(PDF)
    assert "example" in read(path).clean
    assert processes


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
