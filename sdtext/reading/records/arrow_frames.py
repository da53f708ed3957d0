"""Frames: tables of records in memory, from whatever gives an Arrow stream; and their batches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np

from sdtext.errors import OptionError
from sdtext.model.displayed_results import need_pyarrow
from sdtext.parts.record_tables import column_of, is_plain, is_text, rows_in
from sdtext.reading.records.json_records import Row
from sdtext.reading.records.record import Fields, field_of, listed
from sdtext.wording import brief

if TYPE_CHECKING:
    import pyarrow as pa

Batches: TypeAlias = "Iterator[pa.RecordBatch]"
_ROWS = 500  # of which the texts are Python strings at a time
_DATASETS = "datasets"


@runtime_checkable
class ArrowStream(Protocol):
    """A table that gives its rows as an Arrow stream, as of pyarrow, polars, DuckDB or pandas."""

    def __arrow_c_stream__(self, requested_schema: object = None, /) -> object: ...


def is_frame(given: object) -> TypeGuard[ArrowStream]:
    """Whether an argument is a frame: an Arrow stream, or a dataset of Hugging Face.

    >>> is_frame([{"text": "Some words"}])
    False
    """
    return hasattr(given, "__arrow_c_stream__") or _is_dataset(given)


@dataclass(frozen=True, eq=False)
class Frame:
    """The rows of a frame, as a table of Arrow: its texts are not copied to Python lists.

    `caller` is the function that was given it, as its argument `documents`.
    """

    table: pa.Table
    caller: str

    @classmethod
    def of(cls, caller: str, given: object, fields: Fields) -> Frame:
        """The frame that a function was given; a stream of any source is read to its end.

        Raises OptionError where it has no such fields, or pyarrow is not installed.
        """
        frame = cls.unchecked(caller, given)
        frame.check(fields)
        return frame

    @classmethod
    def unchecked(cls, caller: str, given: object, argument: str = "documents") -> Frame:
        """The frame that a function was given as that argument, with columns of any names.

        Raises OptionError where it is no table, or pyarrow is not installed.
        """
        need_pyarrow("a frame", "frames", place=caller)
        return cls(_table(caller, given, argument), caller)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def check(self, fields: Fields) -> None:
        """Raise OptionError if a field that is named is no column."""
        columns = {column.name: column.type for column in self.table.schema}
        column = column_of(fields.text, columns)
        is_path = column != fields.text
        if column not in columns or not (is_path or is_text(columns[column])):
            lacking, option = f"column of texts {brief(fields.text)}", "text_field"
        elif fields.id and fields.id not in columns:
            lacking, option = f"column {brief(fields.id)}", "id_field"
        else:
            return
        what = f"documents has no {lacking}; it has {listed(columns)}; name one as {option}"
        raise OptionError(what, place=self.caller)

    def rows(self, *names: str, others: bool = False) -> Iterator[Row]:
        """The rows with the columns of these fields, as far as there are such.

        With `others`, they also have the other columns that are plain.
        """
        schema = self.table.schema
        named = {column_of(name, schema.names) for name in names}
        kept = [
            each.name for each in schema if each.name in named or (others and is_plain(each.type))
        ]
        for batch in self.table.select(kept).to_batches(max_chunksize=_ROWS):
            yield from rows_in(batch)

    def longest(self, field: str) -> int:
        """The number of characters of the longest text."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if field not in self.table.column_names:
            texts = (field_of(row, field) for row in self.rows(field))
            return max((len(text) for text in texts if isinstance(text, str)), default=0)
        lengths = pc.utf8_length(self.table[field].cast(pa.large_string()))
        return int(pc.max(lengths).as_py() or 0)

    def without(self, places: AbstractSet[int]) -> pa.Table:
        """The table without the rows at these places, from 0."""
        import pyarrow as pa

        kept = np.ones(len(self), bool)
        kept[np.fromiter(places, np.int64, len(places))] = False
        try:
            return self.table.filter(pa.array(kept))
        except pa.ArrowNotImplementedError:  # for views in lists, in some versions
            ends = np.flatnonzero(np.diff(kept, prepend=False, append=False)).reshape(-1, 2)
            runs = [self.table.slice(start, stop - start) for start, stop in ends.tolist()]
            return pa.concat_tables([self.table.slice(0, 0), *runs])

    def with_texts(self, field: str, texts: Mapping[int, str]) -> pa.Table:
        """The table with other texts at some places, from 0, in the column `field`."""
        import pyarrow as pa

        column = self.table[field]
        changed, chunks = sorted(texts), list[pa.Array]()
        for start in range(0, len(self), _ROWS):
            part = column.slice(start, _ROWS)
            inside = changed[bisect_left(changed, start) : bisect_left(changed, start + _ROWS)]
            if not inside:
                chunks += part.chunks
                continue
            values = part.to_pylist()
            for place in inside:
                values[place - start] = texts[place]
            chunks.append(pa.array(values, pa.large_string()).cast(column.type))
        place = self.table.schema.get_field_index(field)
        return self.table.set_column(
            place, self.table.schema.field(place), pa.chunked_array(chunks, column.type)
        )

    def with_marks(self, name: str, marks: Mapping[int, Sequence[Row]]) -> pa.Table:
        """The table with a last column of the marks at some places, from 0: null at the others.

        A mark has an item, its score, and its start and end; a column of that name is replaced.
        """
        import pyarrow as pa

        numbers = [(field, pa.int64()) for field in ("score", "start", "end")]
        kind = pa.list_(pa.struct([("item", pa.string()), *numbers]))
        column = pa.array((marks.get(place) for place in range(len(self))), kind)
        others = [each for each in self.table.column_names if each != name]
        return self.table.select(others).append_column(name, column)


