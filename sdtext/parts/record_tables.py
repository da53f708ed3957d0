"""Tables: binary files of records, one row each.

A table is a part: `called` is what its files are called in messages, and `members(content)` yields
one `Member` as a container's does: the rows as JSON lines, which are then read as those are. It is
called in a process of its own, within limits of time and memory; only UnreadableError and
OptionError leave it.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Container, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError, UnreadableError
from sdtext.io.decompressed_content import BLOCK, Content
from sdtext.io.zip_reader import damage
from sdtext.model import Problem
from sdtext.parts.containers import Member, Salvaged
from sdtext.parts.readers import partly_read
from sdtext.wording import brief, shown

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_ROWS = 64  # at a time: a file of a few bytes may say that each row is a megabyte
_SHOWN = 8
_PATH = re.compile(r"[.\[]")
CLUSTER = "cluster"
"""The column of the numbers of clusters."""
HAS_CLUSTERS = "has a field 'cluster' already, which marks would replace; rename it"
_GROUP_ROWS = 1 << 16
_GROUP_BYTES = 16 << 20


@dataclass(frozen=True)
class Parquet:
    """The rows of a Parquet file, with its columns of texts, numbers, booleans and times.

    `text` is the column of the texts, or a path that begins in a column, "" for any; a named `id`
    column must exist, too. With `nested`, all columns of lists and structures are read, too.

    >>> Parquet(text="body").called
    'Parquet file'
    """

    text: str = "text"
    id: str = ""
    nested: bool = False
    called: ClassVar[str] = "Parquet file"

    def members(self, content: Content) -> Iterator[Member | Problem]:
        """The rows as one file of JSON lines; up to the damage, where there is any."""
        import pyarrow as pa

        with content.seekable() as file, opened(file, content) as table:
            columns = self._columns(table.schema_arrow, content)
            rows = Salvaged(_lines(table, columns), (OSError, ValueError, pa.ArrowException))
            yield Member("rows.jsonl", rows)
            if rows.error:
                why = " ".join(str(rows.error).split())[:100]
                yield partly_read(content, f"is damaged ({why}); the rows before that are read")

    def _columns(self, schema: pa.Schema, content: Content) -> list[str]:
        """The columns to read. Raises OptionError if a named column is missing."""
        plain = {field.name: field.type for field in schema if is_plain(field.type)}
        twice = next((name for name in plain if schema.names.count(name) > 1), None)
        if twice is not None:
            what = f"has two columns called {shown(twice[:100])!r}"
            raise UnreadableError(what, file=content.name)
        column = column_of(self.text, plain)
        is_text_there = column in schema.names and column != self.text  # within it
        if column in plain and column == self.text:
            is_text_there = is_text(plain[column])
        every = schema.names if self.nested else [*plain, *({column} & {*schema.names} - {*plain})]
        if self.text and not is_text_there:
            lacking, option = f"column of texts {brief(self.text)}", "text"
        elif self.id and self.id not in plain:
            lacking, option = f"column {brief(self.id)}", "id"
        else:
            return every
        some = ", ".join(shown(name[:50]) for name in [*plain][:_SHOWN]) or "none"
        what = f"has no {lacking}; it has {some}; name one as {option}_field"
        raise OptionError(what, file=content.name)


@dataclass(frozen=True)
class ParquetColumns:
    """The names of the columns of a Parquet file, without its rows.

    >>> ParquetColumns().called
    'Parquet file'
    """

    called: ClassVar[str] = "Parquet file"

    def members(self, content: Content) -> Iterator[Member]:
        """One file: the names as a list in JSON."""
        with content.seekable() as file, opened(file, content) as table:
            names = json.dumps(table.schema_arrow.names)
        yield Member("columns.json", iter([names.encode()]))


@contextmanager
def opened(file: Any, content: Content) -> Iterator[pq.ParquetFile]:
    """Open the file and read its metadata. Raises PackingError if that is damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file, pre_buffer=False)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise damage(content, Parquet.called, str(error)) from error
    with table:
        yield table


def _lines(table: pq.ParquetFile, columns: list[str]) -> Iterator[bytes]:
    for batch in table.iter_batches(_ROWS, columns=columns, use_threads=False):
        lines = (json.dumps(row, default=_spelt) + "\n" for row in rows_in(batch))
        yield "".join(lines).encode("ascii")


