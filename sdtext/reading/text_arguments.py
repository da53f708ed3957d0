"""Arguments of functions that are documents in memory or paths, or texts."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from sdtext.errors import UnreadableError
from sdtext.reading.archive_members import in_archive
from sdtext.reading.inputs import DocumentInputs, documents_and_paths
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.text.document import Document

__all__ = ["DocumentInputs"]

TextOrFile = str | PathLike[str] | Document
"""A text or the path of a file; which of them a string is, the function says."""


def document_of_text(
    _function: str, _argument: str, given: TextOrFile, reading: Reading | None = None
) -> Document:
    """The document of an argument: a string is a text, a Path is a file."""
    if isinstance(given, str):
        return Document.of(given)
    return read(given if isinstance(given, Document) else Path(given), reading)


def document_in_file(
    _function: str, _argument: str, given: TextOrFile, reading: Reading | None = None
) -> Document:
    """The document of an argument: a string is the path of a file."""
    return read(given if isinstance(given, Document) else Path(given), reading)


def held_and_named(
    _function: str, _argument: str, given: DocumentInputs
) -> tuple[list[Document], list[Path]]:
    """The documents in memory and the paths among what is given."""
    return documents_and_paths(given)


def warn_of_file(*_: str) -> None:
    """Nothing."""


def check_file(_function: str, _argument: str, given: str) -> None:
    """UnreadableError where the string is no path of anything."""
    if given != "-" and not (os.path.lexists(given) or in_archive(given)):
        raise UnreadableError("no such file or folder", file=given)


def frames_here() -> int:
    """One frame."""
    return 1
