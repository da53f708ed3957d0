"""What can be searched: columns of numbers, a row a document, in one or more segments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.filters import Condition
from sdtext.collections.schema import SHINGLES
from sdtext.collections.storage.derived_cache import Like
from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Metadata, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary

_WORDS = RecipeSpec(PartSpec("words"), shingler=PartSpec("words"))


class Columns(Protocol):
    """Some documents, a row each: a segment of a collection, or arrays in memory."""

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which rows are still there."""

    @property
    def ids(self) -> NDArray[np.int64]:
        """The number of the document of each row."""

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The columns of one length, by name."""

    def ragged(self, name: str, /) -> Ragged:
        """A column whose rows differ in length; KeyError where there is none."""

    def derived(
        self, key: str, make: Callable[[], NDArray[Any]], like: Like | None = None, /
    ) -> NDArray[Any]:
        """What `make` makes, kept under `key` where it is `like` that: type and shape."""


class Named(Protocol):
    """A document as it is called."""

    @property
    def id(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def metadata(self) -> Metadata: ...


class Searchable(Protocol):
    """A collection: in a store, or in memory."""

    @property
    def recipe(self) -> RecipeSpec: ...

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]: ...

    def segments(self) -> Sequence[Columns]:
        """Its documents in the order of their numbers."""

    def ids(self, where: Condition | None = None, /) -> NDArray[np.int64]:
        """The numbers of its documents, or of those that are meant."""

    def taken(self, ids: Iterable[int], /) -> Sequence[Named]:
        """The documents with these numbers."""


@dataclass(frozen=True)
class Called:
    """A document as it is called."""

    id: int
    name: str
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Held:
    """Documents in memory: what stands for a collection where nothing is stored.

    `shingles` has the sorted distinct shingles of each document, `names` what it is called; its
    number is its place. `arrays` are further columns, such as `sketches`.

    >>> held = Held.of([[1, 2], [2]], names=["a", "b"])
    >>> [document.name for document in held.taken([1])]
    ['b']
    """

    recipe: RecipeSpec
    shingles: Ragged
    names: Sequence[str]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    dictionaries: tuple[Dictionary, ...] = ()

    @classmethod
    def of(
        cls, rows: Sequence[Sequence[int]], names: Sequence[str] = (), recipe: RecipeSpec = _WORDS
    ) -> Held:
        """The documents with these sets of shingles, called by their places if by no names."""
        distinct = Ragged.of([sorted(set(row)) for row in rows])
        return cls(recipe, distinct, names or [str(place) for place in range(len(rows))])

    def segments(self) -> Sequence[Columns]:
        """All as one segment."""
        return (_Segment(self),)

    def ids(self, where: Condition | None = None) -> NDArray[np.int64]:
        """The places of all documents; OptionError for a condition, for there is no metadata."""
        if where is not None:
            raise OptionError("documents in memory have no metadata to filter by; store them first")
        return np.arange(len(self.names))

    def taken(self, ids: Iterable[int]) -> Sequence[Named]:
        """The documents at these places."""
        return [Called(place, self.names[place]) for place in ids]

    @cached_property
    def kept(self) -> dict[str, NDArray[Any]]:
        """What was made of the columns, by its key."""
        return {}


@dataclass(frozen=True, eq=False)
class _Segment:
    """The columns of what is held."""

    held: Held

    @property
    def ids(self) -> NDArray[np.int64]:
        return self.held.ids()

    @property
    def alive(self) -> NDArray[np.bool_]:
        return np.ones(len(self.held.names), bool)

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        return self.held.arrays

    def ragged(self, name: str) -> Ragged:
        if name != SHINGLES:
            raise KeyError(name)
        return self.held.shingles

    def derived(
        self, key: str, make: Callable[[], NDArray[Any]], _like: Like | None = None
    ) -> NDArray[Any]:
        if key not in self.held.kept:
            self.held.kept[key] = make()
        return self.held.kept[key]


def called(searched: Searchable, ids: Iterable[int]) -> dict[int, Named]:
    """The documents with these numbers, by them."""
    wanted = sorted(set(ids))
    return {one.id: one for one in searched.taken(wanted)} if wanted else {}
