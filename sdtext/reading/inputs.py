"""Documents in files, folders, archives and files of records, and in memory, read in batches."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from itertools import groupby, islice
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import NamedTuple, TypeVar

from sdtext.errors import UnreadableError
from sdtext.io.remote_files import remote_address
from sdtext.model import Problem
from sdtext.reading.archive_members import content_at, display_name
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import (
    Run,
    batched,
    cut_batches,
    is_within_limits,
    process_document,
    process_record,
)
from sdtext.reading.read_document import Source
from sdtext.reading.records.record import Fields, InputDocument
from sdtext.reading.records.record_files import longest_text, records_at, records_in
from sdtext.reading.walk import Paths, documents_in, path_list, size_of, walk
from sdtext.text.document import Document, are_clean, document_of_clean

RECORD = "record"
"""In the metadata of a document that is a record: its file and name, as in a collection."""

DocumentInputs = str | Path | Document | Sequence[str | Path | Document]
"""Paths of files and folders, and documents in memory: one of these, or several."""

_STDIN = "-"
_RECORDS = 500  # in a batch
_CHARACTERS = 2 << 20
_DIGEST_BYTES = 16
_CHECKED = 32  # records whose texts are checked together
_EMPTY = Document("", "")

Result = TypeVar("Result")


@dataclass(frozen=True)
class Inputs:
    """Files, folders and archives, and files of records at `paths`.

    A file of records (JSON lines, Parquet; CSV, TSV or a JSON array with the field of texts) is one
    where it is named itself; one in a folder is a document like any other. "-" is the standard
    input: records if its content begins as a file of records does.
    `fields` names the fields of a record that hold its text and its name. `metadata` is a file with
    metadata of the documents, CSV or JSON lines; it is not added itself.
    """

    paths: Paths
    fields: Fields = field(default_factory=Fields)
    metadata: str | Path | None = None


def documents_and_paths(given: DocumentInputs) -> tuple[list[Document], list[Path]]:
    """The documents in memory and the paths among the inputs of a function.

    >>> documents_and_paths(["a.txt", Document.of("Bees dance.", "b")])
    ([<document 'b' of 11 characters: 'Bees dance.'>], [PosixPath('a.txt')])
    """
    items = [given] if isinstance(given, str | PathLike | Document) else [*given]
    documents = [item for item in items if isinstance(item, Document)]
    return documents, path_list([item for item in items if not isinstance(item, Document)])


@dataclass(frozen=True)
class InputFile:
    """A file to add: one document, or a file of records.

    `name` is relative to the folder `root`. Records have names of their own, and their root is
    the file itself.
    """

    path: Path
    root: str
    name: str = ""

    @property
    def records(self) -> bool:
        """Whether it holds records."""
        return not self.name


def input_files(inputs: Inputs, run: Run) -> list[InputFile]:
    """All files to add, in the order of the paths, each once."""
    seen = {_absolute(inputs.metadata)} if inputs.metadata else set()
    files: list[InputFile] = []
    for path in path_list(inputs.paths):
        form, what = records_at(path, run.reading, inputs.fields)
        some: Iterable[InputFile]
        if form:
            root = _STDIN if str(path) == _STDIN else _absolute(path)
            some = (InputFile(file, root) for file in walk(path, run.note, run.reading.selection))
        else:
            if what:
                what = f"is read as one document, and is {what}"
                run.note(Problem.at("warning", "table", path, what))
            some = []
            for file in documents_in(path, run.reading, run.note):
                if path in file.parents:
                    name = file.relative_to(path).as_posix()
                    some.append(InputFile(file, _absolute(path), name))
                else:  # a file named itself, or in an archive that is
                    name = display_name(file)
                    folder = Path(_absolute(file)).parents[name.count("/")]
                    some.append(InputFile(file, str(folder), name))
        for each in some:
            place = _absolute(each.path)
            if place not in seen:
                seen.add(place)
                files.append(each)
    return files


def read_inputs(files: Sequence[InputFile], fields: Fields, run: Run) -> Iterator[Document]:
    """The documents and records in `files`; what cannot be read is a problem of the run.

    With several files, the source of a record is FILE#ID, else its ID.
    """
    for file in files:
        if file.records:
            for record in records_in(file.path, fields, run.note, run.reading):
                name = f"{file.path}#{record.name}" if len(files) > 1 else record.name
                document = process_record(record.text, name, record.place, run.reading)
                if isinstance(document, Problem):
                    run.note(document)
                else:
                    yield replace(document, metadata={RECORD: f"{file.root}/{record.name}"})
        else:
            document = process_document(file.path, run.reading, Source.document)
            if isinstance(document, Problem):
                run.note(document)
            else:
                yield document
        run.step(1, len(files))


def size_at(path: Path, reading: Reading) -> int:
    """The size of a file in bytes, of one in an archive, too; 0 if unknown."""
    if size := size_of(path):
        return size
    try:
        content = content_at(path, reading.max_bytes, reading.limits)
        if str(path) == _STDIN:
            return sum(map(len, content.blocks()))
    except (OSError, ValueError, UnreadableError):
        return 0
    return content.stored.size if content.stored else 0


def longest_of(files: Iterable[InputFile], fields: Fields, reading: Reading) -> int:
    """The length of the longest text: of records in characters, else its file's size in bytes."""
    lengths = (
        longest_text(file.path, fields, reading) if file.records else size_at(file.path, reading)
        for file in files
    )
    return max(lengths, default=0)


