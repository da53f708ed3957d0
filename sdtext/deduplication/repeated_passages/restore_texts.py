"""Restore the original texts in a file of kept texts, from the list of what was removed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

from sdtext.deduplication.repeated_passages.outputs_of_passages import write_texts
from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage, restored
from sdtext.deduplication.source_documents import Sources
from sdtext.errors import FormatError, OptionError
from sdtext.model.record_formats import RecordFormat
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run

_NUMBERS = ("record", "start", "end", "kept_start", "kept_end", "words")
_WANTED = "no list of removed passages; give the file of these (.jsonl, .json or .csv)"


class RestoredTexts:
    """The original texts of records, from which passages were removed: by their positions."""

    def __init__(self, by_record: Mapping[int, Sequence[RemovedPassage]]) -> None:
        self._by_record = by_record
        self._restored = set[int]()

    def changes(self, _origin: tuple[int, int], record: int) -> bool:
        """Whether something was removed from that record."""
        return record in self._by_record

    def text(self, _origin: tuple[int, int], record: int, text: str) -> str:
        """The original text of that record. Raises FormatError."""
        self._restored.add(record)
        return restored(text, self._by_record[record])

    @property
    def is_checked(self) -> bool:
        """Whether all passages have the digest of the text that they belong to."""
        return all(row.digest for rows in self._by_record.values() for row in rows)

    def check(self, kept: str | Path) -> None:
        """FormatError if there was no record for some of the passages."""
        if missing := self._by_record.keys() - self._restored:
            raise FormatError(
                f"has no record {min(missing)}, from which passages were removed; give the file of "
                "kept texts of the same run",
                file=kept,
            )


def restore_texts(
    sources: Sources, texts: RestoredTexts, chosen: RecordFormat, file: BinaryIO, run: Run
) -> None:
    """Write the records of kept texts to `file` with their original texts.

    Raises UnreadableError and FormatError.
    """
    try:
        write_texts(sources, texts, chosen, file, run)
    except (ValueError, KeyError, TypeError) as error:
        what = f"holds a record without a text in the field {sources.fields.text!r}"
        raise FormatError(what, file=sources.paths[0]) from error
    texts.check(sources.paths[0])


def passages_by_record(path: str | Path, reading: Reading) -> dict[int, list[RemovedPassage]]:
    """The removed passages in a file of `--removed`, by the positions of their records.

    Raises FormatError and UnreadableError.
    """
    rows = sorted(passages_in(path, reading), key=attrgetter("record"))
    return {record: list(group) for record, group in groupby(rows, attrgetter("record"))}


def passages_in(path: str | Path, reading: Reading) -> Iterator[RemovedPassage]:
    """The removed passages in a file of `--removed`. Raises FormatError and UnreadableError."""
    rows_of = _FORMS.get(Path(path).suffix.lower())
    if rows_of is None:
        raise OptionError(f"is {_WANTED}", file=path)
    data = b"".join(content_at(path, reading.max_bytes, reading.limits).blocks())
    try:
        yield from map(_passage, rows_of(data.decode("utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        raise FormatError(f"is {_WANTED}", file=path) from error


def _passage(row: dict[str, Any]) -> RemovedPassage:
    row = {"digest": "", **row}  # earlier versions wrote none
    values = {column.name: row[column.name] for column in fields(RemovedPassage)}
    passage = RemovedPassage(**values | {name: int(values[name]) for name in _NUMBERS})
    if not isinstance(passage.text, str):
        raise TypeError(passage.text)
    return passage


def _in_lines(data: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in data.split("\n") if line.strip())


def _in_object(data: str) -> Iterator[dict[str, Any]]:
    yield from json.loads(data)["rows"]


def _in_table(data: str) -> Iterator[dict[str, Any]]:
    """The rows of CSV; the apostrophe goes that keeps spreadsheets from evaluating a cell."""
    for row in csv.DictReader(io.StringIO(data, newline="")):
        text = row["text"]
        added = len(text) - (int(row["end"]) - int(row["start"]))
        yield {**row, "text": text[1:] if added == 1 and text[:1] == "'" else text}


_FORMS = {".jsonl": _in_lines, ".ndjson": _in_lines, ".json": _in_object, ".csv": _in_table}
