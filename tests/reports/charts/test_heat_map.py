"""The matrix: a square of the right colour for each score."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.reports.charts.score_charts import LEVELS, heat_map, level_of

from . import drawing_of

CELLS = st.dictionaries(
    st.tuples(st.integers(0, 9), st.integers(0, 9)), st.integers(0, 99), max_size=40
)
NAMES = [f"folder/<{place}>.txt" for place in range(10)]


def drawn(
    names: list[str], cells: list[tuple[int, int, int]], *, symmetric: bool = True
) -> tuple[dict[str, Any], etree._Element]:
    """The matrix, and the same as SVG."""
    chart = heat_map(names, range(1, len(names) + 1), len(names), cells, symmetric=symmetric)
    return chart, drawing_of("heat_map", chart)


@given(CELLS, st.booleans())
def test_every_score_is_a_square_at_its_place(
    scores: dict[tuple[int, int], int], symmetric: bool
) -> None:
    if symmetric:
        scores = {(row, column): n for (row, column), n in scores.items() if row < column}
    cells = [(row, column, score) for (row, column), score in scores.items()]
    chart, drawing = drawn(NAMES, cells, symmetric=symmetric)
    squares: Counter[tuple[int, int, int]] = Counter()
    for path in drawing.iter("path"):
        level = int(path.get("class", "").removeprefix("h"))
        for x, y in re.findall(r"M(\S+) ([\d.]+)h", path.get("d", "")):
            column = round((float(x) - chart["left"]) / chart["side"])
            squares[round(float(y) / chart["side"]), column, level] += 1
    expected = Counter((row, column, level_of(score)) for row, column, score in cells)
    if symmetric:
        expected += Counter((column, row, level_of(score)) for row, column, score in cells)
    assert squares == expected


def test_levels_rise_with_the_score() -> None:
    levels = [level_of(score) for score in range(100)]
    assert levels == sorted(levels)
    assert set(levels) == set(range(LEVELS))
    assert levels.count(0) == 1


def test_names_stand_beside_few_rows_alone() -> None:
    assert "<3>.txt" in drawn(NAMES, [])[1].xpath("//text/text()")
    many = [f"{place}.txt" for place in range(200)]
    assert not drawn(many, [])[1].xpath("//text")
