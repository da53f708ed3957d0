"""Two texts are compared without a dictionary, as a collection compares them; what they share."""

import math
import pickle
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.errors import MismatchError, OptionError, UnreadableError
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.search.fingerprint_scores import heaviest_terms
from tests.search.stored import LETTERS, grams, texts_of
from tests.support.command import write_texts


@given(LETTERS, LETTERS)
def test_the_default_is_the_jaccard_similarity_of_four_characters(left: str, right: str) -> None:
    ours, theirs = grams(left), grams(right)
    result = sdtext.similarity(left, right)
    assert result.similarity == pytest.approx(len(ours & theirs) / len(ours | theirs))
    assert result.score == sdtext.similarity(right, left).score
    assert sdtext.similarity(left, left).score == 99


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


CHAIN = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"), PartSpec("strip-punctuation")))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_texts(tmp_path_factory.mktemp("explained") / "texts", 12, 120)


def terms_of(path: Path) -> set[str]:
    """The terms by Python's own means."""
    return set(path.read_text("utf-8").lower().replace(".", " ").split())


@pytest.mark.parametrize(("matcher", "power"), [("idf-cosine", 1), ("idf-cosine(power=2)", 2)])
def test_the_heaviest_terms_are_those_of_both_documents(
    texts: Path, matcher: str, power: int
) -> None:
    files = sorted(texts.iterdir())
    counts = Counter(term for path in files for term in terms_of(path))
    dictionary = sdtext.create_dictionary(texts, CHAIN)
    assert set(dictionary.terms) == set(counts)
    left, right = (sdtext.fingerprint(path, dictionary) for path in files[:2])
    shared = sdtext.score(left, right, matcher=matcher, dictionary=dictionary).shared_terms
    assert shared
    common = terms_of(files[0]) & terms_of(files[1])
    idf = {term: math.log(len(files) / (1 + counts[term])) for term in common}
    weights = {term: max(0.0, idf[term]) ** (2 * power) for term in common}
    assert {item.term for item in shared} == common
    for item in shared:
        assert item.idf == pytest.approx(idf[item.term])
        expected = weights[item.term] / sum(weights.values())
        assert item.share == pytest.approx(expected, abs=1e-5)
    shares = [item.share for item in shared]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)


def test_without_weights_the_rarest_come_first(texts: Path) -> None:
    dictionary = sdtext.create_dictionary(texts, CHAIN)
    options: Any = {"matcher": "cosine", "dictionary": dictionary, "min_terms": 1}
    for row in sdtext.compare(texts / "000.txt", texts, explain=5, **options).rows:
        shared = row.shared_terms
        assert shared is not None
        common = terms_of(texts / "000.txt") & terms_of(texts / row.path)
        counts = Counter(term for path in texts.iterdir() for term in terms_of(path) & common)
        expected = sorted(common, key=lambda term: (counts[term], term))[:5]
        assert [item.term for item in shared] == expected
        assert {item.share for item in shared} == {1 / row.common}


def test_without_the_dictionary_there_are_counts_alone(texts: Path, tmp_path: Path) -> None:
    dictionary = sdtext.create_dictionary(texts, CHAIN)
    left, right = files = (tmp_path / "1.xml", tmp_path / "2.xml")
    for file in files:
        sdtext.save(sdtext.fingerprint(texts / f"00{file.stem}.txt", dictionary), file)
    result = sdtext.score(left, right)
    assert result.best.common > 1
    assert result.shared_terms is None


def test_segments_share_the_terms_of_the_best_pair(texts: Path) -> None:
    def terms_in(path: Path, place: str | None) -> set[str]:
        text = path.read_text("utf-8")
        first, length = map(int, place.split(":")) if place else (0, len(text))
        return set(text[first : first + length].lower().replace(".", " ").split())

    dictionary = sdtext.create_dictionary(texts, CHAIN)
    options: Any = {"matcher": "cosine", "dictionary": dictionary, "segment": "40/20"}
    for row in sdtext.compare(texts / "000.txt", texts, explain=1000, **options).rows:
        left = terms_in(texts / "000.txt", row.query_segment)
        right = terms_in(texts / row.path, row.segment)
        assert {item.term for item in row.shared_terms or ()} == left & right


def test_a_dictionary_without_weights_explains_equal_documents() -> None:
    dictionary = Dictionary.of({"bee": 2, "hive": 1}, 2, CHAIN)
    document = sdtext.Document.of("The bee in the hive", name="a")
    made = sdtext.fingerprint(document, dictionary)
    options: Any = {"matcher": "idf-cosine", "dictionary": dictionary, "min_terms": 1}
    shared = sdtext.score(made, made, **options).shared_terms
    assert [(item.term, item.share) for item in shared or ()] == [("hive", 0.5), ("bee", 0.5)]


def test_terms_that_weigh_nothing_have_no_share() -> None:
    dictionary = Dictionary.of({"bee": 2, "hive": 1}, 2, CHAIN)
    shared = heaviest_terms(dictionary, [0, 0], pack([0, 1], 2))
    assert [item.share for item in shared] == [0, 0]


@given(LETTERS, LETTERS)
def test_the_runs_of_two_texts_hold_all_that_they_share(left: str, right: str) -> None:
    common = grams(left) & grams(right)
    shared = sdtext.similarity(left, right).shared_terms
    assert shared is not None
    of_runs = {gram for item in shared for gram in grams_of(item.term)}
    assert of_runs == common
    assert sum(item.share for item in shared) == pytest.approx(1 if common else 0)
    assert all(item.idf is None and item.share > 0 for item in shared)


def grams_of(run: str) -> set[str]:
    return {run[place : place + 4] for place in range(max(1, len(run) - 3))}


@given(st.lists(st.sampled_from(["to", "be", "or", "not"]), min_size=3, max_size=12).map(" ".join))
def test_runs_of_words_stand_in_both_texts(text: str) -> None:
    other = "to be or not to be"
    for item in sdtext.similarity(text, other, recipe="deduplicate").shared_terms or ():
        assert f" {item.term} " in f" {text} "
        words = item.term.split()
        pieces = {" ".join(words[place : place + 5]) for place in range(max(1, len(words) - 4))}
        assert all(f" {piece} " in f" {other} " for piece in pieces)


def test_results_of_texts_are_pickled_with_what_they_share() -> None:
    text = "Bees dance in the hive 蜜蜂在蜂巢里跳舞 and others follow them"
    recipes = ("english", "short-texts", "near-duplicate", "chinese")
    for recipe, matcher in product(recipes, ("jaccard", "edit")):
        result = sdtext.similarity(text, f"Now: {text}.", matcher=matcher, recipe=recipe)
        before = pickle.dumps(result)
        assert text.encode() not in before
        assert pickle.loads(before).shared_terms is None  # noqa: S301
        assert result.shared_terms
        again = pickle.loads(pickle.dumps(result))  # noqa: S301
        assert again.shared_terms == result.shared_terms
