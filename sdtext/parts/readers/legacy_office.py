"""Readers of old Office files (before 2007) by external programs.

Their container is a compound file (MS-CFB), a file system in a file: chains of sectors, a table
that gives the successor of each sector, and a directory of entries of 128 bytes that form trees.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import BinaryIO, ClassVar, NamedTuple

from sdtext.errors import OptionError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem, QuotationMark
from sdtext.parts.file_signatures import COMPOUND
from sdtext.parts.readers import Reader, antiword, libreoffice

_AUTO = "auto"
_ANTIWORD, _LIBREOFFICE = "antiword", "libreoffice"
_DOC = frozenset({"WordDocument"})
_XLS = frozenset({"Workbook", "Book"})
_PPT = frozenset({"PowerPoint Document"})
_OTHERS = {
    "EncryptedPackage": "is encrypted with a password; save it without one",
    "EncryptedSummary": "is encrypted with a password; save it without one",
    "__properties_version1.0": "is an Outlook mail (MSG), which is not supported; save it as EML",
    "VisioDocument": "is a Visio drawing, which is not supported; save it as PDF",
    "Quill": "is a Publisher file, which is not supported; save it as PDF",
    "FileHeader": "is a Hangul Word Processor file, which is not supported; save it as DOCX or PDF",
}

Blocks = Iterator[str | Heading | QuotationMark | Problem]
_HEADER = struct.Struct("<30xH12xI I 16x I I 109I")
_ENTRY = struct.Struct("<64s H B x I I I 48x")
_NUMBER = struct.Struct("<I")
_SIZES = {9: 512, 12: 4096}  # by their power of two
_MOST = 10_000  # entries; a file of Office has some dozens
_LISTS = 1000  # sectors that list more of the table, enough for a file of 8 GB
_NONE = 0xFFFFFFFA  # no sector has this number, or one above


@dataclass(frozen=True)
class Doc(Reader):
    """The text of an old Word file (DOC), a line for each paragraph, by an external program.

    `engine` is antiword or libreoffice; auto uses the first that is installed, and the other if
    that finds no text. LibreOffice converts the file to DOCX, which is then read.

    >>> Doc(engine="antiword").alternatives()
    (Doc(engine='antiword'),)
    """

    engine: str = _AUTO
    called: ClassVar[str] = "old Word file"
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        engines = (_AUTO, _ANTIWORD, _LIBREOFFICE)
        if self.engine not in engines:
            raise OptionError.of("doc", "engine", self.engine, f"one of {', '.join(engines)}")

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a compound file with a Word document."""
        return _holds(content, _DOC)

    def alternatives(self) -> tuple[Doc, ...]:
        """The reader with each of the programs to try, in order."""
        if self.engine != _AUTO:
            return (self,)
        there = {_ANTIWORD: antiword.is_installed(), _LIBREOFFICE: libreoffice.is_installed()}
        return tuple(replace(self, engine=name) for name in there if there[name]) or (self,)

    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The program that does the work, with its version."""
        if self.alternatives()[0].engine == _ANTIWORD:
            return ((antiword.NAME, antiword.version()),)
        return _libreoffice()

    def __call__(self, content: Content) -> Blocks:
        from sdtext.parts.readers.office_open_xml import Docx

        if self.alternatives()[0].engine == _ANTIWORD and antiword.is_installed():
            yield from antiword.text(content)
            return
        if not libreoffice.is_installed():
            raise UnreadableError(
                "is an old Word file (DOC); install antiword or LibreOffice to "
                "read it, or save it as DOCX",
                file=content.name,
            )
        with libreoffice.converted(content, self.called, "docx") as docx:
            yield from Docx()(docx)


class _ByLibreOffice(Reader):
    """A format that LibreOffice converts to a later one, whose reader then reads it."""

    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def libraries() -> tuple[tuple[str, str], ...]:
        """LibreOffice, with its version."""
        return _libreoffice()

    def _read(self, content: Content, form: str, reader: Reader) -> Blocks:
        """The text of `content`, of the `form` "XLS" or "PPT", by the reader of its later form."""
        ending = f"{form.lower()}x"
        _ask_for_libreoffice(content, f"an {self.called} ({form})", ending.upper())
        with libreoffice.converted(content, self.called, ending) as converted:
            yield from reader(converted)


@dataclass(frozen=True)
class Xls(_ByLibreOffice):
    """The text of an old Excel workbook (XLS), as of the XLSX file that LibreOffice makes of it.

    >>> Xls.called
    'old Excel workbook'
    """

    called: ClassVar[str] = "old Excel workbook"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a compound file with a workbook."""
        return _holds(content, _XLS)

    def __call__(self, content: Content) -> Blocks:
        from sdtext.parts.readers.office_open_xml import Xlsx

        yield from self._read(content, "XLS", Xlsx())


