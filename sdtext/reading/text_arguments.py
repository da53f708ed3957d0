"""Arguments of functions that are texts, documents in memory or paths."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from sdtext.errors import UnreadableError
from sdtext.reading.archive_members import in_archive
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.text.document import Document

TextOrFile = str | PathLike[str] | Document
"""A text or the path of a file; which of them a string is, the function says."""


def document_of_text(
    _function: str, _argument: str, given: TextOrFile, reading: Reading | None = None
) -> Document:
    """The document of an argument: a string is a text, a Path is a file."""
    if isinstance(given, str):
        return Document.of(given)
    return read(given if isinstance(given, Document) else Path(given), reading)


def check_file(_function: str, _argument: str, given: str) -> None:
    """UnreadableError where the string is no path of anything."""
    if given != "-" and not (os.path.lexists(given) or in_archive(given)):
        raise UnreadableError("no such file or folder", file=given)