def _table(caller: str, given: Any, argument: str) -> pa.Table:
    import pyarrow as pa

    if _is_dataset(given) and isinstance(given, dict):
        splits = ", ".join(map(str, given))
        what = f"{argument} has several splits ({splits}); give one of them"
        raise OptionError(what, place=caller)
    try:
        if _is_dataset(given):
            tables: Sequence[pa.Table] = [*given.with_format("arrow").iter(batch_size=_ROWS * 20)]
            return pa.concat_tables(tables) if tables else pa.table({})
        table = pa.table(given)
        # Views of texts, as polars gives, cannot be filtered.
        plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
        columns = [each.with_type(plain.get(each.type, each.type)) for each in table.schema]
        return table.cast(pa.schema(columns, table.schema.metadata))
    except (pa.ArrowException, TypeError, ValueError) as error:
        why = " ".join(str(error).split())[:100]
        what = f"{argument} is no table of Arrow ({why}); give a table with a column for each field"
        raise OptionError(what, place=caller) from error


def _is_dataset(given: object) -> bool:
    return type(given).__module__.split(".")[0] == _DATASETS


def schema_of(columns: str) -> pa.Schema:
    """The schema of columns, named as in Spark: "left long, name string"."""
    import pyarrow as pa

    named = (each.split() for each in columns.replace(" long", " int64").split(", "))
    return pa.schema([(name, pa.type_for_alias(kind)) for name, kind in named])


def in_rows(make: Callable[[Any], Iterable[Row]], columns: str) -> Callable[[Batches], Batches]:
    """A function on batches, which makes rows with these columns of the rows of each.

    >>> double = in_rows(lambda rows: [{"twice": 2 * row["number"]} for row in rows], "twice long")
    >>> next(double(Frame.unchecked("", {"number": [4]}).table.to_batches())).to_pylist()
    [{'twice': 8}]
    """
    import pyarrow as pa

    schema = schema_of(columns)

    def made(batches: Batches) -> Batches:
        for batch in batches:
            for start in range(0, batch.num_rows, _ROWS):
                rows = [*make([*rows_in(batch.slice(start, _ROWS))])]
                yield pa.RecordBatch.from_pylist(rows, schema)

    return made
