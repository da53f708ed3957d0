"""Clusters of documents: the connected components of links."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from sdtext.kernels.arrays.connected_components import connected
from sdtext.search.results import Links


@dataclass(frozen=True)
class Cluster:
    """The documents of a connected component, by their numbers in order.

    It has so many `links`; `weakest` and `mean` are of their similarities.
    """

    members: tuple[int, ...]
    weakest: float
    mean: float
    links: int


def clusters(pairs: Links) -> list[Cluster]:
    """The clusters of linked documents, in the order of their first members.

    >>> from numpy import array
    >>> from sdtext.search.results import Links
    >>> score = array([90, 80])
    >>> both = clusters(Links(array([3, 3]), array([9, 5]), score, score / 100))
    >>> both[0].members, both[0].weakest, round(both[0].mean, 2), both[0].links
    ((3, 5, 9), 0.8, 0.85, 2)
    """
    ids, places = np.unique(np.concatenate([pairs.left, pairs.right]), return_inverse=True)
    left, right = places[: len(pairs)], places[len(pairs) :]
    labels = connected(len(ids), left, right)
    number = np.cumsum(labels == np.arange(len(ids))) - 1
    groups, owners = number[labels], number[labels[left]]
    total = int(number[-1]) + 1 if len(ids) else 0
    weakest = np.ones(total)
    np.minimum.at(weakest, owners, pairs.similarity)
    counts = np.bincount(owners, minlength=total)
    means = np.bincount(owners, pairs.similarity, minlength=total) / np.maximum(counts, 1)
    ordered = iter(ids[np.argsort(groups, kind="stable")].tolist())
    lengths = np.bincount(groups, minlength=total).tolist()
    members = [tuple(islice(ordered, length)) for length in lengths]
    columns = (members, weakest.tolist(), means.tolist(), counts.tolist())
    return [Cluster(*row) for row in zip(*columns, strict=True)]
