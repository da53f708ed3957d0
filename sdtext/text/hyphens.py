"""Words that the ends of lines part, joined: for formats with pages.

Engines mark a hyphen that they took away (U+FFFE by PDFium, U+0002 by poppler) or leave it. Where
it is left, a small letter behind it means that the word goes on; else the hyphen belongs to the
word, and the line end alone goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import combining

from sdtext.model import OffsetMap

_PARTED = re.compile(
    r"(?P<mark>[\ufffe\x02\xad](?:[ \t\xa0]*(?:\r?\n|\f)\s*)?)"
    r"|(?P<hyphen>[-\u2010\u2011])[ \t\xa0]*(?:\r?\n|\f)\s*"
    r"|(?P<glyph>\(cid:\d{1,9}\))"  # pdfminer's word for a glyph that its font does not explain
)


def joined(text: str) -> str:
    r"""`text` with the parted words joined.

    >>> joined("exam-\nple, Anglo-\nSaxon, co\ufffeoperate")
    'example, Anglo-Saxon, cooperate'
    """
    return joined_with_map(text)[0]


def joined_with_map(text: str) -> tuple[str, OffsetMap | None]:
    r"""What `joined` gives, and the way back; None where nothing is joined.

    >>> words, back = joined_with_map("an exam-\nple here")
    >>> words, back.start(3), back.end(10)
    ('an example here', 3, 12)
    """
    pieces, starts, text_starts = [], [0], [0]
    place = length = 0
    for start, end in _dropped(text):
        pieces.append(text[place:start])
        length += start - place
        if starts[-1] == length:  # nothing stands between this and the one before
            text_starts[-1] = end
        else:
            starts.append(length)
            text_starts.append(end)
        place = end
    if not place:
        return text, None
    pieces.append(text[place:])
    return "".join(pieces), OffsetMap(starts, text_starts, [False] * len(starts))


def _dropped(text: str) -> Iterator[tuple[int, int]]:
    """The stretches that go."""
    for match in _PARTED.finditer(text):
        start, end = match.span()
        if match["glyph"]:
            yield start, end
        elif _ends_in_letter(text, start) and text[end : end + 1].isalpha():
            kept = match["hyphen"] and not text[end].islower()
            yield start + bool(kept), end


def _ends_in_letter(text: str, end: int) -> bool:
    """Whether a letter stands before `end`, perhaps with marks on it."""
    place = end - 1
    while place > 0 and combining(text[place]):
        place -= 1
    return place >= 0 and text[place].isalpha()
