"""Character bigrams, for scripts without blanks between words; no dictionary needed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any
from unicodedata import normalize

from sdtext.parts.tokenizers import Span
from sdtext.parts.tokenizers.unicode_words import MARK, lucene_spans

# A half-width sound mark makes one character of what stands before it, where there is such a one.
_VOICED = re.compile("[ｦ-ﾝ\u30a6-\u30fd][ﾞﾟ]")


def bigram_spans(text: str) -> Iterator[Span]:
    """The words of `text`; of Han, Kana and Hangul, each pair of adjacent characters.

    As Lucene's CJKAnalyzer does. A character without such a neighbour is a word itself.

    >>> text = "東京タワー is 333 m"
    >>> [text[start:end] for start, end in bigram_spans(text)]
    ['東京', '京タ', 'タワ', 'ワー', 'is', '333', 'm']
    """
    units: list[Span] = []
    for start, end in lucene_spans(text):
        paired = _paired().fullmatch(text, start, end)
        if units and (not paired or units[-1][1] != start):
            yield from pairs(units)
            units = []
        if paired:
            units += _units(text, start, end)
        else:
            yield start, end
    yield from pairs(units)


def pairs(units: list[Span]) -> Iterable[Span]:
    """Each pair of adjacent `units` as one unit; a single unit stays as it is.

    >>> list(pairs([(0, 1), (1, 3), (3, 4)])), list(pairs([(0, 1)]))
    ([(0, 3), (1, 4)], [(0, 1)])
    """
    if len(units) < 2:
        return units
    return ((left[0], right[1]) for left, right in pairwise(units))


def _units(text: str, start: int, end: int) -> Iterator[Span]:
    """The code points, a half-width Kana with its sound mark being one."""
    while start < end:
        voiced = _VOICED.match(text, start, end)
        size = 2 if voiced and len(normalize("NFKC", voiced.group())) == 1 else 1
        yield start, start + size
        start += size


@cache
def _paired() -> Any:
    import regex

    mark = f"{MARK}*+"
    # These two Han characters are letters by the rules for words.
    single = r"[[\p{Script=Han}\p{Script=Hiragana}]--[々〻]]"
    hangul = r"[\p{Script=Hangul}&&\p{WB=ALetter}]"
    return regex.compile(rf"(?V1){single}{mark}|(?:{hangul}{mark})++|(?:\p{{WB=Katakana}}{mark})++")
