"""ListRecipes, and AddDocuments without a recipe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sdtext
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES, PURPOSES, RECIPES
from sdtext.parts.filters.stopwords_and_length import languages

from .command import ROOT, check_refused, check_usage, done, here

TEXTS = ROOT / "tests" / "samples" / "texts"


def test_every_recipe_has_a_line_with_its_language_and_what_it_is_for() -> None:
    rows = done("ListRecipes").table
    assert [row["name"] for row in rows] == RECIPES.names()
    assert {row["for"] for row in rows} == set(PURPOSES)
    titles = [row["title"] for row in rows]
    assert len(set(titles)) == len(titles)
    assert all(8 <= len(title) <= 28 for title in titles), titles
    by_name = {row["name"]: (row["language"], row["for"], row["title"]) for row in rows}
    assert by_name["polish"] == ("polish", "dictionary", "Polish prose")
    assert by_name["reuse"][:2] == ("any", "passages")
    assert by_name["deduplicate"][:2] == ("any", "near-duplicates")
    assert by_name["auto"][:2] == ("any", "dictionary")
    assert by_name["chinese-words"][0] == "chinese"
    assert by_name["chinese-bigrams"][0] == "cjk"
    for name in {*languages()} & {*by_name}:
        assert by_name[name][:2] == (name, "dictionary")


@pytest.mark.parametrize("options", [(), *(("--for", purpose) for purpose in PURPOSES)])
def test_a_recipe_takes_one_line_of_80_columns(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = done("ListRecipes", *options, "--format", "table").text.splitlines()
    rule = next(place for place, line in enumerate(lines) if "─" in line)
    assert max(map(len, lines)) <= 80
    rows = done("ListRecipes", *options).table
    above = [line.strip() for line in lines[: rule - 1]]
    for row, line in zip(rows, lines[rule + 1 : -1], strict=True):
        language = [] if f"language: {row['language']}" in above else [row["language"]]
        assert re.split(" {2,}", line.strip())[: 1 + len(language)] == [row["name"], *language]
        assert line.rstrip().endswith(f"  {row['title']}")


def test_the_formats_and_python_say_the_same() -> None:
    whole = done("ListRecipes", "--format", "json").json
    assert whole["schema"] == "sdtext/recipes/1"
    assert whole["rows"] == done("ListRecipes").table
    assert whole["rows"] == [
        {"name": item.name, "language": item.language, "for": item.purpose, "title": item.title}
        for item in sdtext.list_recipes()
    ]


@pytest.mark.parametrize("purpose", PURPOSES)
def test_one_purpose_is_listed_alone(purpose: str) -> None:
    rows = done("ListRecipes", "--for", purpose).table
    assert rows
    assert rows == [row for row in done("ListRecipes").table if row["for"] == purpose]


def test_an_unknown_purpose_is_refused() -> None:
    check_usage(here("ListRecipes", "--for", "gadgets"), "gadgets")
    with pytest.raises(sdtext.OptionError, match="purpose is 'gadgets'"):
        sdtext.list_recipes("gadgets")


@pytest.mark.usefixtures("folder")
def test_a_new_collection_without_a_recipe_answers_everything() -> None:
    outcome = done("AddDocuments", "x.sdx", TEXTS)
    choice, added = outcome.errors
    assert choice.startswith("recipe: reuse, for shared passages and for similar documents")
    assert added == "8 added; 8 documents in x.sdx"
    done("AddDocuments", "named.sdx", TEXTS, "-c", "reuse")
    recipes = [sdtext.open(name).recipe for name in ("x.sdx", "named.sdx")]
    assert recipes[0] == recipes[1]
    pairs = {(row["left"], row["right"]) for row in done("FindPairs", "x.sdx", "-s", "15").table}
    assert ("union-edited.txt", "union.txt") in pairs
    assert done("FindReuse", "x.sdx").table == done("FindReuse", "named.sdx").table
    similar = done("FindSimilar", "x.sdx", "-i", TEXTS / "union.txt").table
    assert [row["document"] for row in similar] == ["union-edited.txt", "union-excerpt.txt"]
    assert done("AddDocuments", "x.sdx", TEXTS).errors == ["8 unchanged; 8 documents in x.sdx"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("purpose", "recipe"), [("near-duplicates", "deduplicate"), ("passages", "reuse")]
)
def test_a_purpose_stands_for_a_recipe(purpose: str, recipe: str) -> None:
    choice, _ = done("AddDocuments", "x.sdx", TEXTS, "--for", purpose).errors
    assert choice == f"recipe: {recipe}"
    done("AddDocuments", "named.sdx", TEXTS, "-c", recipe)
    assert sdtext.open("x.sdx").recipe == sdtext.open("named.sdx").recipe
    (again,) = done("AddDocuments", "x.sdx", TEXTS, "--for", purpose).errors
    assert again == "8 unchanged; 8 documents in x.sdx"


@pytest.mark.usefixtures("folder")
def test_for_dictionary_a_dictionary_is_named() -> None:
    refused = here("AddDocuments", "x.sdx", TEXTS, "--for", "dictionary")
    check_refused(refused, 2, *DICTIONARIES.names())
    assert not Path("x.sdx").exists()
    for name, more in (("x.sdx", ("--for", "dictionary")), ("y.sdx", ())):
        choice, _ = done("AddDocuments", name, TEXTS, "-d", "english", *more).errors
        assert choice == "recipe: that of the dictionary english, whose terms are compared"
    assert done("FindPairs", "x.sdx", "-s", "40").table == (
        done("FindPairs", "y.sdx", "-s", "40").table
    )


@pytest.mark.usefixtures("folder")
def test_two_answers_to_one_question_are_refused() -> None:
    asked = ("AddDocuments", "x.sdx", TEXTS, "--for", "passages")
    check_refused(here(*asked, "-c", "reuse"), 2)
    done("AddDocuments", "x.sdx", TEXTS, "-c", "deduplicate")
    check_refused(here(*asked), 4, "x.sdx")
