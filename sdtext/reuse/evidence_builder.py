"""Evidence of text reuse: the shared passages of all pairs of documents, with shares and metadata.

Documents are compared batch by batch: their passages, which of these count, and the shares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sdtext.errors import OptionError
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Coverage, Evidence, Examined, Passage, Shared, Span
from sdtext.reading.parallel_run import VERIFYING, Run
from sdtext.reuse.coverage import parts_of, share_of, shares_of, with_word_counts
from sdtext.reuse.excluded_text import (
    Exclusions,
    cut_at_excluded,
    mark_excluded,
    passage_places,
    spans_of,
)
from sdtext.reuse.mark_boilerplate_passages import (
    BOILERPLATE,
    SharedPassages,
    mark_boilerplate,
    most_documents,
)
from sdtext.reuse.metadata_similarity import metadata_scores, pairs_with_similar_titles
from sdtext.reuse.passage_finder import PairPassages
from sdtext.reuse.reuse_documents import DocumentBatch, DocumentInfo, words_of_both
from sdtext.reuse.reuse_plan import ReusePlan
from sdtext.reuse.verbatim_and_gaps import with_gaps, with_verbatim_scores

QUOTE, REFERENCES, TEMPLATE = "quote", "references", "template"
"""Reasons why passages do not count."""

MAX_PASSAGES = 1 << 20
"""The most passages of one search: they take a gigabyte of memory."""

Item = TypeVar("Item")
Key = tuple[int, int]
"""The side of a document, 0 or 1, and its id there."""


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


@dataclass(frozen=True)
class _DocumentEvidence:
    """A document, the spans of it that are found elsewhere, and the share found in each source."""

    batch: DocumentBatch
    place: int
    spans: list[Span] = field(default_factory=list)
    boilerplate: list[Span] = field(default_factory=list)
    excluded: list[Span] = field(default_factory=list)
    sources: dict[Key, float] = field(default_factory=dict)

    @property
    def info(self) -> DocumentInfo:
        """What is known of the document."""
        return self.batch.infos[self.place]

    def coverage(self, places: Mapping[Key, int], place: int) -> Coverage:
        """The shares of it that are found: anywhere, in each source, of each chapter.

        And that of boilerplate, of words that are not found otherwise.
        """
        worded, chapters = self.batch.words_of(self.place), self.info.marked.chapters
        return Coverage(
            place,
            share_of(worded, self.spans, self.excluded),
            {places[key]: share for key, share in self.sources.items() if share},
            tuple(parts_of(worded, chapters, self.spans, self.excluded)),
            share_of(worded, self.boilerplate, [*self.excluded, *self.spans]),
        )


@dataclass(frozen=True)
class _DocumentPair:
    """Two documents by their keys, what they share, and whether their titles are similar."""

    left: Key
    right: Key
    result: PairResult
    is_titled: bool = False

    @property
    def is_reported(self) -> bool:
        """Whether there is anything to report.

        Of a passage nothing may be left where excluded text and boilerplate are cut from it.
        """
        return bool(self.result.passages) or self.is_titled

    @property
    def order(self) -> tuple[Key, float, Key]:
        return self.left, -max(self.result.shares), self.right


class EvidenceBuilder:
    """Gathers what documents share: `within` one collection, or left and right ones.

    The evidence has the coverage of the left documents.
    """

    def __init__(self, comparer: BatchComparer, *, within: bool) -> None:
        self._comparer = comparer
        self._within = within
        self._documents: dict[Key, _DocumentEvidence] = {}
        self._pairs: list[_DocumentPair] = []
        self._passages = 0
        self._included: set[Key] = set()
        self._texts: dict[Key, str] = {}
        self.same_files: set[Key] = set()
        """Right documents that are the file of a left one; these pairs are left out."""

    def include(self, batch: DocumentBatch, side: int) -> None:
        """Add documents that are reported even if they share nothing."""
        for place, info in enumerate(batch.infos):
            self._included.add((side, info.id))
            self._documents.setdefault((side, info.id), _DocumentEvidence(batch, place))

    def compare(self, left: DocumentBatch, right: DocumentBatch | None = None) -> None:
        """Add what left documents share with right ones, or with each other.

        Raises OptionError where there are too many passages.
        """
        other = left if right is None else right
        side = 0 if self._within else 1
        titled = set(_similar_titles(left, right))
        results = (
            result
            for result in self._comparer(left, right)
            if not self._is_same_file(left.infos[result.left], other.infos[result.right], side)
        )
        for result in limit_passages(results, lambda item: len(item.passages), self._passages):
            if not result.passages:
                continue
            places = result.left, result.right
            keys = self._key(left, result.left, 0), self._key(other, result.right, side)
            self._pairs.append(_DocumentPair(*keys, result, places in titled))
            titled.discard(places)
            self._passages += len(result.passages)
        for place, other_place in sorted(titled):
            if self._is_same_file(left.infos[place], other.infos[other_place], side):
                continue
            keys = self._key(left, place, 0), self._key(other, other_place, side)
            self._pairs.append(_DocumentPair(*keys, PairResult(place, other_place), is_titled=True))

    def _is_same_file(self, left: DocumentInfo, right: DocumentInfo, side: int) -> bool:
        is_same = left.is_same_file(right)
        if is_same:
            self.same_files.add((side, right.id))
        return is_same

    def merge_sides(self) -> int:
        """The number of files that are on both sides.

        If all left documents are, as files of a folder on the right, each becomes one document, and
        two of them, which were compared in both directions, one pair. Otherwise they stay two: what
        a left one has from others that are not on the right is no part of its coverage. It follows
        `include`.
        """
        sides: tuple[dict[str, Key], dict[str, Key]] = ({}, {})
        for key in sorted(self._documents):
            sides[key[0]].setdefault(self._documents[key].info.file, key)
        left, right = sides
        same = {right[file]: key for file, key in left.items() if file and file in right}
        if len(same) == sum(side == 0 for side, _ in self._documents):
            self._merge(same)
        return len(same)

    def _merge(self, same: Mapping[Key, Key]) -> None:
        """Replace some documents by others that are the same, and keep one pair of each two."""
        pairs: dict[Collection[Key], _DocumentPair] = {}
        for pair in self._pairs:
            merged = replace(pair, right=same.get(pair.right, pair.right))
            pairs.setdefault(frozenset((merged.left, merged.right)), merged)
        self._pairs = list(pairs.values())
        for key in same:
            del self._documents[key]

    @property
    def infos(self) -> list[DocumentInfo]:
        """What is known of the documents, left ones first."""
        return [self._documents[key].info for key in sorted(self._documents)]

    def settle(self, compared: int) -> None:
        """Set boilerplate apart once all is compared, and drop what is no longer reported.

        `compared` is the number of all documents; it decides what is boilerplate.
        """
        self._mark_boilerplate(most_documents(compared))
        self._pairs = [pair for pair in self._pairs if pair.is_reported]
        reported = {key for pair in self._pairs for key in (pair.left, pair.right)}
        for key in self._documents.keys() - self._included - reported:
            del self._documents[key]

    def with_passages(self, side: int) -> Iterator[tuple[DocumentInfo, DocumentWords]]:
        """The documents of a side that share passages, with their words."""
        for key in sorted(self._sharing()):
            if key[0] == side:
                yield self._documents[key].info, self._words_of(key)

    def _sharing(self) -> set[Key]:
        """The documents that share passages."""
        pairs = [pair for pair in self._pairs if pair.result.passages]
        return {key for pair in pairs for key in (pair.left, pair.right)}

    def add_text(self, side: int, number: int, text: str) -> None:
        """Add the text of the document of a side with this id."""
        self._texts[side, number] = text

    def _cover(self, pair: _DocumentPair) -> None:
        """Add the passages of a pair to the coverage of its documents."""
        keys = pair.left, pair.right
        for side, key in enumerate(keys):
            document = self._documents[key]
            document.spans.extend(pair.result.spans(side))
            document.boilerplate.extend(pair.result.spans(side, BOILERPLATE))
            if excluded := pair.result.excluded[side]:
                document.excluded[:] = excluded  # the same in every pair of the document
            document.sources[keys[1 - side]] = pair.result.shares[side]

    def _key(self, batch: DocumentBatch, place: int, side: int) -> Key:
        """The key of a document, which is added if it is new."""
        key = side, batch.infos[place].id
        if key not in self._documents:
            # One document alone, so that the batch need not stay in memory.
            self._documents[key] = _DocumentEvidence(batch.take([place]), 0)
        return key

    def _words_of(self, key: Key) -> DocumentWords:
        document = self._documents[key]
        return document.batch.words_of(document.place)

    def _mark_boilerplate(self, most: tuple[int, int]) -> None:
        """Set apart short and long text that stands in more than so many documents."""
        pairs = [
            SharedPassages(pair.left, pair.right, pair.result.passages, pair.result.shares)
            for pair in self._pairs
        ]
        for place, passages in mark_boilerplate(pairs, self._words_of, most, self._cut):
            pair = self._pairs[place]
            words = self._words_of(pair.left), self._words_of(pair.right)
            shares = shares_of(passages, words, pair.result.excluded)
            result = replace(pair.result, passages=tuple(passages), shares=shares)
            self._pairs[place] = replace(pair, result=result)

    def _cut(
        self,
        pair: SharedPassages,
        passages: Sequence[Passage],
        excluded: tuple[Sequence[Span], Sequence[Span]],
    ) -> Sequence[Passage]:
        """Some passages of a pair, cut at the borders of excluded spans."""
        if not passages or not any(excluded):
            return passages
        left, right = (self._documents[key] for key in pair.keys)
        words = words_of_both((left.batch, left.place), (right.batch, right.place))
        return self._comparer.cut(passages, excluded, words)

    def evidence(self, frame: Evidence) -> Evidence:
        """`frame`, with documents, pairs and coverage; the pairs of a document by their shares.

        Documents that share passages have their texts, if any are known. All is settled before.
        """
        for pair in self._pairs:
            self._cover(pair)
        places = {key: place for place, key in enumerate(sorted(self._documents))}
        documents = tuple(self._examined(places))
        pairs = sorted(self._pairs, key=lambda pair: pair.order)
        shared = tuple(self._shared(pair, places) for pair in pairs)
        left = [(key, place) for key, place in places.items() if key[0] == 0]
        coverage = tuple(self._documents[key].coverage(places, place) for key, place in left)
        whole = replace(frame, documents=documents, shared=shared, coverage=coverage)
        keys = list(places)
        return with_word_counts(whole, lambda place: self._words_of(keys[place]))

    def _examined(self, keys: Iterable[Key]) -> Iterator[Examined]:
        """The documents with these keys, by names that are unique on their side."""
        infos, sharing = {key: self._documents[key].info for key in keys}, self._sharing()
        names = Counter((side, info.examined.name) for (side, _), info in infos.items())
        for key, info in infos.items():
            side, chapters = key[0], info.marked.chapters
            examined = replace(
                info.examined,
                excluded=tuple(self._documents[key].excluded),
                chapters=tuple(chapters) if any(span.title for span in chapters) else (),
            )
            text = self._texts.get(key, examined.text) if key in sharing else ""
            starts = self._words_of(key).starts.tolist() if text else ()
            length = len(text) or examined.length
            examined = replace(examined, length=length, text=text, word_starts=starts)
            if info.path and names[side, examined.name] > 1:
                examined = replace(examined, name=info.path)
            yield examined

    def _shared(self, pair: _DocumentPair, places: Mapping[Key, int]) -> Shared:
        left, right = (
            self._documents[key].info.examined.metadata for key in (pair.left, pair.right)
        )
        result = pair.result
        sides = places[pair.left], places[pair.right]
        return Shared(*sides, result.passages, *result.shares, metadata_scores(left, right))


def _similar_titles(left: DocumentBatch, right: DocumentBatch | None) -> Iterator[tuple[int, int]]:
    """The places of documents with similar titles, whether or not they share text."""
    metadata = [info.examined.metadata for info in left.infos]
    others = None if right is None else [info.examined.metadata for info in right.infos]
    return pairs_with_similar_titles(metadata, others)
