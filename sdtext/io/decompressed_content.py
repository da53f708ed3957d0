"""The bytes of a file: unpacked where it is compressed, in blocks, within limits."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryFile, mkstemp
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TextIO, cast
from weakref import finalize

from sdtext.errors import PackingError, SdtextError, UnreadableError
from sdtext.io.platform import read_at
from sdtext.wording import reason, shown

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BLOCK = 1 << 20
MAX_BYTES = 256 << 20
RAISE_BYTES = "raise max_bytes (SDTEXT_MAX_BYTES) if you trust it"
MAX_RATIO = 200
"""Unpacked bytes for each packed byte that are allowed, once the first `BLOCK` is unpacked."""
DAMAGE = "damage"
"""The note of a content that is read up to damage of its compression."""
HEAD = 4096
"""The number of first bytes by which the kind of a file is recognized."""
_USUAL = 1 << 16  # bytes of most files; memory for a longer read comes from the system, slowly
_SHORT = 1 << 18  # bytes: fewer are read at once with the head
_GZIP, _BZIP2, _XZ, _ZST = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
_GZIP_LEVEL = 6
_IN_MEMORY = 32 << 20
_ZSTANDARD = "backports.zstd" if sys.version_info < (3, 14) else "compression.zstd"


@dataclass
class _OpenFiles:
    """The open files of a content while they are kept; nothing reads the `idle` ones right now.

    `short` has all bytes of a short file that is not packed, once its head is read.
    """

    short: bytes | None = None
    are_kept: bool = False
    kept: list[BinaryIO] = field(default_factory=list)
    idle: list[BinaryIO] = field(default_factory=list)


@dataclass(frozen=True)
class Content:
    """The bytes of the file at `path` ("-" is the standard input), unpacked.

    For a member extracted from an archive, `stored` is the range that holds its bytes. `data` are
    the bytes themselves: read before from the path, or standing nowhere ("").

    gzip, bzip2, xz and zstandard are detected by their first bytes, whatever the file is called.
    A compressed file or a pipe yields at most `max_bytes`, and at most `MAX_RATIO` for each packed
    byte; a plain file may have any size. Methods raise no error but UnreadableError. `notes` are
    what readers keep of it, so that it is opened once.

    >>> Content("", called="a.eml", data=b"Some words").head
    b'Some words'
    """

    path: str | Path
    max_bytes: int = MAX_BYTES
    called: str = ""
    stored: ByteRange | None = None
    data: bytes | None = field(default=None, repr=False)
    notes: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)
    _open: _OpenFiles = field(default_factory=_OpenFiles, init=False, compare=False, repr=False)

    @property
    def name(self) -> str:
        """`called`, or else the path, as one printable line."""
        piped = str(self.path) == "-"
        return shown(self.called or ("standard input" if piped else self.path))

    @cached_property
    def comes_once(self) -> bool:
        """Whether the bytes can be read only once, as from a pipe."""
        if self.stored or self.data is not None:
            return False
        return str(self.path) == "-" or not os.path.isfile(self.path)  # noqa: PTH113 (never raises)

    @cached_property
    def head(self) -> bytes:
        """The first bytes, at most 4,096."""
        if self.data is not None:
            return self.data[:HEAD]
        with self._opened() as (file, unpacked):
            is_packed = unpacked is not file
            packed_head = _blocks_before_damage(unpacked, HEAD) if is_packed else iter(())
            begin = next(packed_head, b"") if is_packed else unpacked.read(_USUAL)
            if len(begin) == _USUAL:
                begin += unpacked.read(_SHORT - _USUAL)
        if not is_packed and len(begin) < _SHORT:
            self._open.short = begin
        return begin[:HEAD]

    @property
    def short(self) -> bytes | None:
        """All bytes of a short file that is not packed, once its head is read; None of others."""
        if self.data is not None:
            return self.data if len(self.data) < _SHORT else None
        return self._open.short

    def plain_start(self, size: int) -> bytes:
        """The first bytes of a file at a path, read alone; none of a packed or unreadable one."""
        if self.stored or self.data is not None or self.comes_once:
            return b""
        with suppress(UnreadableError), self._opened() as (file, unpacked):
            return unpacked.read(size) if unpacked is file else b""
        return b""

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """A context in which the file is opened once, however often it is read, and then closed."""
        if self._open.are_kept or self.comes_once:
            yield
            return
        self._open.are_kept = True
        try:
            yield
        finally:
            for file in self._open.kept:  # also what an iterator that was left still reads
                file.close()
            self._open.are_kept, self._open.kept, self._open.idle = False, [], []

    def blocks(self) -> Iterator[bytes]:
        """The bytes in blocks of `BLOCK`, from the start at each call, up to a limit.

        With `notes[DAMAGE]`, they end where the compression is damaged, and it says so.
        """
        try:
            yield from self._blocks()
        except PackingError as error:
            if DAMAGE not in self.notes or error.__cause__ is None:
                raise
            self.notes[DAMAGE] = error.what

    def _blocks(self) -> Iterator[bytes]:
        data = self._open.short if self.data is None else self.data
        if data is not None:
            yield from (data[at : at + BLOCK] for at in range(0, len(data), BLOCK))
            return
        size = 0
        with self._opened() as (file, unpacked):
            is_packed = unpacked is not file
            plain = iter(partial(file.read, BLOCK), b"")
            for block in _blocks_before_damage(unpacked, BLOCK) if is_packed else plain:
                size += len(block)
                if is_packed:
                    packed = file.tell()
                    over = size - self.most_unpacked(packed)
                    if 0 < over < len(block):
                        yield block[:-over]
                    self.check_unpacked(size, packed)
                yield block

    def is_longer(self, size: int) -> bool:
        """Whether there are more than `size` bytes."""
        total = 0
        for block in self.blocks():
            total += len(block)
            if total > size:
                return True
        return False

    def whole(self) -> bytes:
        """All bytes at once, at most `max_bytes`."""
        size, blocks = 0, []
        for block in self.blocks():
            size += len(block)
            self.check_size(size)
            blocks.append(block)
        return b"".join(blocks)

    def file(self) -> IO[bytes]:
        """The bytes as a file to read from."""
        return cast("IO[bytes]", BlockFile(self.blocks()))

    @contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """A seekable file with the bytes: the file itself, or an unpacked copy."""
        with self._opened() as (file, unpacked):
            if unpacked is file:
                yield file
                return
        with SpooledTemporaryFile(_IN_MEMORY) as copy:
            with self._errors_named():
                for block in self.blocks():
                    self.check_size(copy.tell() + len(block))
                    copy.write(block)
            copy.seek(0)
            yield cast("BinaryIO", copy)

    @contextmanager
    def local(self) -> Iterator[Path]:
        """The absolute path of a plain file, packed or not: its own, or that of a copy."""
        is_piped = self.stored or str(self.path) == "-"
        if not is_piped and os.path.isfile(self.path):  # noqa: PTH113 (it never raises)
            yield Path(self.path).absolute()  # not without links: that of an unnamed file is one
            return
        with unnamed_file(self.name) as (_, path):
            with self._opened() as (file, _), path.open("wb") as copy:
                copy.writelines(iter(partial(file.read, BLOCK), b""))
            yield path

    def check_size(self, size: int) -> None:
        """Check a number of unpacked bytes against `max_bytes`. Raises PackingError."""
        if size > self.max_bytes:
            what = f"holds more than {self.max_bytes:,} bytes; {RAISE_BYTES}"
            raise PackingError(what, file=self.name)

    def most_unpacked(self, packed: int) -> int:
        """The number of bytes that may come out of so many packed bytes."""
        return min(self.max_bytes, max(BLOCK, MAX_RATIO * packed))

    def check_unpacked(self, size: int, packed: int) -> None:
        """Check what was unpacked against `max_bytes` and `MAX_RATIO`. Raises PackingError."""
        self.check_size(size)
        if size > BLOCK and size > MAX_RATIO * packed:
            what = f"unpacks to over {MAX_RATIO} times its size, which only a decompression bomb "
            what += "does; unpack it by hand if you trust it"
            raise PackingError(what, file=self.name)

    @contextmanager
    def _opened(  # noqa: PLR0912 (one for each form)
        self,
    ) -> Iterator[tuple[BinaryIO, IO[bytes]]]:
        """The open file, and its decompressor: the file itself if it is not packed."""
        with self._errors_named():
            file: Any
            if self._open.idle:
                file = self._open.idle.pop()
            elif self.data is not None:
                file = io.BytesIO(self.data)
            elif self.stored:
                file = self.stored.opened()
            elif self.comes_once:
                file = io.BufferedReader(cast("io.RawIOBase", io.BytesIO(self._whole)))
            else:
                file = open(self.path, "rb")  # noqa: PTH123, SIM115 (faster; closed below)
            if self._open.are_kept and file not in self._open.kept:
                self._open.kept.append(file)
            file.seek(0)
            unpacked, head = file, file.peek(6) if self.data is None else b""
            if head.startswith(_GZIP):
                unpacked = gzip.GzipFile(fileobj=file)
            elif head.startswith(_BZIP2):
                unpacked = bz2.BZ2File(file)
            elif head.startswith(_XZ):
                unpacked = lzma.LZMAFile(file)  # noqa: SIM115 (its file is closed below)
            elif head.startswith(_ZST):
                zstd = zstandard()
                # Windows of at most 128 MB: the memory that a file may ask for.
                options = {zstd.DecompressionParameter.window_log_max: 27}
                unpacked = zstd.ZstdFile(file, options=options)
            try:
                yield file, unpacked
            finally:
                if file in self._open.kept:
                    self._open.idle.append(file)
                else:
                    file.close()

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        """Turn any error of a file or a decompressor into UnreadableError."""
        try:
            yield
        except (SdtextError, GeneratorExit):
            raise
        except (
            EOFError,
            zlib.error,
            lzma.LZMAError,
            getattr(sys.modules.get(_ZSTANDARD), "ZstdError", EOFError),  # if it is loaded
            gzip.BadGzipFile,
        ) as error:
            raise self._damaged(error) from error
        except OSError as error:
            if error.errno is None:  # bz2 has no error of its own
                raise self._damaged(error) from error
            raise UnreadableError(reason(error), file=self.name) from error
        except ValueError as error:  # no path can hold a zero byte or half a character
            raise UnreadableError("invalid file name", file=self.name) from error

    @cached_property
    def _whole(self) -> bytes:
        if str(self.path) == "-":
            data = _standard_input(sys.stdin, self.max_bytes)
        elif os.path.isdir(self.path):  # noqa: PTH112 (Path.is_dir raises for some names)
            raise UnreadableError("is a folder; name a file", file=self.name)
        else:
            with open(self.path, "rb") as file:  # noqa: PTH123 (as above)
                data = file.read(self.max_bytes + 1)
        self.check_size(len(data))
        return data

    def _damaged(self, error: Exception) -> PackingError:
        return PackingError(
            f"its compression is damaged ({error}); get a new copy from its source", file=self.name
        )


def _blocks_before_damage(unpacked: Any, size: int) -> Iterator[bytes]:
    """Blocks of `size`; the last is shorter, also where damage follows."""
    block = bytearray()
    try:
        while piece := unpacked.read1(size - len(block)):
            block += piece
            if len(block) == size:
                yield bytes(block)
                block.clear()
    except Exception:
        if block:
            yield bytes(block)
        raise
    if block:
        yield bytes(block)


@cache
def _standard_input(stream: TextIO, max_bytes: int) -> bytes:
    return stream.buffer.read(max_bytes + 1)


class BlockFile:
    """A file to read from that consists of blocks."""

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

    @property
    def left(self) -> int:
        """The number of bytes that may still be unpacked."""
        return self._content.most_unpacked(self._packed) - self._unpacked

    def passed(self, block: bytes) -> bytes:
        """`block`, which was unpacked, after the check. Raises PackingError."""
        self._unpacked += len(block)
        self._content.check_unpacked(self._unpacked, self._packed)
        return block


def zstandard() -> ModuleType:
    """Python's own module for zstandard, before version 3.14 its backport."""
    return import_module(_ZSTANDARD)


