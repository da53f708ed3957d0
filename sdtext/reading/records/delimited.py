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
from itertools import chain
from threading import Lock

from sdtext.errors import UnreadableError, shown
from sdtext.io.decompressed_content import Content
from sdtext.reading.records.json_records import MAX_LINE, Row, SkippedLines
from sdtext.text.encoding import decoded, find_encoding, is_binary

UNCLOSED = "begins a quoted cell that is never closed, so the rows after it cannot be separated"
_DELIMITERS = ",;\t"
_ESCAPED = re.compile("[\udc80-\udcff]")
_LONG_CELLS = Lock()
_DIGITS = frozenset("-0123456789")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,11})\.[0-9]{1,6}")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_ENDS = ("\n", "\r")
_PIECE = 1 << 20


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
        lines = _lines(content, encoding)
        first = next(lines, "")
        if is_binary(first):
            raise UnreadableError("is binary data, not text", file=content.name)
        sign = delimiter or best_delimiter(first)
        _, cells = next(csv_rows(chain([first], lines), sign), (1, list[str]()))
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
    rows = _split_rows(_pieces(content, encoding), header.delimiter)
    next(rows, None)
    for number, cells in rows:
        if isinstance(cells, str):
            left_out.add(number, cells)
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
    for chunk in _chunks(_pieces(content, encoding), header.delimiter):
        if chunk.rest is None:
            yield _escaped(chunk.without(numbers))
            continue
        for first, line, _ in _placed_lines(chunk.rest, header.delimiter):
            if chunk.number + first - 1 not in numbers:
                yield _escaped(line)


