"""Precision by recall as SVG, and the shares of related and unrelated pairs by score."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sdtext.reports.charts.svg_elements import chart, element, number

Points = Sequence[tuple[float, float]]
"""Recall and precision, 0 to 1, in the order of the cut."""

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 360.0, 220.0, 40.0, 34.0, 8.0
_BIN = 5  # scores in a bar


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
