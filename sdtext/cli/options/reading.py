"""Options of the verbs that read documents, as a `batch`: how they are read, how many at once."""

import os
from functools import partial

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import ENCODING
from sdtext.cli.options.common import Decorator, flag, grouped, jobs, option, quiet, verbose


def _batch(
    encoding: str = "",
    ocr: bool = False,  # noqa: FBT002 (values of options)
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    jobs: int | None = None,
) -> Batch:
    from sdtext.model import PartSpec
    from sdtext.reading.options import OCR_SECONDS, Reading, Selection, limits_in

    limits = ({"max_seconds": OCR_SECONDS} if ocr else {}) | limits_in(os.environ)
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
