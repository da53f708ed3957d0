"""CSV and TSV: rows of cells, of which the first names the columns."""

import codecs
import csv
import re
from collections.abc import Container, Iterator
from contextlib import suppress
from io import StringIO
from itertools import chain
from typing import NamedTuple

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.reading.records.json_records import MAX_LINE, Row, SkippedLines
from sdtext.text.encoding import decoded, find_encoding, is_binary
from sdtext.wording import shown

UNCLOSED = "begins a quoted cell that is never closed, so the rows after it cannot be separated"
_CUT = "unexpected end of data"  # what the module csv says of it
_DELIMITERS = ",;\t"
_ESCAPED = re.compile("[\udc80-\udcff]")
_DIGITS = frozenset("-0123456789")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,11})\.[0-9]{1,6}")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_PIECE = 1 << 20  # characters


class Header(NamedTuple):
    """The columns of a table: their names, and the sign between the cells of a row."""

    names: tuple[str, ...]
    delimiter: str


def header_of(content: Content, delimiter: str = "", encoding: str = "") -> Header:
    """The header of a file; the delimiter is detected if none is given.

    Raises UnreadableError where there is none, or it does not tell the columns apart.
    """
    first = next(StringIO(next(_decoded(content, encoding), ""), newline=""), "")
    if is_binary(first):
        raise UnreadableError("is binary data, not text", file=content.name)
    sign = delimiter or _best_delimiter(first)
    cells = next((cells for _, _, cells in _rows(content, encoding, sign)), list[str]())
    if isinstance(cells, str):
        raise UnreadableError(f"line 1: {cells}", file=content.name)
    if not any(cell.strip() for cell in cells):
        raise UnreadableError("its first line does not name the columns", file=content.name)
    names = [cell.strip() or f"column {number}" for number, cell in enumerate(cells, 1)]
    for place, name in enumerate(names):
        if name in names[:place]:
            what = f"has two columns called {shown(name[:100])!r}"
            raise UnreadableError(what, file=content.name)
    return Header(tuple(names), sign)


def table_rows(
    content: Content, header: Header, left_out: SkippedLines, encoding: str = ""
) -> Iterator[tuple[int, Row]]:
    """The rows after the header, by the names of the columns, with the numbers of their lines.

    All cells are texts. Rows that are no such go to `left_out`. Raises UnreadableError.
    """
    names, count = header.names, len(header.names)
    rows = _rows(content, encoding, header.delimiter)
    next(rows, None)
    for number, lines, cells in rows:
        if isinstance(cells, str):
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
    for number, lines, _ in _rows(content, encoding, header.delimiter):
        if number not in numbers:
            kept += lines
            size += sum(map(len, lines))
            if size > _PIECE:
                yield "".join(kept).encode("utf-8", "surrogateescape")
                kept, size = [], 0
    yield "".join(kept).encode("utf-8", "surrogateescape")


def _rows(
    content: Content, encoding: str, delimiter: str
) -> Iterator[tuple[int, list[str], list[str] | str]]:
    """Each row: the number of its first line, its lines, and its cells or why it has none."""
    # The module csv has one limit of cells for all its users, 131,072 characters at first.
    csv.field_size_limit(max(csv.field_size_limit(), 2 * MAX_LINE))
    rest, number = "", 1
    for block in chain(_decoded(content, encoding), [""]):
        text = rest + block
        end = len(text)
        if block:
            end = text.rfind("\n") + 1 or text.rfind("\r", 0, -1) + 1  # maybe half an end is last
        lines = StringIO(text[:end], newline="").readlines()
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        begin = 0
        while begin < len(lines):
            cells: list[str] | str
            try:
                cells = next(reader)
            except csv.Error as error:
                cells = str(error)
                if cells == _CUT and block:
                    break
                cells = UNCLOSED if cells == _CUT else cells
            stop = reader.line_num
            yield number + begin, lines[begin:stop], cells
            begin = stop
        number += begin
        rest = "".join(lines[begin:]) + text[end:]
        if len(rest) > MAX_LINE:
            what = f"line {number} is or begins a row that is longer than {MAX_LINE >> 20} MB"
            raise UnreadableError(f"{what}; only the rows before it are read", file=content.name)


def _damage(lines: list[str]) -> str:
    for line in lines:
        if "\0" in line:
            return "holds a NUL byte"
        if not line.isascii() and _ESCAPED.search(line):
            return "is not UTF-8; name its encoding"
    return ""


def _decoded(content: Content, encoding: str) -> Iterator[str]:
    """The text in blocks; bytes that are not UTF-8, if it is that, are escaped."""
    name = encoding or encoding_of(content)
    errors = "surrogateescape" if name == "utf-8" else find_encoding(content).errors
    return filter(None, decoded(content, name, errors))


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
