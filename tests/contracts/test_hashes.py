"""What every hash of shingles in the registry keeps to."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.parts.registry import PARTS, build, find
from sdtext.parts.sliding_windows import HashedTerms, Letters, Terms
from tests.support.cases import cases
from tests.support.plain_shingles import FORMULAS
from tests.support.strategies import BRISK, TEXTS, WORDS, specs_of

HASHES = sorted(PARTS["hashes"])
BY_NUMBERS = [name for name in HASHES if getattr(find("hashes", name), "by_numbers", False)]

every = cases("name", HASHES)
LENGTHS = st.integers(1, 12) | st.integers(30, 70)


@every
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


@every
@BRISK
@given(pick=st.data(), words=st.lists(WORDS, min_size=1, max_size=9), length=st.integers(1, 5))
def test_windows_of_terms_are_hashed_by_the_formula(
    name: str, pick: st.DataObject, words: list[str], length: int
) -> None:
    words = words * length
    part = build("hashes", pick.draw(specs_of(name)))
    block = TokenBlock.of([[words]])
    terms = Terms(block.tokens[0] - 1, block.words, block.hashes)
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
    terms = Terms(block.tokens[0] - 1, block.words, block.hashes)
    starts = np.arange(len(words) - 1)
    assert part(HashedTerms(terms.keys), 2, starts).tolist() == part(terms, 2, starts).tolist()


def test_a_hash_that_spells_shingles_is_not_by_numbers() -> None:
    assert set(HASHES) - set(BY_NUMBERS) == {"xxhash"}
