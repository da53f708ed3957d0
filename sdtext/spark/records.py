"""Files of records as DataFrames: JSON lines, whose numbers are known, and Parquet.

Files are numbered in the order of their names, and a record by its file and its place there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.errors import OptionError, UnreadableError
from sdtext.model.record_formats import JSON_LINES, PARQUET, format_of
from sdtext.reading.records.json_records import MAX_LINE, object_of
from sdtext.reading.records.record import Fields, NoText, metadata_value, named_text
from sdtext.spark.stages import Batches, arrow, exists

TEXTS = "number long, name string, text string, problem string"
_LINES = "number long, value binary"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ROW_BITS = 43  # of a number; those above are of the file


@dataclass(frozen=True)
class RecordRows:
    """The records of some files: `rows` as they are, and their `texts`, both with a `number`."""

    rows: DataFrame
    texts: DataFrame
    is_parquet: bool

    @classmethod
    def at(cls, spark: SparkSession, paths: Sequence[str], fields: Fields) -> RecordRows:
        """The records at paths of files and folders. Raises UnreadableError, OptionError."""
        files = [file for path in paths for file in _files(spark, path)]
        forms = {format_of(Path(name)) for name in files}
        if len(forms) != 1 or not forms <= {JSON_LINES, PARQUET}:
            what = "engine spark reads files of JSON lines (.jsonl, .ndjson), or of Parquet"
            raise OptionError(what, file=str(paths[0]))
        names = {unquote(file): _as_named(file, paths) for file in files}
        is_parquet = forms == {PARQUET}
        read = spark.read.parquet(*files) if is_parquet else spark.read.text(files, lineSep="\n")
        begin = "row_index" if is_parquet else "file_block_start"
        read = read.select("*", F.col("_metadata.file_path").alias("_file"), f"_metadata.{begin}")
        numbers = {file: number << _ROW_BITS for number, file in enumerate(names)}
        if is_parquet:
            for option, name in (("text_field", fields.text), ("id_field", fields.id)):
                if name and name not in read.columns:
                    raise OptionError(
                        f"has no column {name!r}; name one as {option}", file=paths[0]
                    )
            pairs = [F.lit(each) for item in numbers.items() for each in item]
            at = F.element_at(F.create_map(*pairs), F.url_decode("_file")) + F.col(begin) + 1
            rows = read.withColumn("number", at).drop("_file", begin)
            own = fields.id or "id"
            own_id = F.col(own).cast("string") if own in rows.columns else F.lit(None)
            parsed = rows.select("number", own_id.alias(own), fields.text)
        else:
            counts = read.groupBy("_file", begin).count().orderBy("_file", begin).collect()
            firsts, total = dict[tuple[str, int], int](), dict[str, int]()
            for file, place, count in counts:
                firsts[file, place] = numbers[unquote(file)] + total.get(file, 0)
                total[file] = total.get(file, 0) + count
            lines = read.select(F.col("value").cast("binary"), "_file", begin)
            rows = parsed = lines.mapInArrow(partial(_numbered, firsts=firsts), _LINES)
        parse = partial(_parsed, fields=fields, names=[*names.values()])
        return cls(rows, parsed.mapInArrow(parse, TEXTS), is_parquet)

    @property
    def known(self) -> DataFrame:
        """The texts and their names, of the records that have any."""
        return self.texts.where("text is not null").select("number", "name", "text")

    @property
    def problems(self) -> DataFrame:
        """The problems of the others, in their order."""
        return self.texts.where("problem is not null").orderBy("number")

    def write_without(self, removed: DataFrame, path: str) -> None:
        """Write the records but for the removed ones, in their order and unchanged."""
        kept = self.rows.join(removed.select("number"), "number", "left_anti").orderBy("number")
        writer = kept.drop("number").write.mode("overwrite")
        writer.parquet(path) if self.is_parquet else _as_text(kept, path)


def _as_text(lines: DataFrame, path: str) -> None:
    lines.select(F.col("value").cast("string")).write.mode("overwrite").text(path)


def _files(spark: SparkSession, path: str) -> list[str]:
    """The files at a path, in the order of their names. Raises UnreadableError."""
    if not exists(spark, path):
        raise UnreadableError("does not exist", file=path)
    listed = spark.read.format("binaryFile").option("recursiveFileLookup", value=True).load(path)
    return sorted(row[0] for row in listed.select("_metadata.file_path").collect())


def _as_named(file: str, paths: Sequence[str]) -> str:
    """The path of a file as the user names it, or its folder."""
    plain = unquote(file)
    for path in paths:
        whole = str(Path(path).absolute())
        if "://" not in path and plain.removeprefix("file:").startswith(whole):
            return path + plain.removeprefix("file:").removeprefix(whole)
    return plain


def _numbered(batches: Batches, firsts: Mapping[tuple[str, int], int]) -> Batches:
    """Lines with their numbers; a task has those of a block of a file in their order."""
    block, place = None, 0
    for batch in batches:
        numbers = []
        for here in zip(batch.column(1).to_pylist(), batch.column(2).to_pylist(), strict=True):
            place = place + 1 if here == block else firsts[here] + 1
            block = here
            numbers.append(place)
        yield arrow(_LINES, numbers, batch.column(0))


def _parsed(batches: Batches, fields: Fields, names: Sequence[str]) -> Batches:
    """The texts and names of records; those without have a problem."""
    for batch in batches:
        texts = [_text_of(row, fields, names) for row in batch.to_pylist()]
        columns = zip(*filter(None, texts), strict=True) if any(texts) else ([], [], [], [])
        kinds = pa.int64(), pa.string(), pa.string(), pa.string()
        yield arrow(TEXTS, *(pa.array(c, k) for c, k in zip(columns, kinds, strict=True)))


def _text_of(row: dict[str, Any], fields: Fields, names: Sequence[str]) -> tuple[Any, ...] | None:
    """The number, name, text and problem of a record; None for an empty line."""
    number: int = row["number"]
    file, place = number >> _ROW_BITS, number & ((1 << _ROW_BITS) - 1)
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
