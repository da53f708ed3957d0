"""The words of passages in runs that both sides have."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext import Document, find_reuse
from sdtext.reuse.verbatim_and_gaps import verbatim_score, verbatim_words

WORDS = st.lists(st.integers(1, 4), max_size=30)


def plain_score(left: list[int], right: list[int]) -> int:
    """The definition, run by run."""

    def covered(own: list[int], other: list[int]) -> int:
        runs = {tuple(other[i : i + 5]) for i in range(len(other) - 4)}
        starts = [i for i in range(len(own) - 4) if tuple(own[i : i + 5]) in runs]
        return len({place for i in starts for place in range(i, i + 5)})

    words = min(covered(left, right), covered(right, left))
    return min(99, 100 * words // max(len(left), len(right), 1))


@given(left=WORDS, right=WORDS, scale=st.sampled_from([1, 10**9]), copied=st.booleans())
def test_the_score_is_that_of_the_definition(
    left: list[int], right: list[int], scale: int, copied: bool
) -> None:
    if copied:
        right = [*right[:10], *left[:12], *right[10:]]
    sides = [np.array(side, np.uint32) * np.uint32(scale) for side in (left, right)]
    assert verbatim_score(*verbatim_words(sides[0], sides[1])) == plain_score(left, right)


def test_runs_of_many_kinds_of_words_are_numbered_exactly() -> None:
    left = np.arange(9000, dtype=np.uint32)
    right = left.copy()
    right[::9] = 9000 + np.arange(1000)
    assert verbatim_score(*verbatim_words(left, right)) == 88
    right[::5] = 99_999
    assert verbatim_score(*verbatim_words(left, right)) == 0


def test_passages_tell_copies_from_rewritten_text() -> None:
    words = [f"w{place}" for place in range(100)]
    pasted = [*words[:50], *(f"new{place}" for place in range(5)), *words[55:]]
    rewritten = [f"x{place}" if place % 4 == 0 else word for place, word in enumerate(words)]
    scores = []
    for other in (words, pasted, rewritten):
        text, changed = " ".join(words), " ".join(other)
        evidence = find_reuse(Document(text, text), Document(changed, changed))
        scores += [passage.verbatim for shared in evidence.shared for passage in shared.passages]
    assert scores[:2] == [99, 95]
    assert scores[2:] == [0]
