"""Files of records: JSON lines, JSON arrays, CSV and TSV, compressed or not, and Parquet.

Records are also written in any of these formats, from rows of any fields.
"""

from __future__ import annotations

import csv
import json
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from sdtext.errors import OptionError, OutputError, UnreadableError
from sdtext.formats.strict_json import cell_text, json_text
from sdtext.io.decompressed_content import ByteRange, Content, unnamed_file
from sdtext.model import PartSpec, Problem
from sdtext.model.displayed_results import need_pyarrow
from sdtext.model.record_formats import (
    CSV,
    DELIMITED,
    JSON_ARRAY,
    JSON_LINES,
    PARQUET,
    TSV,
    RecordFormat,
    format_of,
)
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Note, Reading
from sdtext.reading.parallel_run import cut_batches
from sdtext.reading.records.delimited import Header, header_of, number_of, table_rows, table_without
from sdtext.reading.records.json_records import (
    ARRAY,
    LEFT_OUT,
    OBJECT,
    Row,
    SkippedLines,
    elements_in,
    elements_without,
    first_rows,
    lines_with,
    objects_in,
)
from sdtext.reading.records.record import (
    Fields,
    InputDocument,
    field_of,
    listed,
    record_of,
    text_in_parts,
)
from sdtext.reading.sandbox.pool import unpack
from sdtext.text.encoding import Encoding
from sdtext.wording import brief, reason, shown

if TYPE_CHECKING:
    import pyarrow as pa

_STDIN = "-"
_DEFAULT_FIELDS = Fields()
_CHECKED_RECORDS = 100  # for fields that none of them has
_BATCH = 1000
Rows = Callable[[], Iterable[Mapping[str, Any]]]
"""The rows, from the first at each call: some formats need to know all fields first."""


def records_at(
    path: str | Path, reading: Reading | None = None, fields: Fields = _DEFAULT_FIELDS
) -> tuple[RecordFormat | None, str]:
    """The format in which the file at `path` is read as records; None, and what a table is instead.

    The name says JSON lines and Parquet. CSV, TSV and JSON arrays are tables; they hold records if
    they have the field of texts, or another than "text" is asked for, and so does a JSON object
    that has that field.
    The standard input holds records if it begins as Parquet or as a JSON array of objects, if one
    of its first ten lines is a JSON object, or as a table does.
    """
    reading = reading or Reading()
    if os.path.isdir(path):  # noqa: PTH112 (Path.is_dir raises for some names)
        return None, ""
    form, is_stdin = format_of(path), str(path) == _STDIN
    if not (form or is_stdin):
        is_packed = format_of(Path(path).stem) == PARQUET and Path(path).is_file()
        what = "Parquet in another compression, which is not read; decompress it"
        return None, what if is_packed else ""
    if form in (JSON_LINES, PARQUET):
        return form, ""
    form, what = records_in_content(_content(path, reading), reading, fields)
    return form, "" if is_stdin else what


def records_in_content(
    content: Content, reading: Reading, fields: Fields = _DEFAULT_FIELDS
) -> tuple[RecordFormat | None, str]:
    """`records_at` of an open file, or of the standard input."""
    form, is_asked_for = format_of(content.path), fields.text != _DEFAULT_FIELDS.text
    known = form if form in (JSON_LINES, PARQUET) else None
    if known or _is_blank(content):
        return known, ""
    try:
        if form is None and (form := _format_of_stream(content, reading)) not in DELIMITED:
            return form, ""
        columns = _columns(form, content, reading, fields)
    except UnreadableError as error:
        return (form, "") if is_asked_for else (None, f"a table that cannot be used: {error.what}")
    is_single = form == JSON_ARRAY and OBJECT.match(content.head) and not _list_in(content, fields)
    has_text = is_asked_for and columns and field_of(columns, fields.text) is not None
    if columns is None or (is_single and not has_text):  # a document
        return None, ""
    if fields.text in columns or is_asked_for or not columns:
        return form, ""
    return None, (
        f"a table without a field {brief(fields.text)} (it has {listed(columns)}); for a document "
        "in each row, name one as text_field"
    )


def _is_blank(content: Content) -> bool:
    """Whether a file begins with blanks alone, or cannot be read: reading it gives the reason."""
    with suppress(UnreadableError):
        return not content.head.strip()
    return True


def record_format(
    path: str | Path, reading: Reading, fields: Fields = _DEFAULT_FIELDS
) -> RecordFormat:
    """The format of a file of records; of the standard input, by its content."""
    form = records_at(path, reading, fields)[0] if str(path) == _STDIN else format_of(path)
    return form or JSON_LINES


