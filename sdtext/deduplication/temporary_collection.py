"""The workspace: documents in a temporary collection, in which they are compared.

A process that is killed leaves its folder behind. The next one that works in the same place
removes it: a lock that the kernel keeps says whether the process is alive, whatever its age.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.collection_recipe import (
    CollectionSpec,
    complete_recipe,
    with_shingle_length,
)
from sdtext.collections.document_types import NewDocument
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import keeps_places
from sdtext.collections.storage.lock import LOCK, Lock
from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.source_documents import CARRIED, FILES, Sources
from sdtext.errors import OptionError, OutputError, SdtextError
from sdtext.io.output import TEMPORARY
from sdtext.model import RecipeSpec
from sdtext.parts.registry import build
from sdtext.reading.parallel_run import Run, nothing_left, run_batches
from sdtext.wording import reason, shown

COLLECTION = "documents.sdx"
"""The collection in such a folder."""

CORPUS = "corpus"
"""The words of a corpus in such a folder, if passages are compared."""
_PREFIX = f"{TEMPORARY}deduplicate-"
_OURS = {LOCK, COLLECTION, f".{COLLECTION}.part", CORPUS}
_BATCH = 10_000  # documents of which the names are read at once


@dataclass(frozen=True, eq=False)
class Workspace:
    """The documents that could be read, in a collection, and where they come from.

    For each of the `ids`, the numbers of the documents in ascending order, there is the number of
    its file, its place there and its length in characters. `values` has, by the names of fields,
    their values; None for a record without the field.
    """

    collection: StoredCollection
    sources: Sources
    values: Mapping[str, Sequence[object]]
    ids: NDArray[np.int64]
    files: NDArray[np.int64]
    places: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    def origins(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The number of the file that each document comes from, and its place there."""
        rows = np.searchsorted(self.ids, np.array(numbers, np.int64))
        return zip(self.files[rows].tolist(), self.places[rows].tolist(), strict=True)

    def names(self, numbers: Sequence[int]) -> dict[int, str]:
        """The names of documents, by their ids."""
        names: dict[int, str] = {}
        if self.sources.kind == FILES:
            origins = zip(numbers, self.origins(numbers), strict=True)
            return {number: self.sources.name_of(file, "") for number, (file, _) in origins}
        for start in range(0, len(numbers), _BATCH):
            for document in self.collection.take(numbers[start : start + _BATCH]):
                file, _, _ = document.root.partition("/")
                names[document.id] = self.sources.name_of(int(file), document.name)
        return names


def fill_workspace(
    sources: Sources, recipe: RecipeSpec, folder: Path, run: Run, *, texts: bool = False
) -> Workspace:
    """All documents of `sources` in a new collection in `folder`, with their texts if asked for.

    Raises UnreadableError where none can be read.
    """
    run = replace(run, reading=run.reading.preferring(recipe.reader))
    maker = replace(maker_for(sources, recipe, run), texts=texts)
    path = folder / COLLECTION
    collection = StoredCollection.create(path, maker.recipe, keeps_text=texts)
    ids, files, places, lengths = columns = [array("q") for _ in range(4)]
    values: dict[str, list[object]] = {name: [] for name in sources.carried}
    foreign: list[tuple[Path, str]] = []
    with collection.writing() as writer:
        for batch in run_batches(maker, sources.batches(run), run, sources.expected):
            foreign += batch.foreign
            if batch.rows:
                documents = batch.rows.documents
                named = [
                    NewDocument(str(item.metadata.get("name", "")), f"{item.root}/{item.name}")
                    for item in documents
                ]
                ids.extend(writer.add(replace(batch.rows, documents=named)).tolist())
                files.extend(int(document.root) for document in documents)
                places.extend(int(document.name) for document in documents)
                lengths.extend(batch.lengths)
                for name, column in values.items():
                    column.extend(document.metadata.get(CARRIED + name) for document in documents)
    if not ids:
        raise nothing_left(run, "no document could be read")
    for problem in in_other_languages(foreign):
        run.note(problem)
    stored = StoredCollection.open(path, verify=False)
    arrays = (np.frombuffer(column, np.int64) for column in columns)
    return Workspace(stored, sources, values, *arrays)


def maker_for(sources: Sources, recipe: RecipeSpec, run: Run) -> RowBuilder:
    """The maker of shingles and sketches by the recipe, and of tokens where the matcher needs them.

    Raises OptionError for a matcher that is not symmetric, and for a recipe of passages.
    """
    if keeps_places(recipe):
        what = "the recipe is for passages, but whole documents are deduplicated; use one with a "
        raise OptionError(f"{what}shingler and no aligner, such as deduplicate")
    matcher: Any = build("matchers", recipe.matcher) if recipe.matcher else None
    if not getattr(matcher, "symmetric", True):
        what = f"documents cannot be deduplicated by {recipe.matcher}, which is not symmetric: the "
        what += "longer document might be removed; use jaccard, dice, or the rule contained"
        raise OptionError(what)
    complete, _ = with_shingle_length(
        complete_recipe(CollectionSpec(recipe)), lambda: sources.longest(run.reading)
    )
    compares_tokens = getattr(matcher, "compares", "sets") == "sequences"
    return RowBuilder(complete, reading=run.reading, tokens=compares_tokens, digests=False)


@contextmanager
def temporary_folder(folder: str | Path | None) -> Iterator[Path]:
    """A new folder below `folder`, or in the system's place for such; removed at the end.

    Removes the leftovers of killed processes beside it. Raises OutputError.
    """
    try:
        place = Path(mkdtemp(prefix=_PREFIX, dir=folder))
    except OSError as error:
        where = shown(folder or os.curdir)
        raise OutputError(f"{where}: cannot create a folder in it: {reason(error)}") from error
    try:
        with closing(Lock(place, shown(place))):
            _remove_leftovers(place.parent)
            yield place
    except SdtextError as error:
        if not error.file.startswith(shown(place)):
            raise
        cause = error.__cause__
        why = f" ({reason(cause)})" if isinstance(cause, OSError) else ""
        raise OutputError(
            f"temporary files cannot be written in this folder{why}; set the variable TMPDIR to a "
            "folder with more room",
            file=place.parent,
        ) from error
    finally:
        rmtree(place, ignore_errors=True)


def _remove_leftovers(folder: Path) -> None:
    """Remove the folders that killed processes left: those of which no process has the lock.

    A folder with nothing but the lock is just being created: it is filled only under the lock.
    """
    for place in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError, OutputError):
            inside = {entry.name for entry in os.scandir(place)}
            if not place.is_symlink() and {LOCK} < inside <= _OURS:
                with closing(Lock(place, shown(place))):
                    for name in _OURS - {LOCK}:
                        rmtree(place / name, ignore_errors=True)
                rmtree(place)
