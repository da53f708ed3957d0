"""Rows as a table for people, no wider than the terminal."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sdtext.reports.readable_values import for_people, one_line, shorten_path

_PATHS = (
    *("path", "fingerprint", "document", "left", "right", "query", "root", "source"),
    *("copy", "original", "kept", "duplicate", "record", "item"),
)
"""Columns of names of files, and of records, of which the folders may be shortened."""
_BELOW = ("shared_terms", "members", "options", "problem", "text", "kept_text", "passage", "chance")
"""Columns that stand below their row, on lines of their own."""
_IN_ROWS = ("path", "document", "score", "similarity", "passages")
"""Columns that stay in the rows where all values are equal: they are the result itself."""
_OPTIONAL = (
    *(("digest",), ("verbatim",), ("words",), ("sources",), ("a", "b"), ("common",)),
    *(("left_place", "right_place"), ("left_id", "right_id"), ("detections",)),
    *(("precision",), ("f1",), ("average_precision",), ("plateau",)),
)
"""Columns that are left out where there is no room, the first ones first."""

INDENT, _GAP = 4, 2
_LEAST_NAME, _LEAST_TEXT = 30, 20  # names of files and words of up to these widths stay whole

Row = Mapping[str, Any]


def table_of(
    columns: Sequence[str], rows: Sequence[Row], left_out_first: Sequence[Sequence[str]] = _OPTIONAL
) -> str:
    """The rows as a table; "" without rows.

    Empty columns are left out, one with the same value everywhere stands above. Where the terminal
    is too narrow, paths lose folders and text is folded, then columns are left out in the order of
    `left_out_first`.
    """
    if not rows:
        return ""
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console()
    cells = {
        name: [for_people(name, row.get(name)) for row in rows]
        for name in columns
        if name not in _BELOW and any(row.get(name) not in (None, "", {}, []) for row in rows)
    }
    constant = [n for n in cells if len(rows) > 1 and n not in _IN_ROWS and len({*cells[n]}) == 1]
    above = {n: cells.pop(n)[0] for n in constant} if len(constant) < len(cells) else {}
    numbers = {n for n in cells if all(isinstance(row.get(n), int | float | None) for row in rows)}
    least = {name: _least_width(name, texts, name in numbers) for name, texts in cells.items()}
    left_out: list[str] = []
    for names in left_out_first:
        if sum(least.values()) + _GAP * len(least) > console.width:
            left_out += [name for name in names if least.pop(name, 0)]
    widths = {name: max(len(name), *map(cell_len, cells[name])) for name in least}
    while sum(widths.values()) + _GAP * len(widths) > console.width:
        wide = [name for name in widths if widths[name] > least[name]] or list(widths)
        widths[max(wide, key=widths.__getitem__)] -= 1
    paths = [path for name in widths if name in _PATHS for path in cells[name]]
    shown = [
        _shortened(cells[name], width, paths) if name in _PATHS else cells[name]
        for name, width in widths.items()
    ]
    cells_of_rows = list(zip(*shown, strict=True))
    below = [_lines_below(row, columns) for row in rows]
    pieces = [(cells_of_rows, list[str]())]
    if any(below):
        pieces = [([row], lines) for row, lines in zip(cells_of_rows, below, strict=True)]
    with console.capture() as captured:
        for name, text in above.items():  # paths stay on one line, to be copied
            console.print(Text(f"{name}: {text}"), soft_wrap=name in _PATHS)
        console.print()
        for number, (some, lines) in enumerate(pieces):
            piece = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
            piece.show_header = number == 0
            for name, width in widths.items():  # a name that is too wide is cut behind underscores
                head = Text(name if len(name) <= width else name.replace("_", "_\n"), no_wrap=True)
                side: Literal["left", "right"] = "right" if name in numbers else "left"
                piece.add_column(head, width=width, overflow="fold", justify=side)
            for row in some:
                piece.add_row(*map(Text, row))
            console.print(Padding(piece, (0, 0, 0, 1)))
            for line in lines:
                console.print(Padding(Text(line), (0, 0, 0, INDENT)))
        console.print()
        if left_out:
            names = ", ".join(left_out)
            console.print(Text(f"no room for: {names}; --format tsv prints all columns"))
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _least_width(name: str, cells: Sequence[str], is_number: bool) -> int:  # noqa: FBT001
    from rich.cells import cell_len

    header = max(map(len, name.replace("_", "_ ").split()))
    if is_number or name.endswith("_place"):
        return max(header, *map(cell_len, cells))
    most, words = _LEAST_TEXT, {*" ".join(cells).split()}
    if name in _PATHS:
        most, words = _LEAST_NAME, {shorten_path(cell, 0).removeprefix("…/") for cell in cells}
    return max([header, *(min(most, cell_len(word)) for word in words)])


def _shortened(cells: Sequence[str], width: int, paths: Iterable[str]) -> list[str]:
    """Paths with shorter folders, but whole where two of a table would look the same."""
    short = {path: shorten_path(path, width) for path in paths}
    known = Counter(short.values())
    return [short[path] if known[short[path]] == 1 else path for path in cells]


def _lines_below(row: Row, columns: Iterable[str]) -> list[str]:
    """The texts and lists of a row; several with their names."""
    lines = {}
    for name in _BELOW:
        value = row.get(name) if name in columns else None
        if name == "shared_terms" and value:
            value = [f"{item['term']} {for_people('similarity', item['share'])}" for item in value]
        if value:
            items = value if isinstance(value, list | tuple) else [value]
            lines[name] = ", ".join(one_line(" ".join(str(item).split())) for item in items)
    is_named = len(lines) > 1 or not {"options", "chance"}.isdisjoint(lines)
    return [f"{name}: {line}" if is_named else line for name, line in lines.items()]