def _content(path: str | Path, reading: Reading) -> Content:
    return content_at(path, reading.max_bytes, reading.limits)


def _format_of_stream(content: Content, reading: Reading) -> RecordFormat:
    if content.head.startswith(b"PAR1"):
        return PARQUET
    if ARRAY.match(content.head):
        return JSON_ARRAY
    if any(isinstance(row, dict) for row in first_rows(content)):
        return JSON_LINES
    return TSV if header_of(content, encoding=reading.encoding).delimiter == "\t" else CSV


def check_filled(path: str | Path, reading: Reading) -> None:
    """Raise UnreadableError for a table, or a file named .parquet, that holds nothing.

    What JSON lines hold is known once they are read.
    """
    if format_of(path) not in (None, JSON_LINES) and not os.path.isdir(path):  # noqa: PTH112 (as above)
        _check_filled(_content(path, reading))


def _check_filled(content: Content) -> None:
    if not content.head:
        raise UnreadableError("is empty", file=content.name)
    if not (content.head.strip() or any(block.strip() for block in content.blocks())):
        raise UnreadableError("holds only blank lines", file=content.name)


def _columns(
    form: RecordFormat | None, content: Content, reading: Reading, fields: Fields
) -> Mapping[str, Any] | None:
    """The fields of the first record, none of Parquet; None for another array than of records."""
    if form in DELIMITED:
        return dict.fromkeys(_header(form, content, reading).names)
    if form == JSON_LINES:
        return next((row for row in first_rows(content) if isinstance(row, dict)), {})
    if form == JSON_ARRAY:
        within = _list_in(content, fields)
        rows = elements_in(content, SkippedLines(content, lambda _: None), within)
        is_of_records = ARRAY.match(content.head) or OBJECT.match(content.head)
        return next((row for _, row in rows), {}) if is_of_records else None
    return {}


def _list_in(content: Content, fields: Fields) -> str:
    """The path of the list of records in a JSON file that is one object; "" for another file."""
    within, sign, _ = fields.text.partition("[].")
    return within if sign and OBJECT.match(content.head) else ""


def _header(form: RecordFormat | None, content: Content, reading: Reading) -> Header:
    return header_of(content, "\t" if form == TSV else "", reading.encoding)


FieldNames = tuple[tuple[str, ...], bool]
"""The names of fields of a file of records, and whether its records have no others."""


def field_names(path: str | Path, fields: Fields, reading: Reading) -> FieldNames:
    """The columns of a table, or the fields of the first record of JSON. Raises UnreadableError."""
    content = _content(path, reading)
    form = record_format(path, reading, fields)
    if form != PARQUET:
        return (*(_columns(form, content, reading, fields) or ()),), form in DELIMITED
    if find_spec("pyarrow") is None:
        raise UnreadableError("Parquet is read by pyarrow", file=content.name)
    job = PartSpec.of("parquet-columns")
    with unnamed_file(content.name) as (store, into):
        unpack(job, content, reading.limits, into, "jobs")
    return (*json.loads(store.read(0, store.size)),), True


