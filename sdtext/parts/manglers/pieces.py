"""A text in pieces (words, lines or sentences), and what stands between them.

Words are those between white space; of Chinese, Japanese, Thai and other scripts without blanks
between words, each character is one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sdtext.parts.tokenizers.words_lines_characters import WordsOrCharacters
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document

_LINE = re.compile(r"[^\n\r\f\u2028\u2029]+")
_WORD = re.compile(r"\S+")
_REMEMBERED = 4096  # texts whose pieces are kept, since a copy takes pieces of many
_TRIES = 20  # documents drawn for one that has a piece


@dataclass(frozen=True)
class SplitText:
    r"""The pieces of a text in their order; `gaps` are before the first, between, after the last.

    >>> SplitText.of("words", " Bees dance.\n")
    SplitText(texts=('Bees', 'dance.'), gaps=(' ', ' ', '\n'))
    """

    texts: Sequence[str]
    gaps: Sequence[str]

    @classmethod
    def of(cls, unit: str, text: str) -> SplitText:
        """The "words", "lines" or "sentences" of `text`."""
        texts, gaps, done = [], [], 0
        for start, end in SPANS[unit](text):
            gaps.append(text[done:start])
            texts.append(text[start:end])
            done = end
        return cls(tuple(texts), (*gaps, text[done:]))

    @property
    def text(self) -> str:
        """The text: its pieces with what stands between them."""
        first, *behind = self.gaps
        return first + "".join(map(str.__add__, self.texts, behind))

    def with_texts(self, texts: Iterable[str]) -> SplitText:
        """As many other pieces in the same places."""
        return SplitText(tuple(texts), self.gaps)

    def only(self, kept: Sequence[int]) -> SplitText:
        """The pieces with these numbers, each with the gap that is behind it."""
        behind = self.gaps[1:]
        texts = tuple(self.texts[number] for number in kept)
        return SplitText(texts, (self.gaps[0], *(behind[number] for number in kept)))


def _words(text: str) -> Iterator[tuple[int, int]]:
    if text.isascii():
        return (match.span() for match in _WORD.finditer(text))
    return iter(WordsOrCharacters().spans(text))


def _lines(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _LINE.finditer(text) if not match[0].isspace())


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    return ((span.start, span.end) for span in Sentence()(Document(text, text)))


SPANS: Mapping[str, Callable[[str], Iterator[tuple[int, int]]]] = {
    "words": _words,
    "lines": _lines,
    "sentences": _sentences,
}
"""The places of the pieces of each unit. Lines of nothing but white space are no pieces."""


@lru_cache(_REMEMBERED)
def pieces_of(unit: str, text: str) -> tuple[str, ...]:
    """The words, lines or sentences of another document."""
    return tuple(SplitText.of(unit, text).texts)


def random_piece(unit: str, draw: random.Random, others: Sequence[str]) -> str:
    """A random word, line or sentence of a random document; "" if those drawn have none."""
    for _ in range(_TRIES):
        if pieces := pieces_of(unit, draw.choice(others)):
            return draw.choice(pieces)
    return ""


def chosen(share: float, count: int, draw: random.Random) -> list[int]:
    """So many of `count` numbers as `share` says, rounded, drawn at random, in their order."""
    return sorted(draw.sample(range(count), round(share * count)))
