"""What a deduplication removes and why, as rows in files."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from sdtext.deduplication.outputs import written_packed
from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage
from sdtext.deduplication.rule_names import DOCUMENT
from sdtext.deduplication.rules_and_removals import Deduplication, DuplicateCluster, RemovedDocument
from sdtext.errors import OptionError
from sdtext.model.displayed_results import ArrowRows, columns_in_files, need_pyarrow
from sdtext.model.record_formats import COMPRESSIONS, ending_of
from sdtext.reading.overwrite_guard import Output, OutputKind
from sdtext.reports.row_formats import write_rows

_FORMS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv"}
_RowType = type[RemovedDocument] | type[DuplicateCluster] | type[RemovedPassage]
_KINDS: dict[_RowType, tuple[str, str]] = {
    RemovedDocument: ("sdtext/removed/1", "a list of removed documents"),
    DuplicateCluster: ("sdtext/clusters/1", "a list of clusters"),
    RemovedPassage: ("sdtext/removed-passages/1", "a list of removed passages"),
}
"""The schema and the name of a file of such rows."""
_OPTIONAL = ("duplicate", "shared", "passage", "digest")
"""Columns that are there only where a row has a value in them."""


def form_of(path: str, printed: str = "tsv") -> str:
    """The format of a file of rows by the ending of its name, `printed` for standard output.

    Raises OptionError for another ending, and for Parquet where pyarrow is not installed.

    >>> form_of("removed.jsonl"), form_of("removed.csv.gz"), form_of("-", "table")
    ('jsonl', 'csv', 'table')
    """
    if path == "-":
        return printed
    ending, is_packed = ending_of(path)
    if form := _FORMS.get(ending):
        return form
    if ending == ".parquet" and not is_packed:
        need_pyarrow("Parquet")
        return "parquet"
    known = f"one of {', '.join(_FORMS)}, also with {', '.join(COMPRESSIONS)}, or .parquet"
    raise OptionError(f"its ending names no format for rows; use {known}", file=path)


def lists_of(
    removed: str, clusters: str, unit: str, *, replaces: bool = False
) -> dict[str, Output]:
    """The files for what is removed and for the clusters, if they are named.

    An earlier one is recognised in every format. Raises OptionError where an ending names none.
    """
    removed_type = RemovedDocument if unit == DOCUMENT else RemovedPassage
    named = {"removed": (removed, removed_type), "clusters": (clusters, DuplicateCluster)}
    lists = {}
    for name, (path, kind) in named.items():
        if path:
            form_of(path)
            begins = partial(_begins, kind=kind)
            lists[name] = Output(path, OutputKind(_KINDS[kind][1], begins), replaces)
    return lists


def write_lists(lists: Mapping[str, Output], done: Deduplication, printed: str) -> None:
    """Write the rows of each list: its name says the format, and whether it is compressed.

    `printed` is the format for the standard output. Raises OutputError.
    """
    for name, output in lists.items():
        given: ArrowRows[Any] = getattr(done, name)
        path, kind, rows = str(output.path), given.row_type, given.rows
        columns = columns_in_files(kind)
        if kind is RemovedDocument:
            filled = {
                c for c in _OPTIONAL if any(getattr(row, c, None) is not None for row in rows)
            }
            columns = [column for column in columns if column not in {*_OPTIONAL} - filled]
        form = form_of(path, printed)
        with written_packed(output) as target:
            if form == "parquet":
                import pyarrow as pa
                import pyarrow.parquet as pq

                pq.write_table(pa.table(given).select(columns), target)
                continue
            records = ({each: getattr(row, each) for each in columns} for row in rows)
            write_rows(target, form, columns, records, {"schema": _KINDS[kind][0]})


def _begins(head: bytes, kind: _RowType) -> bool:
    """Whether a file of rows of that kind begins with `head`."""
    columns = [name for name in columns_in_files(kind) if name not in _OPTIONAL]
    line = head.decode("utf-8", "replace").split("\n", 1)[0]
    if any((line + mark).startswith(mark.join(columns) + mark) for mark in ",\t"):
        return True
    keys = [f'"{column}": ' for column in columns]
    places = [line.find(key) for key in keys]
    is_row = line.startswith("{" + keys[0]) and -1 not in places and places == sorted(places)
    return is_row or line.startswith(f'{{"schema": "{_KINDS[kind][0]}"')
