"""Lines as words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sdtext.model import Tokens
from sdtext.parts.tokenizers import Tokenizer

# Everything that ends a line in Unicode; clean texts hold no others of the control characters.
_LINE = re.compile(r"[^\n\r\u2028\u2029]+")


@dataclass(frozen=True)
class Lines(Tokenizer):
    r"""The lines, without white space at their ends; empty ones are left out.

    >>> Lines()("one \n\n  two\r\n").words
    ['one', 'two']
    """

    boundaries: ClassVar[str] = "\n"

    def __call__(self, text: str) -> Tokens:
        words, starts, ends = [], [], []
        for match in _LINE.finditer(text):
            if line := match.group().strip():
                start = match.start() + len(match.group()) - len(match.group().lstrip())
                words.append(line)
                starts.append(start)
                ends.append(start + len(line))
        return Tokens(words, starts, ends)

    def split(self, text: str) -> list[str]:
        """The lines alone."""
        return [line for match in _LINE.findall(text) if (line := match.strip())]
