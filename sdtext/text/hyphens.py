"""Dehyphenation: joins words that are divided at line ends, for formats with pages.

Engines replace the hyphen of a divided word by a mark (U+FFFE by PDFium, U+0002 by poppler) or
leave it. If it is left and a lowercase letter follows, the hyphen and the line end are removed;
otherwise the hyphen belongs to the word, and only the line end is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import combining

from sdtext.model import OffsetMap
from sdtext.text.removed_ranges import without

_DIVIDED = re.compile(
    # One class of first characters is searched for several times as fast as alternatives are.
    r"[\ufffe\x02\xad\-\u2010\u2011(](?:"
    r"(?<=[\ufffe\x02\xad])(?P<mark>(?:[ \t\xa0]*(?:\r?\n|\f)\s*)?)"
    r"|(?<=[-\u2010\u2011])(?P<hyphen>[ \t\xa0]*(?:\r?\n|\f)\s*)"
    r"|(?<=\()(?P<glyph>cid:\d{1,9}\)))"  # pdfminer's text for an unknown glyph
)


def joined(text: str) -> str:
    r"""`text` with divided words joined.

    >>> joined("exam-\nple, Anglo-\nSaxon, co\ufffeoperate")
    'example, Anglo-Saxon, cooperate'
    """
    return joined_with_map(text)[0]


def joined_with_map(text: str) -> tuple[str, OffsetMap | None]:
    r"""The result of `joined` and its offset map, None if nothing is joined.

    >>> words, offset_map = joined_with_map("an exam-\nple here")
    >>> words, offset_map.start(3), offset_map.end(10)
    ('an example here', 3, 12)
    """
    return without(text, _dropped(text))


def _dropped(text: str) -> Iterator[tuple[int, int]]:
    """The ranges that are removed."""
    for match in _DIVIDED.finditer(text):
        start, end = match.span()
        if match.lastgroup == "glyph":
            yield start, end
        elif (after := text[end : end + 1]).isalpha() and _ends_in_letter(text, start):
            kept = match.lastgroup == "hyphen" and not after.islower()
            yield start + kept, end


def _ends_in_letter(text: str, end: int) -> bool:
    """Whether a letter, perhaps with combining marks, precedes `end`."""
    place = end - 1
    while place > 0 and combining(text[place]):
        place -= 1
    return place >= 0 and text[place].isalpha()
