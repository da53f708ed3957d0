"""Reader of Excel workbooks (XLSX)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from sdtext.errors import UnreadableError, counted
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import Archive, opened
from sdtext.model import Heading, Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.heading_collector import MAX_TITLE, Block
from sdtext.parts.readers.office.ooxml_text import Handlers
from sdtext.parts.readers.office.package import (
    Kind,
    Target,
    elements,
    link,
    parsed,
    related,
    relations,
)

_KIND = Kind(
    "Excel workbook",
    "xl/workbook.xml",
    r"application/vnd\.(openxmlformats-officedocument\.spreadsheetml|ms-excel)"
    r"\.[\w.-]*\bmain(\+xml)?",
)
# A character that XML cannot hold, or that stood for one by chance (ISO/IEC 29500-1, 22.9.2.19).
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_TRUTH = {"0": "FALSE", "1": "TRUE"}


@dataclass(frozen=True)
class Xlsx(Reader):
    r"""The text of an Excel workbook: each sheet a page, each row a line, cells separated by tabs.

    Sheets, including hidden ones, come in the order of the workbook; their names are headings.
    Numbers are read as stored, without the format of the cell: a date is a count of days. For a
    formula the stored result is read. Comments, charts and boxes are left out.

    >>> from sdtext.io.decompressed_content import Content
    >>> blocks = list(Xlsx()(Content("tests/samples/documents/berths.xlsx")))
    >>> blocks[0].title, blocks[1].splitlines()[1]
    ('Berths', 'North quay\t14\tdeep water')
    """

    called: ClassVar[str] = _KIND.called
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file is a zip archive that seems to hold a workbook."""
        return _KIND.recognises(content)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        with opened(content, self.called) as archive:
            main = _KIND.main(archive)
            if main.endswith(".bin"):
                raise UnreadableError(
                    "is a binary Excel workbook (XLSB); store it as XLSX", file=content.name
                )
            size = 0
            for block in _sheets(archive, main, content.name):
                size += len(block) if isinstance(block, str) else 0
                # A string can be in any number of cells.
                content.check_size(size)
                yield block


def _sheets(archive: Archive, main: str, name: str) -> Iterator[Block | Problem]:
    parts = {each.id: each for each in relations(archive, main)}
    strings = _strings(archive, main)
    missing = 0
    for key, title in _listed(archive, main).items():
        sheet = parts.get(key)
        if sheet is None:
            missing += 1
        elif sheet.kind == "worksheet":  # not a chart or a dialogue
            yield Heading(1, title)
            yield from chain.from_iterable(parsed(archive, sheet.part, _Sheet(strings)))
            yield "\f"
    if missing:
        message = f"{name}: {counted(missing, 'sheet')} that it lists cannot be found"
        yield Problem("warning", "partly-read", message)


def _listed(archive: Archive, main: str) -> Mapping[str, str]:
    """The name of each sheet by its key, in the order of the workbook."""
    sheets = (attrib for tag, attrib in elements(archive, main) if tag.endswith("}sheet"))
    return {link(each): " ".join(each.get("name", "")[:MAX_TITLE].split()) for each in sheets}


def _strings(archive: Archive, main: str) -> Sequence[str]:
    """The strings that cells name by their number."""
    values: list[str] = []
    for _, part in related(archive, main, ("sharedStrings",)):
        for strings in parsed(archive, part, _Strings()):
            values += strings
    return values


class _Strings(Target):
    """Parser target for the shared strings, each a text or runs of it."""

    def __init__(self, begin: Handlers | None = None, finish: Handlers | None = None) -> None:
        self._begin = begin or _BEGIN
        self._finish = finish or _FINISH
        self._done: list[str] = []
        self._pieces: list[str] = []
        self._in_text = self._in_reading_aid = False

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        if begin := self._begin.get(tag.rpartition("}")[2]):
            begin(self, attrib)

    def end(self, tag: str) -> None:
        """An end tag."""
        if finish := self._finish.get(tag.rpartition("}")[2]):
            finish(self)

    def data(self, data: str) -> None:
        """Text between tags."""
        if self._in_text:
            self._pieces.append(data)

    def taken(self) -> list[str]:
        """The strings since the last call."""
        done, self._done = self._done, []
        return done

    def begin_string(self, _: Mapping[str, str]) -> None:
        self._pieces.clear()

    def begin_text(self, _: Mapping[str, str]) -> None:
        self._in_text = not self._in_reading_aid

    def finish_text(self) -> None:
        self._in_text = False

    def begin_reading_aid(self, _: Mapping[str, str]) -> None:
        """How to say a word, printed small above it."""
        self._in_reading_aid = True

    def finish_reading_aid(self) -> None:
        self._in_reading_aid = False

    def finish_string(self) -> None:
        self._done.append(self._string())

    def _string(self) -> str:
        """The text in one line, without tabs."""
        text = "".join(self._pieces)
        if "_x" in text:
            text = _ESCAPED.sub(_unescaped, text)
        return " ".join(text.split())


class _Sheet(_Strings):
    """Parser target for a sheet, row by row; `strings` are the shared strings."""

    def __init__(self, strings: Sequence[str]) -> None:
        super().__init__(_SHEET_BEGIN, _SHEET_FINISH)
        self._strings = strings
        self._cells: list[str] = []
        self._type = ""

    def taken(self) -> list[str]:
        """The rows that have ended since the last call, as one text."""
        rows = "".join(super().taken())
        return [rows] if rows else []

    def begin_cell(self, attrib: Mapping[str, str]) -> None:
        self._type = attrib.get("t", "n")
        self._pieces.clear()

    def finish_cell(self) -> None:
        text = self._string()
        if self._type == "s":
            text = self._shared(text)
        elif self._type == "b":
            text = _TRUTH.get(text, text)
        if text:
            self._cells.append(text)

    def finish_row(self) -> None:
        if self._cells:
            self._done.append("\t".join(self._cells) + "\n")
            self._cells.clear()

    def _shared(self, place: str) -> str:
        known = place.isascii() and place.isdigit() and len(place) < 10
        return self._strings[int(place)] if known and int(place) < len(self._strings) else ""


def _unescaped(match: re.Match[str]) -> str:
    """The character that an escape stands for; half a character stays as it is."""
    code = int(match[1], 16)
    return match[0] if 0xD800 <= code < 0xE000 else chr(code)


_BEGIN: Handlers = {
    "si": _Strings.begin_string,
    "t": _Strings.begin_text,
    "rPh": _Strings.begin_reading_aid,
}
_FINISH: Handlers = {
    "si": _Strings.finish_string,
    "t": _Strings.finish_text,
    "rPh": _Strings.finish_reading_aid,
}
_SHEET_BEGIN: Handlers = {
    "t": _Strings.begin_text,
    "rPh": _Strings.begin_reading_aid,
    "c": _Sheet.begin_cell,
    "v": _Sheet.begin_text,
}
_SHEET_FINISH: Handlers = {
    "t": _Strings.finish_text,
    "rPh": _Strings.finish_reading_aid,
    "c": _Sheet.finish_cell,
    "v": _Sheet.finish_text,
    "row": _Sheet.finish_row,
}
