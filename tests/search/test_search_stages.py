"""The stages of a search as they are reported to a run: all steps, no more than their total."""

from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest

import sdtext
from sdtext.deduplication.deduplicate import deduplicate
from sdtext.model import Problem
from sdtext.reading.parallel_run import COMPARING, READING, VERIFYING, Run
from sdtext.search.find import search_pairs
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import similar
from tests.support.command import prose


class Steps:
    """The steps of each stage, and their total."""

    def __init__(self) -> None:
        self.done: dict[str, int] = defaultdict(int)
        self.total: dict[str, int] = {}

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Count the steps, anew where a stage has a second phase."""
        assert done >= 0
        assert total is not None
        if done and self.done[stage] == self.total.get(stage):
            self.done[stage] = 0
        self.done[stage] += done
        self.total[stage] = total
        assert self.done[stage] <= total


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    """Texts of one author, of which each has a paragraph of the one before it."""
    paths = [tmp_path / f"{seed}.txt" for seed in range(6)]
    for seed, path in enumerate(paths):
        path.write_text(f"{prose(seed, 90)}\n{prose(seed + 1, 90)}", "utf-8")
    return paths


def test_text_reuse_is_read_compared_and_verified(texts: list[Path]) -> None:
    steps, files = Steps(), []
    run = Run(stages=steps, progress=lambda done, _: files.append(done))
    evidence = sdtext.find_reuse(texts[:3], texts[3:], run=run)
    assert len(evidence.shared) == 1
    assert steps.done == steps.total == {READING: 3, COMPARING: 9, VERIFYING: 1}
    assert sum(files) == 6  # as before there were stages
    steps = Steps()
    sdtext.find_reuse(texts[0].parent, run=Run(stages=steps))
    assert steps.done == steps.total == {READING: 6, COMPARING: 18, VERIFYING: 5}


def test_pairs_are_compared_and_verified(texts: list[Path]) -> None:
    both = product(("reuse", "near-duplicate"), (None, "containment"))
    for recipe, matcher in (*both, ("reuse", "edit(of=tokens)")):
        with sdtext.create(recipe=recipe) as collection:
            collection.add(texts)
            steps, question = Steps(), Question(minimum=1, matcher=matcher)
            pairs = search_pairs(collection, question, run=Run(stages=steps))
            assert pairs.rows == search_pairs(collection, question).rows
            assert steps.done == steps.total
            assert steps.done
            assert set(steps.done) <= {COMPARING, VERIFYING}


def test_queries_are_compared_one_by_one(texts: list[Path]) -> None:
    with sdtext.create(recipe="near-duplicate") as collection:
        collection.add(texts)
        steps, problems = Steps(), list[Problem]()
        queries = [*texts, texts[0].parent / "missing.txt"]
        hits = similar(collection, queries, run=Run(stages=steps, problems=problems))
        assert hits.rows == similar(collection, texts).rows
        assert steps.done == steps.total == {COMPARING: 6}
        assert len(problems) == 1


def test_duplicates_are_read_compared_and_verified(texts: list[Path]) -> None:
    for rule in ("direct", "cluster"):
        steps = Steps()
        done = deduplicate(texts[0].parent, similarity=0.1, rule=rule, run=Run(stages=steps))
        assert done.removed
        assert steps.done == steps.total
        assert set(steps.done) == {READING, COMPARING, VERIFYING}


def test_a_folder_is_read_and_compared(texts: list[Path]) -> None:
    for seed in (10, 11):
        (texts[0].parent / f"{seed}.txt").write_text(prose(seed, 90), "utf-8")
    steps = Steps()
    comparison = sdtext.compare(texts[0], texts[0].parent, run=Run(stages=steps, problems=[]))
    assert (comparison.documents, comparison.left_out) == (8, 1)
    assert steps.done == steps.total
    assert steps.total[COMPARING] == 8
