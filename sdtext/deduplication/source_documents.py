"""The documents to deduplicate: files, or the records in files, each identified by its place."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sdtext.errors import OptionError, UnreadableError
from sdtext.io.remote_files import remote_address
from sdtext.model import Metadata, Problem
from sdtext.model.record_formats import RecordFormat
from sdtext.reading.inputs import Inputs, in_batches, input_files, size_at
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, batched, nothing_left
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.json_records import KEPT_AS_IS, LEFT_OUT, Row
from sdtext.reading.records.record import (
    Fields,
    InputDocument,
    metadata_of,
    metadata_value,
    named_text,
    problem_kind,
    record_of,
)
from sdtext.reading.records.record_files import (
    FieldNames,
    RecordFile,
    check_fields,
    check_filled,
    field_names,
    longest_text,
    record_format,
    records_at,
)
from sdtext.reading.walk import Paths, path_list
from sdtext.text.document import Document
from sdtext.wording import brief, counted, shown

FILES, RECORDS, HELD = "files", "records", "memory"
PATH = (str, os.PathLike)

_STDIN = "-"
_ONE_DOCUMENT = Problem(
    "warning",
    "one-document",
    "standard input: is read as one document, because it does not begin as records do: with JSON "
    "objects, one in each line, or with the names of the columns of CSV or TSV, one of which is "
    "the field of texts, which text_field names",
    _STDIN,
)
_NAME = "name"

WANTED = (
    "the path of a file or folder, or several, or records such as {'text': '…'} and "
    "sdtext.Documents"
)
CARRIED = "field:"
"""The beginning of the names of metadata that are fields of a record."""


@dataclass(frozen=True)
class Sources:
    """Documents in files at `paths`, or records in them, in `formats`: `kind` says which.

    A document is known by two numbers: its file, and its line (row, element) there, from 1. Where
    the files themselves are the documents, the second number is 0. If the records are `converted`
    to another format, what is no record at all is left out instead of kept. The values of the
    fields `carried` stay with the records; `known` are the fields of the first one, for messages.
    """

    paths: tuple[Path, ...]
    kind: str
    fields: Fields
    formats: tuple[RecordFormat, ...] = ()
    converted: bool = False
    carried: tuple[str, ...] = field(default=(), kw_only=True)
    known: tuple[str, ...] = field(default=(), kw_only=True)
    items: Frame | Sequence[Any] = field(default=(), kw_only=True)

    @property
    def has_files(self) -> bool:
        """Whether some of the documents are files."""
        given = () if isinstance(self.items, Frame) else self.items
        return self.kind == FILES or any(isinstance(item, PATH) for item in given)

    @property
    def frame(self) -> Frame | None:
        """The frame whose rows the documents are, if they are."""
        return self.items if isinstance(self.items, Frame) else None

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

    @property
    def expected(self) -> int | None:
        """How many documents there are; None of records, which are counted as they are read."""
        given: Sized = self.items if self.kind == HELD else self.paths
        return None if self.kind == RECORDS else len(given)

    def _records(self, run: Run) -> Iterator[InputDocument]:
        for number in range(len(self.paths)):
            file = self.file(number, run)
            try:
                check_fields(file)
            except UnreadableError as error:
                run.note(Problem.of(error, self.paths[number]))
                continue
            file.note_encoding(run.note)
            left_out = file.skipped(run.note, KEPT_AS_IS)
            unusable = file.skipped(run.note, LEFT_OUT) if self.converted else left_out
            root, called = str(number), f"{file.content.name}: {file.form.noun} "
            hashes, places = array("q"), array("q")  # of ids, and where they stand
            for place, row in file.rows(unusable):
                named = named_text(row, file.fields, place)
                if isinstance(named, str):
                    left_out.add(place, named)
                    continue
                name, text = named
                own = name if self.fields.id else metadata_value(row.get("id"))
                if own is not None:
                    name = str(own)
                    hashes.append(hash(name))
                    places.append(place)
                metadata: Metadata = {_NAME: name}
                if self.carried:
                    metadata = {**metadata, **carried_values(file.typed(row), self.carried)}
                at = str(place)
                yield InputDocument(root, at, None, text, metadata, place=called + at)
            for each in {id(each): each for each in (unusable, left_out)}.values():
                each.end()
            run.note(*self._repeated_ids(file, hashes, places))

    def _repeated_ids(
        self, file: RecordFile, hashes: array[int], places: array[int]
    ) -> Iterator[Problem]:
        """A warning if ids repeat: how many, and where the first does."""
        ids = np.frombuffer(hashes, np.int64)
        order = np.argsort(ids, kind="stable")
        repeats = order[1:][ids[order][1:] == ids[order][:-1]]
        if not len(repeats):
            return
        second = int(repeats.min())
        first = int(np.flatnonzero(ids == ids[second])[0])
        rows = file.rows(file.skipped(lambda _: None))
        row = next((row for place, row in rows if place == places[second]), {})
        own, noun = row.get(self.fields.id or "id"), file.form.noun
        where = places[first], places[second]
        yield repeated_ids(file.content.name, len(repeats), str(own), noun, where)

    def file(self, number: int, run: Run, *, whole: bool = False) -> RecordFile:
        """The file of records with that number. Raises UnreadableError or OptionError."""
        path = self.paths[number]
        return RecordFile.at(path, self.fields, run.reading, run.note, whole=whole)

    def all_rows(self, run: Run) -> Iterator[tuple[int, int, Row]]:
        """The rows of all files of records, with their files and places."""
        for number in range(len(self.paths)):
            file = self.file(number, run, whole=True)
            rows = file.rows(file.skipped(lambda _: None))
            yield from ((number, place, row) for place, row in rows)

    def placed(self, run: Run) -> Iterator[tuple[int, int, Any]]:
        """The paths of files, or the rows of files of records, each with its two numbers."""
        if self.kind == FILES:
            return ((number, 0, path) for number, path in enumerate(self.paths))
        return self.all_rows(run)

    def kept(self, removed: Mapping[int, AbstractSet[int]], run: Run) -> Any:
        """The items but for those at the places `removed`, by the number of their file."""
        if self.frame is not None:
            return self.frame.without(removed.get(0, frozenset()))
        placed = self.placed(run)
        return tuple(item for file, place, item in placed if place not in removed.get(file, ()))

    def field_names(self, run: Run) -> Iterator[FieldNames]:
        """The names of the fields of each file of records, as far as they are known at once."""
        for path in self.paths:
            try:
                yield field_names(path, self.fields, run.reading)
            except UnreadableError:  # reading it will give the reason
                yield (), False

    def longest(self, reading: Reading) -> int:
        """The length of the longest text: of records in characters, else its file's in bytes."""
        if self.kind == FILES:
            return max(size_at(path, reading) for path in self.paths)
        return max(longest_text(path, self.fields, reading) for path in self.paths)

    def name_of(self, number: int, name: object) -> str:
        """The name of a document: the path of a file, the id or the place of a record.

        Of several files of records the path comes first: FILE#ID.
        """
        if self.kind == HELD or (self.kind == RECORDS and len(self.paths) == 1):
            return str(name)
        path = remote_address(self.paths[number]) or str(self.paths[number])
        return path if self.kind == FILES else f"{path}#{name}"


