"""`sdtext.spark.find_reuse` finds the passages of `sdtext.find_reuse`."""

from random import Random
from typing import Any

import pytest

from tests.spark.conftest import WORDS, frame
from tests.spark.test_same_results import passages, spark_passages

pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark, about pandas


@pytest.mark.parametrize("options", [{"w": 20, "distance": 9}, {"recipe": "evidence"}])
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
