"""`sdtext.spark.deduplicate`: small and skewed inputs, its rounds, and what it refuses."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import sdtext
from sdtext.deduplication.choose_documents import greedy_choice
from sdtext.kernels.arrays.connected_components import connected
from sdtext.search.results import Links
from tests.spark.conftest import WORDS, Records, corpus, frame, rows_of

pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark, about pandas
REMOVED = ("document", "kept", "score", "similarity", "cluster")


def assert_same_duplicates(rows: Any, records: Records, **options: Any) -> None:
    """Assert that both keep and remove the same documents, for the same reasons."""
    from sdtext.spark import deduplicate

    found, local = deduplicate(rows, **options), sdtext.deduplicate(records, **options)
    assert local.removed
    named = [tuple(getattr(row, name) for name in REMOVED) for row in local.removed]
    assert rows_of(found.removed) == named
    assert rows_of(found.kept.orderBy("id")) == [(row["id"], row["text"]) for row in local.kept]


def test_few_documents_are_deduplicated_as_locally(spark: Any) -> None:
    records = corpus(300)
    assert_same_duplicates(frame(spark, records, 3, seed=1), records, similarity=0.7)


@pytest.mark.deep
def test_skewed_documents_are_compared_within_bounds(spark: Any) -> None:
    rng = Random(4)
    family = [rng.choice(WORDS) for _ in range(200)]
    texts = [" ".join(family)] * 100_000 + ["", "w1", "w1 w2"] * 1000
    for _ in range(2200):  # of which all pairs are more than the budget
        text = [*family]
        text[rng.randrange(200)] = rng.choice(WORDS)
        texts.append(" ".join(text))
    texts.append(" ".join(map(str, range(14_000_000))))  # 100 MB
    rng.shuffle(texts)
    records = [{"id": f"d{place:07}", "text": text} for place, text in enumerate(texts)]
    assert_same_duplicates(frame(spark, records, 8), records)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2))
def test_rounds_decide_as_one_task_does(spark: Any, seed: int, tmp_path: Path) -> None:
    from sdtext.spark.components import components
    from sdtext.spark.deduplicate import greedy
    from sdtext.spark.stages import Work

    rng = Random(seed)
    pairs = sorted({tuple(sorted(rng.sample(range(60), 2))) for _ in range(50)})
    scored = [(*pair, 80, rng.choice([0.8, 0.9]), 0.0, 0.0) for pair in pairs]
    names = ["early", "late", "score", "similarity", "early_order", "late_order"]
    links = spark.createDataFrame(scored, names)
    left, right, score, similarity = (
        np.array(column) for column in list(zip(*scored, strict=True))[:4]
    )
    _, named = greedy_choice(60, Links(left, right, score, similarity))
    chosen = zip(named.right, named.left, named.score, named.similarity, strict=True)
    work = Work(links, str(tmp_path), "")
    assert sorted(rows_of(greedy(work, links, few=0))) == sorted(chosen)
    roots = dict(rows_of(components(work, links.select("early", "late").toDF("left", "right"), 0)))
    least = connected(60, left, right)
    assert roots == {number: least[number] for number in {*left.tolist(), *right.tolist()}}


def test_bad_input_is_refused_before_any_work(spark: Any) -> None:
    from sdtext.spark import deduplicate

    rows = spark.createDataFrame(
        [("a", "Bees dance.", 1.5), ("a", "They sing.", 2.5)], ["id", "text", "size"]
    )
    names = {"text_field": "body"}, {"text_field": "size"}, {"rule": "contained"}
    refused: list[dict[str, Any]] = [*names]
    for options in refused:
        with pytest.raises(sdtext.OptionError):
            deduplicate(rows, **options)
    with pytest.raises(sdtext.UnreadableError):  # an id stands twice
        deduplicate(rows)
