"""Buckets give each pair once; parts of large ones, and the pairs that hold them together."""

from itertools import combinations, groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.arrays.connected_components import connected
from sdtext.search.candidates import buckets
from sdtext.search.candidates.buckets import PAIRWISE, all_pairs, runs, spanning, split
from tests.support.strategies import BRISK


@BRISK
@given(keys=st.lists(st.integers(0, 6)), chunk=st.sampled_from([1, 1 << 18]))
def test_all_pairs_of_equal_keys_are_given(keys: list[int], chunk: int) -> None:
    keys.sort()
    rows = np.arange(100, 100 + len(keys))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "_CHUNK", chunk)
        output = list(all_pairs(rows, *runs(np.array(keys, np.uint64))))
    result = [pair for sides in output for pair in zip(*map(np.ndarray.tolist, sides), strict=True)]
    groups = (list(group) for _, group in groupby(rows.tolist(), lambda row: keys[row - 100]))
    assert sorted(result) == [pair for group in groups for pair in combinations(group, 2)]


def test_split_parts_cover_the_bucket_and_share_rows() -> None:
    for number, most in ((64, 64), (1000, 1000), (1000, 300), (900, 7)):
        parts = [part.tolist() for part in split(np.arange(number), most)]
        assert {row for part in parts for row in part} == set(range(number))
        assert all(len(part) == len(set(part)) <= most for part in parts)
        assert set.intersection(*map(set, parts)) >= set(range(min(PAIRWISE, most // 4)))


pairs_ = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), unique=True)


@BRISK
@given(pairs=pairs_, two_sided=st.booleans())
def test_spanning_pairs_keep_the_connected_components(
    pairs: list[tuple[int, int]], *, two_sided: bool
) -> None:
    if two_sided:
        pairs = [(first, other + 13) for first, other in pairs]
    else:
        pairs = [pair for pair in pairs if pair[0] < pair[1]]
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T
    kept = spanning(left, right)
    whole, some = (connected(26, left[to], right[to]).tolist() for to in (slice(None), kept))
    assert some == whole
    assert len(kept) <= len(pairs)


def test_spanning_pairs_are_few() -> None:
    left, right = np.triu_indices(500, 1)
    assert len(spanning(left, right)) < 2 * 500
