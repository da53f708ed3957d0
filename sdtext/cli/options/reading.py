"""Options of the verbs that read documents, as a `batch`: how they are read, how many at once."""

import os
from functools import partial
from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import ENCODING
from sdtext.cli.options.common import Decorator, flag, grouped, jobs, option, quiet, verbose
from sdtext.cli.options.values import SIZE
from sdtext.io.decompressed_content import MAX_BYTES
from sdtext.reading.main_process_limits import MAX_MEMORY, MAX_SECONDS

_OCR_SECONDS = 3600.0
"""Maximum time for one file with OCR, which takes a second or more for a page."""

_SECONDS: click.ParamType[Any] = click.FloatRange(min=0, min_open=True)


def _batch(
    encoding: str = "",
    ocr: bool = False,  # noqa: FBT002 (values of options)
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    jobs: int | None = None,
) -> Batch:
    from sdtext.model import PartSpec
    from sdtext.reading.options import Reading, Selection

    limits: dict[str, Any] = {}
    for name, kind, default in (
        ("max_bytes", SIZE, MAX_BYTES),
        ("max_seconds", _SECONDS, _OCR_SECONDS if ocr else MAX_SECONDS),
        ("max_memory", SIZE, MAX_MEMORY),
    ):
        variable = f"SDTEXT_{name.upper()}"
        value = os.environ.get(variable)
        try:
            limits[name] = kind.convert(value, None, None) if value else default
        except click.BadParameter as error:
            raise click.UsageError(f"{variable}: {error.message}") from error
    reading = Reading(
        encoding or click.get_current_context().meta.get(ENCODING, ""),
        readers=(PartSpec.of("pdf", ocr=True),) if ocr else (),
        selection=Selection(include, exclude),
        **limits,
    )
    return Batch(reading, jobs)


_ENCODING = option(
    "--encoding",
    metavar="NAME",
    default="",
    help="Encoding of the documents, such as latin-1.  [default: detected]",
)
_OCR = flag(
    "ocr", "Recognise the text of PDF files that have only images or garbled text (Tesseract)."
)
_FOLDERS = [
    click.option(name, multiple=True, metavar="GLOB", help=f"{words} Repeatable.")
    for name, words in {
        "--include": "Of folders, read only these files, such as '*.docx' (a pattern as in "
        ".gitignore).",
        "--exclude": "Leave these files and folders out, such as 'drafts/'.",
    }.items()
]


def _reading(*options: Decorator, processes: int | None = None) -> Decorator:
    """These options as `batch`; without --jobs, that number of processes, None for automatic."""
    group = grouped("batch", partial(_batch, jobs=processes), *options)
    return lambda function: group(quiet(verbose(function)))


plain_files = _reading(processes=1)
single_files = _reading(_ENCODING, _OCR, processes=1)
plain_folders = _reading()
diagnosed_folders = _reading(_ENCODING, _OCR)
corpus = _reading(jobs)
folders = _reading(_ENCODING, _OCR, *_FOLDERS, jobs)
