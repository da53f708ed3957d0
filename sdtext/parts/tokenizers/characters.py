"""Characters as words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sdtext.model import Tokens
from sdtext.parts.tokenizers import Tokenizer


@dataclass(frozen=True)
class Characters(Tokenizer):
    """Every code point that is not white space.

    >>> Characters()("a cat").words
    ['a', 'c', 'a', 't']
    """

    boundaries: ClassVar[str] = " \n"

    def __call__(self, text: str) -> Tokens:
        starts = [place for place, char in enumerate(text) if not char.isspace()]
        return Tokens([text[place] for place in starts], starts, [place + 1 for place in starts])

    def split(self, text: str) -> list[str]:
        """The characters alone."""
        return list("".join(text.split()))
