"""The verbs of the command line as jobs of Spark, on files of records."""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from itertools import repeat
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.decontamination.benchmark_items import Contamination
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.source_documents import repeated_ids
from sdtext.errors import OptionError, OutputError, SdtextError, UnreadableError
from sdtext.fingerprinting.load_and_save import save
from sdtext.model import Origin, Problem
from sdtext.model.record_formats import JSON_LINES, PARQUET, RecordFormat, format_of
from sdtext.parts.load_recipe import recipe_from
from sdtext.parts.record_tables import cell_values
from sdtext.reading.overwrite_guard import DICTIONARY, Output
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.json_records import row_in
from sdtext.reading.records.record import Fields, metadata_of, metadata_value, named_text
from sdtext.reading.records.record_files import check_rows
from sdtext.reports.row_formats import write_rows
from sdtext.spark.decontaminate import matches_of
from sdtext.spark.deduplicate import fields_of, removed_of
from sdtext.spark.search import hits_of, pairs_of
from sdtext.spark.stages import (
    CARRIED,
    NO_FIELDS,
    TEXTS,
    Batches,
    Report,
    Work,
    arrow,
    check_columns,
    exists,
    folder_of,
    key_of,
    problem_of,
)
from sdtext.spark.terms import create_dictionary, fingerprint

_ROW_BITS = 43  # of a number; those above are of the file
_PLACE = (1 << _ROW_BITS) - 1
_PART = 1 << 16  # records for each part of an output
_BLOCKS = "_file string, _block long, _least long, _stop long, _shift long, _part int"
_CHANGED = "raise_error('files were cut otherwise before; set spark.sql.files.minPartitionNum')"
_QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.memory": "4g",
    # The first compiler alone takes a third less processor time for jobs of minutes.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "64",
    # Snappy, the default, does not load where the system has another C library besides its own.
    "spark.sql.parquet.compression.codec": "gzip",
}
"""Settings of a Spark of this machine, unless others are stated."""


Show = Callable[[Sequence[str], Iterable[Mapping[str, Any]], str], None]


@dataclass(frozen=True)
class _Records:
    """The records of some files: `rows` as they are, with a `_number`, and the `work` on texts.

    `_part` is the one of so many `parts` of the output in which a record stands.
    """

    rows: DataFrame
    parts: int
    work: Work
    names: Sequence[str]
    form: RecordFormat

    def problems(self, known: DataFrame | None = None) -> list[Problem]:
        """The problems of records in their order, or those `known`; and ids that repeat in a file.

        What could not be read has no name.
        """
        known = self.work.texts if known is None else known
        rows = known.where("problem is not null").orderBy("number").select("problem").collect()
        problems = [Problem(*row[0].split("\t", 2)) for row in rows]
        file = F.shiftright("number", _ROW_BITS).alias("file")
        known = known.where("name is not null").select("number", "name", file)
        earlier = F.lag("number").over(Window.partitionBy("file", "name").orderBy("number"))
        again = known.withColumn("earlier", earlier).where("earlier is not null").groupBy("file")
        first = F.min(F.struct("number", "earlier", "name"))
        for number, many, (second, other, name) in again.agg(F.count("*"), first).collect():
            places = other & _PLACE, second & _PLACE
            own = name.removeprefix(f"{self.names[number]}#")
            problems.append(repeated_ids(self.names[number], many, own, self.form.noun, places))
        return problems

    def write_without(self, removed: DataFrame, path: str) -> None:
        """Write the records but for the removed ones, in their order and unchanged."""
        gone = removed.selectExpr("number as _number")
        kept = self.rows.join(gone, "_number", "left_anti")
        ordered = kept.repartitionById(self.parts, "_part").sortWithinPartitions("_number")
        writer = ordered.drop("_number", "_part").write.mode("overwrite")
        writer.parquet(path) if self.form == PARQUET else writer.text(path)


