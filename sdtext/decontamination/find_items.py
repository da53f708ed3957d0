"""Find items of a benchmark in texts: candidates by seeds, then alignments of the words.

Seeds are the word n-grams of the items, in an inverted index. They only point to places that are
worth an alignment. They are compared by hashes, and what they find counts only once the words
themselves are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.decontamination.benchmark_items import BenchmarkItem
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.integer_and_byte_hashes import POWERS, hashes_of
from sdtext.kernels.arrays.ragged import Ragged, offsets_of, sorted_distinct
from sdtext.kernels.passages.sequence_algorithms import best_run
from sdtext.kernels.shingles import polynomial_hashes
from sdtext.kernels.terms.document_words import DocumentWords, words_in
from sdtext.kernels.terms.token_blocks import HashedBlock
from sdtext.model.displayed_results import IN_PYTHON_ONLY, ShortFields
from sdtext.model.matches import least_score
from sdtext.parts.filters.stopwords_and_length import languages, shipped_list
from sdtext.parts.load_recipe import load_recipe
from sdtext.text.document import Document

SEED = 5  # words of a seed

_WRAP = 1 << 64
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_FREE = 16  # bits of the filter for each seed: few other n-grams pass
_FEWEST_BITS, _MOST_BITS = 10, 26
_MOST_ITEMS = 200  # that share a seed: a phrase of the template that they are made by
_NEEDED = 4  # other seeds of an item, for such a one to be left out

Places = NDArray[np.int64]

MIN_WORDS, MIN_SCORE = 8, 60
"""The least words of an item that is searched for, and the least score that counts, by default."""

NEAR, ABSENT = "near", "absent"
"""Whether an answer stands near its question."""

_ANSWER_WITHIN = 50  # words before and after a question in which its answer is searched for
_RECIPE = "deduplicate"
_RARE_WORDS = 2.5  # the sum of weights below which the score of a match is lowered
_SEEDED = 0.4  # of the least share of an item that counts: what its seeds cover at least
_UNIT = 1 << 20  # the weight 1 as a whole number
_GAP = 0.25  # what a word between two equal ones costs, in mean weights of the item's words
_PASSAGE = 100  # words of a passage of the corpus, in which words are counted
_ASSUMED = 1000  # passages that are assumed before any is counted
_STOP_WORD = 0.5  # the share of the assumed passages that a stop word is in


@dataclass(frozen=True, eq=False)
class SeedIndex:
    """The seeds of items: sorted hashes, and where each stands.

    `places` has the numbers of the postings of each, `owners` and `within` the item of each posting
    and the word that begins it. `sums` has for each item the sums of the weights of its first 0, 1,
    2, … words. Only places are candidates whose seeds cover the share `least` of the weight of
    their item.
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
        owners = items.owners
        starts = np.arange(len(grams))
        starts = starts[starts + SEED <= items.offsets[1:][owners[: len(grams)]]]
        starts = starts[np.argsort(grams[starts], kind="stable")]
        keys, owners = grams[starts], owners[starts]
        # Seeds of too many items are those of a template, unless an item has few others.
        begins = np.flatnonzero(_is_new(keys))
        counts = np.diff(np.append(begins, len(keys)))
        kept = np.repeat(counts <= _MOST_ITEMS, counts)
        kept |= np.bincount(owners[kept], minlength=len(items))[owners] < _NEEDED
        keys, starts, owners = keys[kept], starts[kept], owners[kept]
        first = _is_new(keys)
        hashes = keys[first]
        bits = int(np.clip(len(hashes) * _FREE, 1, None) - 1).bit_length()
        passes = np.zeros(1 << min(max(bits, _FEWEST_BITS), _MOST_BITS), bool)
        passes[_slots(hashes, len(passes))] = True
        lengths = weights.lengths + 1
        offsets = offsets_of(lengths)
        total = np.append(0.0, np.cumsum(weights.values))
        sums = total[np.arange(offsets[-1]) - np.arange(len(weights)).repeat(lengths)]
        return cls(
            hashes,
            Ragged(np.arange(len(keys)), np.append(np.flatnonzero(first), len(keys))),
            owners.astype(np.int32),
            (starts - items.offsets[owners]).astype(np.int32),
            Ragged(sums - total[weights.offsets[:-1]].repeat(lengths), offsets),
            passes,
            least,
        )

    def candidates(self, texts: Ragged) -> Places:
        """The places in texts that are worth an alignment, a row for each.

        A row is the number of the text, that of the item, the first word and the one behind the
        last that share seeds with the item, and the same of the item. Texts are rows of the hashes
        of their words.
        """
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
        at = postings.owners
        if not len(at):
            return np.empty((0, 6), np.int64)
        # Each hit is a row: the text, the item, and the word of both at which a seed begins.
        hits = np.stack(
            (
                rows[at],
                self.owners[postings.values],
                (places - texts.offsets[rows])[at],
                self.within[postings.values],
            )
        ).astype(np.int64)
        # Those of one item that stand about as in the item are a group.
        hits = hits[:, np.lexsort((hits[2] - hits[3], hits[1], hits[0]))]
        slack = 2 + (self.sums.lengths[hits[1]] >> 3)
        steps = np.diff(hits[2] - hits[3], prepend=hits[2, 0] - hits[3, 0])
        begins = _is_new(hits[0]) | _is_new(hits[1]) | (steps > slack)
        hits = hits[:, np.lexsort((hits[3], np.cumsum(begins)))]
        starts = np.flatnonzero(begins)
        text_of, item_of = hits[:2, starts]
        ends = hits[3] + SEED
        previous = np.append(0, ends[:-1])
        previous[starts] = 0
        base, sums = self.sums.offsets[hits[1]], self.sums.values
        covered = sums[base + ends] - sums[base + np.maximum(hits[3], previous)]
        enough = np.add.reduceat(covered, starts) >= (
            self.least * sums[self.sums.offsets[item_of + 1] - 1]
        )
        bounds = [
            bound.reduceat(hits[side], starts) + length
            for side in (2, 3)
            for bound, length in ((np.minimum, 0), (np.maximum, SEED))
        ]
        found: Places = np.stack((text_of, item_of, *bounds), axis=1)[enough]
        return found


