"""Fast Similarity Sketching: a sketch whose slots agree as often as two sets do.

S. Dahlgaard, M. B. T. Knudsen, M. Thorup: Fast similarity sketching, FOCS 2017. Each element goes
to one slot of k in each of rounds 0 to k - 1, and to slot t - k in each of rounds t from k to 2k -
1. A slot belongs to the first round that brings it any element, and there to the element of the
smallest hash; a set needs no further round once all its slots are filled. An element's hash in
round t is `mixed(element ^ draw)` with draw t of the seed
(sdtext.kernels.arrays.integer_and_byte_hashes): its upper 32 bits choose the slot, its lower 32
bits are compared and stored. So two slots are equal when the same element came there in the same
round, and else by chance of about 2**-32.

Sketches of two sets cannot be merged into that of their union: the rounds are forgotten.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import draws, draws_plain, mixed_plain
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.c_library import KERNELS

NO_VALUE = (1 << 32) - 1
"""The value of all slots of an empty set."""
_UNFILLED = (1 << 64) - 1


def sketches(sets: Ragged, slots: int, seed: int) -> NDArray[np.uint32]:
    """The sketch of each row of 64-bit numbers, of shape (rows, slots).

    Neither order nor repeats within a row matter.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> made = sketches(Ragged.of([[1, 2, 3], [3, 2, 1, 1], []]), slots=4, seed=1)
    >>> made.shape, (made[0] == made[1]).all(), (made[2] == NO_VALUE).all()
    ((3, 4), np.True_, np.True_)
    """
    if "fast_similarity_sketches" not in KERNELS:
        plain = [sketch_plain(row.tolist(), slots, seed) for row in sets]
        return np.array(plain, np.uint32).reshape(-1, slots)
    made = np.empty((len(sets), slots), np.uint32)
    salts = draws(seed, 2 * slots)
    KERNELS["fast_similarity_sketches"](sets.values, sets.offsets, salts, made)
    return made


def sketch_plain(elements: Iterable[int], slots: int, seed: int) -> list[int]:
    """The sketch of one set, as the paper's pseudocode computes it.

    >>> sketch_plain([], slots=2, seed=1) == [NO_VALUE, NO_VALUE]
    True
    """
    members, kept = set(elements), [_UNFILLED] * slots
    for number, salt in enumerate(draws_plain(seed, 2 * slots)):
        for element in members:
            high, low = divmod(mixed_plain(element ^ salt), 1 << 32)
            slot = high * slots >> 32 if number < slots else number - slots
            kept[slot] = min(kept[slot], number << 32 | low)
        if _UNFILLED not in kept:
            break
    return [key & NO_VALUE for key in kept]
