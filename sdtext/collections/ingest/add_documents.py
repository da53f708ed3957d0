"""Adding documents to a collection: what is new or changed is read, the rest left as it is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from sdtext.analysis.shingling import Shingling
from sdtext.collections.collection import Collection
from sdtext.collections.ingest.collection_recipe import Kept, begun, check_alike, with_length
from sdtext.collections.ingest.inputs import Inputs, Joined, Named, named_in, size_at
from sdtext.collections.ingest.row_batches import Batches, compared
from sdtext.collections.ingest.row_maker import Made, Maker
from sdtext.errors import OptionError, UnreadableError, counted, shown
from sdtext.model import Problem, RecipeSpec
from sdtext.reading.batches import Run, nothing_left, run_batches
from sdtext.reading.walk import Paths

__all__ = ["Added", "Inputs", "Kept", "add_documents"]

_COMMIT_SECONDS = 30


@dataclass
class Added:
    """What came of adding: how many documents of each kind, and how many there are now.

    `said` is how the recipe of a new collection was settled.
    """

    collection: Path
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    unreadable: int = 0
    documents: int = 0
    said: str = ""

    def __str__(self) -> str:
        kinds = ("added", "unchanged", "replaced", "unreadable")
        told = [f"{number} {kind}" for kind in kinds if (number := getattr(self, kind))]
        whole = f"{counted(self.documents, 'document')} in {shown(self.collection)}"
        return f"{', '.join(told) or 'nothing added'}; {whole}"

    def count(self, made: Made) -> None:
        """Add what came of a batch."""
        self.added += made.added
        self.replaced += made.replaced
        self.unchanged += made.unchanged


def add_documents(
    path: str | Path, inputs: Inputs | Paths, kept: Kept | None = None, run: Run | None = None
) -> Added:
    """Add documents to the collection at `path`, which is made where there is none.

    A document that is there with equal content is not read again; a changed one takes the place
    of the old. After an interruption the same call goes on. `kept` is needed for a new collection
    alone. Raises OptionError, MismatchError (if `kept` differs from what there is), FormatError,
    OutputError, and UnreadableError where nothing can be added to a new collection.

    >>> kept = Kept(load_recipe("configs/near-duplicate.toml"))
    >>> print(add_documents(folder / "x.sdx", samples, kept).documents)
    8
    """
    kept = kept or Kept()
    inputs = inputs if isinstance(inputs, Inputs) else Inputs(inputs)
    run = _reading_as(kept, run or Run())
    before = _errors(run)
    collection = _opened(Path(path), kept)
    recipe = _begun(Path(path), kept) if collection is None else collection.recipe
    named = named_in(inputs, run)
    added = Added(Path(path), unreadable=_errors(run) - before)
    if collection is None:
        recipe, added.said = with_length(recipe, lambda: _longest(named, run))
        collection = _created(Path(path), replace(kept, recipe=recipe), run)
    work = _Adding(collection, _maker(collection, kept, run), _joined(inputs, named, run))
    work(Batches(named, inputs.fields, run), added)
    added.documents = len(collection)
    return added


def _reading_as(kept: Kept, run: Run) -> Run:
    """The run, with the reader that the recipe asks for."""
    reader = kept.recipe.reader if kept.recipe else None
    return replace(run, reading=run.reading.preferring(reader))


def _errors(run: Run) -> int:
    return sum(one.severity == "error" for one in run.problems or ())


def _opened(path: Path, kept: Kept) -> Collection | None:
    """The collection at `path`, which must keep what `kept` says; None if nothing is there."""
    if not os.path.lexists(path):
        return None
    collection = Collection.open(path)
    check_alike(collection, kept)
    return collection


def _begun(path: Path, kept: Kept) -> RecipeSpec:
    """The recipe of a new collection. Raises OptionError."""
    try:
        return begun(kept)
    except OptionError as error:
        raise OptionError(f"{shown(path)}: cannot be made: {error}") from error


def _created(path: Path, kept: Kept, run: Run) -> Collection:
    """A new collection; what its hash function is not good for is noted."""
    recipe = kept.recipe
    assert recipe is not None  # noqa: S101 (a new one has begun)
    for caution in Shingling(recipe).cautions if recipe.shingler else ():
        run.note(Problem("warning", "recipe", f"{shown(path)}: {caution}", str(path)))
    return Collection.create(path, recipe, kept.dictionaries, kept.origin, keeps_text=kept.text)


def _longest(named: Sequence[Named], run: Run) -> int:
    """The size in bytes of the longest file, 0 if there is none."""
    return max((size_at(one.path, run.reading) for one in named), default=0)


def _maker(collection: Collection, kept: Kept, run: Run) -> Maker:
    dictionaries = tuple(collection.dictionaries)
    return Maker(collection.recipe, dictionaries, run.reading, kept.tokens, collection.keeps_text)


def _joined(inputs: Inputs, named: Sequence[Named], run: Run) -> Joined | None:
    """What the file of metadata says, if one is named."""
    if inputs.metadata is None:
        return None
    return Joined(inputs.metadata, (one.name for one in named), run)


@dataclass(frozen=True)
class _Adding:
    """Makes and writes what a collection keeps of batches of documents."""

    collection: Collection
    maker: Maker
    joined: Joined | None

    def __call__(self, batches: Batches, added: Added) -> None:
        """Do so; what came of it is counted in `added`."""
        new = not os.path.lexists(self.collection.path)
        before = _errors(batches.run)
        items = (list(compared(one, self.collection, self.joined)) for one in batches)
        with self.collection.writing() as writer:
            committed = monotonic()
            for made in run_batches(self.maker, items, batches.run, lambda: batches.total):
                if made.rows:
                    writer.add(made.rows)
                added.count(made)
                if monotonic() - committed > _COMMIT_SECONDS:
                    writer.commit()
                    committed = monotonic()
            if new and not added.added:
                raise self._nothing(batches.run)
        added.unreadable += _errors(batches.run) - before
        for problem in self.joined.unused() if self.joined else ():
            batches.run.note(problem)

    def _nothing(self, run: Run) -> UnreadableError:
        error = nothing_left(run, "no document could be read")
        whole = UnreadableError(f"is not created: {error}", file=self.collection.path)
        whole.reasons = error.reasons
        return whole
