"""The matrix: names beside its rows, and levels of colour."""

from sdtext.reports.charts import LEVELS, heat_map, level_of

NAMES = [f"folder/<{place}>.txt" for place in range(10)]


def test_levels_rise_with_the_score() -> None:
    levels = [level_of(score) for score in range(100)]
    assert levels == sorted(levels)
    assert set(levels) == set(range(LEVELS))
    assert levels.count(0) == 1


def test_names_stand_beside_few_rows_alone() -> None:
    assert "<3>.txt" in heat_map(NAMES, 10)["labels"]
    assert not heat_map([f"{place}.txt" for place in range(200)], 10)["labels"]
