"""A text without some of its ranges, with its offset map."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from io import StringIO

from sdtext.model import OffsetMap


def without(text: str, ranges: Iterable[tuple[int, int]]) -> tuple[str, OffsetMap | None]:
    """`text` without `ranges`, which are in order and not empty; the map is None without any.

    >>> rest, offset_map = without("abcdef", [(1, 2), (3, 5)])
    >>> rest, offset_map.start(2), offset_map.end(2)
    ('acf', 5, 3)
    """
    whole = StringIO()
    starts, text_starts = array("q", (0,)), array("q", (0,))
    place = length = 0
    for start, end in ranges:
        whole.write(text[place:start])
        length += start - place
        if starts[-1] == length:  # adjacent to the previous range
            text_starts[-1] = end
        else:
            starts.append(length)
            text_starts.append(end)
        place = end
    if not place:
        return text, None
    whole.write(text[place:])
    return whole.getvalue(), OffsetMap(starts, text_starts, bytearray(len(starts)))
