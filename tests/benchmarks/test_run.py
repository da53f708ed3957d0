"""One run of all benchmarks: each program prints the table that the documentation has."""

import json
import os
import re
import subprocess
import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
DATA = Path(os.environ.get("SDTEXT_DATA", BENCHMARKS.parents[1] / "shared" / "data"))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, which imports its neighbours as a script does."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return import_module("run")


def test_tables_of_a_run_replace_those_of_the_page_by_their_order(run: Any) -> None:
    page = "`chain.py`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`windows.py`\n\n| c |\n|---|\n| 3 |\n"
    tables = [[["a", "b"], ["7", "8"], ["9", "0"]]]
    changed = run.renewed(page, {"chain": {"tables": tables}})
    assert [*run.tables_in(changed)] == [*tables, [["c"], ["3"]]]
    assert run.renewed(page, {"chain": {"tables": [[["other columns"]]]}}) == page


def test_a_chart_of_growth_has_a_line_for_each_column(run: Any) -> None:
    table = [["vectors", "columns, s", "query, 0.9", "pairs, 0.9"]]
    table += [["1,000", "0.1", "0.02 ms", "0.3 s"], ["2,000", "0.2", "0.04 ms", "1.1 s"]]
    assert run.growth_chart(table).count("<polyline") == 2


@pytest.mark.deep
@pytest.mark.skipif(not (DATA / "ats").exists(), reason="no folder of real texts")
def test_a_quick_run_of_every_program_prints_its_tables(run: Any, tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    script = [sys.executable, str(BENCHMARKS / "run.py"), "--quick", "--output", str(output)]
    subprocess.run(script, check=True, cwd=tmp_path)
    results = json.loads(output.read_text("utf-8"))["results"]
    assert results.keys() == run.PROGRAMS.keys()
    for name, result in results.items():
        assert result["tables"], name
        assert result["machine"]["versions"]["sdtext"]
        for head, *rows in result["tables"]:
            assert all(len(row) == len(head) for row in rows)
            assert re.search("[0-9]", "".join(map("".join, rows))), name


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