@dataclass(frozen=True)
class RecordFile:
    """The rows of a file of records, which is `content` in the format `form`.

    The rows of Parquet are JSON lines there. `header` is that of CSV and TSV. `within` is the path
    of the list of records in one JSON object, from which on `fields` go.
    """

    content: Content
    form: RecordFormat
    fields: Fields
    reading: Reading
    header: Header | None = None
    within: str = ""

    @classmethod
    def at(
        cls, path: str | Path, fields: Fields, reading: Reading, note: Note, *, whole: bool = False
    ) -> RecordFile:
        """The file at `path`; `whole` rows of Parquet have nested columns, too.

        Raises UnreadableError, and OptionError for Parquet without pyarrow.
        """
        content = _content(path, reading)
        form = record_format(path, reading, fields)
        if form != JSON_LINES:
            _check_filled(content)
        if form == PARQUET:
            need_pyarrow("Parquet", file=content.name)
            part = PartSpec.of("parquet", text=fields.text, id=fields.id, nested=whole)
            with unnamed_file(content.name) as (store, into):
                result = unpack(part, content, reading.limits, into, "tables")
            for problem in result.problems:
                note(replace(problem, path=str(content.path)))
            stored = ByteRange(store, 0, store.size)
            content = replace(content, called=content.name, stored=stored)
        header = _header(form, content, reading) if form in DELIMITED else None
        within = _list_in(content, fields) if form == JSON_ARRAY else ""
        if within:
            fields = replace(fields, text=fields.text.removeprefix(f"{within}[]."))
        return cls(content, form, fields, reading, header, within)

    def skipped(self, note: Note, fate: str = LEFT_OUT) -> SkippedLines:
        """The rows that are left out, with their messages."""
        return SkippedLines(self.content, note, self.form.noun, fate)

    def note_encoding(self, note: Note) -> None:
        """Note a table that is in UTF-8 and is read in another encoding, which the user names."""
        if self.header and self.reading.encoding:
            for problem in Encoding(self.reading.encoding, named=True).problems(self.content):
                note(problem)

    def rows(self, left_out: SkippedLines) -> Iterator[tuple[int, Row]]:
        """The rows with their places; what is none goes to `left_out`. Raises UnreadableError."""
        if self.header:
            return table_rows(self.content, self.header, left_out, self.reading.encoding)
        if self.form == JSON_ARRAY:
            return elements_in(self.content, left_out, self.within)
        return objects_in(self.content, left_out)

    def typed(self, row: Row) -> Row:
        """The cells of CSV and TSV as numbers where they are written so; other rows as they are.

        The text and the id stay texts, and empty cells are left out.
        """
        if not self.header:
            return row
        typed = row.copy()
        for name in self._others:
            if cell := row[name]:
                typed[name] = number_of(cell)
            else:
                del typed[name]
        return typed

    @cached_property
    def _others(self) -> list[str]:
        named = (self.fields.text, self.fields.id or "id")
        return [name for name in (self.header.names if self.header else ()) if name not in named]

    def without(self, places: AbstractSet[int]) -> Iterator[bytes]:
        """The bytes without the rows at those places, as they are in the file.

        Elements of a JSON array come one by one. Raises UnreadableError.
        """
        if self.header:
            return table_without(places, self.content, self.header, self.reading.encoding)
        if self.form == JSON_ARRAY:
            return elements_without(places, self.content, self.within)
        return lines_with(self.content.blocks(), places, lambda *_: None)


def records_in(
    path: str | Path, fields: Fields, note: Note, reading: Reading | None = None, root: str = ""
) -> Iterator[InputDocument]:
    """The records in the file at `path`, one by one; memory does not grow with its size.

    A line without a record is a problem, and so is a second record of the same id; the others
    are read. A compressed file and Parquet unpack to at most `max_bytes` of the reading; a plain
    file may have any size. Raises OptionError if none of the first records has the fields
    named, and if Parquet cannot be read because pyarrow is not installed.
    """
    try:
        file = RecordFile.at(path, fields, reading or Reading(), note)
        check_fields(file)
        file.note_encoding(note)
        fields, left_out = file.fields, file.skipped(note)
        called = f"{shown(path)}: {file.form.noun}"
        seen: set[int] = set()  # hashes of names, of 64 bits: some 90 bytes for each record
        for number, (place, row) in enumerate(file.rows(left_out)):
            if not number and not fields.id and row.get("id") is not None:
                fields = replace(fields, id="id")
            record = record_of(file.typed(row), fields, place)
            if isinstance(record, str):
                left_out.add(place, record)
                continue
            if fields.id and (key := hash(record.name)) in seen:
                what = f"its {fields.id} is that of an earlier record: {brief(record.name)}"
                left_out.add(place, what)
                continue
            if fields.id:
                seen.add(key)
            yield record._replace(root=root, place=f"{called} {place}")
        left_out.end()
    except UnreadableError as error:
        note(Problem.of(error, path))


def longest_text(path: str | Path, fields: Fields, reading: Reading) -> int:
    """The number of characters of the longest text in a file of records, as far as it can be read.

    Raises OptionError as `records_in` does.
    """
    longest = 0
    with suppress(UnreadableError):  # reading the records will give the reason
        file = RecordFile.at(path, fields, reading, lambda _: None)
        for _, row in file.rows(file.skipped(lambda _: None)):
            text = text_in_parts(field_of(row, file.fields.text))
            if isinstance(text, str) and len(text) > longest:
                longest = len(text)
    return longest


def check_fields(file: RecordFile) -> None:
    """OptionError if none of the first 100 records has a field that is named.

    Raises UnreadableError if there are no records at all, with the reason of the first line.
    """
    named = (("text_field", file.fields.text), ("id_field", file.fields.id))
    check_any_of(file, [(option, [name]) for option, name in named if name])


def check_any_of(file: RecordFile, named: Iterable[tuple[str, Sequence[str]]]) -> None:
    """OptionError if none of the first 100 records has one of the fields of an option.

    Raises UnreadableError if there are no records at all, with the reason of the first line.
    """
    rows: list[Row] = []
    left_out = file.skipped(lambda _: None)
    is_damaged = True
    with suppress(UnreadableError):  # the rows before the damage are read
        places = file.rows(left_out)
        rows.extend(row for _, row in islice(places, _CHECKED_RECORDS))
        is_damaged = False
    if not rows and not is_damaged:
        if file.form != PARQUET:  # whose content is that of its rows
            _check_filled(file.content)
        first = f" ({left_out.first})" if left_out.first else ""
        raise UnreadableError(f"holds no records{first}", file=file.content.name)
    check_rows(rows, named, file.content.name)


