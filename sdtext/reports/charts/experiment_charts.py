"""Charts of an experiment as SVG: precision by recall, and a grid of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sdtext.reports.charts.score_charts import LEVELS, level_of
from sdtext.reports.charts.svg_elements import chart, element, number

Points = Sequence[tuple[float, float]]
"""Recall and precision, 0 to 1, in the order of the cut."""

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 360.0, 220.0, 40.0, 34.0, 8.0
_BIN = 5  # scores in a bar
_SIDE, _GRID_LEFT, _GRID_BOTTOM = 20.0, 44.0, 34.0
_LEAST = 210.0  # width, for the words below the grid
_LABELLED = 12  # values of an axis, up to which each has a label


def draw_precision_recall(
    whole: Points, folds: Sequence[Points], band: Sequence[tuple[float, float, float]] = ()
) -> Markup:
    """The curve of all folds, as thin lines those of single folds, and behind them a band.

    The band is given by recalls, each with the least and the greatest precision.
    """
    lines = [element("path", d=_path(points), class_="fold") for points in folds]
    if band:
        lower = [(recall, low) for recall, low, _ in band]
        upper = [(recall, high) for recall, _, high in reversed(band)]
        lines.insert(0, element("path", d=_path([*lower, *upper]) + "Z", class_="band"))
    lines.append(element("path", d=_path(whole), class_="curve"))
    words = _axes("recall, %", "precision, %")
    return chart("precision-recall", "Precision by recall", (_WIDTH, _HEIGHT), *words, *lines)


def draw_two_histograms(related: Sequence[int], unrelated: Sequence[int], cut: int) -> Markup:
    """The shares of related and unrelated pairs by score, and a line at the cut.

    Each side has the number of its pairs for every score from 0 to 99.
    """
    bars = [
        bar
        for name, counts in (("related", related), ("unrelated", unrelated))
        for bar in _bars(name, counts)
    ]
    x, _ = _at(cut / 100, 0)
    line = element("line", x1=x, x2=x, y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="at-cut")
    words = _axes("score", "share of pairs, %")
    title = f"Scores of related and of unrelated pairs, with the cut at {cut}"
    return chart("two-histograms", title, (_WIDTH, _HEIGHT), *words, *bars, line)


def _bars(name: str, counts: Sequence[int]) -> list[Markup]:
    total = max(1, sum(counts))
    bars = []
    for start in range(0, len(counts), _BIN):
        share = sum(counts[start : start + _BIN]) / total
        left, top = _at(start / 100, share)
        tip = f"{100 * share:.3g} % of the {name} pairs score {start} to {start + _BIN - 1}"
        width = _at(_BIN / 100, 0)[0] - _LEFT
        shape = element(
            "rect",
            x=left + (0.5 if name == "related" else width / 2),
            y=top,
            width=width / 2 - 0.5,
            height=_HEIGHT - _BOTTOM - top,
            class_=name,
        )
        bars.append(element("g", element("title", tip), shape))
    return bars


def _at(across: float, upwards: float) -> tuple[float, float]:
    """The place of two shares."""
    width, height = _WIDTH - _LEFT - 8, _HEIGHT - _BOTTOM - _TOP
    return _LEFT + across * width, _TOP + (1 - upwards) * height


def _path(points: Points) -> str:
    places = (_at(*point) for point in points)
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in places)


def _axes(across: str, upwards: str) -> list[Markup]:
    """Lines at every quarter with their labels, and the words of both axes."""
    drawn = []
    for quarter in range(5):
        share = quarter / 4
        x, y = _at(share, share)
        label = f"{100 * share:g}"
        drawn += [
            element("line", x1=_LEFT, x2=_WIDTH - 8, y1=y, y2=y, class_="grid"),
            element("text", label, x=_LEFT - 6, y=y + 3, text_anchor="end"),
            element("text", label, x=x, y=_HEIGHT - _BOTTOM + 12, text_anchor="middle"),
        ]
    words = f"{across} →, {upwards} ↑"
    return [*drawn, element("text", words, x=_LEFT, y=_HEIGHT - 6)]


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
    size = max(_GRID_LEFT + _SIDE * len(lows) + 8, _LEAST), height + _GRID_BOTTOM
    drawn = []
    for square in squares:
        is_chosen = (square.across, square.upwards) == chosen
        rectangle = element(
            "rect",
            x=_GRID_LEFT + _SIDE * lows.index(square.across) + 1,
            y=_SIDE * highs.index(square.upwards) + 1,
            width=_SIDE - 2,
            height=_SIDE - 2,
            class_=f"h{level_of(min(99, int(100 * square.share)))}{' chosen' * is_chosen}",
        )
        drawn.append(element("g", element("title", square.tip), rectangle))
    across = [
        element("text", f"{low:g}", x=_GRID_LEFT + _SIDE * (place + 0.5), y=height + 14,
                text_anchor="middle")
        for place, low in _labelled(lows)
    ]  # fmt: skip
    upwards = [
        element(
            "text", f"{high:g}", x=_GRID_LEFT - 6, y=_SIDE * (place + 0.5) + 4, text_anchor="end"
        )
        for place, high in _labelled(highs)
    ]
    words = [element("text", f"{axes[0]} →, {axes[1]} ↑", x=_GRID_LEFT, y=height + 29)]
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


def _labelled(values: Sequence[float]) -> list[tuple[int, float]]:
    """The values that have a label, with their places: every second one of many."""
    step = 1 + (len(values) - 1) // _LABELLED
    return list(enumerate(values))[::step]
