"""Find items of a benchmark in texts: candidates by seeds, then alignments of the words.

Seeds are the word n-grams of the items, in an inverted index. They only point to places that are
worth an alignment. They are compared by hashes, and what they find counts only once the words
themselves are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.decontamination.benchmark_items import BenchmarkItem
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.integer_and_byte_hashes import POWERS, hashes_of
from sdtext.kernels.arrays.ragged import Ragged, offsets_of, sorted_distinct
from sdtext.kernels.passages.sequence_algorithms import best_run
from sdtext.kernels.shingles import polynomial_hashes
from sdtext.kernels.terms.document_words import DocumentWords, WordOffsets, words_in
from sdtext.kernels.terms.token_blocks import HashedBlock
from sdtext.model.displayed_results import IN_PYTHON_ONLY, ShortFields
from sdtext.model.reuse_evidence import score_of_share
from sdtext.parts.filters.stopwords_and_length import languages, shipped_list
from sdtext.parts.load_recipe import load_recipe
from sdtext.text.document import Document

SEED = 5
"""Words of a seed."""

_WRAP = 1 << 64
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_FREE = 16  # bits of the filter for each seed: few other n-grams pass
_FEWEST_BITS, _MOST_BITS = 10, 26
_MOST_ITEMS = 200  # that share a seed: a phrase of the template that they are made by
_NEEDED = 4  # other seeds of an item, for such a one to be left out

Places = NDArray[np.int64]
MIN_WORDS = 8
"""The least words of an item that is searched for, by default."""

MIN_SCORE = 60
"""The least score of an item that counts, by default."""

NEAR, ABSENT = "near", "absent"
"""Whether an answer stands near its question."""

RARE_WORDS = 2.5
"""The rarity, as a sum of weights, below which the score of a match is lowered."""

ANSWER_WITHIN = 50
"""Words before and after a question in which its answer is searched for."""

_RECIPE = "deduplicate"
_SEEDED = 0.4  # of the least share of an item that counts: what its seeds cover at least
_UNIT = 1 << 20  # the weight 1 as a whole number
_GAP = 0.25  # what a word between two equal ones costs, in mean weights of the item's words
PASSAGE = 100
"""Words of a passage of the corpus, in which words are counted."""

_ASSUMED = 1000  # passages that are assumed before any is counted
_STOP_WORD = 0.5  # the share of the assumed passages that a stop word is in


@dataclass(frozen=True, eq=False)
class SeedCandidates:
    """Places that are worth an alignment: arrays of one length, a value for each place.

    Words `first` to `last` of the text `row` share seeds with the words `item_first` to
    `item_last` of `item`, both half-open ranges.
    """

    rows: Places
    items: Places
    first: Places
    last: Places
    item_first: Places
    item_last: Places

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class SeedIndex:
    """The seeds of items: sorted hashes, and where each stands.

    `sums` has for each item the sums of the weights of its first 0, 1, 2, … words. Only places are
    candidates whose seeds cover the share `least` of the weight of their item.
    """

    hashes: NDArray[np.uint64]
    places: Ragged
    owners: NDArray[np.int32]
    within: NDArray[np.int32]
    sums: Ragged
    passes: NDArray[np.bool_]
    least: float

    @classmethod
    def of(cls, items: Ragged, weights: Ragged, least: float) -> SeedIndex:
        """The index of items, given as rows of the hashes of their words."""
        grams = polynomial_hashes(items.values, SEED, POWERS, _WRAP)
        starts, owners = _starts(items.offsets, len(grams))
        order = np.argsort(grams[starts], kind="stable")
        starts, owners = starts[order], owners[order]
        keys = grams[starts]
        kept = _without_templates(keys, owners, len(items))
        keys, starts, owners = keys[kept], starts[kept], owners[kept]
        first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
        hashes = keys[first]
        bits = int(np.clip(len(hashes) * _FREE, 1, None) - 1).bit_length()
        passes = np.zeros(1 << min(max(bits, _FEWEST_BITS), _MOST_BITS), bool)
        passes[_slots(hashes, len(passes))] = True
        offsets = np.append(np.flatnonzero(first), len(keys))
        return cls(
            hashes,
            Ragged(np.arange(len(keys)), offsets),
            owners.astype(np.int32),
            (starts - items.offsets[owners]).astype(np.int32),
            _sums(weights),
            passes,
            least,
        )

    def candidates(self, texts: Ragged) -> SeedCandidates:
        """The places in texts, given as rows of the hashes of their words."""
        grams = polynomial_hashes(texts.values, SEED, POWERS, _WRAP)
        passing = self.passes.take(_slots(grams, len(self.passes)), mode="clip")  # faster
        places = np.flatnonzero(passing)
        seeds = np.searchsorted(self.hashes, grams[places])
        seeds[seeds == len(self.hashes)] = 0
        equal = self.hashes[seeds] == grams[places] if len(self.hashes) else seeds < 0
        places, seeds = places[equal], seeds[equal]
        rows = np.searchsorted(texts.offsets, places, "right") - 1
        inside = places + SEED <= texts.offsets[rows + 1]
        rows, places, seeds = rows[inside], places[inside], seeds[inside]
        postings = self.places.taken(seeds)
        owners = postings.owners
        hits = _SeedHits(
            rows[owners],
            self.owners[postings.values].astype(np.int64),
            (places - texts.offsets[rows])[owners],
            self.within[postings.values].astype(np.int64),
        )
        return self._groups(hits)

    def _groups(self, hits: _SeedHits) -> SeedCandidates:
        """Hits of one item that stand about as in the item, if they cover enough of it."""
        hits = hits.taken(np.lexsort((hits.texts - hits.within, hits.items, hits.rows)))
        slack = 2 + (self.sums.lengths[hits.items] >> 3)
        begins = hits.begins | (hits.steps > slack)
        group = np.cumsum(begins)
        hits = hits.taken(np.lexsort((hits.within, group)))
        starts = np.flatnonzero(begins)
        if not len(starts):
            empty = np.empty(0, np.int64)
            return SeedCandidates(empty, empty, empty, empty, empty, empty)
        items = hits.items[starts]
        ends = hits.within + SEED
        previous = np.append(0, ends[:-1])
        previous[starts] = 0
        base = self.sums.offsets[hits.items]
        sums = self.sums.values
        covered = sums[base + ends] - sums[base + np.maximum(hits.within, previous)]
        covered = np.add.reduceat(covered, starts)
        enough = covered >= self.least * sums[self.sums.offsets[items + 1] - 1]
        return SeedCandidates(
            hits.rows[starts][enough],
            items[enough],
            np.minimum.reduceat(hits.texts, starts)[enough],
            np.maximum.reduceat(hits.texts, starts)[enough] + SEED,
            np.minimum.reduceat(hits.within, starts)[enough],
            np.maximum.reduceat(hits.within, starts)[enough] + SEED,
        )


@dataclass(frozen=True, eq=False)
class _SeedHits:
    """Seeds that a text shares with an item: arrays of one length.

    Word `texts` of the text in the row, and word `within` of the item, begin an equal seed.
    """

    rows: Places
    items: Places
    texts: Places
    within: Places

    def taken(self, order: Places) -> _SeedHits:
        return _SeedHits(self.rows[order], self.items[order], self.texts[order], self.within[order])

    @property
    def begins(self) -> NDArray[np.bool_]:
        """Whether a hit is of another text or item than the one before."""
        other = (self.rows[1:] != self.rows[:-1]) | (self.items[1:] != self.items[:-1])
        return np.append(True, other)[: len(self.rows)]

    @property
    def steps(self) -> Places:
        """How much further right a hit stands than the one before, compared with the item."""
        diagonals = self.texts - self.within
        return np.append(0, diagonals[1:] - diagonals[:-1])[: len(diagonals)]


def _starts(offsets: Places, grams: int) -> tuple[Places, Places]:
    """Where the seeds within rows begin, and the rows."""
    owners = np.repeat(np.arange(len(offsets) - 1), offsets[1:] - offsets[:-1])
    starts = np.arange(grams)
    starts = starts[starts + SEED <= offsets[1:][owners[:grams]]]
    return starts, owners[starts]


def _slots(grams: NDArray[np.uint64], size: int) -> Places:
    """The places of n-grams in a filter of a size that is a power of two."""
    return ((grams * _SPREAD) >> np.uint64(65 - size.bit_length())).view(np.int64)


def _without_templates(keys: NDArray[np.uint64], owners: Places, items: int) -> NDArray[np.bool_]:
    """Which seeds, sorted by their keys, are kept: not templates of many items."""
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    counts = np.diff(np.append(begins, len(keys)))
    rare = np.repeat(counts <= _MOST_ITEMS, counts)
    others = np.bincount(owners[rare], minlength=items)
    return rare | (others[owners] < _NEEDED)


def _sums(weights: Ragged) -> Ragged:
    """For each row the sums of its first 0, 1, 2, … values."""
    lengths = weights.lengths
    offsets = offsets_of(lengths + 1)
    total = np.append(0.0, np.cumsum(weights.values))
    shifts = np.arange(len(weights)).repeat(lengths + 1)
    places = np.arange(offsets[-1]) - shifts
    return Ragged(total[places] - total[weights.offsets[:-1]].repeat(lengths + 1), offsets)


@dataclass(frozen=True, repr=False)
class ItemMatch(ShortFields):
    """An item of a benchmark in a record.

    `share` is the part of the item's words that are there in their order, and `words` their number.
    `score` (0 to 99) and `similarity` (0 to 1) weigh words by their rarity. The passage is that
    from `start` to `end` in the text of the record, as offsets in code points. `answer` tells
    whether an answer of the item stands near it: "near" or "absent", or "" for an item without
    answers. `passage` is the text of the span.
    """

    record: str
    item: str
    score: int
    share: float
    words: int
    start: int
    end: int
    answer: str
    passage: str = ""
    similarity: float = field(default=0.0, metadata=IN_PYTHON_ONLY)


@dataclass(frozen=True, eq=False)
class Benchmark:
    """The items that are searched for, as words.

    Words are numbers from 1, by their spelling in `vocabulary`; `answers` has for each item those
    of each of its answers. `short` counts the items of fewer than `min_words` words, and `common`
    those whose words are all too common for the score `minimum`: neither is searched for.
    """

    items: tuple[BenchmarkItem, ...]
    words: tuple[list[int], ...]
    weights: Ragged
    answers: tuple[list[list[int]], ...]
    vocabulary: dict[bytes, int]
    index: SeedIndex
    minimum: int
    short: int
    common: int

    @classmethod
    def of(
        cls,
        items: Sequence[BenchmarkItem],
        sample: Iterable[str] = (),
        minimum: int = MIN_SCORE,
        min_words: int = MIN_WORDS,
    ) -> Benchmark:
        """The benchmark of items; the rarity of words is measured in them and in a `sample`.

        >>> item = BenchmarkItem("7", "How do bees show other bees the way to a meadow?")
        >>> list(Benchmark.of([item]).vocabulary)[:3]
        [b'how', b'do', b'bees']
        """
        encoder = _encoder()
        questions = _words(encoder, [item.question for item in items])
        long = [place for place, words in enumerate(questions) if len(words) >= min_words]
        hashes = _hashed(encoder, [items[place].question for place in long])
        weights = word_weights(hashes, _hashed(encoder, [*sample]))
        rare = [
            place
            for place in range(len(long))
            if score_of_share(_similarity(1.0, float(weights[place].sum()))) >= minimum
        ]
        chosen = [long[place] for place in rare]
        vocabulary: dict[bytes, int] = {}

        def numbers(words: Iterable[bytes]) -> list[int]:
            return [vocabulary.setdefault(word, len(vocabulary) + 1) for word in words]

        weights = weights.taken(rare)
        answers = _words(encoder, [text for place in chosen for text in items[place].answers])
        ends = np.cumsum([len(items[place].answers) for place in chosen]).tolist()
        return cls(
            tuple(items[place] for place in chosen),
            tuple(numbers(questions[place]) for place in chosen),
            weights,
            tuple(
                [*map(numbers, filter(None, answers[start:end]))]
                for start, end in pairwise([0, *ends])
            ),
            vocabulary,
            SeedIndex.of(hashes.taken(rare), weights, _SEEDED * minimum / 100),
            minimum,
            len(items) - len(long),
            len(long) - len(rare),
        )


@dataclass(frozen=True, eq=False)
class ItemFinder:
    """Finds the items of a benchmark in documents.

    >>> item = BenchmarkItem("7", "How do bees show other bees the way to a meadow?", ("a dance",))
    >>> text = "Quiz: how do bees show other bees the way to a meadow? By a dance."
    >>> find = ItemFinder(Benchmark.of([item]))
    >>> (match,) = find([text], lambda _: Document.of(text, "page"))[0]
    >>> match.item, match.score, text[match.start : match.end], match.answer
    ('7', 99, 'how do bees show other bees the way to a meadow?', 'near')
    """

    benchmark: Benchmark

    def __call__(
        self, texts: Sequence[str], document_at: Callable[[int], Document]
    ) -> dict[int, list[ItemMatch]]:
        """The items in each of some clean texts that holds any, in the order of their places.

        The key is the place of the text. `document_at` gives the document of a text; it is asked
        for few: those that may hold an item.
        """
        candidates = self.benchmark.index.candidates(_hashed(self._encoder, texts))
        if not len(candidates):
            return {}
        rows = distinct(candidates.rows).tolist()
        documents = [document_at(row) for row in rows]
        placed = self._encoder.words([*map(_with_offsets, documents)])
        numbers = self._numbers(placed)
        ends = np.searchsorted(candidates.rows, rows, "right").tolist()
        matches = {}
        for place, (start, end) in enumerate(pairwise([0, *ends])):
            words = placed.document(place)
            text = _NumberedText(documents[place], words, numbers[words.terms].tolist())
            if in_text := self._in_text(text, candidates, range(start, end)):
                matches[rows[place]] = in_text
        return matches

    def _in_text(
        self, text: _NumberedText, candidates: SeedCandidates, places: range
    ) -> list[ItemMatch]:
        """The items in one text, from the candidates at `places`."""
        best: dict[int, list[_Placed]] = {}
        for place in places:
            item = int(candidates.items[place])
            if placed := self._aligned(text, item, candidates, place):
                others = best.setdefault(item, [])
                others[:] = _without_overlaps([*others, placed])
        matches = [self._match(text, item, placed) for item in best for placed in best[item]]
        return sorted(matches, key=lambda match: (match.start, match.end, match.item))

    def _aligned(
        self, text: _NumberedText, item: int, candidates: SeedCandidates, place: int
    ) -> _Placed | None:
        """The alignment of an item where its seeds stand; None if it scores too little."""
        words = self.benchmark.words[item]
        slack = 2 + (len(words) >> 3)
        before = int(candidates.item_first[place])
        after = len(words) - int(candidates.item_last[place])
        first = max(0, int(candidates.first[place]) - before - (slack if before else 0))
        last = int(candidates.last[place]) + after + (slack if after else 0)
        weights = self.benchmark.weights[item]
        alignment = align(words, weights, text.numbers[first:last])
        if alignment is None:
            return None
        similarity = _similarity(alignment.weight / float(weights.sum()), alignment.weight)
        if score_of_share(similarity) < self.benchmark.minimum:
            return None
        ends = first + alignment.start, first + alignment.end
        return _Placed(*ends, alignment.words, score_of_share(similarity), similarity)

    def _match(self, text: _NumberedText, item: int, placed: _Placed) -> ItemMatch:
        places = text.words.places
        start = int(text.words.starts[places[placed.start]])
        end = int(text.words.ends[places[placed.end - 1]])
        return ItemMatch(
            text.document.source,
            self.benchmark.items[item].name,
            placed.score,
            round(placed.words / len(self.benchmark.words[item]), 3),
            placed.words,
            start,
            end,
            self._answer(text, item, placed),
            text.document.text[start:end],
            placed.similarity,
        )

    def _answer(self, text: _NumberedText, item: int, placed: _Placed) -> str:
        """Whether one of the answers stands before or after the question."""
        answers = self.benchmark.answers[item]
        if not answers:
            return ""
        before = text.numbers[max(0, placed.start - ANSWER_WITHIN) : placed.start]
        after = text.numbers[placed.end : placed.end + ANSWER_WITHIN]
        near = any(_holds(side, answer) for side in (before, after) for answer in answers)
        return NEAR if near else ABSENT

    def _numbers(self, placed: WordOffsets) -> NDArray[np.int64]:
        """For each token of a block, from 0, its number in the vocabulary of the benchmark."""
        data, offsets = placed.words.values.tobytes(), placed.words.offsets.tolist()
        number = self.benchmark.vocabulary.get
        numbers = [number(data[start:end], 0) for start, end in pairwise(offsets)]
        return np.array([0, *numbers], np.int64)

    @cached_property
    def _encoder(self) -> Encoder:
        return _encoder()


@dataclass(frozen=True)
class _NumberedText:
    """A text as words with offsets, and its terms as numbers; 0 for words that no item has."""

    document: Document
    words: DocumentWords
    numbers: list[int]


@dataclass(frozen=True)
class _Placed:
    """An item at the terms `start` to `end` of a text, with its number of words and its score."""

    start: int
    end: int
    words: int
    score: int
    similarity: float


def _with_offsets(document: Document) -> Document:
    """The document with its offset map, if it was made without one."""
    if document.offset_map or document.clean == document.text:
        return document
    return Document.of(document.text, document.source)


def _without_overlaps(placed: list[_Placed]) -> list[_Placed]:
    """The best of those that overlap, by their scores and then by their places."""
    kept: list[_Placed] = []
    for item in sorted(placed, key=lambda item: (-item.score, item.start, item.end)):
        if all(item.end <= other.start or other.end <= item.start for other in kept):
            kept.append(item)
    return kept


def _similarity(share: float, weight: float) -> float:
    """A share of the weight of an item as a similarity, lowered where that weight is low.

    >>> _similarity(0.8, 10.0), _similarity(1.0, 1.0)
    (0.8, 0.4)
    """
    return min(1.0, share * min(1.0, weight / RARE_WORDS))


def _holds(words: Sequence[int], part: Sequence[int]) -> bool:
    """Whether the words contain that run of words."""
    size = len(part)
    return any(words[at : at + size] == part for at in range(len(words) - size + 1))


def _encoder() -> Encoder:
    return Encoder(load_recipe(_RECIPE))


def _hashed(encoder: Encoder, texts: Sequence[str]) -> Ragged:
    """The hashes of the words of clean texts."""
    if not texts:
        return Ragged.of([])
    block = encoder.block(texts)
    return block.rows if isinstance(block, HashedBlock) else block.hashed()


def _words(encoder: Encoder, texts: Sequence[str]) -> list[list[bytes]]:
    """The words of texts as they are compared."""
    if not texts:
        return []
    placed = encoder.words([Document.of(text) for text in texts])
    words = [bytes(word) for word in placed.words]
    return [
        [words[number - 1] for number in placed.document(place).terms.tolist()]
        for place in range(len(texts))
    ]


@dataclass(frozen=True)
class Alignment:
    """How much of an item stands in words `start` to `end` of a text, a half-open range.

    `words` of the item are there, and `weight` is the sum of their weights.
    """

    start: int
    end: int
    words: int
    weight: float


def align(
    item: Sequence[int], weights: Sequence[float] | NDArray[np.float64], text: Sequence[int]
) -> Alignment | None:
    """The best local alignment of equal words; None if no word is equal.

    Words are numbers. A longest common subsequence is cut to the run with the greatest sum: equal
    words count by their weights, and words between them cost.

    >>> align([1, 2, 3, 4], [1.0] * 4, [9, 4, 8, 8, 8, 8, 1, 2, 7, 4])
    Alignment(start=6, end=10, words=3, weight=3.0)
    """
    pairs = np.array(_equal_places(item, text), np.int64).reshape(-1, 2)
    if not len(pairs):
        return None
    weight = np.asarray(weights)
    gains = weight[pairs[:, 0]]
    steps = np.zeros(2 * len(pairs) - 1, np.int64)
    steps[::2] = np.rint((gains + 1e-6) * _UNIT)
    between = (pairs[1:] - pairs[:-1] - 1).max(1)
    steps[1::2] = -np.rint(between * (_GAP * weight.mean() * _UNIT))
    start, end = best_run(steps)
    start, end = (start + 1) // 2, (end + 1) // 2
    run = slice(start, end)
    return Alignment(
        int(pairs[start, 1]), int(pairs[end - 1, 1]) + 1, end - start, float(gains[run].sum())
    )


def _equal_places(item: Sequence[int], text: Sequence[int]) -> list[tuple[int, int]]:
    """The places of equal words in a longest common subsequence."""
    if item == text:
        return [(place, place) for place in range(len(item))]
    from rapidfuzz.distance import LCSseq

    return [
        (block.src_start + step, block.dest_start + step)
        for block in LCSseq.opcodes(item, text)
        if block.tag == "equal"
        for step in range(block.src_end - block.src_start)
    ]


def word_weights(items: Ragged, sample: Ragged) -> Ragged:
    """The weight of each word of items, from 0 to 1, its normalized inverse document frequency.

    Items and texts of the sample are rows of hashes of words. A document is an item, or a passage
    of 100 words of the sample. So that few documents suffice, 1,000 more are assumed, of which
    stop words are in 500 and other words in none.
    """
    words = distinct(items.values)
    counts = np.where(np.isin(words, _stop_words()), _STOP_WORD * _ASSUMED, 0.0)
    number = _ASSUMED
    for rows in (items, _passages(sample)):
        counts += _frequencies(words, rows)
        number += len(rows)
    weights = np.log((number + 1) / (1 + counts)) / np.log(number + 1)
    return Ragged(weights[np.searchsorted(words, items.values)], items.offsets)


def _passages(rows: Ragged) -> Ragged:
    """The rows cut into passages; the last of a row may be shorter."""
    cuts = [np.arange(start, end, PASSAGE) for start, end in pairwise(rows.offsets.tolist())]
    return Ragged(
        rows.values, np.append(np.concatenate([*cuts, rows.offsets[:0]]), rows.offsets[-1])
    )


def _frequencies(words: NDArray[np.uint64], rows: Ragged) -> NDArray[np.int64]:
    """The number of rows that each of the sorted words is in."""
    if not len(words):
        return np.zeros(0, np.int64)
    values = sorted_distinct(rows).values
    places = np.searchsorted(words, values)
    places[places == len(words)] = 0
    return np.bincount(places[words[places] == values], minlength=len(words))


@cache
def _stop_words() -> NDArray[np.uint64]:
    """The hashes of stop words: of English all, of other languages the most frequent ones."""
    listed = {word for language in languages() for word in shipped_list(language, short=True)}
    listed.update(shipped_list("english"))
    return hashes_of(words_in([word.encode() for word in sorted(listed)]))
