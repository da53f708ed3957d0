"""Plans: what a value stands for, mistakes, and plans with shingles."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdtext.errors import OptionError, SdtextError
from sdtext.experiment.chosen_files import ChosenFiles
from sdtext.experiment.dataset import load_datasets
from sdtext.experiment.histograms import ScoringUnit, UnitScorer
from sdtext.experiment.plan import Cell, ChoiceTarget, ExperimentPlan, load_plan, plan_of
from sdtext.experiment.run_experiment import described, run_experiment
from sdtext.experiment.trial import Trial
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Origin, PartSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build
from sdtext.reading.mangled_documents import DocumentCopies
from sdtext.reports.html.experiment_page import experiment_page
from sdtext.reports.html.report_page import rendered
from sdtext.search.compare_texts import TextComparer
from tests.support.command import ROOT, write_texts

LEAST: dict[str, Any] = {"dataset": "letters", "groups": "english", "manglers": "shuffle"}


def plan(**changes: Any) -> ExperimentPlan:
    return plan_of({**LEAST, **changes})


def test_what_is_not_given_has_a_default() -> None:
    least = plan()
    assert (least.name, least.dataset, least.paths) == ("letters", "letters", (Path("letters"),))
    assert [group.name for group in least.groups] == ["english"]
    assert least.groups[0].recipe == load_recipe("english")
    assert least.matchers == (PartSpec("cosine"),)
    assert [str(cell) for cell in least.cells] == ["0.3 to 0.7"]
    assert (least.trials, least.folds, least.seed, least.threads) == (1, 5, 1, None)
    assert least.target == ChoiceTarget("recall", 0.001)
    assert least.sample.of(85) == least.queries.of(85) == least.dictionary_size.of(85) == 85


def test_lists_stand_for_all_their_values() -> None:
    several = plan(
        manglers=["keep-lines(share=0.5)", {"name": "keep-lines", "share": [0.2, 0.8]}],
        matcher=["cosine", {"name": "idf-cosine", "power": [1, 2]}],
        tokenizer=["words", "unicode"],
        filters=[["lowercase"], ["lowercase", {"name": "min-length", "length": [2, 3]}]],
    )
    assert [str(part) for part in several.manglers] == [
        "keep-lines(share=0.5)",
        "keep-lines(share=0.2)",
        "keep-lines(share=0.8)",
    ]
    assert [str(part) for part in several.matchers] == [
        "cosine",
        "idf-cosine(power=1)",
        "idf-cosine(power=2)",
    ]
    chains = [[str(part) for part in group.recipe.chain()] for group in several.groups[1:]]
    filters = (["lowercase"], *(["lowercase", f"min-length(length={n})"] for n in (2, 3)))
    expected = [[name, *rest] for name in ("words", "unicode") for rest in filters]
    assert sorted(chains) == sorted(expected)


@pytest.mark.parametrize(("low", "high", "cells"), [
    (0.1, [0.5, 0.2], ["0.1 to 0.2", "0.1 to 0.5"]),
    ({"from": 0, "to": 0.3, "step": 0.1}, 0.3, ["0 to 0.3", "0.1 to 0.3", "0.2 to 0.3"]),
    ([0.5, 0.6], 0.6, ["0.5 to 0.6"]),
])  # fmt: skip
def test_every_minimum_meets_every_maximum_above_it(low: Any, high: Any, cells: list[str]) -> None:
    assert [str(cell) for cell in plan(min_idf=low, max_idf=high).cells] == cells


def test_paths_are_relative_to_the_plan(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("tokenizer = 'lines'")
    place = tmp_path / "plan.toml"
    place.write_text(
        "dataset = { name = 'ours', path = ['a', 'b'] }\ngroups = 'own.toml'\npairs = 'pairs.csv'"
    )
    loaded = load_plan(place)
    assert (loaded.name, loaded.paths) == ("ours", (tmp_path / "a", tmp_path / "b"))
    assert loaded.pairs == tmp_path / "pairs.csv"
    assert loaded.groups[0].recipe.tokenizer == PartSpec("lines")
    assert loaded.text == place.read_text()


def test_the_digest_is_that_of_what_determines_the_results() -> None:
    same = [plan(), plan(threads=2), plan(target="f1"), plan(name="other")]
    other = [plan(seed=2), plan(matcher="exact"), plan(min_idf=0.2), plan(sample=5)]
    assert len({each.digest() for each in same}) == 1
    assert len({each.digest() for each in [*same, *other]}) == 5


@pytest.mark.parametrize(("changes", "name"), [
    ({"trails": 3}, "trails"), ({"groups": ["english", "english"]}, "groups"),
    ({"groups": [{"filters": []}]}, "groups"), ({"filters": ["lowercase"]}, "tokenizer"),
    ({"tokenizer": "words", "filters": "porter"}, "filters"),
    ({"manglers": ["keep-lines(share=0)"]}, "keep-lines(share=0)"),
    ({"pairs": "pairs.csv"}, "pairs"), ({"matcher": "hamming"}, "hamming"),
    ({"dataset": {"name": "x"}}, "dataset"), ({"min_idf": 0.8}, "min_idf"),
    ({"min_idf": {"from": 0, "to": 1}}, "min_idf"),
    ({"min_idf": {"from": 0, "to": 1, "step": 1e-9}}, "min_idf"), ({"folds": 1}, "folds"),
    ({"sample": "150%"}, "sample"), ({"target": "accuracy"}, "target"),
    ({"false_positive_rate": 0}, "false_positive_rate"), ({"name": "a\nb"}, "name"),
])  # fmt: skip
def test_a_mistake_is_named_in_one_line(changes: dict[str, Any], name: str) -> None:
    with pytest.raises(SdtextError, match=rf"^.*{re.escape(name)}.*$"):
        plan(**changes)


XML = (ROOT / "tests/samples/plan.xml").read_text("utf-8")
TOML = (ROOT / "tests/samples/plan.toml").read_text("utf-8")


def test_the_xml_form_says_the_same(tmp_path: Path) -> None:
    plans = []
    for name, text in (("plan.xml", XML), ("plan.toml", TOML)):
        (tmp_path / name).write_text(text)
        plans.append(replace(load_plan(tmp_path / name), text=""))
    assert plans[0] == plans[1]
    assert plans[0].digest() == plans[1].digest()


def test_the_plan_that_ships_says_the_same_in_both_forms() -> None:
    plans = [load_plan(f"configs/experiment.{form}") for form in ("toml", "xml")]
    assert replace(plans[0], text="") == replace(plans[1], text="")


@pytest.mark.parametrize(("old", "new"), [
    ("<experiment ", "<recipe "), ('<matcher name="cosine"/>', "<matcher/>"),
    ('<matcher name="cosine"/>', "<hash/>"), ('<parameter name="power">', "<parameter>"),
    ('"trials">2', '"trials">many'), ('version="1.0">', 'version="9.0">'),
    ("<experiment ", "<!DOCTYPE experiment><experiment "),
])  # fmt: skip
def test_a_mistake_in_xml_names_the_file(tmp_path: Path, old: str, new: str) -> None:
    place = tmp_path / "plan.xml"
    place.write_text(XML.replace(old, new, 1))
    with pytest.raises(SdtextError, match=rf"^{place}.*$"):
        load_plan(place)


NUMBER = 10
BANDS = {"name": "bands", "bands": [2, 5, 20], "rows": [2, 5]}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_texts(tmp_path_factory.mktemp("plans") / "texts", NUMBER, 54)
    (folder / "empty.txt").write_text(".\n")
    return folder


def plan_for(texts: Path, **changes: Any) -> ExperimentPlan:
    given = {
        "dataset": str(texts), "tokenizer": "words", "filters": ["strip-punctuation"],
        "shingler": {"name": "words", "length": 2}, "index": ["scan", BANDS], "folds": 2,
        "fingerprint": {"name": "minhash", "slots": [40, 20]}, "matcher": ["jaccard"],
        "manglers": "keep-lines(share=0.6)", "false_positive_rate": 0.05, **changes,
    }  # fmt: skip
    return plan_of({key: value for key, value in given.items() if value is not None})


def test_unchanged_documents_are_compared_across_folds(texts: Path) -> None:
    plan = plan_for(texts, duplicates=1.0)
    dataset = load_datasets([plan])[0]
    scored = [UnitScorer(dataset)(ScoringUnit(0, 0, None, fold)) for fold in range(2)]
    number = len(dataset.names)
    # There is no dictionary to which both documents of a pair would have to be new.
    assert sum(int(each[1, 0, 0].sum()) for each in scored) == number * (number - 1) // 2


def test_lists_of_shinglers_stand_for_all_their_values(texts: Path) -> None:
    plan = plan_for(
        texts,
        shingler={"name": "characters", "length": [9, 10], "hash": ["xxhash", "polynomial"]},
        fingerprint=[{"name": "minhash", "slots": [100, 40]}, "shingles"],
    )
    assert plan.has_shingles
    assert len(plan.groups) == 2 * 2 * 3
    assert plan.groups[0].name == (
        "tokenizers 1, characters(hash=xxhash, length=9), minhash(slots=100)"
    )
    sizes = [(cell.low, cell.high) for cell in plan.cells]
    assert sizes == [(0, 0), (2, 2), (2, 5), (5, 2), (5, 5), (20, 2), (20, 5)]
    assert plan_for(texts, index=BANDS).cells == tuple(
        cell for cell in plan.cells if 0 < cell.slots <= 40
    )
    (from_recall,) = plan_for(
        texts, index={"name": "bands", "similarity": 0.5, "recall": 0.9}
    ).cells
    assert (from_recall.low, from_recall.high) == build(
        "indexes", PartSpec.of("bands", similarity=0.5, recall=0.9)
    ).layout(20)
    assert plan.digest() != plan_for(texts).digest()


@pytest.mark.parametrize(("changes", "name"), [
    ({"min_idf": 0.2}, "min_idf"), ({"shingler": None}, "shingler"),
    ({"index": {"name": "bands", "bands": 20, "rows": 5}}, "20 bands of 5 rows"),
    ({"index": "windows"}, "windows"), ({"fingerprint": "bbit"}, "bbit"),
    ({"fingerprint": "shingles"}, "index"), ({"matcher": "idf-cosine"}, "idf-cosine"),
    ({"shingler": "word"}, "word"),
])  # fmt: skip
def test_a_mistake_is_named(texts: Path, changes: dict[str, Any], name: str) -> None:
    with pytest.raises(OptionError, match=name):
        plan_for(texts, **changes)


@pytest.mark.parametrize("matcher", ["jaccard", "containment"])
def test_scores_are_those_of_the_texts_and_candidates_agree_in_a_band(
    texts: Path, matcher: str
) -> None:
    plan = plan_for(texts, matcher=matcher)
    dataset = load_datasets([plan])[0]
    copies = DocumentCopies(plan.manglers[0], dataset.texts)
    compared = 0
    for group in (0, 1):
        recipe = plan.groups[group].recipe
        assert recipe.fingerprint is not None
        sketch, comparer = (
            build("fingerprints", recipe.fingerprint),
            TextComparer(recipe, plan.matchers[0]),
        )
        unit = ScoringUnit(0, group, 0, 1)
        trial = Trial(dataset, 0, group, 1)
        rows = [*trial.rows]
        for number, cell in enumerate(plan.cells):
            for query, scores in UnitScorer(dataset).by_query(unit, (0, number)):
                copy = copies.of(query.document, plan.seed)[0]
                for place, score in enumerate(scores.tolist()):
                    sides = [sketch(Ragged.of([row]))[0] for row in (query.terms, rows[place])]
                    if score < 0:
                        assert not len(rows[place]) or not agree(cell, *sides)
                        continue
                    assert agree(cell, *sides)
                    assert score == comparer.match(copy, dataset.texts[place]).score
                    compared += 1
    assert compared > 100


def agree(cell: Cell, left: Any, right: Any) -> bool:
    """Whether two sketches have a band in common; sketches that are too short have none."""
    bands, rows = int(cell.low), int(cell.high)
    starts = [number * rows for number in range(bands)] if bands * rows <= len(left) else []
    return not bands or any((left[at : at + rows] == right[at : at + rows]).all() for at in starts)


def test_a_choice_gives_a_recipe_a_page_and_commands(texts: Path, tmp_path: Path) -> None:
    result = run_experiment(plan_for(texts))
    best = result.rows[0]
    assert best.bytes == 4 * ((best.bands or 0) * (best.rows or 0) or 40)
    assert "terms" not in result.records[0]
    recalls = result.measurements.curve().recall[:, 0, :, 0]
    assert (recalls.argmax(axis=1) == 0).all()  # with all pairs nothing is missed
    assert not recalls[1, [cell.slots > 20 for cell in result.plan.cells]].any()
    files = ChosenFiles(tmp_path)
    files.write(result.plan, result.choice, Origin(guid="g"))
    assert {place.name for place in tmp_path.iterdir()} == {"recipe.toml", "commands.txt"}
    recipe, group = load_recipe(tmp_path / "recipe.toml"), result.plan.groups[result.choice.group]
    assert (recipe.chain(), recipe.shingler) == (group.recipe.chain(), group.recipe.shingler)
    assert (recipe.fingerprint, recipe.matcher) == (group.recipe.fingerprint, PartSpec("jaccard"))
    assert (recipe.index or PartSpec("scan")) == result.plan.cells[result.choice.cell].index
    assert f"FindSimilar NAME.sdx FILE -s {best.cut}" in (tmp_path / "commands.txt").read_text()
    page = rendered(experiment_page(result, files))
    assert "Bands of sketches" in page
    assert str(result.plan.cells[result.choice.cell]) in described(result)[0]


def test_bit_vectors_and_shingles_are_tried_on_the_same_documents(
    texts: Path, tmp_path: Path
) -> None:
    both = {"fingerprint": ["BitVectorFingerprinter", "shingles"], "index": None}
    plan = plan_for(texts, **both, matcher=["idf-cosine", "jaccard"], min_idf=[0.0, 0.2])
    database = str(tmp_path / "results.sqlite")
    result = run_experiment(plan, database=database)
    kinds = {(row.matcher, row.terms is None) for row in result.rows}
    assert kinds == {("idf-cosine", False), ("jaccard", False), ("jaccard", True)}
    # Each half is what a plan of it alone gives, and the better one is chosen.
    assert plan.beside
    halves = [run_experiment(half) for half in (replace(plan, beside=None), plan.beside)]
    assert {*result.rows} == {row for half in halves for row in half.rows}
    assert result.choice.value == max(half.choice.value for half in halves)
    files = ChosenFiles(tmp_path / "out")
    commands = str(files.instructions(result.plan, result.choice))
    assert ("FindSimilar" in commands) is (result.rows[0].terms is None)
    assert run_experiment(plan, database=database, resume=True).rows == result.rows


def test_without_a_plan_shingles_are_tried_beside_dictionaries() -> None:
    plan = load_plan(dataset="letters")
    assert plan.beside
    assert plan.beside.has_shingles
    assert plan.beside.paths == plan.paths
    assert "deduplicate" in [group.name for group in plan.beside.groups]


def test_copies_of_a_text_of_one_line_keep_sentences() -> None:
    sentences = [f"This is sentence {name} of the text." for name in "abcdefghijklmnop"]
    plan = PartSpec.of("keep-lines", share=0.5)
    copy, _ = DocumentCopies(plan, [" ".join(sentences), "Something else is said."]).of(0, 1, 0)
    kept = [sentence for sentence in sentences if sentence in copy]
    assert 0 < len(kept) < len(sentences)
    assert "Something else is said." in copy
