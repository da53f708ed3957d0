"""Deduplication: which documents to keep, and which duplicates of these to remove."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sdtext.collections.schema import SHINGLES, SKETCH_COLUMNS
from sdtext.deduplication.choose_documents import Choice, choose
from sdtext.deduplication.linked_documents import link_documents
from sdtext.deduplication.order_and_scope import with_fields
from sdtext.deduplication.removal_evidence import RemovalEvidence
from sdtext.deduplication.rule_names import DEFAULT_RECIPE
from sdtext.deduplication.rules_and_removals import (
    DuplicateCluster,
    RemovedDocument,
    ReviewedPair,
    Rules,
)
from sdtext.deduplication.source_documents import Sources, sources_in
from sdtext.deduplication.temporary_collection import (
    Workspace,
    fill_workspace,
    temporary_folder,
)
from sdtext.errors import MismatchError, OptionError
from sdtext.model import Problem, RecipeSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build, find
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run
from sdtext.reading.walk import Paths
from sdtext.search.derived_columns import Derivation
from sdtext.search.results import Curve
from sdtext.search.search_explanations import refused_pairs
from sdtext.search.search_plan import SearchPlan, plan_search, recipe_of_whole_documents
from sdtext.wording import counted, shown

_DEFAULT = Rules()


@dataclass(frozen=True)
class Deduplicated:
    """The result: `read` documents could be read, and `removed` are not kept.

    `places` has, by the number of the file, the places of its removed documents (0 for the file
    itself); `marks` has in the same way the numbers of the clusters of documents, 0 for one that is
    similar to a stored one. Documents that could not be read are kept. `how` and `curve` are those
    of the search.
    """

    sources: Sources
    read: int
    removed: tuple[RemovedDocument, ...]
    clusters: tuple[DuplicateCluster, ...]
    places: Mapping[int, frozenset[int]]
    marks: Mapping[int, Mapping[int, int]]
    how: str
    curve: Curve
    reviewed: tuple[ReviewedPair, ...] = ()

    @property
    def stored(self) -> int:
        """The number of documents that are similar to a stored one."""
        return sum(row.cluster is None for row in self.removed)

    def __str__(self) -> str:
        kept = self.read - len(self.removed)
        summary = f"{self.read:,} read, {kept:,} kept, {len(self.removed):,} removed"
        inside = f"in {counted(len(self.clusters), 'cluster')}"
        if not self.stored:
            return f"{summary} {inside}" if self.removed else summary
        copies = len(self.removed) - self.stored
        return f"{summary}: {self.stored:,} similar to stored documents, {copies:,} {inside}"


def deduplicate(
    inputs: Sources | Inputs | Paths,
    rules: Rules = _DEFAULT,
    run: Run | None = None,
    folder: str | Path | None = None,
    *,
    explain: bool = False,
    review: int = 0,
) -> Deduplicated:
    """The documents at `inputs` to keep, and the duplicates of these to remove.

    They are files, folders and archives, or files of records of one kind. Temporary files are
    below `folder`. `explain` asks what removed documents share with those kept instead, `review`
    for so many removals, the least similar first, with their texts. Raises OptionError,
    UnreadableError, MismatchError or OutputError.

    >>> done = deduplicate(samples, Rules(minimum=40))
    >>> str(done)
    '8 read, 7 kept, 1 removed in 1 cluster'
    >>> [(Path(row.document).name, Path(row.kept).name, row.score) for row in done.removed]
    [('union.txt', 'union-edited.txt', 46)]
    """
    run = run or Run()
    recipe = recipe_for(rules)
    sources = inputs if isinstance(inputs, Sources) else sources_in(inputs, run)
    sources = with_fields(sources, rules, run)
    with temporary_folder(folder) as place:
        documents = fill_workspace(sources, recipe, place, run, texts=explain or review > 0)
        linked = link_documents(documents, rules, run)
        plan = plan_search(documents.collection, rules.question)
        choice = choose(linked)
        names = documents.names(sorted(choice.numbers()))
        problems = [*_short_texts(documents, rules, plan), *linked.problems]
        if linked.missing and linked.missing.split:
            what = (
                f"{counted(linked.missing.split, 'group')} of linked documents, too large to "
                "compare all pairs, compared in parts; duplicates across parts may be kept"
            )
            problems.append(Problem("warning", "large-bucket", what))
        problems += _of_choice(choice, names, plan.minimum)
        for problem in dict.fromkeys(problems):
            run.note(problem)
        evidence = RemovalEvidence(documents, rules.against, run)
        shared = dict(evidence.shared(choice.removals)) if explain else {}
        differing = evidence.differing(choice.removals, review)
    origins, is_none = documents.origins, linked.rule == "none"
    removed: dict[int, RemovedDocument] = {}
    places: dict[int, set[int]] = {}
    marks: dict[int, dict[int, int]] = {}
    for row in choice.removals:
        other = names[row.other] if row.cluster else linked.stored_names[row.other]
        removed[row.number] = RemovedDocument(
            names[row.number],
            "" if is_none and row.cluster else other,
            row.score,
            row.similarity,
            row.cluster or None,
            other if is_none else None,
            *shared.get(row.number, (None, None)),
        )
        file, at = origins.place(row.number)
        places.setdefault(file, set()).add(at)
    for number, cluster in choice.cluster_of().items():
        file, at = origins.place(number)
        marks.setdefault(file, {})[at] = cluster
    clusters = (
        DuplicateCluster(
            number,
            len(cluster.members),
            "" if kept < 0 else names[kept],
            round(cluster.weakest, 6),  # a sum of many has errors in its last digits
            round(cluster.mean, 6),
            tuple(names[member] for member in cluster.members),
        )
        for number, (cluster, kept) in enumerate(choice.clusters, 1)
    )
    reviewed = []
    for number, texts in differing:
        pair = removed[number]
        kept_name = pair.kept if pair.duplicate is None else pair.duplicate
        values = (pair.document, kept_name, pair.score, pair.similarity, pair.cluster)
        reviewed.append(ReviewedPair(*values, *texts))
    return Deduplicated(
        sources,
        len(origins.ids),
        tuple(removed.values()),
        tuple(clusters),
        {file: frozenset(some) for file, some in places.items()},
        marks,
        linked.how,
        linked.curve,
        tuple(reviewed),
    )


def _of_choice(choice: Choice, names: Mapping[int, str], minimum: int) -> Iterator[Problem]:
    """Warnings where removed documents are not similar to those that are kept instead."""

    def both(pair: tuple[int, int]) -> str:
        return f"{shown(names[pair[0]])} and {shown(names[pair[1]])}"

    yield from refused_pairs(choice.refused, both)
    below = [row for row in choice.removals if row.score < minimum]
    far = sum((min(row[:2]), max(row[:2])) not in choice.refused for row in below)
    if far:
        yield Problem(
            "warning",
            "chain",
            f"{far:,} of {counted(len(choice.removals), 'removed document')} "
            f"{'scores' if far == 1 else 'score'} below {minimum} with the document kept "
            "instead: they are linked to it through other documents",
        )


def recipe_for(rules: Rules) -> RecipeSpec:
    """The recipe of the rules, else that of the collection to compare with, else the default.

    Raises OptionError where the recipe is for other things than shingles, MismatchError where
    the documents could not be compared with the collection's.
    """
    wrong = ""
    if rules.recipe:
        fingerprint, matcher = rules.recipe.fingerprint, rules.recipe.matcher
        part = find("matchers", matcher.name) if matcher else None
        is_of_terms = getattr(part, "needs_dictionary", False)
        if rules.recipe.shingler is None:
            wrong = "names no shingler"
        elif fingerprint and fingerprint.name not in (*SKETCH_COLUMNS, "shingles"):
            wrong = f"is for the fingerprint {fingerprint.name}"
        elif matcher and is_of_terms and not getattr(part, "weighs_shingles", False):
            wrong = f"is for the matcher {matcher.name}"
    if wrong:
        raise OptionError(
            f"documents are deduplicated by their shingles, but the recipe {wrong}; use one with "
            'a shingler, such as deduplicate (shingler = "words")'
        )
    if rules.against is None:
        return rules.recipe or load_recipe(DEFAULT_RECIPE)
    stored = rules.against.recipe
    whole = recipe_of_whole_documents(stored)
    if whole.shingler is None:
        raise MismatchError(
            "stores no shingles to compare documents by; create a "
            "collection with a recipe that names a shingler",
            file=rules.against.path,
        )
    recipe = rules.recipe or whole
    Derivation(stored, recipe)
    return recipe


def _short_texts(documents: Workspace, rules: Rules, plan: SearchPlan) -> Iterator[Problem]:
    """A warning where one changed term is too much for the minimum, in half of the documents.

    It is in as many shingles as a shingle has terms. Who states another minimum knows what it asks
    for.
    """
    default = plan_search(documents.collection, replace(rules.question, minimum=None)).minimum
    if plan.minimum != default or rules.is_contained or plan.compares != "shingles":
        return
    segments = documents.collection.segments()
    sizes = np.concatenate([segment.ragged(SHINGLES).lengths for segment in segments])
    shingler = build("shinglers", plan.recipe.shingler) if plan.recipe.shingler else None
    length = getattr(shingler, "length", 1)
    if len(sizes := sizes[sizes > 0]) < 2 or not isinstance(length, int):
        return
    size = int(np.median(sizes))
    [score] = plan.scorer(*(np.array([n]) for n in (max(size - length, 0), size, size))).score
    if score < plan.minimum:
        what = (
            f"half of the documents have at most {counted(size, 'shingle')}: one changed word "
            f"inside such a text lowers its score to {score}, and the minimum is {plan.minimum}; "
            "to find such copies, too, use a lower minimum, or the recipe short-texts, whose "
            "shingles are of characters"
        )
        yield Problem("warning", "few-shingles", what)
