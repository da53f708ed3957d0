"""Collections: what is kept of many documents, in a folder on disk.

A folder NAME.sdx holds `catalog.sqlite`, the one thing that is committed; `segments/N/*.npy`,
arrays that never change; `dictionaries/`; and `lock`, which a writer holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_rows import NewDocument, Rows, StoredDocument
from sdtext.collections.integrity import DAMAGED, faults_of
from sdtext.collections.snapshot import Snapshot, Where
from sdtext.collections.storage.meta import (
    REMEDY,
    Carried,
    Coefficients,
    coefficients_of,
    settled_recipe,
)
from sdtext.collections.storage.place import Place, check_free, dictionary_file, dictionary_in
from sdtext.collections.storage.segments import Segment
from sdtext.collections.storage.writer import SEGMENT_BYTES, Writer
from sdtext.errors import FormatError, MismatchError, SdtextError, reason, shown
from sdtext.model import Origin, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.reading.walk import CATALOG

__all__ = ["Collection", "NewDocument", "Rows", "Segment", "StoredDocument", "Writer"]


class Collection:
    """A collection of documents, as it was when it was opened.

    `recipe` says how what is kept was made; `guid` and `created` are those given at its making.
    What is committed later by others is seen after `refresh`.

    >>> from sdtext.model import PartSpec
    >>> collection = Collection.create(folder / "new.sdx", RecipeSpec(PartSpec("words")))
    >>> with collection.writing() as writer:
    ...     ids = writer.add(Rows([NewDocument("bees.txt")], {}))
    >>> [one.name for one in Collection.open(folder / "new.sdx").documents()]
    ['bees.txt']
    """

    def __init__(self, path: str | Path, carried: Carried, snapshot: Snapshot | None) -> None:
        self.path = Path(path)
        self.recipe: RecipeSpec = carried.recipe
        self.guid: str = carried.guid
        self.created: str = carried.created
        self.keeps_text: bool = carried.keeps_text
        self.coefficients: Coefficients | None = carried.coefficients
        self._carried = carried
        self._name = shown(path)
        self._home = Path(path).absolute()
        self._snapshot = snapshot

    @classmethod
    def open(cls, path: str | Path) -> Collection:
        """The collection at `path` as it is now.

        Raises UnreadableError where there is none, FormatError where it is damaged.
        """
        snapshot = Snapshot.of(Path(path).absolute(), shown(path))
        return cls(path, snapshot.carried, snapshot)

    @classmethod
    def create(
        cls,
        path: str | Path,
        recipe: RecipeSpec,
        dictionaries: Sequence[Dictionary] = (),
        origin: Origin | None = None,
        *,
        keeps_text: bool = False,
    ) -> Collection:
        """A new collection; its folder appears with its first commit, whole or not at all.

        The recipe's reader is not kept, for it may be a program. Raises OutputError where
        something is at `path`.
        """
        check_free(path, shown(path))
        origin = origin or Origin()
        recipe = settled_recipe(replace(recipe, reader=None))
        carried = Carried(
            recipe,
            origin.guid,
            origin.created,
            tuple(one.digest for one in dictionaries),
            keeps_text,
            coefficients_of(recipe.fingerprint),
        )
        collection = cls(path, carried, None)
        collection.__dict__["dictionaries"] = tuple(dictionaries)
        return collection

    @cached_property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        """The dictionaries that its bit vectors are made with. Raises FormatError."""
        found = []
        for digest in self._carried.dictionaries:
            try:
                found.append(dictionary_in(self._home, digest))
            except SdtextError as error:
                path = shown(dictionary_file(self._home, digest))
                raise FormatError(f"{path}: is damaged: {error}; {REMEDY}") from error
        return tuple(found)

    def __len__(self) -> int:
        """How many documents are in it that are not removed."""
        return len(self._snapshot) if self._snapshot is not None else 0

    def documents(self, where: Where | None = None) -> Iterator[StoredDocument]:
        """Its documents in the order of their ids; those that `where` means."""
        return self._snapshot.documents(where) if self._snapshot is not None else iter(())

    def taken(self, ids: Iterable[int]) -> list[StoredDocument]:
        """The documents with these ids, in that order; ids of which there is none are left out."""
        wanted = [*map(int, ids)]
        found = {one.id: one for one in self.documents(_Numbered(wanted))}
        return [found[number] for number in wanted if number in found]

    def ids(self, where: Where | None = None) -> NDArray[np.int64]:
        """The ids of its documents, in rising order; of those that `where` means."""
        return self._snapshot.ids(where) if self._snapshot is not None else np.empty(0, np.int64)

    def segments(self) -> list[Segment]:
        """Its segments, in the order of the ids in them."""
        return [*self._snapshot.segments] if self._snapshot is not None else []

    def refresh(self) -> Snapshot:
        """Look at the collection as it is now. Raises as `open` does."""
        self._snapshot = Snapshot.of(self._home, self._name)
        return self._snapshot

    @contextmanager
    def writing(self, segment_bytes: int = SEGMENT_BYTES) -> Iterator[Writer]:
        """The right to write; what was added and not committed yet is, where all went well.

        After an error what was committed before stays. Raises OutputError at once where another
        process is writing, MismatchError where this one would make other sketches.
        """
        if self.coefficients != coefficients_of(self.recipe.fingerprint):
            raise MismatchError(
                f"{self._name}: the coefficients of its sketches are not those that this sdtext "
                "makes for its recipe; make the collection again"
            )
        with closing(self._begun()) as place:
            writer = Writer(place, self.refresh, segment_bytes)
            try:
                yield writer
                writer.commit()
            finally:
                writer.end()

    def _begun(self) -> Place:
        if self._snapshot is None:
            check_free(self._home, self._name)
            return Place.new(self._home, self._name, self._carried, self.dictionaries)
        place = Place.there(self._home, self._name)
        if not place.catalog.carried().like(self._carried):
            place.close()
            raise MismatchError(f"{self._name}: has been made anew meanwhile; open it again")
        return place

    def remove(self, ids: Iterable[int]) -> None:
        """Remove documents. Raises OutputError."""
        with self.writing() as writer:
            writer.remove(ids)

    def compact(self) -> bool:
        """Put all in one segment, without a trace of what was removed.

        False where another reader that began before keeps such traces until it ends. Raises
        OutputError; FormatError where what is there is damaged, for that would go unnoticed then.
        """
        with self.writing() as writer:
            return writer.compact()

    def verify(self) -> Iterator[Problem]:
        """What is wrong with what is on the disk; nothing where all is well."""
        if self._snapshot is not None:
            try:
                yield from faults_of(self._snapshot, self._home, self._name)
            except SdtextError as error:
                yield Problem("error", DAMAGED, str(error), self._name)
            except OSError as error:
                message = f"{self._name}: cannot be read: {reason(error)}"
                yield Problem("error", "unreadable", message, self._name)


class _Numbered:
    """The condition that a document has one of some ids."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids = ids

    def sql(self) -> tuple[str, list[Any]]:
        return "id IN (SELECT value FROM json_each(?))", [json.dumps(self._ids)]


def is_collection(path: str | Path) -> bool:
    """Whether the folder at `path` has a catalog."""
    return (Path(path) / CATALOG).is_file()
