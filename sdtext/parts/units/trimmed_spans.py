"""Spans of a text without the white space around them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from sdtext.model import Span


def spans_from(text: str, beginnings: Iterable[tuple[int, str]]) -> list[Span]:
    r"""Consecutive spans that begin at the ascending offsets given, each with its title.

    White space at the ends of a span is left out, and so is a span of white space alone.

    >>> spans_from("one \n two", [(0, "first"), (4, "second")])
    [Span(start=0, end=3, title='first'), Span(start=6, end=9, title='second')]
    """
    spans = []
    for (start, title), (end, _) in pairwise([*beginnings, (len(text), "")]):
        held = text[start:end].rstrip()
        if visible := held.lstrip():
            last = start + len(held)
            spans.append(Span(last - len(visible), last, title))
    return spans


def outermost(text: str, places: Iterable[tuple[int, int]]) -> list[Span]:
    """The spans at `places` in order, without nested ones; overlapping ones are merged.

    White space at their ends is left out, and so are empty spans.

    >>> outermost("one two", [(4, 7), (0, 3), (1, 4)])
    [Span(start=0, end=3, title=''), Span(start=4, end=7, title='')]
    """
    merged = list[tuple[int, int]]()
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif start < end:
            merged.append((start, end))
    spans = (_visible(text, start, end) for start, end in merged)
    return [span for span in spans if span.start < span.end]


def _visible(text: str, start: int, end: int) -> Span:
    held = text[start:end].rstrip()
    return Span(start + len(held) - len(held.lstrip()), start + len(held))
