"""Words between white space."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sdtext.model import Tokens
from sdtext.parts.tokenizers import Tokenizer

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Words(Tokenizer):
    """The words between white space.

    >>> Words()("the  cat's hat").words
    ['the', "cat's", 'hat']
    """

    boundaries: ClassVar[str] = " \n"
    filters_may_precede: ClassVar[bool] = True

    def __call__(self, text: str) -> Tokens:
        matches = list(_WORD.finditer(text))
        return Tokens(
            [match.group() for match in matches],
            [match.start() for match in matches],
            [match.end() for match in matches],
        )

    def split(self, text: str) -> list[str]:
        """The words alone."""
        return text.split()
