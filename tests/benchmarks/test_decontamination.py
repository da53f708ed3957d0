"""The goals of Decontaminate on items planted in unrelated prose."""

import os
from argparse import Namespace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
DATA = Path(os.environ.get("SDTEXT_DATA", BENCHMARKS.parents[1] / "shared" / "data"))

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not (DATA / "ats").exists(), reason="no folder of real texts"),
]

LEAST = {  # recall of unchanged items, and of those with 5 % of the words changed
    "8-14": (0.9, 0.75),
    "15": (0.95, 0.95),
    "25": (0.99, 0.95),
    "26-60": (0.99, 0.95),
    "61-150": (0.99, 0.95),
}


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the benchmark, which imports its neighbours as a script does."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("decontamination")


@pytest.mark.parametrize("seed", [3, 4])
def test_planted_items_are_found_and_no_others(benchmark: Any, seed: int) -> None:
    texts = {"books": benchmark._BOOKS, "prose": benchmark._PROSE}
    case = benchmark.planted(Namespace(items=10_000, records=8_000, seed=seed, **texts))
    pairs = benchmark.ours(case)
    for name, least in LEAST.items():
        for changed, recall in zip((0.0, 0.05), least, strict=True):
            kinds = [pair for pair, kind in case.truth.items() if kind[::2] == (name, changed)]
            assert len(kinds) > 200
            assert sum(pair in pairs for pair in kinds) >= recall * len(kinds), (name, changed)
    assert len(pairs & case.truth.keys()) >= 0.995 * len(pairs)
