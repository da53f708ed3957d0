"""The matcher idf-jaccard on shingles: beside the plain formula, and against templates."""

from itertools import combinations
from math import floor, log
from pathlib import Path

import pytest

import sdtext
from sdtext.collections.memory import MemoryCollection
from sdtext.parts.load_recipe import load_recipe
from sdtext.search import weighted_search
from sdtext.search.find import links, search_pairs
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar
from tests.support.command import chance, prose
from tests.support.deduplication import shingles

RECIPE = "deduplicate-idf"


def pages(number: int, copies: int, seed: int = 1) -> tuple[list[str], list[int]]:
    """Pages of a template with some own words, and copies of the first ones with few changes.

    Beside them the number of the page of which each is a copy.
    """
    draw = chance(seed)
    before, after = prose(seed, 180).split(), prose(seed + 1, 120).split()
    own = [prose(100 * seed + place, 40).split() for place in range(number)]
    bodies = [*own, *([*own[place]] for place in range(copies))]
    for place in range(number, number + copies):
        bodies[place][draw.randrange(40)] = "changed"
    texts = [" ".join([*before, *body, *after]) for body in bodies]
    return texts, [*range(number), *range(copies)]


def weighted(texts: list[str]) -> dict[tuple[int, int], tuple[float, float]]:
    """The plain and the weighted Jaccard similarity of each pair, by the formulas."""
    sets = [shingles(text) for text in texts]
    different = set(sets) - {frozenset()}
    weight = {
        shingle: log((len(different) + 1) / sum(shingle in one for one in different)) ** 2
        for shingle in set().union(*different)
    }
    similarities = {}
    for left, right in combinations(range(len(texts)), 2):
        both, either = sets[left] & sets[right], sets[left] | sets[right]
        if both:
            plain = len(both) / len(either)
            shares = (sum(weight[shingle] for shingle in some) for some in (both, either))
            similarities[left, right] = plain, next(shares) / next(shares)
    return similarities


@pytest.mark.parametrize("minimum", [pytest.param(30, marks=pytest.mark.deep), 60])
@pytest.mark.parametrize("most", [weighted_search.MOST_PAIRS, 0])
def test_pairs_are_those_of_the_formula(
    minimum: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weighted_search, "MOST_PAIRS", most)
    monkeypatch.setattr(weighted_search, "_BLOCK", 1000)
    texts = [*pages(12, 5)[0], *pages(4, 4, 3)[0], prose(9, 50), prose(9, 50)]
    collection = sdtext.create(tmp_path / "x.sdx", recipe=RECIPE)
    collection.add([{"id": str(place), "text": text} for place, text in enumerate(texts)])
    pairs = search_pairs(collection, Question(minimum))
    expected = {
        (str(left), str(right)): similarity
        for (left, right), (plain, similarity) in weighted(texts).items()
        if min(plain, similarity) >= minimum / 100
    }
    found_pairs = {(row.left, row.right): row for row in pairs}
    assert found_pairs.keys() == expected.keys()
    for names, row in found_pairs.items():
        assert row.similarity == pytest.approx(expected[names], abs=1e-5)
        assert row.score == min(99, floor(100 * row.similarity + 1e-9))


def test_a_template_makes_no_duplicates() -> None:
    texts, pages_of = pages(40, 10)
    rows = [{"id": str(place), "text": text} for place, text in enumerate(texts)]
    plain = sdtext.deduplicate(rows, similarity=0.7)
    assert len(plain.kept) == 1
    result = sdtext.deduplicate(rows, similarity=0.7, recipe=RECIPE)
    removed = {(pages_of[int(row.document)], pages_of[int(row.kept)]) for row in result.removed}
    assert removed == {(place, place) for place in range(10)}
    assert len(result.removed) == 10
    cluster = sdtext.deduplicate(rows, similarity=0.7, recipe=RECIPE, rule="cluster")
    assert len(cluster.removed) == 10


def test_pairs_between_collections_and_queries_are_weighed(tmp_path: Path) -> None:
    texts, pages_of = pages(30, 6)
    collections = []
    for name, part in (("a", range(30)), ("b", range(30, 36))):
        collections.append(sdtext.create(tmp_path / f"{name}.sdx", recipe=RECIPE))
        collections[-1].add([{"id": str(place), "text": texts[place]} for place in part])
    pairs = search_pairs(collections[0], Question(70), collections[1])
    assert {(row.left, row.right) for row in pairs} == {(str(n), str(30 + n)) for n in range(6)}
    assert all(pages_of[int(row.right)] == int(row.left) for row in pairs)
    query = sdtext.Document.of(texts[30], "copy")
    assert [hit.document for hit in similar(collections[0], [query], Question(50))] == ["0"]


def test_equal_sets_score_99_however_frequent() -> None:
    recipe = load_recipe(RECIPE)
    same = MemoryCollection.of([[1, 2, 3]] * 5)
    pairs = links(same, Question(80, str(recipe.matcher)))
    assert pairs.score.tolist() == [99] * 10
    assert not len(links(MemoryCollection.of([]), Question(80, "idf-jaccard")))
