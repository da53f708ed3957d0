"""Containers for archives: zip, tar (POSIX.1-2017 pax, GNU long names) and 7z (by py7zr)."""

from __future__ import annotations

import struct
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from os import SEEK_CUR, SEEK_END
from stat import S_IFMT, S_IFREG
from tarfile import TarError, TarInfo
from typing import TYPE_CHECKING, BinaryIO, ClassVar
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipInfo

from sdtext.errors import SdtextError, UnreadableError
from sdtext.io.decompressed_content import BlockFile, Content, Meter
from sdtext.io.zip_reader import DAMAGE, Archive, damage, last_record
from sdtext.model import Problem
from sdtext.parts.containers import Container, Member, Salvaged, members_of, taken
from sdtext.parts.readers import partly_read

if TYPE_CHECKING:
    from py7zr import SevenZipFile
    from py7zr.archiveinfo import Folder
    from py7zr.py7zr import ArchiveFile

    # Offset and size of each folder, a run of bytes packed as one.
    _Places = dict[Folder, tuple[int, int]]

_LOCKED = "encrypted with a password; unpack the archive by hand"

_CUT = b"PK\x07\x08PK"
# The second is an archive without entries; the last two were written to be cut into several files.
_ZIP_BEGIN = (b"PK\x03\x04", b"PK\x05\x06", _CUT, b"PK00PK")
_HEADER = struct.Struct("<6xHH8xI4xHH")  # flags, method, size, sizes of the name and more
_DESCRIPTOR = 24  # bytes behind an entry, at most
_OF_DOCUMENTS = ("[Content_Types].xml", "_rels/.rels", "mimetype")  # first entries: no archives
_LAST = 22  # bytes in the record at the end, without the comment
_MAX_LISTED = 200_000  # entries; with more, not even the first are read
_PROGRAM = b"MZ"
_ENCRYPTED = 1
_KNOWN = {9: "Deflate64", 14: "LZMA", 93: "Zstandard", 95: "XZ", 98: "PPMd"}
_UTF_8 = 0x800
_UNICODE_PATH = 0x7075  # PKWARE's APPNOTE 4.6.9

_TAR_BLOCK = 512
_TAR_STEP = 1 << 16
_CODING = ("utf-8", "surrogateescape")
_HOLES = "a sparse file, which is not supported; pack it without --sparse"
_BLANK: type[TarError] = tarfile.EOFHeaderError  # type: ignore[attr-defined]  # undocumented

_MAGIC = b"7z\xbc\xaf\x27\x1c"
_SIP = 1 << 14  # packed bytes at once: of some methods, all that is in them comes out at once
_STEP = 1 << 17
_PATIENCE = 4  # filters for programs hold a few bytes back
# py7zr could unpack the first, but by a library that damaged bytes bring down (pyppmd 1.3.1).
_NOT_READ = {"030401": "PPMd", "0303011b": "BCJ2", "04f71104": "LZ4"}