@dataclass(frozen=True)
class Ppt(_ByLibreOffice):
    """The text of an old PowerPoint file (PPT), as of the PPTX file that LibreOffice makes of it.

    >>> Ppt.called
    'old PowerPoint file'
    """

    called: ClassVar[str] = "old PowerPoint file"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a compound file with a presentation."""
        return _holds(content, _PPT)

    def __call__(self, content: Content) -> Blocks:
        from sdtext.parts.readers.office_open_xml import Pptx

        yield from self._read(content, "PPT", Pptx())


@dataclass(frozen=True)
class Compound(Reader):
    """No text: of any other file of the old Office form, locked ones too, it says what it is.

    >>> Compound.called
    'file of the old Office form'
    """

    called: ClassVar[str] = "file of the old Office form"
    isolated: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a compound file of any kind."""
        return content.head.startswith(COMPOUND)

    def __call__(self, content: Content) -> Blocks:
        names = root_names(content)
        known = (reason for name, reason in _OTHERS.items() if name in names)
        raise UnreadableError(
            f"{content.name}: "
            + next(known, f"is a {self.called} without any text that sdtext recognises")
        )
        yield  # an iterator, as all readers give


def _holds(content: Content, wanted: frozenset[str]) -> bool:
    """Whether it is a compound file with one of the streams `wanted`, and not locked as a whole."""
    if not content.head.startswith(COMPOUND):
        return False
    try:
        names = root_names(content)
    except UnreadableError:
        return False
    return not names.isdisjoint(wanted) and names.isdisjoint({"EncryptedSummary"})


def _libreoffice() -> tuple[tuple[str, str], ...]:
    return ((libreoffice.NAME, libreoffice.version()),)


def _ask_for_libreoffice(content: Content, what: str, better: str) -> None:
    """Raise UnreadableError if LibreOffice is not installed."""
    if not libreoffice.is_installed():
        raise UnreadableError(
            f"is {what}; install LibreOffice to read it, or save it as {better}", file=content.name
        )


class _Entry(NamedTuple):
    name: str
    before: int
    behind: int
    child: int


def root_names(content: Content) -> frozenset[str]:
    """The names of the top-level entries of a compound file. Raises UnreadableError.

    Embedded objects, such as a workbook in a letter, are at deeper levels.
    """
    try:
        with content.seekable() as file:
            entries = list(islice(_Sectors(file).entries(), _MOST))
        return frozenset(entry.name for entry in _tree(entries))
    except (struct.error, IndexError, KeyError) as error:
        raise UnreadableError(
            "is a damaged Office file of the old kind (its directory cannot be "
            "read); get a new copy from its source",
            file=content.name,
        ) from error


class _Sectors:
    """The sectors of a file, by their numbers."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        head = _HEADER.unpack(file.read(_HEADER.size))
        self._size = _SIZES[head[0]]
        self._first = head[2]
        self._rest = head[3]
        self._listed = head[5:]

    def entries(self) -> Iterator[_Entry]:
        """The entries of the directory."""
        sector = self._first
        for _ in range(_MOST):
            data = self._sector(sector)
            for start in range(0, self._size, 128):
                name, length, _kind, *links = _ENTRY.unpack_from(data, start)
                yield _Entry(name[: max(0, length - 2)].decode("utf-16-le", "replace"), *links)
            sector = self._after(sector)
            if sector >= _NONE:
                return

    def _sector(self, number: int) -> bytes:
        self._file.seek((number + 1) * self._size)
        data = self._file.read(self._size)
        if len(data) < self._size:
            raise IndexError
        return data

    def _after(self, number: int) -> int:
        """The next sector in the chain."""
        place, within = divmod(number, self._size // 4)
        following = _NUMBER.unpack_from(self._sector(self._table(place)), 4 * within)[0]
        assert isinstance(following, int)  # noqa: S101 (for the checker of types)
        return following

    def _table(self, place: int) -> int:
        """The number of a sector of the table."""
        if place < len(self._listed):
            return int(self._listed[place])
        return self._listed_elsewhere[place - len(self._listed)]

    @cached_property
    def _listed_elsewhere(self) -> list[int]:
        """The table sectors beyond those in the header; each list names the next."""
        numbers: list[int] = []
        sector = self._rest
        for _ in range(_LISTS):
            if sector >= _NONE:
                break
            *listed, sector = struct.unpack(f"<{self._size // 4}I", self._sector(sector))
            numbers += listed
        return numbers


def _tree(entries: list[_Entry]) -> Iterator[_Entry]:
    """The top-level entries: the tree below the first."""
    waiting, seen = [entries[0].child], {0}
    while waiting:
        place = waiting.pop()
        if place < len(entries) and place not in seen:
            seen.add(place)
            yield entries[place]
            waiting += [entries[place].before, entries[place].behind]
