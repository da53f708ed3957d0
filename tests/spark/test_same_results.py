"""Every job of Spark gives what the local function gives of 20,000 documents, byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from random import Random
from typing import Any

import pytest

import sdtext
from sdtext.reports.reuse_report import COLUMNS, passage_rows
from tests.spark.conftest import WORDS, Records, corpus, frame, rows_of

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.deep]  # of pyspark, about pandas

NUMBER = 20_000
REMOVED = ("document", "kept", "score", "similarity", "cluster")
RARE = [f"w{number:x}" for number in range(100_000)]
ITEMS = [
    {"id": f"q{n}", "question": " ".join(Random(n).sample(WORDS, 25))} for n in range(NUMBER // 500)
]
Results = Callable[[Any], Iterator[Any]]
"""The results of a job of records, or of a DataFrame in Spark."""


def columns_of(rows: Any, names: Any) -> list[tuple[Any, ...]]:
    return [tuple(getattr(row, name) for name in names) for row in rows]


def documents_of(records: Records) -> list[sdtext.Document]:
    return [sdtext.Document.of(row["text"], row["id"]) for row in records]


def stored(records: Records) -> Any:
    collection = sdtext.create(recipe="deduplicate")
    collection.add([each for each in documents_of(records) if each.text])
    return collection


def duplicates(records: Records, **options: Any) -> Iterator[Any]:
    done = sdtext.deduplicate(records, **options, run=sdtext.Run(problems=[]))
    others = ("duplicate",) if options.get("keep") == "none" else ()
    yield columns_of(done.removed, REMOVED + others)
    yield [(row["id"], row["text"]) for row in done.kept]
    yield sorted(each.message for each in done.problems if each.category == "missing-value")


def spark_duplicates(rows: Any, **options: Any) -> Iterator[Any]:
    from sdtext.spark import deduplicate

    done = deduplicate(rows, **options)
    yield rows_of(done.removed)
    yield rows_of(done.kept.select("id", "text").orderBy("id"))
    yield sorted(row["problem"] for row in done.problems.where("document is null").collect())


def pairs(records: Records) -> Iterator[Any]:
    found = stored(records).pairs(similarity=0.8)
    yield columns_of(found, ("left", "right", "score", "similarity"))


def spark_pairs(rows: Any) -> Iterator[Any]:
    from sdtext.spark import find_pairs

    yield rows_of(find_pairs(rows, similarity=0.8))


def with_others(records: Records) -> Iterator[Any]:
    others = stored(records[NUMBER // 2 :])
    yield from duplicates(records[: NUMBER // 2], against=others)
    for matcher in (None, "containment"):
        found = stored(records[: NUMBER // 2]).pairs(others, similarity=0.8, matcher=matcher)
        yield columns_of(found, ("left", "right", "score", "similarity"))


def spark_with_others(rows: Any) -> Iterator[Any]:
    from sdtext.spark import find_pairs

    some, others = (rows.where(f"id {side} 'd{NUMBER // 2:07}'") for side in ("<", ">="))
    yield from spark_duplicates(some, against=others)
    for matcher in (None, "containment"):
        yield rows_of(find_pairs(some, others, similarity=0.8, matcher=matcher))


def hits(records: Records) -> Iterator[Any]:
    collection = stored(records)
    queries = [each for each in documents_of(records[:20]) if each.text]
    for options in ({"similarity": 0.3}, {"top": 4}):
        found = collection.similar(queries, **options)
        yield columns_of(found, ("query", "document", "score", "similarity"))


def spark_hits(rows: Any) -> Iterator[Any]:
    from sdtext.spark import similar

    queries = rows.where(f"id < 'd{20:07}'")
    yield rows_of(similar(rows, queries, similarity=0.3))
    yield rows_of(similar(rows, queries, top=4))


def dictionary_and_prints(records: Records) -> Iterator[Any]:
    documents = documents_of(records)
    made = sdtext.create_dictionary(documents, "english")
    yield made.digest, made.seen
    prints = sdtext.fingerprint(documents, made)
    yield {item.document: item.vectors[0].packed for item in prints}


def spark_dictionary_and_prints(rows: Any) -> Iterator[Any]:
    from sdtext.spark import create_dictionary, fingerprint

    made = create_dictionary(rows, "english")
    yield made.digest, made.seen
    prints = fingerprint(rows, made).toArrow()
    yield dict(zip(*(prints[name].to_pylist() for name in ("document", "bits")), strict=True))


def contamination(records: Records) -> Iterator[Any]:
    done = sdtext.decontaminate(records, ITEMS)
    assert len(done.matches) >= len(ITEMS)
    yield columns_of(done.matches, ("record", "item", "score", "start", "end", "passage"))
    yield [(row["id"], row["text"]) for row in done.kept]


def spark_contamination(rows: Any) -> Iterator[Any]:
    from sdtext.spark import decontaminate

    done = decontaminate(rows, ITEMS)
    yield rows_of(done.matches.select("record", "item", "score", "start", "end", "passage"))
    yield rows_of(done.kept.select("id", "text").orderBy("id"))


def passages(records: Records, **options: Any) -> Iterator[Any]:
    run = sdtext.Run(problems=[])
    found = sdtext.find_reuse(documents_of(records), edits=False, **options, run=run)
    names = [name for name in COLUMNS if name != "metadata"]
    places = ("left", "right", "left_offset", "right_offset")
    rows = sorted(passage_rows(found, unfolded=True), key=itemgetter(*places))
    yield [tuple(row[name] for name in names) for row in rows]


def spark_passages(rows: Any, **options: Any) -> Iterator[Any]:
    from sdtext.spark import find_reuse

    yield rows_of(find_reuse(rows, **options))


JOBS: dict[str, tuple[Results, Results]] = {
    "duplicates": (duplicates, spark_duplicates),
    "clusters": tuple(  # type: ignore[dict-item] # two of them
        partial(each, similarity=0.6, rule="cluster", keep="longest")
        for each in (duplicates, spark_duplicates)
    ),
    "fields": tuple(  # type: ignore[dict-item]
        partial(each, keep="newest", scope="within:lang") for each in (duplicates, spark_duplicates)
    ),
    "contained": tuple(  # type: ignore[dict-item]
        partial(each, similarity=0.9, rule="contained") for each in (duplicates, spark_duplicates)
    ),
    "others": (with_others, spark_with_others),
    "pairs": (pairs, spark_pairs),
    "hits": (hits, spark_hits),
    "dictionary": (dictionary_and_prints, spark_dictionary_and_prints),
    "contamination": (contamination, spark_contamination),
    "passages": (passages, spark_passages),
}


@pytest.fixture(scope="module")
def records() -> Records:
    """The records: the same for all jobs but for passages, of which rare words are searched for."""
    made = corpus(NUMBER)
    for place, item in enumerate(ITEMS):
        made[place * 97]["text"] += f" {item['question']} and on"
    return made


@pytest.mark.parametrize("job", JOBS)
def test_spark_gives_the_local_results(spark: Any, records: Records, job: str) -> None:
    given = corpus(NUMBER, RARE, 0.2) if job == "passages" else records
    local, distributed = JOBS[job]
    expected = [*local(given)]
    assert all(expected[:2])
    for partitions, seed in ((1, 1), (5, 2)):
        found = distributed(frame(spark, given, partitions, seed))
        for one, other in zip(found, expected, strict=True):
            is_same = one == other  # pytest would compare long lists for minutes
            assert is_same, (job, partitions)