@dataclass(frozen=True)
class _Job:
    """A verb with its parameters and its work folder; its stages and rows are shown.

    Each verb returns the problems of the records, and what was done in words.
    """

    spark: SparkSession
    values: Mapping[str, Any]
    folder: str
    report: Report
    show: Show

    def records(
        self, name: str, carried: Mapping[str, str] = NO_FIELDS, *, is_read_once: bool = False
    ) -> _Records:
        """The records at the paths of a parameter, of files and folders.

        Files are numbered in the order of their names, and a record by its file and its place
        there. Texts are a stage unless they are read once. Raises UnreadableError, OptionError.
        """
        spark, given, fields = self.spark, self.values[name], Fields()
        if "text_field" in self.values:
            fields = Fields(self.values["text_field"], self.values["id_field"])
        called = dict[str, str]()  # names of files, as the user names them or their folder
        for path in [given] if isinstance(given, str) else given:
            listed = spark.read.format("binaryFile").option("recursiveFileLookup", value=True)
            for file in sorted(map(_address, listed.load(path).inputFiles())):
                name = file.removeprefix("file:")
                name = name.replace(str(Path(path).absolute()), path.rstrip("/"), 1)
                called.setdefault(file, name)
        files, names = [*called], [*called.values()]
        form, *others = {*map(format_of, files)} or {None}
        if others or form not in (JSON_LINES, PARQUET):
            what = "engine spark reads files of JSON lines (.jsonl, .ndjson), or of Parquet"
            raise OptionError(what, file=str(given if isinstance(given, str) else given[0]))
        named = {"text_field": fields.text} | ({"id_field": fields.id} if fields.id else {})
        if form == PARQUET:
            read = spark.read.parquet(*files)
            check_columns(read, {**named, **carried}, file=names[0])
            wanted = {fields.id or "id", fields.text, *carried.values()}
            needed = [F.col(name) for name in read.columns if name in wanted]
        else:
            read = spark.read.text(files, lineSep="\n")
            needed = [F.col("value").cast("binary").alias("value")]
            lines = [row[0] for row in read.select(*needed).head(100)]
            known = [row for row in map(row_in, repeat(1), lines) if isinstance(row, dict)]
            check_rows(known, [(option, [name]) for option, name in named.items()], names[0])
        numbered, parts, versions = _numbered(read, form, files)
        key = key_of(fields, carried, names, versions)
        parse = partial(_parsed, fields=fields, names=names, carried=carried, noun=form.noun)
        rows = numbered.select("_number", *needed)
        work = Work(rows, folder_of(spark, self.folder), key, self.report, parse)
        if not is_read_once:
            work = replace(work, rows=work.stage("texts", work.texts), parse=None)
        return _Records(numbered, parts, work, names, form)

    def output(self, name: str = "output", needed: str = "") -> str:
        """The path of an output that Spark writes. Raises OptionError, OutputError."""
        path = str(self.values[name] or "")
        if needed and not path:
            raise OptionError(f"output names a folder for {needed}; name one with -o")
        if path == "-" or (path and not self.values["force"] and exists(self.spark, path)):
            raise OutputError("exists, or is no folder; name another one, or use force", file=path)
        return path

    def print_rows(self, schema: str, rows: DataFrame) -> None:
        self.show(rows.columns, (row.asDict() for row in rows.toLocalIterator()), schema)

    def deduplicate(self) -> tuple[list[Problem], str]:
        values, output = self.values, self.output(needed="what is kept")
        removed_path = self.output("removed")
        if removed_path and Path(removed_path).suffix not in (".jsonl", ".parquet"):
            what = "its ending names no format; use .jsonl or .parquet"
            raise OptionError(what, file=removed_path)
        chosen = recipe_from(values["recipe"]) if values["recipe"] else None
        options = {name: values[name] for name in ("keep", "rule", "scope")}
        rules = Rules(chosen, values["minimum"], **options)
        fields = fields_of(rules)
        records, others = self.records("inputs", fields, is_read_once=True), None
        if values["against"]:
            scope = {name: field for name, field in fields.items() if name != "keep"}
            others = self.records("against", scope)
        removed, known = removed_of(records.work, rules, others.work if others else None)
        self.report("kept")
        records.write_without(removed, output)
        if removed_path:
            self.report("rows")
            rows = removed.orderBy("number").drop("number")
            if removed_path.endswith(".parquet"):
                rows.write.mode("overwrite").parquet(removed_path)
            else:
                lines = rows.mapInArrow(_json_lines, "value string")
                lines.write.mode("overwrite").text(removed_path)
        read, gone = known.where("name is not null").count(), removed.count()
        done = f"{read:,} read, {read - gone:,} kept, {gone:,} removed"
        return records.problems(known) + (others.problems() if others else []), done

    def find_pairs(self) -> tuple[list[Problem], str]:
        records = [self.records(name) for name in ("path", "other") if self.values[name]]
        job, *others = (each.work for each in records)
        self.print_rows("sdtext/pairs/1", pairs_of(job, self.values["question"], *others))
        return [problem for each in records for problem in each.problems()], "done"

    def find_similar(self) -> tuple[list[Problem], str]:
        records, queries = self.records("path"), self.records("files")
        hits = hits_of(records.work, queries.work, self.values["question"])
        self.print_rows("sdtext/similar/1", hits)
        return records.problems() + queries.problems(), "done"

    def create_dictionary(self) -> tuple[list[Problem], str]:
        values = self.values
        target = Output(values["output"], DICTIONARY, values["force"])
        target.check(values["files"])
        records, most, name = self.records("files"), values["max_terms"], values["name"] or ""
        made = create_dictionary(records.work, values["config"], max_terms=most, name=name)
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        made = replace(made, origin=Origin(str(uuid4()), moment))
        save(made, values["output"], may_replace=target.check_replaced)
        return records.problems(), f"{len(made.terms):,} terms of {made.documents:,} documents"

    def fingerprint(self) -> tuple[list[Problem], str]:
        output, records = self.output(needed="the rows, in Parquet"), self.records("files")
        bits = fingerprint(records.work, self.values["dictionaries"])
        bits.write.mode("overwrite").parquet(output)
        return records.problems(), f"{output}: a row for each document and dictionary"

    def decontaminate(self) -> tuple[list[Problem], str]:
        values, output = self.values, self.output()
        names = ("min_words", "with_answer", "question_field", "answer_field")
        asked = Contamination(values["minimum"], *(values[name] for name in names))
        records, run = self.records("inputs"), Run(problems=[])
        matches = matches_of(records.work, values["benchmark"], asked, run)
        if output:
            records.write_without(matches.select("number").distinct(), output)
        self.print_rows("sdtext/decontamination/1", matches.drop("number", "place"))
        return [*run.found, *records.problems()], "done"