@contextmanager
def packed(file: BinaryIO, path: str | Path) -> Iterator[BinaryIO]:
    """A file that compresses into `file` by the suffix of `path`.

    Neither the time nor the name goes into it, so that equal content gives equal bytes.
    """
    ending = Path(path).suffix.lower()
    target: Any = file
    if ending == ".gz":
        # Sparse vectors take thirteen times as long at level 9, for 6 % fewer bytes.
        target = gzip.GzipFile("", "wb", _GZIP_LEVEL, file, 0)
    elif ending == ".bz2":
        target = bz2.BZ2File(file, "wb")
    elif ending == ".xz":
        target = lzma.LZMAFile(file, "wb")  # noqa: SIM115 (closed below)
    elif ending == ".zst":
        target = zstandard().ZstdFile(file, "wb")
    with nullcontext(file) if target is file else target as writing:
        yield writing


class SharedFile:
    """An open file that is closed when nothing refers to it, and removed if it has a `name`.

    It is read by positional reads only, so that several readers can share it.
    """

    def __init__(self, descriptor: int, name: str = "") -> None:
        self.descriptor = descriptor
        finalize(self, _close, descriptor, name)

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return os.fstat(self.descriptor).st_size

    def read(self, offset: int, size: int) -> bytes:
        """The bytes at `offset`, at most `size`."""
        return read_at(self.descriptor, size, offset)


