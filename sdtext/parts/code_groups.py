"""The index of codes by Hamming distance: groups of bits, of which some are equal.

Groups are those of X. Sheng and others ("The fine-grained similarity detection system based on
grouping fingerprint", 2014), bands those of M. Norouzi and others (CVPR 2012).

The law of distances tells how likely the codes of two similar sets are within a radius. The code of
a set has `slots` of `bits` each: the lowest bits of a MinHash sketch. A slot of two codes agrees
with probability J, the Jaccard similarity of the sets; otherwise each of its bits differs with
probability 1/2. The law of the number of bits that differ is that of a slot, added up over all.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, comb
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.hamming_join import BitPartition
from sdtext.parts.indexes import Index
from sdtext.parts.option_values import Within
from sdtext.wording import counted

MANY = 1_000_000
"""How many codes there are where it is not known."""

# Nanoseconds on the machine where they were measured; only their ratio counts.
_LOOK_UP, _COMPARISON, _SCANNED = 120, 110, 1.2
_MOST_FLIPS = 3
_MOST_TABLES = 64  # each of 16 bytes a code
_UNRELATED = (0.5, 0.2)
_TINY = 1e-290  # numbers that are near the least float take long


@dataclass(frozen=True)
class Way:
    """A search method: within `radius`, by the keys of `cut`, or by a scan if it is None."""

    radius: int
    cut: BitPartition | None = None

    def __str__(self) -> str:
        """The way in words.

        >>> print(Way(2, BitPartition(bits=100, radius=2, groups=3)))
        one of 3 groups of 33 to 34 bits must be equal
        """
        if self.cut is None:
            return "all codes are compared"
        if not self.radius:
            return "codes must be equal"
        groups = self.cut.used
        least, most = (pick(group.width for group in groups) for pick in (min, max))
        wide = counted(least, "bit") if least == most else f"{least} to {most} bits"
        if self.cut.equal == 1 and (flips := groups[0].flips):
            bands = f"{len(groups)} bands of {wide}"
            return f"in one of {bands} up to {counted(flips, 'bit')} may differ"
        number = "one" if self.cut.equal == 1 else self.cut.equal
        return f"{number} of {len(groups)} groups of {wide} must be equal"


@dataclass(frozen=True)
class Groups(Index):
    """Codes (`bbit`) that differ in at most `radius` bits are compared: `equal` groups are equal.

    Every pair within the radius is found. The radius follows from `similarity` and `recall`: pairs
    of that Jaccard similarity are within it with that probability. If it is given, these two are
    ignored. Codes are cut into radius + 1 groups, of which one must be equal, or into
    as many more as `groups` says.

    With `equal` = e, any e of m groups must be equal, as the paper has it for two of five. That
    finds all pairs in which at most m - e bits differ, so the radius may be m - e at most. There is
    a table for each choice of e of the first radius + e groups, 16 bytes a code.

    Where the radius is so wide that such groups are narrow, wider bands in which up to three bits
    may differ, or a scan of all codes take over, whichever costs least; they find the same pairs.

    >>> groups = Groups(similarity=0.8, recall=0.95)
    >>> groups.radius_for(slots=100), round(groups.probability(0.8, slots=100), 3)
    (15, 0.96)
    >>> print(Groups(radius=2).way(slots=100))
    one of 3 groups of 33 to 34 bits must be equal
    >>> print(Groups(radius=3, groups=5, equal=2).way(slots=100))
    2 of 5 groups of 20 bits must be equal
    """

    similarity: Annotated[float, Within(above=0, most=1)] = 0.8
    recall: Annotated[float, Within(above=0, below=1)] = 0.95
    radius: Annotated[int, Within(-1)] = -1
    groups: Annotated[int, Within(0)] = 0
    equal: Annotated[int, Within(1)] = 1

    def __post_init__(self) -> None:
        self._check(max(self.radius, 0))

    def _check(self, radius: int) -> None:
        """Refuse groups that would miss pairs within the radius, and too many tables."""
        least = radius + self.equal
        if self.groups and self.groups < least:
            wanted = f"the radius and equal together, {least}, or more"
            raise OptionError.of("groups", "groups", self.groups, wanted)
        if self.equal > 1 and (tables := comb(least, self.equal)) > _MOST_TABLES:
            what = f"groups: with equal = {self.equal} and a radius of {radius} there are {tables} "
            what += f"tables; at most {_MOST_TABLES} are made, so use a smaller radius or equal = 1"
            raise OptionError(what)

    def radius_for(self, slots: int, bits: int = 1) -> int:
        """The radius for codes of `slots` of `bits` each. Raises OptionError.

        >>> Groups().radius_for(slots=128), Groups().radius_for(slots=32, bits=4)
        (19, 22)
        """
        if self.radius < 0:
            return least_radius(self.similarity, self.recall, slots, bits)
        if self.radius >= slots * bits:
            wanted = f"below the {slots * bits} bits of a code"
            raise OptionError.of("groups", "radius", self.radius, wanted)
        return self.radius

    def probability(self, jaccard: float, slots: int, bits: int = 1) -> float:
        """The probability that a pair of Jaccard similarity `jaccard` is found.

        >>> round(Groups(radius=2).probability(0.8, slots=100), 4)
        0.0019
        """
        return within(jaccard, slots, bits, self.radius_for(slots, bits))

    def way(self, slots: int, bits: int = 1, codes: int = MANY) -> Way:
        """The cheapest method for so many codes; given groups are used as they are.

        Raises OptionError where there are too few groups, or more than bits.
        """
        width, radius = slots * bits, self.radius_for(slots, bits)
        self._check(radius)
        if self.groups or self.equal > 1:
            groups = self.groups or radius + self.equal
            if groups > width:
                raise OptionError.of("groups", "groups", groups, f"at most {width}")
            return Way(radius, BitPartition(width, radius, groups, self.equal))
        exact = [(radius + 1) / (flips + 1) for flips in range(_MOST_FLIPS + 1)]
        numbers = {int(number) for number in exact} | {ceil(number) for number in exact}
        best, least = None, _SCANNED * ceil(width / 64) * codes
        for number in sorted(number for number in numbers if 0 < number <= width):
            cut = BitPartition(width, radius, number)
            keys, candidates = cut.work(codes)
            cost = keys * _LOOK_UP + candidates * _COMPARISON
            if cost < least or (best is None and cost == least):
                best, least = cut, cost
        return Way(radius, best)

    def summary(self, slots: int, bits: int = 1, codes: int = MANY) -> str:
        """Summary of the search in a line: the radius, its recall, the method.

        >>> print(Groups(radius=2).summary(slots=100))  # doctest: +NORMALIZE_WHITESPACE
        codes of 100 bits, at most 2 different: finds similarity 0.8 with a recall of 0.0019,
        unrelated ones of 0.5 with 1.9e-10, of 0.2 with 1.5e-19; one of 3 groups of 33 to 34 bits
        must be equal
        """
        way = self.way(slots, bits, codes)
        chances = [
            f"{jaccard} with {self.probability(jaccard, slots, bits):.2g}"
            for jaccard in _UNRELATED
            if jaccard < self.similarity
        ]
        unrelated = f", unrelated ones of {', of '.join(chances)}" if chances else ""
        recall = self.probability(self.similarity, slots, bits)
        return (
            f"codes of {slots * bits} bits, at most {way.radius} different: finds similarity "
            f"{self.similarity:g} with a recall of {recall:.4f}{unrelated}; {way}"
        )


def within(jaccard: float, slots: int, bits: int, radius: int) -> float:
    """The probability that at most `radius` bits differ.

    >>> [round(within(0.8, slots=100, bits=1, radius=r), 3) for r in (2, 10, 14)]
    [0.002, 0.583, 0.927]
    >>> round(within(0.8, slots=25, bits=4, radius=14), 3)
    0.837
    """
    chances = _chances_within(jaccard, slots, bits)
    return float(chances[min(radius, len(chances) - 1)])


def least_radius(jaccard: float, recall: float, slots: int, bits: int) -> int:
    """The least radius that a pair of that similarity is within with probability `recall`.

    >>> least_radius(0.8, 0.95, slots=100, bits=1), least_radius(1, 0.99, slots=64, bits=2)
    (15, 0)
    """
    return int(np.searchsorted(_chances_within(jaccard, slots, bits), recall))


@lru_cache(16)
def _chances_within(jaccard: float, slots: int, bits: int) -> NDArray[np.float64]:
    """The probability of each radius; of it and that of more bits, the smaller is exact."""
    slot = (1 - jaccard) * np.array([comb(bits, number) / 2**bits for number in range(bits + 1)])
    slot[0] += jaccard
    law = np.ones(1)
    for digit in f"{slots:b}":  # the power of the law of a slot, by squaring
        law = np.convolve(law, law)
        law = np.convolve(law, slot) if digit == "1" else law
        law = np.trim_zeros(np.where(law < _TINY, 0, law), "b")
    below, beyond = np.cumsum(law), np.cumsum(law[:0:-1])[::-1]
    return np.where(below < 0.5, below, 1 - np.append(beyond, 0.0))
