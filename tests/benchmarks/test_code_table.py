"""Codes in SQLite: each form of the query finds what brute force does."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.code_table import CodeTable
from sdtext.kernels.hamming_distances import distance_plain
from tests.kernels.rows import codes_of
from tests.support.strategies import BRISK

if TYPE_CHECKING:
    from sdtext.kernels.hamming_distances import Codes

# Bits, groups, radius and how many groups are equal: the paper's 2 of 5, the tight 3 of 5, 1 of 3.
FORMS = [
    *((100, 5, 2, equal) for equal in (1, 2, 3)),
    *((100, 3, 2, 1), (64, 6, 2, 4), (64, 1, 0, 1)),
]


def filled(codes: Codes, bits: int, groups: int) -> CodeTable:
    table = CodeTable(sqlite3.connect(":memory:"), bits, groups)
    table.create()
    half = len(codes) // 2
    table.add(codes[:half])
    table.add(codes[half:], half)
    return table


def plain(codes: Codes, code: bytes, radius: int) -> list[tuple[int, int]]:
    rows = ((place, distance_plain(code, other.tobytes())) for place, other in enumerate(codes))
    return [row for row in rows if row[1] <= radius]


@pytest.mark.parametrize("form", FORMS)
@BRISK
@given(seed=st.integers(0, 2**32 - 1))
def test_every_form_finds_what_brute_force_does(form: tuple[int, ...], seed: int) -> None:
    bits, groups, radius, equal = form
    codes = codes_of(30, bits, seed, flips=3)
    table = filled(codes, bits, groups)
    with closing(table.connection):
        for code in codes[:5]:
            result = table.near(code.tobytes(), radius, equal)
            assert result == plain(codes, code.tobytes(), radius)
