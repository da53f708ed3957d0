"""The bytes of a file: unpacked where it is compressed, in blocks, within limits."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile, SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, BinaryIO, cast
from weakref import finalize

from sdtext.errors import PackingError, SdtextError, UnreadableError
from sdtext.wording import reason, shown

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BLOCK = 1 << 20
MAX_BYTES = 256 << 20
MAX_RATIO = 200
"""Unpacked bytes for each packed byte that are allowed, once the first `BLOCK` is unpacked."""
HEAD = 4096
"""The number of first bytes by which the kind of a file is recognized."""
_IN_MEMORY = 32 << 20
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Content:
    """The bytes of the file at `path` ("-" is the standard input), unpacked.

    For a member extracted from an archive, `stored` is the range that holds its bytes.

    gzip, bzip2, xz and zstandard are detected by their first bytes, whatever the file is called.
    A compressed file or a pipe yields at most `max_bytes`, and at most `MAX_RATIO` for each packed
    byte; a plain file may have any size. Methods raise no error but UnreadableError.
    """

    path: str | Path
    max_bytes: int = MAX_BYTES
    called: str = ""
    stored: ByteRange | None = None

    @property
    def name(self) -> str:
        """`called`, or else the path, as one printable line."""
        return shown(self.called or ("standard input" if self._piped else self.path))

    @property
    def _piped(self) -> bool:
        return str(self.path) == "-"

    @property
    def _read_again(self) -> bool:
        """Whether the bytes can be read more than once, and in any order."""
        if self.stored is not None or "_files" in vars(self):
            return True
        return os.path.isfile(self.path) and not self._piped  # noqa: PTH113 (it never raises)

    @cached_property
    def head(self) -> bytes:
        """The first bytes, at most 4,096."""
        return self._begun[0]

    def stored_head(self) -> bytes | None:
        """The first bytes, packed or not; None if they are unreadable or come only once."""
        if not self._read_again:
            return None
        try:
            with self._opened() as file:
                return file.read(HEAD)
        except UnreadableError:
            return None

    def unpacked_head(self) -> bytes:
        """The first bytes, unpacked if gzip packed them; b"" if they are unreadable or damaged.

        No more of the file is read than its first 4,096 bytes.
        """
        head = self.stored_head() or b""
        if not head.startswith(_GZIP):
            return head
        with suppress(zlib.error):
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, HEAD)
        return b""

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """A context in which the file is opened once, however often it is read, and then closed."""
        if "_files" in vars(self) or not self._read_again:
            yield
            return
        with _OpenFiles() as files:
            vars(self)["_files"] = files
            try:
                yield
            finally:
                del vars(self)["_files"]

    def in_memory(self, most: int) -> BytesContent | None:
        """The content with its bytes in memory; None if there are more than `most`."""
        data = b""
        for block in self.blocks():
            data += block
            if len(data) > most and self._read_again:
                return None
        return BytesContent(self.path, self.max_bytes, self.called, data=data)

    @property
    def portable(self) -> BytesContent | Path:
        """Its path, or its bytes if they are in memory: what can be read again anywhere."""
        return Path(self.path)

    def blocks(self) -> Iterator[bytes]:
        """The bytes in blocks of `BLOCK`, from the start at each call."""
        if self._small is None:
            yield from self._read()
        else:
            yield from self._small

    def blocks_and_shares(self) -> Iterator[tuple[bytes, float]]:
        """The blocks as from `blocks`, each with the share of all bytes that is read then.

        The share, from 0 to 1, is that of the packed bytes, as far as the decompressor needs them.
        """
        if self._small is None:
            yield from self._read_and_shares()
            return
        size, total = 0, sum(map(len, self._small))
        for block in self._small:
            size += len(block)
            yield block, size / total

    def is_longer(self, size: int) -> bool:
        """Whether there are more than `size` bytes; `size` must not exceed `BLOCK`."""
        return self._small is None or sum(map(len, self._small)) > size

    def whole(self) -> bytes:
        """All bytes at once, at most `max_bytes`."""
        return b"".join(self._limited(self.blocks()))

    def _limited(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        size = 0
        for block in blocks:
            size += len(block)
            self.check_size(size)
            yield block

    def file(self) -> IO[bytes]:
        """The bytes as a file to read from."""
        return cast("IO[bytes]", _BlockFile(self.blocks()))

    @contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """A seekable file with the bytes: the file itself, or an unpacked copy."""
        if self._read_again:
            with self._opened() as file:
                packed = _CountingReader(file)
                if _unpacker(packed, packed.peek()) is packed:
                    file.seek(0)
                    yield file
                    return
        with SpooledTemporaryFile(_IN_MEMORY) as copy:
            try:
                copy.writelines(self._limited(self.blocks()))
            except OSError as error:
                raise self._refused(error) from error
            copy.seek(0)
            yield cast("BinaryIO", copy)

    @contextmanager
    def local(self) -> Iterator[Path]:
        """The absolute path of a plain file with the bytes: its own, or that of a copy."""
        if self._read_again and not self.stored:
            yield Path(self.path).resolve()
            return
        try:
            copy = NamedTemporaryFile(prefix="sdtext-")  # noqa: SIM115 (closed below)
        except OSError as error:
            raise self._refused(error) from error
        with copy:
            try:
                copy.writelines(self.blocks())
                copy.flush()
            except OSError as error:
                raise self._refused(error) from error
            yield Path(copy.name)

    @property
    def _small(self) -> list[bytes] | None:
        """All blocks of a file of one block, or of what can be read only once, such as a pipe."""
        return self._begun[1]

    @cached_property
    def _begun(self) -> tuple[bytes, list[bytes] | None]:
        """The first bytes, and the blocks if these are to be kept."""
        if self._piped and not self.stored:
            return _begin_of(blocks := _standard_input(self, sys.stdin)), blocks
        if not self._read_again:
            return _begin_of(blocks := list(self._limited(self._read()))), blocks
        blocks = list(islice(self._read(), 2))
        return _begin_of(blocks), None if len(blocks) > 1 else blocks

    def _read(self) -> Iterator[bytes]:
        return (block for block, _ in self._read_and_packed())

    def _read_and_shares(self) -> Iterator[tuple[bytes, float]]:
        """The blocks of a file that can be read again, with the share that is read then."""
        total = self.stored.size if self.stored else Path(self.path).stat().st_size
        for block, packed in self._read_and_packed():
            yield block, min(packed / max(total, 1), 1)

    def _read_and_packed(self) -> Iterator[tuple[bytes, int]]:
        """The blocks, each with the number of packed bytes that are read then."""
        with self._opened() as file:
            packed = _CountingReader(file)
            head = packed.peek()
            unpacked = _unpacker(packed, head)
            size = 0
            while block := unpacked.read(BLOCK):
                size += len(block)
                if unpacked is not packed:
                    self.check_unpacked(size, packed.size)
                yield block, packed.size

    def check_size(self, size: int) -> None:
        """Check a number of unpacked bytes against `max_bytes`. Raises PackingError."""
        if size > self.max_bytes:
            raise PackingError(
                f"holds more than {self.max_bytes:,} bytes; "
                "raise the limit with max_bytes if you trust it",
                file=self.name,
            )

    def check_unpacked(self, size: int, packed: int) -> None:
        """Check what was unpacked against `max_bytes` and `MAX_RATIO`. Raises PackingError."""
        self.check_size(size)
        if size > BLOCK and size > MAX_RATIO * packed:
            raise PackingError(
                f"unpacks to over {MAX_RATIO} times its size, which only a "
                "decompression bomb does; unpack it by hand if you trust it",
                file=self.name,
            )

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """The opened file; any error while it is read becomes UnreadableError."""
        try:
            if self._piped and not self.stored:
                yield sys.stdin.buffer
            else:
                kept = vars(self).get("_files")
                files = nullcontext(kept) if kept else _OpenFiles()
                with files as opened, opened.lent(self._file) as file:
                    yield file
        except (SdtextError, GeneratorExit):
            raise
        except (EOFError, zlib.error, lzma.LZMAError, _zstd_error(), gzip.BadGzipFile) as error:
            raise self._damaged(error) from error
        except OSError as error:
            # bz2 has no error of its own; the system's always have a number.
            known = error.errno is not None
            raise (self._refused(error) if known else self._damaged(error)) from error
        except ValueError as error:  # no path can hold a zero byte or half a character
            raise UnreadableError("invalid file name", file=self.name) from error

    def _file(self) -> BinaryIO:
        if self.stored:
            return self.stored.opened()
        try:
            return open(self.path, "rb")  # noqa: PTH123 (some microseconds faster)
        except OSError:
            if Path(self.path).is_dir():
                raise UnreadableError("is a folder; name a file", file=self.name) from None
            raise

    def _refused(self, error: OSError) -> UnreadableError:
        return UnreadableError(reason(error), file=self.name)

    def _damaged(self, error: Exception) -> PackingError:
        return PackingError(
            f"its compression is damaged ({error}); get a new copy from its source", file=self.name
        )


def _begin_of(blocks: Sequence[bytes]) -> bytes:
    return blocks[0][:HEAD] if blocks else b""


@cache
def _standard_input(content: Content, _stream: IO[str]) -> list[bytes]:
    """The content of this standard input, which can be read only once."""
    return list(content._limited(content._read()))  # noqa: SLF001 (its other half)


class _OpenFiles(ExitStack):
    """The open files of a content, mostly one; they are closed together."""

    def __init__(self) -> None:
        super().__init__()
        self._idle: list[BinaryIO] = []

    @contextmanager
    def lent(self, opened: Callable[[], BinaryIO]) -> Iterator[BinaryIO]:
        """A file at its beginning: one that nothing else reads, or a newly `opened` one."""
        if self._idle:
            file = self._idle.pop()
            file.seek(0)
        else:
            file = self.enter_context(opened())
        try:
            yield file
        finally:
            self._idle.append(file)


class _BlockFile:
    """Blocks of bytes as a file."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most `size`; fewer do not mean the end, none does."""
        block = self._rest or next(self._blocks, b"")
        if size < 0:
            return block + b"".join(self._blocks)
        self._rest = block[size:]
        return block[:size]


