"""What every matcher of sequences keeps to."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import MismatchError, OptionError
from sdtext.model import PartSpec
from sdtext.parts.matchers.edit_and_hamming_matchers import Levenshtein
from sdtext.parts.registry import PARTS, build, find
from sdtext.search.fingerprint_scores import FingerprintScorer
from sdtext.search.score import score
from tests.support.cases import cases
from tests.support.strategies import BRISK, specs_of

OF_SEQUENCES = [
    name for name in PARTS["matchers"] if find("matchers", name).compares == "sequences"
]
SAMPLES = Path(__file__).parents[1] / "samples" / "formats" / "1.0"
every = cases("name", OF_SEQUENCES)
tokens = st.lists(st.sampled_from(["a", "b", "ab", "naïve", "中", "😀"]), max_size=8)


def edits(left: str | list[str], right: str | list[str]) -> int:
    """The Levenshtein distance, row by row, as in Wagner and Fischer's paper of 1974."""
    row = list(range(len(right) + 1))
    for place, first in enumerate(left, 1):
        before, row[0] = row[0], place
        for column, other in enumerate(right, 1):
            before, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, before + (first != other)),
            )
    return row[-1]


@every
@BRISK
@given(pick=st.data(), left=tokens, right=tokens)
def test_a_similarity_is_symmetric_and_1_for_equal_texts_alone(
    name: str, pick: st.DataObject, left: list[str], right: list[str]
) -> None:
    matcher = build("matchers", pick.draw(specs_of(name)))
    result = matcher.of_sequences(left, right)
    assert matcher.symmetric
    assert result == matcher.of_sequences(right, left)
    assert 0 <= result.score <= 99
    assert (float(result) == 1) is (left == right)


@every
def test_sums_over_sets_and_fingerprints_are_refused(name: str) -> None:
    with pytest.raises(MismatchError):
        build("matchers", PartSpec(name))(1, 2, 3)
    file = SAMPLES / "fingerprint-full.xml"
    for matcher in (name, f"{name}()"):
        with pytest.raises(OptionError, match=name):
            score(file, file, matcher=matcher)
    with pytest.raises(OptionError, match=name):
        FingerprintScorer(name).part  # noqa: B018 (asked for is refused)


@given(left=tokens, right=tokens)
def test_edit_counts_edits_of_tokens_or_characters(left: list[str], right: list[str]) -> None:
    matcher, by_characters = Levenshtein(), Levenshtein(of="characters")
    expected = edits(left, right)
    assert matcher.distance(left, right) == expected
    longest = max(len(left), len(right)) or 1
    assert float(matcher.of_sequences(left, right)) == pytest.approx(1 - expected / longest)
    texts = " ".join(left), " ".join(right)
    distance = by_characters.distance(left, right)
    assert distance == by_characters.distance(*texts) == edits(*texts)


def test_edit_on_texts_that_would_take_minutes_is_refused() -> None:
    with pytest.raises(MismatchError, match="edit"):
        Levenshtein(of="characters").distance("a" * 10**6, "b" * 10**6)
