"""Where the text of a document stands that its readers do not see."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sdtext.model import Span

_WHITE = re.compile(r"\s*")
_MOST_PIECES = 1000


def hidden_spans(text: str, pieces: Sequence[str]) -> list[Span]:
    """The spans of the pieces of a text that are hidden, in order.

    A piece is where the text has it as often as it is hidden, or right behind the piece before it.
    Any other may stand in text that is seen, and has no span.

    >>> hidden_spans("Bees dance. Do they? So it is.", ["Do they?", "So", "e"])
    [Span(start=12, end=23, title='')]
    """
    known = [stripped for piece in pieces[:_MOST_PIECES] if (stripped := piece.strip())]
    wanted, ranges, behind = Counter(known), set[tuple[int, int]](), -1
    for piece in known:
        if behind >= 0 and text.startswith(piece, behind):
            places = [behind]
        elif text.count(piece) == wanted[piece]:
            places = [place.start() for place in re.finditer(re.escape(piece), text)]
        else:
            places = []
        ranges |= {(place, place + len(piece)) for place in places}
        behind = _next_place(text, places[-1] + len(piece)) if len(places) == 1 else -1
    return _joined(text, sorted(ranges))


def _next_place(text: str, place: int) -> int:
    """The place of the next character that is no white space."""
    match = _WHITE.match(text, place)
    return match.end() if match else place


def _joined(text: str, ranges: Sequence[tuple[int, int]]) -> list[Span]:
    """Spans of ranges; those with nothing but white space between them are one."""
    spans = list[Span]()
    for start, end in ranges:
        if spans and start <= _next_place(text, spans[-1].end):
            spans[-1] = Span(spans[-1].start, max(end, spans[-1].end))
        else:
            spans.append(Span(start, end))
    return spans
