"""Rows of shingles as the properties draw them, and pairs of sets of a stated similarity."""

from collections.abc import Iterable

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.hamming_join import distance_plain
from sdtext.reuse.sentence_finder import NearPairs

HASHES = st.integers(0, 2**64 - 1) | st.integers(0, 9) | st.integers(2**64 - 9, 2**64 - 1)
"""Hashes of 64 bits; small ones come again and again."""

ROWS = st.lists(st.lists(HASHES, max_size=12), max_size=6).map(Ragged.of)
"""Shingles of some documents, among them documents without any."""


def near_pairs_plain(
    left: NDArray[np.uint8], right: NDArray[np.uint8] | None, radius: int
) -> list[tuple[int, int, int]]:
    """The pairs of `near_pairs`, pair by pair."""
    codes = [row.tobytes() for row in left]
    others = codes if right is None else [row.tobytes() for row in right]
    rows = (
        (place, at, distance_plain(code, other))
        for place, code in enumerate(codes)
        for at, other in enumerate(others)
        if right is not None or place < at
    )
    return [row for row in rows if row[2] <= radius]


def triples(pairs: NearPairs) -> list[tuple[int, int, int]]:
    """The left row, the right row and the distance of each pair."""
    columns = (column.tolist() for column in (pairs.left, pairs.right, pairs.distances))
    return list(zip(*columns, strict=True))


def packed_plain(sketch: Iterable[int], bits: int) -> bytes:
    """`bbits.packed` of one row, in plain Python."""
    slots = [slot % (1 << bits) for slot in sketch]
    number = sum(slot << place * bits for place, slot in enumerate(slots))
    return number.to_bytes((len(slots) * bits + 7) // 8, "little")


def pairs(count: int, each: int, common: int, seed: int) -> tuple[Ragged, Ragged, float]:
    """Left and right sides of `count` pairs of random sets, and the Jaccard of every pair.

    Each set has `each` elements, of which its other side has `common`. No two pairs share any.
    """
    drawn = np.random.default_rng(seed).integers(0, 2**64, (count, 2 * each - common), np.uint64)
    sides = (drawn[:, :each], drawn[:, each - common :])
    left, right = (_rows(side) for side in sides)
    return left, right, common / (2 * each - common)


def _rows(values: NDArray[np.uint64]) -> Ragged:
    offsets = np.arange(len(values) + 1, dtype=np.int64) * values.shape[1]
    return Ragged(np.ascontiguousarray(values).reshape(-1), offsets)


def codes_of(count: int, bits: int, seed: int, flips: int = 8) -> NDArray[np.uint8]:
    """Codes, each made of one of a few by changing up to `flips` bits; some are equal."""
    random = np.random.default_rng(seed)
    result = random.integers(0, 2, (1 + count // 6, bits), dtype=np.uint8)
    result = result[random.integers(0, len(result), count)]
    for row in result:
        row[random.integers(0, bits, random.integers(0, flips + 1))] ^= 1
    return np.packbits(result, axis=1, bitorder="little")


def limit(cells: int) -> float:
    """What a chi-squared of that many cells exceeds once in a thousand times.

    By the approximation of Wilson and Hilferty (1931); 3.09 is the normal deviate.
    """
    spread = 2 / (9 * cells)
    return float(cells * (1 - spread + 3.09 * spread**0.5) ** 3)
