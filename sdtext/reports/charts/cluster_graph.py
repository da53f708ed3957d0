"""Clusters of similar documents as graphs: a circle for each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from heapq import nlargest
from math import cos, degrees, pi, sin
from typing import Any, NamedTuple

import numpy as np
from rich.cells import cell_len

from sdtext.kernels.arrays.connected_components import connected
from sdtext.reports.charts.score_charts import labels_of

MOST_DRAWN = 400
"""Documents that are drawn, of the largest clusters."""

_WIDTH = 900.0
_SPACING = 26.0  # between two documents
_MOST_NAMED = 60  # documents of a cluster, up to which each has its name
_MOST_LINKS = 600  # of a cluster, the strongest
_LABEL, _LETTER = 22, 6.4  # letters of a name at the most, width of a letter

Link = tuple[int, int, int]
"""Two places and a score."""


class LinkedGroup(NamedTuple):
    """Documents that links connect, those with the largest sums of scores first, and the links."""

    members: tuple[int, ...]
    links: tuple[Link, ...]


def groups_of(links: Sequence[Link]) -> list[LinkedGroup]:
    """The connected components of links (place, place, score), the largest first.

    >>> [group.members for group in groups_of([(1, 2, 50), (7, 2, 60), (3, 4, 99)])]
    [(2, 7, 1), (3, 4)]
    """
    if not links:
        return []
    sides = np.array([link[:2] for link in links])
    places, ends = np.unique(sides, return_inverse=True)
    labels = connected(len(places), *ends.reshape(sides.shape).T)
    label_of = dict(zip(places.tolist(), labels.tolist(), strict=True))
    weights = defaultdict[int, Counter[int]](Counter)
    inside = defaultdict[int, list[Link]](list)
    for left, right, score in links:
        label = label_of[left]
        inside[label].append((left, right, score))
        weights[label].update({left: score, right: score})
    groups = [
        LinkedGroup(tuple(sorted(own, key=lambda p: (-own[p], p))), tuple(inside[label]))
        for label, own in weights.items()
    ]
    return sorted(groups, key=lambda group: (-len(group.members), min(group.members)))


def cluster_graph(
    groups: Sequence[LinkedGroup], names: Sequence[str], marked: Container[int]
) -> list[dict[str, Any]]:
    """A picture for each cluster that there is room for; `marked` documents are squares.

    A link is two points, a score and two places; a node is a point, the angle of its label, which
    points outwards, its place, its name, whether it is marked, its label.
    """
    drawn, members = [], list[int]()
    for group in groups:
        if len(members) + len(group.members) <= MOST_DRAWN:
            members += group.members
            drawn.append(group)
    labels = labels_of([names[member] for member in members], _LABEL)
    label_of = dict(zip(members, labels, strict=True))
    clusters = []
    for group in drawn:
        number = len(group.members)
        is_named = number <= _MOST_NAMED
        longest = max(cell_len(label_of[member]) for member in group.members)
        margin = longest * _LETTER + 16 if is_named else 12.0
        radius = min(_SPACING * max(1 / 1.6, number / (2 * pi)), _WIDTH / 2 - margin)
        centre = radius + margin
        middle = 20.0 if number == 2 else centre
        points, nodes = {}, []
        for n, member in enumerate(group.members):
            angle = 2 * pi * (n + 0.5) / number
            point = points[member] = centre + radius * sin(angle), middle - radius * cos(angle)
            name = names[member], member in marked, label_of[member]
            nodes.append((point, degrees(angle) - 90, member, *name))
        links = [
            (points[left], points[right], score, left, right)
            for left, right, score in nlargest(_MOST_LINKS, group.links, key=lambda link: link[2])
        ]
        size = {"width": 2 * centre, "height": 2 * middle, "is_named": is_named}
        clusters.append({**size, "links": links, "nodes": nodes})
    return clusters
