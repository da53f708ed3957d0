"""Charts of scores as SVG: a heat map of a matrix, and a histogram."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log10

import numpy as np
from markupsafe import Markup

from sdtext.reports.charts.svg_elements import (
    chart,
    element,
    labels_of,
    number,
    short_number,
    width_of,
)
from sdtext.wording import counted

MOST_DOCUMENTS = 300
"""A matrix of more rows or columns is not drawn."""

LEVELS = 8
_LABELLED = 64  # rows, up to which each has its name
_CELL, _LARGEST = 900.0, 26.0  # room for all cells, side of a cell at the most
_LABEL, _LETTER = 26, 6.8  # letters of a name at the most, width of a letter

Cell = tuple[int, int, int]
"""Row, column and score."""
_BINS, _STEP = 20, 5
_LEFT, _TOP, _BOTTOM = 44.0, 20.0, 26.0
_WIDTH, _HEIGHT = 640.0, 200.0
_MOST_LINES = 5
_FAR = 60  # the cut from which on its label is on the left
_LOGARITHMIC_FROM = 50  # times the median of the bins that are not empty


@dataclass(frozen=True)
class HeatMap:
    """The scores of documents in rows with those in columns.

    In a `symmetric` matrix rows and columns are the same documents; each pair is given once and
    drawn twice. `numbers` are those of the documents in the page, of rows and of columns.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Cell]
    symmetric: bool = False
    numbers: tuple[Sequence[int], Sequence[int]] = ((), ())

    @property
    def side(self) -> float:
        """The side of a cell."""
        return min(_LARGEST, _CELL / max(len(self.rows), len(self.columns), 1))

    @property
    def is_labelled(self) -> bool:
        """Whether rows have their names beside them."""
        return len(self.rows) <= _LABELLED

    @property
    def left(self) -> float:
        """Where the cells begin."""
        if not self.is_labelled:
            return 0.0
        return 16 + _LETTER * max(map(width_of, labels_of(self.rows, _LABEL)))

    def drawn(self) -> Markup:
        """The matrix as SVG in a box. Scripts find rows and columns by its data attributes."""
        side, left = self.side, self.left
        size = left + side * len(self.columns), side * len(self.rows)
        background = element(
            "rect", x=left, y=0, width=size[0] - left, height=size[1], class_="empty"
        )
        paths = [
            element("path", d=self._path(level), class_=f"h{level}") for level in range(LEVELS)
        ]
        lines = [side * (row + 0.5) + 4 for row in range(len(self.rows) * self.is_labelled)]
        numbers = self.numbers[0] or range(1, len(self.rows) + 1)
        names = [
            element("text", label, x=left - 8, y=y, text_anchor="end", data_name=document)
            for y, label, document in zip(
                lines, labels_of(self.rows, _LABEL), numbers, strict=False
            )
        ]
        title = f"Scores of {len(self.rows):,} by {len(self.columns):,} documents"
        drawing = chart("heat-map", title, size, background, *paths, *names)
        places = {"data_left": left, "data_side": side}
        kind = "matrix labelled" if self.is_labelled else "matrix"
        return element("div", drawing, class_=kind, **places)

    def _path(self, level: int) -> str:
        """A square for each cell of that level."""
        left, size, side = self.left, self.side, number(self.side)
        moves = []
        for row, column, score in self.cells:
            if level_of(score) == level:
                mirrored = [(column, row)] if self.symmetric and row != column else []
                for y, x in [(row, column), *mirrored]:
                    start = f"M{number(left + x * size)} {number(y * size)}"
                    moves.append(f"{start}h{side}v{side}h-{side}z")
        return "".join(moves)


def level_of(score: int) -> int:
    """The level of colour of a score: 0 is that of a pair that is not listed.

    >>> level_of(0), level_of(1), level_of(50), level_of(99)
    (0, 1, 4, 7)
    """
    return 1 + score * (LEVELS - 1) // 100 if score else 0


