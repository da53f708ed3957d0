"""`sdtext.spark.deduplicate`: small and skewed inputs, its rounds, and what it refuses."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import sdtext
from sdtext.deduplication.choose_documents import greedy_choice
from sdtext.kernels.arrays.connected_components import connected
from sdtext.model import PartSpec
from sdtext.parts.load_recipe import recipe_from
from sdtext.search.results import Links
from tests.spark.conftest import WORDS, corpus, frame, rows_of
from tests.spark.test_same_results import duplicates, spark_duplicates

pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark, about pandas


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"keep": "newest", "scope": "within:lang"},
        {"keep": "longest", "scope": "across:lang"},
        {"rule": "cluster", "scope": "across:lang", "recall": 0.9},
        {"rule": "contained", "scope": "within:lang"},
        {"keep": "none"},
        {"keep": "none", "scope": "across:lang", "recall": 0.9},
    ],
)
def test_few_documents_are_deduplicated_as_locally(spark: Any, options: dict[str, Any]) -> None:
    records = corpus(300)
    rows = frame(spark, records, 3, seed=1)
    local = [*duplicates(records, similarity=0.7, **options)]
    assert local[0]
    assert [*spark_duplicates(rows, similarity=0.7, **options)] == local


@pytest.mark.deep
@pytest.mark.parametrize("options", [{"rule": "cluster"}, {"keep": "none"}])
def test_copies_across_a_field_are_all_found(spark: Any, options: dict[str, Any]) -> None:
    """More pairs of copies than are listed."""
    rng, records = Random(4), []
    for place in range(3000):
        words = WORDS[:200]
        words[rng.randrange(200)] = f"x{place}"
        lang = rng.choices("ab", [1, 9])[0]
        records.append({"id": f"d{place:04}", "text": " ".join(words), "lang": lang})
    asked = {"similarity": 0.8, "scope": "across:lang", **options}
    local = [*duplicates(records, **asked)]
    found = [*spark_duplicates(frame(spark, records, 3, seed=1), **asked)]
    for one, other in zip(found, local, strict=True):
        is_same = [row[:5] for row in one] == [row[:5] for row in other]  # without the duplicate
        assert is_same, len(one)  # pytest would compare long lists for minutes


def test_queries_have_the_shingles_of_the_documents(spark: Any, tmp_path: Path) -> None:
    from sdtext.spark import similar

    recipe = replace(recipe_from("deduplicate"), shingler=PartSpec("characters"))
    records = [{"id": f"d{place}", "text": f"{place} {WORDS[:20]}"} for place in range(3)]
    for others in ([], [{"id": "long", "text": " ".join(map(str, range(100_000)))}]):
        rows, queries = (frame(spark, each, 1) for each in ([*records, *others], records))
        found = similar(rows, queries, similarity=0.9, recipe=recipe, work=str(tmp_path))
        assert {row[0] for row in rows_of(found)} == {row["id"] for row in records}


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2))
def test_rounds_decide_as_one_task_does(spark: Any, seed: int, tmp_path: Path) -> None:
    from sdtext.spark.components import components
    from sdtext.spark.deduplicate import greedy
    from sdtext.spark.stages import Work

    rng = Random(seed)
    pairs = sorted({tuple(sorted(rng.sample(range(60), 2))) for _ in range(50)})
    scored = [(*pair, 80, rng.choice([0.8, 0.9])) for pair in pairs]
    links = spark.createDataFrame(scored, ["left", "right", "score", "similarity"])
    left, right, score, similarity = map(np.array, zip(*scored, strict=True))
    _, named = greedy_choice(60, Links(left, right, score, similarity))
    chosen = zip(named.left, named.right, named.score, named.similarity, strict=True)
    work = Work(links, str(tmp_path), "")
    assert sorted(rows_of(greedy(work, links, few=0))) == sorted(chosen)
    roots = dict(rows_of(components(work, links, few=0)))
    least = connected(60, left, right)
    assert roots == {number: least[number] for number in {*left.tolist(), *right.tolist()}}


def test_bad_input_is_refused_before_any_work(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from sdtext.spark import deduplicate, stages

    rows = spark.createDataFrame(
        [("a", "Bees dance.", 1.5), ("a", "They sing.", 2.5)], ["id", "text", "size"]
    )
    refused: list[dict[str, Any]] = [{"text_field": "body"}, {"text_field": "size"}]
    refused += [{"rule": "contained", "keep": "none"}, {"keep": "best:stars"}]
    for options in refused:
        with pytest.raises(sdtext.OptionError):
            deduplicate(rows, **options)
    with pytest.raises(sdtext.UnreadableError):  # an id stands twice
        deduplicate(rows)
    # As where Spark runs on other machines, which have no folder of this name.
    monkeypatch.setattr(stages, "mkdtemp", lambda prefix: f"/none/{prefix}")
    with pytest.raises(sdtext.OptionError):
        deduplicate(rows)
