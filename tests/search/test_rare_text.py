"""What is listed by default where documents share clauses, paragraphs, or most of their text."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from sdtext import compare, create
from sdtext.collections.memory import MemoryCollection
from sdtext.model import PartSpec, RecipeSpec
from sdtext.search.search_plan import Question, plan_search
from sdtext.search.searchable import Table, segment_views
from sdtext.search.set_search import BySets
from sdtext.text.document import Document

WORDS = [f"{first}{second}{third}" for first in "bdfgk" for second in "aeiou" for third in "lmnr"]
DRAW = Random(3)


def prose(words: int) -> str:
    return " ".join(DRAW.choices(WORDS, k=words))


CLAUSES = [prose(60) for _ in range(12)]


def versions(words: Sequence[str], number: int, replaced: float, draw: Random) -> list[str]:
    """The text `number` times, in which other words stand in place of a share of its words."""
    return [
        " ".join(draw.choice(WORDS) if draw.random() < replaced else word for word in words)
        for _ in range(number)
    ]


def named(texts: Sequence[str]) -> list[Document]:
    return [Document.of(text, str(place)) for place, text in enumerate(texts)]


def pairs(queries: Sequence[Document], folder: Sequence[Document], **asked: float) -> set[str]:
    rows = compare(queries, folder, **asked).rows  # type: ignore[arg-type] # one option alone
    return {f"{row.fingerprint} {row.path}" for row in rows if row.fingerprint != row.path}


@pytest.fixture(scope="module")
def contracts() -> list[Document]:
    """Documents of 600 words of their own, with two of the same clauses each."""
    return named([" ".join([prose(600), *DRAW.sample(CLAUSES, 2)]) for _ in range(80)])


def test_documents_with_the_same_clauses_alone_are_not_listed(contracts: list[Document]) -> None:
    own = [document.text.split() for document in contracts]
    copies = [
        Document.of(" ".join(words[100:160]), f"part of {at}") for at, words in enumerate(own)
    ]
    copies += [
        Document.of(versions(words, 1, 0.2, DRAW)[0], f"copy of {at}")
        for at, words in enumerate(own)
    ]
    found = pairs(copies, contracts)
    assert sum(name.split()[2] == name.split()[3] for name in found) >= 0.95 * len(copies)
    unrelated = len(contracts) * (len(contracts) - 1)
    assert len(pairs(contracts, contracts)) <= 0.003 * unrelated
    assert len(pairs(contracts, contracts, similarity=0.03)) > 0.1 * unrelated


def test_documents_that_begin_with_the_same_template_are_not_listed() -> None:
    template = prose(150)
    folder = named([f"{template} {prose(300)}" for _ in range(30)])
    assert not pairs(folder, folder)
    assert len(pairs(folder, folder, similarity=0.15)) == 30 * 29


def test_in_a_small_folder_what_all_share_is_listed() -> None:
    paragraph = prose(60)
    folder = named([f"{prose(150)} {paragraph} {prose(150)}" for _ in range(3)])
    query = Document.of(f"{prose(100)} {paragraph} {prose(100)}", "query")
    assert len(pairs([query], folder)) == 3


def test_excerpts_of_drafts_of_one_text_are_listed() -> None:
    text = prose(400).split()
    folder = named([*versions(text, 40, 0.03, DRAW), *(prose(400) for _ in range(5))])
    assert len(pairs([Document.of(" ".join(text[50:100]), "excerpt")], folder)) == 40


@pytest.mark.parametrize(
    ("number", "replaced", "others"), [(30, 0.12, 0), (120, 0.1, 0), (40, 0.1, 60), (40, 0.03, 5)]
)
def test_edited_versions_of_one_text_are_listed_however_many_and_among_others(
    number: int, replaced: float, others: int
) -> None:
    text, draw = prose(400).split(), Random(5)
    edited = versions(text, number, replaced, draw)
    folder = named([*edited[1:], *(prose(400) for _ in range(others))])
    comparison = compare(Document.of(edited[0], "version"), folder)
    assert len(comparison.rows) == number - 1
    assert others or (comparison.reaching, comparison.nothing_rare) == (number - 1, 0)


@pytest.mark.parametrize("number", [2, 5])
def test_a_part_of_a_text_that_is_stored_in_versions_is_listed_with_each(number: int) -> None:
    texts = [prose(500).split() for _ in range(20)]
    folder = [named(versions(text, number, 0.03, Random(7))) for text in texts]
    own = [
        Document.of(document.text, f"{place}.{document.source}")
        for place, group in enumerate(folder)
        for document in group
    ]
    parts = [
        Document.of(" ".join([prose(400), *text[200:250]]), f"part of {place}")
        for place, text in enumerate(texts)
    ]
    found = pairs(parts, own)
    wanted = {f"part of {name.split('.')[0]} {name}" for name in (item.source for item in own)}
    assert len(found & wanted) >= 0.95 * len(wanted)


def test_a_query_that_is_in_the_folder_finds_the_same_others(contracts: list[Document]) -> None:
    copies = [
        Document.of(" ".join(document.text.split()[300:340]), f"part of {at}")
        for at, document in enumerate(contracts)
    ]
    outside = pairs(copies, contracts)
    assert len(outside) == len(copies)
    assert outside <= pairs(copies, [*contracts, *copies])


def test_the_number_left_out_is_said(contracts: list[Document], tmp_path: Path) -> None:
    query, *others = contracts
    listed = compare(query, others, similarity=0.03)
    found = compare(query, others)
    assert found.reaching == len(listed.rows)
    assert found.nothing_rare == len(listed.rows) - len(found.rows) > 1
    assert f"{found.nothing_rare} pairs with nothing rare" in found.how
    collection = create(tmp_path / "a.sdx", recipe="deduplicate")
    collection.add(others)
    hits = collection.similar(query)
    assert f"{found.nothing_rare} pairs with nothing rare" in hits.how
    assert hits.nothing_rare == found.nothing_rare


@pytest.mark.parametrize("slope", [1.3, 1.01])
def test_weights_are_those_of_the_formula(slope: float) -> None:
    draw = np.random.default_rng(1)
    sets = [np.unique(draw.zipf(slope, 60) % 997).astype(np.uint64) for _ in range(50)]
    recipe = RecipeSpec(PartSpec("words"), shingler=PartSpec("words"))
    held = MemoryCollection.of([row.tolist() for row in sets], recipe=recipe)
    plan = plan_search(held, Question(3))
    search = BySets(Table(segment_views(held, plan.derivation), plan.derivation), plan)
    query, *others = ({*row.tolist()} for row in sets)
    unions = [len(query | row) for row in (query, *others)]
    common = [len(query & row) for row in (query, *others)]
    versions = sum(10 * both >= union for both, union in zip(common, unions, strict=True))
    assert (versions >= 0.8 * len(sets)) == (slope == 1.3)
    least = 0.1 if versions >= 0.8 * len(sets) else 0.25
    known = len(query & set[int]().union(*others))
    rows = np.arange(50)[::-1]
    found = search.share_rare_text(sets[0], rows).tolist()
    assert 1 < sum(found) < 50 or slope == 1.3
    texts: list[list[set[int]]] = []  # versions of the first of them
    for each in (query, *others):
        alike = [text for text in texts if 4 * len(text[0] & each) >= len(text[0] | each)]
        if alike:
            alike[0].append(each)
        else:
            texts.append([each])
    held_by = [set[int]().union(*text) for text in texts]
    for row, shares in zip(rows, found, strict=True):
        shared = query & {*sets[row].tolist()}
        counts = (max(1, sum(value in text for text in held_by) - 1) for value in shared)
        weight = sum({1: 1, 2: 1 / 2, 3: 1 / 4}.get(count, 0) for count in counts)
        mean = (weight + 10) / (common[row] + 10)
        rare = mean**2 * common[row] >= 0.011 * unions[row]
        short = 2 * common[row] >= min(len(query), len(sets[row]))
        version = common[row] >= least * unions[row] and common[row] <= 0.7 * known
        assert shares == (rare or short or version or 4 * common[row] >= unions[row])
