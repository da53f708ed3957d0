"""The documents to deduplicate: files, or the records in files, each identified by its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sdtext.errors import OptionError, shown
from sdtext.io.decompressed_content import Content
from sdtext.model import Metadata, Problem
from sdtext.reading.archive_members import content_at
from sdtext.reading.inputs import (
    InputDocument,
    InputFile,
    Inputs,
    in_batches,
    input_files,
    size_at,
)
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, batched, nothing_left
from sdtext.reading.records import Fields, table_at
from sdtext.reading.records.json_lines import SkippedLines, objects_in
from sdtext.reading.records.record import metadata_of, record_of
from sdtext.reading.records.record_files import check_fields, is_parquet, parquet_as_json_lines
from sdtext.reading.walk import Paths, path_list

FILES, LINES, PARQUET, HELD = "files", "JSON lines", "Parquet", "memory"

_KEPT = ("is kept as it is", "are kept as they are")
_NAME = "name"
CARRIED = "field:"
"""The beginning of the names of metadata that are fields of a record."""


@dataclass(frozen=True)
class Sources:
    """Documents in files at `paths`, or records in them: `kind` says which.

    A document is known by two numbers: its file, and its line (or row) there, from 1. Where the
    files themselves are the documents, the second number is 0. The values of the fields `carried`
    stay with the records.
    """

    paths: tuple[Path, ...]
    kind: str
    fields: Fields
    carried: tuple[str, ...] = field(default=(), kw_only=True)

    def batches(self, run: Run) -> Iterator[list[InputDocument]]:
        """The documents, some at a time; their two numbers stand as `root` and `name`.

        Records that cannot be read are problems. Raises UnreadableError where a file of records
        cannot be read to its end: it could not be written again either.
        """
        if self.kind != FILES:
            yield from in_batches(self._records(run))
            return
        number = 0
        for paths in batched(self.paths, run.jobs):
            yield [InputDocument(str(place), "0", path) for place, path in enumerate(paths, number)]
            number += len(paths)

    def _records(self, run: Run) -> Iterator[InputDocument]:
        for number, path in enumerate(self.paths):
            content = self.content(path, run)
            check_fields(content, self.fields)
            yield from self._in_file(number, content, run)

    def _in_file(self, number: int, content: Content, run: Run) -> Iterator[InputDocument]:
        """The records in one file."""
        noun = "row" if self.kind == PARQUET else "line"
        left_out = SkippedLines(content, run.note, noun, _KEPT)
        called, place = content.name, 0
        for place, row in objects_in(content, left_out):
            record = record_of(row, self.fields, place)
            if isinstance(record, str):
                left_out.add(place, record)
            else:
                own = record.name if self.fields.id else record.metadata.get("id", place)
                yield InputDocument(
                    str(number),
                    str(place),
                    text=record.text,
                    metadata={_NAME: str(own), **carried_values(row, self.carried)},
                    place=f"{called}: {noun} {place}",
                )
        left_out.end()
        if not place:
            message = f"{called}: holds no records"
            run.note(Problem("error", "unreadable", message, str(content.path)))

    def content(self, path: Path, run: Run) -> Content:
        """The records in the file at `path` as JSON lines."""
        content = content_at(path, run.reading.max_bytes, run.reading.limits)
        if self.kind != PARQUET:
            return content
        return parquet_as_json_lines(content, self.fields, run.reading.limits, run.note)

    def rows(self, number: int, run: Run) -> Iterator[tuple[int, dict[str, Any]]]:
        """The places and rows of the file of records with that number."""
        content = self.content(self.paths[number], run)
        return objects_in(content, SkippedLines(content, lambda _: None))

    def longest(self, reading: Reading) -> int:
        """The size in bytes of the longest of the files."""
        return max(size_at(path, reading) for path in self.paths)

    def name_of(self, number: int, name: object) -> str:
        """The name of a document: the path of a file, the id or the place of a record.

        Of several files of records the path comes first: FILE#ID.
        """
        path = str(self.paths[number])
        if self.kind == FILES:
            return path
        return f"{path}#{name}" if len(self.paths) > 1 else str(name)


@dataclass(frozen=True)
class HeldDocuments(Sources):
    """Documents and records that a program holds in memory, known by their places from 0."""

    held: tuple[InputDocument, ...] = ()

    def batches(self, run: Run) -> Iterator[list[InputDocument]]:  # noqa: ARG002 (as files need)
        """The documents, some at a time."""
        return in_batches(self.held)

    def longest(self, reading: Reading) -> int:  # noqa: ARG002 (as files need)
        """The number of characters of the longest of the texts."""
        texts = (item.document.text if item.document else item.text for item in self.held)
        return max(map(len, texts), default=0)

    def name_of(self, number: int, name: object) -> str:  # noqa: ARG002 (as files need)
        """The name of a document: its id, or its place."""
        return str(name)


def carried_values(row: Mapping[str, Any], fields: Iterable[str]) -> Metadata:
    """The values of these fields of a record, under names that no other metadata has.

    Only short texts and numbers are values.

    >>> carried_values({"date": "2020-01-31", "text": "Some words", "tags": []}, ["date", "tags"])
    {'field:date': '2020-01-31'}
    """
    values = metadata_of({name: row[name] for name in fields if name in row})
    return {CARRIED + name: value for name, value in values.items()}


def sources_in(inputs: Inputs | Paths, run: Run) -> Sources:
    """The documents at the inputs, in their order.

    Raises UnreadableError where there is nothing, OptionError where it is of several kinds.
    """
    inputs = inputs if isinstance(inputs, Inputs) else Inputs(inputs)
    for path in path_list(inputs.paths):
        if table := table_at(path, run.reading):
            raise OptionError(f"is {table}; to compare whole files, name their folder", file=path)
    named = input_files(inputs, run)
    if not named:
        raise nothing_left(run, "there is nothing to read")
    first, *others = ((_kind(file), file.path) for file in named)
    other = next((file for file in others if file[0] != first[0]), None)
    if other:
        raise OptionError(
            f"{shown(first[1])} and {shown(other[1])} are of different kinds ({first[0]}, "
            f"{other[0]}) and cannot be kept in one file; deduplicate one kind at a time"
        )
    return Sources(tuple(file.path for file in named), first[0], inputs.fields)


def _kind(named: InputFile) -> str:
    if not named.records:
        return FILES
    return PARQUET if is_parquet(named.path) else LINES
