"""Clusters of similar documents as a graph: each cluster laid out by itself, then packed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import ceil, cos, pi, sin, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from sdtext.kernels.arrays.connected_components import connected
from sdtext.reports.charts.score_charts import labels_of, level_of

MOST_DRAWN = 400
"""Documents that are drawn, of the largest clusters."""

_WIDTH = 900.0
_GAP = 26.0
_SPACING = 52.0  # between two linked documents
_NAMED = 12  # documents of a cluster, up to which they stand on a circle, each with its name
_MOST_NAMED = 60  # documents of a cluster, up to which those have names that there is room for
_ROUNDS = 120
_MOST_LINKS = 600  # of a cluster, the strongest
_LABEL, _LETTER = 22, 6.4  # letters of a name at the most, width of a letter

Points = NDArray[np.float64]
Link = tuple[int, int, int]
"""Two places and a score."""
Point = tuple[float, float]
Label = tuple[str, float, float]
"""Anchor and place of a text."""


@dataclass(frozen=True)
class LinkedGroup:
    """Documents that links connect, by their places; `links` are pairs of these with a score."""

    members: tuple[int, ...]
    links: tuple[Link, ...]


def groups_of(links: Sequence[Link]) -> list[LinkedGroup]:
    """The connected components of links (place, place, score), the largest first.

    >>> [group.members for group in groups_of([(1, 2, 50), (7, 2, 60), (3, 4, 99)])]
    [(1, 2, 7), (3, 4)]
    """
    if not links:
        return []
    sides = np.array([link[:2] for link in links])
    places, ends = np.unique(sides, return_inverse=True)
    ends = ends.reshape(sides.shape)
    labels = connected(len(places), ends[:, 0], ends[:, 1])
    members: dict[int, list[int]] = {}
    for place, label in zip(places.tolist(), labels.tolist(), strict=True):
        members.setdefault(label, []).append(place)
    inside: dict[int, list[Link]] = {label: [] for label in members}
    for link, label in zip(links, labels[ends[:, 0]].tolist(), strict=True):
        inside[label].append(link)
    groups = [LinkedGroup(tuple(members[label]), tuple(inside[label])) for label in members]
    return sorted(groups, key=lambda group: (-len(group.members), group.members))


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
        points, size = _layout(group, text_of)
        labels = _labels(points, size, text_of)
        strongest = nlargest(_MOST_LINKS, group.links, key=lambda link: link[2])
        sizes.append(size)
        clusters.append(
            {
                "is_named": len(points) <= _MOST_NAMED,
                "links": [
                    {
                        "start": points[left],
                        "end": points[right],
                        "score": score,
                        "level": max(2, level_of(score)),
                        "left": numbers[left] - 1,
                        "right": numbers[right] - 1,
                    }
                    for left, right, score in strongest
                ],
                "nodes": [
                    {
                        "point": points[member],
                        "number": numbers[member],
                        "name": names[member],
                        "marked": member in marked,
                        "label": labels.get(member),
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


def _layout(group: LinkedGroup, labels: Mapping[int, str]) -> tuple[dict[int, Point], Point]:
    """The points of members, and the room that they need: few stand on a circle."""
    number = len(group.members)
    is_named = number <= _MOST_NAMED
    spacing = _SPACING * (1 if is_named else 0.75)
    if number == 2:
        points = np.array([[0.0, 0.0], [1.5 * spacing, 0.0]])
    else:
        radius = max(spacing / 1.6, spacing * number / (2 * pi))
        angles = [2 * pi * place / number - pi / 2 for place in range(number)]
        points = np.array([[radius * cos(angle), radius * sin(angle)] for angle in angles])
    if number > _NAMED:
        index = {member: place for place, member in enumerate(group.members)}
        pairs = np.array([(index[left], index[right]) for left, right, _ in group.links])
        points = _force_directed(points, pairs, spacing)
    longest = max(cell_len(labels[member]) for member in group.members)
    margin = np.array([longest * _LETTER + 16, 20.0] if is_named else [12.0, 12.0])
    points = points - points.min(axis=0) + margin
    width, height = (points.max(axis=0) + margin).tolist()
    scale = min(1.0, _WIDTH / width)
    places = {
        member: (x * scale, y * scale)
        for member, (x, y) in zip(group.members, points.tolist(), strict=True)
    }
    return places, (width * scale, height * scale)


def _force_directed(points: Points, pairs: NDArray[np.int64], spacing: float) -> Points:
    """The layout of Fruchterman and Reingold (1991), started from `points`, with fixed rounds.

    Points repel one another by spacing² / distance; links attract by distance² / spacing. The
    largest step shrinks from round to round.
    """
    room = spacing * sqrt(len(points))
    for step in np.linspace(room / 4, room / 400, _ROUNDS):
        apart = points[:, None] - points[None]
        distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 0.01)
        forces = (apart * (spacing**2 / distance**2)[..., None]).sum(axis=1)
        pull = points[pairs[:, 0]] - points[pairs[:, 1]]
        pull *= np.maximum(np.hypot(pull[:, 0], pull[:, 1]), 0.01)[:, None] / spacing
        np.add.at(forces, pairs[:, 0], -pull)
        np.add.at(forces, pairs[:, 1], pull)
        length = np.maximum(np.hypot(forces[:, 0], forces[:, 1]), 0.01)
        points = points + forces / length[:, None] * np.minimum(length, step)[:, None]
    return points


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


def _labels(points: Mapping[int, Point], size: Point, texts: Mapping[int, str]) -> dict[int, Label]:
    """The labels of documents: of all on a circle outside it, else of those that have room."""
    labels: dict[int, Label] = {}
    if len(points) <= _NAMED:
        for member, (x, y) in points.items():
            aside = x - size[0] / 2
            if abs(aside) < 1:
                labels[member] = "middle", x, y + (19 if y > size[1] / 2 else -11)
            else:
                labels[member] = ("start", x + 11, y + 4) if aside > 0 else ("end", x - 11, y + 4)
        return labels
    occupied = [(x - 7, y - 7, x + 7, y + 7) for x, y in points.values()]
    for member, (x, y) in points.items() if len(points) <= _MOST_NAMED else ():
        width = cell_len(texts[member]) * _LETTER
        beside: list[tuple[tuple[float, float, float, float], Label]] = [
            ((x + 8, y - 8, x + 10 + width, y + 8), ("start", x + 10, y + 4)),
            ((x - 10 - width, y - 8, x - 8, y + 8), ("end", x - 10, y + 4)),
            ((x - width / 2, y - 24, x + width / 2, y - 8), ("middle", x, y - 11)),
            ((x - width / 2, y + 8, x + width / 2, y + 24), ("middle", x, y + 19)),
        ]
        for (left, top, right, bottom), label in beside:
            is_free = not any(
                left < r and le < right and top < b and t < bottom for le, t, r, b in occupied
            )
            if left >= 0 and right <= size[0] and is_free:
                occupied.append((left, top, right, bottom))
                labels[member] = label
                break
    return labels
