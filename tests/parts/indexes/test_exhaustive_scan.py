"""The index that is none."""

from __future__ import annotations

from sdtext.parts.indexes import STEPS, Scan


def test_a_scan_finds_everything() -> None:
    assert Scan().curve(128) == [(jaccard, 1.0) for jaccard in STEPS]
