"""Cache of arrays derived from a segment: sorted band keys, other shingles and sketches.

They can be computed again at any time, so they are not committed: a missing or damaged array, or
one that cannot be written, is computed again. A checksum follows the array in its file; it is
verified when a process first opens the file.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from numpy.typing import NDArray

from sdtext.collections.storage.arrays import (
    NOT_PLAIN,
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


def derived_array(
    segment: Path,
    key: str,
    make: Callable[[], NDArray[Any]],
    like: ArrayLayout | None = None,
    *,
    verify: bool = True,
) -> NDArray[Any]:
    """The array cached under `key` for the segment in a folder, else that of `make`, now cached.

    A cached array with another type or shape than `like` is computed again, and so is a damaged
    one if it is to be verified.
    """
    digest = blake2b(key.encode("utf-8"), digest_size=16).hexdigest()
    path = segment / _FOLDER / f"{digest}.npy"
    cached = _cached(path, like, verify=verify)
    if cached is not None:
        return cached
    array = make()
    with suppress(OSError, OutputError):  # a read-only or full disk
        path.parent.mkdir(exist_ok=True)
        if _is_folder(path.parent) and (not os.path.lexists(path) or _is_plain(path)):
            with written(path) as file:
                dtype = array.dtype.newbyteorder("<").str
                stored = write_array(file, dtype, array.shape, [array])
                file.write(stored.checksum.encode("ascii"))
            cached = _cached(path, like, verify=False)  # it was just written
    return array if cached is None else cached


def _cached(path: Path, like: ArrayLayout | None, *, verify: bool) -> NDArray[Any] | None:
    """The array in the file at `path`, None if there is none, or not one `like` that."""
    with suppress(OSError, ValueError):
        if not _is_folder(path.parent):
            return None
        mapped = map_array(path, path.lstat().st_size)
        if like is not None:
            (dtype, shape), array = like, mapped.array
            sizes = zip(shape, array.shape, strict=True)
            if array.dtype.str != dtype or not all(wanted in (-1, size) for wanted, size in sizes):
                return None
        if not verify or mapped.has_checksum(*_stated(path)):
            return mapped.array
    return None


def _stated(path: Path) -> tuple[str, int]:
    """The checksum behind an array, and the bytes it is of. Raises OSError, ValueError."""
    with plain_file(path) as file:
        size = os.fstat(file.fileno()).st_size - _CHECKSUM
        file.seek(max(0, size))
        return file.read(_CHECKSUM).decode("ascii"), size


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
        fault = ""
        try:
            checksum, size = _stated(path)
            fault = "" if checksum_of(path, size) == checksum else _CHANGED
        except UnicodeDecodeError:
            fault = _CHANGED
        except ValueError:
            fault = NOT_PLAIN
        except OSError:
            continue
        if fault:
            yield path, f"{fault}; {_REMEDY}"
