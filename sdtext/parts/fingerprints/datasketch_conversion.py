"""Conversion of sketches from and to the package datasketch (2.0 or later).

Its sketches must be of the default scheme (affine32) and hash function, each shingle being given
as the eight bytes of its hash, the lowest first: `minhash.update(shingle.to_bytes(8, "little"))`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import MismatchError, OptionError
from sdtext.parts.fingerprints.minhash import MinHash

_SCHEME = "affine32"


def to_datasketch(row: NDArray[np.uint32], seed: int) -> Any:
    """The `datasketch.MinHash` of a row that `MinHash(scheme="datasketch", seed=seed)` gave.

    >>> from sdtext.kernels.arrays.ragged import Ragged
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
        raise MismatchError(
            f"the sketch of datasketch has the scheme {scheme}; create it with {_SCHEME}"
        )
    minhash = MinHash(slots=len(theirs), seed=theirs.seed, scheme="datasketch")
    ours, given = minhash.coefficients, theirs.permutations
    if ours is None or not all(np.array_equal(a, b) for a, b in zip(ours, given, strict=True)):
        raise MismatchError(
            "the sketch of datasketch has custom permutations; create it without them"
        )
    if getattr(theirs.hashfunc, "__name__", "") != "sha1_hash32":
        raise MismatchError(
            "the sketch of datasketch has a custom hash function; create it without one"
        )
    return minhash, np.asarray(theirs.hashvalues, np.uint32)
