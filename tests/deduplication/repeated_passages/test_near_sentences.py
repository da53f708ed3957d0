"""Near-repeated passages: what is removed, and what stays, compared word by word."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import sdtext
from sdtext import deduplicate, restore
from sdtext.deduplication.repeated_passages import repeated_sentences
from tests.strategies import THOROUGH

from .test_units import words_of

Words = Sequence[str]


def edits(run: Words, text: Words) -> int:
    """The edits between a run and the nearest range of a text."""
    row = [0] * (len(text) + 1)
    for number, word in enumerate(run, 1):
        above, row = row, [number]
        for place, other in enumerate(text):
            row.append(min(above[place] + (word != other), above[place + 1] + 1, row[-1] + 1))
    return min(row)


class Sentences:
    """The words of texts, the sentences as ranges of them, and which of these are removed."""

    def __init__(self, texts: list[str], rows: Iterable[sdtext.RemovedPassage]) -> None:
        self.words = [words_of(text) for text in texts]
        self.spans = list[list[tuple[int, int]]]()
        self.removed = list[list[bool]]()
        listed = [*rows]
        for document, text in enumerate(texts):
            ends, gone = [0], []
            own = [row for row in listed if row.document == str(document)]
            for span in sdtext.units(sdtext.Document.of(text), "sentence"):
                ends.append(ends[-1] + len(words_of(text[span.start : span.end])))
                gone.append(any(row.start <= span.start < span.end <= row.end for row in own))
            self.spans.append([*pairwise(ends)])
            self.removed.append(gone)

    def __iter__(self) -> Iterator[tuple[int, int, int, bool]]:
        """The document of each sentence, the range of its words, and whether it is removed."""
        for document, spans in enumerate(self.spans):
            for (start, stop), removed in zip(spans, self.removed[document], strict=True):
                yield document, start, stop, removed

    def kept_before(self, document: int, place: int) -> Iterator[Words]:
        """The runs of kept words before a word of a document."""
        for other in range(document + 1):
            end = place if other == document else len(self.words[other])
            runs = [0]
            for (start, stop), gone in zip(self.spans[other], self.removed[other], strict=True):
                if gone or stop > end:
                    yield self.words[other][runs[-1] : min(start, end)]
                    runs.append(min(stop, end) if gone else end)
            yield self.words[other][runs[-1] : end]

    def around(self, document: int, start: int, stop: int, length: int) -> Iterator[int]:
        """Where the windows begin that hold a range of words; that range where it is longer."""
        last = min(start, len(self.words[document]) - length)
        yield from range(max(stop - length, 0), last + 1) if stop - start < length else [start]


def changed(text: str, chance: random.Random, share: float) -> str:
    """A text with words replaced, removed and doubled."""
    words = []
    for word in text.split(" "):
        draw = chance.random()
        end = word[len(word.rstrip(".")) :]
        if draw > share:
            words.append(word)
        elif draw < share / 3:
            words.append(f"Z{chance.randrange(5)}{end}")
        elif draw < share * 2 / 3:
            words += [word.rstrip("."), f"y{end}"]
        elif end and words:
            words[-1] += end
    return " ".join(words)


def corpus(seed: int, kinds: int) -> list[str]:
    """Texts of sentences, in each a copy of part of an earlier one with some words changed."""
    chance = random.Random(seed)

    def sentence() -> str:
        words = [f"w{chance.randrange(kinds)}" for _ in range(chance.randint(1, 9))]
        return f"{' '.join(words).capitalize()}."

    texts = list[str]()
    for _ in range(chance.randint(2, 6)):
        pieces = [sentence() for _ in range(chance.randint(0, 3))]
        for source in chance.choices(texts, k=chance.randint(0, 2)) if texts else []:
            parts = source.split(". ")
            first = chance.randrange(len(parts))
            part = ". ".join(parts[first : first + 4]).rstrip(".") + "."
            pieces += [changed(part, chance, chance.choice((0, 0.05, 0.1))), sentence()]
        if pieces and chance.random() < 0.3:
            pieces.append(changed(" ".join(pieces[-3:]), chance, 0.05))  # at once
        texts.append(" ".join([*pieces, *(sentence() for _ in range(chance.randint(0, 4)))]))
    return [" ".join(f"{each[:1].upper()}{each[1:]}" for each in text.split(" ")) for text in texts]


@settings(max_examples=4 * THOROUGH.max_examples)
@given(
    seed=st.integers(0, 2**32),
    kinds=st.sampled_from((3, 40)),
    rule=st.sampled_from(((8, 1), (16, 1), (16, 2))),
    block=st.sampled_from((1, 7, 512)),
    joined=st.booleans(),
    limits=st.sampled_from(
        ({}, {"_CELLS": 1, "_SHORT": 0}, {"_CELLS": 54, "_FEW": 0, "_AHEAD": 512})
    ),
)
def test_near_sentences_are_removed_and_no_others(
    seed: int,
    kinds: int,
    rule: tuple[int, int],
    block: int,
    joined: bool,
    limits: dict[str, int],
) -> None:
    (length, distance), texts = rule, corpus(seed, kinds)
    texts = [" ".join(texts)] if joined else texts
    assume(any(map(str.strip, texts)))  # without any text there is nothing to read
    records = [{"text": text} for text in texts]
    limits = {"_PLACES": block, "_AHEAD": block, "_TEXTS": block} | limits
    with patch.dict(vars(repeated_sentences), limits):
        result = deduplicate(records, unit="passage", min_tokens=length, distance=distance)
    assert restore(result.kept, result.removed) == records
    sentences = Sentences(texts, result.removed)
    for document, start, stop, removed in sentences:
        words = sentences.words[document]
        own, most = words[start:stop], min(distance, (stop - start - 1) // 2)
        near = False
        for begin in sentences.around(document, start, stop, length) if own else ():
            window = words[begin : max(begin + length, stop)]
            if removed:
                earlier = [*sentences.words[:document], words[:begin]]
                near = near or any(edits(window, text) <= distance for text in earlier)
            else:
                runs = sentences.kept_before(document, begin)
                near = near or any(
                    edits(window, run) <= distance and _holds_both(window, own, run, most, distance)
                    for run in runs
                )
        assert near == removed, (own, document)
    for row in result.removed:
        there = words_of(texts[int(row.kept)][row.kept_start : row.kept_end])
        assert edits(there, words_of(row.text)) <= row.words // 2
        _check_similarity(row, there, distance)
        kept = Sentences(texts, result.removed)
        assert any(edits(there, run) == 0 for run in kept.kept_before(int(row.kept), 10**6))


def _check_similarity(row: sdtext.RemovedPassage, there: Words, distance: int) -> None:
    """Of a sentence, it is that by edits of words; of several, it counts those of each."""
    changes = (1 - row.similarity) * max(row.words, len(there))
    number = len(sdtext.units(sdtext.Document.of(row.text), "sentence"))
    least = Levenshtein.distance(words_of(row.text), there)
    assert changes == pytest.approx(least) or (number > 1 and least <= changes <= number * distance)
    assert row.score == min(99, int(100 * row.similarity + 1e-9))


def _holds_both(window: Words, own: Words, run: Words, most: int, distance: int) -> bool:
    """Whether a range of the run is near the window, and a range of that near the sentence."""
    for size in range(len(window) - distance, len(window) + distance + 1):
        for begin in range(len(run) - size + 1):
            there = run[begin : begin + size]
            if edits(own, there) <= most and edits(window, there) <= distance:
                return True
    return False
