"""Arrays on disk: their type and shape, writing, memory-mapping and checksums of files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from stat import S_ISREG
from time import time_ns
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_128

from sdtext.kernels.arrays.ragged import Ragged

NAME = re.compile("[a-z0-9][a-z0-9-]{0,63}")
NOT_PLAIN = "is not a plain file"
_TYPES = re.compile("<[iuf][248]|[|][iub]1")
_WIDEST = 1 << 24  # elements of one row
_HEADER = 1 << 10  # bytes; more than any header
_BEHIND = 32  # bytes; a checksum may follow the elements
_HERE_ONLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # never wait for a pipe
_WRITTEN = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([<|][a-z][1-8])', 'fortran_order': False, "
    rb"'shape': \(([0-9]{1,15}(?:, ?[0-9]{1,15}){0,8},?)?\), \} *\n",
    re.DOTALL,
)

Shape = tuple[int, ...]
_PIECE = 1 << 24  # bytes that are written at once
_SETTLED = 100_000_000  # nanoseconds; times of files are that exact, or more
_MOST = 1 << 16  # files


@dataclass(frozen=True)
class ArrayKind:
    """Type and shape of the arrays of one name, in all segments of a collection.

    `dtype` is as numpy spells it, in little-endian order; `shape` is that of one row. `ragged`
    arrays have rows of different lengths and their offsets in a second file; `shape` is then
    that of one value of a row.
    """

    dtype: str
    shape: Shape = ()
    ragged: bool = False

    @classmethod
    def of(cls, array: NDArray[Any] | Ragged) -> ArrayKind:
        """The kind of an array whose rows are documents.

        >>> ArrayKind.of(Ragged.of([[1, 2], [3]]))
        ArrayKind(dtype='<u8', shape=(), ragged=True)
        """
        values = array.values if isinstance(array, Ragged) else array
        dtype = values.dtype.newbyteorder("<").str
        kind = cls(dtype, tuple(values.shape[1:]), isinstance(array, Ragged))
        if not kind.allowed:
            raise ValueError(f"arrays of {dtype} {kind.shape} cannot be stored")
        return kind

    @classmethod
    def from_json(cls, value: object) -> ArrayKind | None:
        """The kind in a JSON object; None if it has none."""
        match value:
            case {"dtype": str(dtype), "shape": list(shape), "ragged": bool(ragged)} if all(
                type(size) is int and size > 0 for size in shape
            ):
                kind = cls(dtype, tuple(shape), ragged)
                return kind if kind.allowed else None
        return None

    @property
    def allowed(self) -> bool:
        """Whether collections store arrays of this kind: numbers, in rows of bounded width."""
        return bool(_TYPES.fullmatch(self.dtype)) and prod(self.shape) <= _WIDEST

    def files(self, name: str) -> list[str]:
        """The names of the files of such an array, without suffix."""
        return [name, f"{name}.offsets"] if self.ragged else [name]


Kinds = Mapping[str, ArrayKind]


@dataclass(frozen=True)
class StoredFile:
    """A file of a segment: its size in bytes and the checksum (XXH3, 128 bits) of all of them."""

    size: int
    checksum: str


def write_array(
    file: BinaryIO, dtype: str, shape: Shape, chunks: Iterable[NDArray[Any]]
) -> StoredFile:
    """Write an array in NumPy's format, chunk by chunk, to an empty file."""
    head = _head(dtype, shape)
    checksum = xxh3_128(head)
    size = file.write(head)
    for chunk in chunks:
        flat = np.ascontiguousarray(chunk, dtype).reshape(-1).view(np.uint8).data
        for start in range(0, len(flat), _PIECE):  # Ctrl-C takes effect between two turns
            piece = flat[start : start + _PIECE]
            checksum.update(piece)
            size += file.write(piece)
    if size != len(head) + np.dtype(dtype).itemsize * prod(shape):
        raise ValueError(f"{size} bytes were written for the shape {shape}")
    return StoredFile(size, checksum.hexdigest())


