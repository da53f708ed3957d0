"""Evidence of text reuse: shared passages of all pairs of documents, with shares and metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Coverage, Evidence, Examined, Passage, Shared, Span
from sdtext.reuse.compare_batches import BatchComparer, PairResult, limit_passages
from sdtext.reuse.coverage import parts_of, share_of, shares_of, with_word_counts
from sdtext.reuse.mark_boilerplate_passages import (
    BOILERPLATE,
    SharedPassages,
    mark_boilerplate,
    most_documents,
)
from sdtext.reuse.metadata_similarity import metadata_scores, pairs_with_similar_titles
from sdtext.reuse.reuse_documents import DocumentBatch, DocumentInfo, words_of_both

Key = tuple[int, int]
"""The side of a document, 0 or 1, and its id there."""


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
    """Two documents by their keys, and what they share."""

    left: Key
    right: Key
    result: PairResult

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
        self._texts: dict[Key, str] = {}
        self.same_files: set[Key] = set()
        """Right documents that are the file of a left one; these pairs are left out."""

    def include(self, batch: DocumentBatch, side: int) -> None:
        """Add documents that are reported even if they share nothing."""
        for place, info in enumerate(batch.infos):
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
            titled.discard((result.left, result.right))
            keys = self._key(left, result.left, 0), self._key(other, result.right, side)
            self._pairs.append(_DocumentPair(*keys, result))
            self._passages += len(result.passages)
        for place, other_place in sorted(titled):
            if self._is_same_file(left.infos[place], other.infos[other_place], side):
                continue
            keys = self._key(left, place, 0), self._key(other, other_place, side)
            self._pairs.append(_DocumentPair(*keys, PairResult(place, other_place)))

    def _is_same_file(self, left: DocumentInfo, right: DocumentInfo, side: int) -> bool:
        is_same = left.is_same_file(right)
        if is_same:
            self.same_files.add((side, right.id))
        return is_same

    def with_passages(self, side: int) -> Iterator[tuple[DocumentInfo, DocumentWords]]:
        """The documents of a side that share passages, with their words."""
        pairs = [pair for pair in self._pairs if pair.result.passages]
        for key in sorted({key for pair in pairs for key in (pair.left, pair.right)}):
            if key[0] == side:
                yield self._documents[key].info, self._words_of(key)

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

    def evidence(self, frame: Evidence, compared: int) -> Evidence:
        """`frame`, with documents, pairs and coverage; the pairs of a document by their shares.

        `compared` is the number of all documents; it decides what is boilerplate.
        """
        self._mark_boilerplate(most_documents(compared))
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
        infos = {key: self._documents[key].info for key in keys}
        names = Counter((side, info.examined.name) for (side, _), info in infos.items())
        for key, info in infos.items():
            side = key[0]
            examined = replace(info.examined, excluded=tuple(self._documents[key].excluded))
            if text := self._texts.get(key, examined.text):
                starts = self._words_of(key).starts.tolist()
                examined = replace(examined, length=len(text), text=text, word_starts=starts)
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
