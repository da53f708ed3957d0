"""What is made of a segment and kept beside it: sorted keys of bands, columns of bits.

It can be made again at any time, so it is not committed: where it is damaged or missing, or
cannot be written, it is made anew. The checksum stands behind the array.
"""

from __future__ import annotations

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
    mapped,
    plain_file,
    write_array,
)
from sdtext.errors import OutputError
from sdtext.io.atomic import written

_FOLDER = "derived"
_CHECKSUM = 32  # hexadecimal digits
_CHANGED = "its content does not give its checksum"
_REMEDY = "delete this file, it is made again"

Like = tuple[str, tuple[int, ...]]
"""What an array must be like: its type as numpy spells it, and its shape; -1 for any length."""


def derived(
    segment: Path, key: str, make: Callable[[], NDArray[Any]], like: Like | None = None
) -> NDArray[Any]:
    """What is kept under `key` in the folder of a segment; else what `make` makes, now kept.

    What is kept and not `like` what it must be is made anew.
    """
    digest = blake2b(key.encode("utf-8"), digest_size=16).hexdigest()
    path = segment / _FOLDER / f"{digest}.npy"
    found = _kept(path, like)
    if found is None:
        made = make()
        with suppress(OSError, OutputError):  # a medium for reading only, or a full one
            path.parent.mkdir(exist_ok=True)
            _keep(path, made)
        found = _kept(path, like)
        return made if found is None else found
    return found


def _keep(path: Path, array: NDArray[Any]) -> None:
    """Write an array, but never through a link, nor into a device or a pipe."""
    if not _is_folder(path.parent) or (os.path.lexists(path) and not _is_plain(path)):
        return
    with written(path) as file:
        dtype = array.dtype.newbyteorder("<").str
        stored = write_array(file, dtype, array.shape, [array])
        file.write(stored.checksum.encode("ascii"))


def _kept(path: Path, like: Like | None) -> NDArray[Any] | None:
    """The array in the file at `path`, None where there is none that is whole, and as wanted."""
    with suppress(OSError, ValueError):
        if _is_folder(path.parent):
            found = mapped(path, path.lstat().st_size)
            return found if like is None or _is_like(found, *like) else None
    return None


def _is_like(array: NDArray[Any], dtype: str, shape: tuple[int, ...]) -> bool:
    if array.dtype.str != dtype or array.ndim != len(shape):
        return False
    return all(wanted in (-1, size) for wanted, size in zip(shape, array.shape, strict=True))


def _is_folder(path: Path) -> bool:
    """Whether a folder is there, and no link to one."""
    with suppress(OSError):
        return S_ISDIR(path.lstat().st_mode)
    return False


def _is_plain(path: Path) -> bool:
    with suppress(OSError, ValueError), plain_file(path):
        return True
    return False


def damaged_in(segment: Path) -> Iterator[tuple[Path, str]]:
    """The files in the folder of a segment that are not what was kept there, and why not."""
    folder = segment / _FOLDER
    if not _is_folder(folder):
        if os.path.lexists(folder):
            yield folder, f"is no folder; {_REMEDY}"
        return
    for path in sorted(folder.glob("*.npy")):
        with suppress(OSError):
            if words := _damage(path):
                yield path, f"{words}; {_REMEDY}"


def _damage(path: Path) -> str:
    """What is wrong with a file that was kept; "" where nothing is."""
    try:
        with plain_file(path) as file:
            size = os.fstat(file.fileno()).st_size - _CHECKSUM
            file.seek(max(0, size))
            told = file.read(_CHECKSUM)
        return "" if checksum_of(path, size).encode("ascii") == told else _CHANGED
    except ValueError:
        return NOT_PLAIN
