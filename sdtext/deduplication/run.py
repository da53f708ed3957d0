"""Deduplication: which documents to keep, and which duplicates of these to remove."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.schema import SHINGLES, SKETCH_COLUMNS
from sdtext.deduplication.cluster_rule import choose_by_cluster, choose_none
from sdtext.deduplication.direct_rule import choose_contained, choose_directly
from sdtext.deduplication.order_of_keeping import with_fields
from sdtext.deduplication.removal_evidence import RemovalEvidence, ReviewedPair
from sdtext.deduplication.rule_names import DEFAULT_RECIPE
from sdtext.deduplication.rules_and_removals import (
    Choice,
    CoveredDocument,
    DuplicateCluster,
    RemovedDocument,
    Rules,
    relevant,
)
from sdtext.deduplication.source_documents import (
    Sources,
    lone_document,
    note_unread_records,
    sources_in,
)
from sdtext.deduplication.temporary_collection import (
    DocumentOrigins,
    Storing,
    Workspace,
    fill_workspace,
    temporary_folder,
)
from sdtext.errors import MismatchError, OptionError, counted
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build, find
from sdtext.parts.shinglers import CharacterShingles
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run
from sdtext.reading.walk import Paths
from sdtext.search.derived_columns import Derivation
from sdtext.search.results import Curve
from sdtext.search.search_explanations import single_shingle_problems
from sdtext.search.search_plan import SearchPlan, plan_search, recipe_of_whole_documents

_DEFAULT = Rules()
_CHOICES: Mapping[str, Callable[[Workspace, Rules, Run], Choice]] = {
    "direct": choose_directly,
    "cluster": choose_by_cluster,
    "contained": choose_contained,
}
_ANY_SCRIPT = "words-or-characters"  # the tokenizer of the default recipe
_LONG = 80  # characters of a document from which on it should have some shingles
_CHARACTERS = 20  # for a shingle; prose has one every 4 to 10 characters


@dataclass(frozen=True)
class Retained:
    """What it takes to choose again: the choice, its removals with evidence, and the origins."""

    first: Choice
    removed: Mapping[int, RemovedDocument]
    origins: DocumentOrigins

    def choice(self, minimum: int) -> Choice:
        """The choice at a higher minimum."""
        assert self.first.again is not None  # noqa: S101 (as the rules say)
        choice = self.first.again(minimum)
        known = {
            number: row
            for number, row in self.removed.items()
            if number in choice.removed and self._is_pair_of(choice, number)
        }
        with_evidence = {
            number: replace(choice.removed[number], shared=row.shared, passage=row.passage)
            for number, row in known.items()
        }
        return replace(choice, removed={**choice.removed, **with_evidence})

    def _is_pair_of(self, choice: Choice, number: int) -> bool:
        """Whether a document is removed for the same one, stored or not, as by the first choice."""
        partners = [some.partners.get(number) for some in (self.first, choice)]
        stored = [some.removed[number].cluster is None for some in (self.first, choice)]
        return partners[0] == partners[1] and stored[0] == stored[1]


@dataclass(frozen=True)
class Deduplicated:
    """The result: `read` documents could be read, and `removed` are not kept.

    `places` has, by the number of the file, the places of its removed documents (0 for the file
    itself). Documents that could not be read are kept. `how` and `curve` are those of the search,
    `minimum` is the least score of duplicates. `marks` has in the same way the numbers of clusters,
    0 for a document that is similar to a stored one, if they are asked for.
    """

    sources: Sources
    read: int
    removed: tuple[RemovedDocument, ...]
    clusters: tuple[DuplicateCluster, ...]
    places: Mapping[int, frozenset[int]]
    problems: tuple[Problem, ...]
    how: str
    curve: Curve
    minimum: int = 0
    covered: tuple[CoveredDocument, ...] = ()
    reviewed: tuple[ReviewedPair, ...] = ()
    marks: Mapping[int, Mapping[int, int]] | None = None
    retained: Retained | None = None

    def at_least(self, minimum: int) -> Deduplicated:
        """The result at a higher minimum, from the links that are retained.

        Evidence is that of the pairs that were removed before. Raises OptionError where the links
        do not suffice.
        """
        assert self.retained is not None  # noqa: S101 (as the rules say)
        choice = self.retained.choice(minimum)
        still = {(row.document, row.kept or row.duplicate): row for row in choice.removed.values()}
        reviewed = (
            replace(row, cluster=still[row.document, row.kept].cluster)
            for row in self.reviewed
            if (row.document, row.kept) in still
        )
        others = (problem for problem in self.problems if problem.category != "chain")
        return replace(
            self,
            removed=tuple(choice.removed.values()),
            clusters=choice.clusters,
            places=_by_file(map(self.retained.origins.place, choice.removed)),
            problems=tuple(relevant((*others, *choice.problems))),
            minimum=minimum,
            covered=tuple(row for row in self.covered if row.score >= minimum),
            reviewed=tuple(reviewed),
            marks=_marks(self.retained.origins, choice),
        )

    def __str__(self) -> str:
        if self.marks is not None:
            return self._marked
        kept = self.read - len(self.removed)
        summary = f"{self.read:,} read, {kept:,} kept, {len(self.removed):,} removed"
        inside = f"in {counted(len(self.clusters), 'cluster')}"
        if not self.stored:
            return f"{summary} {inside}" if self.removed else summary
        copies = len(self.removed) - self.stored
        return f"{summary}: {self.stored:,} similar to stored documents, {copies:,} {inside}"

    @property
    def stored(self) -> int:
        """The number of documents that are similar to a stored one."""
        return sum(row.cluster is None for row in self.removed)

    @property
    def _marked(self) -> str:
        """What was marked instead of removed."""
        summary = f"{self.read:,} read, none removed"
        if not self.removed:
            return f"{summary}, no copies"
        copies = len(self.removed) - self.stored
        clusters = counted(len(self.clusters), "cluster")
        summary += f"; the column cluster numbers {clusters} with {copies:,} "
        summary += "copy" if copies == 1 else "copies"
        alike = f", and has 0 for {self.stored:,} similar to stored documents"
        return summary + alike * bool(self.stored)


def deduplicate(
    inputs: Sources | Inputs | Paths,
    rules: Rules = _DEFAULT,
    run: Run | None = None,
    folder: str | Path | None = None,
    progress: str | Path = "",
) -> Deduplicated:
    """The documents at `inputs` to keep, and the duplicates of these to remove.

    They are files, folders and archives, or files of records of one kind. Temporary files are
    below `folder`; what was read is kept in the file `progress`, if one is named. Raises
    OptionError, UnreadableError, MismatchError or OutputError.

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
    note_unread_records(sources, run)
    if rules.against is None and (problem := lone_document(sources)):
        run.note(problem)
    with temporary_folder(folder) as place:
        storing = Storing(place, rules.needs_texts, progress)
        documents = fill_workspace(sources, recipe, storing, run)
        choose = choose_none if rules.order.name == "none" else _CHOICES[rules.rule]
        choice = choose(documents, rules, run)
        evidence = RemovalEvidence(documents, rules, choice, run)
        removed = evidence.removed() if rules.explains else choice.removed
        reviewed = tuple(evidence.reviewed(rules.reviewed))
        marks = _marks(documents.origins, choice) if rules.marks else None
        places = _by_file(map(documents.place, removed))
        plan = plan_search(documents.collection, rules.question)
        problems = (*_short_or_unspaced(documents, rules, plan), *choice.problems)
        retained = Retained(choice, removed, documents.origins) if rules.retains else None
    return Deduplicated(
        sources,
        len(documents),
        tuple(removed.values()),
        choice.clusters,
        places,
        problems,
        choice.how,
        choice.curve,
        plan.minimum,
        choice.covered,
        reviewed,
        marks,
        retained,
    )


