"""Metadata of documents in a file of its own: CSV or JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from itertools import chain
from pathlib import Path

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Metadata
from sdtext.parts.readers.plain_text import PlainText
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Note, Reading
from sdtext.reading.records.delimited import best_delimiter, check_distinct, csv_rows, number_of
from sdtext.reading.records.json_records import Row, SkippedLines, objects_in
from sdtext.reading.records.record import metadata_of
from sdtext.text.cut_text import cut_at

_KEY_NAMES = ("document", "file", "path")


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
    left_out = SkippedLines(content, note)
    metadata: dict[str, Metadata] = {}
    for number, row in _rows(content, left_out):
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


def _rows(content: Content, left_out: SkippedLines) -> Iterator[tuple[int, Row]]:
    begin = content.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if begin == b"{":
        return objects_in(content, left_out)
    if begin in (b"[", b"<", b""):
        raise UnreadableError(
            "is neither CSV nor JSON lines; write an object in each line, or a "
            "header and a line for each document",
            file=content.name,
        )
    return _table(content, left_out)


def _table(content: Content, left_out: SkippedLines) -> Iterator[tuple[int, Row]]:
    """The rows of CSV, by the names in its header."""
    lines = _lines(content, left_out.note)
    first = next(lines, "")
    rows = csv_rows(chain([first], lines), best_delimiter(first))
    header = _header(next(rows)[1], content)
    document = next((name for name in _KEY_NAMES if name in header), header[0])
    for number, cells in rows:
        if isinstance(cells, str):
            left_out.add(number, cells)
            continue
        texts = [cell.strip() for cell in cells]
        if any(texts[len(header) :]):
            left_out.add(number, f"has more cells than the header ({len(header)})")
        elif any(texts):
            named = zip(header, texts, strict=False)
            row = {name: text for name, text in named if name and text}
            yield number, {document: "", **_typed(row, document)}


def _header(cells: list[str] | str, content: Content) -> list[str]:
    """The names of the columns. UnreadableError where they do not tell them apart."""
    if isinstance(cells, str):
        raise UnreadableError(f"line 1: {cells}", file=content.name)
    names = [cell.strip() for cell in cells]
    named = [name for name in names if name]
    check_distinct(named, content)
    if len(named) < 2 or not names[0]:
        raise UnreadableError(
            "its first line is not a header of two or more columns, separated by "
            "commas, semicolons or tabs",
            file=content.name,
        )
    return names


def _lines(content: Content, note: Note) -> Iterator[str]:
    """The lines of a text in any encoding, with their ends; `max_bytes` of them at the most."""
    reader = PlainText()
    for problem in reader.encoding_of(content).problems(content):
        note(replace(problem, path=str(content.path)))
    size = 0
    blocks = (block for block in reader(content) if isinstance(block, str))
    for piece in cut_at(blocks, "\n"):
        size += len(piece)
        if size > content.max_bytes:
            raise UnreadableError(
                f"holds more than {content.max_bytes:,} characters; "
                "raise the limit with Reading(max_bytes=…) if you trust it",
                file=content.name,
            )
        yield from StringIO(piece, newline="")


def _typed(row: dict[str, str], document: str) -> Row:
    """The cells as numbers, where they are written as such; but the name of the document."""
    return {key: cell if key == document else number_of(cell) for key, cell in row.items()}
