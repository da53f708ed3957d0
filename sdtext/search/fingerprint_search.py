"""Search a collection by fingerprints, over the dictionaries that both were made with.

No text is needed. A fingerprint may have vectors over several dictionaries, and one for each of its
segments; the best of them counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import MismatchError, SdtextError
from sdtext.fingerprinting.dictionaries_by_digest import called
from sdtext.fingerprinting.load_and_save import read_fingerprint_file
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.model import DictionaryReference, Fingerprint, Problem, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import find, parse, translated
from sdtext.reading.archive_members import content_at
from sdtext.reading.parallel_run import Run
from sdtext.search.bit_vector_search import ByVectors
from sdtext.search.results import Found, Hits, QueryMatches, best_rows
from sdtext.search.scoring import Scores
from sdtext.search.search_plan import (
    Question,
    SearchPlan,
    as_recommended,
    default_matcher,
)
from sdtext.search.searchable import Searchable, Table, segment_views
from sdtext.wording import counted


def search_fingerprints(
    searched: Searchable, fingerprints: Sequence[Fingerprint], question: Question, run: Run
) -> Hits:
    """The stored documents that are similar to fingerprints in memory; problems go to the run.

    They are named by their documents or GUIDs, else by their numbers, from 1 as in a file. One
    over a dictionary that the collection does not have is a problem; MismatchError if all are.
    """
    queries = []
    for number, item in enumerate(fingerprints, 1):
        name = item.name or item.origin.guid or f"fingerprint {number}"
        queries.append((Path(name), name, item))
    return FingerprintSearch(searched, question, run).hits(queries, must_match=True)


def fingerprints_in(
    files: Sequence[Path], run: Run, *, is_alone: bool
) -> Iterator[tuple[Path, str, Fingerprint]]:
    """The fingerprints in `files` with the file and a name; a damaged file is a problem.

    Where the only file is damaged and `is_alone`, its error is raised.
    """
    for path in files:
        name = path.as_posix()
        number = 0
        try:
            for item in read_fingerprint_file(content_at(path, run.reading.max_bytes), name):
                if not isinstance(item, Dictionary):
                    number += 1
                    yield path, *item
        except SdtextError as error:
            if is_alone and not number and len(files) == 1:
                raise
            run.note(Problem.of(error, path))
        run.step(1, len(files))


@dataclass
class FingerprintSearch:
    """The searches of a collection by fingerprints, one for each dictionary of its vectors.

    `searches` has them by the digests of the dictionaries, as far as they were needed.
    """

    searched: Searchable
    question: Question
    run: Run = field(default_factory=Run)
    rounded: bool = False
    searches: dict[str, ByVectors] = field(default_factory=dict)

    def query(self, fingerprint: Fingerprint) -> QueryMatches:
        """The documents that are similar to a fingerprint, each with its best score."""
        found = [search.query(vectors) for search, vectors in self._over(fingerprint)]
        if len(found) < 2:
            return found[0] if found else QueryMatches.none()
        ids = np.concatenate([match.ids for match in found])
        score = np.concatenate([match.scores.score for match in found])
        similarity = np.concatenate([match.scores.similarity for match in found])
        order = np.argsort(-similarity, kind="stable")
        _, first = np.unique(ids[order], return_index=True)
        return QueryMatches(ids[order][first], Scores(score, similarity).taken(order[first]))

    def comparable(self, fingerprint: Fingerprint) -> NDArray[np.int64]:
        """The documents that have a score with a fingerprint, even 0."""
        found = [search.comparable(vectors) for search, vectors in self._over(fingerprint)]
        return distinct(np.concatenate([np.empty(0, np.int64), *found]))

    def _over(self, fingerprint: Fingerprint) -> Iterator[tuple[ByVectors, list[Vector]]]:
        """The searches over the dictionaries of a fingerprint, each with the vectors over that."""
        for digest, reference in self.searched.references.items():
            vectors = [
                vector
                for vector in fingerprint.vectors
                if fingerprint.reference(vector).digest == digest
            ]
            if vectors:
                yield self._search(reference), vectors

    def _search(self, reference: DictionaryReference) -> ByVectors:
        if reference.digest not in self.searches:
            plan = _plan(self.searched, self.question, reference)
            where = self.question.where
            views = segment_views(self.searched, plan.derivation, where, over=reference)
            table = Table(views, plan.derivation, run=self.run)
            self.searches[reference.digest] = ByVectors(table, plan, rounded=self.rounded)
        return self.searches[reference.digest]

    def hits(self, queries: Iterable[tuple[Path, str, Fingerprint]], *, must_match: bool) -> Hits:
        """The documents that are similar to fingerprints, each with the file it is in and a name.

        With `must_match` MismatchError if all are over dictionaries that the collection lacks.
        """
        rows: list[Found] = []
        refused: Counter[tuple[Path, str]] = Counter()
        for path, name, fingerprint in queries:
            searches = [*self._over(fingerprint)]
            if not searches:
                refused[path, " and ".join(map(called, fingerprint.dictionaries))] += 1
                continue
            for search, vectors in searches:
                self.run.note(*search.problems_of(name, vectors))
            top = searches[0][0].plan.question.top
            rows += best_rows(self.searched, name, self.query(fingerprint), top)
        own = " and ".join(called(item.reference()) for item in self.searched.dictionaries)
        has = f"dictionary {own}: fingerprint the documents with that"
        if not own:
            has = "no dictionary: make a collection with that dictionary"
        others = [
            Problem.at(
                "error",
                "other-dictionary",
                path,
                f"{counted(number, 'fingerprint')} not compared, made with dictionary {theirs}; "
                f"the collection has {has}",
            )
            for (path, theirs), number in refused.items()
        ]
        if others and must_match and not self.searches:
            raise MismatchError(others[0].message)
        self.run.note(*others)
        for search in self.searches.values():
            search.note_searched(self.run)
        return Hits(tuple(rows), how="; ".join(search.how for search in self.searches.values()))


def _plan(searched: Searchable, question: Question, reference: DictionaryReference) -> SearchPlan:
    """The plan of a search by bit vectors. MismatchError or OptionError for other matchers."""
    if question.estimate or question.recall is not None:
        raise MismatchError("fingerprints are compared exactly; leave estimate and recall out")
    known = [item for item in searched.dictionaries if item.digest == reference.digest]
    question = as_recommended(question, known)
    matcher = translated("matchers", parse(question.matcher or default_matcher(known)))
    if getattr(find("matchers", matcher.name), "compares", "sets") not in ("sets", "vectors"):
        raise MismatchError(f"{matcher.name} compares texts, not fingerprints; use cosine")
    stored = searched.recipe
    dictionary = known[0] if known else None
    plan = SearchPlan(question, stored, stored, matcher, "bits", dictionary, reference)
    plan.check_index()
    return plan.for_queries()
