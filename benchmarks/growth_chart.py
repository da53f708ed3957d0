"""A chart of how times grow with the number of vectors, from the table of `columns.py growth`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil, floor, log, log10

from sdtext.reports.charts import short_number

Curves = Mapping[str, Sequence[tuple[int, float]]]
"""For each threshold the numbers of vectors, with the time for each."""
COLOURS = ("#1f6feb", "#c2410c", "#6d28d9", "#0f766e")
PANEL, LEFT, TOP, GAP = 220.0, 56.0, 30.0, 90.0  # units of the drawing


def growth_chart(table: Sequence[Sequence[str]]) -> str:
    """Two panels with logarithmic axes: queries in milliseconds, all pairs in seconds."""
    panels: dict[str, dict[str, list[tuple[int, float]]]] = {"query": {}, "pairs": {}}
    for column, head in enumerate(table[0]):
        kind, _, least = head.partition(", ")
        if kind in panels:
            panels[kind][least] = [
                (int(row[0].replace(",", "")), float(re.sub("[^0-9.]", "", row[column])))
                for row in table[1:]
            ]
    width, height = LEFT + 2 * PANEL + GAP + 60, TOP + PANEL + 44
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="growth-title" '
        f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">'
        '<title id="growth-title">Times by the number of vectors, for several least cosines</title>'
        "<style>text{font:12px sans-serif;fill:#57606a}</style>"
        f"{_panel('a query, ms', panels['query'], LEFT)}"
        f"{_panel('all pairs, s', panels['pairs'], LEFT + PANEL + GAP)}</svg>\n"
    )


def _panel(title: str, curves: Curves, left: float) -> str:
    counts = [count for curve in curves.values() for count, _ in curve]
    times = [spent for curve in curves.values() for _, spent in curve]
    low, high = floor(log10(min(times))), ceil(log10(max(times)))

    def across(count: int) -> float:
        return left + PANEL * log(count / min(counts)) / log(max(counts) / min(counts))

    def down(spent: float) -> float:
        return TOP + PANEL * (high - log10(spent)) / (high - low)

    parts = [f'<text x="{left:g}" y="{TOP - 12:g}">{title}</text>']
    for power in range(low, high + 1):
        at = down(10.0**power)
        parts.append(
            f'<line x1="{left:g}" x2="{left + PANEL:g}" y1="{at:g}" y2="{at:g}" stroke="#d0d7de"/>'
            f'<text x="{left - 6:g}" y="{at + 4:g}" text-anchor="end">{10.0**power:g}</text>'
        )
    labels = [(across(count), 18, short_number(count)) for count in sorted(set(counts))]
    for x, below, label in [*labels, (left + PANEL / 2, 36, "vectors")]:
        place = f'x="{x:.2f}" y="{TOP + PANEL + below:g}"'
        parts.append(f'<text {place} text-anchor="middle">{label}</text>')
    for colour, (least, curve) in zip(COLOURS, curves.items(), strict=False):
        points = " ".join(f"{across(count):.1f},{down(spent):.1f}" for count, spent in curve)
        count, spent = curve[-1]
        place = f'x="{across(count) + 6:.2f}" y="{down(spent) + 4:.2f}"'
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text {place} style="fill:{colour}">≥ {least}</text>'
        )
    return "".join(parts)
