"""Codes in SQLite: each form of the query finds what brute force does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from math import comb
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.code_table import CodeTable
from sdtext.errors import OptionError
from sdtext.kernels.hamming_distances import distance_plain
from tests.kernels.codes import codes_of
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


@pytest.fixture
def table() -> Iterator[CodeTable]:
    result = filled(codes_of(30, 100, 1), 100, 5)
    with closing(result.connection):
        yield result


@pytest.mark.parametrize(("equal", "conditions"), [(1, 3), (2, 10), (3, 10)])
def test_each_condition_uses_an_index(table: CodeTable, equal: int, conditions: int) -> None:
    asked: list[str] = []
    table.connection.set_trace_callback(asked.append)
    table.near(bytes(13), 2, equal)
    table.connection.set_trace_callback(None)
    plan = table.connection.execute(f"EXPLAIN QUERY PLAN {asked[-1]}").fetchall()
    used = [row[3] for row in plan if "USING INDEX codes_g" in row[3]]
    assert len(used) == conditions == (3 if equal == 1 else comb(5, equal))
    assert not any(row[3].startswith("SCAN") for row in plan)


@pytest.mark.parametrize(("radius", "equal", "message"), [
    (2, 4, "where 2 bits differ, 3 of 5 groups are certain to be equal; 4 cannot be asked for"),
    (5, 1, "where 5 bits differ, 0 of 5 groups are certain to be equal; 1 cannot"),
    (2, 0, "0 cannot be asked for"),
])  # fmt: skip
def test_more_than_is_certain_is_refused(
    table: CodeTable, radius: int, equal: int, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        table.near(bytes(13), radius, equal)


def test_what_it_cannot_hold_is_refused(table: CodeTable) -> None:
    with pytest.raises(OptionError, match="must be as long as 100 bits: 13 bytes"):
        table.near(bytes(12), 2)
    with pytest.raises(OptionError, match="groups is 1; it must be 2 to 100: a group has 1 to 64"):
        CodeTable(table.connection, 100, 1)
    wide = CodeTable(table.connection, 100, 20)
    with pytest.raises(OptionError, match="10 of 20 groups are 184756 choices, more than 500"):
        wide.near(bytes(13), 2, 10)
