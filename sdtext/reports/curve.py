"""What bands find, in a line: the S-curve."""

from __future__ import annotations

from collections.abc import Sequence

_STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def curve_told(curve: Sequence[tuple[float, float]]) -> str:
    """How probable it is that pairs of some Jaccard similarities are found; "" without a curve.

    >>> from sdtext.parts.indexes.bands import Bands
    >>> curve_told(Bands(bands=20, rows=5).curve(slots=100))[:65]
    'S-curve: jaccard 0.1: 0.000, 0.2: 0.006, 0.3: 0.047, 0.4: 0.186, '
    """
    points = [f"{jaccard}: {_told(found)}" for jaccard, found in curve if jaccard in _STEPS]
    return f"S-curve: jaccard {', '.join(points)}" if points else ""


def _told(probability: float) -> str:
    return f"{probability:.3f}" if probability < 0.99 else f"{probability:.4f}"
