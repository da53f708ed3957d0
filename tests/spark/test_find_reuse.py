"""`sdtext.spark.find_reuse` finds the passages of `sdtext.find_reuse`."""

from random import Random
from typing import Any

import pytest

from tests.spark.conftest import WORDS, frame
from tests.spark.test_same_results import passages, spark_passages

pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark, about pandas


@pytest.mark.parametrize(
    "options", [{"w": 20, "distance": 9}, {"w": 20, "distance": 3}, {"recipe": "evidence"}]
)
def test_passages_and_boilerplate_are_the_local_ones(spark: Any, options: dict[str, Any]) -> None:
    rng = Random(5)
    footers = [rng.sample(WORDS, 40) for _ in range(3)]
    texts = [rng.sample(WORDS, 150) for _ in range(60)]
    for place, text in enumerate(texts):
        if place % 8 == 0:  # versions
            text[20:] = texts[place - 5][20:]
        if place % 3 == 0:  # boilerplate
            text.extend(footers[place // 20])
        if place % 4 == 0:  # what two share
            begin = rng.randrange(100)
            texts[place - 7][50:50] = text[begin : begin + 40]
        if place % 5 == 0:  # shorter than a window, or than any that is compared
            texts[place] = texts[place - 1][: rng.randrange(22)]
    records = [
        {
            "id": f"d{place:03}",
            "text": ". ".join(" ".join(text[n : n + 12]) for n in range(0, len(text), 12)),
        }
        for place, text in enumerate(texts)
    ]
    (local,), (found,) = (
        passages(records, **options),
        spark_passages(frame(spark, records, 3, seed=1), **options),
    )
    assert any("boilerplate" in row for row in local)
    assert found == local


def test_a_frequent_sentence_gives_the_local_passages(spark: Any) -> None:
    """It makes more pairs than are listed of all documents, though not of those in a partition."""
    rng = Random(6)
    frequent, *others = (" ".join(rng.sample(WORDS, 25)) for _ in range(2701))
    paragraphs = [[others.pop()] for _ in range(2079)]
    for place in range(0, 2100, 100):
        paragraphs.insert(place, [each for _ in range(29) for each in (others.pop(), frequent)])
    records = [
        {"id": f"d{place:04}", "text": ".\n\n".join(text)} for place, text in enumerate(paragraphs)
    ]
    spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
    try:
        (local,), (found,) = (
            passages(records, recipe="evidence"),
            spark_passages(frame(spark, records, 4, seed=1), recipe="evidence"),
        )
    finally:
        spark.conf.unset("spark.sql.adaptive.coalescePartitions.enabled")
    assert local
    assert found == local
