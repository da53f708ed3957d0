"""How results show themselves: `repr` in at most 400 characters, HTML tables, Arrow streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, asdict, dataclass, fields, is_dataclass
from importlib.util import find_spec
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    TypeVar,
    get_args,
    get_type_hints,
    overload,
)

from sdtext.errors import OptionError
from sdtext.wording import brief

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 20
_DIGITS = 4
_LONGEST = 200  # characters of a cell

LONGEST_REPR = 400
"""The most characters of the representation of a result."""
_WIDTHS = (60, 20)  # characters of a field: the first by which all fit

IN_PYTHON_ONLY: Mapping[str, bool] = {"in_python_only": True}
"""Metadata of a field of rows that files of such rows do not have."""


class ShortFields:
    """Shows the fields of a dataclass, which sets `repr=False`, in at most 400 characters.

    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Titles(ShortFields):
    ...     number: int
    ...     titles: list[str]
    >>> Titles(1000, ["bees dance"] * 1000)
    Titles(number=1000, titles=['bees dance', 'bees dance', 'bees dance', 'bees dance', 'be…)
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __repr__(self) -> str:
        text = ""
        for width in _WIDTHS:
            shown = (
                f"{field.name}={brief(getattr(self, field.name), width)}"
                for field in fields(self)
                if field.repr
            )
            text = f"{type(self).__name__}({', '.join(shown)})"
            if len(text) <= LONGEST_REPR:
                return text
        return f"{text[: LONGEST_REPR - 2]}…)"


_Item = TypeVar("_Item")


def html_table(caption: str, columns: Sequence[str], rows: Sequence[Iterable[object]]) -> str:
    """A table of the first 20 rows under a caption, with everything escaped.

    >>> html_table("1 row", ["name"], [["<b>"]])
    '<table><caption>1 row</caption><tr><th>name</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    from html import escape  # with the names of 2,000 characters

    def line(tag: str, cells: Iterable[str]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    more = len(rows) - _SHOWN
    lines = [line("th", columns), *(line("td", map(_cell, row)) for row in rows[:_SHOWN])]
    if more > 0:
        lines.append(f'<tr><td colspan="{len(columns)}">… {more:,} more</td></tr>')
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>"


def columns_in_files(kind: type[Any]) -> list[str]:
    """The names of the fields of rows of a kind that are columns of files of such rows."""
    return [field.name for field in fields(kind) if "in_python_only" not in field.metadata]


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = f"{value:.{_DIGITS}f}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


class ResultRows(Generic[_Item]):
    """The `rows` of a result, all of one kind of dataclass, in their order."""

    rows: Sequence[_Item]
    row_type: type[Any]

    @property
    def columns(self) -> list[str]:
        """The names of the columns of the rows."""
        return [column.name for column in fields(self.row_type)]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[_Item]:
        return iter(self.rows)

    @overload
    def __getitem__(self, place: int) -> _Item: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[_Item]: ...

    def __getitem__(self, place: int | slice) -> _Item | Sequence[_Item]:
        return self.rows[place]

    def _repr_html_(self) -> str:
        """The rows as a table, for notebooks."""
        columns = self.columns
        rows = [[getattr(item, name) for name in columns] for item in self.rows]
        return html_table(repr(self).strip("<>"), columns, rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as an Arrow stream. Raises OptionError where pyarrow is not installed."""
        need_pyarrow("an Arrow stream", "frames")
        import pyarrow as pa

        rows = tuple(self.rows)
        hints = get_type_hints(self.row_type)
        columns = {
            name: _column([getattr(row, name) for row in rows], arrow_type(hints[name]))
            for name in self.columns
        }
        return pa.table(columns).__arrow_c_stream__(requested_schema)


@dataclass(frozen=True, repr=False, eq=False)
class ArrowRows(ResultRows[_Item]):
    """Rows that are no tuple, because pyarrow and polars would take one for a list of columns."""

    row_type: type[_Item]
    rows: Sequence[_Item]

    def __eq__(self, other: object) -> bool:
        return self.rows == (other.rows if isinstance(other, ArrowRows) else other)

    def __hash__(self) -> int:
        return hash(self.rows)

    def __repr__(self) -> str:
        return f"<{len(self):,} × {self.row_type.__name__}>"


def need_pyarrow(what: str, extra: str = "parquet", **where: str) -> None:
    """Raise OptionError where pyarrow is not installed, which `what` needs."""
    if find_spec("pyarrow") is None:
        raise OptionError(f"{what} needs pyarrow; pip install 'sdtext[{extra}]'", **where)


def arrow_type(hint: Any) -> pa.DataType | None:
    """The type of a column with values of a type of Python; None for mappings and the like."""
    import pyarrow as pa

    plain = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    kinds = [each for each in get_args(hint) or (hint,) if each is not NoneType]
    if len(kinds) == 1:
        return plain.get(kinds[0])
    return pa.list_(pa.string()) if kinds == [str, ...] else None


def _column(values: Sequence[Any], kind: pa.DataType | None) -> pa.Array:
    """A column; dataclasses and mappings become structures, and what has no one type a text."""
    import pyarrow as pa

    plain = [_plain(value) for value in values]
    if kind is not None:
        return pa.array(plain, kind)
    try:
        return pa.array(plain)
    except pa.ArrowException:
        return pa.array([None if value is None else str(value) for value in plain], pa.string())


def _plain(value: Any) -> Any:
    if isinstance(value, str):  # "?" for what is not valid Unicode, such as bytes of a file name
        return value.encode("utf-8", "replace").decode()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return dict(value) or None
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
