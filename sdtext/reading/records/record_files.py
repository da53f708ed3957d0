"""Files of records: JSON lines, compressed or not, and Parquet."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import BinaryIO

import numpy as np

from sdtext.errors import OptionError, UnreadableError, brief, reason, shown
from sdtext.io.byte_ranges import ByteRange
from sdtext.io.decompressed_content import Content
from sdtext.model import PartSpec, Problem
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Note, Reading
from sdtext.reading.records.json_lines import (
    SkippedLines,
    begins_with_object,
    objects_in,
    pieces_without,
)
from sdtext.reading.records.record import Fields, Record, listed, record_of
from sdtext.reading.sandbox.pool import ProcessLimits, unpack, unpack_unnamed

_LINES = (".jsonl", ".ndjson")
_PARQUET = ".parquet"
_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
_STDIN = "-"
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")
_CHECKED_RECORDS = 100  # for fields that none of them has


def is_records(path: str | Path) -> bool:
    """Whether a file of that name holds records.

    >>> [is_records(name) for name in ("a.jsonl", "a.NDJSON.gz", "a.parquet", "a.json", "a.gz")]
    [True, True, True, False, False]
    """
    return _kind(path) in (*_LINES, _PARQUET)


def holds_records(path: str | Path, reading: Reading | None = None) -> bool:
    """Whether there are records at `path`: by its name, or on the standard input by its content.

    That holds JSON lines if the first line, unpacked, is an object.
    """
    if str(path) != _STDIN:
        return is_records(path) and not Path(path).is_dir()
    reading = reading or Reading()
    try:
        return begins_with_object(content_at(path, reading.max_bytes, reading.limits))
    except UnreadableError:
        return False  # reading it will give the reason


def table_at(path: str | Path, reading: Reading) -> str:
    """What a file of rows is that is not read as records, with what to do; "" for other files.

    Those are CSV and TSV by their names, and a JSON array of objects by its content.
    """
    suffix = Path(path).suffix.lower()
    if os.path.isdir(path) or suffix not in (".csv", ".tsv", ".json"):  # noqa: PTH112 (Path.is_dir raises for some names)
        return ""
    if suffix != ".json":
        return "a table; for a document in each row, convert it to JSON lines, an object for each"
    try:
        head = content_at(path, reading.max_bytes, reading.limits).head
    except UnreadableError:
        return ""
    if not _ARRAY.match(head):
        return ""
    return "a JSON array; for a document in each object, convert it to JSON lines (jq -c '.[]')"


def is_lines(path: str | Path) -> bool:
    """Whether a file of that name holds records as JSON lines, compressed or not."""
    return _kind(path) in _LINES


def is_parquet(path: str | Path) -> bool:
    """Whether a file of that name holds records as rows of Parquet."""
    return _kind(path) == _PARQUET


def _kind(path: str | Path) -> str:
    """The suffix of the name in lower case, without that of a compression of JSON lines."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if len(suffixes) > 1 and suffixes[-1] in _COMPRESSIONS and suffixes[-2] in _LINES:
        return suffixes[-2]
    return suffixes[-1] if suffixes else ""


def place_of_record(path: str | Path, number: int) -> str:
    """Where a record stands, for messages.

    >>> place_of_record("papers.jsonl", 3), place_of_record("papers.parquet", 3)
    ('papers.jsonl: line 3', 'papers.parquet: row 3')
    """
    return f"{shown(path)}: {'row' if is_parquet(path) else 'line'} {number}"


def records_in(
    path: str | Path, fields: Fields, note: Note, reading: Reading | None = None
) -> Iterator[Record]:
    """The records in the file at `path`, one by one; memory does not grow with its size.

    A line without a record is a problem, and so is a second record of the same id; the others
    are read. A compressed file and Parquet unpack to at most `max_bytes` of the reading; a plain
    file may have any size. Raises OptionError if none of the first records has the fields
    named, and if Parquet cannot be read because pyarrow is not installed.
    """
    reading = reading or Reading()
    try:
        content = content_at(path, reading.max_bytes, reading.limits)
        noun = "line"
        if is_parquet(path):
            content, noun = parquet_as_json_lines(content, fields, reading.limits, note), "row"
        check_fields(content, fields)
        yield from _records(content, fields, SkippedLines(content, note, noun))
    except UnreadableError as error:
        note(Problem("error", "unreadable", str(error), str(path)))


