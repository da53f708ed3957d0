"""The order of letters in Arabic ligatures of PDF pages.

A PDF file states the letters of a ligature glyph in reading order (ToUnicode: lam, alef). Engines
reverse each run of Arabic text, which the page has from left to right, letter by letter, and so
reverse the letters of the ligature as well: "األرض" in place of "الأرض". The letters of one
glyph have the same place on the page, and Arabic tells their order: only a letter that joins the
next one can stand before another in a ligature, and alef does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import Any

_LETTERS = "[\u0620-\u08ff]"
ARABIC = re.compile(_LETTERS)
_RUN = re.compile(f"{_LETTERS}{{2,}}")

Glyph = Callable[[int], object]
"""The place of the glyph of a character, given by its index; None if unknown."""


def in_reading_order(text: str, glyph: Glyph) -> str:
    r"""`text` with the letters of each ligature in reading order; its length stays the same.

    Letters that could be joined in either order are reversed where the other ligatures of the
    text are.

    >>> in_reading_order("ا" + "أل" + "رض", [1, 2, 2, 3, 4].__getitem__)
    'الأرض'
    """
    ligatures = list(_ligatures(text, glyph))
    verdicts = [_is_reversed(text[start:stop]) for start, stop in ligatures]
    mostly = verdicts.count(True) > verdicts.count(False)
    letters = list(text)
    for (start, stop), verdict in zip(ligatures, verdicts, strict=True):
        if mostly if verdict is None else verdict:
            letters[start:stop] = reversed(letters[start:stop])
    return "".join(letters)


def _ligatures(text: str, glyph: Glyph) -> Iterator[tuple[int, int]]:
    """The half-open ranges of Arabic characters that are one glyph each."""
    for run in _RUN.finditer(text):
        places = list(map(glyph, range(run.start(), run.end())))
        if len(set(places)) == len(places):
            continue  # each letter is a glyph of its own
        start = run.start()
        for _, group in groupby(places):
            stop = start + len(list(group))
            is_known = places[start - run.start()] is not None
            if is_known and stop - start > 1 and len(_bases(text[start:stop])) > 1:
                yield start, stop
            start = stop


def _is_reversed(letters: str) -> bool | None:
    """Whether these letters of a ligature are in the wrong order; None if they do not tell."""
    backwards = letters[::-1]
    if letters in _phrases() or backwards in _phrases():
        return backwards in _phrases()
    right, reverse = _joined(letters), _joined(backwards)
    return None if right == reverse else reverse


def _joined(letters: str) -> bool:
    """Whether every letter but the last joins the next; marks do not count."""
    return all(map(_joins_next().fullmatch, _bases(letters)[:-1]))


def _bases(letters: str) -> list[str]:
    """The letters without their marks."""
    return [letter for letter in letters if unicodedata.category(letter) != "Mn"]


@cache
def _joins_next() -> Any:
    import regex  # knows the joining types of Unicode (ArabicShaping.txt)

    return regex.compile(r"[\p{Joining_Type=Dual_Joining}\p{Joining_Type=Join_Causing}]")


@cache
def _phrases() -> frozenset[str]:
    """The words and phrases that Unicode has as one character, such as the name of God."""
    return frozenset(unicodedata.normalize("NFKC", chr(code)) for code in range(0xFDF0, 0xFDFC))
