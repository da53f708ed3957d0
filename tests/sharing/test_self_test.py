"""The published vectors are what docs/vectors.md says, also by formulas of their own."""

import json
from hashlib import sha256
from math import log
from typing import Any

import pytest

from sdtext.errors import OptionError
from sdtext.parts.load_recipe import load_recipe
from sdtext.sharing import self_test as module
from sdtext.sharing.self_test import self_test
from tests.support.command import ROOT, done, here

PUBLISHED: dict[str, Any] = json.loads(
    (ROOT / "sdtext" / "sharing" / "vectors.json").read_text("utf-8")
)
VECTORS: list[dict[str, Any]] = PUBLISHED["vectors"]
(DICTIONARY,) = (item["gives"] for item in VECTORS if item["computes"] == "dictionary")


def of_kind(computes: str) -> list[dict[str, Any]]:
    return [item for item in VECTORS if item["computes"] == computes]


def test_all_vectors_are_equal_here() -> None:
    assert [row.name for row in self_test() if row.result != "equal"] == []
    assert done("SelfTest").table[0]["result"] == "equal"


@pytest.mark.parametrize("computes", sorted({item["computes"] for item in VECTORS}))
def test_what_is_computed_otherwise_is_found(
    computes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.Computations, f"_{computes}", lambda *_: ["another"])
    different = [row.name for row in self_test() if row.result == "different"]
    assert different == [item["name"] for item in of_kind(computes)]
    outcome = here("SelfTest", "--format", "json")
    assert outcome.code == 4
    rows = [row for row in outcome.json["rows"] if row["result"] == "different"]
    assert {row["computed"] for row in rows} == {'["another"]'}
    assert all(json.loads(row["expected"]) for row in rows)


def test_without_the_extra_some_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise OptionError("the package cryptography is missing")

    monkeypatch.setattr(module, "optional_module", missing)
    monkeypatch.setattr(module, "term_key", missing)
    rows = [row for row in self_test() if row.result != "equal"]
    assert [row.result.partition(":")[0] for row in rows] == ["not computed", "not computed"]
    assert here("SelfTest").code == 0


def test_the_dictionary_by_the_formulas_of_the_docs() -> None:
    terms, number = DICTIONARY["terms"], DICTIONARY["documents"]
    recipe = load_recipe(PUBLISHED["dictionary"]["recipe"])
    lines = [recipe.canonical(), str(number), *(f"{term}\t{terms[term]}" for term in sorted(terms))]
    assert (
        sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() == DICTIONARY["digest"]
    )
    (weights,) = (item["gives"] for item in of_kind("weights"))
    assert weights == [max(0, round(log(number / (1 + df)) * 2**20)) for df in terms.values()]


def test_the_page_lists_what_is_computed() -> None:
    page = (ROOT / "docs" / "vectors.md").read_text("utf-8")
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert [*dict.fromkeys(listed)][1:] == list(dict.fromkeys(item["computes"] for item in VECTORS))
