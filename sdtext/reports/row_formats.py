"""Rows as a table, TSV, CSV, JSON or JSON Lines, with the same columns in each."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, BinaryIO

from sdtext.formats.csv_lines import csv_lines, harmless
from sdtext.formats.strict_json import cell_text, json_text
from sdtext.reports.readable_values import for_people, one_line
from sdtext.reports.terminal_table import table_of
from sdtext.wording import CONTROLLING

FORMATS = ("table", "tsv", "json", "jsonl", "csv")

Row = Mapping[str, Any]

_CONTROL = re.compile(f"[{CONTROLLING}]")


def write_rows(
    file: BinaryIO, form: str, columns: Sequence[str], rows: Iterable[Row], whole: Row
) -> None:
    """Write `rows` to `file` in UTF-8; nothing in them controls a terminal.

    `whole` is the JSON object around `rows`: `schema`, and `problems` if there are any. A further
    format is dfxml, for the rows of a comparison with the `folders` of `whole`.
    """
    if form == "json":
        file.write(_json({**whole, "rows": [dict(row) for row in rows]}))
    elif form == "jsonl":
        file.writelines(_json(row) for row in rows)
    elif form == "dfxml":
        from sdtext.formats.hardened_xml import write_lines
        from sdtext.reports.dfxml import dfxml_lines

        write_lines(file, dfxml_lines(columns, rows, whole["folders"]))
    elif form == "table":
        file.write(table_of(columns, list(rows)).encode("utf-8", "backslashreplace"))
    else:
        is_csv = form == "csv"
        spelled = str if is_csv and not file.isatty() else one_line
        guarded = harmless if is_csv else str
        cells = ([spelled(guarded(cell_text(row.get(name)))) for name in columns] for row in rows)
        table = chain([list(columns)], cells)
        lines = csv_lines(table) if is_csv else ("\t".join(row) + "\n" for row in table)
        file.writelines(line.encode("utf-8", "backslashreplace") for line in lines)


def write_record(file: BinaryIO, form: str, schema: str, record: Row) -> None:
    """Write one record: as an object in JSON, else as a row for each field."""
    if form in ("json", "jsonl"):
        file.write(_json({"schema": schema, **record}))
        return
    rows = [{"field": name, "value": value} for name, value in record.items()]
    for row in rows if form == "table" else ():
        if isinstance(row["value"], float):
            row["value"] = for_people(row["field"].rpartition(".")[2], row["value"])
    write_rows(file, form, ["field", "value"], rows, {})


def _json(value: Row) -> bytes:
    """One line; controls, and file names that are not valid Unicode, are escaped."""
    text = json_text(value)
    if not text.isascii() or "\x7f" in text:  # json escapes those below
        text = _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    try:
        return (text + "\n").encode("utf-8")
    except UnicodeEncodeError:
        return (json_text(value, ensure_ascii=True) + "\n").encode("ascii")


def flat(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Fields of a nested record: names joined by dots, lists of words by spaces.

    >>> list(flat({"set": 2, "vectors": [{"terms": ["bee", "dance"]}]}))
    [('set', 2), ('vectors.0.terms', 'bee dance')]
    """
    for key, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            parts = {f"{key}.{place}": item for place, item in enumerate(value)}
        else:
            parts = {key: value} if isinstance(value, dict) else {}
        for place, part in parts.items():
            yield from ((f"{place}.{name}", item) for name, item in flat(part))
        if not parts:
            yield key, " ".join(value) if isinstance(value, list | tuple) else value
