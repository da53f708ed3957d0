"""CSV and TSV: rows of cells, of which the first names the columns."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import StringIO
from threading import Lock

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.reading.records.json_records import MAX_LINE, Row, SkippedLines
from sdtext.text.encoding import decoded, find_encoding, is_binary
from sdtext.wording import shown

UNCLOSED = "begins a quoted cell that is never closed, so the rows after it cannot be separated"
_DELIMITERS = ",;\t"
_ESCAPED = re.compile("[\udc80-\udcff]")
_LONG_CELLS = Lock()
_DIGITS = frozenset("-0123456789")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,11})\.[0-9]{1,6}")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_ENDS = ("\n", "\r")
_PIECE = 1 << 20  # characters


@dataclass(frozen=True)
class Header:
    """The columns of a table: their names, and the sign between the cells of a row."""

    names: tuple[str, ...]
    delimiter: str

    @classmethod
    def of(cls, content: Content, delimiter: str = "", encoding: str = "") -> Header:
        """The header of a file; the delimiter is detected if none is given.

        Raises UnreadableError where there is none, or it does not tell the columns apart.
        """
        first = next(StringIO(next(_pieces(content, encoding), ""), newline=""), "")
        if is_binary(first):
            raise UnreadableError("is binary data, not text", file=content.name)
        sign = delimiter or _best_delimiter(first)
        rows = (cells for _, _, cells in _rows(_pieces(content, encoding), sign))
        cells = next((cells for cells in rows if cells is not None), list[str]())
        if isinstance(cells, str):
            raise UnreadableError(f"line 1: {cells}", file=content.name)
        names = [cell.strip() or f"column {number}" for number, cell in enumerate(cells, 1)]
        if not any(cell.strip() for cell in cells):
            raise UnreadableError("its first line does not name the columns", file=content.name)
        twice = next((name for name, number in Counter(names).items() if number > 1), None)
        if twice is not None:
            what = f"has two columns called {shown(twice[:100])!r}"
            raise UnreadableError(what, file=content.name)
        return cls(tuple(names), sign)


def table_rows(
    content: Content, header: Header, left_out: SkippedLines, encoding: str = ""
) -> Iterator[tuple[int, Row]]:
    """The rows after the header, by the names of the columns, with the numbers of their lines.

    All cells are texts. Rows that are no such go to `left_out`. Raises UnreadableError.
    """
    names, count = header.names, len(header.names)
    rows = _rows(_pieces(content, encoding), header.delimiter)
    next(rows, None)
    for number, lines, cells in rows:
        if not isinstance(cells, list):
            if cells is not None:
                left_out.add(number, cells)
        elif why := _damage(lines):
            left_out.add(number, why)
        elif len(cells) == count:
            yield number, dict(zip(names, cells, strict=True))
        elif cells:
            left_out.add(number, f"has {len(cells)} cells; the header has {count}")


def table_without(
    numbers: Container[int], content: Content, header: Header, encoding: str = ""
) -> Iterator[bytes]:
    """The text without the rows that begin in these lines, as UTF-8. Raises UnreadableError.

    Before the header stands a byte-order mark if there is one in the file.
    """
    if 1 not in numbers and content.head.startswith(_MARKS):
        yield codecs.BOM_UTF8
    kept, size = list[str](), 0
    for number, lines, _ in _rows(_pieces(content, encoding), header.delimiter):
        if number not in numbers:
            kept += lines
            size += sum(map(len, lines))
            if size > _PIECE:
                yield "".join(kept).encode("utf-8", "surrogateescape")
                kept, size = [], 0
    yield "".join(kept).encode("utf-8", "surrogateescape")


def _rows(
    pieces: Iterable[str], delimiter: str
) -> Iterator[tuple[int, list[str], list[str] | str | None]]:
    """Each row: the number of its first line, its lines, and its cells or why it has none.

    A row that is too long to be kept in memory comes in parts, of which only the last has a reason.
    """
    rest, number, first = "", 1, 0  # `first` is the first line of a row that is too long
    scan = _QuoteScanner(delimiter)
    for piece in pieces:
        lines = StringIO(rest + piece, newline="").readlines()
        begin = 0
        if not first:
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
            with suppress(csv.Error):
                for cells in reader:
                    end = reader.line_num
                    if end == len(lines) and not lines[-1].endswith(_ENDS):
                        break  # it may go on
                    yield number + begin, lines[begin:end], cells
                    begin = end
        # What the module csv refuses, row by row.
        for stop, line in enumerate(lines[begin:], begin + 1):
            scan.line(number + stop - 1, line)
            if not scan.opened and line.endswith(_ENDS):
                row = lines[begin:stop]
                yield first or number + begin, row, _cells(row, delimiter, is_long=bool(first))
                begin, first = stop, 0
        rest = "".join(lines[begin:])
        number += begin
        if first or len(rest) > MAX_LINE:
            first = first or number
            yield first, lines[begin:], None
            number += sum(line.endswith(_ENDS) for line in lines[begin:])
            rest = ""
        else:
            scan.opened = 0  # the rest is scanned again
    if rest or first:
        lines = StringIO(rest, newline="").readlines()
        for place, line in enumerate(lines, number):
            scan.line(place, line)
        if scan.opened:
            yield scan.opened, lines, UNCLOSED
        else:
            yield first or number, lines, _cells(lines, delimiter, is_long=bool(first))


def _damage(lines: list[str]) -> str:
    """Why the cells of a row cannot be used; "" if they can."""
    for line in lines:
        if "\0" in line:
            return "holds a NUL byte"
        if not line.isascii() and _ESCAPED.search(line):
            return "is not UTF-8; name its encoding"
    return ""


def _pieces(content: Content, encoding: str) -> Iterator[str]:
    """A text in pieces of whole lines, with their ends; of UTF-8, other bytes are escaped.

    A line above `MAX_LINE` comes in several pieces, of which only the last has the end of a line.
    """
    name = encoding or encoding_of(content)
    errors = "surrogateescape" if name == "utf-8" else find_encoding(content).errors
    rest = ""
    for block in decoded(content, name, errors):
        text = rest + block
        end = text.rfind("\n") + 1 or text.rfind("\r", 0, -1) + 1  # the last may be half an end
        if not end and len(text) > MAX_LINE:
            end = len(text) - 1
        rest = text[end:]
        yield text[:end]
    yield rest


def encoding_of(content: Content) -> str:
    """The encoding of a table: UTF-8 if its first block is, else that of the whole text."""
    first = next(content.blocks(), b"")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(first)
    except UnicodeDecodeError:
        return find_encoding(content).name
    return find_encoding(content).name if b"\x00" in first else "utf-8"


def _best_delimiter(header: str) -> str:
    """The sign that parts a header into the most columns.

    >>> _best_delimiter("id;text, as it was;year")
    ';'
    """

    def columns(sign: str) -> int:
        with suppress(csv.Error):
            return len(next(csv.reader([header], delimiter=sign), ()))
        return 0

    return max(_DELIMITERS, key=columns)


@dataclass
class _QuoteScanner:
    """Whether a quoted cell is open at the end of each line, by the rules of the module csv.

    A quote opens a cell only at its beginning; two in a cell stand for one.
    """

    delimiter: str
    opened: int = 0  # the number of the line where the open cell begins
    _cell: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        ends = f"{re.escape(self.delimiter)}\r\n"
        quoted = '"[^"]*(?:""[^"]*)*(?P<end>"?)'
        self._cell = re.compile(rf"(?:\A|[{ends}])(?:{quoted})?[^{ends}]*")

    def line(self, number: int, line: str) -> None:
        """Read the line of that number."""
        if '"' not in line:
            return
        begun = '"' * bool(self.opened) + line
        last = deque(self._cell.finditer(begun), maxlen=1)[0]
        if last["end"] != "":  # the cell is not quoted, or it is closed
            self.opened = 0
        elif not (self.opened and last.start() == 0):
            self.opened = number


def _cells(lines: list[str], delimiter: str, *, is_long: bool) -> list[str] | str:
    """The cells of a row, or why it has none.

    The module csv has one limit of cells for all its users, which is lifted for this row.
    """
    if is_long or sum(map(len, lines)) > MAX_LINE:
        return f"is longer than {MAX_LINE >> 20} MB"
    with _LONG_CELLS:
        limit = csv.field_size_limit(MAX_LINE)
        try:
            return next(csv.reader(lines, delimiter=delimiter, strict=True))
        except csv.Error as error:
            return str(error)
        finally:
            csv.field_size_limit(limit)


def number_of(cell: str) -> int | float | str:
    """The number that a cell spells, else itself.

    >>> [number_of(cell) for cell in ("2019", "-3", "0.50", "007", "1e3")]
    [2019, -3, 0.5, '007', '1e3']
    """
    if cell[:1] not in _DIGITS:
        return cell
    if _WHOLE.fullmatch(cell):
        return int(cell)
    return float(cell) if _DECIMAL.fullmatch(cell) else cell
