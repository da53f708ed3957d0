"""MinHash sketches, of whole slots or b bits of each: equal slots estimate the Jaccard similarity.

Sketches of the default scheme (affine32) and hash function can be converted from and to the package
datasketch (2.0 or later), each shingle being given as the eight bytes of its hash, the lowest
first: `minhash.update(shingle.to_bytes(8, "little"))`.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import MismatchError, OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash import affine
from sdtext.kernels.minhash import fast_similarity_sketch as fast_similarity
from sdtext.kernels.minhash.bbits import equal_slots, packed
from sdtext.parts.option_values import Within

_SKETCHES = {
    "fast-similarity": fast_similarity.sketches,
    "affine-paper": affine.paper_sketches,
    "datasketch": affine.datasketch_sketches,
}
SCHEMES = (*_SKETCHES, "modular")
Scheme = Annotated[str, SCHEMES]
Seed = Annotated[int, Within(0, (1 << 32) - 1)]
_MOST_SLOTS = 8192
_SCHEME = "affine32"


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

    >>> minhash = MinHash(slots=64)
    >>> one, same, other = minhash(Ragged.of([[1, 2, 3], [3, 2, 1], [1, 2, 4]]))
    >>> float(minhash.estimate(one, same)), float(minhash.estimate(one, other))
    (1.0, 0.5625)
    """

    slots: Annotated[int, Within(1, _MOST_SLOTS)] = 128
    seed: Seed = 1
    scheme: Scheme = "fast-similarity"
    rows: Annotated[int, Within(1, (1 << 31) - 2)] = 10_000_000
    kind: ClassVar[str] = "minhash"

    def __call__(self, shingles: Ragged) -> NDArray[np.uint32]:
        """A row of `slots` for each document; only the set of a row's shingles counts."""
        if self.scheme == "modular":
            return affine.modular_sketches(shingles, self.slots, self.seed, self.rows)
        return _SKETCHES[self.scheme](shingles, self.slots, self.seed)

    @property
    def coefficients(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """The numbers a and b of each slot; None for "fast-similarity", which has none."""
        match self.scheme:
            case "affine-paper":
                return affine.coefficients(self.slots, self.seed, affine.PRIME - 1)
            case "datasketch":
                return affine.datasketch_coefficients(self.slots, self.seed)
            case "modular":
                return affine.coefficients(self.slots, self.seed, self.rows)
        return None

    def estimate(self, left: NDArray[np.uint32], right: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The estimated Jaccard similarity of sketches: 0 where one of them has no shingles.

        Either may be one row, or many: then each with the one, or the first with the first.
        """
        shared = (left == right) & (left != fast_similarity.NO_VALUE)
        similarity: NDArray[np.float64] = shared.mean(axis=-1)
        return similarity


@dataclass(frozen=True)
class BBit:
    """The `bits` lowest bits (1, 2, 4 or 8) of each slot of a `minhash` sketch, packed.

    The estimate is that of Li and König (2010): of slots that differ, a share of 2**-bits has equal
    lowest bits by chance, and this share is subtracted. With the scheme "affine-paper" that holds
    for short documents only: in long ones the minima are small, their lowest bits agree more
    often, and the estimate is too high.

    A document without shingles has all bits set and is similar to no other.

    >>> bbit = BBit(slots=64)
    >>> rows = bbit(Ragged.of([[1, 2, 3], [3, 2, 1], [1, 2, 4]]))
    >>> rows.shape, bbit.estimate(rows[0], rows).tolist()
    ((3, 8), [1.0, 1.0, 0.53125])
    """

    slots: int = 512
    bits: Annotated[int, (1, 2, 4, 8)] = 1
    seed: Seed = 1
    scheme: Scheme = "fast-similarity"
    kind: ClassVar[str] = "bbit"

    def __post_init__(self) -> None:
        # From 64 bits on, a document with shingles has all bits set once in 2**64 at most.
        if self.slots not in (known := Within(64 // self.bits, _MOST_SLOTS)):
            raise OptionError.of("bbit", "slots", self.slots, str(known))

    def __call__(self, shingles: Ragged) -> NDArray[np.uint8]:
        """A row of `width` bytes for each document; bits left over are 0."""
        return packed(self.unpacked(shingles), self.bits)

    @property
    def width(self) -> int:
        """The bytes of a row: slots · bits / 8, rounded up."""
        return (self.slots * self.bits + 7) // 8

    @property
    def nothing(self) -> NDArray[np.uint8]:
        """The row of a document without shingles: all bits set, but for those left over."""
        row: NDArray[np.uint8] = packed(np.full((1, self.slots), -1, np.int64), self.bits)[0]
        return row

    @property
    def unpacked(self) -> MinHash:
        """The sketches of whole slots whose lowest bits these are."""
        return MinHash(self.slots, self.seed, self.scheme)

    @property
    def coefficients(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """The numbers a and b of each slot, as those of `unpacked`."""
        return self.unpacked.coefficients

    def estimate(self, row: NDArray[np.uint8], rows: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The estimated Jaccard similarity of one row with each of many, or of as many rows.

        Of as many rows the first is compared with the first, and so on. The mean of an estimate
        is the similarity, so that it may be below zero where that is small.
        """
        chance = 2.0**-self.bits
        left_over = self.width * 8 // self.bits - self.slots  # all equal
        equal = equal_slots(row, rows, self.bits) - left_over
        estimates = (equal / self.slots - chance) / (1 - chance)
        nothing = self.nothing
        if row.ndim == 1 and (row == nothing).all():
            estimates[:] = 0
        for some in (row, rows) if row.ndim > 1 else (rows,):
            likely = np.flatnonzero(some[:, 0] == nothing[0])
            estimates[likely[(some[likely] == nothing).all(axis=1)]] = 0
        return estimates


def to_datasketch(row: NDArray[np.uint32], seed: int) -> Any:
    """The `datasketch.MinHash` of a row that `MinHash(scheme="datasketch", seed=seed)` gave.

    >>> row = MinHash(slots=16, scheme="datasketch")(Ragged.of([[1, 2, 3]]))[0]
    >>> theirs = to_datasketch(row, seed=1)
    >>> theirs.update((4).to_bytes(8, "little"))
    >>> minhash, longer = from_datasketch(theirs)
    >>> minhash, float(minhash.estimate(row, longer))
    (MinHash(slots=16, seed=1, scheme='datasketch', rows=10000000), 0.75)
    """
    try:
        theirs = import_module("datasketch").MinHash
        return theirs(seed=seed, hashvalues=row, scheme=_SCHEME)
    except ImportError as error:
        wanted = "the package datasketch is missing; pip install 'datasketch>=2' brings it"
        raise OptionError(wanted) from error
    except TypeError as error:
        wanted = "the package datasketch is older than 2.0; pip install 'datasketch>=2' upgrades it"
        raise OptionError(wanted) from error


def from_datasketch(theirs: Any) -> tuple[MinHash, NDArray[np.uint32]]:
    """The fingerprinter and the row that correspond to a `datasketch.MinHash`.

    Raises MismatchError if its scheme, functions or hash are not supported.
    """
    if (scheme := getattr(theirs, "scheme", "legacy")) != _SCHEME:
        what = f"the sketch of datasketch has the scheme {scheme}; create it with {_SCHEME}"
        raise MismatchError(what)
    minhash = MinHash(slots=len(theirs), seed=theirs.seed, scheme="datasketch")
    ours, given = minhash.coefficients, theirs.permutations
    if ours is None or not all(np.array_equal(a, b) for a, b in zip(ours, given, strict=True)):
        what = "the sketch of datasketch has custom permutations; create it without them"
        raise MismatchError(what)
    if getattr(theirs.hashfunc, "__name__", "") != "sha1_hash32":
        what = "the sketch of datasketch has a custom hash function; create it without one"
        raise MismatchError(what)
    return minhash, np.asarray(theirs.hashvalues, np.uint32)
