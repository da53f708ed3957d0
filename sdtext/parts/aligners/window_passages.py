"""Passages from similar windows of terms, and log-likelihood weights that decide where they end.

Of the terms of a passage a share q occurs on both sides, of the terms around it a share p: the
overlap by chance. A common term is evidence for the passage with weight log(q / p), any other term
is evidence against it with weight log((1 - p) / (1 - q)). Relative to a common term, which counts
1, any other term weighs the second over the first: little in a passage that was much changed, much
in a copy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.c_library import KERNELS
from sdtext.kernels.passages.boxes import Box, Boxes, beside, merged
from sdtext.kernels.passages.sequence_algorithms import are_in, best_run, common_words
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Similarity, Span
from sdtext.parts.aligners.word_alignment import are_in_order, cut_to_equal_words, extended
from sdtext.parts.option_values import Within

Flags = NDArray[np.bool_]
Terms = NDArray[np.uint32]

MILLION = 1_000_000
"""The weight of a common term, a whole number so that sums are exact."""

_LEAST = MILLION // 2  # for a term that is not common, in millionths as all weights here
_AROUND = 500  # terms on either side of a passage that show the overlap by chance
_LEAST_TERMS = 15  # terms; the shares of fewer say too little
_PASSES = 4

_ROUNDS = 4  # of trimming


@dataclass(frozen=True)
class WindowPassages:
    """Similar windows, merged over gaps, trimmed to where terms agree, extended over equal words.

    Boxes that lie at most `gap` terms apart on both sides become one (0 stands for the length of a
    window). Then each side is cut to its maximum-sum subarray: a term that the other side has, too,
    counts 1, any other -`weight`; of equal sums, the one that ends first, and begins first. This
    alternates between the sides until nothing changes, at most four times. It is repeated with less
    weight where the shares of common terms within and around the passage indicate a much changed
    passage, and with more weight, by half a window at most, at the ends of a copy. Windows that are
    cut off whole on both sides are processed again. Passages with fewer than `shortest` terms on
    either side are left out; those at most `gap` terms apart become one. From its first and last
    term, a passage is extended over all words, terms or not, as long as they are equal on both
    sides. Where the common words are in the same order, both sides are then cut to where they
    correspond (`word_alignment`). The similarity of a passage is the number of common terms, as
    often as both sides have them, as a share of the terms of the longer side.

    With `ordered` a passage stays only if the longest common subsequence of its terms has at least
    two thirds of the common terms.

    >>> from sdtext.kernels.terms.document_words import WordOffsets
    >>> def row(text):
    ...     return [(word, 2 * place, 2 * place + 1) for place, word in enumerate(text)]
    >>> placed = WordOffsets.of([row("abcdefgh"), row("xxcdeyghzz")])
    >>> align = WindowPassages(weight=0.5, shortest=2)
    >>> boxes = np.array([[0, 6, 0, 6], [2, 8, 2, 8]])
    >>> for found in align(boxes, placed.document(0), placed.document(1), w=6):
    ...     print(found.left, found.right, found.common, found.terms)
    Span(start=4, end=15, title='') Span(start=4, end=15, title='') 5 (6, 6)
    """

    gap: Annotated[int, Within(0)] = 0
    weight: Annotated[float, Within(above=0, most=1000)] = 0.8
    shortest: Annotated[int, Within(1)] = 15
    ordered: bool = False

    def __call__(
        self, boxes: Boxes, left: DocumentWords, right: DocumentWords, w: int
    ) -> list[Passage]:
        """The passages of two documents, without their edits; a window has `w` terms."""
        trimmed = list(self._merge_and_trim(boxes, (left.terms, right.terms), w))
        passages: dict[tuple[int, int, int, int], Passage] = {}
        for box in merged(np.array(trimmed, np.int64), self.gap or w).tolist():
            start, last = left.places[[box[0], box[1] - 1]].tolist()
            right_start, right_last = right.places[[box[2], box[3] - 1]].tolist()
            whole = extended(left, right, (start, last + 1, right_start, right_last + 1))
            for part in cut_to_equal_words(left, right, whole, self.shortest):
                sides = left[part[0] : part[1]], right[part[2] : part[3]]
                terms = sides[0].terms, sides[1].terms
                if min(map(len, terms)) < self.shortest:
                    continue
                common = common_words(*terms)
                if not self.ordered or are_in_order(*terms, common):
                    first, other = (Span(int(it.starts[0]), int(it.ends[-1])) for it in sides)
                    lengths = len(terms[0]), len(terms[1])
                    passage = Passage(
                        first, other, Similarity(common, max(lengths)), common, lengths
                    )
                    passages[first.start, first.end, other.start, other.end] = passage
        return [passage for _, passage in sorted(passages.items())]

    def _merge_and_trim(self, boxes: Boxes, terms: tuple[Terms, Terms], w: int) -> Iterator[Box]:
        """The merged boxes, trimmed; windows that trimming cuts off are processed again."""
        default = round(self.weight * MILLION)
        waiting = [boxes]
        while waiting:
            boxes = waiting.pop()
            for box in merged(boxes, self.gap or w).tolist():
                sides = terms[0][box[0] : box[1]], terms[1][box[2] : box[3]]
                inner = _trimmed_box(box, sides, [default, default])
                if min(inner[1] - inner[0], inner[3] - inner[2]) < self.shortest:
                    continue
                flags = [common_terms(inner, terms, side) for side in (0, 1)]
                weights = [min(default, other_term_weight(*side, default)) for side in flags]
                if min(weights) < default:
                    inner, flags = _trimmed_box(box, sides, weights), []
                inner = without_overhangs(inner, terms, default, w // 2, flags)
                if min(inner[1] - inner[0], inner[3] - inner[2]) < self.shortest:
                    continue
                yield inner
                if any(abs(before - after) >= w for before, after in zip(box, inner, strict=True)):
                    waiting += beside(boxes, inner, box)


def _trimmed_box(box: Box, sides: tuple[Terms, Terms], weights: list[int]) -> Box:
    """The part of `box` with the greatest sums on the left and on the right.

    `sides` are its terms; a side that has no term of the other becomes empty.
    """
    if "best_parts" in KERNELS:
        parts = np.empty(4, np.int64)
        KERNELS["best_parts"](*sides, MILLION, *weights, 2 * _ROUNDS, parts)
        first, last, other_first, other_last = parts.tolist()
    else:
        runs = [(0, len(side)) for side in sides]
        for _ in range(_ROUNDS):
            before = list(runs)
            for side, other in ((0, 1), (1, 0)):
                start, end = runs[side]
                is_common = are_in(sides[side][start:end], sides[other][slice(*runs[other])])
                first, last = best_run(np.where(is_common, MILLION, -weights[side]))
                runs[side] = start + first, start + last
            if before == runs:
                break
        (first, last), (other_first, other_last) = runs
    return [box[0] + first, box[0] + last, box[2] + other_first, box[2] + other_last]


def without_overhangs(
    box: Box,
    sides: tuple[Terms, Terms],
    default: int,
    most: int,
    flags: Sequence[tuple[Flags, Flags]] = (),
) -> Box:
    """The box trimmed of terms at its ends that more likely match by chance.

    `sides` are the terms of both documents, `flags` the `common_terms` on either side if they are
    known. At most `most` terms are cut at an end at a time, and a third of all; until nothing
    changes, at most four times.
    """
    for _ in range(_PASSES):
        trimmed: Box = []
        for side in (0, 1):
            within, around = flags[side] if flags else common_terms(box, sides, side)
            other = other_term_weight(within, around, default)
            at_end = min(most, len(within) // 3)
            for end, step in ((box[2 * side], 1), (box[2 * side + 1], -1)):
                # The length of the prefix with the least sum; 0 if no sum is below 0.
                is_common, length = within[::step][:at_end], 0
                if not is_common.all():
                    sums = np.cumsum(np.where(is_common, MILLION, -other))
                    least = int(sums.argmin())
                    length = least + 1 if sums[least] < 0 else 0
                trimmed.append(end + step * length)
        if trimmed == box:
            break
        box, flags = trimmed, ()
    return box


def common_terms(box: Box, sides: tuple[Terms, Terms], side: int) -> tuple[Flags, Flags]:
    """Whether each term of a box on one side is also on the other, and each term around it."""
    start, end = box[2 * side : 2 * side + 2]
    other = sides[1 - side][slice(*box[2 - 2 * side : 4 - 2 * side])]
    first = max(0, start - _AROUND)
    is_common = are_in(sides[side][first : end + _AROUND], other)
    start, end = start - first, end - first
    return is_common[start:end], np.concatenate((is_common[:start], is_common[end:]))


def other_term_weight(within: Flags, around: Flags, default: int) -> int:
    """The weight of a term that is not common, from terms within and around a passage.

    `default` if there are too few of them; at least half of that of a common one.

    >>> copied, changed, around = (np.arange(100) < share for share in (95, 60, 20))
    >>> [other_term_weight(one, around, default=800_000) for one in (copied, changed)]
    [1712492, 638511]
    """
    if min(len(within), len(around)) < _LEAST_TERMS:
        return default
    inside, outside = (
        (int(np.count_nonzero(flags)) + 1) / (len(flags) + 2) for flags in (within, around)
    )
    if inside <= outside:
        return default
    ratio = log((1 - outside) / (1 - inside)) / log(inside / outside)
    return max(_LEAST, round(MILLION * ratio))
