"""ListRecipes, and AddDocuments without a recipe."""

from __future__ import annotations

import pytest

from sdtext.parts.bundled_dictionaries_and_recipes import PURPOSES, RECIPES
from sdtext.parts.filters.stopwords_and_length import languages

from .command import ROOT, check_refused, done, here

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


@pytest.mark.usefixtures("folder")
def test_two_answers_to_one_question_are_refused() -> None:
    asked = ("AddDocuments", "x.sdx", TEXTS, "--for", "passages")
    check_refused(here(*asked, "-c", "reuse"), 2)
    done("AddDocuments", "x.sdx", TEXTS, "-c", "deduplicate")
    check_refused(here(*asked), 4, "x.sdx")
