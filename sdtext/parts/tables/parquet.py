"""Parquet files, by pyarrow."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from sdtext.errors import OptionError, UnreadableError, brief, shown
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.containers.member import Member, Salvaged, damaged, partly_read

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


_ROWS = 64  # at a time: a file of a few bytes may say that each row is a megabyte
_SHOWN = 8


@dataclass(frozen=True)
class Parquet:
    """The rows of a Parquet file, with its columns of texts, numbers, booleans and times.

    `text` is the column of the texts; a named `id` column must exist, too. With `nested`, columns
    of lists and structures are read, too.

    >>> Parquet(text="body").called
    'Parquet file'
    """

    text: str = "text"
    id: str = ""
    nested: bool = False
    called: ClassVar[str] = "Parquet file"

    def members(self, content: Content) -> Iterator[Member | Problem]:
        """The rows as one file of JSON lines; up to the damage, where there is any."""
        with content.seekable() as file, opened(file, content) as table:
            columns = self._columns(table.schema_arrow, content)
            rows = Salvaged(_lines(table, columns), (OSError, ValueError, _arrow_error()))
            yield Member("rows.jsonl", rows)
            if rows.error:
                why = " ".join(str(rows.error).split())[:100]
                yield partly_read(content, f"is damaged ({why}); the rows before that are read")

    def _columns(self, schema: pa.Schema, content: Content) -> list[str]:
        """The columns to read. Raises OptionError if a named column is missing."""
        plain = {field.name: field.type for field in schema if is_plain(field.type)}
        twice = next((name for name in plain if schema.names.count(name) > 1), None)
        if twice is not None:
            raise UnreadableError(
                f"has two columns called {shown(twice[:100])!r}", file=content.name
            )
        every = schema.names if self.nested else [*plain]
        if self.text not in plain or not is_text(plain[self.text]):
            lacking, option = f"column of texts {brief(self.text)}", "text"
        elif self.id and self.id not in plain:
            lacking, option = f"column {brief(self.id)}", "id"
        else:
            return every
        some = ", ".join(shown(name[:50]) for name in [*plain][:_SHOWN]) or "none"
        raise OptionError(
            f"has no {lacking}; it has {some}; name one as {option}_field", file=content.name
        )


@contextmanager
def opened(file: Any, content: Content) -> Iterator[pq.ParquetFile]:
    """Open the file and read its metadata. Raises PackingError if that is damaged."""
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file, pre_buffer=False)
    except (OSError, ValueError, _arrow_error()) as error:
        raise damaged(content, Parquet.called, str(error)) from error
    with table:
        yield table


def _lines(table: pq.ParquetFile, columns: list[str]) -> Iterator[bytes]:
    """The rows as JSON lines, some at a time."""
    for batch in table.iter_batches(_ROWS, columns=columns, use_threads=False):
        names = batch.schema.names
        cells = [cell_values(column) for column in batch.columns]
        rows = (dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True))
        yield "".join(json.dumps(row, default=_spelt) + "\n" for row in rows).encode("ascii")


def _spelt(value: Any) -> str:
    """A value that JSON does not have, in a list or structure: bytes in base64, times as texts."""
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)


def cell_values(column: pa.Array) -> list[Any]:
    """The cells as JSON values: times as texts, None for NaN."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if is_text(column.type):
        return _texts(column, pa)
    if kinds.is_temporal(column.type) or kinds.is_decimal(column.type):
        return _texts(column.cast(pa.string()), pa)
    values: list[Any] = column.to_pylist()
    if kinds.is_floating(column.type):
        return [value if value is not None and isfinite(value) else None for value in values]
    return values


def _texts(column: pa.Array, pa: Any) -> list[str | None]:
    try:
        texts: list[str | None] = column.to_pylist()
    except UnicodeDecodeError:  # one cell is no reason to lose the others
        raw = column.cast(pa.large_binary()).to_pylist()
        return [None if cell is None else cell.decode("utf-8", "replace") for cell in raw]
    return texts


def is_plain(kind: pa.DataType) -> bool:
    """Whether a column of that type is read."""
    import pyarrow.types as kinds

    tests = (kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_decimal)
    times = (kinds.is_timestamp, kinds.is_date, kinds.is_time)
    return is_text(kind) or any(test(kind) for test in (*tests, *times))


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of that type has texts."""
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        kind = kind.value_type
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def _arrow_error() -> type[Exception]:
    import pyarrow as pa

    error: type[Exception] = pa.ArrowException
    return error
