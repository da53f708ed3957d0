"""Find items of a benchmark in texts: the items, their words and weights, and answers nearby.

The items are a collection in memory, of which `reuse` finds passages in batches of texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import groupby, pairwise
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.decontamination.benchmark_items import MIN_SCORE, MIN_WORDS, BenchmarkItem
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.integer_and_byte_hashes import hashes_of
from sdtext.kernels.arrays.ragged import Ragged, sorted_distinct
from sdtext.kernels.terms.document_words import DocumentWords, words_in
from sdtext.model import Passage
from sdtext.model.displayed_results import IN_PYTHON_ONLY, ShortFields
from sdtext.parts.aligners.weighted_words import WeightedWords
from sdtext.parts.filters.fold import Fold
from sdtext.parts.filters.stopwords_and_length import languages, shipped_list
from sdtext.parts.load_recipe import load_recipe
from sdtext.reuse.document_batch import DocumentBatch
from sdtext.reuse.seed_finder import SEEDED, SeedFinder, SeedIndex, term_hashes
from sdtext.text.document import Document
from sdtext.text.lazy_patterns import LazyPattern

NEAR, ABSENT = "near", "absent"
"""Whether an answer stands near its question."""

_ANSWER_WITHIN = 50  # words before and after a question in which its answer is searched for
_RECIPE = "deduplicate"
_PASSAGE = 100  # words of a passage of the corpus, in which words are counted
_ASSUMED = 1000  # passages that are assumed before any is counted
_STOP_WORD = 0.5  # the share of the assumed passages that a stop word is in
_MEASURED = 100  # passages or more, in which the rarest words are chosen
_MANY = np.iinfo(np.int64).max
_FEW = 0.25  # of the distinct words of an item: more are not its rarest
_MARKS = "[,.'’\u066c \u00a0\u2009\u202f]"
_THOUSANDS = re.compile(  # 1,000 or 1,00,000, but not 1990 200
    rf"(?<=\d)(?<!\d{{4}}){_MARKS}(?=(?:\d\d{_MARKS})*\d{{3}}(?!\d))"
)
# In `regex`, words have marks, such as vowels in Hindi.
_WORD, _SIGNS = LazyPattern(r"\w+", "regex"), LazyPattern(r"^\W+|\W+$", "regex")
_SENTENCE_END = ("", ".", "?", "!", ":", "\n")


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
    differs: str = ""
    passage: str = ""
    similarity: float = field(default=0.0, metadata=IN_PYTHON_ONLY)


@dataclass(frozen=True, eq=False)
class Benchmark:
    """The texts that are searched for, and the finder of passages that searches for them.

    `items` has the item of each text, `answers` the words of each of its answers, as numbers,
    `decisive` the numbers of its names and rarest words, with these, and `amounts` the numbers that
    it holds, in order. `searched` counts the items. `short` counts those of fewer than `min_words`
    words, and `common` those whose words are all too common for the score `minimum`: neither is
    searched for.
    """

    items: tuple[BenchmarkItem, ...]
    finder: SeedFinder
    answers: tuple[list[list[int]], ...]
    decisive: tuple[Mapping[int, str], ...]
    amounts: tuple[list[str], ...]
    searched: int
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
        owners = [place for place, item in enumerate(items) for _ in item.questions]
        documents = [Document.of(text) for item in items for text in item.questions]
        hashes = term_hashes(encoder, [document.clean for document in documents])
        long = np.flatnonzero(hashes.lengths >= min_words)
        hashes = hashes.take(long)
        whole = term_hashes(encoder, [*sample])
        bounds = pairwise(whole.offsets.tolist())
        cuts = [whole.offsets[:0], *(np.arange(*each, _PASSAGE) for each in bounds)]
        offsets = np.append(np.concatenate(cuts), whole.offsets[-1])
        passages = Ragged(whole.values, offsets)
        weights = word_weights(hashes, passages)
        totals = [float(row.sum()) for row in weights]
        rare = [
            place
            for place, total in enumerate(totals)
            if WeightedWords().similarity(total, total).score >= minimum
        ]
        rarest = _rarest(hashes, passages)
        hashes, weights = hashes.take(rare), weights.take(rare)
        chosen = long[rare].tolist()
        asked = [items[owners[place]] for place in chosen]
        answers = [Document.of(text) for item in asked for text in item.answers]
        texts = [documents[place] for place in chosen]
        words = encoder.words([*texts, *answers])
        batch = DocumentBatch([], words)
        rows = iter([batch.terms[len(chosen) + place].tolist() for place in range(len(answers))])
        index = SeedIndex.of(hashes, weights, SEEDED * minimum / 100)
        long_items, searched = ({owners[place] for place in some} for some in (long, chosen))
        return cls(
            tuple(asked),
            SeedFinder(batch, weights, index, minimum),
            tuple([row for _ in item.answers if (row := next(rows))] for item in asked),
            tuple(
                _decisive(document, words.document(place), rarest[row])
                for place, (document, row) in enumerate(zip(texts, rare, strict=True))
            ),
            tuple(_amounts(document.text) for document in texts),
            len(searched),
            len(items) - len(long_items),
            len(long_items - searched),
        )

    def find(
        self, texts: Sequence[str], document_at: Callable[[int], Document]
    ) -> dict[int, list[ItemMatch]]:
        """The items in each of some clean texts that holds any, in the order of their places.

        The key is the place of the text. `document_at` gives the document of a text; it is asked
        for few: those that may hold an item.

        >>> question = "How do bees show other bees the way to a meadow?"
        >>> text = f"Quiz: {question} By a dance."
        >>> benchmark = Benchmark.of([BenchmarkItem("7", (question,), ("a dance",))])
        >>> (match,) = benchmark.find([text], lambda _: Document.of(text, "page"))[0]
        >>> match.item, match.score, text[match.start : match.end] == question, match.answer
        ('7', 99, True, 'near')
        """
        candidates = self.finder.index.candidates(term_hashes(self._encoder, texts))
        if not len(candidates):
            return {}
        rows, candidates[:, 0] = np.unique(candidates[:, 0], return_inverse=True)
        documents = [document_at(row) for row in rows.tolist()]
        batch = DocumentBatch([], self._encoder.words([*map(_with_offsets, documents)]))
        matches: dict[int, list[ItemMatch]] = {}
        for pair in self.finder(batch, candidates):
            document, item = documents[pair.left], self.items[pair.right]
            length = len(pair.sides[1].terms)
            matches.setdefault(int(rows[pair.left]), []).extend(
                ItemMatch(
                    document.source,
                    item.name,
                    passage.score,
                    round(passage.common / length, 3),
                    passage.common,
                    passage.left.start,
                    passage.left.end,
                    _answer_near(self.answers[pair.right], passage, pair.sides[0]),
                    self._lacking(pair.right, passage, pair.sides, document.text),
                    document.text[passage.left.start : passage.left.end],
                    float(passage.similarity),
                )
                for passage in pair.passages
            )
        for found in matches.values():
            found.sort(key=lambda match: (match.start, match.end, match.item))
        return matches

    def _lacking(
        self, item: int, passage: Passage, sides: Sequence[DocumentWords], text: str
    ) -> str:
        """The decisive words and numbers of an item that are not in a passage of a text.

        What the item has before and behind the passage is looked for in as many words there.
        """
        (first, last), (before, end) = (
            np.searchsorted(side.starts, (span.start, span.end)).tolist()
            for side, span in zip(sides, (passage.left, passage.right), strict=True)
        )
        behind = len(sides[1].words) - end
        there = sides[0][max(0, first - before) : last + behind]
        own = text[int(there.starts[0]) : int(there.ends[-1])]
        terms, words = set(there.words.tolist()), _plain_words(own)
        lacking = [
            word
            for term, word in self.decisive[item].items()
            if term not in terms and not _plain_words(word) <= words
        ]
        amounts = _amounts(own)
        for number in self.amounts[item]:  # in their order: 1.5 is not 5.1
            if number in amounts:
                del amounts[: amounts.index(number) + 1]
            else:
                lacking.append(number)
        return " ".join(lacking)

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(load_recipe(_RECIPE))


def _answer_near(answers: list[list[int]], passage: Passage, words: DocumentWords) -> str:
    """Whether one of the answers stands near a passage of the words of a text."""
    if not answers:
        return ""
    terms, places = words.terms.tolist(), words.places
    first = int(np.searchsorted(words.starts[places], passage.left.start))
    last = int(np.searchsorted(words.ends[places], passage.left.end)) + 1
    sides = terms[max(0, first - _ANSWER_WITHIN) : first], terms[last:][:_ANSWER_WITHIN]
    is_near = any(
        side[at : at + len(answer)] == answer
        for side in sides
        for answer in answers
        for at in range(len(side) - len(answer) + 1)
    )
    return NEAR if is_near else ABSENT


def _rarest(items: Ragged, sample: Ragged) -> Ragged:
    """For each word of an item whether it is among its rarest ones, a quarter of them at most.

    These are in the fewest items, and if too many are, in the fewest passages of a large sample. Of
    words that are in as many items or passages, all are or none.
    """
    words = distinct(items.values)
    marks = np.zeros(len(items.values), bool)
    places = np.searchsorted(words, items.values)
    measured = (items, sample) if len(sample) >= _MEASURED else (items,)
    numbers = [_rows_with(words, rows)[places] for rows in measured]
    for start, end in pairwise(items.offsets.tolist()):
        own, one_of_each = np.unique(items.values[start:end], return_index=True)
        few, least = int(_FEW * len(own)), np.ones(end - start, bool)
        for number in numbers:
            counts = np.sort(number[start:end][one_of_each[least[one_of_each]]])
            most = int(counts[few]) if few < len(counts) else _MANY
            rare = least & (number[start:end] < most)
            if rare.any():
                marks[start:end] = rare
                break
            least &= number[start:end] == most
    return Ragged(marks, items.offsets)


def _rows_with(words: NDArray[np.uint64], rows: Ragged) -> NDArray[np.int64]:
    """In how many of some rows each of some sorted words is."""
    values = sorted_distinct(rows).values
    places = np.searchsorted(words, values)
    places[places == len(words)] = 0
    equal = words[places] == values if len(words) else values < 0
    return np.bincount(places[equal], minlength=len(words))


def _decisive(
    document: Document, words: DocumentWords, is_rarest: NDArray[np.bool_]
) -> Mapping[int, str]:
    """The names and the rarest words of an item, by their numbers."""
    decisive: dict[int, str] = {}
    for term, place, rarest in zip(words.terms, words.places, is_rarest, strict=True):
        start, end = int(words.starts[place]), int(words.ends[place])
        word = _SIGNS.sub("", document.text[start:end])
        before = document.text[max(0, start - 9) : start]
        is_name = word[:1].isupper() and before.rstrip(" \"'“”‘«(")[-1:] not in _SENTENCE_END
        if (rarest or is_name) and not any(map(str.isnumeric, word)):
            decisive[int(term)] = word
    return decisive


def _plain_words(text: str) -> set[str]:
    """The words in a text, without the signs that a formula or a compound joins them by."""
    return set(_WORD.findall(Fold()(text)))


def _amounts(text: str) -> list[str]:
    """The numbers in a text, in ASCII digits without thousands marks, or of Han characters.

    >>> _amounts("x², 12,500 km, 1\u202f250 or ٤ of 三十, 1 500, 1,00,000")
    ['2', '12500', '1250', '4', '三十', '1500', '100000']
    """
    plain = _THOUSANDS.sub("", Fold()(text))
    runs = groupby(plain, lambda char: char.isnumeric() and category(char))
    return [normalize("NFKC", "".join(run)) for kind, run in runs if kind]


def _with_offsets(document: Document) -> Document:
    """The document with its offset map, if it was made without one."""
    if document.offset_map or document.clean == document.text:
        return document
    return Document.of(document.text, document.source)


def word_weights(items: Ragged, sample: Ragged) -> Ragged:
    """The weight of each word of items, from 0 to 1, its normalized inverse document frequency.

    Items and passages of the sample are rows of hashes of words, and documents here. So that few
    suffice, 1,000 more are assumed, of which stop words are in 500 and other words in none.
    """
    words = distinct(items.values)
    counts = np.where(np.isin(words, _stop_words()), _STOP_WORD * _ASSUMED, 0.0)
    counts += sum(_rows_with(words, rows) for rows in (items, sample))
    number = _ASSUMED + len(items) + len(sample)
    weights = np.log((number + 1) / (1 + counts)) / np.log(number + 1)
    return Ragged(weights[np.searchsorted(words, items.values)], items.offsets)


@cache
def _stop_words() -> NDArray[np.uint64]:
    """The hashes of stop words: of English all, of other languages the most frequent ones."""
    listed = {word for language in languages() for word in shipped_list(language, short=True)}
    listed.update(shipped_list("english"))
    return hashes_of(words_in([word.encode() for word in sorted(listed)]))
