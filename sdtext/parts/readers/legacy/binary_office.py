"""Readers of old Office files (before 2007) by external programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from sdtext.errors import OptionError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem, QuotationMark
from sdtext.parts.file_signatures import COMPOUND
from sdtext.parts.readers import Reader
from sdtext.parts.readers.legacy import antiword, libreoffice
from sdtext.parts.readers.legacy.compound_file_directory import root_names

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
        from sdtext.parts.readers.office.docx import Docx

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


@dataclass(frozen=True)
class Xls(Reader):
    """The text of an old Excel workbook (XLS), as of the XLSX file that LibreOffice makes of it.

    >>> Xls.called
    'old Excel workbook'
    """

    called: ClassVar[str] = "old Excel workbook"
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a compound file with a workbook."""
        return _holds(content, _XLS)

    @staticmethod
    def libraries() -> tuple[tuple[str, str], ...]:
        """LibreOffice, with its version."""
        return _libreoffice()

    def __call__(self, content: Content) -> Blocks:
        from sdtext.parts.readers.office.xlsx import Xlsx

        _ask_for_libreoffice(content, "an old Excel workbook (XLS)", "XLSX")
        with libreoffice.converted(content, self.called, "xlsx") as xlsx:
            yield from Xlsx()(xlsx)


@dataclass(frozen=True)
class Ppt(Reader):
    """The text of an old PowerPoint file (PPT), as of the PPTX file that LibreOffice makes of it.

    >>> Ppt.called
    'old PowerPoint file'
    """

    called: ClassVar[str] = "old PowerPoint file"
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a compound file with a presentation."""
        return _holds(content, _PPT)

    @staticmethod
    def libraries() -> tuple[tuple[str, str], ...]:
        """LibreOffice, with its version."""
        return _libreoffice()

    def __call__(self, content: Content) -> Blocks:
        from sdtext.parts.readers.office.pptx import Pptx

        _ask_for_libreoffice(content, "an old PowerPoint file (PPT)", "PPTX")
        with libreoffice.converted(content, self.called, "pptx") as pptx:
            yield from Pptx()(pptx)


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