@dataclass(frozen=True)
class BytesContent(Content):
    """The content that is `data`: read before from its path, or standing nowhere ("").

    >>> BytesContent("", called="a.eml", data=b"Some words").head
    b'Some words'
    """

    data: bytes = b""

    @property
    def head(self) -> bytes:
        """The first bytes, at most 4,096."""
        return self.data[:HEAD]

    def blocks(self) -> Iterator[bytes]:
        """The bytes in blocks of `BLOCK`, just as they are."""
        for start in range(0, len(self.data), BLOCK):
            yield self.data[start : start + BLOCK]

    def blocks_and_shares(self) -> Iterator[tuple[bytes, float]]:
        """The bytes as one block."""
        yield self.data, 1.0

    def is_longer(self, size: int) -> bool:
        """Whether there are more than `size` bytes."""
        return len(self.data) > size

    @contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """A seekable file with the bytes."""
        yield io.BytesIO(self.data)

    def stored_head(self) -> bytes:
        """The first bytes."""
        return self.head

    @property
    def portable(self) -> BytesContent | Path:
        """The content itself."""
        return self


class Meter:
    """Counts the packed and unpacked bytes of an archive and checks them against the limits.

    Of all members together at most the content's `max_bytes` are unpacked, and at most `MAX_RATIO`
    for each packed byte that was begun, once the first `BLOCK` is unpacked.
    """

    def __init__(self, content: Content) -> None:
        self._content = content
        self._packed = self._unpacked = 0

    def begin(self, packed: int) -> None:
        """Count packed bytes that are about to be unpacked."""
        self._packed += packed

    def passed(self, block: bytes) -> bytes:
        """`block`, which was unpacked, after the check. Raises PackingError."""
        self._unpacked += len(block)
        self._content.check_unpacked(self._unpacked, self._packed)
        return block


