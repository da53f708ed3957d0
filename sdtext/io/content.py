"""The bytes of a file: unpacked where it is compressed, in blocks, within limits."""

from __future__ import annotations

import gzip
import lzma
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile, SpooledTemporaryFile
from typing import IO, BinaryIO, cast

from sdtext.errors import PackingError, SdtextError, UnreadableError, reason, shown
from sdtext.io.compression import Counted, unpacker, zstd_error
from sdtext.io.extracted import Stored

BLOCK = 1 << 20
MAX_BYTES = 256 << 20
MAX_RATIO = 200
"""How many bytes may come out of one compressed byte, once the first `BLOCK` is out."""
_HEAD = 4096
_IN_MEMORY = 32 << 20


@dataclass(frozen=True)
class Content:
    """The bytes of the file at `path` ("-" is the standard input), unpacked.

    Where the file came out of an archive, its bytes are those `stored`.

    gzip, bzip2, xz and zstandard are known by their first bytes, whatever the file is called.
    No more than `max_bytes` come out of a compressed file or a pipe, and no more than `MAX_RATIO`
    for each packed byte; a plain file may have any size. Only UnreadableError leaves.
    """

    path: str | Path
    max_bytes: int = MAX_BYTES
    called: str = ""
    stored: Stored | None = None

    @property
    def name(self) -> str:
        """What it is called, by its path if nothing else is said, as one printable line."""
        return shown(self.called or ("standard input" if self._piped else self.path))

    @property
    def _piped(self) -> bool:
        return str(self.path) == "-"

    @property
    def _read_again(self) -> bool:
        """Whether the bytes can be read more than once, and in any order."""
        return self.stored is not None or (_is_file(self.path) and not self._piped)

    @cached_property
    def head(self) -> bytes:
        """The first bytes, at most 4,096."""
        return next(self.blocks(), b"")[:_HEAD]

    def blocks(self) -> Iterator[bytes]:
        """The bytes in blocks of `BLOCK`; each call begins anew."""
        if self._small is None:
            yield from self._read()
        else:
            yield from self._small

    def is_longer(self, size: int) -> bool:
        """Whether there are more than `size` bytes; that of a `BLOCK` or more at the most."""
        return self._small is None or sum(map(len, self._small)) > size

    def whole(self) -> bytes:
        """All bytes at once, for what cannot be read in blocks; at most `max_bytes`."""
        return b"".join(self._limited(self.blocks()))

    def _limited(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        size = 0
        for block in blocks:
            size += len(block)
            if size > self.max_bytes:
                raise self._too_large()
            yield block

    def file(self) -> IO[bytes]:
        """The bytes as a file to read from."""
        return cast("IO[bytes]", _Blocks(self.blocks()))

    @contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """The bytes as a file to be read in any order: the file itself, or an unpacked copy."""
        if self._read_again:
            with self._opened() as file:
                packed = Counted(file)
                if unpacker(packed, packed.peek()) is packed:
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
        """The path of a plain file with the bytes, absolute: its own, or that of a copy."""
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

    @cached_property
    def _small(self) -> list[bytes] | None:
        """All blocks of a file of one block, and of what can be read only once, as a pipe."""
        if self._piped:
            return _standard_input(self, sys.stdin)
        if not self._read_again:
            return list(self._limited(self._read()))
        first: list[bytes] = []
        for block in self._read():
            if first:
                return None
            first.append(block)
        return first

    def _read(self) -> Iterator[bytes]:
        with self._opened() as file:
            packed = Counted(file)
            head = packed.peek()
            unpacked = unpacker(packed, head)
            size = 0
            while block := unpacked.read(BLOCK):
                size += len(block)
                if unpacked is not packed:
                    self._check(size, packed.size)
                yield block

    def _check(self, size: int, packed: int) -> None:
        if size > self.max_bytes:
            raise self._too_large()
        if size > BLOCK and size > MAX_RATIO * packed:
            raise PackingError(
                f"{self.name}: unpacks to over {MAX_RATIO} times its size, as only a "
                "decompression bomb does; unpack it by hand if you trust it"
            )

    def _too_large(self) -> PackingError:
        return PackingError(
            f"{self.name}: holds more than {self.max_bytes} bytes; "
            "raise the limit with --max-bytes if you trust it"
        )

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """The file, opened; whatever goes wrong while it is read becomes UnreadableError."""
        try:
            if self._piped:
                yield sys.stdin.buffer
            else:
                with self._file() as file:
                    yield file
        except (SdtextError, GeneratorExit):
            raise
        except (EOFError, zlib.error, lzma.LZMAError, zstd_error(), gzip.BadGzipFile) as error:
            raise self._damaged(error) from error
        except OSError as error:
            # bz2 has no error of its own; the system's always have a number.
            known = error.errno is not None
            raise (self._refused(error) if known else self._damaged(error)) from error
        except ValueError as error:  # no path can hold a zero byte or half a character
            raise UnreadableError(f"{self.name}: no file can have such a name") from error

    def _file(self) -> BinaryIO:
        if self.stored:
            return self.stored.opened()
        if Path(self.path).is_dir():
            raise UnreadableError(f"{self.name}: is a folder; name a file")
        return Path(self.path).open("rb")

    def _refused(self, error: OSError) -> UnreadableError:
        return UnreadableError(f"{self.name}: {reason(error)}")

    def _damaged(self, error: Exception) -> PackingError:
        return PackingError(f"{self.name}: its compression is damaged ({error})")


def _is_file(path: str | Path) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


@cache
def _standard_input(content: Content, _stream: IO[str]) -> list[bytes]:
    """What came in by this standard input, which can be read only once."""
    return list(content._limited(content._read()))  # noqa: SLF001 (its other half)


class _Blocks:
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