def _address(file: str) -> str:
    """The address of a file, which has two forms in Spark."""
    return re.sub("^file:/+", "file:/", unquote(file))


def _numbered(
    read: DataFrame, form: RecordFormat, files: Sequence[str]
) -> tuple[DataFrame, int, list[tuple[str, Any]]]:
    """Records with a `_number`, and with the `_part` of an output, one of so many.

    A task reads a block of a file in order. The records of each block are counted once. Also the
    files with records, and when each was changed, with its size.
    """
    order = "_metadata.row_index" if form == PARQUET else "monotonically_increasing_id()"
    fields = {"file": "path", "block": "block_start", "time": "modification_time", "size": "size"}
    named = (f"_metadata.file_{field} as _{name}" for name, field in fields.items())
    placed = read.selectExpr("*", *named, f"{order} as _order")
    counts = F.min("_order"), F.count("*"), F.max(F.struct("_time", "_size"))
    counted = placed.groupBy("_file", "_block").agg(*counts).collect()
    numbers = {file: (place << _ROW_BITS) + 1 for place, file in enumerate(files)}
    counted.sort(key=lambda row: (numbers[_address(row[0])], row[1]))
    every, before = sum(row[3] for row in counted), 0
    parts = max(1, min(len(counted), every // _PART))
    blocks = list[tuple[Any, ...]]()
    for file, begin, least, number, _ in counted:
        first = numbers[_address(file)]
        blocks.append((file, begin, least, least + number, first - least, before * parts // every))
        numbers[_address(file)], before = first + number, before + number
    known = read.sparkSession.createDataFrame(blocks, _BLOCKS)
    numbered = placed.join(F.broadcast(known), ["_file", "_block"], "left")
    number = F.expr(f"if(_order >= _least and _order < _stop, _order + _shift, {_CHANGED})")
    rows = numbered.withColumn("_number", number).select(*read.columns, "_number", "_part")
    return rows, parts, sorted({(file, version) for file, *_, version in counted})


def _parsed(
    batches: Batches, fields: Fields, names: Sequence[str], carried: Mapping[str, str], noun: str
) -> Batches:
    """The number, name and text of each record, or its problem; nothing for an empty line."""
    for batch in batches:
        texts = list[tuple[Any, ...]]()
        for number, *cells in zip(*map(cell_values, batch.columns), strict=True):
            file, place = number >> _ROW_BITS, number & _PLACE
            row: Any = dict(zip(batch.schema.names[1:], cells, strict=True))
            if noun == JSON_LINES.noun and (row := row_in(place, cells[0])) is None:
                continue
            named = row if isinstance(row, str) else named_text(row, fields, place)
            if isinstance(named, str):
                called = f"{names[file]}: {noun} {place}"
                texts.append((number, None, None, problem_of(called, named, " as it is"), "", ""))
                continue
            own = named[0] if fields.id else metadata_value(row.get("id"))
            name = str(place if own is None else own)
            name = f"{names[file]}#{name}" if len(names) > 1 else name
            known = metadata_of({each: row.get(each) for each in carried.values()})
            values = (known.get(carried[each]) if each in carried else "" for each in CARRIED)
            texts.append(
                (number, name, named[1], None, *(v if v is None else str(v) for v in values))
            )
        yield arrow(TEXTS, *zip(*texts, strict=True))


def _json_lines(batches: Batches) -> Batches:
    """The lines in which the local command writes rows."""
    for batch in batches:
        file = BytesIO()
        write_rows(file, "jsonl", batch.schema.names, batch.to_pylist(), {})
        yield arrow("value string", file.getvalue().decode("utf-8").split("\n")[:-1])


_VERBS = {
    "Deduplicate": _Job.deduplicate,
    "FindPairs": _Job.find_pairs,
    "FindSimilar": _Job.find_similar,
    "CreateDictionary": _Job.create_dictionary,
    "Fingerprint": _Job.fingerprint,
    "Decontaminate": _Job.decontaminate,
}


def run(
    verb: str,
    values: Mapping[str, Any],
    *,
    remote: str | None,
    master: str | None,
    conf: Sequence[str],
    report: Report,
    show: Show,
) -> tuple[list[Problem], str]:
    """Run a verb with these parameters; the problems of its inputs, and what was done in words.

    Its stages are in the folder of the setting `sdtext.work`, by default that of the output with
    the ending `.work`; without an output, in a temporary one of this machine.
    """
    if remote and master:
        raise OptionError("remote and master are two ways to reach Spark; name one of them")
    if wrong := [each for each in conf if "=" not in each[1:]]:
        raise OptionError.of("spark", "conf", wrong[0], "KEY=VALUE")
    home = os.environ.get("JAVA_HOME")
    if not remote and not shutil.which(f"{home}/bin/java" if home else "java"):
        raise OptionError(
            "engine spark needs Java 17 or later, and there is none: install it, such as by "
            "apt-get install openjdk-17-jre-headless, or name a Spark Connect server as remote"
        )
    stated = dict(each.split("=", 1) for each in conf)
    output = str(values.get("output") or "-")
    folder = stated.pop("sdtext.work", "" if output == "-" else f"{output.rstrip('/')}.work")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    builder = SparkSession.builder.appName("sdtext")
    builder = builder.remote(remote) if remote else builder.master(master or "local[*]")
    builder = builder.config(map={} if remote else {**_QUIET, **stated})
    is_started = False
    try:
        with builder.getOrCreate() as spark:
            is_started = True
            for name, value in stated.items() if remote else ():
                spark.conf.set(name, value)
            return _VERBS[verb](_Job(spark, values, folder, report, show))
    except SdtextError:
        raise
    except Exception as error:  # of Java, of gRPC, of pyspark
        # Without the traces of Java and Python.
        lines = map(str.strip, str(error).partition("JVM stacktrace")[0].splitlines())
        why = " ".join(line for line in lines if line and not line.startswith(("at ", "File ")))
        kind = UnreadableError if is_started else OptionError
        raise kind(f"spark: {why[:300]}") from error