def check_fields(content: Content, fields: Fields) -> None:
    """OptionError if none of the first 100 records in JSON lines has a field that is named."""
    nothing = SkippedLines(content, lambda _: None)
    rows = [row for _, row in islice(objects_in(content, nothing), _CHECKED_RECORDS)]
    for option, name in (("text", fields.text), ("id", fields.id)):
        if name and rows and not any(name in row for row in rows):
            raise OptionError(
                f"has no field {brief(name)}; it has {listed(rows[0])}; name "
                f"one with --{option}-field",
                file=content.name,
            )


def _records(content: Content, fields: Fields, left_out: SkippedLines) -> Iterator[Record]:
    seen: set[int] = set()  # hashes of names, of 64 bits: some 90 bytes for each record
    count = 0
    for place, row in objects_in(content, left_out):
        if not count and not fields.id and row.get("id") is not None:
            fields = replace(fields, id="id")
        count += 1
        record = record_of(row, fields, place)
        if isinstance(record, str):
            left_out.add(place, record)
            continue
        if fields.id and (key := hash(record.name)) in seen:
            left_out.add(
                place, f"its {fields.id} is that of an earlier record: {record.name[:100]}"
            )
            continue
        if fields.id:
            seen.add(key)
        yield record
    left_out.end()
    if not count:
        raise UnreadableError("holds no records", file=content.name)


def lines_without(
    path: str | Path, places: Container[int], reading: Reading | None = None
) -> Iterator[bytes]:
    """The bytes of a file of JSON lines, unpacked, without the lines of those numbers.

    All others stay byte for byte. Raises UnreadableError, and OptionError for other files.
    """
    if not (is_lines(path) or str(path) == _STDIN):
        raise OptionError.of("lines_without", "path", str(path), "a file of JSON lines")
    reading = reading or Reading()
    content = content_at(path, reading.max_bytes, reading.limits)
    yield from pieces_without(places, content.blocks())


def parquet_as_json_lines(
    content: Content, fields: Fields, limits: ProcessLimits, note: Note
) -> Content:
    """The rows of a Parquet file as JSON lines, at most `max_bytes`. Raises UnreadableError.

    A sandboxed process writes them to an unnamed file, which is gone with the last reference to
    it. Raises OptionError if the file lacks the columns of `fields`, or pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise OptionError(
            "Parquet is read by pyarrow, which is not installed; pip install 'sdtext[parquet]'",
            file=content.name,
        )
    part = PartSpec.of("parquet", text=fields.text, id=fields.id)
    store, result = unpack_unnamed(part, content, limits, "tables")
    for problem in result.problems:
        note(replace(problem, path=str(content.path)))
    stored = ByteRange(store, 0, store.size)
    return replace(content, called=content.name, stored=stored)


def write_rows_without(
    paths: Sequence[Path], places: Mapping[int, frozenset[int]], file: BinaryIO, reading: Reading
) -> None:
    """Write the rows of all files to `file`, but for those at `places` by the number of the file.

    Their columns stay as they are. A sandboxed process does it, within the limits of `reading`.
    Raises UnreadableError.
    """
    first, *others = (content_at(path, reading.max_bytes, reading.limits) for path in paths)
    with ExitStack() as stack:
        folder = stack.enter_context(_temporary_folder())
        removed = [(number, row) for number, rows in places.items() for row in sorted(rows)]
        np.save(folder / "gone.npy", np.array(removed, np.int64).reshape(-1, 2))
        copies = tuple(str(stack.enter_context(other.local())) for other in others)
        part = PartSpec.of("parquet-rows", gone=str(folder / "gone.npy"), others=copies)
        unpack(part, first, reading.limits, str(folder / "kept"), "jobs")
        with (folder / "kept").open("rb") as kept:
            copyfileobj(kept, file)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    try:
        folder = TemporaryDirectory(prefix="sdtext-", ignore_cleanup_errors=True)
    except OSError as error:
        raise UnreadableError(f"cannot create a temporary file: {reason(error)}") from error
    with folder as path:
        yield Path(path)
