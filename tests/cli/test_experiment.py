"""Experiment and Calibrate as they are run: rows, files, the page, commands, mistakes."""

import json
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

from sdtext.fingerprinting.load_and_save import load_dictionary
from tests.support.command import (
    CONFIGS,
    check_refused,
    check_usage,
    done,
    here,
    there,
    write_texts,
)

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
    outcome = there("Experiment", "-c", plan.name, "--report", "page.html", "--jobs", "1")
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
    first, second, *_ = commands_in(folder)
    assert f"List the documents here that resemble each other: {first}\n" in outcome.err
    shutil.copyfile("texts/007.txt", "texts/copy.txt")
    every = done(*shlex.split(first)[1:]).table  # as it stands
    assert ("99", "007.txt", "copy.txt") in [
        (row["score"], row["path"], Path(row["fingerprint"]).name) for row in every
    ]
    compared = done(*shlex.split(second.replace("FILE", "texts/copy.txt"))[1:]).table
    assert (compared[0]["score"], compared[0]["path"]) == ("99", "007.txt")


def commands_in(folder: Path) -> list[str]:
    """The commands that a choice gives, without what they are for."""
    lines = (folder / "commands.txt").read_text().splitlines()
    return [line for line in lines if line.startswith("sdtext ")]


def test_the_commands_make_the_dictionary_again(plan: Path) -> None:
    plan.write_text(PLAN + 'dictionary_sample = "80%"\ndictionary_size = 900\n')
    (plan.parent / "texts" / "latin.txt").write_bytes(
        "Ça a été décidé à Orléans.".encode("latin-1")
    )
    done("Experiment", "-c", plan, "-o", "out", "--encoding", "latin-1")
    words = [shlex.split(line)[1:] for line in commands_in(plan.parent / "out")]
    words[1:3] = [
        ["texts/007.txt" if word == "FILE" else word for word in command] for command in words[1:3]
    ]
    for command in words:
        done(*command)
    trimmed, dictionary = (
        load_dictionary(place) for place in ("trimmed.xml", "out/dictionary.xml")
    )
    assert trimmed.digest == dictionary.digest
    assert (trimmed.seen, trimmed.documents) == (dictionary.seen, dictionary.documents)


@pytest.mark.parametrize(("database", "message"), [
    ("sqlite:///plan.toml", "plan.toml: is also an input"),
    ("sqlite:///mine.txt", "mine.txt: already exists and is not a database"),
    ("sqlite:///texts/new.sqlite", "is in the input folder"),
    ("postgresql://ann:secret@localhost:9/name", "ann:***@localhost:9/name: the database can"),
])  # fmt: skip
def test_a_database_is_an_output_and_its_password_a_secret(
    plan: Path, database: str, message: str
) -> None:
    if database.startswith("postgresql:"):
        pytest.importorskip("psycopg")
    plan.with_name("mine.txt").write_text("mine")
    before = sorted(plan.parent.rglob("*"))
    for words in ([], ["--resume"]):
        outcome = here("Experiment", "-c", plan, "--database", database, *words)
        assert outcome.code in (2, 6)
        assert message in outcome.err
        assert "secret" not in outcome.err
    assert sorted(plan.parent.rglob("*")) == before


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "rows"),
    [("experiment", 4), ("experiment-near-duplicate", 1), ("experiment-shingles", 9)],
)
def test_the_plans_that_ship_run_as_they_stand(folder: Path, name: str, rows: int) -> None:
    plan = CONFIGS / f"{name}.toml"
    outcome = done("Experiment", "-c", plan, "-o", folder / "out", "--format", "json")
    result = json.loads(outcome.text)
    assert len(result["rows"]) == rows
    if name == "experiment-near-duplicate":  # the table of the paper: shares by layouts
        shares = [row["found"] for row in result["candidates"]]
        table = np.reshape(shares, (5, 4))
        assert (np.diff(table, axis=0) <= 0).all()
        assert (np.diff(table, axis=1) <= 0).all()


@pytest.fixture
def dictionary(folder: Path) -> Path:
    """A dictionary, and beside it the folder `texts` to calibrate it with."""
    texts = write_texts(folder / "texts", 70, 120)
    (folder / "others").mkdir()
    for path in sorted(texts.iterdir())[40:]:
        path.rename(folder / "others" / path.name)
    (texts / "copy.txt").write_text((texts / "000.txt").read_text())
    done("CreateDictionary", "others", "-c", "english", "-o", "d.xml")
    return Path("d.xml")


def test_the_dictionary_of_a_collection_is_calibrated_in_it(dictionary: Path) -> None:
    done("AddDocuments", "t.sdx", "texts", "-d", dictionary)
    before = Path(dictionary).read_bytes()
    outcome = done("Calibrate", "t.sdx", "-p", "texts", "-m", "cosine", "--sample", "40")
    assert "written to t.sdx" in outcome.err
    assert Path(dictionary).read_bytes() == before
    asked = ("FindSimilar", "t.sdx", "texts/000.txt", "-m", "cosine", "-s", "1", "--format", "json")
    rows = done(*asked).json["rows"]
    assert {row["chance"]["compared"] for row in rows} == {40}
    done("AddDocuments", "t.sdx", "others")
    assert {row["chance"]["compared"] for row in done(*asked).json["rows"]} == {70}
    assert done("Doctor", "t.sdx").code == 0
    done("Calibrate", "-d", "t.sdx", "-p", "texts", "-m", "cosine", "-o", "copy.xml")
    [calibration] = load_dictionary("copy.xml").calibrations
    assert calibration.matcher == "cosine"
    for words in (["-m", "cosine"], ["--recommended"]):
        outcome = done(
            "CompareDirectory", "texts", "others", "-d", "copy.xml", *words, "--format", "json"
        )
        chances = [row["chance"] for row in outcome.json["rows"] if row["chance"]]
        by_chance = sum((chance["expected"] or 0) >= 1 for chance in chances)
        named = f"{by_chance} of {len(outcome.json['rows'])} rows" in outcome.err
        assert named == (words[0] == "-m" and by_chance > 0)
    done("AddDocuments", "plain.sdx", "texts", "-c", "near-duplicate")
    check_refused(here("Calibrate", "plain.sdx", "texts"), 4)
    check_usage(here("Calibrate", "t.sdx"), "DIR")
    check_usage(here("Calibrate", "texts"), "DIR")
