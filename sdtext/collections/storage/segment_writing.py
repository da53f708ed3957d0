"""New segments: rows of several sources copied into one, a piece at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.storage.arrays import ArrayKind, Kinds, Stored, write_array
from sdtext.collections.storage.segments import ID_KIND, IDS, SEGMENTS, Listed, Segment
from sdtext.collections.storage.vocabulary import (
    AT_ONCE,
    STEP,
    TOKENS,
    WORDS,
    Map,
    merged,
    used_words,
)
from sdtext.io.atomic import sync_folder
from sdtext.kernels.arrays.ragged import Ragged, offsets_of

_PIECE = 1 << 20  # elements that are copied at once


@dataclass(frozen=True)
class Source:
    """Rows that go into a segment: those at `places`, which rise, of all that `arrays` have.

    `canonical` says whether their vocabulary is, if they have one.
    """

    ids: NDArray[np.int64]
    places: NDArray[np.int64]
    arrays: Mapping[str, NDArray[Any] | Ragged]
    canonical: bool = False

    @classmethod
    def of(cls, segment: Segment, kinds: Kinds) -> Source:
        """The rows of a segment that are alive."""
        arrays = {
            name: segment.ragged(name) if kind.ragged else segment.arrays[name]
            for name, kind in kinds.items()
        }
        return cls(segment.ids, segment.alive.nonzero()[0], arrays, canonical=True)

    def ragged(self, name: str) -> Ragged:
        """The array of that name, which is known to be ragged."""
        array = self.arrays[name]
        if not isinstance(array, Ragged):
            raise TypeError(name)
        return array

    def pieces(self, name: str) -> Iterator[NDArray[Any]]:
        """The rows that stay of an array, of ragged ones the values, some at a time."""
        array = self.arrays[name]
        if isinstance(array, Ragged):
            ends = array.lengths[self.places].cumsum()
            for places in _cut(self.places, ends):
                yield _values_of(array, places)
        else:
            width = max(1, array[:1].size)
            ends = (self.places >= 0).cumsum() * width
            for places in _cut(self.places, ends):
                yield _rows_of(array, places)


def _cut(places: NDArray[np.int64], ends: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """`places` in pieces of about as many elements as are copied at once."""
    if len(places):
        borders = np.searchsorted(ends, np.arange(_PIECE, ends[-1], _PIECE))
        yield from (piece for piece in np.split(places, np.unique(borders)) if len(piece))


def _values_of(array: Ragged, places: NDArray[np.int64]) -> NDArray[Any]:
    first, last = int(places[0]), int(places[-1])
    if last - first + 1 == len(places):
        return array.values[array.offsets[first] : array.offsets[last + 1]]
    return array.taken(places).values


def _rows_of(array: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    first, last = int(places[0]), int(places[-1])
    found: NDArray[Any] = (
        array[first : last + 1] if last - first + 1 == len(places) else array[places]
    )
    return found


def make_segment(home: Path, number: int, sources: Sequence[Source], kinds: Kinds) -> Listed:
    """Segment `number` of the collection in the folder `home`, on the disk when this returns.

    After an error nothing is left of it. Raises OSError; ValueError where tokens and words of a
    source do not fit together.
    """
    folder = home / SEGMENTS / str(number)
    folder.mkdir()
    try:
        making = _Making(folder, sources)
        making.write(IDS, ID_KIND, (one.ids[one.places] for one in sources))
        for name, kind in kinds.items():
            making.array(name, kind)
        sync_folder(folder)
        sync_folder(folder.parent)
    except BaseException:
        discard(folder)
        raise
    return Listed(number, making.rows, making.files)


def discard(folder: Path) -> None:
    """Remove the folder of a segment, as far as that can be done now."""
    with suppress(OSError):
        rmtree(folder, ignore_errors=True)


class _Making:
    """A segment that is being written."""

    def __init__(self, folder: Path, sources: Sequence[Source]) -> None:
        self.rows = sum(len(one.places) for one in sources)
        self.files: dict[str, Stored] = {}
        self._folder = folder
        self._sources = sources
        self._words: tuple[Ragged, list[Map]] | None = None

    def array(self, name: str, kind: ArrayKind) -> None:
        """Write the array of that name."""
        if name in (TOKENS, WORDS) and self._words is None:
            self._words = self._vocabulary()
        if name == WORDS and self._words:
            words, _ = self._words
            self._write_ragged(name, kind, words.lengths, [words.values])
        elif kind.ragged:
            lengths = self._lengths(name)
            self._write_ragged(name, kind, lengths, self._pieces(name))
        else:
            self.write(name, kind, self._pieces(name))

    def write(self, name: str, kind: ArrayKind, pieces: Iterable[NDArray[Any]]) -> None:
        """Write an array with rows of one width."""
        self._write(name, kind.dtype, (self.rows, *kind.shape), pieces)

    def _write_ragged(
        self, name: str, kind: ArrayKind, lengths: NDArray[np.int64], pieces: Iterable[NDArray[Any]]
    ) -> None:
        offsets = offsets_of(lengths)
        self._write(f"{name}.offsets", "<i8", (len(offsets),), [offsets])
        self._write(name, kind.dtype, (int(offsets[-1]), *kind.shape), pieces)

    def _write(
        self, file_name: str, dtype: str, shape: tuple[int, ...], pieces: Iterable[NDArray[Any]]
    ) -> None:
        with (self._folder / f"{file_name}.npy").open("xb") as file:
            self.files[file_name] = write_array(file, dtype, shape, pieces)
            file.flush()
            os.fsync(file.fileno())

    def _lengths(self, name: str) -> NDArray[np.int64]:
        return np.concatenate([one.ragged(name).lengths[one.places] for one in self._sources])

    def _pieces(self, name: str) -> Iterator[NDArray[Any]]:
        for place, source in enumerate(self._sources):
            for piece in source.pieces(name):
                if name == TOKENS and self._words:
                    yield _renumbered(piece, self._words[1][place])
                else:
                    yield piece

    def _vocabulary(self) -> tuple[Ragged, list[Map]]:
        """The vocabulary of all rows that stay, and for each source new ids of its words."""
        step = STEP if all(one.canonical for one in self._sources) else AT_ONCE
        words = [one.ragged(WORDS) for one in self._sources]
        return merged(words, [*map(_used, self._sources)], step)


def _used(source: Source) -> NDArray[np.bool_]:
    """Which words of a source occur in the rows that stay."""
    number = len(source.ragged(WORDS))
    if source.canonical and len(source.places) == len(source.ids):
        return np.ones(number, bool)
    return used_words(source.pieces(TOKENS), number)


def _renumbered(tokens: NDArray[Any], ids: Map) -> NDArray[Any]:
    if len(tokens) and tokens.max() >= len(ids):
        raise ValueError(f"token {tokens.max()} is not in a vocabulary of {len(ids) - 1} words")
    renumbered: NDArray[Any] = ids[tokens]
    return renumbered
