"""What every shingler of the registry keeps to."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.parts import sliding_windows
from sdtext.parts.registry import PARTS, build, parse
from tests.support.cases import cases
from tests.support.plain_shingles import FORMULAS, windows_of
from tests.support.strategies import BRISK, WORDS, specs_of

SHINGLERS = sorted(PARTS["shinglers"])
_LINES = st.lists(st.sampled_from(["a", "b", "né", "中国", "the", "of"]) | WORDS, max_size=8)
DOCUMENTS = st.lists(st.lists(_LINES, max_size=4), max_size=5)
Documents = list[list[list[str]]]

every = cases("name", SHINGLERS)


def by_definition(part: Any, lines: list[list[str]]) -> list[int]:
    spec = parse(part.hash)
    windows = windows_of(part, [line for line in lines if line])
    return [FORMULAS[spec.name](build("hashes", spec), window) for window in windows]


@every
@BRISK
@given(pick=st.data(), documents=DOCUMENTS, tile=st.integers(1, 9), run=st.integers(0, 20))
def test_shingles_are_the_windows_of_the_definition_and_sets_have_each_once_in_order(
    name: str, pick: st.DataObject, documents: Documents, tile: int, run: int
) -> None:
    part = build("shinglers", pick.draw(specs_of(name, "shinglers")))
    part = replace(part, length=4) if part.length == "auto" else part
    block, hashed = TokenBlock.of(documents), build("hashes", parse(part.hash))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sliding_windows, "_TILE", tile)
        rows = part(block, hashed)
        patch.setattr(sliding_windows, "_RUN", run)
        sets = [row.tolist() for row in part.sets(block, hashed)]
    assert str(rows.values.dtype) == "uint64"
    result = [row.tolist() for row in rows]
    assert result == [by_definition(part, lines) for lines in documents]
    assert sets == [sorted(set(row)) for row in result]
    for lines, expected in zip(documents, sets, strict=True):
        row = part.set_of_terms([term for line in lines for term in line], hashed)
        assert row is None or row.tolist() == expected
