"""Results in a PostgreSQL database, which `.ci/run` starts."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdtext.experiment.histograms import Counts, ScoringUnit, UnitScorer
from sdtext.experiment.plan import ExperimentPlan, plan_of
from sdtext.experiment.results_database import ResultsDatabase
from sdtext.experiment.run_experiment import run_experiment

SERVER = os.environ.get("SDTEXT_POSTGRESQL", "")
TABLES = (
    "SELECT (SELECT count(*) FROM experiment_units), (SELECT count(*) FROM experiment_results), "
    "(SELECT count(finished) FROM experiment_runs)"
)

pytestmark = pytest.mark.skipif(
    not SERVER, reason="SDTEXT_POSTGRESQL is not set to the URL of a PostgreSQL database"
)


@pytest.fixture
def database() -> Iterator[str]:
    """A database whose tables are in a schema of their own."""
    schema = f"sdtext_{secrets.token_hex(6)}"
    opened = ResultsDatabase(SERVER)
    with opened.transaction():
        opened.execute(f"CREATE SCHEMA {schema}")
    mark = "&" if "?" in SERVER else "?"
    yield f"{SERVER}{mark}options=-csearch_path%3D{schema}"
    with opened.transaction():
        opened.execute(f"DROP SCHEMA {schema} CASCADE")
    opened.close()


@pytest.fixture
def plan(tmp_path: Path) -> ExperimentPlan:
    for number in range(9):
        words = (f"w{number * step % 31} v{number + step % 7}" for step in range(1, 40))
        (tmp_path / f"{number}.txt").write_text(" ".join(words))
    table = {"dataset": str(tmp_path), "tokenizer": "words", "manglers": "shuffle", "folds": 3}
    return plan_of({**table, "min_idf": [0.0, 0.2], "max_idf": 1.0, "false_positive_rate": 0.2})


def test_a_run_is_stored_interrupted_and_resumed(
    database: str, plan: ExperimentPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run_experiment(plan)
    score, scored = UnitScorer.__call__, list[ScoringUnit]()

    def interrupting(scorer: UnitScorer, unit: ScoringUnit) -> Counts:
        scored.append(unit)
        if len(scored) == 3:
            raise KeyboardInterrupt
        return score(scorer, unit)

    monkeypatch.setattr(UnitScorer, "__call__", interrupting)
    with pytest.raises(KeyboardInterrupt, match="resume"):
        run_experiment(plan, database=database)
    results = [
        run_experiment(plan, database=database, resume=True, now=lambda: "now") for _ in range(2)
    ]
    assert len(scored) == 7  # the third unit is scored again
    assert [result.resumed for result in results] == [2, 6]
    for result in results:
        assert (result.rows, result.held_out) == (expected.rows, expected.held_out)
    opened = ResultsDatabase(database)
    with opened.transaction():
        assert tuple(opened.execute(TABLES).fetchone()) == (6, 2, 1)
    opened.close()
