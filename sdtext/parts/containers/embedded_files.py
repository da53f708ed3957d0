"""Containers of the files that are embedded in office files, and attached to PDF files."""

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from ctypes import addressof
from dataclasses import dataclass
from io import BytesIO
from os import SEEK_END
from posixpath import basename
from struct import unpack_from
from typing import Any, ClassVar
from zlib import decompressobj
from zlib import error as zlib_error

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content, Meter
from sdtext.io.zip_reader import DAMAGE, MIMETYPE, Beginnings, opened
from sdtext.model import Problem
from sdtext.parts.containers import Container, Member, Names, Salvaged
from sdtext.parts.file_signatures import COMPOUND
from sdtext.parts.readers import partly_read
from sdtext.parts.readers.legacy_office import root_names
from sdtext.parts.readers.pdf import Pdf, pdfium_opened
from sdtext.wording import counted, shown

_EMBEDDED = re.compile(r"(?:[\w-]+/)?embeddings/[^/]+|Object \d+")
_CHARTS = re.compile(r"(?:[\w-]+/)?charts/_rels/[^/]+\.rels")
_TYPES = ("[Content_Types].xml", MIMETYPE)
# Streams of an object that hold a file: an office file, or one of any other kind (MS-OLEDS 2.3.6).
_PACKAGE, _NATIVE, _CONTENTS = "Package", "\x01Ole10Native", "CONTENTS"
_ATTACHED = b"/EmbeddedFile"
# Where objects stand in files of Word and Excel; PowerPoint has them in records of its stream.
_STORAGES = re.compile(r"ObjectPool/[^/]+|MBD[0-9A-F]{8}")
_SLIDES = "PowerPoint Document"
_OFFICE = frozenset(("WordDocument", "Workbook", "Book", _SLIDES))
_OBJECTS = re.compile(rf"ObjectPool|MBD[0-9A-F]{{8}}|{_SLIDES}")
_OBJECT_RECORD, _MOST_OBJECT = 0x1011, 1 << 28


@dataclass(frozen=True)
class OfficeFiles(Container):
    """The files embedded in an office file; the workbooks with the numbers of charts are left out.

    A file within an OLE object is taken out of it.

    >>> OfficeFiles.also_text
    True
    """

    called: ClassVar[str] = "office file with embedded files"
    also_text: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a package of an office file that has embedded files."""
        with suppress(UnreadableError):
            names = Beginnings(content, OfficeFiles.called).names
            is_office = any(name in names for name in _TYPES)
            return is_office and any(map(_EMBEDDED.fullmatch, names))
        return False

    def members(self, content: Content) -> Iterator[Member | Problem]:
        names = Names()
        with opened(content, self.called) as archive:
            charts = [name for name in archive.names if _CHARTS.fullmatch(name)]
            of_charts = b"".join(block for name in charts for block in archive.blocks(name))
            for entry in archive.entries:
                name = basename(entry.filename)
                if _EMBEDDED.fullmatch(entry.filename) and f"/{name}".encode() not in of_charts:
                    blocks = Salvaged(archive.unpacked(entry), (*DAMAGE, OSError, RuntimeError))
                    name, data = _unwrapped(name, b"".join(blocks))
                    yield Member(names.given(name), iter([data]))
                    if blocks.error:
                        what = f"{shown(name)} is damaged or encrypted; read up to there"
                        yield partly_read(content, what)


@dataclass(frozen=True)
class OldOfficeFiles(Container):
    """The files embedded in an old office file (DOC, XLS, PPT).

    What stands in it in a form of its own, such as a formula, is counted.

    >>> OldOfficeFiles.also_text
    True
    """

    called: ClassVar[str] = "old office file with embedded objects"
    also_text: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it has the storage of objects, or is one of PowerPoint, which has none."""
        names = root_names(content)
        return any(map(_OBJECTS.fullmatch, names)) and not _OFFICE.isdisjoint(names)

    def members(self, content: Content) -> Iterator[Member | Problem]:
        from olefile import OleFileIO

        names, others = Names(), 0
        with content.seekable() as file, OleFileIO(file) as ole:
            meter = Meter(content)
            meter.begin(file.seek(0, SEEK_END))
            for name, data in _objects(ole):
                if data:
                    yield Member(names.given(name), iter([meter.passed(data)]))
                others += not data
        if others:
            yield partly_read(content, f"{counted(others, 'embedded object')} left out")


