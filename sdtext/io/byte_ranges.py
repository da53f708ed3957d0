"""Byte ranges of an open file that can be read as files of their own."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast
from weakref import finalize

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class SharedFile:
    """An open file that needs no name any more: it is closed when nobody refers to it.

    It is read only at places that are named, never moved in, so that many can share it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        finalize(self, os.close, descriptor)

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        return os.fstat(self._descriptor).st_size

    def read(self, offset: int, size: int) -> bytes:
        """The bytes at `offset`, at most `size`."""
        return os.pread(self._descriptor, size, offset)


@dataclass(frozen=True)
class ByteRange:
    """Where the bytes of a file stand: `size` of them from `offset` on."""

    file: SharedFile
    offset: int
    size: int

    def opened(self) -> BinaryIO:
        """The bytes as a file to be read in any order."""
        return cast("BinaryIO", io.BufferedReader(_Slice(self)))


class _Slice(io.RawIOBase):
    """What is stored, as a file."""

    def __init__(self, stored: ByteRange) -> None:
        self._stored = stored
        self._place = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """As a file's own."""
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._stored.size}[whence]
        self._place = max(0, begin + offset)
        return self._place

    def readinto(self, buffer: WriteableBuffer) -> int:
        """As a file's own."""
        wanted = memoryview(buffer).cast("B")
        size = max(0, min(len(wanted), self._stored.size - self._place))
        found = self._stored.file.read(self._stored.offset + self._place, size)
        wanted[: len(found)] = found
        self._place += len(found)
        return len(found)