def _head(dtype: str, shape: Shape) -> bytes:
    """The header of NumPy's format."""
    head = BytesIO()
    header = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, header)
    return head.getvalue()


@dataclass(frozen=True, eq=False)
class MappedFile:
    """The array in a file, memory-mapped, with the state of the file when it was mapped."""

    path: Path
    array: NDArray[Any]
    state: FileState

    def has_checksum(self, checksum: str, size: int) -> bool:
        """Whether the first `size` bytes have this checksum.

        All of them are read, but only once by one process: from the file, since reading a map that
        its disk cannot read would end the process; from the map if the file has been removed.
        Raises OSError.
        """
        if (self.state, checksum) in VERIFIED:
            return True
        actual = ""
        with suppress(FileNotFoundError, ValueError):
            if FileState.of(self.path.lstat()) == self.state:
                actual = checksum_of(self.path, size)
        if not actual:
            content = xxh3_128(_head(self.array.dtype.str, self.array.shape))
            content.update(np.ascontiguousarray(self.array).reshape(-1).view(np.uint8).data)
            actual = content.hexdigest()
        age = time_ns() - max(self.state.modified, self.state.changed)
        if actual == checksum and age > _SETTLED:  # another write may leave its times as they are
            if len(VERIFIED) >= _MOST:
                VERIFIED.clear()
            VERIFIED.add((self.state, checksum))
        return actual == checksum


def map_array(path: Path, size: int) -> MappedFile:
    """The memory-mapped array in the file of `size` bytes at `path`.

    Raises FileNotFoundError, and ValueError if it is anything else.
    """
    with plain_file(path) as file:
        status = os.fstat(file.fileno())
        if status.st_size != size:
            raise ValueError(f"has {status.st_size} bytes instead of {size}")
        dtype, shape, start = _layout(file.read(_HEADER))
        if not 0 <= size - start - np.dtype(dtype).itemsize * prod(shape) <= _BEHIND:
            raise ValueError("does not have the length it states")
        array = np.memmap(file, dtype, "r", start, shape).view(np.ndarray)
    return MappedFile(path, array, FileState.of(status))


def plain_file(path: Path) -> BinaryIO:
    """Open the regular file at `path`. Raises OSError; ValueError for a link, device or pipe."""
    if not S_ISREG(path.lstat().st_mode):
        raise ValueError(NOT_PLAIN)

    def at_once(name: str, flags: int) -> int:
        return os.open(name, flags | _HERE_ONLY)

    file = open(path, "rb", opener=at_once)  # noqa: SIM115 (given back open)
    if S_ISREG(os.fstat(file.fileno()).st_mode):  # it may have been replaced since
        return file
    file.close()
    raise ValueError(NOT_PLAIN)


def _layout(head: bytes) -> tuple[str, Shape, int]:
    """Type and shape in a file's header, and the offset of the elements. Raises ValueError.

    NumPy's own reader would evaluate the header as Python; this accepts only what we write.
    """
    match = _WRITTEN.match(head)
    if not match or match.end() != 10 + int.from_bytes(match[1], "little"):
        raise ValueError("does not begin with an array header")
    sizes = [int(size) for size in (match[3] or b"").split(b",") if size.strip()]
    dtype = match[2].decode("ascii")
    if not _TYPES.fullmatch(dtype):
        raise ValueError("is not an array of numbers")
    return dtype, tuple(sizes), match.end()


def checksum_of(path: Path, size: int) -> str:
    """The checksum of the first `size` bytes of a file. Raises OSError, ValueError as above."""
    checksum = xxh3_128()
    with plain_file(path) as file:
        while size > 0 and (data := file.read(min(size, 1 << 20))):
            checksum.update(data)
            size -= len(data)
    return checksum.hexdigest()


class FileState(NamedTuple):
    """What changes whenever a file is written to, or replaced by another."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        """The state in the result of `stat`."""
        times = status.st_mtime_ns, status.st_ctime_ns
        return cls(status.st_dev, status.st_ino, status.st_size, *times)


VERIFIED: set[tuple[FileState, str]] = set()
"""Files that this process has verified, in a certain state, each with its checksum."""
