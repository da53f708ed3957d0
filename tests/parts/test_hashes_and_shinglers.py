"""Hashes of the papers by examples worked out by hand, and shingles of characters."""

from decimal import Decimal, localcontext
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.parts import sliding_windows
from sdtext.parts.hashes import Mixed, Modular, Multiplicative, Polynomial, XxHash
from sdtext.parts.shinglers import CharacterShingles, auto_length
from sdtext.parts.sliding_windows import Letters, Pieces, SlidingWindows
from tests.support.cases import cases

FIRST = np.array([0])


def of_whole(part: Any, text: str) -> int:
    letters = Letters(np.array(list(map(ord, text)), np.uint32))
    return int(part(letters, len(text), FIRST)[0])


@cases("text, value", [
    ("a", 1), ("z", 26), ("A", 27 + 65), (" ", 27 + 32),
    ("parsing", (16 + 31 * (1 + 31 * (18 + 31 * (19 + 31 * (9 + 31 * (14 + 31 * 7))))))),
    ("中", 27 + 0x4E2D),
])  # fmt: skip
def test_the_polynomial_counts_letters_as_the_paper_does(text: str, value: int) -> None:
    assert of_whole(Polynomial(), text) == value % 1_000_003
    assert of_whole(Polynomial(m=1 << 32), text) == value % (1 << 32)


def test_modulo_a_power_of_two_the_lowest_bits_are_left() -> None:
    assert of_whole(Modular(m=1 << 20), "shingle") == of_whole(Mixed(), "shingle") & 0xFFFFF


@cases("w", [8, 16, 32, 63, 64])
def test_the_factor_is_that_of_knuth_to_the_last_bit(w: int) -> None:
    with localcontext() as context:
        context.prec = 60
        golden = (Decimal(5).sqrt() - 1) / 2
        assert Multiplicative(w=w).factor == floor(golden * 2**w)


@cases("w", [16, 32, 64])
def test_a_family_stands_around_the_factor_and_has_many_members(w: int) -> None:
    first = Multiplicative(w=w).factor
    members = [Multiplicative(w=w, seed=seed).factor for seed in range(1, 100)]
    assert all(first <= member <= first + 2**w // 256 and member % 2 for member in members)
    assert len(set(members)) > 50


def test_seeds_make_other_hashes() -> None:
    for part in (Multiplicative, XxHash):
        assert len({of_whole(part(seed=seed), "shingle") for seed in range(50)}) == 50


@given(characters=st.integers(0, 20**12))
def test_the_length_is_the_least_with_far_more_shingles_than_characters(characters: int) -> None:
    length, reason = auto_length(characters)
    assert 4 <= length <= 9
    assert length == 9 or 20**length >= 100 * characters
    assert length == 4 or 20 ** (length - 1) < 100 * characters
    assert reason.startswith(f"shingles of {length} characters ")
    assert f"{characters:,}" in reason


def test_an_unsettled_length_says_who_settles_it() -> None:
    with pytest.raises(OptionError, match="auto is settled by AddDocuments, from the longest text"):
        CharacterShingles()(TokenBlock.of([[["a"]]]), Mixed())


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
