"""Untrusted zip archives: entries unpacked in blocks, within limits, never to disk."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from os import SEEK_END
from typing import IO, BinaryIO, ClassVar, cast
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from sdtext.errors import PackingError, UnreadableError
from sdtext.io.decompressed_content import Content, Meter
from sdtext.wording import printable, reason

MIMETYPE = "mimetype"
"""The entry that names the kind of a package, as in ODF and EPUB."""
MAX_ENTRIES = 10_000
_ENTRY_BYTES = 200
"""Most bytes of each entry in the central directory on average, 46 of them beside its name."""
_STEP = 1 << 16
_LOCAL = struct.Struct("<4s22xHH")
_ENCRYPTED = 1
_UTF_8 = 0x800
_UNKNOWN_COUNT = 0xFFFF
# The last record has 22 bytes, and a comment of at most 65,535 behind it.
_LAST = 22 + 0xFFFF
DAMAGE = (
    BadZipFile,
    EOFError,
    NotImplementedError,
    OverflowError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What zipfile raises for a damaged archive."""


@contextmanager
def opened(content: Content, kind: str) -> Iterator[Archive]:
    """The archive in `content`, which messages call a `kind`. Raises UnreadableError.

    Refused are damaged archives, more than `MAX_ENTRIES` entries, and entries that share bytes,
    as those of a decompression bomb do.
    """
    with content.seekable() as file:
        yield Archive(file, content, kind)


class Beginnings:
    """The names of the entries, and the first block of each, by which readers recognise a file.

    The content keeps them: the archive is opened once for its names and the entry `mimetype`, and
    once for each other entry that is asked for, however many readers ask. Methods raise no error
    but UnreadableError.
    """

    def __init__(self, content: Content, kind: str) -> None:
        self._content = content
        self._kind = kind
        # The entries' first blocks, None if not read; a reference to the content would be a circle.
        self._kept: dict[str, bytes | None] = content.notes.setdefault("beginnings", {})
        if not self._kept:
            with opened(content, kind) as archive:
                self._kept |= {"": b"", **dict.fromkeys(archive.names)}
                if MIMETYPE in archive.names:
                    with suppress(UnreadableError):  # whoever asks for it gets the error
                        self._kept[MIMETYPE] = next(archive.blocks(MIMETYPE), b"")
        self.names: Collection[str] = [name for name in self._kept if name]

    def first(self, name: str) -> bytes:
        """The first block of the entry called `name`; b"" if there is none."""
        block = self._kept.get(name, b"")
        if block is None:
            with opened(self._content, self._kind) as archive:
                block = self._kept[name] = next(archive.blocks(name), b"")
        return block


