"""Arrays on disk: what those of one name are like, how they are written and mapped."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged

NAME = re.compile("[a-z0-9][a-z0-9-]{0,63}")
NOT_PLAIN = "is not a plain file"
_TYPES = re.compile("<[iuf][248]|[|][iub]1")
_WIDEST = 1 << 24  # elements of one row
_HEADER = 1 << 10  # bytes; more than what stands before the elements
_BEHIND = 32  # bytes; a checksum may stand behind them
_HERE_ONLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe: never wait
_WRITTEN = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([<|][a-z][1-8])', 'fortran_order': False, "
    rb"'shape': \(([0-9]{1,15}(?:, ?[0-9]{1,15}){0,8},?)?\), \} *\n",
    re.DOTALL,
)

Shape = tuple[int, ...]


@dataclass(frozen=True)
class ArrayKind:
    """What the arrays of one name are like, in all segments of a collection.

    `dtype` is as numpy spells it, in little-endian order; `shape` is that of one row. `ragged`
    ones have rows of different lengths, and their offsets in a file of their own; `shape` is
    then that of one value of a row.
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
        ragged = isinstance(array, Ragged)
        values = array.values if isinstance(array, Ragged) else array
        dtype = values.dtype.newbyteorder("<").str
        kind = cls(dtype, tuple(values.shape[1:]), ragged)
        if not kind.allowed:
            raise ValueError(f"arrays of {dtype} {kind.shape} cannot be stored")
        return kind

    @classmethod
    def read(cls, told: object) -> ArrayKind | None:
        """The kind that JSON tells of; None where it tells of none."""
        match told:
            case {"dtype": str(dtype), "shape": list(shape), "ragged": bool(ragged)} if all(
                type(size) is int and size > 0 for size in shape
            ):
                kind = cls(dtype, tuple(shape), ragged)
                return kind if kind.allowed else None
        return None

    def told(self) -> dict[str, Any]:
        """The kind as JSON can tell it."""
        return {"dtype": self.dtype, "shape": list(self.shape), "ragged": self.ragged}

    @property
    def allowed(self) -> bool:
        """Whether arrays of this kind may be in a collection: numbers, in rows of sane widths."""
        return bool(_TYPES.fullmatch(self.dtype)) and prod(self.shape) <= _WIDEST

    def files(self, name: str) -> list[str]:
        """What the files of an array of this kind are called, without their endings."""
        return [name, f"{name}.offsets"] if self.ragged else [name]


Kinds = Mapping[str, ArrayKind]


@dataclass(frozen=True)
class Stored:
    """A file of a segment: its size in bytes and the checksum (XXH3, 128 bits) of all of them."""

    size: int
    checksum: str


def write_array(file: BinaryIO, dtype: str, shape: Shape, chunks: Iterable[NDArray[Any]]) -> Stored:
    """Write an array in numpy's format, chunk by chunk, to a file that is empty yet."""
    from xxhash import xxh3_128

    head = _head(dtype, shape)
    checksum = xxh3_128(head)
    size = file.write(head)
    for chunk in chunks:
        flat = np.ascontiguousarray(chunk, dtype).reshape(-1).view(np.uint8)
        checksum.update(flat.data)
        size += file.write(flat.data)
    if size != len(head) + np.dtype(dtype).itemsize * prod(shape):
        raise ValueError(f"{size} bytes were written for the shape {shape}")
    return Stored(size, checksum.hexdigest())


def checksum_as_written(array: NDArray[Any]) -> str:
    """The checksum of the file that `write_array` makes of an array."""
    from xxhash import xxh3_128

    checksum = xxh3_128(_head(array.dtype.str, array.shape))
    checksum.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return checksum.hexdigest()


def _head(dtype: str, shape: Shape) -> bytes:
    """What numpy's format puts before the elements."""
    head = BytesIO()
    header = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, header)
    return head.getvalue()


def mapped(path: Path, size: int) -> NDArray[Any]:
    """The array in the file at `path`, which has `size` bytes: mapped, not read.

    Raises FileNotFoundError, and ValueError where it is something else.
    """
    with plain_file(path) as file:
        found = os.fstat(file.fileno()).st_size
        if found != size:
            raise ValueError(f"has {found} bytes in place of {size}")
        dtype, shape, start = _layout(file.read(_HEADER))
        if not 0 <= size - start - np.dtype(dtype).itemsize * prod(shape) <= _BEHIND:
            raise ValueError("is not as long as it says")
        return np.memmap(file, dtype, "r", start, shape).view(np.ndarray)


def plain_file(path: Path) -> BinaryIO:
    """The file at `path`, opened; ValueError for a link, a device or a pipe: it could be anything.

    Raises OSError.
    """
    if not S_ISREG(path.lstat().st_mode):
        raise ValueError(NOT_PLAIN)

    def at_once(name: str, flags: int) -> int:
        return os.open(name, flags | _HERE_ONLY)

    file = open(path, "rb", opener=at_once)  # noqa: SIM115 (given back open)
    if S_ISREG(os.fstat(file.fileno()).st_mode):  # it may have been put there since
        return file
    file.close()
    raise ValueError(NOT_PLAIN)


def _layout(head: bytes) -> tuple[str, Shape, int]:
    """Type and shape that a file begins with, and where the elements begin. Raises ValueError.

    numpy would evaluate what stands there; we know how we wrote it.
    """
    match = _WRITTEN.match(head)
    if not match or match.end() != 10 + int.from_bytes(match[1], "little"):
        raise ValueError("does not begin as an array")
    sizes = [int(size) for size in (match[3] or b"").split(b",") if size.strip()]
    dtype = match[2].decode("ascii")
    if not _TYPES.fullmatch(dtype):
        raise ValueError("holds what is no array of numbers")
    return dtype, tuple(sizes), match.end()


def checksum_of(path: Path, size: int) -> str:
    """The checksum of the first `size` bytes of a file. Raises OSError, ValueError as above."""
    from xxhash import xxh3_128

    checksum = xxh3_128()
    with plain_file(path) as file:
        while size > 0 and (data := file.read(min(size, 1 << 20))):
            checksum.update(data)
            size -= len(data)
    return checksum.hexdigest()
