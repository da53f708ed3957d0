"""Chunks of a few letters, where only a dictionary could find words.

Thai, Lao, Khmer and Burmese have blanks between phrases alone. A phrase as one word makes texts
differ wherever a line ends; pairs of letters make unrelated texts similar. Content-defined chunking
ends a chunk between two letters by a hash of these two: chunks are about as long as short words,
and a change has an effect on the chunks next to it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any
from zlib import crc32

from sdtext.parts.tokenizers.unicode_word_boundaries import Span
from sdtext.text.line_joins import COMPLEX

_MEAN = 3
"""Letters of a chunk in the mean: a chunk ends behind one in so many letters."""
_COMPLEX = re.compile(f"[{COMPLEX}]")


def chunked(text: str, spans: Iterable[Span]) -> Iterable[Span]:
    """The words of a text, given by their spans, with those of such scripts in chunks.

    >>> text = "มนุษย์ทั้งหลายเกิดมา 2024"
    >>> [text[start:end] for start, end in chunked(text, [(0, 20), (21, 25)])]
    ['ม', 'นุษย์ทั้ง', 'หลายเ', 'กิดมา', '2024']
    """
    return _chunked(text, spans) if _COMPLEX.search(text) else spans


def _chunked(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    for start, end in spans:
        if not _COMPLEX.match(text, start, end):
            yield start, end
            continue
        letters = [match.span() for match in _letter().finditer(text, start, end)]
        for (first, border), (_, last) in pairwise(letters):
            if _ends_between(text[first:last]):
                yield start, border
                start = border  # noqa: PLW2901 (the begin of the next chunk)
        yield start, end


@lru_cache(1 << 16)
def _ends_between(letters: str) -> bool:
    """Whether a chunk ends between these two letters."""
    return crc32(letters.encode("utf-8", "surrogatepass")) % _MEAN == 0


@cache
def _letter() -> Any:
    """A pattern of a letter with its marks."""
    import regex

    return regex.compile(r"\X")
