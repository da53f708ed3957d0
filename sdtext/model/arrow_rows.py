"""Rows of results as an Arrow stream, which pyarrow, polars, DuckDB and pandas read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from importlib.util import find_spec
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    TypeVar,
    get_args,
    get_type_hints,
    overload,
)

from sdtext.errors import OptionError
from sdtext.model.displayed_results import Dataclass, html_table

if TYPE_CHECKING:
    import pyarrow as pa


_Item = TypeVar("_Item", bound=Dataclass)


@dataclass(frozen=True, repr=False, eq=False)
class ArrowRows(Generic[_Item]):
    """Rows of one kind of dataclass, in their order, which give an Arrow stream, too.

    They are no tuple, because pyarrow and polars would take one for a list of columns.
    """

    row_type: type[_Item]
    rows: tuple[_Item, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[_Item]:
        return iter(self.rows)

    @overload
    def __getitem__(self, place: int) -> _Item: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[_Item, ...]: ...

    def __getitem__(self, place: int | slice) -> _Item | tuple[_Item, ...]:
        return self.rows[place]

    def __eq__(self, other: object) -> bool:
        return self.rows == (other.rows if isinstance(other, ArrowRows) else other)

    def __hash__(self) -> int:
        return hash(self.rows)

    def __repr__(self) -> str:
        return repr(self.rows)

    def _repr_html_(self) -> str:
        """The rows as a table, for notebooks."""
        names = [field.name for field in fields(self.row_type)]
        cells = [[getattr(row, name) for name in names] for row in self.rows]
        return html_table(f"{len(self)} × {self.row_type.__name__}", names, cells)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as an Arrow stream. Raises OptionError where pyarrow is not installed."""
        names = [field.name for field in fields(self.row_type)]
        return arrow_stream(self.row_type, names, self.rows, requested_schema)


def arrow_stream(
    row_type: type[Any], names: Sequence[str], rows: Iterable[Any], requested_schema: object
) -> object:
    """The fields of that name of dataclasses as an Arrow stream, in the PyCapsule of its protocol.

    Raises OptionError where pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise OptionError(
            "an Arrow stream is written by pyarrow, which is not installed; "
            "pip install 'sdtext[frames]'"
        )
    import pyarrow as pa

    rows = tuple(rows)
    hints = get_type_hints(row_type)
    columns = {
        name: _column([getattr(row, name) for row in rows], arrow_type(hints[name]))
        for name in names
    }
    return pa.table(columns).__arrow_c_stream__(requested_schema)


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

    if kind is not None:
        return pa.array(values, kind)
    plain = [_plain(value) for value in values]
    try:
        return pa.array(plain)
    except pa.ArrowException:
        return pa.array([None if value is None else str(value) for value in plain], pa.string())


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return dict(value) or None
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
