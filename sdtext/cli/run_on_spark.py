"""The verbs as jobs of Apache Spark, on files of records: `--engine spark`."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.cli.create_dictionary import write
from sdtext.cli.main import VERBOSE, is_set, say
from sdtext.cli.origin import name_of
from sdtext.cli.print_results import print_rows
from sdtext.decontamination.benchmark_items import Contamination
from sdtext.decontamination.decontaminate import items_of
from sdtext.decontamination.decontaminate import summary_of as summary_of_items
from sdtext.deduplication.deduplicate import summary_of
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.source_documents import repeated_ids
from sdtext.errors import OptionError, OutputError, SdtextError, UnreadableError
from sdtext.fingerprinting.fingerprint_documents import each_once
from sdtext.model import Problem
from sdtext.model.record_formats import JSON_LINES, PARQUET, RecordFormat, format_of
from sdtext.parts.load_recipe import files_of_recipe, recipe_from
from sdtext.reading.overwrite_guard import DICTIONARY, Output, check_folder
from sdtext.reading.parallel_run import Run, nothing_left
from sdtext.reading.records.arrow_frames import in_rows
from sdtext.reading.records.json_records import Row, row_in
from sdtext.reading.records.record import Fields, metadata_value, named_text
from sdtext.reading.records.record_files import check_rows
from sdtext.reports.row_formats import write_rows
from sdtext.search.search_in_parts import TEXTS, problem_of
from sdtext.spark.decontaminate import matches_of
from sdtext.spark.deduplicate import removed_of
from sdtext.spark.search import hits_of, pairs_of
from sdtext.spark.stages import CARRIED, NO_FIELDS, Work, check_columns, exists, folder_of, key_of
from sdtext.spark.terms import bits_of, dictionary_of_texts
from sdtext.wording import counted, shown

_ROW_BITS = 43  # of a number; those above are of the file
_PLACE = (1 << _ROW_BITS) - 1
_PART = 1 << 16  # records for each part of an output
_LINE = "value string"
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


@dataclass(frozen=True)
class _Records:
    """Records of files: `rows` as they are, each with its `_number`, and the `work` on texts.

    The output has so many `parts`, of which a record stands in `_part`.
    """

    rows: DataFrame
    parts: int
    work: Work
    names: Sequence[str]
    form: RecordFormat

    def note_problems(self, known: DataFrame, run: Run) -> None:
        """Note the problems of the `known` records, and ids that repeat among those with names.

        Raises UnreadableError if no record has a text.
        """
        rows = known.where("problem is not null").orderBy("number").select("problem").collect()
        run.note(*(Problem(*row[0].split("\t", 2)) for row in rows))
        file = F.shiftright("number", _ROW_BITS).alias("file")
        known = known.where("name is not null").select("number", "name", file)
        if not known.head(1):
            raise nothing_left(run, "no document could be read")
        earlier = F.lag("number").over(Window.partitionBy("file", "name").orderBy("number"))
        again = known.withColumn("earlier", earlier).where("earlier is not null").groupBy("file")
        first = F.min(F.struct("number", "earlier", "name"))
        for number, many, (second, other, name) in again.agg(F.count("*"), first).collect():
            places = other & _PLACE, second & _PLACE
            own = name.removeprefix(f"{self.names[number]}#")
            run.note(repeated_ids(self.names[number], many, own, self.form.noun, places))

    def texts(self, run: Run) -> Work:
        """The texts as a stage; their problems are noted."""
        staged = self.work.stage("texts", self.work.texts)
        self.note_problems(staged, run)
        return replace(self.work, rows=staged, parse=None)

    def write_without(self, removed: DataFrame, path: str) -> None:
        """Write the records but for the removed ones, in their order and unchanged."""
        kept = self.rows.join(removed.selectExpr("number as _number"), "_number", "left_anti")
        ordered = kept.repartitionById(self.parts, "_part").sortWithinPartitions("_number")
        writer = ordered.drop("_number", "_part").write.mode("overwrite")
        writer.parquet(path) if self.form == PARQUET else writer.text(path)


@dataclass(frozen=True)
class _Job:
    """The verbs, with their parameters and the folder of their stages."""

    spark: SparkSession
    values: Mapping[str, Any]
    folder: str
    run: Run = field(default_factory=lambda: Run(problems=[]))
    replaced: dict[str, str] = field(default_factory=dict)  # files in outputs, with the output

    def texts(self, *names: str) -> list[Work]:
        """The texts at the paths of parameters, all of which are checked before one is read."""
        records = [self.records(name) for name in names if self.values[name]]
        return [each.texts(self.run) for each in records]

    def records(self, name: str, carried: Mapping[str, str] = NO_FIELDS) -> _Records:
        """The records at the paths of a parameter, of files and folders.

        Files have numbers in the order of their names, and names as the user writes them. Raises
        UnreadableError, OptionError, OutputError.
        """
        spark, values, given = self.spark, self.values, self.values[name]
        fields = Fields(values.get("text_field", "text"), values.get("id_field", ""))
        paths, files = [given] if isinstance(given, str) else given, dict[str, tuple[str, Any]]()
        for path in paths:
            for file, version in _files(spark, path):
                place, home = file.removeprefix("file:"), str(Path(path).absolute())
                files.setdefault(file, (place.replace(home, path.rstrip("/"), 1), version))
        if not files:
            raise UnreadableError("holds no records", file=paths[0])
        if inputs := self.replaced.keys() & files:
            raise OutputError("holds inputs; name another folder", file=self.replaced[min(inputs)])
        names = [name for name, _ in files.values()]
        lines = (re.sub(r"(/part-[^/]*)\.txt", r"\1.jsonl", file) for file in files)  # of jobs
        form, *others = {None if it.endswith(".xz") else format_of(it) for it in lines}
        if others or form not in (JSON_LINES, PARQUET):
            raise OptionError("engine spark reads .jsonl files alone, or .parquet", file=paths[0])
        named = {"text_field": fields.text} | ({"id_field": fields.id} if fields.id else {})
        if form == PARQUET:
            read = spark.read.option("mergeSchema", value=True).parquet(*files)
            check_columns(read, {**named, **carried}, file=names[0])
            wanted = {fields.id or "id", fields.text, *carried.values()}
            needed = [F.col(name) for name in read.columns if name in wanted]
        else:
            read = spark.read.text([*files], lineSep="\n")
            needed = [F.col("value").cast("binary").alias("value")]
            known = [row_in(1, row[0]) for row in read.select(*needed).head(100)]
            rows = [row for row in known if isinstance(row, dict)]
            check_rows(rows, [(option, [name]) for option, name in named.items()], names[0])
        numbered, parts = _numbered(read, form, [*files])
        if not parts:
            raise UnreadableError("holds no records", file=names[0])
        key, folder = key_of(fields, carried, files), folder_of(spark, self.folder)
        make = partial(_texts, fields=fields, names=names, carried=carried, noun=form.noun)
        parse = in_rows(make, TEXTS)
        work = Work(numbered.select("_number", *needed), folder, key, say, parse)
        return _Records(numbered, parts, work, names, form)

    def output(self, name: str = "output", needed: str = "") -> str:
        """The path of an output that Spark writes. Raises OptionError, OutputError."""
        path = str(self.values[name] or "")
        if needed and not path:
            raise OptionError(f"output names a folder for {needed}; name one with -o")
        if path == "-" or (path and exists(self.spark, path)):
            if path == "-" or not self.values["force"]:
                raise OutputError("exists, or is no folder; name another, or use force", file=path)
            self.replaced.update((file, path) for file, _ in _files(self.spark, path))
        return path

    def print_rows(self, schema: str, rows: DataFrame, **beside: int) -> int:
        """Print rows, and return how many there are."""
        numbers = count()
        found = (row.asDict() for row, _ in zip(rows.toLocalIterator(), numbers, strict=False))
        form, problems = self.values["form"], self.run.found
        print_rows(form, rows.columns, found, schema, problems, None, **beside)
        return next(numbers)

    def deduplicate(self) -> list[str]:
        values, output = self.values, self.output(needed="what is kept")
        removed_path = self.output("removed")
        if removed_path and Path(removed_path).suffix not in (".jsonl", ".parquet"):
            raise OptionError("its ending is neither .jsonl nor .parquet", file=removed_path)
        chosen = recipe_from(values["recipe"]) if values["recipe"] else None
        options = {name: values[name] for name in ("keep", "rule", "scope")}
        rules = Rules(chosen, values["minimum"], **options)
        fields = {name: each.field for name, each in rules.choices.items()}
        records = self.records("inputs", fields)
        scope = {name: field for name, field in fields.items() if name != "keep"}
        others = self.records("against", scope).work if values["against"] else None
        removed, known = removed_of(records.work, rules, others)
        records.note_problems(known, self.run)
        say("kept")
        records.write_without(removed, output)
        if removed_path:
            say("rows")
            rows = removed.orderBy("number").drop("number")
            if removed_path.endswith(".jsonl"):
                lines = rows.mapInArrow(in_rows(_json_lines, _LINE), _LINE)
                lines.write.mode("overwrite").text(removed_path)
            else:
                rows.write.mode("overwrite").parquet(removed_path)
        counts = {"documents": known.where("name is not null").count()}
        numbers = "count(*) as removed", "count_if(cluster is null) as stored"
        row = removed.selectExpr(*numbers, "count(distinct cluster) as clusters").collect()[0]
        counts |= row.asDict() | {"kept": counts["documents"] - row.removed}
        return [summary_of(counts, 0, mark=False)]

    def find_pairs(self) -> list[str]:
        job, *others = self.texts("path", "other")
        pairs, lacking = pairs_of(job, self.values["question"], *others)
        if many := lacking.count():
            what = f"too many pairs of {counted(many, 'document')}: only enough are listed to "
            what += "connect the same documents"
            self.run.note(Problem("warning", "many-pairs", what))
        return [f"{counted(self.print_rows('sdtext/pairs/1', pairs), 'pair')} found"]

    def find_similar(self) -> list[str]:
        question = self.values["question"]
        if question.minimum is None and question.top is None:
            raise OptionError("name a score with -s, or a number with -k")
        job, queries = self.texts("path", "files")
        hits = hits_of(job, queries, question)
        return [f"{counted(self.print_rows('sdtext/similar/1', hits), 'document')} found"]

    def create_dictionary(self) -> list[str]:
        values, output = self.values, self.values["output"]
        target = Output(output, DICTIONARY, values["force"])
        target.check([*values["files"], *files_of_recipe(values["config"])])
        recipe, named = recipe_from(values["config"]), values["name"] or name_of(output)
        (job,) = self.texts("files")
        made = dictionary_of_texts(job, recipe, values["max_terms"], named)
        return [*write(made, target, recipe)]

    def fingerprint(self) -> list[str]:
        output = self.output(needed="the rows, in Parquet")
        known = each_once(self.values["dictionaries"])
        (job,) = self.texts("files")
        bits = bits_of(job, known)
        bits.write.mode("overwrite").parquet(output)
        return [f"{shown(output)}: a row for each document and dictionary"]

    def decontaminate(self) -> list[str]:
        values, output = self.values, self.output()
        names = ("min_words", "with_answer", "question_field", "answer_field")
        asked = Contamination(values["minimum"], *(values[name] for name in names))
        items = items_of([*values["benchmark"]], asked, self.run)
        records = self.records("inputs")
        matches, benchmark = matches_of(job := records.texts(self.run), items, asked, self.run)
        if output:
            records.write_without(matches.select("number").distinct(), output)
        read = job.texts.where("text is not null").count()
        distinct = "count(distinct number)", "count(distinct item)"
        row = matches.selectExpr("count(*)", "count_if(differs != '')", *distinct).collect()[0]
        every, differing, gone, occurring = row
        counts = {"read": read, "contaminated": gone, "items": benchmark.searched}
        counts |= {"too_short": benchmark.short, "too_common": benchmark.common}
        counts["occurring"] = occurring
        rows = matches.drop("number", "place")
        self.print_rows("sdtext/decontamination/1", rows, **counts)
        written = f"{shown(output)}: {gone:,} of {read:,} left out" if output else ""
        return [summary_of_items(counts, (every, differing), "record"), written]


def _files(spark: SparkSession, path: str) -> list[tuple[str, Any]]:
    """The addresses of the files at a path, each with its size and the time of its last change.

    Raises UnreadableError if there is nothing.
    """
    if not exists(spark, path):
        raise UnreadableError("no such file or folder", file=path)
    found = spark.read.format("binaryFile").option("recursiveFileLookup", value=True).load(path)
    return sorted((unquote(row.file_path), row) for row in found.select("_metadata.*").collect())


def _numbered(read: DataFrame, form: RecordFormat, files: Sequence[str]) -> tuple[DataFrame, int]:
    """Records with a `_number`, and with the `_part` of an output, one of so many.

    A task reads a block of a file in order. The records of each block are counted once.
    """
    order = "_metadata.row_index" if form == PARQUET else "monotonically_increasing_id()"
    block = "_metadata.file_path as _file", "_metadata.file_block_start as _block"
    placed = read.selectExpr("*", *block, f"{order} as _order")
    counted = placed.groupBy("_file", "_block").agg(F.min("_order"), F.count("*")).collect()
    numbers = {file: (place << _ROW_BITS) + 1 for place, file in enumerate(files)}
    counted.sort(key=lambda row: (numbers[unquote(row[0])], row[1]))
    every, before = sum(row[3] for row in counted), 0
    parts = min(len(counted), max(1, every // _PART))
    blocks = list[tuple[Any, ...]]()
    for file, begin, least, number in counted:
        first = numbers[unquote(file)]
        blocks.append((file, begin, least, least + number, first - least, before * parts // every))
        numbers[unquote(file)], before = first + number, before + number
    known = read.sparkSession.createDataFrame(blocks, _BLOCKS)
    numbered = placed.join(F.broadcast(known), ["_file", "_block"], "left")
    number = F.expr(f"if(_order >= _least and _order < _stop, _order + _shift, {_CHANGED})")
    return numbered.withColumn("_number", number).select(*read.columns, "_number", "_part"), parts


def _texts(
    rows: Sequence[Row], fields: Fields, names: Sequence[str], carried: Mapping[str, str], noun: str
) -> Iterator[Row]:
    """The number, name and text of each record, or its problem; nothing for an empty line."""
    for row in rows:
        text = {"number": (number := row.pop("_number"))}
        file, place = number >> _ROW_BITS, number & _PLACE
        record: Any = row_in(place, row["value"]) if noun == JSON_LINES.noun else row
        if record is None:
            continue
        named = record if isinstance(record, str) else named_text(record, fields, place)
        if isinstance(named, str):
            called = f"{names[file]}: {noun} {place}"
            yield text | {"problem": problem_of(called, named, " as it is")}
            continue
        own = named[0] if fields.id else metadata_value(record.get("id"))
        name = str(place if own is None else own)
        name = f"{names[file]}#{name}" if len(names) > 1 else name
        known = {each: metadata_value(record.get(field)) for each, field in carried.items()}
        values = {name: None if value is None else str(value) for name, value in known.items()}
        yield text | dict.fromkeys(CARRIED, "") | {"name": name, "text": named[1]} | values


def _json_lines(rows: Sequence[Row]) -> Iterator[Row]:
    """The lines in which the local command writes rows."""
    file = BytesIO()
    write_rows(file, "jsonl", (), rows, {})
    yield from ({"value": line} for line in file.getvalue().decode("utf-8").split("\n")[:-1])


def _session(remote: str, master: str, stated: Mapping[str, str]) -> SparkSession:
    """A session with these settings, which Spark has read.

    The log of Spark is shown with `--verbose` alone. Raises OptionError without Java, and where no
    Spark starts or answers.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    warnings.filterwarnings("ignore", module="pyspark")
    builder = SparkSession.builder.appName("sdtext")
    if not remote:
        home = os.environ.get("JAVA_HOME")
        if not shutil.which(f"{home}/bin/java" if home else "java"):
            what = "engine spark needs Java 17 or later (such as openjdk-17-jre-headless); install"
            raise OptionError(f"{what} it, or name a Spark Connect server as remote")
        places = re.findall("([^/,]+):([0-9]+)", master) if master.startswith("spark:") else []
        if places and not any(_answers(host, int(port)) for host, port in places):
            raise OptionError(f"no Spark master is at {master}; start it")
        builder = builder.master(master).config(map={**_QUIET, **stated})
        error_output = os.dup(2)
        with TemporaryFile() as log:
            if not is_set(VERBOSE):
                os.dup2(log.fileno(), 2)  # which Java gets
            try:
                spark = builder.getOrCreate()
                spark.conf.get("spark.master")
            except Exception as error:
                log.seek(0)
                raise OptionError(_why(f"{log.read().decode()}\n{error}")) from error
            finally:
                os.dup2(error_output, 2)
                os.close(error_output)
        return spark
    from grpc import FutureTimeoutError, channel_ready_future
    from pyspark.sql.connect.client import DefaultChannelBuilder

    server = DefaultChannelBuilder(remote)
    try:  # before Spark does so for minutes
        channel_ready_future(server.toChannel()).result(timeout=10)
    except FutureTimeoutError:
        raise OptionError(f"no Spark Connect server is at {server.endpoint}; start it") from None
    spark = builder.remote(remote).getOrCreate()
    for name, value in stated.items():
        spark.conf.set(name, value)
    return spark


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host.strip("[]"), port), timeout=10).close()
    except OSError:
        return False
    return True


