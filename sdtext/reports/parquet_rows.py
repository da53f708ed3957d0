"""Rows of results as Parquet, with the types of their columns, also where there are no rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from itertools import islice
from typing import Any, BinaryIO

from sdtext.errors import OptionError
from sdtext.model.arrow_rows import arrow_type

_BATCH = 10_000  # rows at once


def check_parquet_written() -> None:
    """OptionError where pyarrow, which writes Parquet, is not installed."""
    if find_spec("pyarrow") is None:
        raise OptionError(
            "Parquet is written by pyarrow, which is not installed; pip install 'sdtext[parquet]'"
        )


def write_parquet_rows(
    file: BinaryIO, columns: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write `rows` to `file`; `columns` has their names with the types of their values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, arrow_type(kind)) for name, kind in columns.items()])
    with pq.ParquetWriter(file, schema) as writer:
        for batch in _batches(rows):
            cells = [[_whole(row[name]) for row in batch] for name in columns]
            arrays = [
                pa.array(values, kind) for values, kind in zip(cells, schema.types, strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def _batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    rest = iter(rows)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _whole(value: Any) -> Any:
    """The value; in a text, "?" for what is not valid Unicode, such as bytes of a file name."""
    if isinstance(value, tuple):
        return [_whole(item) for item in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
