"""Options of the verbs that read documents: how they are read, and which files in folders."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.common import Decorator
from sdtext.cli.options.values import SIZE
from sdtext.io.decompressed_content import MAX_BYTES
from sdtext.reading.sandbox.pool import MAX_MEMORY, MAX_SECONDS

if TYPE_CHECKING:
    from sdtext.reading.options import Reading, Selection

_OCR_SECONDS = 3600.0
"""Maximum time for one file with OCR, which takes a second or more for a page."""

_SECONDS = click.FloatRange(min=0, min_open=True)

_ENCODING = click.option(
    "--encoding",
    default="",
    metavar="NAME",
    help="Encoding of the documents, such as latin-1.  [default: detected]",
)
_OCR = click.option(
    "--ocr",
    is_flag=True,
    help="Recognise the text of PDF files that contain only page images, with Tesseract.",
)
_FOLDERS: tuple[Decorator, ...] = (
    click.option(
        "--include",
        multiple=True,
        metavar="GLOB",
        help="Of folders, read only these files, such as '*.docx' (a pattern as in .gitignore). "
        "Repeatable.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="GLOB",
        help="Leave these files and folders out, such as 'drafts/'. Repeatable.",
    ),
    click.option(
        "--max-bytes",
        type=SIZE,
        default=MAX_BYTES,
        help="Maximum unpacked size of one compressed file or archive, in bytes or as 1GB. Plain "
        "text that is not compressed may have any size. One file may take 60 seconds and 1 GB of "
        "memory: SDTEXT_MAX_SECONDS, SDTEXT_MAX_MEMORY.  [default: 256 MB]",
    ),
)


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--encoding` and `--ocr`, passed as `reading`."""
    return _with_reading(function, _ENCODING, _OCR)


def folder_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The reading options with those for files in folders, passed as `reading`."""
    return _with_reading(function, _ENCODING, _OCR, *_FOLDERS)


def corpus_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options for folders without `--ocr`, passed as `reading`."""
    return _with_reading(function, _ENCODING, *_FOLDERS)


def _with_reading(function: Callable[..., Any], *options: Decorator) -> Callable[..., Any]:
    @wraps(function)
    def with_reading(
        *args: Any,
        encoding: str,
        ocr: bool = False,
        include: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
        max_bytes: int = MAX_BYTES,
        **others: Any,
    ) -> Any:
        from sdtext.model import PartSpec
        from sdtext.reading.options import Reading, Selection

        reading = Reading(
            encoding,
            max_bytes=max_bytes,
            max_seconds=_limit(
                "SDTEXT_MAX_SECONDS", _SECONDS, _OCR_SECONDS if ocr else MAX_SECONDS
            ),
            max_memory=_limit("SDTEXT_MAX_MEMORY", SIZE, MAX_MEMORY),
            readers=(PartSpec.of("pdf", ocr=True),) if ocr else (),
            selection=Selection(include, exclude),
        )
        return function(*args, reading=reading, **others)

    command: Callable[..., Any] = with_reading
    for option in reversed(options):
        command = option(command)
    return command


def _limit(variable: str, kind: click.ParamType[Any], default: Any) -> Any:
    """The limit for one file that a variable of the environment sets, else the default."""
    value = os.environ.get(variable)
    if not value:
        return default
    try:
        return kind.convert(value, None, None)
    except click.BadParameter as error:
        raise click.UsageError(f"{variable}: {error.message}") from error


def reading_words(reading: Reading) -> list[str]:
    """The options of a command line that read documents in this way.

    >>> from sdtext.reading.options import Reading
    >>> reading_words(Reading(encoding="latin-1"))
    ['--encoding', 'latin-1']
    """
    words = ["--encoding", reading.encoding] if reading.encoding else []
    if reading.max_bytes != MAX_BYTES:
        words += ["--max-bytes", str(reading.max_bytes)]
    return [*words, *(["--ocr"] if reading.readers else [])]


def selection_words(selection: Selection) -> list[str]:
    """The options of a command line that select these files of folders.

    >>> from sdtext.reading.options import Selection
    >>> selection_words(Selection(exclude=("drafts/",)))
    ['--exclude', 'drafts/']
    """
    patterns = {"--include": selection.include, "--exclude": selection.exclude}
    return [word for option, globs in patterns.items() for glob in globs for word in (option, glob)]