def histogram_of(scores: Iterable[int]) -> list[int]:
    """The number of scores in each of 20 bins of five.

    >>> histogram_of([0, 4, 5, 99])[:2], histogram_of([99])[-1]
    ([2, 1], 1)
    """
    numbers = np.fromiter(scores, np.int64)
    return [int(count) for count in np.bincount(numbers // _STEP, minlength=_BINS)]


def draw_histogram(counts: Sequence[int], cut: int | None = None, label: str = "") -> Markup:
    """The histogram as SVG: bars of the bins, and a line at the cut with a label.

    Where one bin is far larger than the others, bars are logarithmic, and the axis says so.
    """
    scale = _Scale.of(counts)
    inner = _WIDTH - _LEFT
    slot = inner / _BINS
    bars = []
    for place, count in enumerate(counts):
        first = place * _STEP
        tip = f"{counted(count, 'pair')} with a score from {first} to {first + _STEP - 1}"
        height = scale.height(count)
        is_above = cut is None or first + _STEP > cut
        bars.append(
            element(
                "g",
                element("title", tip),
                element(
                    "rect",
                    x=_LEFT + place * slot + 1.5,
                    y=_floor() - height,
                    width=slot - 3,
                    height=height,
                    rx=1.5,
                    class_="bar" if is_above else "bar below",
                ),
            )
        )
    title = "Number of pairs by their score"
    size = _WIDTH, _HEIGHT
    return chart("histogram", title, size, *scale.axis(), *bars, _line(cut, label), **scale.data)


def _floor() -> float:
    return _HEIGHT - _BOTTOM


class _Scale:
    """Heights of bars by counts, linear or logarithmic."""

    def __init__(self, largest: int, *, logarithmic: bool) -> None:
        self.largest = max(1, largest)
        self.logarithmic = logarithmic

    @classmethod
    def of(cls, counts: Sequence[int]) -> _Scale:
        """The scale for these counts."""
        filled = sorted(count for count in counts if count)
        largest = filled[-1] if filled else 1
        median = filled[len(filled) // 2] if filled else 1
        return cls(largest, logarithmic=largest > _LOGARITHMIC_FROM * median)

    def height(self, count: int) -> float:
        """The height of the bar of a count; a single pair stays visible."""
        if not count:
            return 0.0
        room = _floor() - _TOP
        share = count / self.largest
        if self.logarithmic:
            share = log10(1 + count) / log10(1 + self.largest)
        return max(2.0, room * share)

    @property
    def data(self) -> dict[str, int | float | str]:
        """What a script needs to draw bars and the cut elsewhere."""
        kind = {"data_logarithmic": "yes"} if self.logarithmic else {}
        room = {"data_base": _floor(), "data_room": _floor() - _TOP, "data_largest": self.largest}
        return {"data_left": _LEFT, "data_width": _WIDTH - _LEFT, **room, **kind}

    def axis(self) -> list[Markup]:
        """The base line, numbers below it, and lines at round counts."""
        slot = (_WIDTH - _LEFT) / _BINS
        parts = []
        for count in self._ticks():
            y = _floor() - self.height(count)
            parts += [
                element("line", x1=_LEFT, x2=_WIDTH, y1=y, y2=y, class_="grid"),
                element("text", short_number(count), x=_LEFT - 6, y=y + 3.5, text_anchor="end"),
            ]
        parts += [
            element(
                "text",
                str(place * _STEP),
                x=_LEFT + place * slot,
                y=_floor() + 15,
                text_anchor="middle" if place else "start",
            )
            for place in range(0, _BINS + 1, 4)
            if place < _BINS
        ]
        parts.append(element("text", "99", x=_WIDTH - 2, y=_floor() + 15, text_anchor="end"))
        if self.logarithmic:
            parts.append(element("text", "logarithmic", x=_LEFT, y=9.0))
        parts.append(element("line", x1=_LEFT, x2=_WIDTH, y1=_floor(), y2=_floor(), class_="base"))
        return parts

    def _ticks(self) -> list[int]:
        if self.logarithmic:
            return [10**power for power in range(10) if 10**power <= self.largest]
        steps = (first * 10**power for power in range(10) for first in (1, 2, 5))
        step = next(step for step in steps if self.largest / step <= _MOST_LINES)
        return list(range(step, self.largest + 1, step))


def _line(cut: int | None, label: str) -> Markup:
    """The line at the cut, with its label; hidden if there is none, for scripts that move it."""
    at = _LEFT + (cut or 0) / 100 * (_WIDTH - _LEFT)
    return element(
        "g",
        element("line", x1=0, x2=0, y1=_TOP - 8, y2=_floor()),
        element("text", label if cut else "", x=5, y=_TOP - 2),
        class_="cut far" if (cut or 0) > _FAR else "cut",
        transform=f"translate({number(at)} 0)",
        visibility="visible" if cut else "hidden",
    )
