"""The workspace: documents in a temporary collection, in which they are compared.

A process that is killed leaves its folder behind. The next one that works in the same place
removes it: a lock that the kernel keeps says whether the process is alive, whatever its age.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.collection_recipe import CollectionSpec, settled_recipe
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import Array, keeps_places
from sdtext.collections.storage.arrays import ArrayKind
from sdtext.collections.storage.lock import LOCK, Lock
from sdtext.collections.storage.merge_vocabularies import spelled
from sdtext.collections.storage.segments import (
    SEGMENTS,
    RowSource,
    SegmentEntry,
    StoredSegment,
    make_segment,
)
from sdtext.collections.storage.writer import SEGMENT_BYTES, write_errors
from sdtext.deduplication.source_documents import CARRIED, Sources
from sdtext.errors import OptionError, OutputError, SdtextError
from sdtext.io.output import TEMPORARY
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.document_words import encoded_texts
from sdtext.model import Problem, RecipeSpec
from sdtext.parts.registry import build
from sdtext.reading.parallel_run import Run, cut_batches, nothing_left, run_batches
from sdtext.reading.records.record import InputDocument
from sdtext.wording import reason, shown

COLLECTION = "documents.sdx"
"""The collection in such a folder."""

CORPUS = "corpus"
"""The words of a corpus in such a folder, if passages are compared."""
_PREFIX = f"{TEMPORARY}deduplicate-"
_OURS = {LOCK, COLLECTION, CORPUS}
_MOST = 1 << 20  # batches in a segment
_NAMES, _FILES, _PLACES, _LENGTHS = "names", "files", "places", "lengths"


@dataclass(frozen=True, eq=False)
class Workspace:
    """The documents that could be read, in a collection, and where they come from.

    For each of the `ids`, the numbers of the documents from 1, there is the number of its file, its
    place there and its length in characters. `values` has, by the names of fields, their values;
    None for a record without the field.
    """

    collection: MemoryCollection
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
        rows = np.array(numbers, np.int64) - 1
        return zip(self.files[rows].tolist(), self.places[rows].tolist(), strict=True)

    def names(self, numbers: Sequence[int]) -> dict[int, str]:
        """The names of documents, by their ids."""
        wanted = np.unique(np.array(numbers, np.int64))
        files = self.files[wanted - 1].tolist()
        names: list[str] = []
        for segment in self.collection.segments():
            first, last = np.searchsorted(wanted, [segment.ids[0], segment.ids[-1] + 1])
            some = segment.ragged(_NAMES).take(wanted[first:last] - segment.ids[0])
            names += (name.decode("utf-8", "surrogatepass") for name in spelled(some))
        named = map(self.sources.name_of, files, names)
        return dict(zip(wanted.tolist(), named, strict=True))


def fill_workspace(
    sources: Sources, recipe: RecipeSpec, folder: Path, run: Run, *, texts: bool = False
) -> Workspace:
    """All documents of `sources` in segments in `folder`, with their texts if asked for.

    Raises UnreadableError where none can be read.
    """
    run = replace(run, reading=run.reading.preferring(recipe.reader))
    builder = replace(maker_for(sources, recipe, run), texts=texts)
    values: dict[str, list[object]] = {name: [] for name in sources.carried}
    foreign: list[tuple[Path, str]] = []
    encode = partial(_encoded, builder, sources.carried)

    def batches() -> Iterator[Mapping[str, Array]]:
        for arrays, carried, others in run_batches(
            encode, sources.batches(run), run, sources.expected
        ):
            foreign.extend(others)
            for column, more in zip(values.values(), carried, strict=True):
                column.extend(more)
            if len(arrays[_FILES]):
                yield arrays

    (home := folder / COLLECTION / SEGMENTS).mkdir(parents=True)
    segments = list[StoredSegment]()

    def size(arrays: Mapping[str, Array]) -> int:
        return sum(column.nbytes for column in arrays.values())

    for some in cut_batches(batches(), size, SEGMENT_BYTES, _MOST):
        segments.append(_segment(home.parent, some, segments))
        some.clear()  # or they would stay in memory until the next ones are complete
    if not segments:
        raise nothing_left(run, "no document could be read")
    run.note(*in_other_languages(foreign))
    stored = MemoryCollection(builder.recipe, Ragged.of([]), (), stored=segments)
    names = _FILES, _PLACES, _LENGTHS
    columns = (np.concatenate([each.arrays[name] for each in segments]) for name in names)
    return Workspace(stored, sources, values, np.arange(1, segments[-1].ids[-1] + 1), *columns)


def _encoded(
    builder: RowBuilder,
    fields: Sequence[str],
    items: Sequence[InputDocument],
    problems: list[Problem],
) -> tuple[Mapping[str, Array], list[list[object]], list[tuple[Path, str]]]:
    """The columns of a batch, the values of these fields, and documents in other languages."""
    documents, arrays, _ = builder.encoded(items, problems)
    own = [document.item for document in documents]
    columns = {
        **arrays,
        _NAMES: encoded_texts(str(item.metadata.get("name", "")) for item in own),
        _FILES: np.array([int(item.root) for item in own], np.int64),
        _PLACES: np.array([int(item.name) for item in own], np.int64),
        _LENGTHS: np.array([len(document.document.clean) for document in documents], np.int64),
    }
    values: list[list[object]] = [
        [item.metadata.get(CARRIED + name) for item in own] for name in fields
    ]
    return columns, values, builder.foreign(documents)


def _segment(
    home: Path, batches: Sequence[Mapping[str, Array]], before: Sequence[StoredSegment]
) -> StoredSegment:
    """A segment with the rows of some batches, which follows those before."""
    begin = end = int(before[-1].ids[-1]) + 1 if before else 1
    kinds = {name: ArrayKind.of(column) for name, column in batches[0].items()}
    sources = []
    for arrays in batches:
        places = np.arange(len(arrays[_FILES]))
        sources.append(RowSource(places + end, places, arrays))
        end += len(places)
    number = len(before) + 1
    with write_errors(shown(home), is_new=True):
        files = make_segment(home, number, sources, kinds)
    entry = SegmentEntry(number, end - begin, files, ())
    none = np.empty(0, np.int64)
    return StoredSegment(entry, home, shown(home), kinds, none, verify=False)


def maker_for(sources: Sources, recipe: RecipeSpec, run: Run) -> RowBuilder:
    """The maker of shingles and sketches by the recipe, and of tokens where the matcher needs them.

    Raises OptionError for a matcher that is not symmetric, and for a recipe of passages.
    """
    if keeps_places(recipe):
        what = "the recipe is for passages, but whole documents are deduplicated; use one with a "
        raise OptionError(f"{what}shingler and no aligner, such as deduplicate")
    matcher: Any = build("matchers", recipe.matcher) if recipe.matcher else None
    if not getattr(matcher, "symmetric", True):
        what = f"{recipe.matcher} is not symmetric; use jaccard, dice, or the rule contained"
        raise OptionError(what)
    complete = settled_recipe(CollectionSpec(recipe), lambda: sources.longest(run.reading))
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
        what = f"temporary files cannot be written{why}; set TMPDIR to a folder with more room"
        raise OutputError(what, file=place.parent) from error
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