def _objects(ole: Any) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of the files in the objects of a compound file; "" for other objects."""
    for path in ole.listdir(streams=False, storages=True):
        if _STORAGES.fullmatch("/".join(path)):
            found = ("", b"")
            with suppress(ValueError, IndexError, OSError):
                found = _file_in(ole, "/".join(path) + "/", path[-1]) or found
            yield found
    if ole.exists(_SLIDES):
        for number, data in enumerate(_objects_of_slides(ole.openstream(_SLIDES).read()), 1):
            yield _unwrapped(f"object-{number}", data)


def _objects_of_slides(stream: bytes) -> Iterator[bytes]:
    """The compound files in records of a presentation (MS-PPT 2.10.34); b"" for damaged ones."""
    place = 0
    while place + 8 <= len(stream):
        head, kind, size = unpack_from("<HHI", stream, place)
        data = stream[place + 8 : place + 8 + size]
        place += 8 + size
        if kind == _OBJECT_RECORD:
            try:
                yield decompressobj().decompress(data[4:], _MOST_OBJECT) if head >> 4 else data
            except zlib_error:
                yield b""


def _file_in(ole: Any, within: str, name: str) -> tuple[str, bytes] | None:
    """The name and the bytes of the file in an object; None where it is no file."""
    for stream in (_PACKAGE, _CONTENTS):
        if ole.exists(within + stream):
            return name, ole.openstream(within + stream).read()
    if ole.exists(within + _NATIVE):
        data = ole.openstream(within + _NATIVE).read()
        label, path, rest = data[6:].split(b"\0", 2)
        start = 8 + int.from_bytes(rest[4:8], "little")  # behind the path of a temporary file
        size = int.from_bytes(rest[start : start + 4], "little")
        name = re.split(r"[\\/]", (label or path).decode("cp1252", "replace"))[-1]
        return name, rest[start + 4 : start + 4 + size]
    return None


def _unwrapped(name: str, data: bytes) -> tuple[str, bytes]:
    """The file within an OLE object, with its name; the object itself if it is of another kind."""
    if not data.startswith(COMPOUND):
        return name, data
    from olefile import OleFileIO

    try:
        with OleFileIO(BytesIO(data)) as file:
            return _file_in(file, "", name) or (name, data)
    except MemoryError:
        raise
    except Exception:
        return name, data


@dataclass(frozen=True)
class PdfFiles(Container):
    """The files attached to a PDF file, or to places on its pages.

    >>> PdfFiles.also_text
    True
    """

    called: ClassVar[str] = "PDF file with attachments"
    also_text: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a PDF file with the type of a stream that is a file."""
        end = b""
        for block in content.blocks() if Pdf.recognises(content) else ():
            if _ATTACHED in end + block[: len(_ATTACHED)] or _ATTACHED in block:
                return True
            end = block[-len(_ATTACHED) :]
        return False

    def members(self, content: Content) -> Iterator[Member | Problem]:
        """Yield the attached files: those of the whole document, then page by page."""
        names, meter = Names(), Meter(content)
        with content.seekable() as file:
            meter.begin(file.seek(0, SEEK_END))
        with pdfium_opened(content) as pdf:
            once = {addressof(each.raw.contents): each for each in _attachments(pdf)}
            for attachment in once.values():  # one file may have many names
                try:
                    name, data = attachment.get_name(), bytes(attachment.get_data())
                except (RuntimeError, UnicodeError):
                    yield partly_read(content, "an attached file cannot be read")
                else:
                    yield Member(names.given(name), iter([meter.passed(data)]))


def _attachments(pdf: Any) -> Iterator[Any]:
    from pypdfium2 import PdfAttachment, PdfiumError, raw

    from sdtext.parts.readers.pdf_annotations import each_annotation

    for number in range(pdf.count_attachments()):
        with suppress(PdfiumError):
            yield pdf.get_attachment(number)
    for number in range(len(pdf)):
        with suppress(PdfiumError), closing(pdf[number]) as page:
            for annotation, kind in each_annotation(page):
                file = raw.FPDFAnnot_GetFileAttachment(annotation)
                if kind == raw.FPDF_ANNOT_FILEATTACHMENT and file:
                    yield PdfAttachment(file, pdf)