def _why(text: str) -> str:
    """The first and the last cause in messages of Spark, without the traces of Java and Python."""
    causes = re.findall(r"\b\w+(?:Exception|Error): .+", text) or [" ".join(text.split())]
    return f"spark: {': '.join(dict.fromkeys((causes[0], causes[-1]))):.300}"


def run(
    verb: str, values: Mapping[str, Any], remote: str, master: str, conf: Sequence[str]
) -> list[Any]:
    """Run a verb with these parameters; return the problems of its inputs, and closing sentences.

    Its stages are in the folder of the setting `sdtext.work`, by default that of the output with
    the ending `.work`; without an output, in a temporary one of this machine.
    """
    if remote and master:
        raise OptionError("remote and master are two ways to reach Spark; name one of them")
    if wrong := [each for each in conf if "=" not in each[1:]]:
        raise OptionError.of("spark", "conf", wrong[0], "KEY=VALUE")
    stated = dict(each.split("=", 1) for each in conf)
    output = str(values.get("output") or "-")
    folder = stated.pop("sdtext.work", "" if output == "-" else f"{output.rstrip('/')}.work")
    master = stated.pop("spark.master", master) or "local[*]"
    if not remote and master.startswith("local"):
        for path in (output, str(values.get("removed") or ""), folder):
            if (home := Path(path).parent).exists():
                check_folder(home.resolve(), path)
    is_started = False
    try:
        with _session(remote, master, stated) as spark:
            is_started = True
            job = _Job(spark, values, folder)
            lines = getattr(job, verb)()
            return [job.run.found, *lines]
    except SdtextError:
        raise
    except Exception as error:  # of Java, of gRPC, of pyspark
        kind = UnreadableError if is_started else OptionError
        raise kind(_why(str(error).partition("JVM stacktrace")[0])) from error
