"""Decontaminate documents in Spark: each task searches its documents for the whole benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.decontamination.benchmark_items import MIN_SCORE, MIN_WORDS, Contamination
from sdtext.decontamination.decontaminate import items_of
from sdtext.decontamination.find_contamination import SAMPLE, RecordFinder, benchmark_of
from sdtext.decontamination.find_items import ItemMatch
from sdtext.deduplication.deduplicate import score_of
from sdtext.deduplication.source_documents import HELD, PATH, DocumentsInMemory
from sdtext.model.displayed_results import columns_in_files
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.record import Fields, InputDocument
from sdtext.spark.documents import placed_texts
from sdtext.spark.stages import Batches, Work, arrow, check_columns
from sdtext.text.document import Document

_MATCHES = (
    "number long, place long, record string, item string, score long, share double, words long, "
    "start long, end long, answer string, differs string, passage string"
)
_KINDS = {"long": pa.int64(), "string": pa.string(), "double": pa.float64()}


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
    """Find the items of a benchmark in documents, as `sdtext.decontaminate` does.

    The benchmark is read on this machine. Documents that hold items are left out of `kept`. Raises
    OptionError, UnreadableError.
    """
    check_columns("decontaminate", documents, text_field, id_field)
    fields = (question_field,) if isinstance(question_field, str) else tuple(question_field)
    minimum = score_of("decontaminate", similarity)
    asked = Contamination(minimum, min_words, with_answer, fields, answer_field)
    run = Run(problems=[])
    given = [benchmark] if isinstance(benchmark, (*PATH, Document)) else [*benchmark]
    texts = placed_texts(documents, text_field, id_field)
    sample, size = list[dict[str, str]](), 0
    for row in texts.where("text is not null").orderBy("number").toLocalIterator():
        sample.append({"text": row["text"]})
        size += len(row["text"])
        if size >= SAMPLE:
            break
    first = DocumentsInMemory((), HELD, Fields(), items=sample)
    items = benchmark_of(first, items_of(given, asked, run), asked, run)
    find = partial(_find, finder=RecordFinder(items, with_answer, Reading()))
    place = Work.on(texts.select("name", "text"), work, None).with_key(asked, items.items)
    matches = place.stage("matches", lambda: texts.mapInArrow(find, _MATCHES))
    gone = matches.select("record").distinct()
    kept = documents.join(gone, F.col(id_field).cast("string") == gone["record"], "left_anti")
    return Decontaminated(kept, matches.orderBy("number", "place").drop("number", "place"))


def _find(batches: Batches, finder: RecordFinder) -> Batches:
    names = columns_in_files(ItemMatch)
    for batch in batches:
        rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        given = [
            InputDocument("0", str(number), text=text, metadata={"name": name}, place=name)
            for number, name, text, _ in rows
            if text and not text.isspace()
        ]
        found = [
            (number, place, *(getattr(match, name) for name in names))
            for place, (_, number, match) in zip(count(), finder(given, [])[1], strict=False)
        ]
        kinds = [_KINDS[each.split()[1]] for each in _MATCHES.split(", ")]
        values = zip(*found, strict=True) if found else [()] * len(kinds)
        yield arrow(_MATCHES, *map(pa.array, values, kinds))
