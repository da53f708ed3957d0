"""What undoes the compression of a file, known by its first bytes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from typing import IO, BinaryIO, cast


class Counted:
    """A file that counts the bytes read from it, and whose first bytes can be looked at."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._peeked = b""
        self.size = 0

    def peek(self) -> bytes:
        """The first six bytes, which a later read returns again."""
        self._peeked = self._file.read(6)
        return self._peeked

    def read(self, size: int = -1) -> bytes:
        """As a file's own."""
        block = self._peeked[:size] if size >= 0 else self._peeked
        self._peeked = self._peeked[len(block) :]
        if size < 0 or len(block) < size:
            block += self._file.read(size - len(block) if size >= 0 else -1)
        self.size += len(block)
        return block

    def readable(self) -> bool:
        """Always; the decompressors ask."""
        return True

    def seekable(self) -> bool:
        """Never; the decompressors ask."""
        return False

    @property
    def closed(self) -> bool:
        """Whether the file is closed; the decompressors ask."""
        return self._file.closed


class _Zstandard:
    """A zstandard file, unpacked frame by frame; EOFError where the last is cut short."""

    # One packed byte holds at most some 32,000, so a step yields 32 MB at the worst.
    _STEP = 1024

    def __init__(self, file: Counted) -> None:
        import zstandard

        self._frames = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        self._file = file
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._rest = b""

    def read(self, size: int) -> bytes:
        """At least `size` bytes, fewer at the end of the file alone."""
        blocks, length = [], 0
        while length < size and (packed := self._rest or self._file.read(self._STEP)):
            self._frame = self._frame or self._frames.decompressobj()
            blocks.append(self._frame.decompress(packed))
            length += len(blocks[-1])
            self._rest = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        if length < size and self._frame:
            raise EOFError("it ends too early")
        return b"".join(blocks)


def unpacker(file: Counted, head: bytes) -> IO[bytes] | Counted | _Zstandard:
    """What unpacks `file`, which begins with `head`: the file itself where it is not packed."""
    source = cast("IO[bytes]", file)
    if head.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=source))
    if head.startswith(b"BZh"):
        return bz2.BZ2File(source)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(source)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _Zstandard(file)
    return file


def zstd_error() -> type[Exception]:
    """The error of zstandard if that package is at work, else one that nothing raises."""
    module = sys.modules.get("zstandard")
    return cast("type[Exception]", module.ZstdError) if module else StopAsyncIteration