def _escaped(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class _Chunk:
    """Lines of a text, of which the first has that number, split into `rows`.

    Each row is the half-open range of its lines and its cells. After them the text goes on with
    the line `stop`. It `is_clean` if it is ASCII without NUL. Of a text with a row that is too long
    to be held, the `rest` is not split.
    """

    number: int
    lines: list[str] = field(default_factory=list)
    rows: list[tuple[int, int, list[str] | str]] = field(default_factory=list)
    is_clean: bool = False
    rest: Iterator[str] | None = None

    @property
    def stop(self) -> int:
        return self.rows[-1][1] if self.rows else 0

    def without(self, numbers: Container[int]) -> str:
        """The text of the rows but those that begin in these lines."""
        kept, begin = [], 0
        for start, stop, _ in self.rows:
            if self.number + start in numbers:
                kept += self.lines[begin:start]
                begin = stop
        return "".join([*kept, *self.lines[begin : self.stop]])


def _chunks(pieces: Iterable[str], delimiter: str) -> Iterator[_Chunk]:
    """A text in chunks of whole rows; the last row, and what is not closed, comes as a `rest`."""
    rest = iter(pieces)
    held, number = "", 1
    for piece in rest:
        held += piece
        if len(held) > MAX_LINE + _PIECE:
            break
        if held.endswith(_ENDS):
            lines = StringIO(held, newline="").readlines()
            is_clean = held.isascii() and "\0" not in held
            chunk = _Chunk(number, lines, [*_rows_in_lines(lines, delimiter)], is_clean)
            yield chunk
            number += chunk.stop
            held = "".join(lines[chunk.stop :])
    left = chain.from_iterable(StringIO(each, newline="") for each in chain([held], rest))
    yield _Chunk(number, rest=left)


def _split_rows(pieces: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """The rows of a text with the numbers of their first lines; for a bad one, the reason."""
    for chunk in _chunks(pieces, delimiter):
        for start, _, cells in chunk.rows:
            yield chunk.number + start, cells if chunk.is_clean else _damage(cells) or cells
        for first, cells in csv_rows(chunk.rest or (), delimiter):
            yield chunk.number + first - 1, _damage(cells) or cells


def _rows_in_lines(lines: list[str], delimiter: str) -> Iterator[tuple[int, int, list[str] | str]]:
    """The rows that end within these lines, each with the half-open range of its lines."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    start = 0
    with suppress(csv.Error):
        for cells in reader:
            yield start, reader.line_num, cells
            start = reader.line_num
    begin, stop = start, start
    for _, _, opened in _placed_lines(lines[start:], delimiter):
        stop += 1
        if not opened:
            row = lines[begin:stop]
            is_long = sum(map(len, row)) > MAX_LINE
            yield begin, stop, _too_long() if is_long else _cells(row, delimiter)
            begin = stop


def _damage(cells: list[str] | str) -> str:
    """Why the cells of a row cannot be used; "" if they can."""
    if isinstance(cells, str):
        return cells
    joined = "".join(cells)
    if "\0" in joined:
        return "holds a NUL byte"
    if not joined.isascii() and _ESCAPED.search(joined):
        return "is not UTF-8; name its encoding"
    return ""


def _pieces(content: Content, encoding: str) -> Iterator[str]:
    """A text in pieces of whole lines, with their ends; of UTF-8, other bytes are escaped.

    A line above `MAX_LINE` comes in several pieces, of which only the last has the end of a line.
    """
    name = encoding or encoding_of(content)
    errors = "surrogateescape" if name == "utf-8" else find_encoding(content).errors
    held = ""
    for block in decoded(content, name, errors):
        text = held + block
        end = text.rfind("\n") + 1 or text.rfind("\r", 0, -1) + 1  # the last may be half an end
        if not end and len(text) > MAX_LINE:
            end = len(text) - 1
        held = text[end:]
        yield text[:end]
    yield held


def _lines(content: Content, encoding: str) -> Iterator[str]:
    """The lines of a text, as `_pieces` has them."""
    for piece in _pieces(content, encoding):
        yield from StringIO(piece, newline="")


def encoding_of(content: Content) -> str:
    """The encoding of a table: UTF-8 if its first block is, else that of the whole text."""
    first = next(content.blocks(), b"")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(first)
    except UnicodeDecodeError:
        return find_encoding(content).name
    return find_encoding(content).name if b"\x00" in first else "utf-8"


def best_delimiter(header: str) -> str:
    """The sign that parts a header into the most columns.

    >>> best_delimiter("id;text, as it was;year")
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
    opened: int = 0
    _cell: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        ends = f"{re.escape(self.delimiter)}\r\n"
        quoted = '"[^"]*(?:""[^"]*)*(?P<end>"?)'
        self._cell = re.compile(rf"(?:\A|[{ends}])(?:{quoted})?[^{ends}]*")

    def line(self, number: int, line: str) -> None:
        """Read a line; `opened` is then the number of the line where the open cell begins, or 0."""
        if '"' not in line:
            return
        begun = '"' * bool(self.opened) + line
        last = deque(self._cell.finditer(begun), maxlen=1)[0]
        if last["end"] != "":  # the cell is not quoted, or it is closed
            self.opened = 0
        elif not (self.opened and last.start() == 0):
            self.opened = number


def csv_rows(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    r"""The rows with the numbers of their first lines; for a bad one, the reason instead.

    A quoted cell that goes on after its closing quote is bad, too.

    >>> [*csv_rows(["a,b\n", '1,"2\n', '3"\n', '4,"5\n', "6\n"], ",")][:2]
    [(1, ['a', 'b']), (2, ['1', '2\n3'])]
    """
    held: list[str] = []
    size = opened = 0
    for first, line, opened in _placed_lines(lines, delimiter):
        size += len(line)
        if size <= MAX_LINE:
            held.append(line)
        if not opened:
            yield first, _cells(held, delimiter) if size <= MAX_LINE else _too_long()
            held, size = [], 0
    if opened > 0:
        yield opened, UNCLOSED
    elif held:
        yield first, _cells(held, delimiter) if size <= MAX_LINE else _too_long()


def _placed_lines(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, str, int]]:
    """Each line, after the number of the first line of its row.

    The third is the number of the line where the cell begins that is open at its end; -1 if the
    line itself goes on, and 0 where the row ends.
    """
    scan = _QuoteScanner(delimiter)
    first = number = 1
    for line in lines:
        scan.line(number, line)
        is_ended = line.endswith(_ENDS)
        opened = scan.opened or (0 if is_ended else -1)
        yield first, line, opened
        number += is_ended
        if not opened:
            first = number


def _cells(lines: list[str], delimiter: str) -> list[str] | str:
    """The cells of a row, or why it has none.

    The module csv has one limit of cells for all its users, above which a row is read alone.
    """
    if sum(map(len, lines)) <= csv.field_size_limit():
        return _read_cells(lines, delimiter)
    with _LONG_CELLS:
        limit = csv.field_size_limit(MAX_LINE)
        try:
            return _read_cells(lines, delimiter)
        finally:
            csv.field_size_limit(limit)


def _read_cells(lines: list[str], delimiter: str) -> list[str] | str:
    try:
        return next(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        return str(error)


def _too_long() -> str:
    return f"is longer than {MAX_LINE >> 20} MB"


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
