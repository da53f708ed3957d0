"""Options of a question about text reuse."""

from __future__ import annotations

from typing import Any

import pytest

from sdtext import OptionError, ReuseQuestion


@pytest.mark.parametrize(
    ("option", "given"),
    [
        *(("w", bad) for bad in (0, -1, 1.5, True, "30")),
        *(("distance", bad) for bad in (-1, 0.5, False)),
        *(("min_passage", bad) for bad in (0, 2.5)),
        ("unit", "page"),
        *(("similarity", bad) for bad in (0, -0.1, 1.01, 80, "all", float("nan"))),
        *(("recall", bad) for bad in (0, 1, 95, float("nan"))),
        ("method", "words"),
    ],
)
def test_an_option_out_of_range_is_named(option: str, given: Any) -> None:
    with pytest.raises(OptionError, match=rf"find_reuse: {option} is "):
        ReuseQuestion(**{option: given})


@pytest.mark.parametrize("other", [{"similarity": 0.8}, {"recall": 0.9}])
def test_distance_and_similarity_exclude_each_other(other: dict[str, float]) -> None:
    with pytest.raises(OptionError, match="give one of them"):
        ReuseQuestion(distance=3, **other)  # type: ignore[arg-type]


def test_numpy_numbers_are_accepted() -> None:
    import numpy as np

    assert ReuseQuestion(w=np.int64(20), similarity=np.float64(0.5)).w == 20  # type: ignore[arg-type]
