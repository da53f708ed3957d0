"""How results show themselves: `repr` on a few lines, and tables of HTML in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import Field, fields
from html import escape
from typing import Any, ClassVar, Protocol, TypeVar

from sdtext.errors import brief

_SHOWN = 20
_DIGITS = 4
_LONGEST = 200  # characters of a cell


class ShortFields:
    """Shows each field of a dataclass, which sets `repr=False`, in some 60 characters.

    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Titles(ShortFields):
    ...     number: int
    ...     titles: list[str]
    >>> Titles(1000, ["bees dance"] * 1000)
    Titles(number=1000, titles=['bees dance', 'bees dance', 'bees dance', 'bees dance', 'be…)
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __repr__(self) -> str:
        shown = (f"{field.name}={brief(getattr(self, field.name))}" for field in fields(self))
        return f"{type(self).__name__}({', '.join(shown)})"


class Dataclass(Protocol):
    """Any dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


_Item = TypeVar("_Item", bound=Dataclass)


def html_table(
    caption: str, columns: Sequence[str], rows: Sequence[Iterable[object]], shown: int = _SHOWN
) -> str:
    """A table of the first `shown` rows under a caption, with everything escaped.

    >>> html_table("1 row", ["name"], [["<b>"]])
    '<table><caption>1 row</caption><tr><th>name</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    more = len(rows) - shown
    lines = [_row("th", columns), *(_row("td", map(_cell, row)) for row in rows[:shown])]
    if more > 0:
        lines.append(f'<tr><td colspan="{len(columns)}">… {more:,} more</td></tr>')
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>"


class TableList(list[_Item]):
    """A list of one kind of dataclass that notebooks show as a table."""

    def _repr_html_(self) -> str:
        columns = [field.name for field in fields(self[0])] if self else []
        rows = [[getattr(item, name) for name in columns] for item in self]
        kind = type(self[0]).__name__ if self else "list"
        return html_table(f"{len(self)} × {kind}", columns, rows, shown=len(self))


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.{_DIGITS}f}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
