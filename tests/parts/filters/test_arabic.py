"""Arabic filters against Lucene's analyzer, and those of other packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sdtext.errors import OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.filters import stemmers
from sdtext.parts.filters.arabic import (
    ArabicLight10,
    ArabicNormalization,
    Arlstem,
    Arlstem2,
    Isri,
    Pyarabic,
)
from sdtext.parts.filters.stemmers import NltkPorter
from sdtext.parts.load_recipe import load_recipe
from tests.support.cases import cases
from tests.support.lucene import LUCENE, found_by, found_here

ARABIC = Path(__file__).parents[3] / "configs" / "arabic.toml"
ROWS = [
    row.split("\t") for row in (LUCENE / "words_ar.norm_stem.tsv").read_text("utf-8").splitlines()
]


def test_all_words_are_normalized_and_stemmed_as_by_lucene() -> None:
    normal, stem = ArabicNormalization(), ArabicLight10()
    assert len(ROWS) == 10_580
    assert [[word, normal(word), stem(normal(word))] for word, *_ in ROWS] == ROWS


@cases("name", ["own_ar", "random"])
def test_the_whole_chain_gives_the_terms_of_lucenes_arabic_analyzer(name: str) -> None:
    assert found_here(load_recipe(ARABIC), name) == found_by("ArabicAnalyzer", name)


@cases(
    "analyzer, filters",
    [
        ("ArabicNorm", ["arabic-normalization"]),
        ("ArabicNormStem", ["arabic-normalization", "arabic-light10"]),
    ],
)
def test_each_step_gives_what_lucenes_gives(analyzer: str, filters: list[str]) -> None:
    recipe = RecipeSpec(PartSpec("words"), tuple(map(PartSpec, filters)))
    assert found_here(recipe, "own_ar") == found_by(analyzer, "own_ar")


@cases(
    "word, stem",
    [
        ("والك", "الك"),  # behind "وال" one letter would be left, behind "و" three are
        ("وال", "وال"),
        ("ووو", "ووو"),
        ("وقال", "قال"),
        ("ها", "ها"),
        ("بها", "بها"),
        ("و𞤀ب", "𞤀ب"),  # Lucene counts two units for the second letter
        ("", ""),
    ],
)
def test_a_stem_keeps_two_letters(word: str, stem: str) -> None:
    assert ArabicLight10()(word) == stem


@cases(
    "operation, word, result",
    [
        ("strip_tashkeel", "كِتَابٌ", "كتاب"),
        ("strip_tatweel", "كتـــاب", "كتاب"),
        ("normalize_ligature", "ﻻ", "لا"),
        ("normalize_alef", "ٱ", "ا"),
    ],
)
def test_an_operation_of_pyarabic_is_called_by_its_name(
    operation: str, word: str, result: str
) -> None:
    assert Pyarabic(operation=operation)(word) == result


def test_a_missing_package_is_named_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    stemmers.optional_module.cache_clear()
    monkeypatch.setattr(stemmers, "import_module", missing)
    for make, package in (
        (lambda: Pyarabic(operation="strip_harakat"), "pyarabic"),
        (Isri, "nltk"),
        (Arlstem, "nltk"),
        (Arlstem2, "nltk"),
        (NltkPorter, "nltk"),
    ):
        with pytest.raises(OptionError, match=rf"{package} is missing; pip install 'sdtext\[[an]"):
            make()


def test_nothing_but_its_own_filter_imports_what_is_under_the_gpl() -> None:
    code = (
        "import sys; from sdtext.parts.registry import PARTS, find; "
        "from sdtext.parts.load_recipe import load_recipe;"
        "[find(kind, name) for kind in PARTS for name in PARTS[kind]];"
        f"load_recipe({str(ARABIC)!r}); print('pyarabic' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout == "False\n"