@dataclass(frozen=True)
class Zip(Container):
    """The files in a zip archive, also in a self-extracting one.

    Folders, links and macOS metadata are left out; encrypted entries and methods other than stored,
    deflate and bzip2 are left out with a warning. Of a truncated archive, what precedes the cut is
    read.

    >>> letter = Content("tests/samples/documents/letter.docx")
    >>> [member.name for member in Zip().members(letter)][0]
    '[Content_Types].xml'
    """

    called: ClassVar[str] = "zip archive"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it begins as an archive does, or is a program that ends as one does."""
        if content.head.startswith(_PROGRAM):
            with content.seekable() as file:
                return len(last_record(file)) >= _LAST
        return content.head.startswith(_ZIP_BEGIN)

    def members(self, content: Content) -> Iterator[Member | Problem]:
        with content.seekable() as file:
            last = last_record(file)
            is_whole = int.from_bytes(last[4:6], "little") in (0, 0xFFFF)
            if content.head.startswith(_CUT) if len(last) < _LAST else not is_whole:
                what = "is one part of a split zip archive; join the parts first"
                raise UnreadableError(what, file=content.name)
            if len(last) < _LAST:
                yield from members_of(content, _files_before_the_cut(file, content))
                yield partly_read(content, "is truncated; read up to its end")
            else:
                yield from members_of(content, _Entries(file, content, self.called).files())


class _Entries(Archive):
    """An archive whose undamaged entries can be read even if others are damaged."""

    max_entries: ClassVar[int] = _MAX_LISTED

    def files(self) -> Iterator[tuple[str, Salvaged | str]]:
        """The name and the bytes of each file, or why it cannot be read."""
        for entry in self.entries:
            method = entry.compress_type
            if S_IFMT(entry.external_attr >> 16) not in (0, S_IFREG) or entry.is_dir():
                continue
            blocks: Salvaged | str = Salvaged(self.unpacked(entry), (*DAMAGE, OSError))
            if entry.flag_bits & _ENCRYPTED:
                blocks = _LOCKED
            elif method not in (ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2):
                blocks = _unsupported(method)
            yield _entry_name(entry), blocks

    def _data(self, entry: ZipInfo) -> int:
        try:
            return super()._data(entry)
        except DAMAGE:  # reported where the entry is opened
            return entry.header_offset


def _files_before_the_cut(file: BinaryIO, content: Content) -> Iterator[tuple[str, Salvaged | str]]:
    """The name and the bytes of each file of an archive without its end, by the header of each."""
    meter, has_some = Meter(content), False
    meter.begin(file.seek(0, SEEK_END))
    file.seek(0)
    while len(header := file.read(_HEADER.size)) == _HEADER.size:
        if not header.startswith(_ZIP_BEGIN[0]):
            break
        flags, method, packed, length, size = _HEADER.unpack(header)
        name = file.read(length).decode("utf-8" if flags & _UTF_8 else "cp437", "replace")
        entry = ZipInfo(name)
        entry.flag_bits, entry.extra = flags, file.read(size)
        if not entry.filename or (not has_some and name in _OF_DOCUMENTS):
            break
        if flags & _ENCRYPTED or method not in (ZIP_STORED, ZIP_DEFLATED):
            yield _entry_name(entry), _LOCKED if flags & _ENCRYPTED else _unsupported(method)
            file.seek(packed, SEEK_CUR)
        elif not entry.is_dir():
            has_some = True
            unpacked = taken(file.read, packed) if method == ZIP_STORED else _inflated(file)
            yield _entry_name(entry), Salvaged(map(meter.passed, unpacked), (EOFError, zlib.error))
        # Checksum and sizes may stand between the data and the next header.
        between = file.read(_DESCRIPTOR + 4)
        place = between.find(_ZIP_BEGIN[0])
        file.seek(place - len(between) if place >= 0 else 0, SEEK_CUR)
    if not has_some:
        raise damage(content, Zip.called, "it is truncated")


def _inflated(file: BinaryIO) -> Iterator[bytes]:
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
    while not unpacking.eof:
        if not (packed := unpacking.unconsumed_tail or file.read(_SIP)):
            raise EOFError
        yield unpacking.decompress(packed, _STEP)
    file.seek(-len(unpacking.unused_data), SEEK_CUR)


def _unsupported(method: int) -> str:
    what = _KNOWN.get(method, f"method {method}")
    return f"compressed with {what}, which is not supported; use deflate"


def _entry_name(entry: ZipInfo) -> str:
    """The name of an entry.

    In UTF-8 if a flag or a field says so or if it is valid UTF-8, otherwise in code page 437.
    """
    name, extra = entry.orig_filename, entry.extra
    if name.isascii() or entry.flag_bits & _UTF_8:
        return name
    try:
        raw = name.encode("cp437")
        while len(extra) >= 4:
            kind, size = struct.unpack_from("<HH", extra)
            field, extra = extra[4 : 4 + size], extra[4 + size :]
            if kind == _UNICODE_PATH and field[1:5] == zlib.crc32(raw).to_bytes(4, "little"):
                return field[5:].decode("utf-8") or raw.decode("utf-8")
        return raw.decode("utf-8")
    except UnicodeError:
        return name


@dataclass(frozen=True)
class Tar(Container):
    """The files in a tar archive, which may itself be compressed.

    Folders, links, devices and macOS metadata are left out, sparse files with a warning. After a
    damaged header, other than the first, it continues at the next valid one.

    >>> letters = Content("tests/samples/containers/letters.tar.gz")
    >>> [(member.name, b"".join(member.blocks)[:10]) for member in Tar().members(letters)]
    [('letters/may.txt', b'Dear Anna,'), ('letters/june.txt', b'Dear Karl,')]
    """

    called: ClassVar[str] = "tar archive"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it begins with a header that has the magic of tar or a valid checksum."""
        head = content.head[:_TAR_BLOCK]
        if len(head) < _TAR_BLOCK or head[257:262] == b"ustar":
            return len(head) == _TAR_BLOCK
        try:
            return bool(TarInfo.frombuf(head, *_CODING))
        except (TarError, ValueError):
            return False

    def members(self, content: Content) -> Iterator[Member | Problem]:
        walk = _TarWalk(content)
        yield from members_of(content, walk.files())
        yield from walk.problems()


