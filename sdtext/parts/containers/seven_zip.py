"""Container for 7z archives, by py7zr."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from os import SEEK_END
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content, Meter
from sdtext.io.zip_reader import MAX_ENTRIES
from sdtext.model import Problem
from sdtext.parts.containers import (
    BlockStream,
    Container,
    LeftOut,
    Member,
    Names,
    Salvaged,
    damaged,
    is_fork,
    too_many_members,
)

if TYPE_CHECKING:
    from py7zr import SevenZipFile
    from py7zr.archiveinfo import Folder
    from py7zr.py7zr import ArchiveFile

    _Places = dict[
        Folder, tuple[int, int]
    ]  # offset and size of each folder, a run of bytes packed as one

_MAGIC = b"7z\xbc\xaf\x27\x1c"
_SIP = 1 << 14  # packed bytes at once: of some methods, all that is in them comes out at once
_STEP = 1 << 17
_PATIENCE = 4  # filters for programs hold a few bytes back
_LOCKED = "encrypted with a password; unpack the archive by hand"
# py7zr could unpack the first, but by a library that damaged bytes bring down (pyppmd 1.3.1).
_NOT_READ = {"030401": "PPMd", "0303011b": "BCJ2", "04f71104": "LZ4"}


@dataclass(frozen=True)
class SevenZip(Container):
    """The files in a 7z archive.

    Folders, links and macOS metadata are left out. Encrypted entries and methods that py7zr does
    not know, PPMd and BCJ2 are left out with a warning.

    >>> from sdtext.io.decompressed_content import Content
    >>> letters = Content("tests/samples/containers/letters.7z")
    >>> [(member.name, b"".join(member.blocks)[:10]) for member in SevenZip().members(letters)]
    [('letters/june.txt', b'Dear Karl,'), ('letters/may.txt', b'Dear Anna,')]
    """

    called: ClassVar[str] = "7z archive"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it begins with the signature of 7z."""
        return content.head.startswith(_MAGIC)

    def members(self, content: Content) -> Iterator[Member | Problem]:
        """The files in the archive, in the order in which it lists them."""
        with content.seekable() as file:
            archive, places = _opened(file, content)
            names, left_out = Names(), LeftOut()
            unpacking = _Unpacking(file, places, content)
            for entry in archive.files:
                blocks = unpacking.blocks(entry)
                if not entry.is_file or is_fork(entry.filename):
                    continue
                name = names.given(entry.filename)
                if isinstance(blocks, str):
                    left_out.add(name, blocks)
                    continue
                yield Member(name, blocks)
                blocks.pass_over()
                yield from blocks.problem(content, name)
            yield from left_out.problems(content)


def _opened(file: BinaryIO, content: Content) -> tuple[SevenZipFile, _Places]:
    """The archive with its list of files, and where its folders are. Raises UnreadableError."""
    from py7zr import PasswordRequired, SevenZipFile

    try:
        archive = SevenZipFile(file)
        places = _places(archive)
        sizes = [entry.uncompressed for entry in archive.files]
        if min(sizes, default=0) < 0:
            raise ValueError("a file has a negative size")
    except MemoryError:
        raise
    except PasswordRequired as error:
        raise UnreadableError(f"its list of files is {_LOCKED}", file=content.name) from error
    except Exception as error:  # what py7zr raises where a list is damaged, it does not say
        raise damaged(content, SevenZip.called, _reason(error)) from error
    if len(sizes) > MAX_ENTRIES:
        raise too_many_members(content)
    content.check_size(sum(sizes))
    return archive, places


class _Unpacking:
    """The folders of an archive, each unpacked once from beginning to end.

    py7zr calls them folders. Of itself it would unpack each file whole, all or none, and under
    wrong names where one without bytes is listed between others (py7zr 1.1.4).
    """

    def __init__(self, file: BinaryIO, places: _Places, content: Content) -> None:
        self._file = file
        self._size = file.seek(0, SEEK_END)
        self._meter = Meter(content)
        self._places = places
        self._folder: Folder | None = None
        self._source = BlockStream(iter(()))
        self._last = Salvaged(iter(()), ())
        self._why = ""

    def blocks(self, entry: ArchiveFile) -> Salvaged | str:
        """The bytes of an entry, or why it cannot be read; entries are read in the list's order."""
        self._last.pass_over()
        if entry.emptystream:
            return Salvaged(iter(()), ())
        if entry.folder is not self._folder:
            self._folder = entry.folder
            self._why = _reason_against(entry.folder)
            self._source = BlockStream(map(self._meter.passed, self._unpacked(entry.folder)))
        elif isinstance(self._last.error, EOFError):
            self._why = self._why or "after damage in the same compressed block"
        if self._why:
            return self._why
        blocks = _checked(self._source.take(entry.uncompressed), entry.crc32)
        self._last = Salvaged(blocks, (EOFError, ValueError))
        return self._last

    def _unpacked(self, folder: Folder) -> Iterator[bytes]:
        """The unpacked bytes of a folder; EOFError where it is damaged."""
        place, packed = self._places[folder]
        self._meter.begin(min(packed, self._size))
        try:
            rest, idle = folder.get_unpack_size(), 0
            self._file.seek(place)
            decompressor = folder.get_decompressor(packed)
            decompressor.block_size = _SIP
            while rest > 0 and idle < _PATIENCE:
                place = self._file.tell()
                if block := bytes(decompressor.decompress(self._file, min(rest, _STEP))):
                    yield block
                rest -= len(block)
                idle = 0 if block or self._file.tell() > place else idle + 1
        except MemoryError:
            raise
        except Exception as error:  # nor does it say what it raises where bytes are damaged
            raise EOFError(_reason(error)) from error
        finally:
            folder.decompressor = None


def _places(archive: SevenZipFile) -> _Places:
    streams = archive.header.main_streams
    places, number = {}, 0
    for folder in streams.unpackinfo.folders if streams else ():
        begin = archive.afterheader + streams.packinfo.packpos
        place = begin + streams.packinfo.packpositions[number]
        places[folder] = place, streams.packinfo.packsizes[number]
        number += len(folder.packed_indices)
    return places


def _reason_against(folder: Folder) -> str:
    """The reason why a folder with these methods cannot be unpacked; "" if none is known."""
    from py7zr.compressor import SupportedMethods

    if SupportedMethods.needs_password(folder.coders):
        return _LOCKED
    known = {method["id"].hex() for method in SupportedMethods.methods} - _NOT_READ.keys()
    for coder in folder.coders:
        if (number := coder["method"].hex()) not in known:
            name = _NOT_READ.get(number, f"method {number}")
            return f"compressed with {name}, which is not supported; use LZMA2"
    return ""


def _checked(blocks: Iterator[bytes], crc: int | None) -> Iterator[bytes]:
    """Yield `blocks`; raise an error at the end if their checksum is wrong."""
    checksum = 0
    for block in blocks:
        checksum = zlib.crc32(block, checksum)
        yield block
    if crc not in (None, checksum):
        raise ValueError("its checksum is wrong")


def _reason(error: Exception) -> str:
    """The message of an error of py7zr: its last argument."""
    return str(error.args[-1]) if error.args else type(error).__name__