def _close(descriptor: int, name: str) -> None:
    os.close(descriptor)
    _remove(name)


def _remove(name: str) -> None:
    """Remove a file if it has a name; Windows refuses that while it is open."""
    with suppress(OSError):
        Path(name).unlink()


@contextmanager
def unnamed_file(file: str) -> Iterator[tuple[SharedFile, Path]]:
    """An empty temporary file, and a path to it that other processes can open in this context.

    It has no name, so that nothing is left of it however this process ends; only where the system
    does not show open files, it has one for the time of the context. `file` is the name in the
    UnreadableError if it cannot be created.
    """
    path = Path(f"/proc/{os.getpid()}/fd")
    try:
        if path.is_dir():
            with TemporaryFile() as created:
                store, name = SharedFile(os.dup(created.fileno())), ""
        else:
            descriptor, name = mkstemp(prefix="sdtext-")
            store = SharedFile(descriptor, name)
    except OSError as error:
        what = f"cannot create a temporary file: {reason(error)}"
        raise UnreadableError(what, file=file) from error
    try:
        yield store, Path(name) if name else path / str(store.descriptor)
    finally:
        _remove(name)


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
    def __init__(self, range_: ByteRange) -> None:
        self._range = range_
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._range.size}[whence]
        self._place = max(0, begin + offset)
        return self._place

    def readinto(self, buffer: WriteableBuffer) -> int:
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
