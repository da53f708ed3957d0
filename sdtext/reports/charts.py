"""Charts: the bins of a histogram, the squares of a matrix, clusters as graphs."""

from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from heapq import nlargest
from math import cos, degrees, log10, pi, sin
from typing import Any, NamedTuple

import numpy as np
from rich.cells import cell_len, set_cell_size

from sdtext.kernels.arrays.connected_components import connected
from sdtext.reports.readable_values import distinct_names

MOST_DOCUMENTS = 300
"""A matrix of more rows or columns is not drawn."""

LEVELS = 8
_LABELLED = 64  # rows, up to which each has its name
_CELL, _LARGEST = 900.0, 26.0  # room for all cells, side of a cell at the most
_LABEL, _LETTER = 26, 6.8  # letters of a name at the most, width of a letter
_BINS, _STEP = 20, 5
_ROOM = 154.0  # height of the largest bar
_MOST_LINES = 5
_LOGARITHMIC_FROM = 50  # times the median of the bins that are not empty

MOST_DRAWN = 400
"""Documents that are drawn, of the largest clusters."""

_WIDTH = 900.0
_SPACING = 26.0  # between two documents
_MOST_NAMED = 60  # documents of a cluster, up to which each has its name
_MOST_LINKS = 600  # of a cluster, the strongest
_NODE, _NODE_LETTER = 22, 6.4  # letters of a name at the most, width of a letter


def heat_map(names: Sequence[str], columns: int) -> dict[str, Any]:
    """The layout of a matrix of the documents in rows by columns; scripts draw its squares."""
    labels = labels_of(names, _LABEL) if len(names) <= _LABELLED else []
    return {
        "rows": len(names),
        "columns": columns,
        "side": min(_LARGEST, _CELL / max(len(names), columns)),
        "left": 16 + _LETTER * max(map(cell_len, labels)) if labels else 0.0,
        "labels": labels,
        "levels": LEVELS,
    }


def level_of(score: int) -> int:
    """The level of colour of a score: 0 is that of a pair that is not listed.

    >>> level_of(0), level_of(1), level_of(50), level_of(99)
    (0, 1, 4, 7)
    """
    return 1 + score * (LEVELS - 1) // 100 if score else 0


def histogram_of(scores: Sequence[int]) -> dict[str, Any]:
    """The number of scores in each of 20 bins of five, with the heights of bars and of lines.

    Where one bin is far larger than the others, heights are `logarithmic`.

    >>> [count for count, height in histogram_of([0, 4, 5, 99])["bars"]][:3]
    [2, 1, 0]
    """
    counts = np.bincount(np.array(scores, np.int64) // _STEP, minlength=_BINS).tolist()
    filled = sorted(filter(None, counts)) or [1]
    largest = filled[-1]
    logarithmic = largest > _LOGARITHMIC_FROM * filled[len(filled) // 2]

    def height(count: int) -> float:
        """The height of a bar; a single pair stays visible."""
        share = log10(1 + count) / log10(1 + largest) if logarithmic else count / largest
        return max(2.0, _ROOM * share) if count else 0.0

    if logarithmic:
        ticks = [10**power for power in range(10) if 10**power <= largest]
    else:
        steps = (first * 10**power for power in range(10) for first in (1, 2, 5))
        step = next(step for step in steps if largest / step <= _MOST_LINES)
        ticks = [*range(step, largest + 1, step)]
    return {
        "bars": [(count, height(count)) for count in counts],
        "ticks": [(short_number(count), height(count)) for count in ticks],
        "logarithmic": logarithmic,
        "largest": largest,
        "room": _ROOM,
    }


def short(value: float | str) -> str:
    """A number with two digits at most behind the point; a text as it is.

    >>> short(1.0), short(2.345), short("1em")
    ('1', '2.35', '1em')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def short_number(count: int) -> str:
    """A count in few characters.

    >>> [short_number(count) for count in (999, 1500, 20_000, 3_000_000)]
    ['999', '1.5k', '20k', '3M']
    """
    for unit, sign in ((1_000_000, "M"), (1000, "k")):
        if count >= unit:
            return f"{count / unit:.3g}{sign}"
    return str(count)


def labels_of(names: Sequence[str], width: int) -> list[str]:
    """Names of files as labels: distinct, and without their middle if they are wider.

    >>> labels_of(["letters/a.txt", "a-long-name-of-a-file.txt", "关于联邦的论文.txt"], 12)
    ['a.txt', 'a-long…e.txt', '关于联….txt']
    """
    labels = []
    for name in distinct_names(names):
        start = set_cell_size(name, width - width // 2).rstrip()
        end = set_cell_size(name[::-1], width // 2 - 1).rstrip()[::-1]
        labels.append(name if cell_len(name) <= width else f"{start}…{end}")
    return labels


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
    labels = labels_of([names[member] for member in members], _NODE)
    label_of = dict(zip(members, labels, strict=True))
    clusters = []
    for group in drawn:
        number = len(group.members)
        is_named = number <= _MOST_NAMED
        longest = max(cell_len(label_of[member]) for member in group.members)
        margin = longest * _NODE_LETTER + 16 if is_named else 12.0
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
