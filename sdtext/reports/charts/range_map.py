"""A grid of cells as SVG: a square for each pair of values, coloured by its share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sdtext.reports.charts.heat_map import LEVELS, level_of
from sdtext.reports.charts.svg_elements import chart, element

_SIDE, _LEFT, _BOTTOM = 20.0, 44.0, 34.0
_LEAST = 210.0  # width, for the words below the grid
_LABELLED = 12  # values of an axis, up to which each has a label


@dataclass(frozen=True)
class RangeSquare:
    """A cell by its two values, its place on the scale, 0 to 1, and what a pointer shows."""

    across: float
    upwards: float
    share: float
    tip: str


def draw_ranges(
    name: str,
    title: str,
    squares: Sequence[RangeSquare],
    chosen: tuple[float, float],
    axes: tuple[str, str] = ("minimum IDF", "maximum IDF"),
) -> Markup:
    """The squares at their values; the `chosen` one has a frame.

    `name` is a word that no other chart of the page has; `axes` name the values.
    """
    lows = sorted({square.across for square in squares})
    highs = sorted({square.upwards for square in squares}, reverse=True)
    height = _SIDE * len(highs)
    size = max(_LEFT + _SIDE * len(lows) + 8, _LEAST), height + _BOTTOM
    drawn = [_square(square, _place(lows, highs, square.across, square.upwards), chosen)
             for square in squares]  # fmt: skip
    across = [
        element("text", f"{low:g}", x=_LEFT + _SIDE * (place + 0.5), y=height + 14,
                text_anchor="middle")
        for place, low in _labelled(lows)
    ]  # fmt: skip
    upwards = [
        element("text", f"{high:g}", x=_LEFT - 6, y=_SIDE * (place + 0.5) + 4, text_anchor="end")
        for place, high in _labelled(highs)
    ]
    words = [element("text", f"{axes[0]} →, {axes[1]} ↑", x=_LEFT, y=height + 29)]
    return chart(name, title, size, *drawn, *across, *upwards, *words)


def draw_scale(name: str, least: str, greatest: str) -> Markup:
    """The colours from the least to the greatest share, with these two beside them."""
    title = f"Colours from {least} to {greatest}"
    colours = range(1, LEVELS)
    left, right = 7.0 * len(least) + 6, _SIDE * len(colours)
    squares = [
        element("rect", x=left + _SIDE * place, y=0, width=_SIDE - 2, height=_SIDE - 6,
                class_=f"h{level}")
        for place, level in enumerate(colours)
    ]  # fmt: skip
    words = [
        element("text", least, x=left - 6, y=11, text_anchor="end"),
        element("text", greatest, x=left + right + 4, y=11),
    ]
    size = left + right + 7.0 * len(greatest) + 10, _SIDE - 4
    return chart(name, title, size, *squares, *words)


def _place(
    lows: Sequence[float], highs: Sequence[float], low: float, high: float
) -> tuple[float, float]:
    return _LEFT + _SIDE * lows.index(low), _SIDE * highs.index(high)


def _square(square: RangeSquare, place: tuple[float, float], chosen: tuple[float, float]) -> Markup:
    is_chosen = (square.across, square.upwards) == chosen
    level = level_of(min(99, int(100 * square.share)))
    rectangle = element(
        "rect",
        x=place[0] + 1,
        y=place[1] + 1,
        width=_SIDE - 2,
        height=_SIDE - 2,
        class_=f"h{level} chosen" if is_chosen else f"h{level}",
    )
    return element("g", element("title", square.tip), rectangle)


def _labelled(values: Sequence[float]) -> list[tuple[int, float]]:
    """The values that have a label, with their places: every second one of many."""
    step = 1 + (len(values) - 1) // _LABELLED
    return list(enumerate(values))[::step]
