"""Passages by sentences: those whose codes differ in few bits.

Codes are compared by a Hamming join: equal ones once (`kernels.hamming_join`), and the pairs are
expanded to all sentences that have them. What it returns are matches: arrays of shape (n, 5) with
the document and the position of a left sentence, the same of a right sentence, and the number of
bits in which their codes differ.

Boilerplate (headings, footers, pages of a form) makes oversized buckets: a sentence that a thousand
documents contain makes half a million matches. Of an oversized bucket are listed

- the matches with the first and with the last sentence of each side. So each sentence that has an
  equal one in another document keeps a match, and the share of a document that is found anywhere
  is exact. (If the first and the last were in one document, so would be all between them.)
- all matches of two documents that have another match, so that what these two share is complete.
  If both contain the sentence very often, again those with the first and the last.

The others are counted and omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.sentence_codes import SHORTEST
from sdtext.collections.schema import CODES
from sdtext.collections.storage.segments import StoredSegment
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, OptionError
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.hamming_join import (
    BitPartition,
    CodePairs,
    Codes,
    Rows,
    SortedKeys,
    pairs_by_keys,
    pairs_by_scan,
    self_pairs_by_keys,
    words_of,
)
from sdtext.kernels.passages.sequence_algorithms import common_words
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Problem, Similarity, Span
from sdtext.parts.aligners.sentence_passages import SentencePassages
from sdtext.parts.aligners.word_alignment import cut_to_equal_words
from sdtext.parts.code_groups import MANY, Groups, Way
from sdtext.parts.fingerprints.minhash import BBit
from sdtext.reuse.coverage import word_count
from sdtext.reuse.document_batch import DocumentBatch, PairPassages
from sdtext.wording import counted

Numbers = NDArray[np.int64]

MOST_PAIRS = 1 << 22
"""Pairs of sentences that are listed."""

BUCKET_PAIRS = 1 << 17
"""Two codes that make more pairs of sentences, some 500 equal ones, are an oversized bucket."""

_DOCUMENT_PAIRS = 1 << 12
"""Where a bucket makes more pairs of two documents, those with the first and last are listed."""


@dataclass(frozen=True, eq=False)
class SentenceFinder:
    """Finds passages by sentence codes, which `part` makes and `groups` searches.

    Passages of fewer words than `shortest` are left out. `note` gets a warning for each batch of
    which matches were omitted.
    """

    groups: Groups
    aligner: SentencePassages
    part: BBit
    shortest: int = 0
    note: Callable[[Problem], None] = field(default=lambda _: None, repr=False)
    counts: list[int] = field(default_factory=list)
    """How many codes each join searched; the best index depends on it."""

    w = 0  # there are no windows

    @property
    def description(self) -> str:
        """The method in one sentence, with the index for the largest number of codes."""
        most = max(self.counts, default=MANY)
        return self.groups.summary(self.part.slots, self.part.bits, most)

    @property
    def parameters(self) -> dict[str, str]:
        """The settings, by name."""
        slots, bits = self.part.slots, self.part.bits
        parts: dict[str, Groups | SentencePassages | BBit]
        parts = {"index": self.groups, "aligner": self.aligner, "fingerprint": self.part}
        options = {name: asdict(part).items() for name, part in parts.items()}
        return {
            "method": "sentences",
            "bits": str(slots * bits),
            "radius": str(self.groups.radius_for(slots, bits)),
            **{name: ", ".join(f"{k}={v}" for k, v in own) for name, own in options.items()},
        }

    def __call__(
        self,
        left: DocumentBatch,
        right: DocumentBatch | None = None,
        progress: Callable[[float], None] | None = None,  # noqa: ARG002 (it takes little time)
    ) -> Iterator[PairPassages]:
        """Passages of each left document with each right one; without `right`, of each left pair.

        Raises TooManyPairs.
        """
        other = left if right is None else right
        own = left.renumbered_as(other)
        codes, other_codes = own.codes, other.codes
        assert codes is not None  # noqa: S101 (the search asked for them)
        assert other_codes is not None  # noqa: S101
        way = self._way(len(other_codes.codes.values))
        matches = match_sentences(codes.codes, None if right is None else other_codes.codes, way)
        if matches.omitted:
            message = f"{counted(matches.omitted, 'pair')} of boilerplate sentences omitted; "
            message += "totals are exact, but not every source is listed"
            self.note(Problem("warning", "crowded-sentences", message))
        width = self.part.slots * self.part.bits
        for place, other_place, rows in matches.by_documents():
            sides = own.words_of(place), other.words_of(other_place)
            bounds, other_bounds = (
                (coded.starts[at].astype(np.int64), coded.ends[at].astype(np.int64))
                for coded, at in ((codes, place), (other_codes, other_place))
            )
            passages = self._long(self.aligner(rows, bounds, other_bounds, width), sides)
            if passages:
                yield PairPassages(place, other_place, passages, sides)

    def realigned(
        self,
        passage: Passage,  # noqa: ARG002 (its similarity is the mean of its sentences)
        boxes: NDArray[np.int64],  # noqa: ARG002 (sentences have none)
        sides: tuple[DocumentWords, DocumentWords],
    ) -> Sequence[Passage]:
        """The passages in a part of a passage with these words, of which half must be common.

        Both sides of each begin and end with words that correspond. Its similarity is what the
        codes of sentences estimate: the Jaccard coefficient of pairs of adjacent terms.
        """
        left, right = sides
        if not _has_half_in_common(left, right):
            return []
        pieces = []
        whole = (0, len(left.words), 0, len(right.words))
        for start, end, other_start, other_end in cut_to_equal_words(left, right, whole):
            own, other = left[start:end], right[other_start:other_end]
            if not _has_half_in_common(own, other):
                continue
            spans = [Span(int(side.starts[0]), int(side.ends[-1])) for side in (own, other)]
            if min(span.end - span.start for span in spans) >= SHORTEST:
                pairs, others = (set(pairwise(side.terms.tolist())) for side in (own, other))
                shared = Similarity(len(pairs & others), max(1, len(pairs | others)))
                pieces.append(Passage(spans[0], spans[1], shared))
        return self._long(pieces, sides)

    @property
    def for_templates(self) -> SentenceFinder:
        """The same method for templates, without a limit to length."""
        return replace(self, shortest=0)

    def candidates(self, batch: DocumentBatch, collection: StoredCollection) -> NDArray[np.int64]:
        """Ids of the stored documents that have a sentence similar to one of the batch."""
        assert batch.codes is not None  # noqa: S101 (the search asked for them)
        segments = collection.segments()
        number = sum(len(segment.ragged(CODES).values) for segment in segments)
        return similar_documents(batch.codes.codes, segments, self._way(number))

    def _way(self, codes: int) -> Way:
        self.counts.append(max(1, codes))
        return self.groups.way(self.part.slots, self.part.bits, self.counts[-1])

    def _long(
        self, passages: Sequence[Passage], sides: tuple[DocumentWords, DocumentWords]
    ) -> Sequence[Passage]:
        if not self.shortest:
            return passages
        least, (left, right) = self.shortest, sides
        return [
            item
            for item in passages
            if min(word_count(left, item.left), word_count(right, item.right)) >= least
        ]


def _has_half_in_common(left: DocumentWords, right: DocumentWords) -> bool:
    longer = max(len(left.words), len(right.words))
    return 0 < longer <= 2 * common_words(left.words, right.words)


class TooManyPairs(OptionError):  # noqa: N818 (the pairs are too many, the input has no error)
    """There are more pairs than can be listed; the message says what to change."""

    def __init__(self, count: int, most: int) -> None:
        what = f"at least {count:,} pairs are within the radius; at most {most:,} can be listed"
        super().__init__(f"{what}; use a smaller radius, a higher similarity, or fewer documents")


@dataclass(frozen=True, eq=False)
class OversizedBucket:
    """Rows of two codes that make more pairs than the limit: these pairs are not listed.

    `left` are the sorted rows of one code, `right` those of a code that differs from it in
    `distance` bits. With `within` both are the rows of a single code, compared with each other.
    """

    left: Rows
    right: Rows
    distance: int
    within: bool = False


@dataclass(frozen=True, eq=False)
class NearPairs:
    """Sorted pairs of rows with their distances: columns of one length.

    Pairs in an oversized bucket are left out of the columns and described by `oversized`.
    """

    left: Rows
    right: Rows
    distances: Rows
    oversized: tuple[OversizedBucket, ...] = ()


@dataclass(frozen=True, eq=False)
class DistinctCodes:
    """Distinct codes; the rows of code i are `rows[offsets[i] : offsets[i + 1]]`."""

    codes: Codes
    rows: Rows
    offsets: Rows

    @classmethod
    def of(cls, codes: Codes) -> DistinctCodes:
        """The distinct codes among `codes`.

        >>> DistinctCodes.of(np.array([[7], [5], [7]], np.uint8)).sizes.tolist()
        [1, 2]
        """
        words = words_of(codes)
        rows = np.lexsort(words.T)
        begins = np.ones(len(rows), bool)
        begins[1:] = (words[rows[1:]] != words[rows[:-1]]).any(axis=1)
        offsets = np.append(np.flatnonzero(begins), len(rows))
        return cls(codes[rows[offsets[:-1]]], rows, offsets)

    @property
    def sizes(self) -> Rows:
        """The number of rows of each code."""
        return self.offsets[1:] - self.offsets[:-1]

    def rows_of(self, place: int) -> Rows:
        """The sorted rows of the code at `place`."""
        return self.rows[self.offsets[place] : self.offsets[place + 1]]


def near_pairs(
    left: Codes,
    right: Codes | None,
    radius: int,
    cut: BitPartition | None = None,
    most: int = MOST_PAIRS,
    bucket: float = inf,
) -> NearPairs:
    """All pairs within the radius: by the keys of a `cut`, or by a scan.

    Without `right`, pairs of rows of `left`, the first on the left. Two codes with more than
    `bucket` pairs are an oversized bucket. Raises TooManyPairs for more than `most`.

    >>> codes = np.array([[1] * 8, [1] * 7 + [3], [255] * 8], np.uint8)
    >>> near = near_pairs(codes, None, 2, BitPartition(bits=64, radius=2, groups=3))
    >>> near.left.tolist(), near.right.tolist(), near.distances.tolist()
    ([0], [1], [1])
    """
    mine, other = DistinctCodes.of(left), None if right is None else DistinctCodes.of(right)
    if cut is None:
        pairs = pairs_by_scan(mine.codes, other.codes if other else None, radius)
    elif other is None:
        pairs = self_pairs_by_keys(mine.codes, cut)
    else:
        pairs = pairs_by_keys(mine.codes, other.codes, SortedKeys.of(other.codes, cut))
    return _expanded_to_rows(pairs, mine, other, most, bucket)


def _expanded_to_rows(
    pairs: Iterable[CodePairs],
    left: DistinctCodes,
    other: DistinctCodes | None,
    most: int,
    bucket: float,
) -> NearPairs:
    """The pairs of rows of pairs of codes; on one side alone, also two rows of one code."""
    right = other or left
    count = 0
    blocks = [(np.empty(0, np.int64),) * 3]
    oversized: list[OversizedBucket] = []
    if other is None:
        many = left.sizes * (left.sizes - 1) // 2
        kept = many <= bucket
        count = int(many[kept].sum())
        for place in np.flatnonzero(~kept).tolist():
            rows = left.rows_of(place)
            oversized.append(OversizedBucket(rows, rows, 0, within=True))
        if count <= most:
            rows = np.flatnonzero(np.repeat(kept, left.sizes))
            later = np.repeat(left.offsets[1:], left.sizes)[rows] - rows - 1
            first = np.repeat(rows, later)
            places = np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later)
            second = first + 1 + places
            blocks.append((left.rows[first], left.rows[second], np.zeros(len(first), np.int64)))
    for block in pairs:
        many = left.sizes[block[0]] * right.sizes[block[1]]
        for one, two, distance in zip(*(column[many > bucket] for column in block), strict=True):
            oversized.append(OversizedBucket(left.rows_of(one), right.rows_of(two), int(distance)))
        kept = many <= bucket
        count += int(many[kept].sum())
        if count > most:
            break
        ones, twos, apart = (column[kept] for column in block)
        owners, first, second = _products(many[kept], right.sizes[twos])
        left_rows = left.rows[left.offsets[ones[owners]] + first]
        blocks.append((left_rows, right.rows[right.offsets[twos[owners]] + second], apart[owners]))
    if count > most:
        raise TooManyPairs(count, most)
    lefts, rights, apart = (np.concatenate(column) for column in zip(*blocks, strict=True))
    if other is None:
        lefts, rights = np.minimum(lefts, rights), np.maximum(lefts, rights)
    order = np.lexsort((rights, lefts))
    return NearPairs(lefts[order], rights[order], apart[order], tuple(oversized))


def _products(many: Rows, sizes: Rows) -> tuple[Rows, Rows, Rows]:
    """The pairs of `many` groups, of which the right sides have `sizes`: group, left, right."""
    groups = np.repeat(np.arange(len(many)), many)
    return groups, *np.divmod(
        np.arange(len(groups)) - (np.cumsum(many) - many)[groups], sizes[groups]
    )


@dataclass(frozen=True, eq=False)
class SentenceMatches:
    """Pairs of similar sentences of different documents.

    `rows` are matches (see the module). `omitted` counts the matches of oversized buckets that are
    not listed.
    """

    rows: Numbers
    omitted: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def by_documents(self) -> Iterator[tuple[int, int, Numbers]]:
        """For each pair of documents, rows of left sentence, right sentence and distance."""
        rows = self.rows[np.lexsort(self.rows.T[[3, 1, 2, 0]])]
        changes = (rows[1:, [0, 2]] != rows[:-1, [0, 2]]).any(axis=1)
        ends = [0, *(np.flatnonzero(changes) + 1).tolist(), len(rows)]
        for start, end in pairwise(ends if len(rows) else ()):
            left, _, right = rows[start, :3].tolist()
            yield left, right, rows[start:end, [1, 3, 4]]


def match_sentences(left: Ragged, right: Ragged | None, way: Way) -> SentenceMatches:
    """Similar sentences of left and right documents, given as a row of codes for each document.

    Without `right`, those of every two left documents, the first on the left. Raises TooManyPairs.

    >>> codes = Ragged(np.array([[0] * 8, [255] * 8, [1] + [0] * 7], np.uint8), np.array([0, 2, 3]))
    >>> matches = match_sentences(codes, None, Way(radius=2))
    >>> [(left, right, rows.tolist()) for left, right, rows in matches.by_documents()]
    [(0, 1, [[0, 0, 1]])]
    """
    codes, other_codes = left.values, None if right is None else right.values
    pairs = near_pairs(codes, other_codes, way.radius, way.cut, MOST_PAIRS, BUCKET_PAIRS)
    sides = left, left if right is None else right
    rows = np.column_stack(
        (_located(sides[0], pairs.left), _located(sides[1], pairs.right), pairs.distances)
    )
    if right is None:
        rows = rows[rows[:, 0] != rows[:, 2]]
    return (
        _with_oversized(rows, pairs.oversized, sides) if pairs.oversized else SentenceMatches(rows)
    )


def _located(codes: Ragged, rows: Numbers) -> Numbers:
    """The document of each row of codes, and the position of the sentence in it: shape (n, 2)."""
    documents = np.searchsorted(codes.offsets, rows, "right") - 1
    return np.column_stack((documents, rows - codes.offsets[documents]))


def _with_oversized(
    rows: Numbers, buckets: Sequence[OversizedBucket], sides: tuple[Ragged, Ragged]
) -> SentenceMatches:
    """Matches, with those of oversized buckets that are listed. Raises TooManyPairs."""
    within = sides[0] is sides[1]
    located = [
        (_located(sides[0], bucket.left), _located(sides[1], bucket.right), bucket.distance)
        for bucket in buckets
    ]
    total = len(rows)
    for bucket, (left, right, _) in zip(buckets, located, strict=True):
        pairs = len(left) * len(right)
        if within:  # those of one document do not count
            inside = (np.bincount(side[:, 0], minlength=len(sides[0])) for side in (left, right))
            pairs -= int(np.prod([*inside], axis=0).sum())
        total += pairs // 2 if bucket.within else pairs
    edges = sum(2 * (len(left) + len(right)) for left, right, _ in located)
    if edges + len(rows) > MOST_PAIRS:
        raise TooManyPairs(edges + len(rows), MOST_PAIRS)
    edged = np.concatenate([rows, *(_edges(*bucket) for bucket in located)])
    if within:  # the first document of a pair on the left, and none with itself
        edged = np.where(edged[:, [0]] < edged[:, [2]], edged, edged[:, [2, 3, 0, 1, 4]])
        edged = edged[edged[:, 0] != edged[:, 2]]
    documents = np.unique(edged[:, [0, 2]], axis=0)
    count, blocks = len(edged), [edged]
    for left, right, distance in located:
        for ordered in ((left, right), (right, left))[: 1 + within]:
            for block in _matches_of(documents, *ordered, MOST_PAIRS - count):
                count += len(block)
                blocks.append(np.column_stack((block, np.full(len(block), distance))))
    listed = np.unique(np.concatenate(blocks), axis=0)
    return SentenceMatches(listed, total - len(listed))


def _edges(left: Numbers, right: Numbers, distance: int) -> Numbers:
    """Matches of each sentence of either side with the first and the last of the other side."""
    ends = [0, -1]
    lefts = np.concatenate([left.repeat(2, axis=0), np.tile(left[ends], (len(right), 1))])
    rights = np.concatenate([np.tile(right[ends], (len(left), 1)), right.repeat(2, axis=0)])
    return np.column_stack((lefts, rights, np.full(len(lefts), distance)))


def _matches_of(documents: Numbers, left: Numbers, right: Numbers, most: int) -> Iterator[Numbers]:
    """Matches of a bucket in pairs of documents, without distances; none of more than `most`."""
    begins, counts = [], []
    for column, side in zip(documents.T, (left, right), strict=True):
        begins.append(np.searchsorted(side[:, 0], column))
        counts.append(np.searchsorted(side[:, 0], column, "right") - begins[-1])
    products = counts[0] * counts[1]
    large = np.flatnonzero(products > _DOCUMENT_PAIRS)
    products[large] = 0
    if products.sum() + 2 * (counts[0] + counts[1])[large].sum() > most:
        return
    for place in large.tolist():
        columns = zip((left, right), begins, counts, strict=True)
        lefts, rights = (side[at[place] :][: size[place]] for side, at, size in columns)
        yield _edges(lefts, rights, 0)[:, :4]
    owners, first, second = _products(products, counts[1])
    yield np.column_stack((left[begins[0][owners] + first], right[begins[1][owners] + second]))


def similar_documents(codes: Ragged, segments: Sequence[StoredSegment], way: Way) -> Numbers:
    """Ids of the stored documents with a sentence similar to one of those with the given codes.

    Sorted keys are cached beside each segment: after the first search, stored codes are read only
    where keys match. Matches are not listed, so that their number has no limit. Raises FormatError
    where codes are damaged.
    """
    wanted: Codes = DistinctCodes.of(codes.values).codes
    ids = [np.empty(0, np.int64)]
    for segment in segments:
        stored: Codes = segment.ragged(CODES).values
        if stored.shape[1:] != wanted.shape[1:]:
            what = f"its codes do not have the {wanted.shape[1]} bytes that its recipe specifies"
            raise FormatError(what, file=segment.name)
        if (cut := way.cut) is None:
            ids.append(_live_ids(pairs_by_scan(wanted, stored, way.radius), segment))
            continue
        several = f"-{cut.equal}" if cut.equal > 1 else ""
        name = f"unit-keys-{cut.bits}-{cut.radius}-{cut.groups}{several}"
        like = "<u8", (len(cut.looked_up), 2, len(stored))
        keys = partial(SortedKeys.of, stored, cut)
        sides = segment.derived(name, lambda: keys().sides, like)  # noqa: B023 (called at once)
        try:
            ids.append(_live_ids(pairs_by_keys(wanted, stored, SortedKeys(cut, sides)), segment))
        except ValueError:  # rows out of range: the cached file was changed
            ids.append(_live_ids(pairs_by_keys(wanted, stored, keys()), segment))
    return distinct(np.concatenate(ids))


def _live_ids(blocks: Iterable[CodePairs], segment: StoredSegment) -> Numbers:
    """Ids of the documents of a segment that have a matching code and were not removed."""
    offsets = segment.ragged(CODES).offsets
    matching = np.zeros(len(segment.ids), bool)
    for _, rows, _ in blocks:
        matching[np.searchsorted(offsets, rows, "right") - 1] = True
    ids: Numbers = segment.ids[matching & segment.alive]
    return ids
