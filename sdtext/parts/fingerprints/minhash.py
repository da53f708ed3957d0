"""MinHash sketches: the share of equal slots estimates the Jaccard similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash import affine
from sdtext.kernels.minhash import fast_similarity_sketch as fast_similarity

SCHEMES = ("fast-similarity", "affine-paper", "datasketch", "modular")
MOST_SLOTS = 8192
MOST_SEED = (1 << 32) - 1
MOST_ROWS = (1 << 31) - 2


@dataclass(frozen=True)
class MinHash:
    """A sketch of `slots` 32-bit numbers; the share of equal slots estimates Jaccard.

    The `scheme` is "fast-similarity" (Dahlgaard, Knudsen and Thorup 2017; half to four fifths of
    the squared error of the others, and many times faster), "affine-paper" (Celozzi and Ciabini:
    ((a·x + b) mod 10,000,013) mod 1,000,003 of each shingle's number x; because of the second
    modulus it is no permutation, and some shingles collide), "datasketch" (the default of that
    package from version 2.0 on, which calls it affine32) or "modular" (Bergillos, Rambla and
    Cabeza: (a·x + b) mod c, where x is the shingle's row in a matrix of `rows` rows, here its
    number modulo `rows`, and c is the least prime above `rows`).

    Sketches of other `slots`, `seed`, `scheme` or `rows` cannot be compared. A document without
    shingles has 2**32 - 1 in all slots and is similar to no other.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> minhash = MinHash(slots=64)
    >>> one, same, other = minhash(Ragged.of([[1, 2, 3], [3, 2, 1], [1, 2, 4]]))
    >>> float(minhash.estimate(one, same)), float(minhash.estimate(one, other))
    (1.0, 0.5625)
    """

    slots: int = 128
    seed: int = 1
    scheme: str = "fast-similarity"
    rows: int = 10_000_000
    kind: ClassVar[str] = "minhash"

    def __post_init__(self) -> None:
        if not 1 <= self.slots <= MOST_SLOTS:
            raise OptionError.of("minhash", "slots", self.slots, f"1 to {MOST_SLOTS}")
        refuse("minhash", self.seed, self.scheme)
        if not 1 <= self.rows <= MOST_ROWS:
            raise OptionError.of("minhash", "rows", self.rows, f"1 to {MOST_ROWS}")

    def __call__(self, shingles: Ragged) -> NDArray[np.uint32]:
        """A row of `slots` for each document; only the set of a row's shingles counts."""
        given = shingles, self.slots, self.seed
        match self.scheme:
            case "fast-similarity":
                return fast_similarity.sketches(*given)
            case "affine-paper":
                return affine.paper_sketches(*given)
            case "datasketch":
                return affine.datasketch_sketches(*given)
        return affine.modular_sketches(*given, self.rows)

    @property
    def coefficients(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """The numbers a and b of each slot; None for "fast-similarity", which has none."""
        match self.scheme:
            case "affine-paper":
                return affine.paper_coefficients(self.slots, self.seed)
            case "datasketch":
                return affine.datasketch_coefficients(self.slots, self.seed)
            case "modular":
                return affine.modular_coefficients(self.slots, self.seed, self.rows)
        return None

    def estimate(self, left: NDArray[np.uint32], right: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The estimated Jaccard similarity of sketches: 0 where one of them has no shingles.

        Either may be one row, or many: then each with the one, or the first with the first.
        """
        shared = (left == right) & (left != fast_similarity.NO_VALUE)
        similarity: NDArray[np.float64] = shared.mean(axis=-1)
        return similarity


def refuse(part: str, seed: int, scheme: str) -> None:
    """OptionError unless `part` can use `seed` and `scheme`."""
    if not 0 <= seed <= MOST_SEED:
        raise OptionError.of(part, "seed", seed, f"0 to {MOST_SEED}")
    if scheme not in SCHEMES:
        raise OptionError.of(part, "scheme", scheme, f"one of {', '.join(SCHEMES)}")
