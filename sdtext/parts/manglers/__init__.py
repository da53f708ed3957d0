"""Manglers: edited copies of a document, whose relation to it is known.

A copy depends on the text, the options, the other documents and the numbers that `draw` gives, and
on nothing else. `seeded_draw` gives every copy numbers of its own, whatever was copied before.

Pieces of a text are words, lines or sentences. Words are those between white space; of Chinese,
Japanese, Thai and other scripts without blanks between words, each character is one.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, ClassVar

from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.parts.tokenizers.words_lines_characters import WordsOrCharacters
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document

_LINE = re.compile(r"[^\n\r\f\u2028\u2029]+")
_WORD = re.compile(r"\S+")
_REMEMBERED = 4096  # texts whose pieces are kept, since a copy takes pieces of many
_TRIES = 20  # documents drawn for one that has a piece


class Mangler(ABC):
    """The members of a mangler, a frozen dataclass whose fields are its options."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    needs_others: ClassVar[bool] = False
    """Whether it takes text from other documents, so that it cannot work without any."""

    @abstractmethod
    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        """The text of a copy; `others` are the texts of other documents.

        A document whose text is taken from `others` (`others[number]`, `draw.choice(others)`) is
        related to the copy, too. An experiment records which are, so take no more than are needed:
        `list(others)` takes them all. Raises OptionError where `needs_others` and there are none.
        """

    @property
    def related(self) -> bool:
        """Whether a copy shares content with the document; those that do not must not match."""
        return True

    @property
    def suffix(self) -> str:
        """The ending of the name of a file that `write` gives."""
        return ".txt"

    def write(self, text: str, draw: random.Random) -> bytes:
        """The file of a copy, whose text this mangler gave; UTF-8 where it is of no other kind."""
        return text.encode("utf-8", "replace")


def seeded_draw(seed: int, spec: PartSpec, text: str, number: int = 0) -> random.Random:
    """The random numbers of copy `number` of a text by the mangler `spec`, in normalised form.

    They follow from the arguments alone, not from the order in which copies are made, and are the
    same on every machine.
    """
    key = f"{seed}\n{number}\n{spec!r}\n".encode() + text.encode("utf-8", "surrogatepass")
    return random.Random(sha256(key).digest())  # noqa: S311 (drawn to be the same each time)


def check_share(part: str, share: float, *, zero: bool = True) -> None:
    """Raise OptionError unless the option `share` of a mangler is from 0 to 1, or above 0."""
    if not 0 <= share <= 1 or not (share or zero):
        wanted = "from 0 to 1" if zero else "above 0 and at most 1"
        raise OptionError.of(part, "share", share, wanted)


def check_choice(part: str, option: str, value: str, choices: Iterable[str]) -> None:
    """Raise OptionError unless the option of a mangler is one of `choices`."""
    if value not in choices:
        raise OptionError.of(part, option, value, f"one of {', '.join(choices)}")


def checked_others(part: str, others: Sequence[str]) -> Sequence[str]:
    """`others`, unless there are none: then OptionError."""
    if not others:
        raise OptionError(f"{part}: takes text from other documents; name another document")
    return others


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
