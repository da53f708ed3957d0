"""What comes with sdtext by name: dictionaries and recipes, each under names of their own."""

from __future__ import annotations

import tomllib
from itertools import combinations
from pathlib import Path

import pytest

import sdtext
from sdtext.errors import UnreadableError
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES, RECIPES
from sdtext.parts.load_recipe import load_recipe
from tests.cli.command import ROOT

TEXTS = ROOT / "tests" / "samples" / "texts"
OTHERS = ("output-", "experiment")  # output configurations and plans
SHIPPED = sorted(
    path.stem for path in (ROOT / "configs").glob("*.toml") if not path.stem.startswith(OTHERS)
)


def test_every_recipe_has_the_name_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert RECIPES.names() == SHIPPED
    monkeypatch.chdir("/")
    for name in SHIPPED:
        assert load_recipe(name) == load_recipe(ROOT / "configs" / f"{name}.toml"), name


def test_a_dictionary_and_a_recipe_of_one_name_never_answer_for_each_other() -> None:
    shared = {*DICTIONARIES.names()} & {*RECIPES.names()}
    assert {"english", "chinese"} <= shared
    for name in shared:
        recipe, dictionary = RECIPES.path(name), DICTIONARIES.path(name)
        assert recipe == ROOT / "configs" / f"{name}.toml"
        assert dictionary == ROOT / "dictionaries" / f"{name}.xml.gz"
    # The dictionary is made with the recipe chinese-words.
    words = load_recipe("chinese-words").canonical()
    assert load_dictionary("chinese").recipe.canonical() == words
    assert load_recipe("chinese").canonical() != words


def test_a_name_means_the_same_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = load_recipe("english"), load_dictionary("english").digest
    Path("english").write_text('tokenizer = "lines"\n', "utf-8")
    assert (load_recipe("english"), load_dictionary("english").digest) == expected
    for path in ("./english", Path("english"), tmp_path / "english"):
        assert load_recipe(path).tokenizer.name == "lines"
    Path("english.toml").write_text('tokenizer = "unicode"\n', "utf-8")
    assert load_recipe("english.toml").tokenizer.name == "unicode"
    own = sdtext.create_dictionary(TEXTS, "english")
    Path("english").unlink()
    sdtext.save(own, "english")
    assert load_dictionary("english").digest == expected[1]
    assert load_dictionary("./english").digest == load_dictionary(Path("english")).digest
    assert load_dictionary("./english").digest == own.digest


def test_other_names_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "output-full", "English", "tokenizers"):
        Path(name).write_text('tokenizer = "lines"\n', "utf-8")
        assert load_recipe(name).tokenizer.name == "lines"


def test_what_is_neither_a_name_nor_a_file_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for given in ("output-full", "zzzzq", "Polish"):
        with pytest.raises(UnreadableError, match=given) as caught:
            load_recipe(given)
        assert ", ".join(RECIPES.names()) in str(caught.value)
    for other in ("configs/english.toml", "english.toml", Path("english.toml"), Path("english")):
        with pytest.raises(UnreadableError, match="no such file"):
            load_recipe(other)


def test_calibrations_and_their_trials_are_of_packages_that_no_dictionary_is_made_of() -> None:
    folder = ROOT / "dictionaries"
    sources = tomllib.loads((folder / "sources.toml").read_text("utf-8"))
    uses = {
        "dictionaries": {
            line.split("\t")[0]
            for path in (folder / "sources").glob("*.tsv")
            for line in path.read_text("utf-8").splitlines()[1:]
        },
        "calibrations": {*sources["calibration"]["packages"]},
        "Arabic calibration": {*sources["calibration"]["arabic"]["packages"]},
        "trials": {*sources["trial"]["packages"]},
    }
    assert min(map(len, uses.values())) > 100
    assert not [pair for pair in combinations(uses, 2) if uses[pair[0]] & uses[pair[1]]]


def test_every_bundled_dictionary_is_calibrated() -> None:
    matchers = {"cosine", "idf-cosine", "surprise"}
    for name in DICTIONARIES.names():
        calibrations = {item.matcher: item for item in load_dictionary(name).calibrations}
        assert calibrations.keys() == matchers
        for calibration in calibrations.values():
            sizes = calibration.class_of(64, 64)
            assert sizes
            assert sizes.level(0.001)
