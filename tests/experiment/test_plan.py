"""Plans: what a value stands for, and one clear line for each mistake."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdtext.errors import SdtextError
from sdtext.experiment.plan import ChoiceTarget, ExperimentPlan, load_plan, plan_of
from sdtext.model import PartSpec
from sdtext.parts.load_recipe import load_recipe

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


def test_a_list_that_is_one_value_stays_one() -> None:
    words = {"name": "stop-words", "words": ["the", "of"]}
    (group,) = plan(groups=[{"name": "own", "tokenizer": "words", "filters": [words]}]).groups
    assert group.name == "own"
    assert group.recipe.filters == (PartSpec.of("stop-words", words=("of", "the")),)


@pytest.mark.parametrize(
    ("low", "high", "cells"),
    [
        (0.1, [0.5, 0.2], ["0.1 to 0.2", "0.1 to 0.5"]),
        ({"from": 0, "to": 0.3, "step": 0.1}, 0.3, ["0 to 0.3", "0.1 to 0.3", "0.2 to 0.3"]),
        ([0.5, 0.6], 0.6, ["0.5 to 0.6"]),
    ],
)
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


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"trails": 3}, "trails"),
        ({"groups": ["english", "english"]}, "groups"),
        ({"groups": [{"filters": []}]}, "groups"),
        ({"filters": ["lowercase"]}, "tokenizer"),
        ({"tokenizer": "words", "filters": "porter"}, "filters"),
        ({"manglers": ["keep-lines(share=0)"]}, "keep-lines(share=0)"),
        ({"pairs": "pairs.csv"}, "pairs"),
        ({"matcher": "hamming"}, "hamming"),
        ({"dataset": {"name": "x"}}, "dataset"),
        ({"min_idf": 0.8}, "min_idf"),
        ({"min_idf": {"from": 0, "to": 1}}, "min_idf"),
        ({"min_idf": {"from": 0, "to": 1, "step": 1e-9}}, "min_idf"),
        ({"folds": 1}, "folds"),
        ({"sample": "150%"}, "sample"),
        ({"target": "accuracy"}, "target"),
        ({"false_positive_rate": 0}, "false_positive_rate"),
        ({"name": "a\nb"}, "name"),
    ],
)
def test_a_mistake_is_named_in_one_line(changes: dict[str, Any], name: str) -> None:
    with pytest.raises(SdtextError, match=rf"^.*{re.escape(name)}.*$"):
        plan(**changes)


XML = """<?xml version="1.0" encoding="utf-8"?>
<experiment xmlns="urn:sdtext:xml" version="1.0">
  <dataset name="ours"><path>a</path><path>b</path></dataset>
  <group>english</group>
  <group name="own"><tokenizers>
    <tokenizer name="FileTokenizer"/>
    <tokenizer name="MinimumLengthTokenizer"><parameter name="length">3</parameter></tokenizer>
    <tokenizer name="stop-words"><parameter name="words"><value>the</value></parameter></tokenizer>
  </tokenizers></group>
  <matcher name="cosine"/>
  <matcher name="idf-cosine"><parameter name="power">2</parameter></matcher>
  <mangler name="keep-lines">
    <parameter name="share"><value>0.2</value><value>0.8</value></parameter>
  </mangler>
  <parameter name="min_idf" from="0" to="0.4" step="0.1"/>
  <parameter name="max_idf"><value>0.7</value><value>1</value></parameter>
  <parameter name="trials">2</parameter>
  <parameter name="sample">50%</parameter>
  <parameter name="target">f1</parameter>
</experiment>"""
TOML = """
dataset = { name = "ours", path = ["a", "b"] }
groups = ["english", { name = "own", tokenizer = "words", filters = [
    { name = "min-length", length = 3 }, { name = "stop-words", words = ["the"] } ] }]
matcher = ["cosine", { name = "idf-cosine", power = 2 }]
manglers = [{ name = "keep-lines", share = [0.2, 0.8] }]
min_idf = { from = 0, to = 0.4, step = 0.1 }
max_idf = [0.7, 1]
trials = 2
sample = "50%"
target = "f1"
"""


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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<experiment ", "<recipe "),
        ('<matcher name="cosine"/>', "<matcher/>"),
        ('<matcher name="cosine"/>', "<hash/>"),
        ('<parameter name="power">', "<parameter>"),
        ('"trials">2', '"trials">many'),
        ('version="1.0">', 'version="9.0">'),
        ("<experiment ", "<!DOCTYPE experiment><experiment "),
    ],
)
def test_a_mistake_in_xml_names_the_file(tmp_path: Path, old: str, new: str) -> None:
    place = tmp_path / "plan.xml"
    place.write_text(XML.replace(old, new, 1))
    with pytest.raises(SdtextError, match=rf"^{place}.*$"):
        load_plan(place)
