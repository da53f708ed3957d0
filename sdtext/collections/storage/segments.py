"""Segments: arrays with a row for each of some documents, which never change on the disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from stat import S_ISDIR
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.storage.arrays import ArrayKind, Kinds, Stored, checksum_as_written, mapped
from sdtext.collections.storage.derived_cache import Like, derived
from sdtext.collections.storage.meta import REMEDY
from sdtext.collections.storage.vocabulary import WORDS
from sdtext.errors import FormatError, printable
from sdtext.kernels.arrays.ragged import Ragged

SEGMENTS = "segments"
IDS = "ids"
ID_KIND = ArrayKind("<i8")
_MANY = 1 << 40


@dataclass(frozen=True)
class Listed:
    """What the catalog tells of a segment: how many rows it has, and its files."""

    number: int
    rows: int
    files: Mapping[str, Stored]

    @classmethod
    def read(cls, row: tuple[Any, ...], kinds: Kinds, name: str) -> Listed:
        """The segment that a row of the catalog tells of. Raises FormatError."""
        match row:
            case [int(number), int(rows), str(files)] if number > 0 and 0 < rows < _MANY:
                with suppress(ValueError, RecursionError, AttributeError):
                    found = {key: _stored(told) for key, told in json.loads(files).items()}
                    if set(found) == _files(kinds):
                        return cls(number, rows, found)
        raise FormatError(f"{name}: is damaged: its list of segments cannot be read; {REMEDY}")

    def told(self) -> tuple[int, int, str]:
        """The row of the catalog."""
        files = {key: [one.size, one.checksum] for key, one in self.files.items()}
        return self.number, self.rows, json.dumps(files)

    @property
    def size(self) -> int:
        """The bytes of all its files."""
        return sum(one.size for one in self.files.values())


def _stored(told: object) -> Stored:
    match told:
        case [int(size), str(checksum)] if size >= 0:
            return Stored(size, checksum)
    raise ValueError(told)


def _files(kinds: Kinds) -> set[str]:
    """What the files of a segment are called, without their endings."""
    return {file for name, kind in {IDS: ID_KIND, **kinds}.items() for file in kind.files(name)}


class Segment:
    """Some documents of a collection, one row each, in the order of their ids.

    `ids` are their numbers; `alive` says which are not removed. `arrays` are memory-mapped, by
    name; of ragged ones the values, with the offsets under NAME.offsets. All stay as they are
    however the collection changes meanwhile.
    """

    def __init__(
        self, home: Path, listed: Listed, kinds: Kinds, removed: NDArray[np.int64], collection: str
    ):
        self.number = listed.number
        self.rows = listed.rows
        self.listed = listed
        self.folder = home / SEGMENTS / str(listed.number)
        # In messages: as the collection was named.
        self._called = f"{collection.rstrip('/')}/{SEGMENTS}/{listed.number}"
        self._kinds = kinds
        self._removed = removed
        self._kept: dict[str, NDArray[Any]] = {}
        self._ragged: dict[str, Ragged] = {}
        self._whole: set[str] = set()
        called = (self._called.rpartition("/")[0], self._called)
        for folder, place in zip((self.folder.parent, self.folder), called, strict=True):
            if not S_ISDIR(folder.lstat().st_mode):  # behind a link there may be anything
                raise FormatError(f"{place}: is damaged: is no folder; {REMEDY}")
        self.arrays: Mapping[str, NDArray[Any]] = {
            name: self._opened(name, stored) for name, stored in listed.files.items()
        }
        for name, kind in {IDS: ID_KIND, **kinds}.items():
            self._check(name, kind)
        self.ids: NDArray[np.int64] = self.arrays[IDS]

    def __len__(self) -> int:
        return self.rows

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Which rows are those of documents that are not removed."""
        return np.isin(self.ids, self._dead, invert=True)

    @property
    def dead(self) -> float:
        """The share of rows that are those of removed documents."""
        return len(self._dead) / self.rows

    @property
    def _dead(self) -> NDArray[np.int64]:
        """The ids of removed documents between its first and its last one."""
        first, last = np.searchsorted(self._removed, [self.ids[0], self.ids[-1] + 1])
        return self._removed[first:last]

    def ragged(self, name: str) -> Ragged:
        """The array of that name, whose rows have different lengths."""
        if name not in self._ragged:
            offsets = self.arrays[f"{name}.offsets"]
            if (offsets[1:] < offsets[:-1]).any():
                raise self._damage(f"{name}.offsets", "does not rise")
            self._ragged[name] = Ragged(self.arrays[name], offsets)
        return self._ragged[name]

    def check_content(self, names: Iterable[str]) -> bool:
        """FormatError where the arrays of these names are not as they were written.

        Every byte of them is read, once for this segment: whether that was now.
        """
        files = {file for name in names for file in self._kinds[name].files(name)} - self._whole
        for file in sorted(files):
            if checksum_as_written(self.arrays[file]) != self.listed.files[file].checksum:
                raise self._damage(file, "its content does not give its checksum")
        self._whole |= files
        return bool(files)

    def derived(
        self, key: str, make: Callable[[], NDArray[Any]], like: Like | None = None
    ) -> NDArray[Any]:
        """What `make` makes of this segment: made once, and kept beside it where that can be.

        `key` must say all that it depends on beside the segment: what is made, by which options,
        in which version. It may be taken from what another program made for that key, if it is
        `like` what it must be: type and shape, -1 for any length.
        """
        if key not in self._kept:
            self._kept[key] = derived(self.folder, key, make, like)
        return self._kept[key]

    def _opened(self, name: str, stored: Stored) -> NDArray[Any]:
        try:
            return mapped(self.folder / f"{name}.npy", stored.size)
        except ValueError as error:
            raise self._damage(name, printable(str(error))[:200]) from error

    def _check(self, name: str, kind: ArrayKind) -> None:
        """FormatError where an array is not of its kind, or has another number of rows."""
        values = self.arrays[name]
        alike = values.dtype.str == kind.dtype and values.shape[1:] == kind.shape
        if not alike or values.ndim == 0:
            raise self._damage(name, "holds other numbers than it should")
        if kind.ragged:
            self._check_offsets(name, len(values))
        elif len(values) != self.rows:
            raise self._damage(name, f"has {len(values)} rows in place of {self.rows}")

    def _check_offsets(self, name: str, end: int) -> None:
        offsets = self.arrays[f"{name}.offsets"]
        fits = offsets.dtype.str == "<i8" and offsets.ndim == 1 and len(offsets) > 0
        if not fits or offsets[0] != 0 or offsets[-1] != end:
            raise self._damage(f"{name}.offsets", f"does not fit {name}.npy")
        if name != WORDS and len(offsets) != self.rows + 1:
            raise self._damage(
                f"{name}.offsets", f"is for {len(offsets) - 1} rows in place of {self.rows}"
            )

    def _damage(self, name: str, words: str) -> FormatError:
        return FormatError(f"{self._called}/{name}.npy: is damaged: {words}; {REMEDY}")