def _marks(documents: DocumentOrigins, choice: Choice) -> dict[int, dict[int, int]]:
    """The numbers of clusters by the number of the file and the place of a document there."""
    marks: dict[int, dict[int, int]] = {}
    for document, cluster in choice.cluster_of().items():
        number, place = documents.place(document)
        marks.setdefault(number, {})[place] = cluster
    return marks


def _by_file(places: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    by_file: dict[int, set[int]] = {}
    for number, place in places:
        by_file.setdefault(number, set()).add(place)
    return {number: frozenset(in_file) for number, in_file in by_file.items()}


def recipe_for(rules: Rules) -> RecipeSpec:
    """The recipe of the rules, else that of the collection to compare with, else the default.

    Raises OptionError where the recipe is for other things than shingles, MismatchError where
    the documents could not be compared with the collection's.
    """
    if rules.recipe:
        _check(rules.recipe)
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


def _check(recipe: RecipeSpec) -> None:
    """OptionError where documents cannot be compared by their shingles by that recipe."""
    wrong = ""
    if recipe.shingler is None:
        wrong = "names no shingler"
    elif recipe.fingerprint and recipe.fingerprint.name not in (*SKETCH_COLUMNS, "shingles"):
        wrong = f"is for the fingerprint {recipe.fingerprint.name}"
    elif recipe.matcher and _needs_dictionary(recipe.matcher):
        wrong = f"is for the matcher {recipe.matcher.name}"
    if wrong:
        raise OptionError(
            f"documents are deduplicated by their shingles, but the recipe {wrong}; use one with "
            'a shingler, such as deduplicate (shingler = "words"), or omit the '
            "recipe"
        )


def _needs_dictionary(matcher: PartSpec) -> bool:
    part = find("matchers", matcher.name)
    of_shingles = getattr(part, "weighs_shingles", False)
    return bool(getattr(part, "needs_dictionary", False) and not of_shingles)


def _short_or_unspaced(documents: Workspace, rules: Rules, plan: SearchPlan) -> Iterator[Problem]:
    """A warning where most documents have so few shingles that changed copies score too low.

    They have less than one for the number of characters in which prose has several (of documents
    that are not very short), or a single one, or so few that one changed word is too much for the
    minimum of the recipe. Who states another minimum knows what it asks for.
    """
    segments = documents.collection.segments()
    ids = np.concatenate([segment.ids for segment in segments])
    sizes = np.concatenate([segment.ragged(SHINGLES).lengths for segment in segments])
    lengths = np.array(documents.origins.lengths, np.int64)[np.searchsorted(documents.ids, ids)]
    long = lengths >= _LONG
    few = int((sizes[long] * _CHARACTERS < lengths[long]).sum())
    if few * 2 > int(long.sum()):
        yield Problem(
            "warning",
            "few-shingles",
            f"{few:,} of {counted(len(documents), 'document')} "
            f"{'has' if few == 1 else 'have'} less than one shingle per {_CHARACTERS} characters "
            "by this recipe, so only nearly equal ones are found; for scripts without blanks "
            "between words, use the recipe deduplicate, the default, or the tokenizer "
            "words-or-characters",
        )
        return
    sizes = sizes[sizes > 0]
    single = [*single_shingle_problems(sizes)]
    yield from single
    default = plan_search(documents.collection, replace(rules.question, minimum=None)).minimum
    is_default = plan.minimum == default and not rules.is_contained
    if is_default and not single and len(sizes) > 1 and plan.compares == "shingles":
        yield from _short("half", np.median(sizes), plan) or _quarter(sizes, plan)


def _quarter(sizes: NDArray[np.int64], plan: SearchPlan) -> list[Problem]:
    """The same for a quarter, of words that are as long in all scripts."""
    if plan.recipe.tokenizer.name != _ANY_SCRIPT:
        return []
    return _short("a quarter", np.quantile(sizes, 0.25), plan)


def _short(part: str, least: float, plan: SearchPlan) -> list[Problem]:
    """The warning, if one changed term is too much for documents with so many shingles.

    It is in as many shingles as a shingle has terms. A `part` of the documents has no more.
    """
    size = int(least)
    shingler = build("shinglers", plan.recipe.shingler) if plan.recipe.shingler else None
    length = getattr(shingler, "length", 1)
    if not isinstance(length, int):
        return []
    [score] = plan.scorer(*(np.array([n]) for n in (max(size - length, 0), size, size))).score
    if score >= plan.minimum:
        return []
    term = "character" if isinstance(shingler, CharacterShingles) else "word"
    most = counted(size + length - 1, term)
    if plan.recipe.tokenizer.name == _ANY_SCRIPT:
        most += " (of Chinese and the like, characters)"
    what = (
        f"{part} of the documents have at most about {most}: a {term} changed inside such a text "
        f"lowers its score to {score}, and the minimum is {plan.minimum}; to find such copies, "
        "too, use the recipe short-texts, or a lower minimum, such as 50, and review the least "
        "similar removals"
    )
    return [Problem("warning", "few-shingles", what)]
