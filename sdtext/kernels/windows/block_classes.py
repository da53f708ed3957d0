"""Classes of equal blocks, so that a text that repeats itself is compared by its different parts.

A text of one repeated word, sentence or line has as many blocks as any other of its length, but few
different ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import draws, mixed
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.windows.candidate_blocks import Blocks, Numbers

_FEW = 1 << 14  # pairs of equal blocks that take little work
_MANY = 4  # such pairs for each block, beyond which classes take less work
_TERMS = 1 << 20  # compared at once


@dataclass(frozen=True, eq=False)
class EqualBlocks:
    """The blocks of a side that have at least `least` terms which can match, by their hashes.

    Equal blocks have the same terms and the same number of them.
    """

    blocks: Blocks
    least: int

    @cached_property
    def begins(self) -> Numbers:
        """The place of the first term of each stride."""
        return self.blocks.offsets[self.blocks.documents] + self.blocks.firsts

    @cached_property
    def lengths(self) -> Numbers:
        """The number of terms from the start of each stride, up to those that a block reaches."""
        ends = self.blocks.offsets[self.blocks.documents + 1]
        lengths: Numbers = np.minimum(ends - self.begins, self.width)
        return lengths

    @property
    def width(self) -> int:
        """The number of terms of the strides that a block extends over."""
        return self.blocks.reach * self.blocks.stride

    @cached_property
    def chosen(self) -> Numbers:
        """The strides in which windows start, with enough terms that can match."""
        matching = offsets_of(self.blocks.terms >= 0)
        enough = matching[self.begins + self.lengths] - matching[self.begins] >= self.least
        return np.flatnonzero((self.blocks.starts > 0) & enough)

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A hash of the terms of each chosen block: the sum of those of its strides."""
        blocks = self.blocks
        weights = draws(0, blocks.stride + blocks.reach) | np.uint64(1)
        within = np.arange(len(blocks.terms)) - np.repeat(
            blocks.offsets[:-1], np.diff(blocks.offsets)
        )
        hashes = mixed((blocks.terms + 1).astype(np.uint64)) * weights[within % blocks.stride]
        before = np.zeros(len(hashes) + 1, np.uint64)
        np.cumsum(hashes, out=before[1:])
        ends = self.begins + np.minimum(self.lengths, blocks.stride)
        strides = before[ends] - before[self.begins]
        places, result = self.chosen, self.lengths[self.chosen].astype(np.uint64)
        for shift in range(blocks.reach):
            some = self.lengths[places] > shift * blocks.stride
            result[some] += strides[places[some] + shift] * weights[blocks.stride + shift]
        return result

    @cached_property
    def pairs(self) -> int:
        """The number of pairs of equal blocks of one document, each block with itself as well."""
        documents = self.blocks.documents[self.chosen]
        order = np.lexsort((self.hashes, documents))
        hashes, documents = self.hashes[order], documents[order]
        new = (hashes[1:] != hashes[:-1]) | (documents[1:] != documents[:-1])
        runs = np.diff(np.flatnonzero(np.concatenate(([True], new, [True]))))
        return int((runs**2).sum())

    def are_equal(self, left: Numbers, right: Numbers) -> bool:
        """Whether each block at a place of `left` equals that at the same place of `right`."""
        size = max(1, _TERMS // self.width)
        return all(
            np.array_equal(self._rows(left[at : at + size]), self._rows(right[at : at + size]))
            for at in range(0, len(left), size)
        )

    def _rows(self, strides: Numbers) -> Numbers:
        """The terms of blocks as rows of one length, with -2 behind the last one."""
        within = np.arange(self.width)
        places = np.minimum(self.begins[strides][:, None] + within, len(self.blocks.terms) - 1)
        return np.where(within < self.lengths[strides][:, None], self.blocks.terms[places], -2)


@dataclass(frozen=True, eq=False)
class BlockClasses:
    """The blocks of a side in classes of equal ones.

    `classes` has the number of each stride's class, or -1 where it has no windows or too few terms
    that can match; row i of `samples` has the terms of a block of class i.
    """

    blocks: Blocks
    classes: Numbers = field(repr=False)
    samples: Ragged = field(repr=False)

    @classmethod
    def of(cls, equal: EqualBlocks, useless: int) -> BlockClasses | None:
        """The classes of blocks, with `useless` for a term that cannot match.

        None in the improbable case that different blocks have the same hash.
        """
        blocks, chosen = equal.blocks, equal.chosen
        _, first, numbers = np.unique(equal.hashes, return_index=True, return_inverse=True)
        samples = chosen[first]
        if not equal.are_equal(chosen, samples[numbers]):
            return None
        lengths = np.minimum(equal.lengths[samples], blocks.stride + blocks.w - 1)
        offsets = offsets_of(lengths)
        places = np.arange(offsets[-1]) + np.repeat(equal.begins[samples] - offsets[:-1], lengths)
        terms = blocks.terms[places]
        terms[terms < 0] = useless
        classes = np.full(len(blocks), -1)
        classes[chosen] = numbers
        return cls(blocks, classes, Ragged(terms, offsets))

    def of_document(self, place: int) -> Numbers:
        """The class of each stride of a document."""
        return self.classes[self.blocks.bounds[place] : self.blocks.bounds[place + 1]]


def block_classes(
    sides: tuple[Blocks, Blocks], least: int
) -> tuple[BlockClasses, BlockClasses] | None:
    """The classes of both sides, if documents of both repeat themselves so much that it pays.

    Blocks with fewer than `least` terms that can match are left out.
    """
    left, right = sides
    equal = [EqualBlocks(left, least)]
    if right is not left:
        equal.append(EqualBlocks(right, least))
    if not _is_repetitive(equal):
        return None
    most = 1 + max(int(side.blocks.terms.max()) for side in equal)
    classes = [BlockClasses.of(side, most + number) for number, side in enumerate(equal)]
    first, last = classes[0], classes[-1]
    return (first, last) if first and last else None


def _is_repetitive(equal: Sequence[EqualBlocks]) -> bool:
    """Whether the pairs of equal blocks within documents are many beside the blocks."""
    first, last = equal[0], equal[-1]
    if len(first.blocks) * len(last.blocks) <= _FEW:
        return False
    pairs = isqrt(first.pairs * last.pairs)
    return pairs > _FEW and pairs > _MANY * (len(first.blocks) + len(last.blocks))
