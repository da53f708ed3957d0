"""Rows as a table for people, no wider than the terminal."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from sdtext.errors import printable
from sdtext.model.calibration import as_percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_PATHS = (
    *("path", "fingerprint", "document", "left", "right", "query", "root", "source"),
    *("copy", "original", "kept", "duplicate", "covered_by", "record", "item"),
)
"""Columns of names of files, and of records, of which the folders may be shortened."""

_ARCHIVE = re.compile(r".*\.\w+!")
"""The beginning of a part of a path up to the mark after the name of an archive."""

_UNBROKEN = ("left_place", "right_place")
"""Columns of text that has no place to break at."""

_DISPENSABLE = (
    *(("digest",), ("verbatim",), ("words",), ("sources",), ("a", "b"), ("common",)),
    *(("left_place", "right_place"), ("left_id", "right_id"), ("right_place",), ("detections",)),
)
"""Columns of any rows that are left out where names of files would be cut, the first ones first.

Other formats have them. Those by which alone two rows differ stay.
"""

_BELOW = ("shared_terms", "members", "options", "problem", "text", "kept_text", "passage")
"""Columns that stand below their row, on lines of their own."""

_CHANCE = "chance"
"""The column that stands there only where it has no room on one line."""

_SHARES = ("boilerplate", "copies_found")
_SIMILARITIES = ("similarity", "weakest", "mean")
_RATES = ("rate", "observed", "at_most")
"""Columns of percentages, besides those that are called a share."""

_GAP, _EDGES, _STEP = 2, 2, 4
_INDENT = 4
_IN_ROWS = ("path", "document", "score", "similarity", "passages")
"""Columns that stay in the rows even so: they are the result itself."""

_WRAPPED, _NARROW = 30, 12  # columns of text are wrapped at these widths, the second if need be
_LONG_WORD, _WORD = 40, 20  # words up to these widths stay whole, the second even if names do not


class Remark(str):
    """A cell of a column of paths that is none, such as "stands in 40 documents"."""

    __slots__ = ()


def table_of(
    columns: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    left_out_first: Sequence[Sequence[str]] = _DISPENSABLE,
) -> str:
    """The rows as a table: numbers to the right, shares as percentages.

    Columns without a value are left out. One with the same value throughout stands once above the
    table, unless it is the result itself: a document or its score. Where the terminal is too
    narrow, headers break at their underscores, text is wrapped, and folders are left out in the
    middle of paths. A path that is still too wide is folded after a slash. Names of files are kept,
    and headers whole: where there is no room, columns are left out in the order of
    `left_out_first`, which is that of the kind of rows, unless rows would look the same; a line
    below names them. Texts, shared terms and options of parts stand below their row, and chances if
    they have no room on one line. Without rows there is no table.
    """
    if not rows:
        return ""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    named = [name for name in columns if name not in _BELOW]
    above, laid_out = _laid_out(named, rows, console.width, left_out_first)
    if is_below := _is_wrapped(_CHANCE, laid_out, console.width):
        named.remove(_CHANCE)
        above, laid_out = _laid_out(named, rows, console.width, left_out_first)
    folders, laid_out = _without_folders(laid_out, console.width)
    above += folders
    kept, widths = _with_whole_names(laid_out, console.width, left_out_first)
    fitted = list(zip(kept, widths, strict=True))
    below = [
        [*(_chance_below(row, console) if is_below else ()), *_lines_below(row, console)]
        for row in rows
    ]
    with console.capture() as captured:
        for line in above:  # paths stay on one line, to be copied
            is_path = re.split("[,:]", line)[0] in _PATHS
            console.print(Text(line), soft_wrap=is_path)
        _print_table(console, fitted, below)
        if left_out := [column.name for column in laid_out if column not in kept]:
            line = f"no room for: {', '.join(left_out)}; --format tsv prints all columns"
            console.print(Text(line))
    return captured.get()


def _print_table(
    console: Console, columns: Sequence[tuple[_TableColumn, int]], below: Sequence[Sequence[str]]
) -> None:
    """Print columns of those widths; lines `below` a row stand under it."""
    from rich.padding import Padding
    from rich.text import Text

    paths = [path for column, _ in columns if column.name in _PATHS for path in column.cells]
    cells = list(zip(*(column.fitted(width, paths) for column, width in columns), strict=True))
    if not any(below):
        console.print(_table(columns, cells))
        return
    console.print(Padding(_table(columns, [], is_piece=True), (1, 0, 0, 1)))
    for row, lines in zip(cells, below, strict=True):
        part = _table(columns, [row], is_piece=True, show_header=False)
        console.print(Padding(part, (0, 0, 0, 1)))
        for line in lines:
            console.print(Text(" " * _INDENT + line), soft_wrap=True)
    console.print()


def _table(
    columns: Sequence[tuple[_TableColumn, int]],
    rows: Iterable[Iterable[str]],
    *,
    is_piece: bool = False,
    show_header: bool = True,
) -> Table:
    """The rows in columns of those widths, as a table or a piece of one, without edges."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, _GAP - 1, 0, 0),
        show_edge=not is_piece,
        show_header=show_header,
    )
    for column, width in columns:
        header = Text(_broken(column.name, width), no_wrap=True)
        table.add_column(header, width=width, overflow="fold", justify=column.justify)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _chance_below(row: Mapping[str, Any], console: Console) -> list[str]:
    """The chance of a row, on lines of their own."""
    from rich.text import Text

    text = f"{_CHANCE}: {row[_CHANCE]}" if row[_CHANCE] else ""
    return [line.plain for line in Text(text).wrap(console, console.width - _INDENT) if text]


