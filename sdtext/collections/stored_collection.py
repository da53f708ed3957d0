"""Collections: documents with what was computed of them, in a folder on disk.

A folder NAME.sdx holds `catalog.sqlite`, which alone decides what is committed; `segments/N/*.npy`,
immutable columns; `dictionaries/`; and `lock`, which a writer holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_types import DocumentRows, NewDocument, StoredDocument
from sdtext.collections.integrity import faults_at
from sdtext.collections.schema import TEXT, decoded_text
from sdtext.collections.snapshot import Checks, Snapshot
from sdtext.collections.storage.arrays import Kinds
from sdtext.collections.storage.collection_meta import (
    Coefficients,
    CollectionMeta,
    coefficients_of,
    damage,
    dictionary_file,
    dictionary_in,
)
from sdtext.collections.storage.segments import StoredSegment
from sdtext.collections.storage.writer import (
    SEGMENT_BYTES,
    CollectionWriter,
    WritableFolder,
    check_free,
)
from sdtext.errors import MismatchError, OptionError, SdtextError
from sdtext.fingerprinting.load_and_save import save
from sdtext.io.output import place_of
from sdtext.model import DictionaryReference, Origin, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import CheckedRecipe, checked_recipe
from sdtext.wording import brief, counted, shown

__all__ = [
    "Checks",
    "CollectionWriter",
    "DocumentRows",
    "NewDocument",
    "OpenCollection",
    "StoredCollection",
    "StoredDocument",
    "StoredSegment",
    "stored_in",
]

_NAMES_AT_ONCE = 500  # SQLite takes some 30,000 values
_NUMBER = re.compile("[1-9][0-9]{0,17}")  # such as SQLite can hold


class StoredCollection:
    """A collection of documents, in the state in which it was opened.

    `guid` and `created` identify it. `refresh` moves on to what others committed later. `checks`
    tell how its content is checked; by default, whatever is read of it is verified first.

    >>> from sdtext.model import PartSpec
    >>> collection = StoredCollection.create(folder / "new.sdx", RecipeSpec(PartSpec("words")))
    >>> with collection.writing() as writer:
    ...     ids = writer.add(DocumentRows([NewDocument("bees.txt")], {}))
    >>> with StoredCollection.open(folder / "new.sdx") as collection:
    ...     [document.name for document in collection]
    ['bees.txt']
    """

    def __init__(
        self,
        path: str | Path,
        meta: CollectionMeta,
        snapshot: Snapshot | None,
        checks: Checks,
        *,
        temporary: bool = False,
    ) -> None:
        self.path = Path(path)
        self.name = "temporary collection" if temporary else shown(path)
        """Its path as one printable line, for messages."""
        self.guid: str = meta.guid
        self.created: str = meta.created
        self.keeps_text: bool = meta.keeps_text
        self.coefficients: Coefficients | None = meta.coefficients
        self.temporary = temporary
        self.meta = meta
        self._home = Path(path).absolute()
        self._snapshot = snapshot
        self._checks = checks
        self._closed = False

    @classmethod
    def open(cls, path: str | Path, checks: Checks | None = None) -> Self:
        """The collection at `path` in its current state.

        Raises UnreadableError if there is none, FormatError if it is damaged.
        """
        checks = checks or Checks()
        snapshot = Snapshot.of(Path(path).absolute(), shown(path), checks)
        return cls(path, snapshot.meta, snapshot, checks)

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
        collection = cls(path, meta, None, Checks(verify=not temporary), temporary=temporary)
        collection.__dict__["dictionaries"] = tuple(dictionaries)
        return collection

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
        self._snapshot = None
        self._closed = True

    @property
    def recipe(self) -> CheckedRecipe:
        """The recipe by which its columns were computed."""
        self.check_open()
        return self.meta.recipe

    @property
    def columns(self) -> Kinds:
        """The types of its columns by their names; none before the first document."""
        return (self.state or self).meta.kinds

    @property
    def sdtext_version(self) -> str:
        """The version of the sdtext that computed its rows, "" if it is not known or not one."""
        return (self.state or self).meta.sdtext_version

    @property
    def state(self) -> Snapshot | None:
        """The state that is read, None before the first commit of a new collection."""
        self.check_open()
        return self._snapshot

    @property
    def problems(self) -> tuple[Problem, ...]:
        """A warning for each damaged segment that is left out."""
        skipped = self.state.skipped if self.state is not None else ()
        return tuple(segment.problem for segment in skipped)

    def check_open(self) -> None:
        """OptionError if the collection has been closed."""
        if self._closed:
            what = "the collection is closed; open it again"
            if self.temporary:
                what = "the temporary collection is closed, and was removed with that"
            raise OptionError(what)

    @cached_property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        """The dictionaries of its bit vectors. Raises FormatError."""
        dictionaries = []
        for digest in self.meta.dictionaries:
            try:
                dictionaries.append(dictionary_in(self._home, digest))
            except SdtextError as error:
                path = shown(dictionary_file(self._home, digest))
                raise damage(path, str(error)) from error
        return tuple(dictionaries)

    def __contains__(self, document: object) -> bool:
        """Whether one of its documents has this name (3 is "3"), or is this `StoredDocument`."""
        if isinstance(document, StoredDocument):
            return document in self.taken([document.id])
        return isinstance(document, int | str) and any(self.named([str(document)]))

    def __len__(self) -> int:
        """The number of documents that are not removed."""
        return len(self.state) if self.state is not None else 0

    def __iter__(self) -> Iterator[StoredDocument]:
        return self.documents()

    def documents(self, where: str | None = None) -> Iterator[StoredDocument]:
        """Its documents in the order of their ids, or those that `where` selects.

        `where` is a condition, such as `"year >= 2019"`. Raises OptionError.
        """
        return self.state.documents(where) if self.state is not None else iter(())

    def named(self, names: Sequence[str], root: str | None = None) -> Iterator[StoredDocument]:
        """Its documents with these names, and the folder `root`, if given, by their ids."""
        return self.state.named(names, root) if self.state is not None else iter(())

    def taken(self, ids: Iterable[int]) -> list[StoredDocument]:
        """The documents with these ids, in the order given, without unknown ids."""
        wanted = [*map(int, ids)]
        by_id = self.state.taken(wanted) if self.state is not None else {}
        return [by_id[number] for number in wanted if number in by_id]

    def ids(self, where: str | None = None) -> NDArray[np.int64]:
        """The ids of its documents, or of those that `where` selects, in rising order."""
        return self.state.ids(where) if self.state is not None else np.empty(0, np.int64)

    def selected(
        self, names: Sequence[str], where: str | None, note: Callable[[Problem], None]
    ) -> set[int]:
        """The ids of the documents with these names, and of those that `where` selects.

        A name that no document has may be an id. A name that none has, or several documents of
        different folders have, is noted as a problem.
        """
        by_name: dict[str, list[int]] = {name: [] for name in names}
        every = [*by_name]
        for start in range(0, len(every), _NAMES_AT_ONCE):
            for document in self.named(every[start : start + _NAMES_AT_ONCE]):
                by_name[document.name].append(document.id)
        numbers = [name for name in every if not by_name[name] and _NUMBER.fullmatch(name)]
        for document in self.taken(map(int, numbers)):
            by_name[str(document.id)].append(document.id)
        selected = set(self.ids(where).tolist()) if where else set()
        for name, ids in by_name.items():
            if len(ids) == 1:
                selected.add(ids[0])
                continue
            what = f"has no document called {brief(name)}"
            problem = Problem("error", "missing", f"{self.name}: {what}", name, what)
            if ids:
                listed = ", ".join(map(str, ids[:5])) + (", …" if len(ids) > 5 else "")
                what = (
                    f"has {len(ids):,} documents called {brief(name)}, from different folders; "
                    f"name one by its number: {listed}"
                )
                problem = Problem("error", "ambiguous", f"{self.name}: {what}", name, what)
            note(problem)
        return selected

    @cached_property
    def references(self) -> dict[str, DictionaryReference]:
        """The dictionaries that its bit vectors were made with, by their digests."""
        return {item.digest: item.reference() for item in self.dictionaries}

    def segments(self, over: DictionaryReference | None = None) -> list[StoredSegment]:  # noqa: ARG002 (each has all vectors)
        """Its segments, in the order of the ids in them."""
        return [*self.state.segments] if self.state is not None else []

    def text_with_id(self, number: int) -> str:
        """The stored text of the document with this id, which it must have.

        Raises MismatchError if the collection stores no texts, FormatError if it is damaged.
        """
        return self.text_of(self.taken([number])[0])

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
            raise MismatchError(
                "was created without texts; create it again with keep_text", file=self.name
            )

    def refresh(self) -> Snapshot:
        """Move on to the current state. Raises as `open` does."""
        snapshot = Snapshot.of(self._home, self.name, self._checks)
        if self._snapshot is not None and self._snapshot.documents_verified:
            snapshot.documents_verified = True  # those that came later are verified one by one
        self._snapshot = snapshot
        return snapshot

    @contextmanager
    def writing(self, segment_bytes: int = SEGMENT_BYTES) -> Iterator[CollectionWriter]:
        """The right to write; without an error, the end of the block commits what waits.

        After an error, earlier commits are kept. Raises OutputError at once if another process is
        writing, MismatchError if this sdtext would compute other sketches.
        """
        if self._checks.skip_damaged:
            raise OptionError("without its damaged segments a collection is only read")
        if self.coefficients != coefficients_of(self.recipe.fingerprint):
            raise MismatchError(
                "the coefficients of its sketches are not those that this sdtext "
                "makes for its recipe; create the collection again",
                file=self.name,
            )
        with closing(self._writable_folder()) as folder:
            writer = CollectionWriter(folder, self.refresh, segment_bytes)
            try:
                yield writer
                writer.commit()
            finally:
                writer.end()

    def _writable_folder(self) -> WritableFolder:
        if self.state is None:
            check_free(self._home, self.name)
            return WritableFolder.new(self._home, self.name, self.meta, self.dictionaries)
        folder = WritableFolder.existing(self._home, self.name)
        if not folder.catalog.meta().same_collection(self.meta):
            folder.close()
            raise MismatchError("was recreated by another process; open it again", file=self.name)
        return folder

    def store_calibrations(self, dictionary: Dictionary) -> None:
        """Store a dictionary of the collection with new calibrations.

        Raises MismatchError for another dictionary, OutputError if another process is writing.
        """
        if dictionary.digest not in self.meta.dictionaries:
            raise MismatchError(
                f"has no bit vectors over the dictionary {shown(dictionary.name)}", file=self.name
            )
        with closing(self._writable_folder()) as folder:
            save(dictionary, dictionary_file(folder.home, dictionary.digest), replaces=True)
        self.__dict__.pop("dictionaries", None)

    def remove(self, ids: Iterable[int]) -> int:
        """Remove documents; the number of those that were there. Raises OutputError."""
        before = len(self)
        with self.writing() as writer:
            writer.remove(ids)
        return before - len(self)

    def compact(self) -> bool:
        """Merge all segments into one, without any trace of removed documents.

        False if a reader that opened the collection earlier keeps such traces until it ends.
        Raises OutputError; FormatError for a damaged segment, whose damage a copy would hide.
        """
        with self.writing() as writer:
            return writer.compact()

    def verify(self) -> Iterator[Problem]:
        """The faults of what is on disk, none if it is whole."""
        return faults_at(self._home, self.name) if self.state is not None else iter(())


class OpenCollection(Protocol):
    """What `sdtext.open` and `create` return; `stored` is the collection on disk."""

    @property
    def stored(self) -> StoredCollection: ...


def stored_in(item: object) -> StoredCollection | None:
    """The collection that `item` is, or that is behind an `OpenCollection`; None without one."""
    item = getattr(item, "stored", item)
    return item if isinstance(item, StoredCollection) else None