class _TarWalk:
    def __init__(self, content: Content) -> None:
        self._content = content
        # Where blocks stand that are no headers, though one is due.
        self._lost: list[int] = []
        self._cut_off = False
        try:
            self._archive = tarfile.open(  # noqa: SIM115 (it has nothing to close)
                fileobj=content.file(), mode="r|", bufsize=_TAR_STEP, encoding=_CODING[0]
            )
        except (SdtextError, MemoryError):
            raise
        except Exception as error:  # what tarfile raises, it does not say
            raise damage(content, Tar.called, str(error)) from error
        self.stream = self._archive.fileobj

    def files(self) -> Iterator[tuple[str, Salvaged | str]]:
        """The name and bytes of each file, or why it cannot be read; unread bytes are skipped."""
        first = self._archive.next()
        for header in chain([first] if first else [], self._further()):
            if header.size < 0:
                self._lost.append(header.offset)
                continue
            stored = header.name
            if any("\udc80" <= sign <= "\udcff" for sign in stored):  # it is not UTF-8
                stored = stored.encode(*_CODING).decode("latin-1")
            if header.isreg():
                blocks = Salvaged(taken(self.stream.read, header.size), (EOFError,))
                yield stored, _HOLES if header.issparse() else blocks
            # Not by its `next`, which takes very long where a size is far beyond the end.
            rest = self._archive.offset - self.stream.tell()
            Salvaged(taken(self.stream.read, rest), (EOFError,)).pass_over()

    def problems(self) -> Iterator[Problem]:
        if self._lost:
            what = f"is damaged at byte {self._lost[0]}; that part is skipped"
            yield partly_read(self._content, what)
        if self._cut_off:
            yield partly_read(self._content, "is truncated; read up to its end")

    def _further(self) -> Iterator[TarInfo]:
        """Yield the headers after the first, up to the end: two blocks of zeros."""
        blank = 0
        while blank < 2:
            place = self.stream.tell()
            try:
                # Its `next` takes a damaged header for the end of the archive.
                header = TarInfo.fromtarfile(self._archive)
            except _BLANK:
                blank += 1
            except (SdtextError, MemoryError):
                raise
            except Exception:  # as above
                if self.stream.tell() == place:  # nothing was left to be read
                    self._cut_off = not blank
                    return
                self._lost.append(place)
                blank = 0
            else:
                blank = 0
                yield header


@dataclass(frozen=True)
class SevenZip(Container):
    """The files in a 7z archive.

    Folders, links and macOS metadata are left out. Encrypted entries and methods that py7zr does
    not know, PPMd and BCJ2 are left out with a warning.

    >>> letters = Content("tests/samples/containers/letters.7z")
    >>> [(member.name, b"".join(member.blocks)[:10]) for member in SevenZip().members(letters)]
    [('letters/june.txt', b'Dear Karl,'), ('letters/may.txt', b'Dear Anna,')]
    """

    called: ClassVar[str] = "7z archive"

    @staticmethod
    def recognises(content: Content) -> bool:
        return content.head.startswith(_MAGIC)

    def members(self, content: Content) -> Iterator[Member | Problem]:
        with content.seekable() as file:
            archive, places = _opened_7z(file, content)
            unpacking = _SevenZipFolders(file, places, content)
            entries = ((entry, unpacking.blocks(entry)) for entry in archive.files)
            files = ((entry.filename, blocks) for entry, blocks in entries if entry.is_file)
            yield from members_of(content, files)


def _opened_7z(file: BinaryIO, content: Content) -> tuple[SevenZipFile, _Places]:
    """The archive with its list of files, and where its folders are. Raises UnreadableError."""
    try:
        from py7zr import PasswordRequired, SevenZipFile
    except ImportError as error:
        missing = "7z archives are read by py7zr, which is not installed; pip install 'sdtext[7z]'"
        raise UnreadableError(missing, file=content.name) from error
    try:
        archive = SevenZipFile(file)
        places, number = {}, 0
        streams = archive.header.main_streams
        for folder in streams.unpackinfo.folders if streams else ():
            begin = archive.afterheader + streams.packinfo.packpos
            place = begin + streams.packinfo.packpositions[number]
            places[folder] = place, streams.packinfo.packsizes[number]
            number += len(folder.packed_indices)
        sizes = [entry.uncompressed for entry in archive.files]
        if min(sizes, default=0) < 0:
            raise ValueError("a file has a negative size")
    except MemoryError:
        raise
    except PasswordRequired as error:
        raise UnreadableError(f"its list of files is {_LOCKED}", file=content.name) from error
    except Exception as error:  # what py7zr raises where a list is damaged, it does not say
        raise damage(content, SevenZip.called, _reason(error)) from error
    return archive, places


class _SevenZipFolders:
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
        self._source = BlockFile(iter(()))
        self._last = Salvaged(iter(()), ())
        self._why = ""

    def blocks(self, entry: ArchiveFile) -> Salvaged | str:
        """The bytes of an entry, or why it cannot be read; entries are read in the list's order."""
        self._last.pass_over()
        if entry.emptystream:
            return Salvaged(iter(()), ())
        if entry.folder is not self._folder:
            self._folder = entry.folder
            self._why = _reason_against_folder(entry.folder)
            self._source = BlockFile(self._metered(entry.folder))
        elif isinstance(self._last.error, EOFError):
            self._why = self._why or "after damage in the same compressed block"
        if self._why:
            return self._why
        blocks = _checked(taken(self._source.read, entry.uncompressed), entry.crc32)
        self._last = Salvaged(blocks, (EOFError, ValueError))
        return self._last

    def _metered(self, folder: Folder) -> Iterator[bytes]:
        """The unpacked bytes, up to the limit: a block may have files before and after it."""
        for block in self._unpacked(folder):
            if 0 < self._meter.left < len(block):
                yield block[: self._meter.left]
            yield self._meter.passed(block)

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


def _reason_against_folder(folder: Folder) -> str:
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
    return str(error.args[-1]) if error.args else type(error).__name__