def _spelt(value: Any) -> str:
    """A value that JSON does not have, in a list or structure: bytes in base64, times as texts."""
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)


def rows_in(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """The rows, with their cells as JSON values."""
    cells = zip(*map(_cell_values, batch.columns), strict=True)
    return (dict(zip(batch.schema.names, row, strict=True)) for row in cells)


def _cell_values(column: pa.Array) -> list[Any]:
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


def column_of(field: str, columns: Container[str]) -> str:
    """The column of a field, or that in which its path begins.

    >>> column_of("turns[].text", ["turns"]), column_of("a.b", ["a.b"])
    ('turns', 'a.b')
    """
    return field if field in columns else _PATH.split(field, maxsplit=1)[0]


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


@dataclass(frozen=True)
class KeptRows:
    """One Parquet file with the rows of a file and of `others` but for those that `gone` names.

    That is a file of pairs of 64-bit numbers: that of the file, from 0, and of the row in it, from
    1. With `clusters`, a file of such pairs and a number each, rows get a column of these numbers.

    >>> KeptRows(gone="gone").called
    'Parquet file'
    """

    gone: str = ""
    others: tuple[str, ...] = ()
    clusters: str = ""
    called: ClassVar[str] = "Parquet file"

    def members(self, content: Content) -> Iterator[Member]:
        """One file. Raises UnreadableError if the files have different columns."""
        yield Member("kept.parquet", self._written(content))

    def _written(self, content: Content) -> Iterator[bytes]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        others = [Content(path, content.max_bytes) for path in self.others]
        with ExitStack() as stack:
            files = [(stack.enter_context(each.seekable()), each) for each in (content, *others)]
            tables = [stack.enter_context(opened(*each)) for each in files]
            schema = tables[0].schema_arrow
            for table, each in zip(tables[1:], others, strict=True):
                if not table.schema_arrow.equals(schema):
                    what = (
                        f"has other columns than {content.name}, so that their rows cannot be kept "
                        "in one file; deduplicate one of them against a collection of the other"
                    )
                    raise UnreadableError(what, file=each.name)
            if self.clusters:
                if CLUSTER in schema.names:
                    raise UnreadableError(HAS_CLUSTERS, file=content.name)
                schema = schema.append(pa.field(CLUSTER, pa.int64()))
            file = stack.enter_context(TemporaryFile())
            metadata, packing = tables[0].metadata, "snappy"
            if metadata.num_row_groups and metadata.num_columns:
                packing = str(metadata.row_group(0).column(0).compression)
                packing = "none" if packing == "UNCOMPRESSED" else packing
            with pq.ParquetWriter(file, schema, compression=packing) as writer:
                for group in _groups(self._kept(tables)):
                    writer.write_table(group)
            file.seek(0)
            while block := file.read(BLOCK):
                yield block

    def _marked(self, batch: pa.RecordBatch, file: int, place: int) -> pa.RecordBatch:
        """The rows of a file from `place` on, none of which is gone, with their clusters."""
        import pyarrow as pa

        marks = self._marks[self._marks[:, 0] == file]
        inside = marks[(marks[:, 1] >= place) & (marks[:, 1] < place + batch.num_rows)]
        values, is_absent = np.zeros(batch.num_rows, np.int64), np.ones(batch.num_rows, bool)
        values[inside[:, 1] - place] = inside[:, 2]
        is_absent[inside[:, 1] - place] = False
        return batch.append_column(CLUSTER, pa.array(values, mask=is_absent))

    @cached_property
    def _marks(self) -> NDArray[np.int64]:
        return np.fromfile(self.clusters, np.int64).reshape(-1, 3)

    def _kept(self, tables: Iterable[pq.ParquetFile]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        gone = np.fromfile(self.gone, np.int64).reshape(-1, 2)
        for number, table in enumerate(tables):
            rows, place = gone[gone[:, 0] == number, 1], 1
            for batch in table.iter_batches(_ROWS, use_threads=False):
                numbers = np.arange(place, place + batch.num_rows)
                kept = batch.filter(pa.array(np.isin(numbers, rows, invert=True)))
                yield self._marked(kept, number, place) if self.clusters else kept
                place += batch.num_rows


def _groups(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Combine the batches into row groups of a good size, at least one if there are rows."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
            yield pa.Table.from_batches(held)
            held, rows, size = [], 0, 0
    if held:
        yield pa.Table.from_batches(held)