def repeated_ids(file: str, count: int, own: str, noun: str, where: tuple[int, int]) -> Problem:
    """The warning that records have ids of earlier ones, of which one and its places are named."""
    what = f"{counted(count, 'record')} with the id of an earlier one, first {brief(own)} "
    what += f"({noun}s {where[0]:,} and {where[1]:,})"
    return Problem.at("warning", "repeated-id", file, what)


class DocumentsInMemory(Sources):
    """Records, Documents and paths of documents, or the rows of a frame.

    These are the `items`, known by their places from 0.
    """

    def batches(self, run: Run) -> Iterator[list[InputDocument]]:
        """The documents, some at a time."""
        return in_batches(self._documents(run))

    def placed(self, run: Run) -> Iterator[tuple[int, int, Any]]:  # noqa: ARG002 (as files need)
        """What was given, or the texts of the rows of a frame, each with its two numbers."""
        items = self.items
        rows: Any = items.rows(self.fields.text) if isinstance(items, Frame) else items
        return ((0, place, item) for place, item in enumerate(rows))

    def field_names(self, run: Run) -> Iterator[FieldNames]:  # noqa: ARG002 (as files need)
        """The names of the columns, or of the fields of the first record."""
        if isinstance(self.items, Frame):
            yield (*self.items.table.column_names,), True
        else:
            first = next((item for item in self.items if isinstance(item, Mapping)), {})
            yield (*map(str, first),), False

    def longest(self, reading: Reading) -> int:
        """The length of the longest text in characters, of a file in bytes."""
        if isinstance(self.items, Frame):
            return self.items.longest(self.fields.text)
        lengths = (
            size_at(each.path, reading) if each.path else len((each.document or each).text)
            for each in self._documents(Run(problems=[]))
        )
        return max(lengths, default=0)

    def _documents(self, run: Run) -> Iterator[InputDocument]:
        """The documents; a record without a text is a problem, and is kept."""
        own_id = self.fields.id or "id"
        rows: Any = self.items
        if self.frame is not None:
            rows = self.frame.rows(self.fields.text, own_id, *self.carried)
        for place, item in enumerate(rows):
            argument = f"documents[{place}]"
            if isinstance(item, PATH):
                yield InputDocument("0", str(place), Path(item), metadata={_NAME: str(item)})
                continue
            if isinstance(item, Document):
                carried = carried_values(item.metadata, self.carried)
                values: Metadata = {_NAME: item.source or str(place), **carried}
                yield InputDocument("0", str(place), metadata=values, document=item)
                continue
            record = record_of(item, self.fields, place)
            if isinstance(record, str):
                what = f"{argument}: {record}; it is kept"
                run.note(Problem(*problem_kind(record), what, argument))
                continue
            values = {_NAME: str(item.get(own_id, place)), **carried_values(item, self.carried)}
            yield InputDocument("0", str(place), text=record.text, metadata=values)