class _CountingReader:
    """A file that counts the bytes read from it, and whose first bytes can be peeked at."""

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

    def __init__(self, file: _CountingReader) -> None:
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
            raise EOFError("it is truncated")
        return b"".join(blocks)


def _unpacker(file: _CountingReader, head: bytes) -> IO[bytes] | _CountingReader | _Zstandard:
    """The decompressor of `file`, which begins with `head`; the file itself if it is not packed."""
    source = cast("IO[bytes]", file)
    if head.startswith(_GZIP):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=source))
    if head.startswith(b"BZh"):
        return bz2.BZ2File(source)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(source)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _Zstandard(file)
    return file


def _zstd_error() -> type[Exception]:
    """The error class of zstandard if that package is loaded, else one that nothing raises."""
    module = sys.modules.get("zstandard")
    return cast("type[Exception]", module.ZstdError) if module else StopAsyncIteration


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


@contextmanager
def memory_for(file: str) -> Iterator[None]:
    """Raise UnreadableError with the name of `file` where memory runs out.

    >>> try:
    ...     with memory_for("bees.xml"):
    ...         raise MemoryError
    ... except UnreadableError as error:
    ...     print(error)
    bees.xml: needs more memory than there is
    """
    try:
        yield
    except MemoryError as error:
        raise UnreadableError("needs more memory than there is", file=file) from error
