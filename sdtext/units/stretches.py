"""Stretches of a text that stand end to end, without the white space between them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from sdtext.model import Span


def stretches(text: str, beginnings: Iterable[tuple[int, str]]) -> list[Span]:
    r"""What stands from each of these offsets to the next, or to the end, with its title.

    The offsets rise. White space at the ends of a stretch is no part of it, and where there is
    nothing else there is no stretch.

    >>> stretches("one \n two", [(0, "first"), (4, "second")])
    [Span(start=0, end=3, title='first'), Span(start=6, end=9, title='second')]
    """
    found = []
    for (start, title), (end, _) in pairwise([*beginnings, (len(text), "")]):
        held = text[start:end].rstrip()
        if visible := held.lstrip():
            last = start + len(held)
            found.append(Span(last - len(visible), last, title))
    return found