def sources_of(items: Frame | Sequence[Any], fields: Fields, run: Run) -> Sources:
    """The documents at the items, if all are paths, else these themselves."""
    if not isinstance(items, Frame) and all(isinstance(item, PATH) for item in items):
        return sources_in(Inputs([*items], fields), run)
    return DocumentsInMemory((), HELD, fields, items=items)


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
        if table := records_at(path, run.reading, inputs.fields)[1]:
            raise OptionError(f"is {table}; to compare whole files, name their folder", file=path)
    files, named = input_files(inputs, run), []
    given = set(path_list(inputs.paths))
    for file in files:
        try:
            if file.records or file.path in given:
                check_filled(file.path, run.reading)
            named.append(file)
        except UnreadableError as error:
            run.note(Problem.of(error, file.path))
    if not named:
        why = "no document could be read" if files else "there is nothing to read"
        raise nothing_left(run, why)
    first = named[0]
    if other := next((file for file in named if file.records != first.records), None):
        kinds = "records, a document" if first.records else "a document, records"
        what = f"{shown(first.path)} and {shown(other.path)} are of different kinds ({kinds}) and "
        raise OptionError(f"{what}cannot be kept in one file; take one kind at a time")
    paths = tuple(file.path for file in named)
    if not first.records:
        if _STDIN in map(str, paths):
            run.note(_ONE_DOCUMENT)
        return Sources(paths, FILES, inputs.fields)
    formats = tuple(record_format(path, run.reading, inputs.fields) for path in paths)
    return Sources(paths, RECORDS, inputs.fields, formats)
