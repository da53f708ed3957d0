"""Files of records: JSON lines, compressed or not, and Parquet."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from sdtext.errors import OptionError, UnreadableError, brief
from sdtext.io.content import Content
from sdtext.model import Problem
from sdtext.reading.archive_paths import content_at
from sdtext.reading.options import Reading
from sdtext.reading.records.lines import (
    LeftOut,
    Note,
    begins_with_object,
    objects_in,
    pieces_without,
)
from sdtext.reading.records.parquet import rows_of
from sdtext.reading.records.record import Fields, Record, listed, record_of

_LINES = (".jsonl", ".ndjson")
_PARQUET = ".parquet"
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_STDIN = "-"
_LOOKED_AT = 100  # records, for fields that none of them has


def is_records(path: str | Path) -> bool:
    """Whether a file of that name holds records.

    >>> [is_records(name) for name in ("a.jsonl", "a.NDJSON.gz", "a.parquet", "a.json", "a.gz")]
    [True, True, True, False, False]
    """
    return _kind(path) in (*_LINES, _PARQUET)


def holds_records(path: str | Path, reading: Reading | None = None) -> bool:
    """Whether there are records at `path`: by its name, or on the standard input by what it holds.

    These are JSON lines if the first line, unpacked, is an object.
    """
    if str(path) != _STDIN:
        return is_records(path) and not Path(path).is_dir()
    reading = reading or Reading()
    try:
        return begins_with_object(content_at(path, reading.max_bytes, reading.limits))
    except UnreadableError:
        return False  # whoever reads it will say why


def is_lines(path: str | Path) -> bool:
    """Whether a file of that name holds records as JSON lines, compressed or not."""
    return _kind(path) in _LINES


def is_parquet(path: str | Path) -> bool:
    """Whether a file of that name holds records as rows of Parquet."""
    return _kind(path) == _PARQUET


def _kind(path: str | Path) -> str:
    """How the name ends, in small letters, but for the compression of lines."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if len(suffixes) > 1 and suffixes[-1] in _PACKED and suffixes[-2] in _LINES:
        return suffixes[-2]
    return suffixes[-1] if suffixes else ""


def records_in(
    path: str | Path, fields: Fields, note: Note, reading: Reading | None = None
) -> Iterator[Record]:
    """The records in the file at `path`, one after the other; memory does not grow with it.

    A line that holds no record is a problem, and so is a second one of the same id; the others
    are read. What is packed, as Parquet is, unpacks to no more than the reading's `max_bytes`; a
    plain file may have any size. Raises OptionError where none of the first records has the
    fields that are named, and where Parquet cannot be read for want of pyarrow.
    """
    reading = reading or Reading()
    try:
        content = content_at(path, reading.max_bytes, reading.limits)
        noun = "line"
        if is_parquet(path):
            content, noun = rows_of(content, fields, reading.limits, note), "row"
        check_fields(content, fields)
        yield from _records(content, fields, LeftOut(content, note, noun))
    except UnreadableError as error:
        note(Problem("error", "unreadable", str(error), str(path)))


def check_fields(content: Content, fields: Fields) -> None:
    """OptionError where none of the first 100 records in JSON lines has a field that is named."""
    nothing = LeftOut(content, lambda _: None)
    rows = [row for _, row in islice(objects_in(content, nothing), _LOOKED_AT)]
    for option, name in (("text", fields.text), ("id", fields.id)):
        if name and rows and not any(name in row for row in rows):
            raise OptionError(
                f"{content.name}: has no field {brief(name)}; it has {listed(rows[0])}; name "
                f"one with --{option}-field"
            )


def _records(content: Content, fields: Fields, left_out: LeftOut) -> Iterator[Record]:
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
        raise UnreadableError(f"{content.name}: holds no records")


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
