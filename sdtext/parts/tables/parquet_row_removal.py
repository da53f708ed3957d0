"""Rewriting of Parquet files without some rows, in a separate process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.containers.member import Member
from sdtext.parts.tables.parquet import opened

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

CLUSTER = "cluster"
"""The column of the numbers of clusters."""
HAS_CLUSTERS = "has a field 'cluster' already, which marks would replace; rename it"
_ROWS = 64  # read at a time, as in `sdtext.parts.tables.parquet`
_GROUP_ROWS = 1 << 16
_GROUP_BYTES = 16 << 20


@dataclass(frozen=True)
class KeptRows:
    """One Parquet file with the rows of a file and of `others` but for those that `gone` names.

    That is a NumPy file of pairs: the number of the file, from 0, and of the row in it, from 1.
    With `clusters`, a NumPy file of such pairs with a number, rows get a column of these numbers.

    >>> KeptRows(gone="gone.npy").called
    'Parquet file'
    """

    gone: str = ""
    others: tuple[str, ...] = ()
    clusters: str = ""
    called: ClassVar[str] = "Parquet file"

    def members(self, content: Content) -> Iterator[Member]:
        """The file with the rows that are kept, as the only member."""
        yield Member("kept.parquet", self._written(content))

    def _written(self, content: Content) -> Iterator[bytes]:
        import pyarrow.parquet as pq

        others = [Content(path, content.max_bytes) for path in self.others]
        pipe = _Pipe()
        with ExitStack() as stack:
            tables = [_table(each, stack) for each in (content, *others)]
            schemas = [table.schema_arrow for table in tables]
            _check(schemas, [each.name for each in (content, *others)])
            schema = self._schema(schemas[0], content.name)
            with pq.ParquetWriter(pipe, schema, compression=_packing(tables[0])) as writer:
                for group in _groups(self._kept(tables)):
                    writer.write_table(group)
                    yield pipe.taken()
        yield pipe.taken()

    def _schema(self, schema: pa.Schema, name: str) -> pa.Schema:
        """The schema with the column of clusters, if there is to be one."""
        import pyarrow as pa

        if not self.clusters:
            return schema
        if CLUSTER in schema.names:
            raise UnreadableError(HAS_CLUSTERS, file=name)
        return schema.append(pa.field(CLUSTER, pa.int64()))

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
        return np.asarray(np.load(self.clusters, allow_pickle=False))

    def _kept(self, tables: Iterable[pq.ParquetFile]) -> Iterator[pa.RecordBatch]:
        """Yield the kept rows in batches."""
        import pyarrow as pa

        gone = np.load(self.gone, allow_pickle=False)
        for number, table in enumerate(tables):
            rows, place = gone[gone[:, 0] == number, 1], 1
            for batch in table.iter_batches(_ROWS, use_threads=False):
                numbers = np.arange(place, place + batch.num_rows)
                kept = batch.filter(pa.array(np.isin(numbers, rows, invert=True)))
                yield self._marked(kept, number, place) if self.clusters else kept
                place += batch.num_rows


def _table(content: Content, stack: ExitStack) -> pq.ParquetFile:
    file = stack.enter_context(content.seekable())
    return stack.enter_context(opened(file, content))


def _check(schemas: list[pa.Schema], names: list[str]) -> None:
    """Raise UnreadableError if the files have different columns."""
    for schema, name in zip(schemas, names, strict=True):
        if not schema.equals(schemas[0]):
            raise UnreadableError(
                f"has other columns than {names[0]}, so that their rows cannot be kept in "
                "one file; deduplicate one of them against a collection of the other",
                file=name,
            )


def _packing(table: pq.ParquetFile) -> str:
    """How the first column of a file is compressed."""
    metadata = table.metadata
    if not (metadata.num_row_groups and metadata.num_columns):
        return "snappy"
    name = str(metadata.row_group(0).column(0).compression)
    return "none" if name == "UNCOMPRESSED" else name


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


class _Pipe:
    """A writable file whose content is taken in pieces."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._place = 0
        self.closed = False

    def write(self, data: Any) -> int:
        """Hold some bytes."""
        self._held.append(bytes(data))
        self._place += len(self._held[-1])
        return len(self._held[-1])

    def tell(self) -> int:
        """How many bytes were written."""
        return self._place

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Write no more."""
        self.closed = True

    def taken(self) -> bytes:
        """What was written since the last time."""
        held, self._held = b"".join(self._held), []
        return held
