"""Evidence for removals: what both documents share, and where the least similar pairs differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from sdtext.deduplication.rules_and_removals import Choice, RemovedDocument, Rules
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.model import PartSpec
from sdtext.model.displayed_results import ShortFields
from sdtext.reading.parallel_run import EXPLAINING, Run
from sdtext.search.compare_texts import SharedPieces, TextComparer, shortened
from sdtext.text.document import Document

_CACHED = 64  # texts of kept documents
_CONTEXT = 4  # words before the first difference


@dataclass(frozen=True, repr=False)
class ReviewedPair(ShortFields):
    """A removed document and the one that is kept instead, with the passages where they differ.

    `score` is 0 to 99, `similarity` 0 to 1. `text` is of the removed document, `kept_text` of the
    other one: each from a few words before their first difference. They are None where a text is
    not at hand.
    """

    document: str
    kept: str
    score: int
    similarity: float
    cluster: int | None
    text: str | None
    kept_text: str | None


@dataclass(frozen=True, eq=False)
class RemovalEvidence:
    """The texts of the documents of a choice, for as long as their workspace is there."""

    documents: Workspace
    rules: Rules
    choice: Choice
    run: Run

    def removed(self) -> Mapping[int, RemovedDocument]:
        """The removals with the number of shared shingles and the longest shared passage."""
        explained = {}
        for number, row in self.choice.removed.items():
            explained[number] = self._explained(number, row)
            self.run.step(1, len(self.choice.removed), EXPLAINING)
        return explained

    def reviewed(self, number: int) -> Iterator[ReviewedPair]:
        """So many removals, the least similar first, with the passages where they differ."""
        rows = sorted(self.choice.removed.items(), key=lambda row: (row[1].similarity, row[0]))
        for removed, row in rows[:number]:
            other = self._other(removed, row)
            text = self._texts(removed)
            both = (None, None) if other is None else differing(text, other)
            name = row.kept if row.duplicate is None else row.duplicate
            yield ReviewedPair(row.document, name, row.score, row.similarity, row.cluster, *both)

    def _explained(self, number: int, row: RemovedDocument) -> RemovedDocument:
        other = self._other(number, row)
        if other is None:
            return row
        score = self._comparer(self._texts(number), other)
        runs = score.shared_terms
        passage = shortened(" ".join(runs[0].term.split())) if runs else ""
        return replace(row, shared=score.best.common, passage=passage)

    def _other(self, number: int, row: RemovedDocument) -> str | None:
        """The text of the document that is kept instead."""
        partner = self.choice.partners[number]
        return self._texts(partner) if row.cluster is not None else self._stored(partner)

    def _stored(self, number: int) -> str | None:
        assert self.rules.against is not None  # noqa: S101 (else nothing is removed for it)
        return self._pieces.stored_text(self.rules.against, number)

    @cached_property
    def _pieces(self) -> SharedPieces:
        assert self.rules.against is not None  # noqa: S101 (as above)
        stored = self.rules.against
        recipe = self.documents.collection.recipe
        return SharedPieces(stored, stored, recipe, 1, self.run.reading)

    @cached_property
    def _comparer(self) -> TextComparer:
        return TextComparer(self.documents.collection.recipe, PartSpec("jaccard"))

    @cached_property
    def _texts(self) -> Callable[[int], str]:
        return lru_cache(maxsize=_CACHED)(
            lambda number: Document.of(self.documents.collection.text_with_id(number)).clean
        )


def differing(left: str, right: str) -> tuple[str, str]:
    """The passages of two texts from their first different words on, with some words before.

    >>> differing("In the old hive the bees dance at noon.", "In the old hive the bees sleep.")
    ('… old hive the bees dance at noon.', '… old hive the bees sleep.')
    """
    words, others = left.split(), right.split()
    pairs = enumerate(zip(words, others, strict=False))
    first = next((place for place, pair in pairs if pair[0] != pair[1]), None)
    start = max(0, (min(len(words), len(others)) if first is None else first) - _CONTEXT)
    sign = "… " if start else ""
    passages = (shortened(sign + " ".join(side[start:])) for side in (words, others))
    return next(passages), next(passages)
