"""Which of many short texts are clean as they are, found for all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.text.quick_disguise_check import SAFE, is_plain


def are_clean(texts: Sequence[str]) -> list[bool]:
    """For each text whether it is clear at little cost that `Document.of` changes nothing in it.

    >>> are_clean(["Bees dance.", "B\u200bees dance.", "caf\u00e9", "cafe\u0301"])
    [True, False, True, False]
    """
    # Joined with others, a text of ASCII takes as many bytes a character as these, and more time.
    ascii_only = [*map(str.isascii, texts)]
    others = [text for text, chosen in zip(texts, ascii_only, strict=True) if not chosen]
    parts = iter(_are_clean([*compress(texts, ascii_only)])), iter(_are_clean(others))
    return [next(parts[not chosen]) for chosen in ascii_only]


def _are_clean(texts: Sequence[str]) -> list[bool]:
    """The same in one go. Few texts have spaced letters, so that all are searched together."""
    safe = _are_safe(texts)
    if is_plain("\n".join(compress(texts, safe))):
        return safe
    return [is_safe and is_plain(text) for text, is_safe in zip(texts, safe, strict=True)]


def _are_safe(texts: Sequence[str]) -> list[bool]:
    """For each text whether it has no other than safe characters."""
    code_points = "\n".join([*texts, ""]).encode("utf-32-le", "surrogatepass")
    safe = _table().take(np.frombuffer(code_points, "<u4"), mode="clip")
    starts = offsets_of([len(text) + 1 for text in texts])[:-1]
    all_safe: list[bool] = np.logical_and.reduceat(safe, starts).tolist()
    return all_safe


@cache
def _table() -> NDArray[np.bool_]:
    """For each code point whether it is safe; those above the last one are not."""
    places = [*map(ord, SAFE)]
    table = np.zeros(max(places) + 2, bool)
    table[places] = True
    return table
