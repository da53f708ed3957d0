"""Files of records as DataFrames: JSON lines, whose numbers are known, and Parquet.

Files are numbered in the order of their names, and a record by its file and its place there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.deduplication.source_documents import repeated_ids
from sdtext.errors import OptionError, UnreadableError
from sdtext.model import Problem
from sdtext.model.record_formats import JSON_LINES, PARQUET, format_of
from sdtext.parts.record_tables import cell_values
from sdtext.reading.records.json_records import MAX_LINE, object_of
from sdtext.reading.records.record import Fields, metadata_of, metadata_value, named_text
from sdtext.reading.records.record_files import check_rows
from sdtext.spark.stages import (
    CARRIED,
    Batches,
    Report,
    Work,
    arrow,
    check_columns,
    exists,
    problem_of,
)

_TEXTS = "number long, name string, text string, problem string, keep string, scope string"
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
        folder: str | None,
        report: Report | None,
        carried: Mapping[str, str],
    ) -> RecordRows:
        """The records at paths of files and folders. Raises UnreadableError, OptionError."""
        found = {file[0]: (path, file) for path in paths for file in _files(spark, path)}
        plain, firsts = [*map(unquote, found)], zip(found, count(0, 1 << _ROW_BITS), strict=False)
        # Named as the user names them, or their folder.
        names = [
            file.removeprefix("file://")
            .removeprefix("file:")
            .replace(str(Path(path).absolute()), path.rstrip("/"), 1)
            for file, (path, _) in zip(plain, found.values(), strict=True)
        ]
        forms = {format_of(Path(file)) for file in plain}
        if len(forms) != 1 or not forms <= {JSON_LINES, PARQUET}:
            what = "engine spark reads files of JSON lines (.jsonl, .ndjson), or of Parquet"
            raise OptionError(what, file=str(paths[0]))
        files = F.broadcast(spark.createDataFrame([*firsts], "_file string, _first long"))
        named = {"text_field": fields.text} | ({"id_field": fields.id} if fields.id else {})
        if is_parquet := forms == {PARQUET}:
            read = spark.read.parquet(*plain)
            columns = read.columns
            check_columns(read, {**named, **carried}, file=names[0])
            wanted = {fields.id or "id", fields.text, *carried.values()}
            needed = [F.col(name) for name in columns if name in wanted]
            place = F.col("_metadata.row_index").alias("_place")
            read = read.select("*", F.col("_metadata.file_path").alias("_file"), place)
        else:
            read = spark.read.text(plain, lineSep="\n")
            columns, needed = read.columns, [F.col("value").cast("binary").alias("value")]
            lines = (
                row[0].removeprefix(_BYTE_ORDER_MARK) for row in read.select(*needed).head(100)
            )
            rows = [record for record in map(object_of, lines) if not isinstance(record, str)]
            check_rows(rows, [(option, [name]) for option, name in named.items()], names[0])
            # Lines are counted in each block of a file, which one task reads in order.
            names_of = ("_metadata.file_path as _file", "_metadata.file_block_start as _block")
            read = read.selectExpr("*", *names_of, "monotonically_increasing_id() as _order")
            counts = F.count("*").alias("_lines"), F.min("_order").alias("_least")
            total = F.sum("_lines").over(Window.partitionBy("_file").orderBy("_block"))
            before = total - F.col("_lines") - F.col("_least")
            blocks = read.groupBy("_file", "_block").agg(*counts).withColumn("_before", before)
            read = read.join(F.broadcast(blocks), ["_file", "_block"])
            read = read.withColumn("_place", F.col("_before") + F.col("_order"))
        numbered = read.join(files, "_file").selectExpr("_first + _place + 1 as number", *columns)
        parse = partial(_parsed, fields=fields, names=names, carried=carried)
        work = Work(numbered, folder or "", unique=False).in_folder(report)
        work = work.with_key(fields, carried, *(file for _, file in found.values()))
        parsed = numbered.select("number", *needed)
        texts = work.stage("texts", lambda: parsed.mapInArrow(parse, _TEXTS))
        return cls(numbered, replace(work, texts=texts), names, is_parquet)

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
        for number, many, (second, other, name) in again.agg(F.count("*"), first).collect():
            places = other & _PLACE, second & _PLACE
            own = name.removeprefix(f"{self.names[number]}#")
            problems.append(repeated_ids(self.names[number], many, own, noun, places))
        return problems

    def write_without(self, removed: DataFrame, path: str) -> None:
        """Write the records but for the removed ones, in their order and unchanged."""
        kept = self.rows.join(removed.select("number"), "number", "left_anti").orderBy("number")
        writer = kept.drop("number").write.mode("overwrite")
        writer.parquet(path) if self.is_parquet else writer.text(path)


def _files(spark: SparkSession, path: str) -> list[tuple[str, int, datetime]]:
    """The files at a path, in the order of their names. Raises UnreadableError."""
    if not exists(spark, path):
        raise UnreadableError("does not exist", file=path)
    known = spark.read.format("binaryFile").option("recursiveFileLookup", value=True).load(path)
    names = ("file_path", "file_size", "file_modification_time")
    return sorted(map(tuple, known.select(*(f"_metadata.{name}" for name in names)).collect()))


def _parsed(
    batches: Batches, fields: Fields, names: Sequence[str], carried: Mapping[str, str]
) -> Batches:
    """The number, name and text of each record, or its problem; nothing for an empty line."""
    for batch in batches:
        texts = list[tuple[Any, ...]]()
        columns = zip(*map(cell_values, batch.columns), strict=True)
        for row in (dict(zip(batch.schema.names, each, strict=True)) for each in columns):
            file, place = row["number"] >> _ROW_BITS, row["number"] & _PLACE
            noun, record = "row", cast("dict[str, Any] | str", row)
            if "value" in row:
                line = row["value"].removeprefix(_BYTE_ORDER_MARK if place == 1 else b"")
                if not line or line.isspace():
                    continue
                is_long = len(line) > MAX_LINE
                noun = "line"
                record = f"is longer than {MAX_LINE >> 20} MB" if is_long else object_of(line)
            named = record if isinstance(record, str) else named_text(record, fields, place)
            if isinstance(record, str) or isinstance(named, str):
                called = f"{names[file]}: {noun} {place}"
                problem = problem_of(called, named, " as it is")
                texts.append((row["number"], called, None, problem, None, None))
                continue
            own = named[0] if fields.id else metadata_value(record.get("id"))
            name = str(place if own is None else own)
            name = f"{names[file]}#{name}" if len(names) > 1 else name
            known = metadata_of({each: record.get(each) for each in carried.values()})
            values = (known.get(carried[each]) if each in carried else "" for each in CARRIED)
            cells = (each if each is None else str(each) for each in values)
            texts.append((row["number"], name, named[1], None, *cells))
        yield arrow(_TEXTS, *zip(*texts, strict=True))
