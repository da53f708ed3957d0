"""Experiment as a user runs it: rows, files, the page, the commands that it gives, mistakes."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from .command import CONFIGS, done, here, there
from .conftest import Shelf

PLAN = """
dataset = "texts"
groups = "english"
manglers = ["shuffle", "keep-lines(share=0.8)"]
matcher = ["cosine", "idf-cosine"]
min_idf = [0.0, 0.3]
max_idf = [0.7, 1.0]
false_positive_rate = 0.05
"""


@pytest.fixture
def plan(folder: Path, shelf: Shelf) -> Path:
    """A plan on a copy of the texts of the shelf, which other tests share."""
    shutil.copytree(shelf.texts, folder / "texts")
    place = folder / "plan.toml"
    place.write_text(PLAN)
    return place


def test_one_command_gives_a_recipe_a_dictionary_and_a_page(plan: Path) -> None:
    outcome = there("Experiment", "-c", "plan.toml", "--report", "page.html", "--jobs", "1")
    assert outcome.code == 0, outcome.err
    head, *rows = [line.split("\t") for line in outcome.text.splitlines()]
    assert head[:5] == ["group", "matcher", "min_idf", "max_idf", "terms"]
    assert sorted(row[1] for row in rows) == ["cosine", "idf-cosine"]
    assert "on documents that the choice was not made on: " in outcome.err
    folder = Path("plan-results")
    assert {place.name for place in folder.iterdir()} == {
        "commands.txt",
        "dictionary.xml",
        "experiment.sqlite",
        "recipe.toml",
    }
    assert "<h1>Experiment: texts</h1>" in Path("page.html").read_text()
    _, first, *_ = (folder / "commands.txt").read_text().splitlines()
    words = shlex.split(first.replace("FILE FOLDER", f"texts/007.txt {plan.parent}/texts"))
    compared = done(*words[1:])
    assert compared.text.splitlines()[1].split("\t")[0] == "99"


def test_a_finished_run_is_not_resumed(plan: Path) -> None:
    done("Experiment", "-c", plan, "-o", "out")
    again = here("Experiment", "-c", plan, "-o", "out", "--resume")
    assert again.code == 2
    assert "has no interrupted run of this plan" in again.err


def test_the_plan_that_ships_runs_as_it_stands(folder: Path) -> None:
    outcome = done("Experiment", "-c", CONFIGS / "experiment.toml", "-o", folder / "out")
    assert len(outcome.text.splitlines()) == 5


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("-c plan.toml --database nonsense", 2, "database is 'nonsense'"),
        ("-c plan.toml -o texts/out", 6, "is in the input folder"),
        ("-c plan.toml --report missing/page.html", 6, "is not a folder"),
        ("-c missing.toml", 3, "missing.toml"),
        ("-c wrong.toml", 2, "wrong.toml: a plan has no key 'tirals'; did you mean trials?"),
    ],
)
def test_a_mistake_is_one_line(plan: Path, words: str, code: int, message: str) -> None:
    plan.with_name("wrong.toml").write_text("tirals = 3")
    before = sorted(plan.parent.rglob("*"))
    outcome = here("Experiment", *words.split())
    assert outcome.code == code
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert sorted(plan.parent.rglob("*")) == before
