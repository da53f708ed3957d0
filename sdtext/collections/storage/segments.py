"""Segments: immutable columns with a row for each of some documents, mapped and written.

A segment is a folder of .npy files. A new one is written from rows in memory, or from the live
rows of older segments, one piece at a time; it is on disk before the catalog lists it. A file is
verified when a process first reads its array; lengths and ranges are checked in any case.
"""

from __future__ import annotations

import json
import os
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from stat import S_ISDIR
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.schema import IDS, TOKENS, WORDS, fault_in
from sdtext.collections.storage.arrays import (
    ArrayKind,
    Kinds,
    MappedFile,
    Shape,
    StoredFile,
    checksum_of,
    map_array,
    write_array,
)
from sdtext.collections.storage.catalog import BLOCK
from sdtext.collections.storage.collection_meta import REMEDY_OF_SEGMENT, damage
from sdtext.collections.storage.derived_cache import ArrayLayout, derived_array
from sdtext.collections.storage.merge_vocabularies import AT_ONCE, STEP, Map, merged, used_words
from sdtext.errors import FormatError, UnreadableError
from sdtext.io.decompressed_content import memory_for
from sdtext.io.output import sync_folder
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.wording import printable, reason

SEGMENTS = "segments"
ID_KIND = ArrayKind("<i8")
_MANY = 1 << 40
_OFFSETS = ".offsets"
_CHANGED = "its content does not match its checksum"
_PIECE = 1 << 20  # elements that are copied at once


