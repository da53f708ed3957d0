"""Records written in any format, from rows of any fields."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from sdtext.errors import OptionError, OutputError
from sdtext.model.record_formats import CSV, JSON_ARRAY, PARQUET, TSV, RecordFormat

if TYPE_CHECKING:
    import pyarrow as pa

Rows = Callable[[], Iterable[Mapping[str, Any]]]
"""The rows, from the first at each call: some formats need to know all fields first."""

_BATCH = 1000


def write_records(rows: Rows, form: RecordFormat, file: BinaryIO) -> None:
    """Write rows to `file` in a format.

    CSV, TSV and Parquet get a column for each field of any row, in the order in which the fields
    appear; a cell is empty where a row lacks its field. In CSV and TSV, lists and objects are JSON.
    Raises OptionError for Parquet without pyarrow.
    """
    if form == PARQUET:
        _write_parquet(rows, file)
    elif form in (CSV, TSV):
        _write_table(rows, file, "\t" if form == TSV else ",")
    elif form == JSON_ARRAY:
        file.writelines(as_array(map(_json, rows())))
    else:
        file.writelines(_json(row) + b"\n" for row in rows())


def as_array(elements: Iterable[bytes]) -> Iterator[bytes]:
    """A JSON array with one element on each line.

    >>> b"".join(as_array([b'{"id": 1}', b'{"id": 2}'])).decode().splitlines()
    ['[', '{"id": 1},', '{"id": 2}', ']']
    """
    sign = b"[\n"
    for element in elements:
        yield sign + element
        sign = b",\n"
    yield b"[]\n" if sign == b"[\n" else b"\n]\n"


def _json(row: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(row).encode()


def _write_table(rows: Rows, file: BinaryIO, delimiter: str) -> None:
    names = list(dict.fromkeys(name for row in rows() for name in row))
    text = TextIOWrapper(file, "utf-8", errors="replace", newline="", write_through=True)
    table = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    table.writerow(names)
    table.writerows([_cell(row.get(name)) for name in names] for row in rows())
    text.detach()


def _cell(value: Any) -> str:
    """A value as a cell.

    >>> [_cell(value) for value in ("a", 7, None, True, ["b"])]
    ['a', '7', '', 'true', '["b"]']
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _write_parquet(rows: Rows, file: BinaryIO) -> None:
    if find_spec("pyarrow") is None:
        raise OptionError(
            "Parquet is written by pyarrow, which is not installed; pip install 'sdtext[parquet]'"
        )
    import pyarrow as pa
    import pyarrow.parquet as pq

    types: dict[str, pa.DataType | None] = {}
    for batch in _batches(rows()):
        for name in dict.fromkeys(name for row in batch for name in row):
            values = [row.get(name) for row in batch]
            types[name] = _common(types.get(name, pa.null()), values)
    schema = pa.schema([(name, _storable(kind)) for name, kind in types.items()])
    try:
        with pq.ParquetWriter(file, schema) as writer:
            for batch in _batches(rows()):
                cells = ([row.get(each.name) for row in batch] for each in schema)
                arrays = [
                    _array(values, each.type) for values, each in zip(cells, schema, strict=True)
                ]
                writer.write_batch(pa.record_batch(arrays, schema=schema))
    except pa.ArrowException as error:
        raise OutputError(f"cannot be written as Parquet ({error}); use JSON lines") from error


def _batches(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    rest = iter(rows)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _common(kind: pa.DataType | None, values: list[Any]) -> pa.DataType | None:
    """The type of a column with these values, too; None where no one type has them all."""
    import pyarrow as pa

    if kind is None:
        return None
    try:
        schemas = [pa.schema([("", each)]) for each in (kind, pa.infer_type(values))]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except (pa.ArrowException, OverflowError, UnicodeError):
        return None


def _storable(kind: pa.DataType | None) -> pa.DataType:
    """A type that Parquet has: texts for what has no type, and for objects without fields."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if kind is None or pa.types.is_null(kind):
        return pa.string()
    try:
        schema = pa.schema([("", kind)])
        pq.write_table(schema.empty_table(), BytesIO())
    except pa.ArrowException:
        return pa.string()
    return kind


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if pa.types.is_string(kind):
        return pa.array([None if value is None else _whole(_cell(value)) for value in values], kind)
    if pa.types.is_floating(kind):
        return pa.array([None if value is None else float(value) for value in values], kind)
    return pa.array(values, kind)


def _whole(text: str) -> str:
    """The text with "?" for halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
