"""Random codes of which some are near one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def codes_of(count: int, bits: int, seed: int, flips: int = 8) -> NDArray[np.uint8]:
    """Codes, each made of one of a few by changing up to `flips` bits; some are equal."""
    random = np.random.default_rng(seed)
    result = random.integers(0, 2, (1 + count // 6, bits), dtype=np.uint8)
    result = result[random.integers(0, len(result), count)]
    for row in result:
        row[random.integers(0, bits, random.integers(0, flips + 1))] ^= 1
    return np.packbits(result, axis=1, bitorder="little")