@dataclass(frozen=True)
class SegmentEntry:
    """The catalog's row for a segment: its files, and checksums of blocks of its documents."""

    number: int
    rows: int
    files: Mapping[str, StoredFile]
    documents: tuple[str, ...]

    @classmethod
    def read(cls, row: tuple[Any, ...], kinds: Kinds, name: str) -> SegmentEntry:
        """The entry in a row of the catalog. Raises FormatError."""
        with suppress(ValueError, TypeError, RecursionError, AttributeError):
            number, rows, files, documents = row
            stored = {key: StoredFile(*value) for key, value in json.loads(files).items()}
            known = {file for key, kind in _with_ids(kinds).items() for file in kind.files(key)}
            if (
                number > 0
                and 0 < rows < _MANY
                and stored.keys() == known
                and len(checksums := json.loads(documents)) == -(-rows // BLOCK)
                and all(
                    type(file.size) is int and file.size >= 0 and isinstance(file.checksum, str)
                    for file in stored.values()
                )
            ):
                return cls(number, rows, stored, tuple(map(str, checksums)))
        raise damage(name, "its list of segments cannot be read")

    def as_row(self) -> tuple[int, int, str, str]:
        """The row of the catalog."""
        files = {key: [stored.size, stored.checksum] for key, stored in self.files.items()}
        return self.number, self.rows, json.dumps(files), json.dumps(self.documents)

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(file.size for file in self.files.values())


def _with_ids(kinds: Kinds) -> Kinds:
    return {IDS: ID_KIND, **kinds}


class _VerifiedArrays(UserDict[str, NDArray[Any]]):
    """Mapped arrays by their names; each is verified by `verify` when it is first taken."""

    def __init__(self, mapped: Mapping[str, MappedFile], verify: Callable[[str], None]) -> None:
        super().__init__({name: file.array for name, file in mapped.items()})
        self._verify = verify
        self._verified: set[str] = set()

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._verified:
            self._verify(name)
            self._verified.add(name)
        return self.data[name]


class StoredSegment:
    """Columns of some documents of a collection, in the order of their ids.

    `home` is the folder of the collection, `name` what messages call it, `kinds` are its columns,
    and `removed` the ids of its removed documents. With `verify` the checksums of files are
    verified. `alive` tells which documents are not removed. `arrays` has the memory-mapped columns
    by name; of ragged ones the values, with the offsets under NAME.offsets. They stay as they are
    however the collection changes. Raises FormatError for a damaged file, when its array is first
    taken; UnreadableError if it cannot be read.
    """

    def __init__(
        self,
        entry: SegmentEntry,
        home: Path,
        name: str,
        kinds: Kinds,
        removed: NDArray[np.int64],
        *,
        verify: bool = True,
    ) -> None:
        self.number = entry.number
        self.rows = entry.rows
        self.entry = entry
        self.name = f"{name.rstrip('/')}/{SEGMENTS}/{entry.number}"
        self.folder = home / SEGMENTS / str(entry.number)
        self._kinds, self._removed, self._verifies = kinds, removed, verify
        self._derived: dict[str, NDArray[Any]] = {}
        self._ragged: dict[str, Ragged] = {}
        self._consistent: set[tuple[str, ...]] = set()
        paths = (self.name.rpartition("/")[0], self.name)
        for folder, path in zip((self.folder.parent, self.folder), paths, strict=True):
            if not S_ISDIR(folder.lstat().st_mode):  # a link may lead anywhere
                raise damage(path, "is not a folder")
        self._mapped: dict[str, MappedFile] = {}
        for file, stored in entry.files.items():
            try:
                self._mapped[file] = map_array(self.folder / f"{file}.npy", stored.size)
            except ValueError as error:
                raise self._damage(file, printable(str(error))[:200]) from error
        for column, kind in _with_ids(kinds).items():
            self._check(column, kind)
        self.arrays: Mapping[str, NDArray[Any]] = _VerifiedArrays(self._mapped, self._verify)
        self.ids: NDArray[np.int64] = self.arrays[IDS]
        if self.ids[0] < 1 or (self.ids[1:] <= self.ids[:-1]).any():
            raise self._damage(IDS, "its ids are not in ascending order")

    def __len__(self) -> int:
        return self.rows

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Which rows belong to documents that are not removed."""
        return np.isin(self.ids, self._dead, invert=True)

    @property
    def dead(self) -> float:
        """The share of rows that belong to removed documents."""
        return len(self._dead) / self.rows

    @property
    def _dead(self) -> NDArray[np.int64]:
        """The ids of removed documents between its first and its last id."""
        first, last = np.searchsorted(self._removed, [self.ids[0], self.ids[-1] + 1])
        return self._removed[first:last]

    def ragged(self, name: str) -> Ragged:
        """The ragged column of that name. Raises KeyError, FormatError."""
        if name not in self._ragged:
            offsets = self.arrays[f"{name}{_OFFSETS}"]
            if (offsets[1:] < offsets[:-1]).any():
                raise self._damage(f"{name}.offsets", "does not rise")
            self._ragged[name] = Ragged(self.arrays[name], offsets)
        return self._ragged[name]

    def check_consistent(self, names: Sequence[str] | None = None) -> None:
        """FormatError if columns of these names, or any, are damaged, or do not fit together.

        They are read once.
        """
        key = tuple(self._kinds if names is None else names)
        if key not in self._consistent:
            with memory_for(self.name):
                for name in key:  # which verifies them
                    _ = self.ragged(name) if self._kinds[name].ragged else self.arrays[name]
                fault = fault_in(self, key)
            if fault:
                raise damage(self.name, fault, REMEDY_OF_SEGMENT)
            self._consistent.add(key)

    def check_files(self) -> None:
        """FormatError if a file that matters for a copy of the live rows is damaged.

        Of a segment without live rows only the ids matter: other damage may be removed with it.
        """
        wanted = self.entry.files if self.alive.any() else {IDS: self.entry.files[IDS]}
        for path, fault in faults_of_files(self.folder, wanted):
            raise damage(path, fault)

    def derived(
        self, key: str, make: Callable[[], NDArray[Any]], like: ArrayLayout | None = None
    ) -> NDArray[Any]:
        """The array that `make` computes from this segment, cached beside it where possible.

        `key` must name all else that the array depends on: what is computed, with which options,
        in which version. A cached array is used only if it is `like` the type and shape given,
        with -1 for any length.
        """
        if key not in self._derived:
            with memory_for(self.name):
                verify = self._verifies
                self._derived[key] = derived_array(self.folder, key, make, like, verify=verify)
        return self._derived[key]

    def _verify(self, name: str) -> None:
        """FormatError if a file is not as it was written, UnreadableError if it cannot be read."""
        if not self._verifies:
            return
        stored = self.entry.files[name]
        try:
            with memory_for(f"{self.name}/{name}.npy"):
                same = self._mapped[name].has_checksum(stored.checksum, stored.size)
        except OSError as error:
            raise UnreadableError(reason(error), file=f"{self.name}/{name}.npy") from error
        if not same:
            raise self._damage(name, _CHANGED)

    def _check(self, name: str, kind: ArrayKind) -> None:
        """FormatError if an array is not of its kind, or has another number of rows."""
        values = self._mapped[name].array
        if values.ndim == 0 or (values.dtype.str, values.shape[1:]) != (kind.dtype, kind.shape):
            raise self._damage(name, "holds other numbers than it should")
        if not kind.ragged:
            if len(values) != self.rows:
                raise self._damage(name, f"has {len(values)} rows instead of {self.rows}")
            return
        offsets = self._mapped[f"{name}{_OFFSETS}"].array
        fits = offsets.dtype.str == "<i8" and offsets.ndim == 1 and len(offsets) > 0
        if not fits or offsets[0] != 0 or offsets[-1] != len(values):
            raise self._damage(f"{name}.offsets", f"does not fit {name}.npy")
        if name != WORDS and len(offsets) != self.rows + 1:
            raise self._damage(
                f"{name}.offsets", f"is for {len(offsets) - 1} rows instead of {self.rows}"
            )

    def _damage(self, name: str, words: str) -> FormatError:
        return damage(f"{self.name}/{name}.npy", words, REMEDY_OF_SEGMENT)


def faults_of_files(folder: Path, files: Mapping[str, StoredFile]) -> Iterator[tuple[Path, str]]:
    """Those of some files of a segment that are damaged, each with its fault: all are read."""
    for name, stored in files.items():
        path = folder / f"{name}.npy"
        try:
            fault = "" if checksum_of(path, stored.size) == stored.checksum else _CHANGED
        except ValueError as error:
            fault = str(error)
        except OSError as error:
            fault = reason(error)
        if fault:
            yield path, fault


@dataclass(frozen=True)
class RowSource:
    """Rows to copy into a segment: those of `arrays` at `places`, in rising order.

    `ids` are theirs; `canonical` tells whether their vocabulary, if any, is canonical.
    """

    ids: NDArray[np.int64]
    places: NDArray[np.int64]
    arrays: Mapping[str, NDArray[Any] | Ragged]
    canonical: bool = False

    @classmethod
    def of(cls, segment: StoredSegment, kinds: Kinds) -> RowSource:
        """The live rows of a segment."""
        arrays = {
            name: segment.ragged(name) if kind.ragged else segment.arrays[name]
            for name, kind in kinds.items()
        }
        return cls(segment.ids[segment.alive], segment.alive.nonzero()[0], arrays, canonical=True)

    def ragged(self, name: str) -> Ragged:
        """The ragged array of that name."""
        array = self.arrays[name]
        if not isinstance(array, Ragged):
            raise TypeError(name)
        return array

    def pieces(self, name: str) -> Iterator[NDArray[Any]]:
        """The copied rows of an array, of ragged ones their values, in pieces."""
        array = self.arrays[name]
        if not len(self.places):
            return
        lengths = (
            array.lengths[self.places] if isinstance(array, Ragged) else max(1, array[:1].size)
        )
        ends = np.cumsum(np.broadcast_to(lengths, self.places.shape))
        borders = np.searchsorted(ends, np.arange(_PIECE, ends[-1], _PIECE))
        for places in np.split(self.places, distinct(borders)):
            if not len(places):
                continue
            first, last = int(places[0]), int(places[-1])
            in_a_row = last - first + 1 == len(places)
            if not isinstance(array, Ragged):
                yield array[first : last + 1] if in_a_row else array[places]
            elif in_a_row:
                yield array.values[array.offsets[first] : array.offsets[last + 1]]
            else:
                yield array.take(places).values


def make_segment(
    home: Path, number: int, sources: Sequence[RowSource], kinds: Kinds
) -> Mapping[str, StoredFile]:
    """Write segment `number` of the collection in the folder `home` durably; its files.

    After an error nothing is left of it. Raises OSError; ValueError if tokens and words of a
    source do not fit together.
    """
    folder = home / SEGMENTS / str(number)
    folder.mkdir()
    files: dict[str, StoredFile] = {}

    def write(name: str, dtype: str, shape: Shape, pieces: Iterable[NDArray[Any]]) -> None:
        with (folder / f"{name}.npy").open("xb") as file:
            files[name] = write_array(file, dtype, shape, pieces)
            file.flush()
            os.fsync(file.fileno())

    rows = sum(len(source.places) for source in sources)
    try:
        write(IDS, ID_KIND.dtype, (rows,), (source.ids for source in sources))
        words, maps = _vocabulary(sources) if WORDS in kinds else (Ragged.of([], "uint8"), [])
        for name, kind in kinds.items():
            length, pieces = rows, _pieces(name, sources, maps)
            if kind.ragged:
                if name == WORDS:
                    lengths, pieces = words.lengths, iter([words.values])
                else:
                    parts = [source.ragged(name).lengths[source.places] for source in sources]
                    lengths = np.concatenate(parts)
                offsets = offsets_of(lengths)
                write(f"{name}{_OFFSETS}", "<i8", (len(offsets),), [offsets])
                length = int(offsets[-1])
            write(name, kind.dtype, (length, *kind.shape), pieces)
        sync_folder(folder)
        sync_folder(folder.parent)
    except BaseException:
        discard(folder)
        raise
    return files


def discard(folder: Path) -> None:
    """Remove the folder of a segment, as far as possible."""
    with suppress(OSError):
        rmtree(folder, ignore_errors=True)


def _vocabulary(sources: Sequence[RowSource]) -> tuple[Ragged, list[Map]]:
    """The vocabulary of all copied rows, and for each source new ids of its words."""
    step = STEP if all(source.canonical for source in sources) else AT_ONCE
    words = [source.ragged(WORDS) for source in sources]
    used = []
    for source, own in zip(sources, words, strict=True):
        if source.canonical and len(source.places) == len(source.ragged(TOKENS)):
            used.append(np.ones(len(own), bool))
        else:
            used.append(used_words(source.pieces(TOKENS), len(own)))
    return merged(words, used, step)


def _pieces(name: str, sources: Sequence[RowSource], maps: Sequence[Map]) -> Iterator[NDArray[Any]]:
    """The copied rows of an array; tokens by the vocabulary of all sources."""
    for place, source in enumerate(sources):
        for piece in source.pieces(name):
            if name != TOKENS:
                yield piece
                continue
            ids = maps[place]
            if len(piece) and piece.max() >= len(ids):
                what = f"token {piece.max()} is not in a vocabulary of {len(ids) - 1} words"
                raise ValueError(what)
            yield ids[piece]
