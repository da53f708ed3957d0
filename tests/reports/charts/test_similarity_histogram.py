"""The histogram: every score in its bin, one scale for all bars, a readable axis."""

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.reports.charts import histogram_of

from . import drawing_of

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
