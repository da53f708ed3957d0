"""Collections: documents with what was computed of them, in a folder on disk.

A folder NAME.sdx holds `catalog.sqlite`, which alone decides what is committed; `segments/N/*.npy`,
immutable columns; `dictionaries/`; and `lock`, which a writer holds.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_types import StoredDocument, as_given, as_stored
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.schema import TEXT, decoded_text
from sdtext.collections.storage.catalog import BLOCK, Catalog
from sdtext.collections.storage.collection_meta import (
    LATER,
    REMEDY,
    CollectionMeta,
    DamagedCollectionError,
    coefficients_of,
    damage,
    dictionary_file,
    dictionary_in,
    fault_of,
)
from sdtext.collections.storage.derived_cache import damaged_in
from sdtext.collections.storage.segments import (
    SEGMENTS,
    SegmentEntry,
    StoredSegment,
    faults_of_files,
)
from sdtext.collections.storage.writer import (
    SEGMENT_BYTES,
    CollectionWriter,
    WritableFolder,
    check_free,
)
from sdtext.errors import FormatError, MismatchError, OptionError, SdtextError, UnreadableError
from sdtext.fingerprinting.load_and_save import save
from sdtext.io.output import place_of
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.model import DictionaryReference, Origin, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import CheckedRecipe, checked_recipe
from sdtext.reading.walk import CATALOG
from sdtext.wording import brief, counted, reason, shown

_NAMES_AT_ONCE = 500  # SQLite takes some 30,000 values
_NUMBER = re.compile("[1-9][0-9]{0,17}")  # such as SQLite can hold
_COLUMNS = "id, name, root, size, digest, metadata"
_WITH_ID = "id IN (SELECT value FROM json_each(?))"
_TRIES = 100  # a try fails when a writer merges segments away meanwhile
_IN_CATALOG = f"/{CATALOG}"
DAMAGED = "damaged"
Row = tuple[Any, ...]
_PlacedRow = tuple[Row, int, int]


class StoredCollection:
    """A collection of documents, in the state in which it was opened.

    `guid` and `created` identify it. The state stays readable whatever is committed later, even if
    segments are merged away; `refresh` moves on to the current one. Unless `verify` is false, the
    checksum of each file and of each block of documents is verified when the process first reads
    it; lengths and ranges are checked in any case. With `skip_damaged` all segments are read at
    once, and damaged ones are left out.

    >>> from sdtext.collections.document_types import DocumentRows, NewDocument
    >>> from sdtext.model import PartSpec
    >>> collection = StoredCollection.create(folder / "new.sdx", RecipeSpec(PartSpec("words")))
    >>> with collection.writing() as writer:
    ...     ids = writer.add(DocumentRows([NewDocument("bees.txt")], {}))
    >>> with StoredCollection.open(folder / "new.sdx") as collection:
    ...     [document.name for document in collection]
    ['bees.txt']
    """

    meta: CollectionMeta
    """What applies to it as a whole, in the state that is read."""

    def __init__(
        self,
        path: str | Path,
        meta: CollectionMeta | None = None,
        *,
        verify: bool = True,
        skip_damaged: bool = False,
        temporary: bool = False,
    ) -> None:
        self.path = Path(path)
        self.name = "temporary collection" if temporary else shown(path)
        """Its path as one printable line, for messages."""
        self.temporary = temporary
        self.verifies, self.skips_damaged = verify, skip_damaged
        self.home = Path(path).absolute()
        self._closed = False
        self._documents_verified = not verify
        if meta:
            self._identify(meta)
        # The state, which has no catalog before the first commit of a new collection.
        self._catalog: Catalog | None = None
        self.removed: NDArray[np.int64] = np.empty(0, np.int64)
        self.skipped: tuple[tuple[SegmentEntry, SdtextError], ...] = ()
        """Damaged segments that are left out, each with what is wrong with it."""
        self.problems: tuple[Problem, ...] = ()
        """A warning for each of these."""
        self._segments: tuple[StoredSegment, ...] = ()
        self._firsts: NDArray[np.int64] = np.empty(0, np.int64)
        self._verified_blocks: set[tuple[int, int]] = set()

    def _identify(self, meta: CollectionMeta) -> None:
        self._check_same(meta)
        self.meta = meta
        self.guid, self.created = meta.guid, meta.created
        self.keeps_text, self.coefficients = meta.keeps_text, meta.coefficients

    def _check_same(self, meta: CollectionMeta) -> None:
        known = getattr(self, "meta", meta)
        if replace(meta, **{key: getattr(known, key) for key in LATER}) != known:
            raise MismatchError("was recreated by another process; open it again", file=self.name)

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = True, skip_damaged: bool = False) -> Self:
        """The collection at `path` in its current state.

        Raises UnreadableError if there is none, FormatError if it is damaged.
        """
        collection = cls(path, verify=verify, skip_damaged=skip_damaged)
        collection.refresh()
        return collection

    @classmethod
    def create(
        cls,
        path: str | Path,
        recipe: RecipeSpec,
        dictionaries: Sequence[Dictionary] = (),
        origin: Origin | None = None,
        *,
        keeps_text: bool = False,
        temporary: bool = False,
    ) -> Self:
        """A new collection; its folder appears with its first commit, whole or not at all.

        The recipe's reader is not stored, because it may be a program. What is written to a
        `temporary` one, to which nobody else has access, is not verified. Raises OutputError if
        something is at `path`, or there is no folder for it.
        """
        check_free(path, shown(path))
        place_of(path)
        origin = origin or Origin()
        checked = checked_recipe(replace(recipe, reader=None))
        meta = CollectionMeta(
            checked,
            origin.guid,
            origin.created,
            tuple(dictionary.digest for dictionary in dictionaries),
            keeps_text,
            coefficients_of(checked.fingerprint),
        )
        collection = cls(path, meta, verify=not temporary, temporary=temporary)
        collection.__dict__["dictionaries"] = tuple(dictionaries)
        return collection

    def refresh(self) -> None:
        """Move on to the current state. Raises as `open` does."""
        _check_folder(self.home, self.name)
        before: list[Row] | None = None
        for _ in range(_TRIES):
            catalog = Catalog.reading(self.home, self.name)
            now = catalog.rows("SELECT number FROM segments ORDER BY number")
            try:
                self._read_state(catalog, settled=now == before)
            except FileNotFoundError as error:
                # A writer may have merged that segment away: then the list of segments has changed.
                if now == before:
                    raise self._missing(error) from error
                before = now
            except OSError as error:
                what = os.path.relpath(error.filename or self.home, self.home)
                raise UnreadableError(f"{what}: {reason(error)}", file=self.name) from error
            else:
                return
        what = "changes faster than it can be opened; try again later"
        raise UnreadableError(what, file=self.name)

    def _read_state(self, catalog: Catalog, *, settled: bool) -> None:
        """Open the segments. FileNotFoundError for a missing one unless their list is `settled`."""
        meta = catalog.meta()
        ids = catalog.rows("SELECT id FROM documents WHERE removed IS NOT NULL ORDER BY id")
        removed = np.array(ids, np.int64).reshape(-1)
        segments: list[StoredSegment] = []
        skipped: list[tuple[SegmentEntry, SdtextError]] = []
        problems: list[Problem] = []
        rows = catalog.rows("SELECT number, rows, files, documents FROM segments ORDER BY number")
        for entry in [SegmentEntry.read(row, meta.kinds, self.name) for row in rows]:
            documents = f"{'up to ' * bool(len(removed))}{counted(entry.rows, 'document')}"
            try:
                segment = StoredSegment(
                    entry, self.home, self.name, meta.kinds, removed, verify=self.verifies
                )
                documents = counted(int(segment.alive.sum()), "document")
                if self.skips_damaged:
                    segment.check_consistent()
                segments.append(segment)
            except (SdtextError, FileNotFoundError) as cause:
                is_missing = isinstance(cause, FileNotFoundError)
                if not self.skips_damaged or (is_missing and not settled):
                    raise
                error = self._missing(cause) if isinstance(cause, FileNotFoundError) else cause
                what = f"segment {entry.number} with {documents} is left out of all results"
                skipped.append((entry, error))
                path = str(self.home / SEGMENTS / str(entry.number))
                message = f"{fault_of(error)}; {what}"
                problems.append(Problem("warning", "skipped-segment", message, path))
        segments.sort(key=lambda segment: int(segment.ids[0]))
        firsts = np.array([segment.ids[0] for segment in segments], np.int64)
        ends = [int(segment.ids[-1]) for segment in segments]
        if any(end >= first for end, first in zip(ends, firsts[1:], strict=False)):
            raise damage(self.name, "its segments overlap")  # each document has one row
        if self.verifies:
            catalog.check_digest()
        self._identify(meta)
        self._catalog, self.removed = catalog, removed
        self._segments, self._firsts = tuple(segments), firsts
        self.skipped, self.problems = tuple(skipped), tuple(problems)
        self.__dict__.pop("_live", None)

    def _missing(self, error: FileNotFoundError) -> SdtextError:
        return damage(self.name, f"{os.path.relpath(error.filename, self.home)} is missing")

    def __repr__(self) -> str:
        if self._closed:
            return "<closed collection>"
        name = self.name if self.temporary else f"collection {self.name}"
        return f"<{name} of {counted(len(self), 'document')}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the files; every later use raises OptionError."""
        self._catalog, self._segments = None, ()
        self._closed = True

    def check_open(self) -> None:
        """OptionError if the collection has been closed."""
        if self._closed:
            what = "the collection is closed; open it again"
            if self.temporary:
                what = "the temporary collection is closed, and was removed with that"
            raise OptionError(what)

    @property
    def catalog(self) -> Catalog | None:
        """The catalog in the state that is read, None before the first commit of a new one."""
        self.check_open()
        return self._catalog

    @property
    def recipe(self) -> CheckedRecipe:
        """The recipe by which its columns were computed."""
        self.check_open()
        return self.meta.recipe

    @cached_property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        """The dictionaries of its bit vectors. Raises FormatError."""
        dictionaries = []
        for digest in self.meta.dictionaries:
            try:
                dictionaries.append(dictionary_in(self.home, digest))
            except SdtextError as error:
                path = shown(dictionary_file(self.home, digest))
                raise damage(path, str(error)) from error
        return tuple(dictionaries)

    @cached_property
    def references(self) -> dict[str, DictionaryReference]:
        """The dictionaries that its bit vectors were made with, by their digests."""
        return {item.digest: item.reference() for item in self.dictionaries}

    def segments(self, over: DictionaryReference | None = None) -> list[StoredSegment]:  # noqa: ARG002 (each has all vectors)
        """Its segments, in the order of the ids in them."""
        self.check_open()
        return [*self._segments]

    def __contains__(self, document: object) -> bool:
        """Whether one of its documents has this name (3 is "3"), or is this `StoredDocument`."""
        if isinstance(document, StoredDocument):
            return document in self.take([document.id])
        return isinstance(document, int | str) and any(self.named([str(document)]))

    def __len__(self) -> int:
        """The number of documents that are not removed."""
        self.check_open()
        if self.skipped:
            return sum(int(segment.alive.sum()) for segment in self._segments)
        return sum(segment.rows for segment in self._segments) - len(self.removed)

    def __iter__(self) -> Iterator[StoredDocument]:
        return self.documents()

    def ids(self, where: str | None = None) -> NDArray[np.int64]:
        """The ids of its documents, or of those that `where` selects, in rising order."""
        catalog = self.catalog
        if where is None or catalog is None or not len(self._live):
            return self._live
        self._verify_documents()
        ids = np.array(catalog.ids_where(where), np.int64)
        return ids[np.isin(ids, self._live)] if self.skipped else ids

    @cached_property
    def _live(self) -> NDArray[np.int64]:
        """The ids of all documents."""
        return np.concatenate([np.empty(0, np.int64), *(s.ids[s.alive] for s in self._segments)])

    def documents(self, where: str | None = None) -> Iterator[StoredDocument]:
        """Its documents in the order of their ids, or those that `where` selects.

        `where` is a condition, such as `"year >= 2019"`. Raises OptionError.
        """
        if where is None:
            return self._documents("1", [])
        return self._documents(_WITH_ID, [json.dumps(self.ids(where).tolist())])

    def named(self, names: Sequence[str], root: str | None = None) -> Iterator[StoredDocument]:
        """Its documents with these names, and the folder `root`, if given, by their ids."""
        condition = f"name IN ({', '.join('?' * len(names))})"
        values: list[Any] = [as_stored(name) for name in names]
        if root is not None:
            condition, values = f"root = ? AND {condition}", [as_stored(root), *values]
        return self._documents(condition, values)

    def take(self, ids: Iterable[int]) -> list[StoredDocument]:
        """The documents with these ids, in the order given, without unknown ids.

        Only their rows are verified. Raises FormatError if the catalog lacks one that a segment
        has.
        """
        wanted = [*map(int, ids)]
        rows = self._rows(_WITH_ID, [json.dumps(sorted({*wanted}))])
        by_id = {row[0][0]: self._document(*row) for row in rows}
        if unknown := [number for number in wanted if number not in by_id]:
            missing = np.intersect1d(unknown, self._live)
            if len(missing):
                raise damage(f"{self.name}{_IN_CATALOG}", f"document {missing[0]} is missing")
        return [by_id[number] for number in wanted if number in by_id]

    def _documents(self, condition: str, values: list[Any]) -> Iterator[StoredDocument]:
        self._verify_documents()
        return (self._document(*row) for row in self._rows(condition, values))

    def _verify_documents(self) -> None:
        """FormatError unless all documents are as they were committed: all are read once."""
        if self._documents_verified or (catalog := self.catalog) is None:
            return
        for fault in catalog.integrity_faults():
            raise damage(f"{self.name}{_IN_CATALOG}", fault)
        for segment in self._segments:
            for block in range(len(segment.entry.documents)):
                self._verify_block(catalog, segment, block)
        self._documents_verified = True  # those that come later are verified block by block

    def _verify_block(self, catalog: Catalog, segment: StoredSegment, block: int) -> None:
        if (segment.number, block) not in self._verified_blocks:
            catalog.check_block(segment, block)
            self._verified_blocks.add((segment.number, block))

    def _rows(self, condition: str, values: list[Any]) -> Iterator[_PlacedRow]:
        """The rows of documents in the catalog, with the numbers of their segments and rows there.

        They are those of the state at the time of the call.
        """
        if (catalog := self.catalog) is None:
            return iter(())
        statement = (
            f"SELECT {_COLUMNS} FROM documents WHERE removed IS NULL AND ({condition}) ORDER BY id"  # noqa: S608 (text of the user is in the values)
        )
        segments, firsts = self._segments, self._firsts
        present = set(self._live.tolist()) if self.skipped else None

        def placed() -> Iterator[_PlacedRow]:
            for batch in catalog.batches(statement, values):
                there = [row for row in batch if present is None or row[0] in present]
                ids = np.array([row[0] for row in there], np.int64)
                which = np.searchsorted(firsts, ids, "right") - 1
                rows = np.full(len(ids), -1)
                for place in distinct(which[which >= 0]):
                    chosen, own = which == place, segments[place].ids
                    nearest = np.minimum(np.searchsorted(own, ids[chosen]), len(own) - 1)
                    rows[chosen] = np.where(own[nearest] == ids[chosen], nearest, -1)
                    if self.verifies:
                        for block in distinct(nearest // BLOCK):
                            self._verify_block(catalog, segments[place], int(block))
                if (rows < 0).any():
                    raise damage(self.name, f"document {ids[rows.argmin()]} is in no segment")
                numbers = [segments[place].number for place in which]
                yield from zip(there, numbers, rows.tolist(), strict=True)

        return placed()

    def _document(self, values: Row, segment: int, row: int) -> StoredDocument:
        number, name, root, size, digest, text = values
        try:
            names = as_given(name), as_given(root)
            metadata = json.loads(text)
            if not isinstance(metadata, dict) or not isinstance(size, int):
                raise ValueError(metadata)
        except (ValueError, TypeError, RecursionError) as error:
            what = f"the catalog row of document {number} cannot be read"
            raise damage(f"{self.name}{_IN_CATALOG}", what) from error
        return StoredDocument(number, *names, size, str(digest), segment, row, metadata)

    def selected(
        self, names: Sequence[str], where: str | None = None
    ) -> tuple[set[int], list[Problem]]:
        """The ids of the documents with these names, and of those that `where` selects.

        A name that no document has may be an id. A name that none has, or several documents of
        different folders have, is a problem.
        """
        problems: list[Problem] = []
        by_name: dict[str, list[int]] = {name: [] for name in names}
        every = [*by_name]
        for start in range(0, len(every), _NAMES_AT_ONCE):
            for document in self.named(every[start : start + _NAMES_AT_ONCE]):
                by_name[document.name].append(document.id)
        numbers = [name for name in every if not by_name[name] and _NUMBER.fullmatch(name)]
        for document in self.take(map(int, numbers)):
            by_name[str(document.id)].append(document.id)
        selected = set(self.ids(where).tolist()) if where else set()
        for name, ids in by_name.items():
            if len(ids) == 1:
                selected.add(ids[0])
                continue
            category, what = "missing", f"has no document called {brief(name)}"
            if ids:
                listed = ", ".join(map(str, ids[:5])) + (", …" if len(ids) > 5 else "")
                category = "ambiguous"
                what = f"has {len(ids):,} documents called {brief(name)}; name one by its number: "
                what += listed
            problems.append(Problem("error", category, f"{self.name}: {what}", name, what))
        return selected, problems

    def text_with_id(self, number: int) -> str:
        """The stored text of the document with this id, which it must have.

        Raises MismatchError if the collection stores no texts, FormatError if it is damaged.
        """
        return self.text_of(self.take([number])[0])

    def text_of(self, document: StoredDocument) -> str:
        """The stored text of a document. Raises as `text_with_id`."""
        self.check_keeps_text()
        segment = next(s for s in self.segments() if s.number == document.segment)
        try:
            return decoded_text(segment.ragged(TEXT)[document.row])
        except (KeyError, UnicodeDecodeError) as error:
            raise damage(self.name, f"the text of document {document.id} cannot be read") from error

    def check_keeps_text(self) -> None:
        """MismatchError if the collection stores no texts."""
        if not self.keeps_text:
            what = "was created without texts; create it again with keep_text"
            raise MismatchError(what, file=self.name)

    @contextmanager
    def writing(self, segment_bytes: int = SEGMENT_BYTES) -> Iterator[CollectionWriter]:
        """The right to write; without an error, the end of the block commits what waits.

        After an error, earlier commits are kept. Raises OutputError at once if another process is
        writing, MismatchError if this sdtext would compute other sketches.
        """
        if self.skips_damaged:
            raise OptionError("without its damaged segments a collection is only read")
        if self.coefficients != coefficients_of(self.recipe.fingerprint):
            what = "its sketches have other coefficients than those of this sdtext"
            raise MismatchError(f"{what}; create the collection again", file=self.name)

        def refreshed() -> Sequence[StoredSegment]:
            self.refresh()
            return self._segments

        with closing(self._writable_folder()) as folder:
            writer = CollectionWriter(folder, refreshed, segment_bytes)
            try:
                yield writer
                writer.commit()
            finally:
                writer.end()

    def _writable_folder(self) -> WritableFolder:
        if self.catalog is None:
            check_free(self.home, self.name)
            return WritableFolder.new(self.home, self.name, self.meta, self.dictionaries)
        folder = WritableFolder.existing(self.home, self.name)
        try:
            self._check_same(folder.catalog.meta())
        except MismatchError:
            folder.close()
            raise
        return folder

    def store_calibrations(self, dictionary: Dictionary) -> None:
        """Store a dictionary of the collection with new calibrations.

        Raises MismatchError for another dictionary, OutputError if another process is writing.
        """
        if dictionary.digest not in self.meta.dictionaries:
            what = f"has no bit vectors over the dictionary {shown(dictionary.name)}"
            raise MismatchError(what, file=self.name)
        with closing(self._writable_folder()) as folder:
            save(dictionary, dictionary_file(folder.home, dictionary.digest), replaces=True)
        self.__dict__.pop("dictionaries", None)

    def compact(self) -> bool:
        """Merge all segments into one, without any trace of removed documents.

        False if a reader that opened the collection earlier keeps such traces until it ends.
        Raises OutputError; FormatError for a damaged segment, whose damage a copy would hide.
        """
        with self.writing() as writer:
            return writer.compact()

    def verify(self) -> Iterator[Problem]:
        """The faults of what is on disk, none if it is whole."""
        return iter(()) if self.catalog is None else faults_at(self.home, self.name)

    def remove_ids(self, documents: Iterable[int]) -> int:
        """Remove documents by id; the number of those that were there. Raises OutputError."""
        before = len(self)
        with self.writing() as writer:
            writer.remove(documents)
        return before - len(self)


def faults_at(home: Path, name: str) -> Iterator[Problem]:
    """The faults of the collection called `name` in the folder `home`, none if it is whole.

    Every byte is read, also of what this process has verified before.
    """
    try:
        collection = StoredCollection(home, verify=False, skip_damaged=True)
        collection.name = name
        collection.refresh()
        remedied = ((path, f"{words}; {REMEDY}") for path, words in _faults(collection))
        derived = (damaged_in(segment.folder) for segment in collection.segments())
        for path, words in chain(remedied, *derived):
            what = f"is damaged: {words}"
            yield Problem("error", DAMAGED, f"{shown(path)}: {what}", os.fspath(path), what)
    except SdtextError as error:
        yield Problem.of(error, name)
    except OSError as error:
        yield Problem("error", "unreadable", f"{name}: cannot be read: {reason(error)}", name)


def _faults(collection: StoredCollection) -> Iterator[tuple[str | Path, str]]:
    catalog, meta = collection.catalog, collection.meta
    if catalog is None:
        return
    home, name, segments = collection.home, collection.name, collection.segments()
    yield from ((home / CATALOG, words) for words in _faults_of_catalog(catalog, segments))
    for segment in segments:
        yield from faults_of_files(segment.folder, segment.entry.files)
    for entry, error in collection.skipped:  # its damaged files, else why it cannot be used
        path = home / SEGMENTS / str(entry.number)
        faults = list(faults_of_files(path, entry.files))
        yield from faults or [(path, getattr(error, "fault", error.what))]
    listed = np.array(
        [
            row[0]
            for batch in catalog.batches("SELECT id FROM documents ORDER BY id")
            for row in batch
        ],
        np.int64,
    )
    rows = np.concatenate([listed[:0], *(segment.ids for segment in segments)])
    if not (collection.skipped or np.array_equal(listed, rows)):
        yield name, "its catalog and its segments list different documents"
    if len(listed) and listed[-1] >= meta.next_document:
        yield name, "it would reuse the number of a document"
    for digest in meta.dictionaries:
        try:
            dictionary_in(home, digest)
        except SdtextError as error:
            yield dictionary_file(home, digest), str(error)
    if meta.coefficients != coefficients_of(meta.recipe.fingerprint):
        yield name, "its coefficients do not belong to its recipe"


def _faults_of_catalog(catalog: Catalog, segments: Sequence[StoredSegment]) -> Iterator[str]:
    try:
        catalog.check_digest()
    except DamagedCollectionError as error:
        yield error.fault
    yield from catalog.integrity_faults()
    for segment in segments:
        for block in range(len(segment.entry.documents)):
            try:
                catalog.check_block(segment, block)
            except DamagedCollectionError as error:
                yield error.fault


def are_same(
    left: StoredCollection | MemoryCollection,
    right: StoredCollection | MemoryCollection,
    note: Callable[[Problem], None],
) -> bool:
    """Whether one is the other, or a copy of it, which is noted.

    Those without a GUID are the same by folder.
    """
    same = left is right
    if isinstance(left, StoredCollection) and isinstance(right, StoredCollection):
        same = same or left.path.absolute() == right.path.absolute()
        same = same or (left.guid == right.guid != "" and np.array_equal(left.ids(), right.ids()))
    if same:
        what = "both are the same collection: its documents are compared with one another, "
        note(Problem("warning", "same-collection", f"{what}each pair once"))
    return same


def _check_folder(home: Path, name: str) -> None:
    """UnreadableError or FormatError if there is no collection in `home`."""
    try:
        home.stat()
        if (home / CATALOG).is_file() and not (home / CATALOG).is_symlink():
            return
    except (OSError, ValueError) as error:
        what = "there is no such collection; AddDocuments creates one"
        if isinstance(error, PermissionError):
            what = "permission denied"
        raise UnreadableError(what, file=name) from error
    if (home / SEGMENTS).is_dir() and not os.path.lexists(home / CATALOG):
        raise damage(name, f"{CATALOG} is missing")
    what = "is not an sdtext collection; AddDocuments makes one of documents, under another name"
    raise FormatError(what, file=name)
