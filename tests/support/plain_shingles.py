"""Shingles by their definitions, one document at a time: what the fast ones are tested against."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import xxhash

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.kernels.arrays.integer_and_byte_hashes import POWERS, hash_plain, mixed_plain
from sdtext.parts.shinglers import WordShingles

Window = Sequence[str]
"""A shingle: its words, or its characters."""

_WORD = 1 << 64
_LINE_END = re.compile("[\n\r\u2028\u2029]")


def lines_of(chain: Chain, text: str) -> list[list[str]]:
    """The terms of each line that has any."""
    return [terms for line in _LINE_END.split(text) if (terms := chain.terms(line))]


def windows_of(shingler: Any, lines: list[list[str]]) -> list[Window]:
    """The shingles of a document that is given as lines of terms."""
    everything = [term for line in lines for term in line]
    if isinstance(shingler, WordShingles):
        pieces: list[Window] = list(lines) if shingler.within == "line" else [everything]
        return _cut(pieces, everything, shingler.length)
    blank = "" if shingler.white_space == "removed" else " "
    whole = blank.join(everything)
    within = {"word": everything, "line": [blank.join(line) for line in lines], "document": [whole]}
    return _cut(list(within[shingler.within]), whole, shingler.length)


def _cut(pieces: Sequence[Window], whole: Window, length: int) -> list[Window]:
    result = [
        piece[start : start + length]
        for piece in pieces
        for start in range(len(piece) - length + 1)
    ]
    return result or ([whole] if whole else [])


def key_of(window: Window) -> int:
    """The 64-bit number of a shingle."""
    return mixed_plain(sum(key * POWERS**place for place, key in enumerate(_keys(window))) % _WORD)


def _keys(window: Window) -> list[int]:
    if isinstance(window, str):
        return list(map(ord, window))
    return [hash_plain(_utf8(word)) for word in window]


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _polynomial(part: Any, window: Window) -> int:
    if isinstance(window, str):
        values = [ord(char) - 96 if "a" <= char <= "z" else 27 + ord(char) for char in window]
    else:
        values = _keys(window)
    total: int = sum(value * 31**place for place, value in enumerate(values))
    return total % int(part.m)


def _multiplicative(part: Any, window: Window) -> int:
    fraction = Fraction(key_of(window) * part.factor, 2**part.w) % 1
    return int(part.m * fraction)


def _xxhash(part: Any, window: Window) -> int:
    text = window if isinstance(window, str) else " ".join(window)
    return int(xxhash.xxh3_64_intdigest(_utf8(text), part.seed))


FORMULAS: dict[str, Callable[[Any, Window], int]] = {
    "mixed": lambda part, window: key_of(window),  # noqa: ARG005 (it has no options)
    "polynomial": _polynomial,
    "modular": lambda part, window: key_of(window) % int(part.m),
    "multiplicative": _multiplicative,
    "xxhash": _xxhash,
}
"""What each part of the kind `hashes` makes of one shingle."""
