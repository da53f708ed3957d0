"""Clusters of similar documents as a graph: each cluster laid out by itself, then packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import ceil, cos, pi, sin, sqrt

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from sdtext.reports.charts.score_charts import level_of
from sdtext.reports.charts.svg_elements import chart, element, labels_of, width_of
from sdtext.search.clusters import connected
from sdtext.wording import counted

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


@dataclass(frozen=True)
class LinkedGroup:
    """Documents that links connect, by their places; `links` are pairs of these with a score."""

    members: tuple[int, ...]
    links: tuple[Link, ...]

    @property
    def weakest(self) -> int:
        """The lowest score of a link."""
        return min(score for *_, score in self.links)

    @property
    def strongest(self) -> int:
        """The highest score of a link."""
        return max(score for *_, score in self.links)


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


def draw_clusters(
    groups: Sequence[LinkedGroup],
    names: Sequence[str],
    marked: frozenset[int] = frozenset(),
    numbers: Mapping[int, int] | None = None,
) -> Markup:
    """The clusters as SVG, the largest first; `marked` documents, such as queries, are squares.

    At most `MOST_DRAWN` documents are drawn. Scripts find documents by their `numbers` in the page,
    by default from 1 on.
    """
    drawn = drawn_groups(groups)
    members = [member for group in drawn for member in group.members]
    labels = zip(members, labels_of([names[member] for member in members], _LABEL), strict=True)
    documents = _Documents(names, dict(labels), marked, numbers or {})
    layouts = [_layout(group, documents.labels) for group in drawn]
    corners, size = _corners(layout.size for layout in layouts)
    parts = []
    for number, (group, layout, (x, y)) in enumerate(zip(drawn, layouts, corners, strict=True), 1):
        drawing = _drawing(group, layout, documents)
        tip = element("title", f"Cluster {number}: {counted(len(group.members), 'document')}")
        parts.append(element("g", tip, *drawing, transform=f"translate({x:.1f} {y:.1f})"))
    return chart("clusters", "Clusters of similar documents", size, *parts)


def drawn_groups(groups: Sequence[LinkedGroup]) -> list[LinkedGroup]:
    """The clusters that there is room for."""
    chosen, total = [], 0
    for group in groups:
        if total + len(group.members) <= MOST_DRAWN:
            total += len(group.members)
            chosen.append(group)
    return chosen


@dataclass(frozen=True)
class _Documents:
    """Names and labels of documents, which are marked, and their numbers in the page."""

    names: Sequence[str]
    labels: Mapping[int, str]
    marked: frozenset[int]
    numbers: Mapping[int, int]

    def number(self, member: int) -> int:
        """The number of a document."""
        return self.numbers.get(member, member + 1)


@dataclass(frozen=True)
class _Layout:
    """Points of the members of a cluster, and the room that they need."""

    points: Mapping[int, tuple[float, float]]
    size: tuple[float, float]

    @property
    def is_circle(self) -> bool:
        """Whether there are few, on a circle."""
        return len(self.points) <= _NAMED

    @property
    def is_named(self) -> bool:
        """Whether they have names, as far as there is room."""
        return len(self.points) <= _MOST_NAMED


def _layout(group: LinkedGroup, labels: Mapping[int, str]) -> _Layout:
    """The members in the plane: few on a circle, many so that linked ones are near each other."""
    number = len(group.members)
    is_named = number <= _MOST_NAMED
    spacing = _SPACING * (1 if is_named else 0.75)
    points = _circle(number, spacing)
    if number > _NAMED:
        index = {member: place for place, member in enumerate(group.members)}
        pairs = np.array([(index[left], index[right]) for left, right, _ in group.links])
        points = _force_directed(points, pairs, spacing)
    longest = max(width_of(labels[member]) for member in group.members)
    margin = np.array([longest * _LETTER + 16, 20.0] if is_named else [12.0, 12.0])
    points = points - points.min(axis=0) + margin
    width, height = (points.max(axis=0) + margin).tolist()
    scale = min(1.0, _WIDTH / width)
    places = {
        member: (x * scale, y * scale)
        for member, (x, y) in zip(group.members, points.tolist(), strict=True)
    }
    return _Layout(places, (width * scale, height * scale))


def _circle(number: int, spacing: float) -> Points:
    """Points on a circle, or on a line if there are two."""
    if number == 2:
        return np.array([[0.0, 0.0], [1.5 * spacing, 0.0]])
    radius = max(spacing / 1.6, spacing * number / (2 * pi))
    angles = [2 * pi * place / number - pi / 2 for place in range(number)]
    return np.array([[radius * cos(angle), radius * sin(angle)] for angle in angles])


def _force_directed(points: Points, pairs: NDArray[np.int64], spacing: float) -> Points:
    """The layout of Fruchterman and Reingold (1991), started from `points`, with fixed rounds.

    Points repel one another by spacing² / distance; links attract by distance² / spacing. The
    largest step shrinks from round to round.
    """
    number = len(points)
    if number <= 2:
        return points
    room = spacing * sqrt(number)
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


def _corners(
    sizes: Iterable[tuple[float, float]],
) -> tuple[list[tuple[float, float]], tuple[float, float]]:
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


def _drawing(group: LinkedGroup, layout: _Layout, documents: _Documents) -> list[Markup]:
    """Links below documents, and names below these where there are few."""
    number = documents.number
    lines = [
        element(
            "line",
            x1=layout.points[left][0],
            y1=layout.points[left][1],
            x2=layout.points[right][0],
            y2=layout.points[right][1],
            class_=f"link h{max(2, level_of(score))}",
            stroke_width=1 + score / 30,
            data_link=f"{number(left) - 1} {number(right) - 1}",
        )
        for left, right, score in nlargest(_MOST_LINKS, group.links, key=lambda link: link[2])
    ]
    labels = _labels(layout, documents)
    nodes = (_node(member, layout, documents, labels.get(member)) for member in group.members)
    return [*lines, *nodes]


def _node(member: int, layout: _Layout, documents: _Documents, label: Markup | None) -> Markup:
    """A document, with its name if there is room."""
    x, y = layout.points[member]
    name, number = documents.names[member], documents.number(member)
    if member in documents.marked:
        shape = element("rect", x=x - 6, y=y - 6, width=12, height=12, class_="node marked")
    else:
        shape = element("circle", cx=x, cy=y, r=5.5 if layout.is_named else 4.5, class_="node")
    title = element("title", name, data_name=number)
    return element("g", title, shape, *filter(None, [label]), data_node=number)


_Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def _labels(layout: _Layout, documents: _Documents) -> dict[int, Markup]:
    """The labels of documents: of all on a circle, else of those for which there is room."""
    labels: dict[int, Markup] = {}
    occupied = [(x - 7, y - 7, x + 7, y + 7) for x, y in layout.points.values()]
    for member, point in layout.points.items() if layout.is_named else ():
        text = documents.labels[member]
        place: tuple[str, float, float] | None = None
        if layout.is_circle:
            place = _outside(point, layout.size)
        else:
            for rectangle, anchor, x, y in _beside(point, width_of(text) * _LETTER):
                inside = rectangle[0] >= 0 and rectangle[2] <= layout.size[0]
                if inside and not any(_overlap(rectangle, other) for other in occupied):
                    occupied.append(rectangle)
                    place = anchor, x, y
                    break
        if place:
            anchor, x, y = place
            labels[member] = element(
                "text", text, x=x, y=y, text_anchor=anchor, data_name=documents.number(member)
            )
    return labels


def _beside(
    point: tuple[float, float], width: float
) -> Iterator[tuple[_Rectangle, str, float, float]]:
    """Places for a label of a width beside a point: a rectangle, an anchor and the text's point."""
    x, y = point
    yield (x + 8, y - 8, x + 10 + width, y + 8), "start", x + 10, y + 4
    yield (x - 10 - width, y - 8, x - 8, y + 8), "end", x - 10, y + 4
    yield (x - width / 2, y - 24, x + width / 2, y - 8), "middle", x, y - 11
    yield (x - width / 2, y + 8, x + width / 2, y + 24), "middle", x, y + 19


def _overlap(one: _Rectangle, other: _Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _outside(point: tuple[float, float], size: tuple[float, float]) -> tuple[str, float, float]:
    """The anchor and the place of a label on the outer side of a point of a circle."""
    aside = point[0] - size[0] / 2
    if abs(aside) < 1:
        return "middle", point[0], point[1] + (19 if point[1] > size[1] / 2 else -11)
    return "start" if aside > 0 else "end", point[0] + (11 if aside > 0 else -11), point[1] + 4
