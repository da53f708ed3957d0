"""Edits of texts that benchmarks measure beside the manglers of sdtext.

To import this module registers them as manglers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from sdtext.parts.manglers import Mangler, SplitText, random_piece
from sdtext.parts.registry import PARTS
from sdtext.text.line_joins import joined_lines


def _chosen(share: float, count: int, draw: random.Random) -> list[int]:
    """A `share` of `count` numbers, rounded, drawn at random, in their order."""
    return sorted(draw.sample(range(count), round(share * count)))


@dataclass(frozen=True)
class DropWords(Mangler):
    """Drop a `share` of the words, drawn at random."""

    share: float = 0.1

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        words = SplitText.of("words", text)
        dropped = set(_chosen(self.share, len(words.pieces), draw))
        first, *behind = words.gaps
        pairs = enumerate(zip(words.pieces, behind, strict=True))
        return first + "".join(word + gap for n, (word, gap) in pairs if n not in dropped)


@dataclass(frozen=True)
class ReplaceWords(Mangler):
    """Replace a `share` of the words, drawn at random, by random words of other documents."""

    share: float = 0.1
    needs_others: ClassVar[bool] = True

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        words = SplitText.of("words", text)
        replaced = list(words.pieces)
        for number in _chosen(self.share, len(replaced), draw):
            replaced[number] = random_piece("words", draw, others)
        return words.text_with(replaced)


@dataclass(frozen=True)
class InsertWords(Mangler):
    """Insert random words of random other documents, as many as a `share` of the words."""

    share: float = 0.1
    needs_others: ClassVar[bool] = True

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        words = SplitText.of("words", text)
        inner = words.gaps[1:-1]
        blank = " " if 2 * sum(map(bool, inner)) >= len(inner) else ""
        inserted = [""] * len(words.pieces)
        for number in _chosen(self.share, len(words.pieces), draw):
            inserted[number] += random_piece("words", draw, others) + blank
        return words.text_with(map(str.__add__, inserted, words.pieces))


@dataclass(frozen=True)
class Reflow(Mangler):
    """Break the lines of each paragraph anew, at most `width` characters long."""

    width: int = 60

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        paragraphs = _PARAGRAPH_END.split(joined_lines(text)[0])
        lines = ("\n".join(self._lines(paragraph)) for paragraph in paragraphs if paragraph.strip())
        return "\n\n".join(lines) + "\n"

    def _lines(self, paragraph: str) -> Iterator[str]:
        words, line = SplitText.of("words", paragraph.strip()), ""
        for word, gap in zip(words.pieces, words.gaps[1:], strict=True):
            if line and len(line) + len(word) > self.width:
                yield line.rstrip()
                line = ""
            line += f"{word} " if gap else word
        yield line.rstrip()


_PARAGRAPH_END = re.compile(r"\s*\n[^\S\n]*\n\s*|\s*\f\s*")


@dataclass(frozen=True)
class Capitals(Mangler):
    """Write all letters as capitals."""

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        return text.upper()


_ROWS = (("1234567890", 0.0), ("qwertyuiop", 0.5), ("asdfghjkl", 0.75), ("zxcvbnm", 1.25))
_LETTER = re.compile(r"[^\W_]")


def _neighbours() -> Iterator[tuple[str, str]]:
    """The keys around each letter of an American keyboard, for capitals with the shift key held."""
    places = {
        key: (row, left + column)
        for row, (keys, left) in enumerate(_ROWS)
        for column, key in enumerate(keys)
    }
    for key, (row, column) in places.items():
        near = "".join(
            other
            for other, (other_row, other_column) in places.items()
            if abs(row - other_row) <= 1 and abs(column - other_column) <= 1 and other != key
        )
        yield key, near
        if key.isalpha():
            yield key.upper(), near.upper()


NEIGHBOURS: Mapping[str, str] = dict(_neighbours())
"""The letters and digits on the keys beside that of a letter or digit."""


def _beside(letter: str, draw: random.Random) -> str:
    return draw.choice(NEIGHBOURS.get(letter, letter))


_MISTYPED: Sequence[Callable[[str, random.Random], str]] = (
    _beside,
    lambda letter, draw: letter + _beside(letter, draw),
    lambda letter, _draw: letter * 2,
    lambda _letter, _draw: "",
)


@dataclass(frozen=True)
class Typos(Mangler):
    """Mistype a `share` of the letters, as people do who type fast.

    The five kinds are equally frequent: the key beside it; both keys; twice; left out; exchanged
    with the next letter. Keys are those of an American keyboard; a letter that has none stays in
    the first kind and is written twice in the second.
    """

    share: float = 0.02

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        typed: list[str] = []
        held = ""  # a letter that is typed behind the next
        for char in text:
            if not _LETTER.match(char) or held or draw.random() >= self.share:
                typed += char, held
                held = ""
                continue
            kind = draw.randrange(len(_MISTYPED) + 1)
            if kind == len(_MISTYPED):
                held = char
            else:
                typed.append(_MISTYPED[kind](char, draw))
        return "".join([*typed, held])


cast("dict[str, str]", PARTS["manglers"]).update(
    {
        "drop-words": f"{__name__}:DropWords",
        "replace-words": f"{__name__}:ReplaceWords",
        "insert-words": f"{__name__}:InsertWords",
        "reflow": f"{__name__}:Reflow",
        "capitals": f"{__name__}:Capitals",
        "typos": f"{__name__}:Typos",
    }
)
