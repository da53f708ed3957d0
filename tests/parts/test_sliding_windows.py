"""Sums over windows, letters on access, sets of long documents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.window_sums import polynomial_hashes
from sdtext.parts import sliding_windows
from sdtext.parts.hashes import Mixed
from sdtext.parts.sliding_windows import Letters, Pieces, SlidingWindows, WordLetters
from tests.support.strategies import BRISK

NUMBERS = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=40)


@given(
    numbers=NUMBERS,
    base=st.integers(1, 2**64 - 1),
    modulus=st.integers(1, 2**32) | st.just(2**32) | st.just(2**64),
    pick=st.data(),
)
def test_sums_of_windows_are_those_of_whole_numbers(
    numbers: list[int], base: int, modulus: int, pick: st.DataObject
) -> None:
    length = pick.draw(st.integers(1, len(numbers)))
    given_numbers = np.array(numbers, np.uint64)
    windows = [numbers[start : start + length] for start in range(len(numbers) - length + 1)]
    expected = [
        sum(number * base**place for place, number in enumerate(window)) % modulus
        for window in windows
    ]
    assert polynomial_hashes(given_numbers, length, base, modulus).tolist() == expected
    assert given_numbers.tolist() == numbers


@BRISK
@given(
    words=st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=4), pick=st.data()
)
def test_letters_are_spelled_when_taken_as_they_would_be_in_one_go(
    words: list[list[int]], pick: st.DataObject
) -> None:
    chosen = pick.draw(st.lists(st.integers(0, len(words) - 1), max_size=9))
    letters = [letter for word in chosen for letter in words[word]]
    ends = offsets_of([len(words[word]) for word in chosen])
    spelled = WordLetters(Ragged.of(words, "uint32"), np.array(chosen, np.uint32), ends)
    start = pick.draw(st.integers(0, max(0, len(letters) - 1)))
    stop = pick.draw(st.integers(min(start + 1, len(letters)), len(letters)))
    assert spelled.take(slice(start, stop)).code_points.tolist() == letters[start:stop]
    places = pick.draw(st.lists(st.integers(0, len(letters) - 1), max_size=5)) if letters else []
    taken = spelled.take(np.array(places, np.int64))
    assert taken.code_points.tolist() == [letters[place] for place in places]


@pytest.mark.parametrize("length", [3, 7])
def test_a_long_set_takes_room_for_twice_its_distinct_hashes(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sliding_windows, "_RUN", 50)
    monkeypatch.setattr(sliding_windows, "_TILE", 20)
    letters = Letters(np.arange(5000, dtype=np.uint32) % 30 + 97)
    pieces = Pieces(np.array([0]), np.array([len(letters)]), np.array([0, 1]))
    windows = SlidingWindows(letters, pieces, length, Mixed())
    room = np.zeros(5000, np.uint64)
    assert sliding_windows._set_of_one(windows, room) == 30
    assert sorted(set(windows.in_order().values.tolist())) == room[:30].tolist()
    assert not room[2 * 30 + 50 + 20 :].any()