def _lines_below(row: Mapping[str, Any], console: Console) -> list[str]:
    """The shared terms and the texts of a row, on lines of their own."""
    from rich.text import Text

    width = console.width - _INDENT
    terms, members, *names = _BELOW
    texts = [(name, _folded_blanks(row[name])) for name in names if row.get(name)]
    is_named = len(texts) > 1 or bool(row.get("options"))
    called = [f"{name}: {text}" if is_named else text for name, text in texts]
    shared = _joined(map(_shared_term, row.get(terms) or ()), width)
    wrapped = (
        line.plain for text in (*shared, *called) for line in Text(text).wrap(console, width)
    )
    listed = _joined(map(one_line, row.get(members) or ()), width)
    return [*(line for names in listed for line in fold_path(names, width)), *wrapped]


def cut_to_line(text: str) -> str:
    """A text for a line below a row: without line breaks, and with an ellipsis where it is cut."""
    from rich.console import Console
    from rich.text import Text

    line = Text(_folded_blanks(text))
    line.truncate(Console().width - _INDENT, overflow="ellipsis")
    return line.plain


def _folded_blanks(text: str) -> str:
    """A text on one line, with one blank for each run of white space."""
    return one_line(" ".join(text.split()))


def _shared_term(term: Mapping[str, Any]) -> str:
    """A shared term with its share.

    >>> _shared_term({"term": "hive", "share": 0.125})
    'hive 12.5 %'
    """
    return f"{one_line(term['term'])} {_floored(term['share'], 10):.1f} %"


def _joined(items: Iterable[str], width: int) -> list[str]:
    """Items with commas, on lines that break between items.

    >>> _joined(["a.txt", "b.txt", "c.txt"], 15)
    ['a.txt, b.txt,', 'c.txt']
    """
    from rich.cells import cell_len

    lines: list[str] = []
    for item in items:
        if lines and cell_len(f"{lines[-1]}, {item},") <= width:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return [*(f"{line}," for line in lines[:-1]), *lines[-1:]]


def for_people(name: str, value: object) -> str:
    """A value as a cell of a table; shares, similarities and rates are percentages.

    Shares and similarities are rounded down, rates to two significant digits.

    >>> for_people("left_share", 0.349), for_people("similarity", 0.4576), for_people("idf", 0.5)
    ('34 %', '45.7 %', '0.5000')
    >>> for_people("observed", 0.0045), for_people("metadata", {"year": 1912, "by": "Anna"})
    ('0.45 %', 'year: 1912, by: Anna')
    """
    if not isinstance(value, float):
        return one_line(_listed(value))
    if name.endswith("share") or name in _SHARES:
        return percent(value).replace("under ", "<")
    if name in _SIMILARITIES:
        return f"{_floored(value, 10):.1f} %"
    return as_percent(value) if name in _RATES else f"{value:.4f}"


