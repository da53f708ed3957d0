"""Collections in memory: documents and fingerprints, with the columns of stored ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_types import DocumentRows, NewDocument, StoredDocument
from sdtext.collections.schema import PLACED, SHINGLES, TEXT, WORDS, decoded_text, vectors_column
from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import DictionaryReference, Fingerprint, PartSpec, Problem, RecipeSpec, Vector
from sdtext.model.dictionary import Dictionary

if TYPE_CHECKING:
    from sdtext.collections.storage.segments import StoredSegment

_NO_SETS = Ragged(np.empty(0, np.uint64), np.zeros(1, np.int64))
_WORDS = RecipeSpec(PartSpec("words"), shingler=PartSpec("words"))


@dataclass(frozen=True, eq=False)
class MemoryCollection:
    """Documents in memory, in place of a stored collection: by shingles, or fingerprints.

    `shingles` has the sorted distinct shingles of each document, `names` its name; its number is
    its place. `arrays` are further columns, such as `sketches`. `fingerprints`, all of one kind,
    may have vectors over several dictionaries, and one for each segment. Or `rows` have the columns
    that were built of the documents, some in each segment; `stored` are segments on disk.

    >>> texts = MemoryCollection.of([[1, 2], [2]], names=["a", "b"])
    >>> [document.name for document in texts.take([1])]
    ['b']
    """

    recipe: RecipeSpec
    shingles: Ragged
    names: Sequence[str]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    dictionaries: tuple[Dictionary, ...] = ()
    problems: tuple[Problem, ...] = ()
    fingerprints: Sequence[Fingerprint] = ()
    texts: Sequence[str] = ()
    name = ""
    rows: Sequence[DocumentRows] | None = None
    stored: Sequence[StoredSegment] = ()

    @classmethod
    def of(
        cls, rows: Sequence[Sequence[int]], names: Sequence[str] = (), recipe: RecipeSpec = _WORDS
    ) -> MemoryCollection:
        """The documents with these sets of shingles, named by their places by default."""
        distinct = Ragged.of([sorted(set(row)) for row in rows])
        return cls(recipe, distinct, names or [str(place) for place in range(len(rows))])

    @classmethod
    def of_vectors(
        cls, names: Sequence[str], packed: NDArray[np.uint8], dictionary: Dictionary
    ) -> MemoryCollection:
        """The documents of these packed vectors over a dictionary, a row each."""
        column = {vectors_column(dictionary.digest): packed}
        return cls(dictionary.recipe, _NO_SETS, names, column, (dictionary,))

    @classmethod
    def of_fingerprints(
        cls, named: Sequence[tuple[str, Fingerprint]], dictionaries: Sequence[Dictionary] = ()
    ) -> MemoryCollection:
        """The documents of these fingerprints, with their names."""
        names, prints = [name for name, _ in named], [item for _, item in named]
        return cls(_WORDS, _NO_SETS, names, {}, tuple(dictionaries), fingerprints=prints)

    @classmethod
    def of_rows(cls, recipe: RecipeSpec, rows: Sequence[DocumentRows]) -> MemoryCollection:
        """The documents of rows with the columns that a `RowBuilder` by the recipe made of them."""
        names = [document.name for part in rows for document in part.documents]
        return cls(recipe, _NO_SETS, names, rows=rows)

    def segments(
        self, over: DictionaryReference | None = None
    ) -> Sequence[MemoryColumns | StoredSegment]:
        """One for the vectors over each dictionary, or over one; without fingerprints, one."""
        if self.stored:
            return self.stored
        if over is None:
            return [*self._segments.values()]
        key = over.digest, (over.terms + 7) // 8
        return [self._segments[key]] if key in self._segments else []

    @cached_property
    def _segments(self) -> Mapping[tuple[str, int], MemoryColumns]:
        if self.rows is not None:
            ends = np.cumsum([len(part) for part in self.rows]).tolist()
            return {
                ("", end): MemoryColumns(np.arange(end - len(part), end), part.arrays)
                for end, part in zip(ends, self.rows, strict=True)
            }
        if not self.fingerprints:
            ids = np.arange(len(self.names))
            return {("", 0): MemoryColumns(ids, {SHINGLES: self.shingles, **self.arrays})}
        vectors: dict[tuple[str, int], list[tuple[int, Vector]]] = {}
        for place, item in enumerate(self.fingerprints):
            for vector in item.vectors:
                key = item.reference(vector).digest, len(vector.packed)
                vectors.setdefault(key, []).append((place, vector))
        return {key: _columns(*key, rows) for key, rows in vectors.items()}

    @cached_property
    def references(self) -> dict[str, DictionaryReference]:
        """The dictionaries that the vectors were made with, by their digests."""
        return {
            reference.digest: reference
            for item in self.fingerprints
            for reference in item.dictionaries
        }

    @cached_property
    def sizes(self) -> Mapping[str, NDArray[np.int64]]:
        """The numbers of bits of all vectors, by the digest of their dictionary."""
        return sizes_of(*self.fingerprints)

    def ids(self, where: str | None = None) -> NDArray[np.int64]:
        """The places of all documents; OptionError for a condition, for there is no metadata."""
        if where is not None:
            raise OptionError("documents in memory have no metadata to filter by; store them first")
        return np.arange(len(self.names))

    def take(self, ids: Iterable[int]) -> Sequence[StoredDocument]:
        """The documents at these places."""
        return [self._documents[place] for place in ids]

    @cached_property
    def _documents(self) -> Sequence[StoredDocument]:
        new: Iterable[Any] = map(NewDocument, self.names)
        if self.rows is not None:
            new = chain.from_iterable(part.documents for part in self.rows)
        return [
            StoredDocument(place, it.name, it.root, it.size, it.digest, 0, place, dict(it.metadata))
            for place, it in enumerate(new)
        ]

    def with_roots(self, names: Mapping[str, str]) -> MemoryCollection | None:
        """The documents that have these roots, with other names; None if some are not there."""
        parts, known = list[DocumentRows](), 0
        for rows in self.rows or ():
            place_of = {document.root: place for place, document in enumerate(rows.documents)}
            places = {root: place_of[root] for root in names if root in place_of}
            known += len(places)
            taken = [*places.values()]
            arrays = {
                name: column
                if name == WORDS
                else (column.take(taken) if isinstance(column, Ragged) else column[taken])
                for name, column in rows.arrays.items()
            }
            renamed: list[Any] = [
                replace(rows.documents[place], name=names[root]) for root, place in places.items()
            ]
            parts += [DocumentRows(renamed, arrays)] if renamed else []
        return MemoryCollection.of_rows(self.recipe, parts) if known == len(names) else None

    @property
    def keeps_text(self) -> bool:
        """Whether the texts are among its rows."""
        return any(TEXT in part.arrays for part in self.rows or ())

    def text_with_id(self, number: int) -> str:
        """The text of the document with this number."""
        columns = next(part for part in self.segments() if number <= part.ids[-1])
        return decoded_text(columns.ragged(TEXT)[number - columns.ids[0]])


def _columns(digest: str, width: int, rows: Sequence[tuple[int, Vector]]) -> MemoryColumns:
    packed = np.frombuffer(b"".join(vector.packed for _, vector in rows), np.uint8)
    placed = np.array([vector.place is not None for _, vector in rows], bool)
    arrays: dict[str, Any] = {vectors_column(digest): packed.reshape(len(rows), width)}
    if placed.any():
        arrays[PLACED] = placed
    return MemoryColumns(np.array([owner for owner, _ in rows], np.int64), arrays)


def sizes_of(*fingerprints: Fingerprint) -> Mapping[str, NDArray[np.int64]]:
    """The numbers of bits of their vectors, by the digest of the dictionary."""
    sizes: dict[str, list[int]] = {}
    for item in fingerprints:
        for vector in item.vectors:
            sizes.setdefault(item.reference(vector).digest, []).append(vector.count)
    return {digest: np.array(numbers) for digest, numbers in sizes.items()}


@dataclass(frozen=True, eq=False)
class MemoryColumns:
    """The columns of documents in memory: `ids` has the number of the document of each row.

    A document with several vectors over a dictionary has several rows.
    """

    ids: NDArray[np.int64]
    arrays: Mapping[str, Any]
    name: str = ""
    _cache: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    @property
    def alive(self) -> NDArray[np.bool_]:
        return np.ones(len(self.ids), bool)

    def ragged(self, name: str) -> Ragged:
        column: Ragged = self.arrays[name]
        return column

    def derived(
        self,
        key: str,
        make: Callable[[], NDArray[Any]],
        _like: tuple[str, tuple[int, ...]] | None = None,
    ) -> NDArray[Any]:
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]
