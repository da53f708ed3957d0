"""Decontaminate documents in Spark: each task searches its documents for the whole benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.decontamination.benchmark_items import (
    MIN_SCORE,
    MIN_WORDS,
    BenchmarkItem,
    Contamination,
)
from sdtext.decontamination.decontaminate import RecordFinder, benchmark_of, items_of
from sdtext.decontamination.find_items import Benchmark
from sdtext.deduplication.deduplicate import score_of
from sdtext.deduplication.source_documents import HELD, PATH, DocumentsInMemory
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import in_rows
from sdtext.reading.records.record import Fields
from sdtext.spark.stages import Work
from sdtext.text.document import Document

_MATCHES = (
    "number long, place long, record string, item string, score long, share double, words long, "
    "start long, end long, answer string, differs string, passage string"
)


class Decontaminated(NamedTuple):
    """The documents without items, and the `matches`: which item stands where in which document."""

    kept: DataFrame
    matches: DataFrame


def decontaminate(
    documents: DataFrame,
    benchmark: str | Path | Document | Iterable[Any],
    *,
    similarity: float = MIN_SCORE / 100,
    min_words: int = MIN_WORDS,
    with_answer: bool = False,
    question_field: str | Sequence[str] = (),
    answer_field: str = "",
    text_field: str = "text",
    id_field: str = "id",
    work: str | None = None,
) -> Decontaminated:
    """Find the items of a benchmark, read on this machine, as `sdtext.decontaminate` does.

    Documents that hold items are left out of `kept`. Raises OptionError, UnreadableError.
    """
    job = Work.on("decontaminate", documents, text_field, id_field, work)
    fields = (question_field,) if isinstance(question_field, str) else tuple(question_field)
    least = score_of("decontaminate", similarity)
    asked = Contamination(least, min_words, with_answer, fields, answer_field)
    given = [benchmark] if isinstance(benchmark, (*PATH, Document)) else [*benchmark]
    items = items_of(given, asked, run := Run(problems=[]))
    matches, _ = matches_of(job, items, asked, run)
    gone = matches.select("record").distinct()
    kept = documents.join(gone, F.col(id_field).cast("string") == gone["record"], "left_anti")
    return Decontaminated(kept, matches.drop("number", "place"))


def matches_of(
    job: Work, items: Sequence[BenchmarkItem], asked: Contamination, run: Run
) -> tuple[DataFrame, Benchmark]:
    """The matches in the order of documents, with their `number` and `place`, and the benchmark."""
    known = job.texts.where("trim(text) != ''")
    rows = known.orderBy("number").select("text").toLocalIterator()
    first: Any = (row.asDict() for row in rows)  # of which some are read
    benchmark = benchmark_of(DocumentsInMemory((), HELD, Fields(), items=first), items, asked, run)
    find = in_rows(RecordFinder(benchmark, asked.with_answer, Reading()).rows, _MATCHES)
    texts = known.select("number", "name", "text")
    job = job.with_key(asked, benchmark.items)
    matches = job.stage("matches", texts.mapInArrow(find, _MATCHES))
    return matches.orderBy("number", "place"), benchmark
