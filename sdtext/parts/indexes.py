"""Indexes: settings of the selection of candidates, which `search` and `reuse` carry out.

Every index gives the probability of finding a pair: `probability` for one similarity, `curve` for
all of them. That of codes is in `code_groups`.
"""

from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.minhash import band_hashes
from sdtext.parts.option_values import Within

_NO_VALUE = (1 << 32) - 1  # in all slots of a document without shingles
NO_KEY = (1 << 64) - 1
"""The key of documents without shingles, which never meet: to be left out of every look-up."""
FAMILIES = ("xxhash", "positional", "combine")

STEPS = tuple(step / 20 for step in range(21))
"""The similarities for which a curve is given: 0, 0.05, … 1."""


class Index:
    """The members of every index, a frozen dataclass whose fields are its options."""

    def probability(self, jaccard: float, slots: int) -> float:  # noqa: ARG002 (as in bands)
        """The probability of finding a pair of that similarity with sketches of `slots`.

        By default 1: no pair is missed.
        """
        return 1.0

    def curve(self, slots: int) -> list[tuple[float, float]]:
        """The probability for each of the similarities in `STEPS`: of bands, the S-curve."""
        return [(jaccard, self.probability(jaccard, slots)) for jaccard in STEPS]


@dataclass(frozen=True)
class Scan(Index):
    """Every pair is compared: for bit vectors, and for few documents.

    >>> Scan().probability(0.1, slots=128)
    1.0
    """


@dataclass(frozen=True)
class ColumnIndex(Index):
    """A column of bits for each term of the dictionary: for bit vectors, exact.

    >>> ColumnIndex().probability(0.1, slots=128)
    1.0
    """


@dataclass(frozen=True)
class Bands(Index):
    """Sketches are cut into bands of slots; pairs that agree in a whole band are compared.

    A pair of Jaccard similarity J is found with probability 1 - (1 - J**rows)**bands. From
    `similarity` and `recall` follow the most rows for which pairs of that similarity are found
    with that probability; or `bands` and `rows` are given, and both are used as they are.

    The `hash` makes a band a key: "xxhash" (XXH64), "combine" (Bergillos, Rambla and Cabeza) or
    "positional" (Celozzi and Ciabini: the decimal digits of all slots modulo `modulus`, which
    should be far above the number of documents and no power of two; by default the prime
    2**31 - 1). Keys that are equal by chance cost a comparison and lose no pair.

    >>> bands = Bands(similarity=0.8, recall=0.99)
    >>> bands.layout(128), round(bands.probability(0.8, 128), 4)
    ((21, 6), 0.9983)
    """

    similarity: Annotated[float, Within(above=0, most=1)] = 0.8
    recall: Annotated[float, Within(above=0, below=1)] = 0.99
    bands: Annotated[int, Within(0)] = 0
    rows: Annotated[int, Within(0)] = 0
    hash: Annotated[str, FAMILIES] = "xxhash"
    modulus: Annotated[int, Within(2, _NO_VALUE)] = (1 << 31) - 1

    def __post_init__(self) -> None:
        if (self.bands > 0) != (self.rows > 0):
            stated = f"bands is {self.bands} and rows is {self.rows}"
            raise OptionError(f"bands: {stated}; give both, or give similarity and recall instead")

    def layout(self, slots: int) -> tuple[int, int]:
        """The bands, and the rows of each, for sketches of `slots`. Raises OptionError.

        >>> Bands(bands=20, rows=5).layout(100), Bands(similarity=0.5).layout(256)
        ((20, 5), (85, 3))
        """
        if self.bands:
            if self.bands * self.rows > slots:
                given = f"{self.bands} bands of {self.rows} rows"
                raise OptionError(f"bands: {given} are more than the {slots} slots of a sketch")
            return self.bands, self.rows
        if rows := _most_rows(self.similarity, self.recall, slots):
            return slots // rows, rows
        possible = _probability(self.similarity, slots, 1)
        what = f"{slots} slots find pairs of similarity {self.similarity} with a recall of"
        raise OptionError(f"bands: {what} {possible:.4f} at most, not {self.recall}")

    def probability(self, jaccard: float, slots: int) -> float:
        """The ideal recall: the probability that a pair of Jaccard similarity `jaccard` is found.

        >>> round(Bands(bands=20, rows=5).probability(0.5, slots=100), 2)
        0.47
        """
        return _probability(jaccard, *self.layout(slots))

    def keys(self, sketches: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """The keys of documents, of shape (documents, bands): `NO_KEY` without shingles.

        The band's number is part of the key, so that all bands may share one table.

        >>> from sdtext.parts.fingerprints.minhash import MinHash
        >>> from sdtext.kernels.arrays.ragged import Ragged
        >>> one, same, none = Bands().keys(MinHash()(Ragged.of([[1, 2], [2, 1], []])))
        >>> (one == same).all(), (none == NO_KEY).all()
        (np.True_, np.True_)
        """
        family = getattr(band_hashes, self.hash)
        if self.hash == "positional":
            family = partial(family, modulus=self.modulus)
        keys = band_hashes.keys(sketches, self.layout(sketches.shape[1]), family)
        np.minimum(keys, np.uint64(NO_KEY - 1), out=keys)
        keys[(sketches == _NO_VALUE).all(axis=1)] = NO_KEY
        return keys


@cache  # asked for each band of each segment of a collection
def _most_rows(similarity: float, recall: float, slots: int) -> int:
    """The most rows of a band with which pairs are found with this recall; 0 if there are none."""
    enough = (
        rows
        for rows in range(slots, 0, -1)
        if _probability(similarity, slots // rows, rows) >= recall
    )
    return next(enough, 0)


def _probability(jaccard: float, bands: int, rows: int) -> float:
    return float(1 - (1 - jaccard**rows) ** bands)


@dataclass(frozen=True)
class Windows(Index):
    """All pairs of windows of `w` terms of which at most `tau` (--distance) differ, for passages.

    A window is a bag of w consecutive terms: each term counts as often as it occurs, in any order.
    No pair of windows is missed, so similar whole documents are always found, too: a search for
    document pairs by shingles compares every pair.

    >>> Windows(w=20, tau=9).probability(0.1, slots=128)
    1.0
    """

    w: int = 30
    tau: int = 15

    def __post_init__(self) -> None:
        check_windows("windows", self.w, self.tau)


def check_windows(part: str, w: int, tau: int, distance: str = "tau") -> None:
    """OptionError for values that no windows can have; `distance` is the name of the option tau."""
    if w < 1:
        raise OptionError.of(part, "w", w, "1 or more")
    if not 0 <= tau < w:
        raise OptionError.of(part, distance, tau, f"0 or more and below w, which is {w}")