class Archive:
    """The entries of a zip archive. Methods raise no error but UnreadableError.

    All entries together yield at most the content's `max_bytes`, and at most `MAX_RATIO` for each
    packed byte once the first `BLOCK` is unpacked; what is unpacked counts, not what the archive
    declares. An archive within the archive is never opened.
    """

    max_entries: ClassVar[int] = MAX_ENTRIES

    def __init__(self, file: BinaryIO, content: Content, kind: str) -> None:
        self._file = file
        self._content = content
        self._kind = kind
        self._meter = Meter(content)
        with self._errors_translated():
            most = self.max_entries * _ENTRY_BYTES
            guarded = _Guarded(self._file, most, self._too_many_entries())
            self._zip = ZipFile(cast("IO[bytes]", guarded))
            self._check_entries()
        self._entries = {
            entry.filename: entry for entry in self._zip.infolist() if _is_inside(entry.filename)
        }

    @property
    def names(self) -> Collection[str]:
        """The names of the entries, in the archive's order."""
        return self._entries.keys()

    def blocks(self, name: str) -> Iterator[bytes]:
        """The bytes of the entry called `name`, which must be one of `names`, in blocks."""
        entry = self._entries[name]
        if entry.flag_bits & _ENCRYPTED:
            raise self.locked()
        # Office documents and e-books use no other (ISO/IEC 29500-2 and 26300-3, EPUB OCF), and
        # zipfile unpacks the others a whole chunk at a time, however much comes out of it.
        if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise self.damaged(
                f"{entry.filename} is packed by method {entry.compress_type}; "
                "only deflate (8) and none (0) are read"
            )
        with self._errors_translated():
            yield from self.unpacked(entry)

    @property
    def entries(self) -> Collection[ZipInfo]:
        """All entries, whatever they are called, in the archive's order."""
        return self._zip.infolist()

    def unpacked(self, entry: ZipInfo) -> Iterator[bytes]:
        """The bytes of one of `entries` in blocks. Raises UnreadableError or any of `DAMAGE`."""
        self._meter.begin(entry.compress_size)
        # Of bzip2, zipfile unpacks as much as it reads, at the least 4,096 bytes, at one go.
        step = 4096 if entry.compress_type == ZIP_BZIP2 else _STEP
        with self._zip.open(entry) as file:
            while block := file.read(step):
                yield self._meter.passed(block)

    def damaged(self, why: str) -> PackingError:
        """The error for a damaged archive or entry."""
        return damage(self._content, self._kind, why)

    def locked(self) -> UnreadableError:
        """The error for an archive that needs a password."""
        what = "is encrypted with a password; save it without one"
        return UnreadableError(what, file=self._content.name)

    def _check_entries(self) -> None:
        entries = sorted(self._zip.infolist(), key=lambda entry: entry.header_offset)
        if len(entries) > self.max_entries:
            raise self._too_many_entries()
        # As the end of the directory has it; zipfile does not ask.
        declared = int.from_bytes(last_record(self._file)[10:12], "little")
        if declared not in (len(entries), _UNKNOWN_COUNT):
            raise BadZipFile("its directory does not list as many entries as it declares")
        free = 0
        for entry in entries:
            if entry.header_offset < free:
                raise BadZipFile("its entries share bytes, as those of a decompression bomb do")
            free = self._data(entry) + entry.compress_size
        if free > self._zip.start_dir:
            raise BadZipFile("an entry ends beyond its place")

    def _data(self, entry: ZipInfo) -> int:
        """Where the data of an entry begins, by its local header, which must match the directory.

        zipfile compares names when it opens an entry, too late for a part that is left unread
        because its name in the directory is damaged.
        """
        self._file.seek(min(entry.header_offset, self._zip.start_dir))
        mark, length, extra = _LOCAL.unpack(self._file.read(_LOCAL.size))
        name = self._file.read(length).decode("utf-8" if entry.flag_bits & _UTF_8 else "cp437")
        if (mark, name) != (b"PK\x03\x04", entry.orig_filename):
            raise BadZipFile("an entry is not where or what the directory says")
        return cast("int", self._file.tell() + extra)

    def _too_many_entries(self) -> PackingError:
        most = self.max_entries
        what = f"lists more than {most:,} entries, or over {most * _ENTRY_BYTES:,} bytes of them; "
        what += "unpack it by hand if you trust it"
        return PackingError(what, file=self._content.name)

    @contextmanager
    def _errors_translated(self) -> Iterator[None]:
        try:
            yield
        except DAMAGE as error:
            raise self.damaged(str(error) or "it is truncated") from error
        except OSError as error:
            raise UnreadableError(reason(error), file=self._content.name) from error


def damage(content: Content, kind: str, why: str) -> PackingError:
    """The error for a damaged file, which messages call a `kind`."""
    why = printable(" ".join(why.split()))
    why = why if len(why) <= 200 else why[:200] + "…"
    return PackingError(
        f"is a damaged {kind} ({why}); get a new copy from its source", file=content.name
    )


class _Guarded:
    """A file that raises `refusal` if more than `most` bytes are read at once.

    zipfile reads the whole directory at once and makes an object of each entry, so that this
    bounds its work whatever number of entries the archive declares.
    """

    def __init__(self, file: BinaryIO, most: int, refusal: PackingError) -> None:
        self._file = file
        self._most = most
        self._refusal = refusal
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > self._most:
            raise self._refusal
        return self._file.read(self._most if size < 0 else size)


def last_record(file: BinaryIO) -> bytes:
    """The end-of-central-directory record with its comment, b"" if there is none."""
    file.seek(0, SEEK_END)
    file.seek(max(0, file.tell() - _LAST))
    end = file.read(_LAST)
    return end[end.rfind(b"PK\x05\x06") :]


def _is_inside(name: str) -> bool:
    """Whether a name stays within the archive.

    Nothing is ever written under an entry's name, so that a name outside does no harm; but no
    reader shall take such an entry for a part of a document.
    """
    folders = name.replace("\\", "/").split("/")
    return ".." not in folders and folders[0] != "" and not folders[0].endswith(":")