def _listed(value: object) -> str:
    """A value as text; of an object its names and values, of a list its items."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {cell_text(item)}" for name, item in value.items())
    return ", ".join(map(cell_text, value)) if isinstance(value, list | tuple) else cell_text(value)


def percent(share: float) -> str:
    """A share from 0 to 1 as a percentage, rounded down: whole from 1 % on, else to a tenth.

    >>> percent(0.3499), percent(0.29), percent(0.0049), percent(0.0004), percent(0.0)
    ('34 %', '29 %', '0.4 %', 'under 0.1 %', '0 %')
    """
    tenths = _floored(share, 10)
    if tenths >= 1 or not share:
        return f"{int(tenths)} %"
    return f"{tenths:.1f} %" if tenths else "under 0.1 %"


def _floored(share: float, steps: int) -> float:
    """A share as a percentage, rounded down to so many steps in a per cent."""
    return int(100 * steps * share + 1e-9) / steps  # 100 × .29 is a little less than 29


def cell_text(value: object) -> str:
    """A value as text: nothing for None, JSON for what is no text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def one_line(text: str) -> str:
    """`text` on one line: characters that would break a row are escaped."""
    return text if text.isprintable() else printable(text.replace("\\", "\\\\"))


def _laid_out(
    columns: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    width: int,
    left_out_first: Sequence[Sequence[str]],
) -> tuple[list[str], list[_TableColumn]]:
    """A line for each value that all rows share, and the other columns that are not empty.

    Of a single row there are such lines for files alone, where others would be left out.
    """
    filled = [name for name in columns if any(not _is_empty(row.get(name)) for row in rows)]
    laid_out = [
        _TableColumn.of(
            name,
            [for_people(name, row.get(name)) for row in rows],
            is_number=all(isinstance(row.get(name), int | float | None) for row in rows),
        )
        for name in filled
    ]
    shared = [
        column for column in laid_out if column.name not in _IN_ROWS and len(set(column.cells)) == 1
    ]
    if len(rows) == 1:
        has_room = _with_whole_names(laid_out, width, left_out_first)[0] == laid_out
        shared = [column for column in shared if column.name in _PATHS and not has_room]
    if shared == laid_out:
        return [], laid_out
    above = [f"{column.name}: {column.cells[0]}" for column in shared]
    return above, [column for column in laid_out if column not in shared]


def _is_wrapped(name: str, columns: list[_TableColumn], width: int) -> bool:
    """Whether a terminal of `width` has no room for a column of that name without wrapped cells."""
    places = [place for place, column in enumerate(columns) if column.name == name]
    widths = _fitted_columns(columns, width)
    return any(widths[place] < columns[place].widths[0] for place in places)


def _is_empty(value: object) -> bool:
    return value is None or value in ("", {}, [])


def _room(width: int, columns: Sequence[_TableColumn]) -> int:
    """The width of all cells of a row on a terminal of `width`."""
    return width - _EDGES - _GAP * (len(columns) - 1)


def _widest_word(cells: Iterable[str], most: int) -> int:
    """The width of the widest word of up to `most`; Chinese and the like has no words.

    >>> _widest_word(["near-duplicate-nltk or shingles"], 40), _widest_word(["語言"], 40)
    (19, 0)
    """
    from rich.cells import cell_len

    words = (word for cell in set(cells) for word in cell.split() if len(word) <= most)
    return max((len(word) for word in words if cell_len(word) == len(word)), default=0)


