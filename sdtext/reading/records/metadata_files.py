"""Metadata of documents in a file of its own: CSV or JSON lines."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Metadata, Problem
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Note, Reading
from sdtext.reading.records.delimited import header_of, number_of, table_rows
from sdtext.reading.records.json_records import Row, SkippedLines, objects_in
from sdtext.reading.records.record import metadata_of
from sdtext.wording import shown

_KEY_NAMES = ("document", "file", "path")
_NAMED = 3


class MetadataTable:
    """A file of metadata of documents, CSV or JSON lines, with a row for each document.

    A row names its document by the whole name, or by the last part of it if no other document
    among `names` has the same last part.
    """

    def __init__(
        self, path: str | Path, names: Iterable[str], note: Note, reading: Reading
    ) -> None:
        self._name = shown(path)
        self._rows = load_metadata(path, note, reading)
        self._unused = dict.fromkeys(self._rows)
        self._last = Counter(map(_last, names))

    def of(self, name: str) -> Metadata:
        """The metadata of the document called `name`; empty if it has no row."""
        for key in (name, _last(name)):
            if key in self._rows and (key == name or self._last[key] == 1):
                self._unused.pop(key, None)
                return self._rows[key]
        return {}

    def unused(self) -> Iterator[Problem]:
        """A warning if rows of the file name no document."""
        if self._unused:
            first = ", ".join(map(shown, list(self._unused)[:_NAMED]))
            number = len(self._unused)
            more = ", …" if number > _NAMED else ""
            what = f"{number:,} of {len(self._rows):,} rows name no document to add: {first}{more}"
            what += "; a row names its document by its path below the folder"
            yield Problem.at("warning", "no-document", self._name, what)


def _last(name: str) -> str:
    """The last part of a document's name.

    >>> _last("letters/2019.zip!may/union.txt")
    'union.txt'
    """
    return re.split("[/!]", name)[-1]


def load_metadata(
    path: str | Path, note: Note, reading: Reading | None = None
) -> dict[str, Metadata]:
    """The metadata in the file at `path`, by the name of the document. Raises UnreadableError.

    CSV with a header, parted by commas, semicolons or tabs, or JSON lines. The name stands in the
    column (field) called document, file or path, else in the first. In CSV, 2019, -3 and 0.50 are
    numbers, 007, 1e3 and 1,5 texts; an empty cell says nothing. A line that cannot be used is a
    problem; of two about one document the first counts.
    """
    reading = reading or Reading()
    content = content_at(path, reading.max_bytes, reading.limits)
    content = Content(content.path, content.max_bytes, content.name, data=content.whole())
    left_out = SkippedLines(content, note)
    metadata: dict[str, Metadata] = {}
    for number, row in _rows(content, left_out, reading.encoding):
        key = next((name for name in _KEY_NAMES if name in row), next(iter(row), ""))
        document = row.get(key)
        if isinstance(document, bool) or not isinstance(document, str | int) or document == "":
            left_out.add(number, "names no document")
        elif str(document) in metadata:
            left_out.add(number, f"is a second row for {str(document)[:100]}")
        else:
            metadata[str(document)] = metadata_of(row, [key])
    left_out.end()
    if not metadata:
        raise UnreadableError("holds no metadata", file=content.name)
    return metadata


def _rows(content: Content, left_out: SkippedLines, encoding: str) -> Iterator[tuple[int, Row]]:
    begin = content.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if begin == b"{":
        yield from objects_in(content, left_out)
        return
    header = None if begin in (b"[", b"<", b"") else header_of(content, encoding=encoding)
    if header is None or len(header.names) < 2:
        what = "is neither CSV with a header of two or more columns nor JSON lines"
        raise UnreadableError(what, file=content.name)
    document = next((name for name in _KEY_NAMES if name in header.names), header.names[0])
    for number, cells in table_rows(content, header, left_out, encoding):
        texts = {name: cell.strip() for name, cell in cells.items() if cell.strip()}
        if texts:
            typed = {
                name: text if name == document else number_of(text) for name, text in texts.items()
            }
            yield number, {document: "", **typed}
