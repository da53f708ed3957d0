"""Sets of long documents."""

import numpy as np
import pytest

from sdtext.parts import sliding_windows
from sdtext.parts.hashes import Mixed
from sdtext.parts.sliding_windows import Letters, Pieces, SlidingWindows


@pytest.mark.parametrize("length", [3, 7])
def test_a_long_set_takes_room_for_twice_its_distinct_hashes(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sliding_windows, "_RUN", 50)
    monkeypatch.setattr(sliding_windows, "_TILE", 20)
    letters = Letters(np.arange(5000, dtype=np.uint32) % 30 + 97)
    pieces = Pieces(np.array([0]), np.array([len(letters)]), np.array([0, 1]))
    windows = SlidingWindows(letters, pieces, length, Mixed())
    room = np.zeros(5000, np.uint64)
    assert sliding_windows._set_of_one(windows, room) == 30
    assert sorted(set(windows.in_order().values.tolist())) == room[:30].tolist()
    assert not room[2 * 30 + 50 + 20 :].any()
