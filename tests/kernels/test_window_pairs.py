"""`window_pairs` in Python: brute force, the vectors that are known, what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.kernels.windows.work_budget import TooMuchWork
from tests.kernels.near_windows import near_windows, trial
from tests.strategies import THOROUGH

NUMBERS = st.integers(-2, 3) | st.sampled_from([2**40, -(2**70), 2**64])


def pairs(left: str, right: str, w: int, tau: int) -> set[tuple[str, str, int]]:
    """The windows themselves, by words."""
    words = left.split(), right.split()
    numbers = {word: number for number, word in enumerate(sorted({*words[0], *words[1]}))}
    first, other = ([numbers[word] for word in side] for side in words)
    result = sdtext.window_pairs(first, other, w, tau)
    return {
        (" ".join(words[0][i : i + w]), " ".join(words[1][j : j + w]), d)
        for i, j, d in result.tolist()
    }


def test_the_worked_example_has_seven_results() -> None:
    query = "no less than two"
    first, second = "have no more than", "have more than two"

    def pairs_within(tau: int) -> set[tuple[str, str, int]]:
        return pairs(first, query, 3, tau) | pairs(second, query, 3, tau)

    assert pairs_within(0) == set()
    closest = {("no more than", "no less than", 1), ("more than two", "less than two", 1)}
    assert pairs_within(1) == closest
    assert pairs_within(2) == closest | {
        ("have no more", "no less than", 2),
        ("no more than", "less than two", 2),
        ("have more than", "no less than", 2),
        ("have more than", "less than two", 2),
        ("more than two", "no less than", 2),
    }


def test_repeats_count_as_often_as_both_have_them() -> None:
    assert pairs("as soon as possible", "yes soon yes as", 4, 2) == {
        ("as soon as possible", "yes soon yes as", 2)
    }
    assert pairs("as soon as possible", "yes soon yes as", 4, 1) == set()
    assert sdtext.window_pairs([1, 1], [1, 2], 2, 1).tolist() == [[0, 0, 1]]
    assert sdtext.window_pairs([1, 1], [1, 2], 2, 0).tolist() == []


def test_the_order_of_terms_does_not_count() -> None:
    assert sdtext.window_pairs([1, 2, 3], [3, 1, 2], 3, 0).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_brute_force_finds_the_same(start: int) -> None:
    for seed in range(start, start + 50):
        left, right, w, tau = trial(seed)
        first, other = left[0], (right or left)[-1]
        result = sdtext.window_pairs(first, np.array(other, np.int64), w, tau)
        assert [tuple(row) for row in result.tolist()] == near_windows(first, other, w, tau), seed


@THOROUGH
@given(left=st.lists(NUMBERS, max_size=24), right=st.lists(NUMBERS, max_size=24), pick=st.data())
def test_numbers_of_any_size(left: list[int], right: list[int], pick: st.DataObject) -> None:
    w = pick.draw(st.integers(1, 9))
    tau = pick.draw(st.integers(0, w - 1))
    result = sdtext.window_pairs(left, right, w, tau)
    assert [tuple(row) for row in result.tolist()] == near_windows(left, right, w, tau)
    turned = sdtext.window_pairs(right, left, w, tau)
    assert sorted((j, i, d) for i, j, d in turned.tolist()) == [
        tuple(row) for row in result.tolist()
    ]


@pytest.mark.parametrize(("left", "right"), [([], []), ([1], []), ([1, 2], [1, 2])])
def test_sequences_shorter_than_a_window_have_none(left: list[int], right: list[int]) -> None:
    result = sdtext.window_pairs(left, right, 10**30, 0)
    assert result.shape == (0, 3)
    assert result.dtype == np.int64


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint64])
def test_small_numbers_of_numpy_say_the_same(kind: type[np.integer[Any]]) -> None:
    left, right = [*range(90), *range(200, 290)], [*range(40, 300)]
    result = sdtext.window_pairs(left, right, kind(60), kind(50))  # type: ignore[arg-type]
    assert [tuple(row) for row in result.tolist()] == near_windows(left, right, 60, 50)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], [1], 0, 0), "w is 0; it must be 1 or more"),
        (([1], [1], 3, 3), "tau is 3; it must be 0 or more and below w, which is 3"),
        (([1], [1], 3, -1), "tau is -1"),
        (([1], [1], 3.5, 1), "w is 3.5; it must be a whole number"),
        (([1], [1], 3, "1"), "tau is '1'; it must be a whole number"),
        (([1], [1], np.array([3]), 1), "w is .*; it must be a whole number"),
        ((["a"], [1], 3, 1), "left is .*; it must be a sequence of whole numbers"),
        (([1], [0.5], 3, 1), "right is"),
        (([1], 7, 3, 1), "right is 7"),
        ((np.ones((2, 2), np.int64), [1], 2, 1), "left is"),
    ],
)
def test_unusable_arguments_are_refused_with_a_message(
    arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(sdtext.OptionError, match=f"^window_pairs: {message}"):
        sdtext.window_pairs(*arguments)


def test_more_pairs_than_memory_should_hold_are_refused() -> None:
    with pytest.raises(TooMuchWork, match="shorter sequences or a smaller tau"):
        sdtext.window_pairs([1] * 6000, [1] * 6000, 30, 15)