@dataclass(frozen=True)
class _TableColumn:
    """A column: its cells, and its width at the most and at each stage of narrowing."""

    name: str
    cells: list[str]
    is_number: bool
    widths: Sequence[int]

    @classmethod
    def of(cls, name: str, cells: list[str], *, is_number: bool = False) -> _TableColumn:
        """The column with the widths that its cells need."""
        from rich.cells import cell_len

        header = max(map(cell_len, _pieces(name)))
        widest = max([header, *map(cell_len, cells)])
        natural = max(widest, cell_len(name))
        narrow = max(header, min(widest, _NARROW))
        wrapped = max(header, min(widest, _WRAPPED))
        if is_number or name in _UNBROKEN:
            stages = [widest] * 5
        elif name in _PATHS:
            paths = _paths_in(cells)
            least = max(_width_of_names(paths), narrow)
            names = _distinct_width(paths, least, widest)
            stages = [widest, names, names, narrow, header]
        else:
            words, narrow = (max(narrow, _widest_word(cells, most)) for most in (_LONG_WORD, _WORD))
            stages = [max(wrapped, words)] * 2 + [words, narrow, header]
        return cls(name, cells, is_number, [natural, *stages])

    @property
    def justify(self) -> Literal["left", "right"]:
        """Where the cells stand in the column."""
        return "right" if self.is_number else "left"

    def lines(self, width: int) -> int:
        """About how many lines the cells need at that width, paths without their folders."""
        return sum(number * -(-size // width) for size, number in self._sizes.items())

    @cached_property
    def _sizes(self) -> Counter[int]:
        from rich.cells import cell_len

        is_path = self.name in _PATHS
        cells = (shorten_path(cell, 0) for cell in self.cells) if is_path else self.cells
        return Counter(map(cell_len, cells))

    def is_wider(self, width: int) -> bool:
        """Whether a cell needs more than that width."""
        return self.widths[1] > width

    def below(self, folder: str) -> _TableColumn:
        """The column with its paths relative to `folder`, which ends in a slash."""
        if not folder:
            return self
        cells = [
            path if isinstance(path, Remark) else path.removeprefix(folder) for path in self.cells
        ]
        return _TableColumn.of(self.name, cells)

    def fitted(self, width: int, paths: Iterable[str]) -> list[str]:
        """The cells; paths that are wider than the column with shorter folders, or folded.

        They stay different from all `paths` of the table.
        """
        if self.name not in _PATHS:
            return self.cells
        shortened = _distinctly_shortened([*self.cells, *paths], width)
        return ["\n".join(fold_path(shortened[path], width)) for path in self.cells]


def _without_folders(
    columns: list[_TableColumn], width: int
) -> tuple[list[str], list[_TableColumn]]:
    """A line for each folder that all paths of a column are in, and the columns without them.

    Where all columns have room, they stay as they are. Where one has none, no other column repeats
    the folder of its paths, either.
    """
    widths = _fitted_columns(columns, width)
    narrowed = [
        column for column, cells in zip(columns, widths, strict=True) if column.is_wider(cells)
    ]
    if not any(map(_folder, narrowed)):
        return [], columns
    folders = dict(filter(all, ((column.name, _folder(column)) for column in columns)))
    lines = [
        f"{', '.join(name for name in folders if folders[name] == folder)}: in {folder}"
        for folder in dict.fromkeys(folders.values())
    ]
    return lines, [column.below(folders.get(column.name, "")) for column in columns]


def _folder(column: _TableColumn) -> str:
    """The folder that all paths of a column are in, with a slash at its end; "" for none."""
    paths = _paths_in(column.cells) if column.name in _PATHS else []
    return common_folder(paths) if paths else ""


def _distinctly_shortened(paths: Iterable[str], width: int) -> dict[str, str]:
    """Different paths, each as short as fits on the fewest lines that tell it from the others.

    >>> letters = ["letters/of/a/king/1912/a.txt", "letters/of/a/king/1913/a.txt"]
    >>> list(_distinctly_shortened(letters, 7).values())
    ['…/1912/a.txt', '…/1913/a.txt']
    """
    shortened: dict[str, str] = {}
    ambiguous, lines = dict.fromkeys(paths), 1
    while ambiguous:
        shortened |= {path: shorten_path(path, lines * width) for path in ambiguous}
        known = Counter(shortened.values())
        ambiguous = {
            path: None
            for path in ambiguous
            if known[shortened[path]] > 1 and shortened[path] != path
        }
        lines += 1
    return shortened


def _paths_in(cells: Iterable[str]) -> list[str]:
    """The cells that are paths: neither empty nor remarks."""
    return [cell for cell in cells if cell and not isinstance(cell, Remark)]


def common_folder(paths: Sequence[str]) -> str:
    """The folder that all paths are in, with a slash at its end; "" for none.

    >>> common_folder(["essays/a.txt", "essays/b.txt"]), common_folder(["a.txt", "x/b.txt"])
    ('essays/', '')
    """
    same = takewhile(lambda pair: pair[0] == pair[1], zip(min(paths), max(paths), strict=False))
    common = "".join(char for char, _ in same)
    return common[: common.rfind("/") + 1]


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Names of files without folders, but with those that tell files of one name apart.

    >>> distinct_names(["b/essays/a.txt", "c/essays/a.txt", "c/essays/d.txt", "a.txt"])
    ['b/essays/a.txt', 'c/essays/a.txt', 'd.txt', 'a.txt']
    """
    parts = {path: path.rstrip("/").split("/") for path in paths}
    names: dict[str, str] = {}
    ambiguous, depth = set(parts), 1
    while ambiguous:
        names |= {path: "/".join(parts[path][-depth:]) for path in ambiguous}
        known = Counter(names[path] for path in ambiguous)
        longer = (path for path in ambiguous if len(parts[path]) > depth)
        ambiguous = {path for path in longer if known[names[path]] > 1}
        depth += 1
    return [names[path] for path in paths]


def _distinct_width(paths: Sequence[str], least: int, most: int) -> int:
    """The width from which on different paths stay different when they are shortened."""
    ambiguous = sorted(set(paths))
    for width in range(least, most, _STEP):
        shortened = {path: shorten_path(path, width) for path in ambiguous}
        known = Counter(shortened.values())
        ambiguous = [path for path in ambiguous if known[shortened[path]] > 1]
        if not ambiguous:
            return width
    return most


def _width_of_names(paths: Sequence[str]) -> int:
    """The width of the longest name of a file, with that of its archive, and `…/` for a folder."""
    from rich.cells import cell_len

    widths = (cell_len(shorten_path(path, 0)) + 2 * ("/" in path) for path in paths)
    return max(widths, default=0)


def _pieces(name: str) -> list[str]:
    """The pieces of a column's name that stay together.

    >>> _pieces("left_share")
    ['left_', 'share']
    """
    *first, last = name.split("_")
    return [*(f"{piece}_" for piece in first), last]


def _broken(name: str, width: int) -> str:
    """A column's name on as many lines as it needs."""
    if len(name) <= width:
        return name
    lines = [""]
    for piece in _pieces(name):
        if lines[-1] and len(lines[-1] + piece) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _with_whole_names(
    columns: list[_TableColumn], width: int, left_out_first: Sequence[Sequence[str]]
) -> tuple[list[_TableColumn], list[int]]:
    """The columns that a terminal of `width` has room for, with the widths of their cells."""
    widths = _fitted_columns(columns, width)
    is_cut = any(
        column.name in _PATHS and column.widths[2] > cells
        for column, cells in zip(columns, widths, strict=True)
    )
    is_cut = is_cut or sum(widths) > _room(width, columns)  # headers would break within words
    smaller = (_without(columns, names) for names in left_out_first)
    if is_cut and (others := next(filter(None, smaller), None)):
        return _with_whole_names(others, width, left_out_first)
    return columns, widths


def _without(columns: list[_TableColumn], names: Sequence[str]) -> list[_TableColumn] | None:
    """The other columns; None if there are no columns of these names, or rows look the same."""
    others = [column for column in columns if column.name not in names]
    if len(others) == len(columns) or _different_rows(others) < _different_rows(columns):
        return None
    return others


def _different_rows(columns: Sequence[_TableColumn]) -> int:
    return len(set(zip(*(column.cells for column in columns), strict=True)))


def _fitted_columns(columns: Sequence[_TableColumn], width: int) -> list[int]:
    """The widths of the columns of a table on a terminal of `width`."""
    stages = [column.widths for column in columns]
    return _fitted(stages, _room(width, columns), [column.lines for column in columns])


def _fitted(
    stages: Sequence[Sequence[int]],
    room: int,
    lines: Sequence[Callable[[int], int]],
) -> list[int]:
    """The widths of columns, which are narrowed one by one as far as each stage allows.

    `lines` gives the number of lines of each column at a width. First comes the column that needs
    the fewest more of these for the width that it gives up, of several the widest.

    >>> one, three = (lambda width: 1), (lambda width: -(-40 // width))
    >>> stages = [[5, 5, 5], [40, 20, 10]]
    >>> _fitted(stages, 30, [one, three]), _fitted(stages, 18, [one, three])
    ([5, 25], [5, 13])
    """
    if not stages:
        return []
    widths = [min(column[0], max(room, column[-1])) for column in stages]
    for least in zip(*stages, strict=True):
        while sum(widths) > room:
            excess = sum(widths) - room
            wide = [place for place, width in enumerate(widths) if width > least[place]]
            if not wide:
                break
            steps = {
                place: _cheapest_step(
                    lines[place], widths[place], min(excess, widths[place] - least[place])
                )
                for place in wide
            }
            place = min(wide, key=lambda each: (steps[each][0], -widths[each]))
            widths[place] -= steps[place][1]
    return widths


def _cheapest_step(lines: Callable[[int], int], width: int, most: int) -> tuple[float, int]:
    """How many more lines a column has for each cell it is narrower by, and by how many cells.

    Of 1 to `most` cells that is the number with the fewest such lines, of several the least.

    >>> _cheapest_step(lambda width: -(-40 // width), 20, 10)
    (0.16666666666666666, 6)
    """
    now = lines(width)
    return min(((lines(width - cells) - now) / cells, cells) for cells in range(1, most + 1))


def shorten_path(path: str, width: int) -> str:
    """A path with as many of its folders as fit, first those next to the file; its name is kept.

    >>> shorten_path("/home/anna/case/disk/letters/a.txt", 24)
    '/…/disk/letters/a.txt'
    >>> shorten_path("letters/a.txt", 24), shorten_path("letters/of/1912/a.txt", 8)
    ('letters/a.txt', '…/a.txt')
    >>> shorten_path("backup/old.zip!letters/of/1912/a.txt", 24)  # of an archive, its name, too
    '…/old.zip!…/a.txt'
    """
    from rich.cells import cell_len

    *folders, name = path.split("/")
    if cell_len(path) <= width or not folders:
        return path
    places = [place for place, folder in enumerate(folders) if _ARCHIVE.match(folder)]
    if places and (archive := _ARCHIVE.match(folders[places[-1]])):
        inside = "/".join([*folders[places[-1] :], name])
        name = inside if cell_len(f"…/{inside}") <= width else f"{archive[0]}…/{name}"
        folders = folders[: places[-1]]
    shortened = name
    for kept in range(len(folders)):
        head, tail = folders[: kept // 2], folders[len(folders) - (kept + 1) // 2 :]
        text = "/".join([*head, "…", *tail, name])
        if cell_len(text) > width:
            break
        shortened = text
    return shortened


def fold_path(path: str, width: int) -> list[str]:
    """A path on lines of `width`: folded after a slash, or else after a hyphen, `_` or blank.

    A name without any is cut before its extension, which stays whole where it fits, or, if it is
    wider than that, anywhere.

    >>> fold_path("documents/berths.xlsx", 20), fold_path("minutes-of-may.docx", 12)
    (['documents/', 'berths.xlsx'], ['minutes-of-', 'may.docx'])
    >>> fold_path("Peters_Jana.docx", 15), fold_path("observatory.docx", 13)
    (['Peters_', 'Jana.docx'], ['observatory', '.docx'])
    """
    from rich.cells import cell_len

    lines = [""]
    for piece in _pieces_of_path(path, width):
        if lines[-1] and cell_len(lines[-1] + piece) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def _pieces_of_path(path: str, width: int) -> list[str]:
    """The pieces of a path that stay together: folders and name, or parts of what is too wide."""
    from rich.cells import cell_len, chop_cells

    *folders, name = re.split(r"(?<=/)", path)
    pieces = [part for folder in folders for part in _parts_of_name(folder, width)]
    extension = PurePosixPath(name).suffix
    if cell_len(name) <= width or cell_len(extension) > width:
        return [*pieces, *_parts_of_name(name, width)]
    *parts, part = _parts_of_name(name.removesuffix(extension), width - cell_len(extension))
    *cut, last = chop_cells(part, width) if cell_len(part) > width else [part]
    ending = [last + extension] if cell_len(last + extension) <= width else [last, extension]
    return [*pieces, *parts, *cut, *ending]


def _parts_of_name(name: str, width: int) -> list[str]:
    """The name, or where it is too wide, its parts that end with a hyphen, `_` or blank."""
    from rich.cells import cell_len

    return [name] if cell_len(name) <= width else re.findall(r"[^-_ ]*[-_ ]|[^-_ ]+$", name)
