"""CSV as rows of cells: each by itself, so that a bad one costs no other."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sdtext.reading.records.lines import MAX_LINE

_LIMIT = re.compile(r"field larger than field limit \((\d+)\)")
UNCLOSED = "begins a quoted cell that is never closed, so rows after it cannot be told apart"


@dataclass
class _Scan:
    """Whether a cell in quotes is open at the end of each line, by what csv takes for one.

    A quote begins a cell only where a cell begins, and two in it are one that is said.
    """

    delimiter: str
    opened: int = 0
    _cell: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        ends = f"{re.escape(self.delimiter)}\r\n"
        quoted = '"[^"]*(?:""[^"]*)*(?P<end>"?)'
        self._cell = re.compile(rf"(?:\A|[{ends}])(?:{quoted})?[^{ends}]*")

    def line(self, number: int, line: str) -> None:
        """Go over a line: `opened` is then the number of that where the open cell begins, or 0."""
        if '"' not in line:
            return
        begun = '"' * bool(self.opened) + line
        last = deque(self._cell.finditer(begun), maxlen=1)[0]
        if last["end"] != "":  # it is no cell in quotes, or one that ends
            self.opened = 0
        elif not (self.opened and last.start() == 0):
            self.opened = number


def rows_of(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    r"""The rows with the numbers of the lines they begin in; in place of a bad one, what is wrong.

    >>> [*rows_of(["a,b\n", '1,"2\n', '3"\n', '4,"5\n', "6\n"], ",")][:2]
    [(1, ['a', 'b']), (2, ['1', '2\n3'])]
    """
    scan = _Scan(delimiter)
    held: list[str] = []
    first, size = 1, 0
    for number, line in enumerate(lines, 1):
        scan.line(number, line)
        size += len(line)
        if size <= MAX_LINE:
            held.append(line)
        if not scan.opened:
            yield first, _cells(held, delimiter) if size <= MAX_LINE else _too_long()
            held, first, size = [], number + 1, 0
    if scan.opened:
        yield scan.opened, UNCLOSED


def _cells(lines: list[str], delimiter: str) -> list[str] | str:
    try:
        return next(csv.reader(lines, delimiter=delimiter))
    except csv.Error as error:
        limit = _LIMIT.search(str(error))
        return f"has a cell of more than {limit[1]} characters" if limit else str(error)


def _too_long() -> str:
    return f"is longer than {MAX_LINE >> 20} MB"
