"""Filters by the length of a word, in code points."""

from __future__ import annotations

from dataclasses import dataclass

from sdtext.errors import OptionError
from sdtext.parts.filters import Filter


@dataclass(frozen=True)
class MinLength(Filter):
    """Drop words of fewer than `length` characters.

    >>> keep = MinLength(length=3)
    >>> keep("of"), keep("the")
    ('', 'the')
    """

    length: int

    def __post_init__(self) -> None:
        if self.length < 1:
            raise OptionError.of("min-length", "length", self.length, "1 or more")

    def __call__(self, word: str) -> str:
        return word if len(word) >= self.length else ""


@dataclass(frozen=True)
class MaxLength(Filter):
    """Drop words of more than `length` characters.

    >>> keep = MaxLength(length=3)
    >>> keep("the"), keep("them")
    ('the', '')
    """

    length: int

    def __post_init__(self) -> None:
        if self.length < 1:
            raise OptionError.of("max-length", "length", self.length, "1 or more")

    def __call__(self, word: str) -> str:
        return word if len(word) <= self.length else ""
