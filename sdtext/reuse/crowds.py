"""Sentences that hundreds of others are equal to: as many matches of them as are worth listing.

A thousand documents that have a page of a form in common make half a million pairs of documents
for each of its sentences. Of these matches there are listed

- those with the first and with the last sentence of each side. So each sentence that has an equal
  one in another document keeps a match, and which share of a document is found anywhere is right:
  were the first and the last in one document, so were all between them.
- all of two documents that have another match, so that what these two share is complete; where
  both have a sentence very often, again those with the first and the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.hamming.hamming_join import LIMITS, OversizedBucket, TooManyPairs

Numbers = NDArray[np.int64]

_MOST_OF_TWO = 1 << 12
"""Of a code that makes more pairs of two documents, those with the first and last are listed."""


def placed(codes: Ragged, rows: Numbers) -> Numbers:
    """The document of each row of codes, and the place of the sentence in it: of shape (n, 2)."""
    documents = np.searchsorted(codes.offsets, rows, "right") - 1
    return np.column_stack((documents, rows - codes.offsets[documents]))


def with_crowds(
    rows: Numbers, crowds: Sequence[OversizedBucket], sides: tuple[Ragged, Ragged]
) -> Numbers:
    """Matches, as those of `UnitMatches`, and of those in crowds as many as are listed.

    Raises TooManyPairs.
    """
    known = [_both(crowd, sides) for crowd in crowds]
    edges = sum(2 * (len(one) + len(other)) for one, other, _ in known)
    if edges + len(rows) > LIMITS.pairs:
        raise TooManyPairs(edges + len(rows), LIMITS.pairs)
    within = sides[0] is sides[1]
    made = np.concatenate([rows, *(_of_documents(_edge(*pair), within) for pair in known)])
    documents = np.unique(made[:, [0, 2]], axis=0)
    count, blocks = len(made), [made]
    for one, other, apart in known:
        for turned in ((one, other), (other, one))[: 1 + within]:
            for block in _between(documents, *turned, LIMITS.pairs - count):
                count += len(block)
                blocks.append(np.column_stack((block, np.full(len(block), apart))))
    return np.unique(np.concatenate(blocks), axis=0)


def across(crowd: OversizedBucket, sides: tuple[Ragged, Ragged]) -> int:
    """How many pairs of a crowd are of two documents."""
    one, other, _ = _both(crowd, sides)
    if sides[0] is not sides[1]:
        return crowd.pairs
    most = len(sides[0])
    inside = np.bincount(one[:, 0], minlength=most) * np.bincount(other[:, 0], minlength=most)
    total = len(one) * len(other) - int(inside.sum())
    return total // 2 if crowd.within else total


def _both(crowd: OversizedBucket, sides: tuple[Ragged, Ragged]) -> tuple[Numbers, Numbers, int]:
    return placed(sides[0], crowd.left), placed(sides[1], crowd.right), crowd.distance


def _edge(one: Numbers, other: Numbers, apart: int) -> Numbers:
    """Each sentence of either side with the first and the last of the other side."""
    ends = [0, -1]
    left = np.concatenate([one.repeat(2, axis=0), np.tile(one[ends], (len(other), 1))])
    right = np.concatenate([np.tile(other[ends], (len(one), 1)), other.repeat(2, axis=0)])
    return np.column_stack((left, right, np.full(len(left), apart)))


def _of_documents(rows: Numbers, within: bool) -> Numbers:  # noqa: FBT001 (inside alone)
    """The matches of two documents; within one collection the first of them on the left."""
    if not within:
        return rows
    turned = np.where(rows[:, [0]] < rows[:, [2]], rows, rows[:, [2, 3, 0, 1, 4]])
    made: Numbers = turned[turned[:, 0] != turned[:, 2]]
    return made


def _between(documents: Numbers, one: Numbers, other: Numbers, most: int) -> Iterator[Numbers]:
    """The sentences of `one` with those of `other` that are of the pairs of documents.

    None if they are more than `most`.
    """
    begins, counts = [], []
    for column, side in zip(documents.T, (one, other), strict=True):
        begins.append(np.searchsorted(side[:, 0], column))
        counts.append(np.searchsorted(side[:, 0], column, "right") - begins[-1])
    many = counts[0] * counts[1]
    crowded = np.flatnonzero(many > _MOST_OF_TWO)
    many[crowded] = 0
    if many.sum() + 2 * (counts[0] + counts[1])[crowded].sum() > most:
        return
    for place in crowded.tolist():
        sides = zip((one, other), begins, counts, strict=True)
        left, right = (side[at[place] :][: size[place]] for side, at, size in sides)
        yield _edge(left, right, 0)[:, :4]
    owners = np.repeat(np.arange(len(many)), many)
    numbers = np.arange(len(owners)) - (np.cumsum(many) - many)[owners]
    first, second = np.divmod(numbers, counts[1][owners])
    yield np.column_stack((one[begins[0][owners] + first], other[begins[1][owners] + second]))
