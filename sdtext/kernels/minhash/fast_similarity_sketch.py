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

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import draws, draws_plain, mixed, mixed_plain
from sdtext.kernels.arrays.ragged import Ragged

NO_VALUE = (1 << 32) - 1
"""The value of all slots of an empty set."""
_PIECE = 1 << 15  # hashes at once: some arrays of 256 KB, which stay in the cache
_UNFILLED = (1 << 64) - 1
_WORTH = 0.75  # elements are left out when no more than that share of them goes on


def sketches(sets: Ragged, slots: int, seed: int) -> NDArray[np.uint32]:
    """The sketch of each row of 64-bit numbers, of shape (rows, slots).

    Neither order nor repeats within a row matter.

    >>> from sdtext.kernels.arrays.ragged import Ragged
    >>> made = sketches(Ragged.of([[1, 2, 3], [3, 2, 1, 1], []]), slots=4, seed=1)
    >>> made.shape, (made[0] == made[1]).all(), (made[2] == NO_VALUE).all()
    ((3, 4), np.True_, np.True_)
    """
    # A slot holds round · 2**32 + lower hash, so that the least is the one to keep.
    filled = np.full((len(sets), slots), _UNFILLED, np.uint64)
    salts = draws(seed, 2 * slots)[:, None]
    values, lengths, done = sets.values[: sets.offsets[-1]], sets.lengths, 0
    begins = np.arange(len(sets)) * slots
    rows = np.repeat(begins, lengths)
    while len(values):
        # As many rounds as there were, while the values are few, and never across round `slots`.
        left = slots - done if done < slots else 2 * slots - done
        many = max(1, min(done, _PIECE // len(values), left))
        for start in range(0, len(values), _PIECE):
            piece = slice(start, start + _PIECE)
            hashes = mixed(values[piece] ^ salts[done : done + many])
            _put(filled, hashes, rows[piece], done)
        done += many
        unfinished = (filled[begins // slots] == _UNFILLED).any(axis=1)
        # Later rounds change no set that is finished; to leave out a few costs more than it spares.
        if lengths[unfinished].sum() < _WORTH * len(values):
            kept = np.repeat(unfinished, lengths)
            values, rows = values[kept], rows[kept]
            begins, lengths = begins[unfinished], lengths[unfinished]
    return filled.astype(np.uint32)


def _put(
    filled: NDArray[np.uint64], hashes: NDArray[np.uint64], rows: NDArray[np.int64], first: int
) -> None:
    """`filled` with the hashes of rounds `first` and following (a row each) where they are less.

    `rows` are the places in all of `filled` where the sketches of the elements' sets begin.
    """
    slots = filled.shape[1]
    rounds = np.arange(first, first + len(hashes), dtype=np.uint64)[:, None]
    chosen = _slots_of(hashes, slots) if first < slots else rounds - np.uint64(slots)
    places = (chosen.view(np.int64) + rows).ravel()
    keys = (hashes & np.uint64(NO_VALUE)) | (rounds << np.uint64(32))
    np.minimum.at(filled.reshape(-1), places, keys.ravel())


def _slots_of(hashes: NDArray[np.uint64], slots: int) -> NDArray[np.uint64]:
    """The slot that each hash chooses: its upper 32 bits as a fraction, times `slots`."""
    half = np.uint64(32)
    if slots & (slots - 1):
        return ((hashes >> half) * np.uint64(slots)) >> half
    return hashes >> np.uint64(65 - slots.bit_length())


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
