"""PDF files without text: locked, scanned, broken, or asked for in a wrong way."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdtext.errors import OptionError, TextlessError, UnreadableError
from sdtext.parts.registry import normalised, parse
from sdtext.reading.options import Reading
from sdtext.reading.read_document import Source
from tests.parts.readers.pdfs import (
    ENGINES,
    KEY,
    LIBRARIES,
    TWO,
    WORDS,
    document,
    pdf,
    scan,
    words_of,
)


def _reading(text: str) -> Reading:
    return Reading(readers=(normalised("readers", parse(text)),))


def refusal(path: Path, data: bytes, engine: str = "") -> UnreadableError:
    """Why a file with this content cannot be read; a message for a person, in one line."""
    with pytest.raises(UnreadableError) as caught:
        document(path, data, engine)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    assert len(message) < 500
    return caught.value


@pytest.mark.parametrize(
    ("text", "message"),
    [
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
    ],
)
def test_a_wrong_choice_of_engine_is_refused_at_once(text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        _reading(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("engine", ["", *ENGINES])
def test_an_encrypted_file_is_named_as_such(path: Path, engine: str) -> None:
    error = refusal(path, pdf(["secret words"], password=KEY), engine)
    assert isinstance(error, TextlessError)
    assert "is an encrypted PDF file; store a copy without its password" in str(error)


@pytest.mark.parametrize("engine", ["", "pypdfium2"])
def test_pictures_alone_and_blank_pages_are_named_as_such(path: Path, engine: str) -> None:
    error = refusal(path, scan(), engine)
    assert isinstance(error, TextlessError)
    assert "holds no text: 1 page, only images, as in a scan" in str(error)
    error = refusal(path, pdf(["", ""]), engine)
    assert isinstance(error, TextlessError)
    assert "holds no text: 2 pages" in str(error)
    assert "blank" in str(error)


@pytest.mark.parametrize("engine", ["", *ENGINES])
@pytest.mark.parametrize("before", ["nothing", "an encrypted file"])
def test_a_file_without_pages_is_damaged_whatever_was_read_before(
    path: Path, engine: str, before: str
) -> None:
    if before != "nothing":  # PDFium does not forget the error of the file before
        refusal(path, pdf(["secret words"], password=KEY), engine)
    message = str(refusal(path, pdf([]), engine))
    assert "is a damaged PDF file" in message
    assert "Success" not in message


def test_the_next_engine_reads_what_the_first_refuses(path: Path) -> None:
    # pdfminer looks for pages wherever they are where the catalog does not name them.
    data = TWO.replace(b"/Pages 2 0 R", b"/Pagez 2 0 R")
    assert "is a damaged PDF file" in str(refusal(path, data, "pypdfium2"))
    source = Source.at(path)
    result = source.document()
    assert words_of(result) == WORDS
    assert result.metadata["engine"] == LIBRARIES["pdfminer"]
    (problem,) = source.problems
    assert (problem.severity, problem.category) == ("warning", "other-engine")
    assert problem.path == str(path)
    assert problem.message.startswith(f"{path}: is a damaged PDF file (pypdfium2: ")


def test_a_page_that_cannot_be_read_is_a_warning_beside_the_others(path: Path) -> None:
    path.write_bytes(TWO.replace(b"/Kids [6 0 R 8 0 R]", b"/Kids [6 0 R null ]"))
    source = Source.at(path)
    assert words_of(source.document()) == "The first page has words in two lines"
    (problem,) = source.problems
    assert (problem.severity, problem.category) == ("warning", "partly-read")
    assert problem.message == f"{path}: 1 of 2 pages cannot be read by pypdfium2"