def _absolute(path: str | Path) -> str:
    return remote_address(path) or os.path.abspath(path)  # noqa: PTH100 (links stay)


def input_batches(
    files: Sequence[InputFile], fields: Fields, run: Run, held: Iterable[InputDocument] = ()
) -> Iterator[list[InputDocument]]:
    """The documents of `files` in batches, after those that are `held` in memory."""
    yield from in_batches(held)
    for are_records, group in groupby(files, key=attrgetter("records")):
        some = list(group)
        if are_records:
            for file in some:
                records = records_in(file.path, fields, run.note, run.reading, file.root)
                yield from in_batches(records)
            continue
        for chosen in batched(some, run.jobs):
            yield [InputDocument(file.root, file.name, file.path) for file in chosen]


def in_batches(items: Iterable[InputDocument]) -> Iterator[list[InputDocument]]:
    """Records in batches of at most 500, or of one text over about 2 million characters."""
    return cut_batches(items, lambda item: len(item.text), _CHARACTERS, _RECORDS)


class ReadInput(NamedTuple):
    """A document that was read, with the size in bytes and the digest of its content.

    Without digests these are 0 and "". An unchanged document has not been read and is empty.
    """

    item: InputDocument
    document: Document
    size: int = 0
    digest: str = ""

    @property
    def is_unchanged(self) -> bool:
        """Whether its content still has the digest that the input names."""
        return bool(self.digest) and self.digest == self.item.digest


def read_batch(
    items: Iterable[InputDocument],
    reading: Reading,
    problems: list[Problem],
    *,
    offsets: bool = True,
    digests: bool = False,
) -> Iterator[ReadInput]:
    """The documents that can be read within the limits of `reading`; `problems` gets the others.

    Without `offsets` documents of records have no offset map.
    """
    every = iter(items)
    while group := list(islice(every, _CHECKED)):
        texts = [item.text for item in group if item.path is None]
        clean = bool(texts) and is_within_limits(max(texts, key=len), reading) and are_clean(texts)
        for item in group:
            known = item.document
            if clean and item.text:
                known = document_of_clean(item.text, item.name)
            row: ReadInput | Problem
            if item.path is not None:
                row = process_document(item.path, reading, partial(_read, item, digests=digests))
            elif known and not digests:
                row = ReadInput(item, known)
            else:
                row = _read_text(item, known, reading, offsets=offsets, digests=digests)
            if isinstance(row, Problem):
                problems.append(row)
            else:
                problems.extend(row.document.problems)
                yield row


def _read(item: InputDocument, source: Source, *, digests: bool) -> ReadInput:
    """The document of a file, unless it is unchanged."""
    row = ReadInput(item, _EMPTY, *(size_and_digest(source.content.blocks()) if digests else ()))
    return row if row.is_unchanged else row._replace(document=source.document())


def _read_text(
    item: InputDocument, known: Document | None, reading: Reading, *, offsets: bool, digests: bool
) -> ReadInput | Problem:
    """A document in memory or of a record, which is known if it takes no work."""
    text, size, digest = known.text if known else item.text, 0, ""
    if digests:
        size, digest = size_and_digest([text.encode("utf-8", "surrogatepass")])
        if digest == item.digest:
            return ReadInput(item, _EMPTY, size, digest)
    document = known or process_record(text, item.name, item.called, reading, offsets=offsets)
    return document if isinstance(document, Problem) else ReadInput(item, document, size, digest)


def size_and_digest(blocks: Iterable[bytes]) -> tuple[int, str]:
    """The size and the digest of the content of a document; of a text those of its UTF-8."""
    digest = blake2b(digest_size=_DIGEST_BYTES)
    size = 0
    for block in blocks:
        digest.update(block)
        size += len(block)
    return size, digest.hexdigest()
