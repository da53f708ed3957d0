"""Tables of results as HTML, which notebooks show: `_repr_html_`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_SHOWN = 20
_DIGITS = 4
_LONGEST = 200  # characters of a cell


def html_table(caption: str, columns: Sequence[str], rows: Sequence[Iterable[object]]) -> str:
    """A table of the first rows under a caption, with everything escaped.

    >>> html_table("1 row", ["name"], [["<b>"]])
    '<table><caption>1 row</caption><tr><th>name</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    more = len(rows) - _SHOWN
    lines = [_row("th", columns), *(_row("td", map(_cell, row)) for row in rows[:_SHOWN])]
    if more > 0:
        lines.append(f'<tr><td colspan="{len(columns)}">… {more:,} more</td></tr>')
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.{_DIGITS}f}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
