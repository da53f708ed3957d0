"""What every fingerprint of shingles keeps to. The others are of terms and a dictionary."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.parts.registry import PARTS, build
from tests.kernels.rows import ROWS
from tests.support.cases import cases
from tests.support.strategies import BRISK, specs_of

OF_TERMS = {"bitvector", "digest"}
NAMES = sorted(set(PARTS["fingerprints"]) - OF_TERMS)
every = cases("name", NAMES)


def rows_of(result: Any) -> list[list[int]]:
    return [row.tolist() for row in result]


@every
@BRISK
@given(pick=st.data(), rows=ROWS)
def test_the_set_of_shingles_alone_counts(name: str, pick: st.DataObject, rows: Ragged) -> None:
    make = build("fingerprints", pick.draw(specs_of(name)))
    before = rows.values.tolist()
    result = rows_of(make(rows))
    assert rows.values.tolist() == before
    assert [rows_of(make(rows.take([place])))[0] for place in range(len(rows))] == result
    again = Ragged.of([[*row.tolist()[::-1], *row.tolist()] for row in rows])
    assert rows_of(make(again)) == result
    longer = Ragged.of([*rows, [1, 2, 3]])  # what lies behind the rows does not count
    assert rows_of(make(Ragged(longer.values, longer.offsets[:-1]))) == result


@every
@BRISK
@given(pick=st.data())
def test_other_sets_have_other_fingerprints_of_its_kind(name: str, pick: st.DataObject) -> None:
    make = build("fingerprints", pick.draw(specs_of(name)))
    result = rows_of(make(Ragged.of([range(40), range(100, 140), []])))
    assert len({tuple(row) for row in result}) == 3
    assert make.kind == name
