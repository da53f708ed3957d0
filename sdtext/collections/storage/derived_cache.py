"""Cache of arrays derived from a segment: sorted band keys, other shingles and sketches.

They can be computed again at any time, so they are not committed: a missing or damaged array, or
one that cannot be written, is computed again. A checksum follows the array in its file; it is
verified when a process first opens the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from numpy.typing import NDArray

from sdtext.collections.storage.arrays import (
    NOT_PLAIN,
    MappedFile,
    checksum_of,
    map_array,
    plain_file,
    write_array,
)
from sdtext.errors import OutputError
from sdtext.io.output import written

_FOLDER = "derived"
_CHECKSUM = 32  # hexadecimal digits
_CHANGED = "its content does not match its checksum"
_REMEDY = "delete this file; it will be recreated"

ArrayLayout = tuple[str, tuple[int, ...]]
"""The type, as NumPy spells it, and the shape that an array must have; -1 is any length."""


@dataclass(frozen=True)
class DerivedCache:
    """The arrays derived from the segment in a folder; `verify` tells whether all are verified."""

    segment: Path
    verify: bool = True

    def array(
        self, key: str, make: Callable[[], NDArray[Any]], like: ArrayLayout | None = None
    ) -> NDArray[Any]:
        """The array cached under `key`, else that of `make`, now cached.

        A cached array with another type or shape than `like` is computed again.
        """
        path = self._path(key)
        cached = _cached(path, like, verify=self.verify)
        if cached is None:
            array = make()
            with suppress(OSError, OutputError):  # a read-only or full disk
                path.parent.mkdir(exist_ok=True)
                _write(path, array)
            cached = _cached(path, like, verify=False)  # it was just written
            return array if cached is None else cached
        return cached

    def _path(self, key: str) -> Path:
        digest = blake2b(key.encode("utf-8"), digest_size=16).hexdigest()
        return self.segment / _FOLDER / f"{digest}.npy"


def _write(path: Path, array: NDArray[Any]) -> None:
    """Write an array, but never through a link, into a device or into a pipe."""
    if not _is_folder(path.parent) or (os.path.lexists(path) and not _is_plain(path)):
        return
    with written(path) as file:
        dtype = array.dtype.newbyteorder("<").str
        stored = write_array(file, dtype, array.shape, [array])
        file.write(stored.checksum.encode("ascii"))


def _cached(path: Path, like: ArrayLayout | None, *, verify: bool) -> NDArray[Any] | None:
    """The array in the file at `path`, None if there is none, or not one `like` that."""
    with suppress(OSError, ValueError):
        mapped = _mapped(path, like)
        if mapped and (not verify or mapped.has_checksum(*_stated(path))):
            return mapped.array
    return None


def _mapped(path: Path, like: ArrayLayout | None) -> MappedFile | None:
    """The file at `path`, None if it has no array `like` that."""
    with suppress(OSError, ValueError):
        if _is_folder(path.parent):
            mapped = map_array(path, path.lstat().st_size)
            return mapped if like is None or _is_like(mapped.array, *like) else None
    return None


def _stated(path: Path) -> tuple[str, int]:
    """The checksum behind an array, and the bytes it is of. Raises OSError, ValueError."""
    with plain_file(path) as file:
        size = os.fstat(file.fileno()).st_size - _CHECKSUM
        file.seek(max(0, size))
        return file.read(_CHECKSUM).decode("ascii"), size


def _is_like(array: NDArray[Any], dtype: str, shape: tuple[int, ...]) -> bool:
    if array.dtype.str != dtype or array.ndim != len(shape):
        return False
    return all(wanted in (-1, size) for wanted, size in zip(shape, array.shape, strict=True))


def _is_folder(path: Path) -> bool:
    """Whether `path` is a folder, and no link to one."""
    with suppress(OSError):
        return S_ISDIR(path.lstat().st_mode)
    return False


def _is_plain(path: Path) -> bool:
    with suppress(OSError, ValueError), plain_file(path):
        return True
    return False


def damaged_in(segment: Path) -> Iterator[tuple[Path, str]]:
    """The damaged files in the cache of a segment, each with its fault."""
    folder = segment / _FOLDER
    if not _is_folder(folder):
        if os.path.lexists(folder):
            yield folder, f"is not a folder; {_REMEDY}"
        return
    for path in sorted(folder.glob("*.npy")):
        with suppress(OSError):
            if words := _damage(path):
                yield path, f"{words}; {_REMEDY}"


def _damage(path: Path) -> str:
    """The fault of a cached file, "" if there is none."""
    try:
        checksum, size = _stated(path)
        return "" if checksum_of(path, size) == checksum else _CHANGED
    except UnicodeDecodeError:
        return _CHANGED
    except ValueError:
        return NOT_PLAIN
