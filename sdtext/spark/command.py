"""The verbs of the command line as jobs of Spark, on files of records."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

from sdtext.decontamination.benchmark_items import Contamination
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.errors import OptionError, OutputError, SdtextError
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.model import Origin, Problem
from sdtext.parts.load_recipe import recipe_from
from sdtext.reading.overwrite_guard import DICTIONARY, Output
from sdtext.reading.records.record import Fields
from sdtext.reports.row_formats import write_rows as write_local_rows
from sdtext.spark.decontaminate import matches_of
from sdtext.spark.deduplicate import fields_of, removed_of
from sdtext.spark.records import RecordRows
from sdtext.spark.search import hits_of, pairs_of
from sdtext.spark.stages import Batches, Report, arrow, exists
from sdtext.spark.terms import bits_of, dictionary_in

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


@contextmanager
def session(remote: str | None, master: str | None, conf: Sequence[str]) -> Iterator[SparkSession]:
    """A session of Spark, ended at the end. Raises OptionError where there is none."""
    if wrong := [each for each in conf if "=" not in each[1:]]:
        raise OptionError.of("spark", "conf", wrong[0], "KEY=VALUE")
    stated = dict(each.split("=", 1) for each in conf)
    if remote and master:
        raise OptionError("remote and master are two ways to reach Spark; name one of them")
    home = os.environ.get("JAVA_HOME")
    if not remote and not shutil.which(f"{home}/bin/java" if home else "java"):
        raise OptionError(
            "engine spark needs Java 17 or later, and there is none: install it, such as by "
            "apt-get install openjdk-17-jre-headless, or name a Spark Connect server as remote"
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("sdtext")
    builder = builder.remote(remote) if remote else builder.master(master or "local[*]")
    for name, value in ({} if remote else _QUIET | stated).items():
        builder = builder.config(name, value)
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    try:
        spark = builder.getOrCreate()
        for name, value in stated.items() if remote else ():
            spark.conf.set(name, value)
    except Exception as error:  # of Java, of gRPC, of pyspark
        raise OptionError(f"spark cannot be started: {_brief(error)}") from error
    try:
        yield spark
    except SdtextError:
        raise
    except Exception as error:  # likewise
        raise SdtextError(f"spark: {_brief(error)}") from error
    finally:
        spark.stop()


def _brief(error: Exception) -> str:
    """What happened, without the traces of Java and Python."""
    lines = map(str.strip, str(error).splitlines())
    return " ".join(line for line in lines if line and not line.startswith(("at ", "File ")))[:300]


Show = Callable[[str, Sequence[str], Iterable[Mapping[str, Any]]], None]
_NONE: Mapping[str, str] = {}
_WORK = "sdtext.work="


@dataclass(frozen=True)
class _Job:
    """A verb on its way: its parameters, its work folder, and how stages and rows are shown."""

    spark: SparkSession
    values: Mapping[str, Any]
    folder: str | None
    report: Report
    show: Show

    def records(self, name: str, carried: Mapping[str, str] = _NONE) -> RecordRows:
        """The records at the paths of a parameter."""
        given, fields = self.values[name], Fields()
        if "text_field" in self.values:
            fields = Fields(self.values["text_field"], self.values["id_field"])
        paths = [given] if isinstance(given, str) else [*given]
        return RecordRows.at(self.spark, paths, fields, self.folder, self.report, carried)

    def output(self, name: str = "output", *endings: str, needed: str = "") -> str:
        """The path of an output that Spark writes. Raises OptionError, OutputError."""
        path = str(self.values[name] or "")
        if needed and not path:
            raise OptionError(f"output names a folder for {needed}; name one with -o")
        if path and endings and Path(path).suffix not in endings:
            what = f"its ending names no format; use {' or '.join(endings)}"
            raise OptionError(what, file=path)
        if path == "-" or (path and not self.values["force"] and exists(self.spark, path)):
            raise OutputError("exists, or is no folder; name another one, or use force", file=path)
        return path

    def print_rows(self, schema: str, rows: DataFrame) -> None:
        self.show(schema, rows.columns, (row.asDict() for row in rows.toLocalIterator()))


Done = tuple[list[Problem], str]
"""The problems of records, and what was done in words."""


def _deduplicate(job: _Job) -> Done:
    values, output = job.values, job.output(needed="what is kept")
    removed_path = job.output("removed", ".jsonl", ".parquet")
    chosen = recipe_from(values["recipe"]) if values["recipe"] else None
    options = {name: values[name] for name in ("keep", "rule", "scope")}
    rules = Rules(chosen, values["minimum"], **options)
    records = job.records("inputs", fields_of(rules))
    removed, problems = removed_of(records.work, rules)
    job.report("kept")
    records.write_without(removed, output)
    if removed_path:
        job.report("rows")
        write_rows(removed.orderBy("number").drop("number"), removed_path)
    read, gone = records.work.texts.where("text is not null").count(), removed.count()
    return records.problems(problems), f"{read:,} read, {read - gone:,} kept, {gone:,} removed"


def _find_pairs(job: _Job) -> Done:
    if job.values["other"]:
        raise OptionError("engine spark finds the pairs within one folder or file of records")
    records = job.records("path")
    job.print_rows("sdtext/pairs/1", pairs_of(records.work, job.values["question"]))
    return records.problems(), "done"


def _find_similar(job: _Job) -> Done:
    records, queries = job.records("path"), job.records("files")
    hits = hits_of(records.work, queries.work, job.values["question"])
    job.print_rows("sdtext/similar/1", hits)
    return records.problems(), "done"


def _create_dictionary(job: _Job) -> Done:
    values = job.values
    target = Output(values["output"], DICTIONARY, values["force"])
    target.check(values["files"])
    records, most = job.records("files"), values["max_terms"]
    made = dictionary_in(records.work, recipe_from(values["config"]), most, values["name"] or "")
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = replace(made, origin=Origin(str(uuid4()), moment))
    save(made, values["output"], may_replace=target.check_replaced)
    return records.problems(), f"{len(made.terms):,} terms of {made.documents:,} documents"


def _fingerprint(job: _Job) -> Done:
    output, known = job.output(needed="the rows, in Parquet"), job.values["dictionaries"]
    records = job.records("files")
    bits = bits_of(records.work, [*map(load_dictionary, known)])
    bits.write.mode("overwrite").parquet(output)
    return records.problems(), f"{output}: a row for each document and dictionary"


def _decontaminate(job: _Job) -> Done:
    values, output = job.values, job.output()
    names = ("min_words", "with_answer", "question_field", "answer_field")
    asked = Contamination(values["minimum"], *(values[name] for name in names))
    records = job.records("inputs")
    matches = matches_of(records.work, [*values["benchmark"]], asked)
    if output:
        records.write_without(matches.select("number").distinct(), output)
    job.print_rows("sdtext/decontamination/1", matches.drop("number", "place"))
    return records.problems(), "done"


def write_rows(rows: DataFrame, path: str) -> None:
    """Write rows as Parquet or as JSON lines, by the ending of the path."""
    if path.endswith(".parquet"):
        rows.write.mode("overwrite").parquet(path)
    else:
        rows.mapInArrow(_json_lines, "value string").write.mode("overwrite").text(path)


def _json_lines(batches: Batches) -> Batches:
    for batch in batches:
        file = BytesIO()
        write_local_rows(file, "jsonl", batch.schema.names, batch.to_pylist(), {})
        yield arrow("value string", file.getvalue().decode("utf-8").split("\n")[:-1])


_VERBS = {
    "Deduplicate": _deduplicate,
    "FindPairs": _find_pairs,
    "FindSimilar": _find_similar,
    "CreateDictionary": _create_dictionary,
    "Fingerprint": _fingerprint,
    "Decontaminate": _decontaminate,
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
    output = str(values.get("output") or "-")
    folder = None if output == "-" else f"{output.rstrip('/')}.work"
    for work in (each for each in conf if each.startswith(_WORK)):
        folder = work.removeprefix(_WORK)
    with session(remote, master, [each for each in conf if not each.startswith(_WORK)]) as spark:
        return _VERBS[verb](_Job(spark, values, folder, report, show))
