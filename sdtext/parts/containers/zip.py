"""Container for zip archives."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from stat import S_IFMT, S_IFREG
from typing import ClassVar
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipInfo

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import DAMAGE, Archive, last_record
from sdtext.model import Problem
from sdtext.parts.containers import Container, LeftOut, Member, Names, Salvaged, is_fork

_CUT = b"PK\x07\x08PK"
# The second is an archive without entries; the last two were written to be cut into several files.
_BEGIN = (b"PK\x03\x04", b"PK\x05\x06", _CUT, b"PK00PK")
_LAST = 22  # bytes in the record at the end, without the comment
_PROGRAM = b"MZ"
_ENCRYPTED = 1
_KNOWN = {9: "Deflate64", 14: "LZMA", 93: "Zstandard", 95: "XZ", 98: "PPMd"}
_UTF_8 = 0x800
_UNICODE_PATH = 0x7075  # PKWARE's APPNOTE 4.6.9


@dataclass(frozen=True)
class Zip(Container):
    """The files in a zip archive, also in a self-extracting one.

    Folders, links and macOS metadata are left out; encrypted entries and methods other than stored,
    deflate and bzip2 are left out with a warning.

    >>> from sdtext.io.decompressed_content import Content
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
        return content.head.startswith(_BEGIN)

    def members(self, content: Content) -> Iterator[Member | Problem]:
        """The files in the archive, in the order in which it lists them."""
        with content.seekable() as file:
            if _is_one_of_many(content, last_record(file)):
                raise UnreadableError(
                    "is one part of a split zip archive; join the parts first", file=content.name
                )
            archive = _Entries(file, content, self.called)
            names, left_out = Names(), LeftOut()
            for entry in filter(_is_text, archive.entries):
                name = names.given(_name(entry))
                if why := _reason_against(entry):
                    left_out.add(name, why)
                    continue
                blocks = Salvaged(archive.unpacked(entry), (*DAMAGE, OSError))
                yield Member(name, blocks)
                blocks.pass_over()
                yield from blocks.problem(content, name)
            yield from left_out.problems(content)


class _Entries(Archive):
    """An archive whose undamaged entries can be read even if others are damaged."""

    def _data(self, entry: ZipInfo) -> int:
        try:
            return super()._data(entry)
        except DAMAGE:  # reported where the entry is opened
            return entry.header_offset


def _is_one_of_many(content: Content, last: bytes) -> bool:
    """Whether it is a volume of a split archive."""
    if len(last) < _LAST:
        return content.head.startswith(_CUT)
    return int.from_bytes(last[4:6], "little") not in (0, 0xFFFF)


def _is_text(entry: ZipInfo) -> bool:
    """Whether an entry may be a document: neither a folder, link or device, nor macOS's own."""
    kind = S_IFMT(entry.external_attr >> 16)
    return kind in (0, S_IFREG) and not entry.is_dir() and not is_fork(entry.filename)


def _reason_against(entry: ZipInfo) -> str:
    """Why an entry cannot be unpacked; "" if it can."""
    if entry.flag_bits & _ENCRYPTED:
        return "encrypted with a password; unpack the archive by hand"
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2):
        method = _KNOWN.get(entry.compress_type, f"method {entry.compress_type}")
        return f"compressed with {method}, which is not supported; use deflate"
    return ""


def _name(entry: ZipInfo) -> str:
    """The name of an entry.

    In UTF-8 if a flag or a field says so or if it is valid UTF-8, otherwise in code page 437.
    """
    name = entry.orig_filename
    if name.isascii() or entry.flag_bits & _UTF_8:
        return name
    try:
        raw = name.encode("cp437")
        return _unicode_name(entry.extra, raw) or raw.decode("utf-8")
    except UnicodeError:
        return name


def _unicode_name(extra: bytes, raw: bytes) -> str:
    """The name that the field for names in UTF-8 holds, if it is there and of this name."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and field[1:5] == zlib.crc32(raw).to_bytes(4, "little"):
            return field[5:].decode("utf-8")
    return ""
