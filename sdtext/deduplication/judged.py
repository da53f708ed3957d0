"""Documents read into a collection that is thrown away, so that they can be compared."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.collection import Collection
from sdtext.collections.collection_recipe import (
    CollectionSpec,
    complete_recipe,
    with_shingle_length,
)
from sdtext.collections.filters import Condition
from sdtext.collections.ingest.inputs import size_at
from sdtext.collections.ingest.row_builder import BuiltRows, RowBuilder
from sdtext.collections.schema import keeps_places
from sdtext.deduplication.sources import FILES, Sources
from sdtext.deduplication.temporary import JUDGED
from sdtext.errors import OptionError
from sdtext.model import RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.catalogue import build, find
from sdtext.reading.batches import Run, nothing_left, run_batches
from sdtext.reading.options import Reading
from sdtext.search.columns import Called, Columns

_SOME = 10_000  # documents asked for at once


@dataclass
class Places:
    """Where documents came from, by their numbers in the collection, in rising order.

    For each of the `ids` the number of the file, its place there and its length in characters.
    """

    ids: array[int] = field(default_factory=lambda: array("q"))
    sources: array[int] = field(default_factory=lambda: array("q"))
    places: array[int] = field(default_factory=lambda: array("q"))
    lengths: array[int] = field(default_factory=lambda: array("q"))

    def add(self, ids: NDArray[np.int64], made: BuiltRows) -> None:
        """The documents of a batch got these ids."""
        documents = made.rows.documents if made.rows else []
        self.ids.extend(ids.tolist())
        self.sources.extend(int(one.root) for one in documents)
        self.places.extend(int(one.name) for one in documents)
        self.lengths.extend(made.lengths)


@dataclass(frozen=True, eq=False)
class Judged:
    """The documents that could be read, in a collection, and where they came from.

    It is searched as its collection is, but its documents are called as a person knows them.
    """

    collection: Collection
    sources: Sources
    columns: Places

    def __len__(self) -> int:
        return len(self.columns.ids)

    @property
    def recipe(self) -> RecipeSpec:
        """By which they were read."""
        return self.collection.recipe

    @property
    def dictionaries(self) -> tuple[Dictionary, ...]:
        """None."""
        return self.collection.dictionaries

    def segments(self) -> Sequence[Columns]:
        """The documents in the order of their numbers."""
        return self.collection.segments()

    def ids(self, where: Condition | None = None, /) -> NDArray[np.int64]:
        """The numbers of the documents."""
        return self.collection.ids(where)

    def taken(self, ids: Iterable[int], /) -> list[Called]:
        """The documents with these numbers, as they are called."""
        return [Called(number, name) for number, name in self.names(list(ids)).items()]

    def length(self, number: int) -> int:
        """How long the document with that id is, in characters."""
        return self.columns.lengths[self._row(number)]

    def place(self, number: int) -> tuple[int, int]:
        """The file that it comes from, and its place there."""
        row = self._row(number)
        return self.columns.sources[row], self.columns.places[row]

    def names(self, numbers: Sequence[int]) -> dict[int, str]:
        """What documents are called, by their ids."""
        if self.sources.kind == FILES:
            return {one: self.sources.called(self.place(one)[0], "") for one in numbers}
        found: dict[int, str] = {}
        for start in range(0, len(numbers), _SOME):
            for one in self.collection.taken(numbers[start : start + _SOME]):
                found[one.id] = self.sources.called(int(one.root), one.metadata["name"])
        return found

    def _row(self, number: int) -> int:
        return bisect_left(self.columns.ids, number)


def judged(sources: Sources, recipe: RecipeSpec, folder: Path, run: Run) -> Judged:
    """All documents of `sources` in a new collection in `folder`.

    Raises UnreadableError where none can be read.
    """
    run = replace(run, reading=run.reading.preferring(recipe.reader))
    maker = maker_for(sources, recipe, run)
    collection = Collection.create(folder / JUDGED, maker.recipe)
    places = Places()

    def total() -> int:
        return max(len(sources.paths), len(places.ids))

    with collection.writing() as writer:
        for made in run_batches(maker, sources.batches(run), run, total):
            if made.rows:
                places.add(writer.add(made.rows), made)
    if not places.ids:
        raise nothing_left(run, "no document could be read")
    return Judged(Collection.open(folder / JUDGED), sources, places)


def maker_for(sources: Sources, recipe: RecipeSpec, run: Run) -> RowBuilder:
    """What makes shingles and sketches of the documents, by the recipe; tokens where needed.

    Raises OptionError for a matcher that is not symmetric, and where passages are looked for.
    """
    _check_whole(recipe)
    _check_symmetric(recipe)
    settled, _ = with_shingle_length(
        complete_recipe(CollectionSpec(recipe)), lambda: _longest(sources.paths, run.reading)
    )
    return RowBuilder(settled, reading=run.reading, tokens=_compares_tokens(recipe))


def _longest(paths: Sequence[Path], reading: Reading) -> int:
    """The size in bytes of the longest of the files."""
    return max(size_at(path, reading) for path in paths)


def _check_whole(recipe: RecipeSpec) -> None:
    """OptionError where the recipe is for passages."""
    if keeps_places(recipe):
        raise OptionError(
            "the recipe is for passages, but whole documents are deduplicated; use one with a "
            "shingler and no aligner, such as configs/deduplicate.toml"
        )


def _check_symmetric(recipe: RecipeSpec) -> None:
    """OptionError where the matcher would say which document lies in which."""
    if recipe.matcher and not getattr(build("matchers", recipe.matcher), "symmetric", True):
        raise OptionError(
            f"documents cannot be deduplicated by {recipe.matcher.name}, which is not symmetric: "
            "the longer document might be removed; use jaccard or dice, or overlap with --keep "
            "longest, which keeps the document that contains the others"
        )


def _compares_tokens(recipe: RecipeSpec) -> bool:
    matcher: Any = find("matchers", recipe.matcher.name) if recipe.matcher else None
    return getattr(matcher, "compares", "sets") == "sequences"
