"""What every shingler, hash and fingerprint of shingles in the registry keeps to."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.parts import sliding_windows
from sdtext.parts.registry import PARTS, build, find, parse
from sdtext.parts.sliding_windows import Letters, Terms
from tests.kernels.rows import ROWS
from tests.support.cases import cases
from tests.support.plain_shingles import FORMULAS, windows_of
from tests.support.strategies import BRISK, TEXTS, WORDS, specs_of

SHINGLERS = sorted(PARTS["shinglers"])
_LINES = st.lists(st.sampled_from(["a", "b", "né", "中国", "the", "of"]) | WORDS, max_size=8)
DOCUMENTS = st.lists(st.lists(_LINES, max_size=4), max_size=5)
Documents = list[list[list[str]]]

shinglers = cases("name", SHINGLERS)


def by_definition(part: Any, lines: list[list[str]]) -> list[int]:
    spec = parse(part.hash)
    windows = windows_of(part, [line for line in lines if line])
    return [FORMULAS[spec.name](build("hashes", spec), window) for window in windows]


@shinglers
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


HASHES = sorted(PARTS["hashes"])
BY_NUMBERS = [name for name in HASHES if getattr(find("hashes", name), "by_numbers", False)]

hashes = cases("name", HASHES)
LENGTHS = st.integers(1, 12) | st.integers(30, 70)


@hashes
@BRISK
@given(pick=st.data(), text=TEXTS, length=LENGTHS)
def test_windows_of_letters_are_hashed_by_the_formula(
    name: str, pick: st.DataObject, text: str, length: int
) -> None:
    text = text * (length // len(text) + 1)
    part = build("hashes", pick.draw(specs_of(name)))
    starts = sorted(pick.draw(st.sets(st.integers(0, len(text) - length), min_size=1)))
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32)
    result = part(Letters(codes), length, np.array(starts))
    assert result.dtype == np.uint64
    windows = [text[start : start + length] for start in starts]
    assert result.tolist() == [FORMULAS[name](part, window) for window in windows]


@hashes
@BRISK
@given(pick=st.data(), words=st.lists(WORDS, min_size=1, max_size=9), length=st.integers(1, 5))
def test_windows_of_terms_are_hashed_by_the_formula(
    name: str, pick: st.DataObject, words: list[str], length: int
) -> None:
    words = words * length
    part = build("hashes", pick.draw(specs_of(name)))
    block = TokenBlock.of([[words]])
    terms = Terms(block.hashes[block.tokens[0] - 1], block.tokens[0] - 1, block.words)
    starts = np.arange(len(words) - length + 1)
    windows = [words[start : start + length] for start in starts]
    expected = [FORMULAS[name](part, window) for window in windows]
    assert part(terms, length, starts).tolist() == expected


@cases("name", BY_NUMBERS)
@BRISK
@given(pick=st.data(), words=st.lists(WORDS, min_size=2, max_size=9))
def test_hashes_by_numbers_spell_nothing(name: str, pick: st.DataObject, words: list[str]) -> None:
    part = build("hashes", pick.draw(specs_of(name)))
    block = TokenBlock.of([[words]])
    terms = Terms(block.hashes[block.tokens[0] - 1], block.tokens[0] - 1, block.words)
    starts = np.arange(len(words) - 1)
    assert part(Terms(terms.keys), 2, starts).tolist() == part(terms, 2, starts).tolist()


def test_a_hash_that_spells_shingles_is_not_by_numbers() -> None:
    assert set(HASHES) - set(BY_NUMBERS) == {"xxhash"}


OF_TERMS = {"bitvector", "digest"}
NAMES = sorted(set(PARTS["fingerprints"]) - OF_TERMS)
fingerprints = cases("name", NAMES)


def rows_of(result: Any) -> list[list[int]]:
    return [row.tolist() for row in result]


@fingerprints
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


@fingerprints
@BRISK
@given(pick=st.data())
def test_other_sets_have_other_fingerprints_of_its_kind(name: str, pick: st.DataObject) -> None:
    make = build("fingerprints", pick.draw(specs_of(name)))
    result = rows_of(make(Ragged.of([range(40), range(100, 140), []])))
    assert len({tuple(row) for row in result}) == 3
    assert make.kind == name
