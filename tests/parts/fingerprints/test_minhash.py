"""Sketches as parts: options, estimates and their error, what other programs make of them."""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from datasketch import MinHash as Theirs

from sdtext.errors import MismatchError, OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.minhash import affine
from sdtext.parts.fingerprints import minhash as minhash_file
from sdtext.parts.fingerprints.minhash import SCHEMES, BBit, MinHash, from_datasketch, to_datasketch
from tests.kernels.rows import limit, packed_plain, pairs
from tests.support.cases import cases

every = pytest.mark.parametrize("scheme", SCHEMES)


@every
def test_one_sketch_is_compared_with_many(scheme: str) -> None:
    minhash = MinHash(64, 3, scheme)
    rows = minhash(Ragged.of([range(10), range(5, 15), range(100, 110), []]))
    assert minhash.estimate(rows[3], rows).tolist() == [0, 0, 0, 0]  # like nothing
    result = minhash.estimate(rows[0], rows)
    assert result.tolist() == [(rows[0] == row).mean() for row in rows[:3]] + [0]
    assert result[0] == 1 > result[1] > result[2] == 0


def test_the_coefficients_are_those_of_the_scheme() -> None:
    assert MinHash().coefficients is None
    paper = MinHash(4, 2, "affine-paper").coefficients
    assert paper is not None
    assert np.array_equal(paper, affine.coefficients(4, 2, affine.PRIME - 1))
    rows = Ragged.of([[5, 9]])
    row = MinHash(4, 2, "affine-paper")(rows)[0].tolist()
    pairs = list(zip(*(numbers.tolist() for numbers in paper), strict=True))
    assert row == [min((a * x + b) % affine.PRIME % affine.ROWS for x in (5, 9)) for a, b in pairs]
    modular = MinHash(4, 2, "modular", 99)
    assert np.array_equal(modular.coefficients or (), affine.coefficients(4, 2, 99))
    assert np.array_equal(modular(rows), affine.modular_sketches(rows, 4, 2, 99))


def test_sketches_go_to_datasketch_and_back() -> None:
    documents = Ragged.of([range(100), range(30, 130), [2**64 - 1]])
    minhash = MinHash(slots=64, seed=9, scheme="datasketch")
    ours = minhash(documents)
    for row in ours:
        theirs = to_datasketch(row, seed=9)
        again, back = from_datasketch(theirs)
        assert again == minhash
        assert back.dtype == row.dtype
        assert back.tolist() == row.tolist() == theirs.hashvalues.tolist()
    theirs = Theirs(num_perm=64, seed=9)
    theirs.update_batch([shingle.to_bytes(8, "little") for shingle in documents[1].tolist()])
    assert theirs == to_datasketch(ours[1], seed=9)
    result = to_datasketch(ours[0], seed=9).jaccard(theirs)
    assert 0 < result < 1
    assert result == float(minhash.estimate(ours[0], from_datasketch(theirs)[1]))


_OTHER = Theirs(num_perm=8, seed=2).permutations


@cases("result, message", [
    (lambda: Theirs(8, scheme="legacy"), "the scheme legacy; create it with affine32"),
    (lambda: SimpleNamespace(seed=1), "the scheme legacy; create it with affine32"),
    (lambda: Theirs(8, scheme="affine32", permutations=_OTHER), "has custom permutations"),
    (lambda: Theirs(8, hashfunc=hash), "has a custom hash function"),
])  # fmt: skip
def test_sketches_that_are_not_ours_are_refused(result: Any, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        from_datasketch(result())


def test_without_the_package_or_with_an_old_one_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        return import_module(f"no_such_{name}")

    def old(seed: int, hashvalues: Any) -> None:
        raise AssertionError(seed, hashvalues)

    row = np.zeros(8, np.uint32)
    monkeypatch.setattr(minhash_file, "import_module", missing)
    with pytest.raises(OptionError, match="datasketch is missing; pip install 'datasketch>=2'"):
        to_datasketch(row, seed=1)
    monkeypatch.setattr(minhash_file, "import_module", lambda _: SimpleNamespace(MinHash=old))
    with pytest.raises(OptionError, match=r"is older than 2\.0; pip install 'datasketch>=2'"):
        to_datasketch(row, seed=1)


every_width = pytest.mark.parametrize("bits", [1, 2, 4, 8])


@every_width
@cases("slots", [64, 100])
@cases("scheme", SCHEMES)
def test_it_packs_the_slots_of_a_minhash_sketch(bits: int, slots: int, scheme: str) -> None:
    rows = Ragged.of([range(20), [], [2**64 - 1]])
    result = BBit(slots, bits, 5, scheme)(rows)
    whole = MinHash(slots, 5, scheme)(rows)
    assert [row.tobytes() for row in result] == [packed_plain(row.tolist(), bits) for row in whole]


@every_width
@cases("slots", [64, 101])
def test_documents_without_shingles_are_like_nothing(bits: int, slots: int) -> None:
    bbit = BBit(slots, bits)
    rows = bbit(Ragged.of([[], [], [1]]))
    assert rows.shape == (3, bbit.width)
    assert bbit.estimate(rows[0], rows).tolist() == [0, 0, 0]
    assert bbit.estimate(rows[2], rows).tolist() == [0, 0, 1]


SLOTS = 125  # so that bits are left over
SHARES = (5, 50, 90)
COUNT = 400


def _estimates(bits: int, scheme: str) -> list[tuple[float, np.ndarray[Any, np.dtype[np.float64]]]]:
    """The Jaccard of each of `SHARES`, and the estimates of `COUNT` such pairs of 100 shingles."""
    output = []
    for common in SHARES:
        left, right, jaccard = pairs(COUNT, 100, common, seed=common)
        bbit = BBit(SLOTS, bits, common, scheme)
        ours, theirs = bbit(left), bbit(right)
        result = [
            bbit.estimate(row, theirs[place : place + 1])[0] for place, row in enumerate(ours)
        ]
        output.append((jaccard, np.array(result)))
    return output


@every_width
def test_the_estimate_is_the_jaccard_on_average(bits: int) -> None:
    """One joint test of all cells, with a limit that chance exceeds once in a thousand times."""
    cells = _estimates(bits, "fast-similarity")
    total = sum((each.mean() - jaccard) ** 2 / each.var() * COUNT for jaccard, each in cells)
    assert total < limit(len(cells))


@every_width
def test_the_error_follows_the_formula_of_li_and_konig_or_is_less(bits: int) -> None:
    """For the independent slots of "affine-paper"; their sum of squares is a chi-squared each."""
    chance = 2.0**-bits

    def variance(jaccard: float) -> float:
        equal = chance + (1 - chance) * jaccard
        return equal * (1 - equal) / SLOTS / (1 - chance) ** 2

    for jaccard, each in _estimates(bits, "affine-paper"):
        total = ((each - jaccard) ** 2).sum() / variance(jaccard)
        assert 2 * COUNT - limit(COUNT) < total < limit(COUNT)
    for jaccard, each in _estimates(bits, "fast-similarity"):
        assert ((each - jaccard) ** 2).mean() < 1.05 * variance(jaccard)
