"""Documents that hang together by links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.search.links import Links


@dataclass(frozen=True)
class Cluster:
    """Documents each of which is linked with another of them, by their numbers in order.

    `weakest` and `mean` are of the similarities of the links among them, which are `links`.
    """

    members: tuple[int, ...]
    weakest: float
    mean: float
    links: int


def clusters(found: Links) -> list[Cluster]:
    """The clusters that links make, in the order of their first members.

    >>> from numpy import array
    >>> from sdtext.search.links import Links
    >>> score = array([90, 80])
    >>> made = clusters(Links(array([3, 3]), array([9, 5]), score, score / 100))
    >>> made[0].members, made[0].weakest, round(made[0].mean, 2), made[0].links
    ((3, 5, 9), 0.8, 0.85, 2)
    """
    ids, places = np.unique(np.concatenate([found.left, found.right]), return_inverse=True)
    left, right = places[: len(found)], places[len(found) :]
    labels = connected(len(ids), left, right)
    number = np.cumsum(labels == np.arange(len(ids))) - 1
    groups, owners = number[labels], number[labels[left]]
    total = int(number[-1]) + 1 if len(ids) else 0
    weakest = np.ones(total)
    np.minimum.at(weakest, owners, found.similarity)
    counts = np.bincount(owners, minlength=total)
    means = np.bincount(owners, found.similarity, minlength=total) / np.maximum(counts, 1)
    members = _split(ids[np.argsort(groups, kind="stable")], np.bincount(groups, minlength=total))
    columns = (members, weakest.tolist(), means.tolist(), counts.tolist())
    return [Cluster(*row) for row in zip(*columns, strict=True)]


def connected(number: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each of `number` places the least one it is connected with by the pairs given.

    Roots are hung below the least root next to them, and all paths made short, until nothing
    changes: a few rounds.

    >>> from numpy import array
    >>> connected(5, array([4, 1]), array([1, 3])).tolist()
    [0, 1, 2, 1, 1]
    """
    labels = np.arange(number)
    while True:
        ones, others = labels[left], labels[right]
        apart = ones != others
        if not apart.any():
            return labels
        left, right, ones, others = left[apart], right[apart], ones[apart], others[apart]
        np.minimum.at(labels, np.maximum(ones, others), np.minimum(ones, others))
        while (labels != labels[labels]).any():
            labels = labels[labels]


def _split(ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> Sequence[tuple[int, ...]]:
    """`ids` cut into rows of these lengths."""
    rest = iter(ids.tolist())
    return [tuple(next(rest) for _ in range(length)) for length in lengths.tolist()]
