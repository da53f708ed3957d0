"""Merges: few segments, each document copied few times, the same words in code-point order."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.collections.storage.merge_vocabularies import AT_ONCE, merged, used_words
from sdtext.collections.storage.writer import due, level
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.document_words import words_in
from tests.support.strategies import BRISK

MB = 1 << 20


def after_adding(megabytes: list[int]) -> tuple[list[int], int]:
    """The segments after segments of these sizes were added and merged, and the bytes copied."""
    sizes: list[int] = []
    copied = 0
    for size in megabytes:
        sizes.append(size * MB)
        while ends := due(sizes, [0.0] * len(sizes)):
            merged = sizes[slice(*ends)]
            assert len(merged) >= 8
            copied += sum(merged)
            sizes[slice(*ends)] = [sum(merged)]
    return sizes, copied


@given(st.lists(st.integers(1, 100), min_size=1, max_size=300))
def test_fewer_than_eight_of_a_size_remain_and_each_is_copied_few_times(
    megabytes: list[int],
) -> None:
    sizes, copied = after_adding(megabytes)
    total = sum(megabytes) * MB
    assert sum(sizes) == total
    assert copied <= 4 * total  # once a level, and small ones with larger ones around them
    for limit, below in ((8, 0), (64, 8), (512, 64)):
        # Of more than `below` and at most `limit` MB, between two larger ones or an end.
        counts = [0]
        for size in sizes:
            if size > limit * MB:
                counts.append(0)
            elif size > below * MB:
                counts[-1] += 1
        assert max(counts) < 8


def test_small_ones_between_larger_ones_go_with_them() -> None:
    sizes = [100 * MB, MB] * 8
    assert due(sizes, [0] * 16) == (0, 16)
    assert due([600 * MB] * 20, [0] * 20) is None
    assert due([600 * MB] * 2, [0.4, 0.6]) == (1, 2)
    assert [level(8 * MB), level(8 * MB + 1), level(1 << 50)] == [0, 1, 3]


def canonical(tokens: Ragged, words: Ragged) -> tuple[Ragged, Ragged]:
    """The same rows of token ids over their canonical vocabulary."""
    used = used_words([tokens.values], len(words))
    merged_words, (ids,) = merged([words], [used], AT_ONCE)
    return Ragged(ids[tokens.values], tokens.offsets), merged_words


WORDS = st.text("ab\x00ü中", min_size=1, max_size=3).map(str.encode)
TEXTS = st.lists(st.lists(WORDS | st.just(b""), max_size=6), max_size=4)


def _rows(texts: Sequence[Sequence[bytes]]) -> tuple[Ragged, Ragged]:
    """Tokens and words in the order in which they come, each word once."""
    words = list(dict.fromkeys(word for text in texts for word in text if word))
    ids = {b"": 0} | {word: number for number, word in enumerate(words, 1)}
    return Ragged.of([[ids[word] for word in text] for text in texts], "uint32"), words_in(words)


def _texts(tokens: Ragged, words: Ragged) -> list[list[bytes]]:
    known = [b"", *map(bytes, words)]
    return [[known[token] for token in row] for row in tokens]


@BRISK
@given(TEXTS, st.lists(WORDS, max_size=3))
def test_canonical_rows_say_the_same(texts: list[list[bytes]], more: list[bytes]) -> None:
    tokens, words = _rows(texts)
    with_more = words_in([*map(bytes, words), *more])
    new, new_words = canonical(tokens, with_more)
    assert _texts(new, new_words) == texts
    assert [*map(bytes, new_words)] == sorted({word for text in texts for word in text} - {b""})
    assert new.values.dtype == np.uint32


@BRISK
@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from([1, 2, 5, 1 << 16]), st.data())
def test_merged_words_are_the_sorted_union(
    blocks: list[list[list[bytes]]], step: int, data: st.DataObject
) -> None:
    result = [canonical(*_rows(texts)) for texts in blocks]
    kept = [
        data.draw(st.lists(st.sampled_from(texts)) if texts else st.just([])) for texts in blocks
    ]
    used = []
    for (_, words), texts in zip(result, kept, strict=True):
        output = {word for text in texts for word in text}
        used.append(np.array([bytes(word) in output for word in words], bool))
    words, maps = merged([words for _, words in result], used, step)
    plain = sorted({word for texts in kept for text in texts for word in text} - {b""})
    assert [*map(bytes, words)] == plain
    known = [b"", *plain]
    for (_, old), chosen, ids in zip(result, used, maps, strict=True):
        assert ids[0] == 0
        for place, word in enumerate(map(bytes, old)):
            assert known[ids[place + 1]] == (word if chosen[place] else b"")


def test_a_token_without_a_word_is_refused() -> None:
    with pytest.raises(ValueError, match="token 3 is not in a vocabulary of 2 words"):
        canonical(Ragged.of([[1, 3]], "uint32"), words_in([b"a", b"b"]))
    assert used_words([np.array([2, 0])], 2).tolist() == [False, True]
