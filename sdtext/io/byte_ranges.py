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
    """An open file, with or without a name, that is closed when nothing refers to it.

    It is read by positional reads (`pread`) only, so that several readers can share it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        finalize(self, os.close, descriptor)

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return os.fstat(self._descriptor).st_size

    def read(self, offset: int, size: int) -> bytes:
        """The bytes at `offset`, at most `size`."""
        return os.pread(self._descriptor, size, offset)


@dataclass(frozen=True)
class ByteRange:
    """The bytes `[offset, offset + size)` of an open file."""

    file: SharedFile
    offset: int
    size: int

    def opened(self) -> BinaryIO:
        """A seekable file with these bytes."""
        return cast("BinaryIO", io.BufferedReader(_Slice(self)))


class _Slice(io.RawIOBase):
    """A byte range as a raw file."""

    def __init__(self, range_: ByteRange) -> None:
        self._range = range_
        self._place = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Like `io.RawIOBase`."""
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._range.size}[whence]
        self._place = max(0, begin + offset)
        return self._place

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Like `io.RawIOBase`."""
        wanted = memoryview(buffer).cast("B")
        size = max(0, min(len(wanted), self._range.size - self._place))
        data = self._range.file.read(self._range.offset + self._place, size)
        wanted[: len(data)] = data
        self._place += len(data)
        return len(data)
