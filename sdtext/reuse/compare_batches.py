"""Comparison of two batches of documents: their passages, which of them count, and the shares."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from sdtext.errors import OptionError
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Span
from sdtext.reading.parallel_run import VERIFYING, Run
from sdtext.reuse.coverage import shares_of
from sdtext.reuse.excluded_text import (
    Exclusions,
    cut_at_excluded,
    mark_excluded,
    passage_places,
    spans_of,
)
from sdtext.reuse.passage_finder import PairPassages
from sdtext.reuse.reuse_documents import DocumentBatch, DocumentInfo
from sdtext.reuse.reuse_plan import ReusePlan
from sdtext.reuse.verbatim_and_gaps import with_gaps, with_verbatim_scores

QUOTE, REFERENCES, TEMPLATE = "quote", "references", "template"
"""Reasons why passages do not count."""

MAX_PASSAGES = 1 << 20
"""The most passages of one search: they take a gigabyte of memory."""

Item = TypeVar("Item")


def limit_passages(
    items: Iterable[Item], count: Callable[[Item], int], so_far: int = 0
) -> Iterator[Item]:
    """The same items. Raises OptionError where their passages exceed the limit."""
    for item in items:
        so_far += count(item)
        if so_far > MAX_PASSAGES:
            raise OptionError(
                f"there are more than {MAX_PASSAGES} passages, which is the limit; select "
                "documents (where), use longer windows or a smaller distance, or exclude the "
                "text that all of them have (exclude)",
                place="find_reuse",
            )
        yield item


@dataclass(frozen=True)
class PairResult:
    """What two documents of two batches share.

    `left` and `right` are the places of the documents in their batches. `shares` are those of the
    words of each that begin in passages that count, without `excluded` spans of either document.
    """

    left: int
    right: int
    passages: tuple[Passage, ...] = ()
    shares: tuple[float, float] = (0.0, 0.0)
    excluded: tuple[Sequence[Span], Sequence[Span]] = ((), ())

    def spans(self, side: int, excluded: str = "") -> list[Span]:
        """The spans on a side, 0 or 1, of the passages that count, or are excluded for a reason.

        Without gaps.
        """
        counting = (passage for passage in self.passages if passage.excluded == excluded)
        return [span for passage in counting for span in passage.corresponding[side]]


@dataclass(frozen=True)
class BatchComparer:
    """Compares two batches of documents; text in `templates` does not count.

    The pairs whose passages are described are reported to the `run`.
    """

    plan: ReusePlan
    templates: Sequence[DocumentBatch] = ()
    run: Run = field(default_factory=Run)

    def __call__(
        self, left: DocumentBatch, right: DocumentBatch | None = None
    ) -> Iterator[PairResult]:
        """What each left document shares with each right one, or left ones with each other."""
        pairs = list(limit_passages(self.plan.finder(left, right), lambda pair: len(pair.passages)))
        places = {pair.left for pair in pairs}, {pair.right for pair in pairs}
        if right is None:
            exclusions = others = self._exclusions(left, places[0] | places[1])
        else:
            exclusions = self._exclusions(left, places[0])
            others = self._exclusions(right, places[1])
        for pair in pairs:
            yield self._result(pair, (exclusions[pair.left], others[pair.right]))
            self.run.step(1, len(pairs), VERIFYING)

    def _result(self, pair: PairPassages, exclusions: tuple[Exclusions, Exclusions]) -> PairResult:
        passages: Sequence[Passage] = pair.passages
        spans = spans_of(exclusions[0]), spans_of(exclusions[1])
        if any(exclusions):
            cut = cut_at_excluded(passages, spans, pair.sides, self.plan.finder)
            passages = mark_excluded(cut, exclusions, pair.sides)
        passages = self._described(passages, pair.sides)
        shares = shares_of(passages, pair.sides, spans)
        return PairResult(pair.left, pair.right, tuple(passages), shares, spans)

    def cut(
        self,
        passages: Sequence[Passage],
        excluded: tuple[Sequence[Span], Sequence[Span]],
        sides: tuple[DocumentWords, DocumentWords],
    ) -> list[Passage]:
        """The passages of two documents, cut at the borders of further excluded spans."""
        pieces = cut_at_excluded(passages, excluded, sides, self.plan.finder)
        known = set(passages)
        new = self._described([piece for piece in pieces if piece not in known], sides)
        kept = [piece for piece in pieces if piece in known]
        return sorted([*kept, *new], key=passage_places)

    def _described(
        self, passages: Sequence[Passage], sides: tuple[DocumentWords, DocumentWords]
    ) -> Sequence[Passage]:
        """The passages with what the question wants to know of each."""
        described = with_gaps(with_verbatim_scores(passages, *sides), *sides)
        if self.plan.question.edits:
            return self.plan.finder.aligner.with_edits(described, *sides)
        return described

    def _exclusions(
        self, batch: DocumentBatch, places: Collection[int]
    ) -> Mapping[int, Exclusions]:
        """Spans that do not count of the documents at some places."""
        chosen = sorted(places)
        exclusions = {place: _marked_spans(batch.infos[place]) for place in chosen}
        if not self.templates or not chosen:
            return exclusions
        documents = batch.take(chosen)
        for template in self.templates:
            for pair in self.plan.finder.for_templates(documents, template):
                spans = [(TEMPLATE, passage.left) for passage in pair.passages]
                exclusions[chosen[pair.left]] += spans
        return exclusions


def _marked_spans(info: DocumentInfo) -> list[tuple[str, Span]]:
    """The quotations and reference lists of a document that the question excludes."""
    marked = ((QUOTE, info.marked.quotes), (REFERENCES, info.marked.references))
    return [(reason, span) for reason, spans in marked for span in spans]
