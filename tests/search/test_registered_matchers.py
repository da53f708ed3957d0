"""A matcher that another package registers works wherever those of sdtext do."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sdtext.errors import MismatchError, OptionError
from sdtext.parts import registry
from sdtext.parts.matchers import SetMatcher
from sdtext.search.candidates import buckets
from sdtext.search.find import search_pairs
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar
from tests.search.sets import similar_pairs
from tests.search.stored import document, shingles_of, stored, texts_of

TEXTS = texts_of(4)


@dataclass(frozen=True)
class Plain(SetMatcher):
    """The mean of the two shares that two sets have in common: (c / a + c / b) / 2."""

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        return common * (left + right), 2 * left * right


@dataclass(frozen=True)
class Kulczynski(Plain):
    """The same, with all its bounds."""

    is_of_jaccard: ClassVar[bool] = False

    def least_jaccard(self, similarity: float) -> float:
        return max(0.0, 2 * similarity - 1)

    def least_share(self, similarity: float) -> float:
        return similarity


@dataclass(frozen=True)
class Directed(SetMatcher):
    """The share of the left set that is in the right one, without any bound."""

    symmetric: ClassVar[bool] = False

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        return common, left + 0 * right


@dataclass(frozen=True)
class Bounded(SetMatcher):
    """Jaccard with one of its bounds."""

    is_of_jaccard: ClassVar[bool] = True

    def ratio(self, common: Any, left: Any, right: Any) -> tuple[Any, Any]:
        return common, left + right - common

    def least_jaccard(self, similarity: float) -> float:
        return similarity


CLASSES: dict[str, type[Any]] = {
    each.__name__.lower(): each for each in (Kulczynski, Plain, Directed, Bounded)
}
Pairs = dict[tuple[str, str], int]


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another package that registers the matchers above."""

    def entry_points(group: str, name: str = "") -> list[EntryPoint]:
        there = group == "sdtext.matchers" and name in CLASSES
        return [EntryPoint(name, f"{__name__}:{CLASSES[name].__name__}", group)] if there else []

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)

    def others(kind: str) -> list[str]:
        return sorted(CLASSES) if kind == "matchers" else []

    monkeypatch.setattr(registry, "_others", others)
    registry._plugin.cache_clear()
    yield
    registry._plugin.cache_clear()


def expected(name: str, minimum: int) -> Pairs:
    """The pairs of texts that score `minimum`, each compared with each."""
    pairs = similar_pairs([*map(shingles_of, TEXTS)], name, minimum)
    return {(f"t{first}", f"t{other}"): score for (first, other), (score, _) in pairs.items()}


@pytest.mark.parametrize("name", CLASSES)
def test_find_pairs_gives_all_pairs_and_find_similar_all_documents(
    name: str, tmp_path: Path
) -> None:
    collection = stored(tmp_path / "texts.sdx", TEXTS)
    query, matcher = shingles_of(TEXTS[3]), CLASSES[name]()
    for minimum in (1, 30, 80):
        rows = search_pairs(collection, Question(minimum, name)).rows
        assert {(row.left, row.right): row.score for row in rows} == expected(name, minimum)
        wanted = {}
        for place, text in enumerate(TEXTS):
            if other := shingles_of(text):
                similarity = matcher(len(query & other), len(query), len(other))
                if similarity.score >= minimum:
                    wanted[f"t{place}"] = similarity.score
        hits = similar(collection, [document(TEXTS[3])], Question(minimum, name)).rows
        assert {row.document: row.score for row in hits} == wanted


@pytest.mark.parametrize("name", ["kulczynski", "bounded"])
def test_find_pairs_uses_bands_where_a_bound_is_declared(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        buckets, "PAIRWISE", 2
    )  # a larger bucket is compared by products of matrices
    collection = stored(tmp_path / "texts.sdx", TEXTS)
    pairs = search_pairs(collection, Question(90, name, recall=0.9999))
    assert pairs.how.startswith("bands: ")
    assert {(row.left, row.right): row.score for row in pairs.rows} == expected(name, 90)


def test_an_estimate_is_for_matchers_that_the_jaccard_similarity_determines(tmp_path: Path) -> None:
    collection = stored(tmp_path / "texts.sdx", TEXTS)
    pairs, own = (
        search_pairs(collection, Question(60, name, estimate=True))
        for name in ("jaccard", "bounded")
    )
    for first, other in zip(pairs.rows, own.rows, strict=True):
        assert other.similarity == pytest.approx(first.similarity)
        assert replace(other, similarity=first.similarity) == first
    with pytest.raises(OptionError, match="estimates are for jaccard and dice and bounded"):
        search_pairs(collection, Question(60, "kulczynski", estimate=True))


def test_one_that_needs_a_dictionary_is_refused_for_shingles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kulczynski, "needs_dictionary", True)
    collection = stored(tmp_path / "texts.sdx", TEXTS)
    with pytest.raises(MismatchError, match="kulczynski compares bit vectors, and the collection"):
        search_pairs(collection, Question(80, "kulczynski"))
