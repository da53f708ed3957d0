"""Unicode's stream-safe text format (UAX #15, section 13): no more than 30 marks in a row.

To normalize a run of combining marks takes time quadratic in its length. No language has more than
a handful on one letter, so longer runs are divided by U+034F, the combining grapheme joiner, which
nothing is reordered across.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import combining, is_normalized, normalize

from sdtext.model import OffsetMap

MOST_MARKS = 30
JOINER = "\u034f"

# They have combining class 0, but decompose to marks alone.
_LATE_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"
_LEAST = 14  # marks that can be more than 30: one is two at most, and a letter brings up to three
_BMP = range(0x300, 0x10000)


def stream_safe(text: str, form: str) -> str:
    r"""`text` with U+034F after each 30 marks of a run that normal form `form` would reorder.

    >>> len(stream_safe("a" + "\u0301\u0316" * 40, "NFC"))
    83
    """
    return stream_safe_with_map(text, form)[0]


def stream_safe_with_map(text: str, form: str) -> tuple[str, OffsetMap | None]:
    """The result of `stream_safe` and its offset map, None if nothing is inserted."""
    pieces: list[str] = []
    safe_starts, text_starts, fused = [0], [0], [False]
    begin = 0
    for number, place in enumerate(_cuts(text, form)):
        pieces += (text[begin:place], JOINER)
        safe_starts += (place + number, place + number + 1)
        text_starts += (place, place)
        fused += (True, False)
        begin = place
    if not begin:
        return text, None
    pieces.append(text[begin:])
    return "".join(pieces), OffsetMap(safe_starts, text_starts, fused)


def _cuts(text: str, form: str) -> Iterator[int]:
    """The places in the text at which runs of marks are divided."""
    for match in _long_runs().finditer(text):
        start, end = max(0, match.start() - 1), match.end()  # with the letter that bears them
        if not is_normalized(form, text[start:end]):  # type: ignore[arg-type]
            yield from _cuts_in(text[start:end], start)


def _cuts_in(run: str, start: int) -> Iterator[int]:
    """The places after each 30 marks of a run, which begins at `start`."""
    classes: dict[str, list[int]] = {}
    count = 0
    for place, char in enumerate(run, start):
        if (known := classes.get(char)) is None:
            classes[char] = known = [*map(combining, normalize("NFKD", char))]
        if not all(known):  # a letter, perhaps with marks of its own
            count = [*reversed(known)].index(0)
            continue
        if count + len(known) > MOST_MARKS:
            yield place
            count = 0
        count += len(known)


@cache
def _long_runs() -> re.Pattern[str]:
    """A pattern of runs that may hold more marks than the format allows.

    Beyond the Basic Multilingual Plane it takes every character for a mark, which is faster.
    """
    marks = "".join(chr(code) for code in _BMP if combining(chr(code)))
    mark = f"[{marks}{_LATE_MARKS}\U00010000-\U0010ffff]"
    # The first is written by itself, since a search skips to it then.
    return re.compile(f"{mark}{mark}{{{_LEAST - 1},}}+")
