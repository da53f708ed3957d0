"""Passages of a text that hold most of a short document, such as an item of a benchmark."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.sequence_algorithms import best_run
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Similarity, Span
from sdtext.parts.option_values import Within

_UNIT = 1 << 20  # the weight 1 as a whole number
_EXACT = 10**11


@dataclass(frozen=True)
class WeightedWords:
    """Equal words in the same order around common seeds, weighted by their rarity.

    The right document is compared with as much of the left one around each box as it may cover. A
    longest common subsequence is cut to the run with the greatest sum: an equal word counts its
    weight, and a word between two equal ones costs `gap` mean weights. The similarity of a passage
    is the share that it has of the weight of the right document. It is lowered where that weight is
    below `enough`. Of passages that overlap on the left the best one stays.

    >>> from sdtext.kernels.terms.document_words import WordOffsets
    >>> def row(text):
    ...     return [(word, place, place + 1) for place, word in enumerate(text)]
    >>> words = WordOffsets.of([row("xxabydxx"), row("abcd")])
    >>> sides = words.document(0), words.document(1)
    >>> (found,) = WeightedWords(enough=1.0)(np.array([[2, 4, 0, 2]]), *sides, np.ones(4))
    >>> found.left.start, found.left.end, found.common, found.score
    (2, 6, 3, 75)
    """

    gap: Annotated[float, Within(0, 1)] = 0.25
    enough: Annotated[float, Within(above=0, most=_UNIT)] = 2.5

    def __call__(
        self,
        boxes: NDArray[np.int64],
        left: DocumentWords,
        right: DocumentWords,
        weights: NDArray[np.float64],
    ) -> list[Passage]:
        """The passages of two documents, without their edits.

        `weights` has that of each term on the right, from 0 to 1.
        """
        words = right.terms.tolist()
        slack = 2 + (len(words) >> 3)
        found: list[tuple[int, int, Passage]] = []
        for first, last, before, right_last in boxes.tolist():
            after = len(words) - right_last
            start = max(0, first - before - (slack if before else 0))
            terms = left.terms[start : last + after + (slack if after else 0)].tolist()
            pairs = self._best_pairs(words, terms, weights)
            if len(pairs):
                own = left.places[[start + pairs[0, 1], start + pairs[-1, 1]]]
                other = right.places[pairs[[0, -1], 0]]
                extent = pairs[-1] - pairs[0] + 1
                passage = Passage(
                    Span(int(left.starts[own[0]]), int(left.ends[own[1]])),
                    Span(int(right.starts[other[0]]), int(right.ends[other[1]])),
                    self.similarity(float(weights[pairs[:, 0]].sum()), float(weights.sum())),
                    len(pairs),
                    (int(extent[1]), int(extent[0])),
                )
                found.append((start + int(pairs[0, 1]), start + int(pairs[-1, 1]) + 1, passage))
        kept: list[tuple[int, int, Passage]] = []
        for one in sorted(found, key=lambda one: (-one[2].score, *one[:2])):
            if all(one[1] <= other[0] or other[1] <= one[0] for other in kept):
                kept.append(one)
        return [passage for *_, passage in sorted(kept, key=lambda one: one[:2])]

    def similarity(self, weight: float, whole: float) -> Similarity:
        """A part of the weight of a document as a similarity, lowered where it is low.

        >>> align = WeightedWords()
        >>> float(align.similarity(8.0, 10.0)), float(align.similarity(1.0, 1.0))
        (0.8, 0.4)
        """
        share = min(1.0, weight / whole * min(1.0, weight / self.enough))
        return Similarity(round(share * _EXACT), _EXACT)

    def _best_pairs(
        self, words: list[int], terms: list[int], weights: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The places of equal words, on the right and on the left, of the best local alignment."""
        from rapidfuzz.distance import LCSseq

        blocks = [(0, 0, len(words))]
        if words != terms:
            equal = (block for block in LCSseq.opcodes(words, terms) if block.tag == "equal")
            blocks = [(own.src_start, own.dest_start, own.src_end - own.src_start) for own in equal]
        pairs = [(at + step, there + step) for at, there, size in blocks for step in range(size)]
        places = np.array(pairs, np.int64).reshape(-1, 2)
        if not pairs:
            return places
        steps = np.zeros(2 * len(places) - 1, np.int64)
        steps[::2] = np.rint((weights[places[:, 0]] + 1e-6) * _UNIT)
        between = (places[1:] - places[:-1] - 1).max(1)
        steps[1::2] = -np.rint(between * (self.gap * weights.mean() * _UNIT))
        start, end = best_run(steps)
        return places[(start + 1) // 2 : (end + 1) // 2]
