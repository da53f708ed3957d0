"""Clusters are the connected components of links."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.deduplication.choose_documents import clusters
from sdtext.search.results import Links
from tests.support.components import components

Edge = tuple[int, int, float]
edges_ = st.lists(
    st.tuples(st.integers(0, 30), st.integers(31, 60), st.sampled_from([0.5, 0.8, 0.9, 1.0]))
    | st.tuples(st.integers(0, 9), st.integers(10, 14), st.sampled_from([0.5, 0.75, 1.0]))
)


def linked(edges: list[Edge]) -> Links:
    left, right, similarity = (np.array([edge[part] for edge in edges]) for part in range(3))
    score = np.zeros(len(edges), np.int64)
    return Links(left.astype(np.int64), right.astype(np.int64), score, similarity.astype(float))


@given(edges=edges_)
def test_clusters_are_connected_components(edges: list[Edge]) -> None:
    result = clusters(linked(edges))
    assert [set(item.members) for item in result] == sorted(
        components((left, right) for left, right, _ in edges), key=min
    )
    for item in result:
        assert list(item.members) == sorted(item.members)
        inside = [similarity for left, _, similarity in edges if left in item.members]
        assert item.weakest == min(inside)
        assert abs(item.mean - sum(inside) / len(inside)) < 1e-12


def test_a_long_chain_is_one_cluster() -> None:
    order = np.random.default_rng(3).permutation(20_000).tolist()
    edges = [(item, other, 0.9) for item, other in pairwise(order)]
    assert [len(item.members) for item in clusters(linked(edges))] == [20_000]