def check_rows(rows: Sequence[Row], named: Iterable[tuple[str, Sequence[str]]], file: str) -> None:
    """OptionError if none of some rows of a file has one of the fields of an option."""
    for option, names in named:
        if rows and not any(
            name in row or field_of(row, name) is not None for row in rows for name in names
        ):
            what = f"has no field {' or '.join(map(brief, names))}; it has {listed(rows[0])}"
            raise OptionError(f"{what}; name one as {option}", file=file)


def write_rows_without(
    paths: Sequence[Path],
    places: Mapping[int, frozenset[int]],
    file: BinaryIO,
    reading: Reading,
    marks: Mapping[int, Mapping[int, int]] | None = None,
) -> None:
    """Write the rows of all files to `file`, but for those at `places` by the number of the file.

    Their columns stay as they are; with `marks` by file and place they get a column `cluster`. A
    sandboxed process does it, within the limits of `reading`. Raises UnreadableError.
    """
    first, *others = (_content(path, reading) for path in paths)
    with ExitStack() as stack:
        try:
            made = TemporaryDirectory(prefix="sdtext-", ignore_cleanup_errors=True)
        except OSError as error:
            raise UnreadableError(f"cannot create a temporary file: {reason(error)}") from error
        folder = Path(stack.enter_context(made))
        removed = ((number, row) for number, rows in places.items() for row in sorted(rows))
        gone, clusters = _saved(removed, folder / "gone"), ""
        if marks is not None:
            columns = ((number, *mark) for number in marks for mark in marks[number].items())
            clusters = _saved(columns, folder / "clusters")
        copies = tuple(str(stack.enter_context(other.local())) for other in others)
        part = PartSpec.of("parquet-rows", gone=gone, others=copies, clusters=clusters)
        unpack(part, first, reading.limits, folder / "kept", "jobs")
        with (folder / "kept").open("rb") as kept:
            copyfileobj(kept, file)


def _saved(rows: Iterable[Sequence[int]], path: Path) -> str:
    with path.open("wb") as file:
        array("q", chain.from_iterable(rows)).tofile(file)
    return str(path)


def write_records(
    rows: Rows, form: RecordFormat, file: BinaryIO, like: RecordFile | None = None
) -> None:
    """Write rows to `file` in a format; a table gets the separator and quotes of the one `like` it.

    CSV, TSV and Parquet get a column for each field of any row, in the order in which the fields
    appear; a cell is empty where a row lacks its field. In CSV and TSV, lists and objects are JSON.
    Raises OptionError for Parquet without pyarrow.
    """
    if form == PARQUET:
        _write_parquet(rows, file)
    elif form in DELIMITED:
        header = (like and like.header) or Header((), "\t" if form == TSV else ",")
        line = like.content.head.split(b"\n", 1)[0] if like else b""
        are_quoted = line.count(b'"') >= 2 * len(header.names) > 0
        quoting: Literal[0, 1] = csv.QUOTE_ALL if are_quoted else csv.QUOTE_MINIMAL
        names = list(dict.fromkeys(name for row in rows() for name in row))
        text = TextIOWrapper(file, "utf-8", errors="replace", newline="", write_through=True)
        table = csv.writer(text, delimiter=header.delimiter, quoting=quoting, lineterminator="\n")
        table.writerow(names)
        table.writerows([cell_text(row.get(name)) for name in names] for row in rows())
        text.detach()
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
        return json_text(row).encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json_text(row, ensure_ascii=True).encode()


def _write_parquet(rows: Rows, file: BinaryIO) -> None:
    need_pyarrow("Parquet")
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
    return cut_batches(rows, lambda _: 0, 0, _BATCH)


def _common(kind: pa.DataType | None, values: list[Any]) -> pa.DataType | None:
    """The type of a column with these values, too; None where no one type has them all."""
    import pyarrow as pa

    if kind is None:
        return None
    try:
        schemas = [pa.schema([("", each)]) for each in (kind, pa.array(values).type)]
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

    if pa.types.is_string(kind):  # with "?" for halves of surrogate pairs
        texts = (None if value is None else cell_text(value) for value in values)
        return pa.array([text and text.encode("utf-8", "replace").decode() for text in texts], kind)
    if pa.types.is_floating(kind):
        return pa.array([None if value is None else float(value) for value in values], kind)
    return pa.array(values, kind)