def _is_new(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Whether each value differs from the one before."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]


def _slots(grams: NDArray[np.uint64], size: int) -> Places:
    """The places of n-grams in a filter of a size that is a power of two."""
    return ((grams * _SPREAD) >> np.uint64(65 - size.bit_length())).view(np.int64)


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
        """The benchmark of items; the rarity of words is measured in them and in a `sample`."""
        encoder = Encoder(load_recipe(_RECIPE))
        texts = [text for item in items for text in (item.question, *item.answers)]
        placed = encoder.words([Document.of(text) for text in texts])
        rows = iter([placed.document(place).terms.tolist() for place in range(len(texts))])
        words, answers = [], []
        for item in items:
            words.append(next(rows))
            answers.append([row for row in islice(rows, len(item.answers)) if row])
        long = [place for place, row in enumerate(words) if len(row) >= min_words]
        hashes = _hashed(encoder, [items[place].question for place in long])
        weights = word_weights(hashes, _hashed(encoder, [*sample]))
        rare = [
            place
            for place in range(len(long))
            if least_score(_similarity(1.0, float(weights[place].sum()))) >= minimum
        ]
        chosen, weights = [long[place] for place in rare], weights.taken(rare)
        return cls(
            tuple(items[place] for place in chosen),
            tuple(words[place] for place in chosen),
            weights,
            tuple(answers[place] for place in chosen),
            {word.tobytes(): number for number, word in enumerate(placed.words, 1)},
            SeedIndex.of(hashes.taken(rare), weights, _SEEDED * minimum / 100),
            minimum,
            len(items) - len(long),
            len(long) - len(rare),
        )

    def find(
        self, texts: Sequence[str], document_at: Callable[[int], Document]
    ) -> dict[int, list[ItemMatch]]:
        """The items in each of some clean texts that holds any, in the order of their places.

        The key is the place of the text. `document_at` gives the document of a text; it is asked
        for few: those that may hold an item.

        >>> question = "How do bees show other bees the way to a meadow?"
        >>> text = f"Quiz: {question} By a dance."
        >>> benchmark = Benchmark.of([BenchmarkItem("7", question, ("a dance",))])
        >>> (match,) = benchmark.find([text], lambda _: Document.of(text, "page"))[0]
        >>> match.item, match.score, text[match.start : match.end] == question, match.answer
        ('7', 99, True, 'near')
        """
        candidates = self.index.candidates(_hashed(self._encoder, texts))
        if not len(candidates):
            return {}
        rows = distinct(candidates[:, 0]).tolist()
        documents = [document_at(row) for row in rows]
        placed = self._encoder.words([*map(_with_offsets, documents)])
        data, bounds = placed.words.values.tobytes(), pairwise(placed.words.offsets.tolist())
        known = [self.vocabulary.get(data[start:end], 0) for start, end in bounds]
        numbers = np.array([0, *known], np.int64)  # 0 for words that no item has
        ends = np.searchsorted(candidates[:, 0], rows, "right").tolist()
        matches = {}
        for place, (start, end) in enumerate(pairwise([0, *ends])):
            words = placed.document(place)
            terms = numbers[words.terms].tolist()
            best: dict[int, list[Alignment]] = {}
            for _, item, *bounds in candidates[start:end].tolist():
                if alignment := self._aligned(terms, item, *bounds):
                    best[item] = _without_overlaps([*best.get(item, ()), alignment])
            if best:
                matches[rows[place]] = sorted(
                    (
                        self._match(documents[place], words, terms, item, alignment)
                        for item, alignments in best.items()
                        for alignment in alignments
                    ),
                    key=lambda match: (match.start, match.end, match.item),
                )
        return matches

    def _aligned(
        self, terms: list[int], item: int, first: int, last: int, before: int, item_last: int
    ) -> Alignment | None:
        """The alignment of an item where its seeds stand; None if it scores too little."""
        words = self.words[item]
        slack, after = 2 + (len(words) >> 3), len(words) - item_last
        first = max(0, first - before - (slack if before else 0))
        last += after + (slack if after else 0)
        alignment = align(words, self.weights[item], terms[first:last])
        if alignment is None or alignment.score < self.minimum:
            return None
        return replace(alignment, start=first + alignment.start, end=first + alignment.end)

    def _match(
        self,
        document: Document,
        words: DocumentWords,
        terms: list[int],
        item: int,
        alignment: Alignment,
    ) -> ItemMatch:
        first, last = alignment.start, alignment.end
        start = int(words.starts[words.places[first]])
        end = int(words.ends[words.places[last - 1]])
        near = ""
        if answers := self.answers[item]:
            sides = terms[max(0, first - _ANSWER_WITHIN) : first], terms[last:][:_ANSWER_WITHIN]
            is_near = any(
                side[at : at + len(answer)] == answer
                for side in sides
                for answer in answers
                for at in range(len(side) - len(answer) + 1)
            )
            near = NEAR if is_near else ABSENT
        return ItemMatch(
            document.source,
            self.items[item].name,
            alignment.score,
            round(alignment.words / len(self.words[item]), 3),
            alignment.words,
            start,
            end,
            near,
            document.text[start:end],
            alignment.similarity,
        )

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(load_recipe(_RECIPE))


def _with_offsets(document: Document) -> Document:
    """The document with its offset map, if it was made without one."""
    if document.offset_map or document.clean == document.text:
        return document
    return Document.of(document.text, document.source)


def _without_overlaps(found: list[Alignment]) -> list[Alignment]:
    """The best of those that overlap, by their scores and then by their places."""
    kept: list[Alignment] = []
    for item in sorted(found, key=lambda item: (-item.score, item.start, item.end)):
        if all(item.end <= other.start or other.end <= item.start for other in kept):
            kept.append(item)
    return kept


def _similarity(share: float, weight: float) -> float:
    """A share of the weight of an item as a similarity, lowered where that weight is low.

    >>> _similarity(0.8, 10.0), _similarity(1.0, 1.0)
    (0.8, 0.4)
    """
    return min(1.0, share * min(1.0, weight / _RARE_WORDS))


def _hashed(encoder: Encoder, texts: Sequence[str]) -> Ragged:
    """The hashes of the words of clean texts."""
    if not texts:
        return Ragged.of([])
    block = encoder.block(texts)
    return block.rows if isinstance(block, HashedBlock) else block.hashed()


@dataclass(frozen=True)
class Alignment:
    """How much of an item stands in words `start` to `end` of a text, a half-open range.

    `words` of the item are there; `similarity`, from 0 to 1, weighs them by their rarity.
    """

    start: int
    end: int
    words: int
    similarity: float

    @property
    def score(self) -> int:
        """The similarity as a score, 0 to 99."""
        return least_score(self.similarity)


def align(
    item: Sequence[int], weights: NDArray[np.float64], text: Sequence[int]
) -> Alignment | None:
    """The best local alignment of equal words; None if no word is equal.

    Words are numbers. A longest common subsequence is cut to the run with the greatest sum: equal
    words count by their weights, and words between them cost.

    >>> align([1, 2, 3, 4], np.ones(4), [9, 4, 8, 8, 8, 8, 1, 2, 7, 4])
    Alignment(start=6, end=10, words=3, similarity=0.75)
    """
    from rapidfuzz.distance import LCSseq

    blocks = [(0, 0, len(item))]
    if item != text:
        equal = (block for block in LCSseq.opcodes(item, text) if block.tag == "equal")
        blocks = [(own.src_start, own.dest_start, own.src_end - own.src_start) for own in equal]
    pairs = [(at + step, there + step) for at, there, length in blocks for step in range(length)]
    if not pairs:
        return None
    places = np.array(pairs, np.int64)
    gains = weights[places[:, 0]]
    steps = np.zeros(2 * len(places) - 1, np.int64)
    steps[::2] = np.rint((gains + 1e-6) * _UNIT)
    between = (places[1:] - places[:-1] - 1).max(1)
    steps[1::2] = -np.rint(between * (_GAP * weights.mean() * _UNIT))
    start, end = best_run(steps)
    start, end = (start + 1) // 2, (end + 1) // 2
    weight = float(gains[start:end].sum())
    similarity = _similarity(weight / float(weights.sum()), weight)
    return Alignment(int(places[start, 1]), int(places[end - 1, 1]) + 1, end - start, similarity)


def word_weights(items: Ragged, sample: Ragged) -> Ragged:
    """The weight of each word of items, from 0 to 1, its normalized inverse document frequency.

    Items and texts of the sample are rows of hashes of words. A document is an item, or a passage
    of 100 words of the sample. So that few documents suffice, 1,000 more are assumed, of which
    stop words are in 500 and other words in none.
    """
    words = distinct(items.values)
    counts = np.where(np.isin(words, _stop_words()), _STOP_WORD * _ASSUMED, 0.0)
    cuts = [np.arange(*bounds, _PASSAGE) for bounds in pairwise(sample.offsets.tolist())]
    ends = np.append(np.concatenate([*cuts, sample.offsets[:0]]), sample.offsets[-1])
    number = _ASSUMED
    for rows in (items, Ragged(sample.values, ends)):
        number += len(rows)
        if len(words):
            values = sorted_distinct(rows).values
            places = np.searchsorted(words, values)
            places[places == len(words)] = 0
            counts += np.bincount(places[words[places] == values], minlength=len(words))
    weights = np.log((number + 1) / (1 + counts)) / np.log(number + 1)
    return Ragged(weights[np.searchsorted(words, items.values)], items.offsets)


@cache
def _stop_words() -> NDArray[np.uint64]:
    """The hashes of stop words: of English all, of other languages the most frequent ones."""
    listed = {word for language in languages() for word in shipped_list(language, short=True)}
    listed.update(shipped_list("english"))
    return hashes_of(words_in([word.encode() for word in sorted(listed)]))
