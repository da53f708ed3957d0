"""Two texts are compared without a dictionary, exactly as a collection compares them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import sdtext
from sdtext.errors import MismatchError, OptionError, UnreadableError
from sdtext.search import within
from sdtext.search.search_plan import Question
from tests.search.stored import LETTERS, RECIPE, grams, stored, texts_of


@given(LETTERS, LETTERS)
def test_the_default_is_the_jaccard_similarity_of_four_characters(left: str, right: str) -> None:
    ours, theirs = grams(left), grams(right)
    result = sdtext.similarity(left, right)
    assert result.similarity == pytest.approx(len(ours & theirs) / len(ours | theirs))
    assert result.score == sdtext.similarity(right, left).score
    assert sdtext.similarity(left, left).score == 99


def test_texts_score_as_in_a_collection(tmp_path: Path) -> None:
    texts = texts_of(8, number=16)
    collection = stored(tmp_path / "texts.sdx", texts, RECIPE)
    for matcher in ("jaccard", "containment", "edit"):
        pairs = within(collection, Question(10, matcher)).rows
        assert len(pairs) > 5
        for pair in pairs:
            left, right = (texts[int(name[1:])] for name in (pair.left, pair.right))
            result = sdtext.similarity(left, right, matcher=matcher, recipe=RECIPE)
            assert (result.score, result.matcher) == (pair.score, matcher)
            assert result.similarity == pytest.approx(pair.similarity)


def test_a_string_is_a_text_and_a_path_a_file(tmp_path: Path) -> None:
    file = tmp_path / "bees.txt"
    file.write_text("Bees dance in the hive.")
    document = sdtext.Document.of("Bees dance in the hive.", name="bees")
    assert sdtext.similarity(file, document).score == 99
    assert sdtext.similarity(str(file), document).score != 99
    assert sdtext.similarity("missing.txt", "missing.txt").score == 99


def test_long_texts_have_longer_shingles() -> None:
    text = " ".join(texts_of(1))
    whole = sdtext.load_recipe("short-texts")
    four = replace(whole, shingler=sdtext.PartSpec.of("characters", length=4))
    counts = [sdtext.similarity(text, text, recipe=recipe).best.left for recipe in (whole, four)]
    assert len(set(counts)) == 2


def test_errors_name_what_is_wrong() -> None:
    cases: list[tuple[Any, Any, Any, type[Exception], str]] = [
        (Path("missing.txt"), "a", {}, UnreadableError, "missing.txt"),
        ("a", "", {}, MismatchError, "right"),
        ("a", "b", {"recipe": "englsh"}, UnreadableError, "englsh"),
        *(("a", "b", {"matcher": name}, OptionError, name)
          for name in ("idf-cosine", "hamming", "cosin")),
    ]  # fmt: skip
    for left, right, options, kind, name in cases:
        with pytest.raises(kind, match=name):
            sdtext.similarity(left, right, **options)


def test_two_documents_are_scored_by_a_matcher_of_sequences(tmp_path: Path) -> None:
    sides = tmp_path / "left.txt", tmp_path / "right.txt"
    for path, text in zip(sides, ("to be or not to be", "not to be"), strict=True):
        path.write_text(text)
    assert sdtext.score(*map(str, sides), matcher="edit").score == 50
    assert sdtext.score(sides[0], sdtext.Document.of("not to be"), matcher="edit").score == 50
