"""Charts: the graph of clusters, the histogram of similarities, the matrix."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.reports.charts import MOST_DRAWN, cluster_graph, groups_of, heat_map, histogram_of
from sdtext.reports.html.report_page import templates
from tests.support.components import components


def drawing_of(name: str, *values: Any) -> etree._Element:
    """The chart of that name for some values."""
    charts: Any = templates().get_template("charts.html").module
    return etree.fromstring(str(getattr(charts, name)(*values)))


LINKS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(1, 99)).filter(
        lambda link: link[0] != link[1]
    ),
    max_size=60,
)
NAMES = [f"folder/{place}.txt" for place in range(41)]


@given(LINKS)
def test_groups_are_the_connected_components(links: list[tuple[int, int, int]]) -> None:
    groups = groups_of(links)
    expected = components((left, right) for left, right, _ in links)
    assert sorted(map(sorted, expected)) == sorted(sorted(group.members) for group in groups)
    assert sorted(link for group in groups for link in group.links) == sorted(links)
    sizes = [len(group.members) for group in groups]
    assert sizes == sorted(sizes, reverse=True)
    for group in groups:
        assert all({left, right} <= set(group.members) for left, right, _ in group.links)


@given(LINKS.filter(bool))
def test_every_document_is_drawn_once_inside_the_picture(links: list[tuple[int, int, int]]) -> None:
    groups = groups_of(links)
    drawing = drawing_of("clusters", cluster_graph(groups, NAMES, {0}))
    titles = [element.text for element in drawing.xpath("svg/g/title")]
    assert sorted(titles) == sorted(NAMES[place] for group in groups for place in group.members)
    for picture, group in zip(drawing.xpath("svg"), groups, strict=True):
        _, _, width, height = map(float, picture.get("viewBox", "").split())
        shapes = picture.xpath("g/circle | g/rect")
        points = [
            (float(item.get("cx") or item.get("x")), float(item.get("cy") or item.get("y")))
            for item in shapes
        ]
        assert all(0 <= x <= width and 0 <= y <= height for x, y in points)
        assert len(set(points)) == len(points) == len(group.members)
        assert len(picture.xpath("line")) == len(group.links)


def test_what_there_is_no_room_for_is_not_drawn() -> None:
    links = [(2 * place, 2 * place + 1, 50) for place in range(MOST_DRAWN)]
    names = [str(place) for place in range(2 * MOST_DRAWN)]
    drawn = cluster_graph(groups_of(links), names, ())
    assert sum(len(picture["nodes"]) for picture in drawn) == MOST_DRAWN
    star = groups_of([(0, place, 50) for place in range(1, MOST_DRAWN + 9)])
    others = groups_of(links[:2])
    assert cluster_graph([*star, *others], names, ()) == cluster_graph(others, names, ())


COUNTS = st.lists(st.integers(0, 3000), min_size=20, max_size=20)


def histogram(counts: Sequence[int], cut: int | None = None, label: str = "") -> etree._Element:
    scores = [5 * place for place, count in enumerate(counts) for _ in range(count)]
    return drawing_of("histogram", histogram_of(scores), cut, label)


def heights(counts: Sequence[int]) -> list[float]:
    return [float(bar.get("height", "")) for bar in histogram(counts).iter("rect")]


@given(st.lists(st.integers(0, 99)))
def test_every_score_is_in_its_bin(scores: list[int]) -> None:
    counts = [count for count, _ in histogram_of(scores)["bars"]]
    assert {place: n for place, n in enumerate(counts) if n} == Counter(s // 5 for s in scores)
    assert len(counts) == 20


@given(COUNTS)
def test_a_larger_bin_has_no_lower_bar(counts: list[int]) -> None:
    bars = heights(counts)
    for count, bar in zip(counts, bars, strict=True):
        assert (bar > 0) == (count > 0)
        assert all(bar >= other for n, other in zip(counts, bars, strict=True) if n <= count)


@given(COUNTS)
def test_the_axis_has_a_few_numbers(counts: list[int]) -> None:
    drawing = histogram(counts)
    lines = drawing.xpath("count(line[@class='grid'])")
    assert lines <= 7
    assert lines >= (1 if any(counts) else 0)


@pytest.mark.parametrize(("cut", "below"), [(None, 0), (1, 0), (50, 10), (52, 10), (99, 19)])
def test_bins_below_the_cut_are_marked(cut: int | None, below: int) -> None:
    drawing = histogram([3] * 20, cut, f"listed from {cut}")
    assert drawing.xpath("count(.//rect[@class='bar below'])") == below
    texts = [element.text for element in drawing.iter("text")]
    assert (f"listed from {cut}" in texts) == (cut is not None)


def test_one_crowded_bin_makes_the_scale_logarithmic() -> None:
    counts = [10_000] + [2] * 19
    assert "logarithmic" in histogram(counts).xpath("text/text()")
    assert heights(counts)[1] > 10
    assert "logarithmic" not in histogram([20] + [2] * 19).xpath("text/text()")


ROWS = [f"folder/<{place}>.txt" for place in range(10)]


def test_names_stand_beside_few_rows_alone() -> None:
    assert "<3>.txt" in heat_map(ROWS, 10)["labels"]
    assert not heat_map([f"{place}.txt" for place in range(200)], 10)["labels"]
