"""Clusters of similar documents as a graph: a circle for each, side by side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from math import ceil, cos, degrees, pi, sin
from typing import Any, NamedTuple

import numpy as np
from rich.cells import cell_len

from sdtext.kernels.arrays.connected_components import connected
from sdtext.reports.charts.score_charts import labels_of, level_of

MOST_DRAWN = 400
"""Documents that are drawn, of the largest clusters."""

_WIDTH = 900.0
_GAP = 26.0
_SPACING = 26.0  # between two documents
_MOST_NAMED = 60  # documents of a cluster, up to which each has its name
_MOST_LINKS = 600  # of a cluster, the strongest
_LABEL, _LETTER = 22, 6.4  # letters of a name at the most, width of a letter

Link = tuple[int, int, int]
"""Two places and a score."""
Point = tuple[float, float]


class LinkedGroup(NamedTuple):
    """Documents that links connect, by their places, and the links.

    Those with the largest sums of scores come first.
    """

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


def drawn_groups(groups: Sequence[LinkedGroup]) -> list[LinkedGroup]:
    """The clusters that there is room for: those of `MOST_DRAWN` documents in all."""
    chosen, total = [], 0
    for group in groups:
        if total + len(group.members) <= MOST_DRAWN:
            total += len(group.members)
            chosen.append(group)
    return chosen


def cluster_graph(
    drawn: Sequence[LinkedGroup],
    names: Sequence[str],
    marked: frozenset[int],
    numbers: Mapping[int, int],
) -> dict[str, Any]:
    """Points and labels of documents and links; `marked` documents, such as queries, are squares.

    Scripts find documents by their `numbers` in the page.
    """
    members = [member for group in drawn for member in group.members]
    texts = labels_of([names[member] for member in members], _LABEL)
    text_of = dict(zip(members, texts, strict=True))
    clusters, sizes = [], []
    for group in drawn:
        is_named = len(group.members) <= _MOST_NAMED
        longest = max(cell_len(text_of[member]) for member in group.members)
        margin = longest * _LETTER + 16 if is_named else 12.0
        places, size = _circle(group.members, margin)
        strongest = nlargest(_MOST_LINKS, group.links, key=lambda link: link[2])
        sizes.append(size)
        clusters.append(
            {
                "is_named": is_named,
                "links": [
                    {
                        "start": places[left][:2],
                        "end": places[right][:2],
                        "score": score,
                        "level": max(2, level_of(score)),
                        "left": numbers[left] - 1,
                        "right": numbers[right] - 1,
                    }
                    for left, right, score in strongest
                ],
                "nodes": [
                    {
                        "point": places[member][:2],
                        "angle": places[member][2],
                        "number": numbers[member],
                        "name": names[member],
                        "marked": member in marked,
                        "text": text_of[member],
                    }
                    for member in group.members
                ],
            }
        )
    corners, (width, height) = _corners(sizes)
    placed = [
        {**cluster, "x": x, "y": y} for cluster, (x, y) in zip(clusters, corners, strict=True)
    ]
    return {"clusters": placed, "width": width, "height": height}


def _circle(
    members: Sequence[int], margin: float
) -> tuple[dict[int, tuple[float, float, float]], Point]:
    """The place of each member on a circle and its angle in degrees, and the room for all.

    Around the circle is a margin for labels, which point outwards.
    """
    number = len(members)
    radius = max(_SPACING / 1.6, _SPACING * number / (2 * pi))
    radius = min(radius, _WIDTH / 2 - margin)
    centre = radius + margin
    middle = 20.0 if number == 2 else centre
    angles = [2 * pi * (place + 0.5) / number for place in range(number)]
    places = {
        member: (centre + radius * sin(angle), middle - radius * cos(angle), degrees(angle) - 90)
        for member, angle in zip(members, angles, strict=True)
    }
    return places, (2 * centre, 2 * middle)


def _corners(sizes: Iterable[Point]) -> tuple[list[Point], Point]:
    """The corners of rectangles side by side in rows, in their order, and the size of all."""
    x = y = row = whole = 0.0
    corners = []
    for width, height in sizes:
        if x and x + width > _WIDTH:
            x, y, row = 0.0, float(ceil(y + row)) + _GAP, 0.0
        corners.append((x, y))
        whole, row = max(whole, x + width), max(row, height)
        x += width + _GAP
    return corners, (whole, float(ceil(y + row)))
