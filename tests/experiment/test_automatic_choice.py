"""The choice in the middle of a plateau, against a search by hand."""

import numpy as np
import pytest

from sdtext.experiment.automatic_choice import middle_of_plateau
from sdtext.experiment.plan import Cell

LOWS, HIGHS = (0.0, 0.1, 0.2, 0.3, 0.4), (0.6, 0.7, 0.8, 0.9, 1.0)
CELLS = [Cell(low, high) for low in LOWS for high in HIGHS]


@pytest.mark.parametrize(("error", "size"), [(0.0, 1), (0.011, 10), (0.05, 10), (0.9, 25)])
def test_the_plateau_is_what_is_as_good_and_hangs_together(error: float, size: int) -> None:
    values = np.full((5, 5), 0.5)
    values[:3, :3] = 0.90
    values[0, 0] = 0.91  # the best, in a corner
    values[3, 2] = 0.90
    values[4, 4] = 0.91 - 1e-9  # as good, but apart
    assert middle_of_plateau(CELLS, values.ravel(), error)[1] == size


def test_the_choice_is_in_the_middle_of_the_plateau() -> None:
    values = np.full((5, 5), 0.5)
    values[1:4, 1:4] = 0.90
    values[1, 1] = 0.91
    for error, chosen, expected in ((0.02, Cell(0.2, 0.8), 9), (0.001, Cell(0.1, 0.7), 1)):
        cell, size = middle_of_plateau(CELLS, values.ravel(), error)
        assert (CELLS[cell], size) == (chosen, expected)
