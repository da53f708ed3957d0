"""Repeated passages: against a slow search, and by what is promised about each removal."""

from collections import defaultdict
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext import deduplicate, restore
from sdtext.deduplication.repeated_passages import repeated_windows
from sdtext.deduplication.repeated_passages.repeated_windows import (
    Corpus,
    mark_repeated_windows,
    window_hashes,
)
from tests.support.deduplication import units_of, words_of

Sentences = list[tuple[str, ...]]

WORDS = st.sampled_from(("Bees", "Bees", "Dance"))
SENTENCE = st.lists(WORDS, min_size=1, max_size=5).map(lambda words: " ".join(words) + "!")
TEXTS = st.lists(st.lists(SENTENCE, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=5)


class SlowSearch:
    """The sentences to remove, word by word."""

    def __init__(self, documents: list[Sentences], length: int) -> None:
        self.words = [word for sentences in documents for each in sentences for word in each]
        self.document = [
            place for place, sentences in enumerate(documents) for each in sentences for _ in each
        ]
        ends = np.cumsum([len(each) for sentences in documents for each in sentences]).tolist()
        self.spans = [*pairwise([0, *ends])]
        self.length = length
        self.first = self.windows()
        self.candidates = {span: each for span in self.spans if (each := self.distances(*span))}
        self.moves = [0] * len(self.words)
        self.decide()

    def windows(self) -> dict[int, int]:
        """The first copy of each window that is repeated and may be removed."""
        places = defaultdict[tuple[str, ...], list[int]](list)
        for start in range(len(self.words) - self.length + 1):
            stop = start + self.length
            if self.document[start] == self.document[stop - 1]:
                places[tuple(self.words[start:stop])].append(start)
        return {
            place: each[0]
            for each in places.values()
            for place in each
            if place - each[0] >= self.length
        }

    def distances(self, start: int, stop: int) -> list[int]:
        """How far before the words of a sentence stand."""
        if stop - start <= self.length:
            around = range(max(stop - self.length, 0), start + 1)
            around = [at for at in around if at in self.first]  # type: ignore[assignment]
            return [at - self.first[at] for at in [*around[:1], *around[-1:]]]
        inside = [*range(start, stop - self.length + 1)]
        if not all(at in self.first for at in inside):
            return []
        tried = (at - self.first[at] for at in (inside[0], inside[-1], inside[len(inside) // 2]))
        return [each for each in tried if each >= stop - start and self.stands(start, stop, each)]

    def stands(self, start: int, stop: int, distance: int) -> bool:
        there = slice(start - distance, stop - distance)
        return self.words[there] == self.words[start:stop] and len({*self.document[there]}) == 1

    def decide(self) -> None:
        touched = {word for span in self.candidates for word in range(*span)}
        later = []
        for (start, stop), distances in self.candidates.items():
            free = [
                each for each in distances
                if touched.isdisjoint(range(start - each, stop - each))
            ]  # fmt: skip
            if free:
                self.moves[start:stop] = [free[0]] * (stop - start)
            else:
                later.append((start, stop))
        for start, stop in later:
            for each in self.candidates[start, stop]:
                moves = {*self.moves[start - each : stop - each]}
                if len(moves) == 1 and self.stands(start, stop, each + min(moves)):
                    self.moves[start:stop] = [each + min(moves)] * (stop - start)
                    break


@given(TEXTS, st.integers(2, 7))
def test_passages_are_those_of_a_slow_search(texts: list[str], length: int) -> None:
    records = [{"text": text} for text in texts]
    result = deduplicate(records, unit="passage", min_tokens=length)
    slow = SlowSearch([units_of(text, "sentence") for text in texts], length)
    stays = [tuple(slow.words[start:stop]) for start, stop in slow.spans if not slow.moves[start]]
    kept = [key for record in result.kept for key in units_of(record["text"], "sentence")]
    assert kept == stays
    assert restore(result.kept, result.removed) == records


@given(TEXTS, st.integers(2, 7))
def test_what_is_removed_stands_in_a_place_that_is_kept(texts: list[str], length: int) -> None:
    records = [{"text": text} for text in texts]
    result = deduplicate(records, unit="passage", min_tokens=length)
    for row in result.removed:
        there = texts[int(row.kept)][row.kept_start : row.kept_end]
        assert words_of(there) == words_of(row.text)
        assert not any(
            other.document == row.kept
            and other.start < row.kept_end
            and row.kept_start < other.end - len(other.text) + len(other.text.rstrip())
            for other in result.removed
        )


@given(
    st.lists(st.lists(st.integers(0, 1), max_size=9), min_size=1, max_size=4),
    st.integers(2, 4),
    st.integers(0, 2),
    st.fixed_dictionaries(
        {
            "_WINDOWS_AT_ONCE": st.sampled_from((1, 5, 1 << 24)),
            "_TILE": st.sampled_from((1, 3, 1 << 18)),
            "_UNMARKED_BITS": st.sampled_from((8, 31)).map(np.uint32),
        }
    ),
)
def test_windows_of_equal_hashes_are_verified(
    documents: list[list[int]], length: int, bad: int, limits: dict[str, Any]
) -> None:
    """Bad hash functions for the first seeds change nothing, nor do small parts."""

    def hash_of(length: int, seed: int, words: Any) -> Any:
        return window_hashes(length, seed, words) % np.uint64(2 if seed < bad else 1 << 63)

    words = np.array([word for document in documents for word in document], np.uint32)
    bounds = np.cumsum([0, *map(len, documents)])
    marks = np.zeros(len(words), np.int64)
    with patch.dict(vars(repeated_windows), {**limits, "window_hashes": hash_of}):
        mark_repeated_windows(Corpus(words, bounds), length, marks)
    seen: dict[bytes, int] = {}
    for first, last in pairwise(bounds.tolist()):
        for place in range(first, last):
            window = words[place : min(place + length, last)]
            expected = 0
            if len(window) == length:
                before = seen.setdefault(window.tobytes(), place)
                expected = (before + 1) * (1 if place - before >= length else -1)
                expected *= before < place
            assert marks[place] == expected
