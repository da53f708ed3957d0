"""`sdtext.spark.find_reuse` finds the passages of `sdtext.find_reuse`."""

from random import Random
from typing import Any

import pytest

import sdtext
from sdtext.reports.reuse_report import passage_rows
from tests.spark.conftest import WORDS, Records, frame

pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark, about pandas


def assert_same_passages(rows: Any, records: Records, **options: Any) -> None:
    """Assert that the rows are those that `FindReuse --all` lists of these records."""
    from sdtext.spark import find_reuse

    documents = [sdtext.Document.of(row["text"], row["id"]) for row in records]
    found = [row.asDict() for row in find_reuse(rows, **options).collect()]
    evidence = sdtext.find_reuse(documents, **options, run=sdtext.Run(problems=[]))
    local = [*passage_rows(evidence, unfolded=True)]
    places = ("left", "right", "left_offset", "right_offset")
    local.sort(key=lambda row: tuple(row[name] for name in places))
    assert any(row["excluded"] for row in found)
    assert found == [{name: row[name] for name in found[0]} for row in local]


@pytest.mark.parametrize("options", [{"short": True}, {"recipe": "evidence"}])
def test_passages_and_boilerplate_are_the_local_ones(spark: Any, options: dict[str, Any]) -> None:
    rng = Random(5)
    footer, texts = rng.sample(WORDS, 40), [rng.sample(WORDS, 150) for _ in range(60)]
    for place, text in enumerate(texts):
        if place % 3 == 0:  # boilerplate
            text.extend(footer)
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
    assert_same_passages(frame(spark, records, 3, seed=1), records, **options)
