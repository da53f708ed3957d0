"""Files of records as DataFrames: JSON lines, whose numbers are known, and Parquet.

Files are numbered in the order of their names, and a record by its file and its place there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.deduplication.source_documents import repeated_ids
from sdtext.errors import OptionError, UnreadableError
from sdtext.model import Problem
from sdtext.model.record_formats import JSON_LINES, PARQUET, format_of
from sdtext.reading.records.json_records import MAX_LINE, object_of
from sdtext.reading.records.record import (
    Fields,
    NoText,
    field_of,
    listed,
    metadata_value,
    named_text,
)
from sdtext.spark.stages import Batches, Report, Work, arrow_rows, check_columns, exists
from sdtext.wording import brief

TEXTS = "number long, name string, text string, problem string"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ROW_BITS = 43  # of a number; those above are of the file
_PLACE = (1 << _ROW_BITS) - 1


@dataclass(frozen=True)
class RecordRows:
    """The records of some files: `rows` as they are, with a `number`, and the `work` on texts."""

    rows: DataFrame
    work: Work
    names: Sequence[str]
    is_parquet: bool

    @classmethod
    def at(
        cls,
        spark: SparkSession,
        paths: Sequence[str],
        fields: Fields,
        folder: str,
        report: Report | None,
    ) -> RecordRows:
        """The records at paths of files and folders. Raises UnreadableError, OptionError."""
        found = {file[0]: file for path in paths for file in _files(spark, path)}
        forms = {format_of(Path(unquote(file))) for file in found}
        if len(forms) != 1 or not forms <= {JSON_LINES, PARQUET}:
            what = "engine spark reads files of JSON lines (.jsonl, .ndjson), or of Parquet"
            raise OptionError(what, file=str(paths[0]))
        names = [_as_named(unquote(file), paths) for file in found]
        firsts = [(file, number << _ROW_BITS) for number, file in enumerate(found)]
        files = F.broadcast(spark.createDataFrame(firsts, "_file string, _first long"))
        is_parquet, plain = forms == {PARQUET}, [*map(unquote, found)]
        read = spark.read.parquet(*plain) if is_parquet else spark.read.text(plain, lineSep="\n")
        named = {"text_field": fields.text} | ({"id_field": fields.id} if fields.id else {})
        check = check_columns if is_parquet else _check_fields
        check(read, named, file=names[0])
        columns = read.columns
        read = read.withColumn("_file", F.col("_metadata.file_path"))
        if is_parquet:
            read = read.withColumn("_place", F.col("_metadata.row_index"))
        else:
            # Lines are counted in each block of a file, which one task reads in order.
            block = F.col("_metadata.file_block_start").alias("_block")
            read = read.select("*", block, F.monotonically_increasing_id().alias("_order"))
            counts = F.count("*").alias("_lines"), F.min("_order").alias("_least")
            total = F.sum("_lines").over(Window.partitionBy("_file").orderBy("_block"))
            before = total - F.col("_lines") - F.col("_least")
            blocks = read.groupBy("_file", "_block").agg(*counts).withColumn("_before", before)
            read = read.join(F.broadcast(blocks), ["_file", "_block"])
            read = read.withColumn("_place", F.col("_before") + F.col("_order"))
        rows = read.join(files, "_file").selectExpr("_first + _place + 1 as number", *columns)
        own = fields.id or "id"
        wanted = {own: "string", fields.text: ""} if is_parquet else {"value": "binary"}
        needed = [
            F.col(name).cast(kind).alias(name) if kind else F.col(name)
            for name, kind in wanted.items()
            if name in columns
        ]
        parse = partial(_parsed, fields=fields, names=names)
        work = Work(rows, folder, "", report, unique=False).with_key(fields, *found.values())
        parsed = rows.select("number", *needed)
        texts = work.stage("texts", lambda: parsed.mapInArrow(parse, TEXTS))
        return cls(rows, replace(work, texts=texts), names, is_parquet)

    def problems(self, found: DataFrame | None = None) -> list[Problem]:
        """The problems of records in their order, or those found, and ids that repeat in a file."""
        texts = self.work.texts
        wrong = texts.where("problem is not null") if found is None else found
        rows = wrong.orderBy("number").select("problem").collect()
        problems = [Problem(*row[0].split("\t", 2)) for row in rows]
        file = F.shiftright("number", _ROW_BITS).alias("file")
        known = texts.where("text is not null").select("number", "name", file)
        earlier = F.lag("number").over(Window.partitionBy("file", "name").orderBy("number"))
        again = known.withColumn("earlier", earlier).where("earlier is not null").groupBy("file")
        first = F.min(F.struct("number", "earlier", "name"))
        noun = "row" if self.is_parquet else "line"
        for number, count, (second, other, name) in again.agg(F.count("*"), first).collect():
            places = other & _PLACE, second & _PLACE
            own = name.removeprefix(f"{self.names[number]}#")
            problems.append(repeated_ids(self.names[number], count, own, noun, places))
        return problems

    def write_without(self, removed: DataFrame, path: str) -> None:
        """Write the records but for the removed ones, in their order and unchanged."""
        kept = self.rows.join(removed.select("number"), "number", "left_anti").orderBy("number")
        writer = kept.drop("number").write.mode("overwrite")
        writer.parquet(path) if self.is_parquet else writer.text(path)


def _check_fields(lines: DataFrame, columns: Mapping[str, str], file: str) -> None:
    """Raise OptionError if none of the first 100 records in lines has a field that is named."""
    first = lines.select(F.col("value").cast("binary")).head(100)
    records = [object_of(row[0].removeprefix(_BYTE_ORDER_MARK)) for row in first]
    rows = [record for record in records if isinstance(record, dict)]
    for option, own in columns.items():
        if rows and not any(own in row or field_of(row, own) is not None for row in rows):
            what = f"has no field {brief(own)}; it has {listed(rows[0])}"
            raise OptionError(f"{what}; name one as {option}", file=file)


def _files(spark: SparkSession, path: str) -> list[tuple[str, int, datetime]]:
    """The files at a path, in the order of their names. Raises UnreadableError."""
    if not exists(spark, path):
        raise UnreadableError("does not exist", file=path)
    known = spark.read.format("binaryFile").option("recursiveFileLookup", value=True).load(path)
    names = ("file_path", "file_size", "file_modification_time")
    return sorted(map(tuple, known.select(*(f"_metadata.{name}" for name in names)).collect()))


def _as_named(file: str, paths: Sequence[str]) -> str:
    """The path of a file as the user names it, or its folder."""
    for path in paths:
        whole = str(Path(path).absolute())
        if "://" not in path and file.removeprefix("file:").startswith(whole):
            return path + file.removeprefix("file:").removeprefix(whole)
    return file


def _parsed(batches: Batches, fields: Fields, names: Sequence[str]) -> Batches:
    """The texts and names of records; those without have a problem."""
    for batch in batches:
        texts = [_text_of(row, fields, names) for row in batch.to_pylist()]
        yield arrow_rows(TEXTS, [*filter(None, texts)])


def _text_of(row: dict[str, Any], fields: Fields, names: Sequence[str]) -> tuple[Any, ...] | None:
    """The number, name, text and problem of a record; None for an empty line."""
    number: int = row["number"]
    file, place = number >> _ROW_BITS, number & _PLACE
    noun, record = "row", cast("dict[str, Any] | str", row)
    if "value" in row:
        noun, line = "line", row["value"].removeprefix(_BYTE_ORDER_MARK if place == 1 else b"")
        if not line or line.isspace():
            return None
        is_long = len(line) > MAX_LINE
        record = f"is longer than {MAX_LINE >> 20} MB" if is_long else object_of(line)
    named = record if isinstance(record, str) else named_text(record, fields, place)
    if isinstance(named, str) or isinstance(record, str):
        kind = "warning\tempty" if isinstance(named, NoText) else "error\tunreadable"
        called = f"{names[file]}: {noun} {place}"
        return number, called, None, f"{kind}\t{called}: {named}; it is kept as it is"
    own = named[0] if fields.id else metadata_value(record.get("id"))
    name = str(place if own is None else own)
    return number, f"{names[file]}#{name}" if len(names) > 1 else name, named[1], None
