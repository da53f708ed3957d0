"""The windows of an index: which lengths and distances there are, and that nothing is missed."""

from __future__ import annotations

import pytest

from sdtext.errors import OptionError
from sdtext.parts.indexes import STEPS, Windows


def test_windows_miss_nothing() -> None:
    assert Windows().curve(128) == [(jaccard, 1.0) for jaccard in STEPS]


@pytest.mark.parametrize(("w", "tau", "option"), [(0, 0, "w"), (3, 3, "tau"), (3, -1, "tau")])
def test_windows_that_there_are_not(w: int, tau: int, option: str) -> None:
    with pytest.raises(OptionError, match=f"^windows: {option} is .*; it must be "):
        Windows(w=w, tau=tau)
