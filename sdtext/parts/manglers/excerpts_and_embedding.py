"""Excerpts of a text, and a text within others: embedded, in one file, line by line."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdtext.errors import OptionError
from sdtext.parts.manglers import (
    SPANS,
    Mangler,
    SplitText,
    check_share,
    checked_others,
    pieces_of,
    random_piece,
)

_LONGEST_HEADING = 60  # characters
_ASKED = 100  # documents that may have the same lines: with all, the time grows with their square
_SENTENCE_ENDS = frozenset(".,;!?…。，；！？،؛؟।")


@dataclass(frozen=True)
class Truncate(Mangler):
    """Keep the first words of a text, a `share` of all, and one at least.

    >>> Truncate(share=0.5)("Bees dance in hives.", random.Random(1), [])
    'Bees dance'
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        check_share("truncate", self.share, zero=False)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        places = list(SPANS["words"](text))
        count = _count(self.share, len(places))
        return text[: places[count - 1][1]] if places else text


@dataclass(frozen=True)
class Fragment(Mangler):
    """Keep a run of words from anywhere in a text, a `share` of all, and one at least.

    >>> Fragment(share=0.5)("Bees dance in hives.", random.Random(1), [])
    'Bees dance'
    """

    share: float = 0.1

    def __post_init__(self) -> None:
        check_share("fragment", self.share, zero=False)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        return random_run(text, self.share, draw)


def random_run(text: str, share: float, draw: random.Random) -> str:
    """A run of words from a random place of a text; a text without words whole."""
    places = list(SPANS["words"](text))
    if not places:
        return text
    count = _count(share, len(places))
    first = draw.randrange(len(places) - count + 1)
    return text[places[first][0] : places[first + count - 1][1]]


def _count(share: float, words: int) -> int:
    return max(1, round(share * words))


@dataclass(frozen=True)
class Embed(Mangler):
    r"""Put the text, or a fragment of it, between two lines of a random other document.

    `share` is the part of the words that is taken: 1 stands for the whole text.

    >>> Embed()("Bees dance.", random.Random(4), ["Owls hunt.\nOwls hoot.\n"])
    'Owls hunt.\nBees dance.\nOwls hoot.\n'
    """

    share: float = 1.0
    needs_others: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_share("embed", self.share, zero=False)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        other = draw.choice(checked_others("embed", others))
        part = text if self.share == 1 else random_run(text, self.share, draw)
        starts = [start for start, _ in SPANS["lines"](other)]
        place = draw.choice([*starts, len(other)])
        before, behind = other[:place], other[place:]
        return f"{_ended(before)}{_ended(part) if behind else part}{behind}"


@dataclass(frozen=True)
class Concatenate(Mangler):
    r"""Put the text before, between or after whole other documents, as many as `documents` says.

    >>> Concatenate()("Bees dance.\n", random.Random(1), ["Owls hunt.\n"])
    'Bees dance.\nOwls hunt.\n'
    """

    documents: int = 1
    needs_others: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.documents < 1:
            raise OptionError.of("concatenate", "documents", self.documents, "1 or more")

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        others = checked_others("concatenate", others)
        numbers = draw.sample(range(len(others)), min(self.documents, len(others)))
        texts = [others[number] for number in numbers]
        texts.insert(draw.randrange(len(texts) + 1), text)
        return "".join([*map(_ended, texts[:-1]), texts[-1]])


def _ended(text: str) -> str:
    """The text with a line end at its end."""
    return text if not text or text.endswith("\n") else f"{text}\n"


@dataclass(frozen=True)
class KeepLines(Mangler):
    r"""Keep each line with probability `share`, else put a random line of a random other document.

    E. Celozzi, L. Ciabini: Finding similar document (section 7.2). Empty lines stay.

    >>> KeepLines(share=0.5)("Bees dance.\nAnts dig.\n", random.Random(1), ["Owls hunt."])
    'Bees dance.\nOwls hunt.\n'
    """

    share: float = 0.5
    needs_others: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_share("keep-lines", self.share)

    @property
    def related(self) -> bool:
        return self.share > 0

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        others = checked_others("keep-lines", others)
        lines = SplitText.of("lines", text)
        return lines.with_texts(
            line if draw.random() < self.share else random_piece("lines", draw, others)
            for line in lines.texts
        ).text


@dataclass(frozen=True)
class Template(Mangler):
    r"""The same form with other content: headings and lines that others have stay, no others.

    A line stays if one of 100 other documents, drawn at random, has it, too, or if it looks like a
    heading: of at most 60 characters, no end of a sentence, and alone in its paragraph or with a
    colon at its end. Random lines of random documents take the place of all others. Such a copy
    must not match.

    >>> text = "NAME\n\nBees dance.\nThey live in hives.\n\nSEE ALSO\n\nHives.\n"
    >>> Template()(text, random.Random(1), ["Owls hunt."])
    'NAME\n\nOwls hunt.\nOwls hunt.\n\nSEE ALSO\n\nOwls hunt.\n'
    """

    needs_others: ClassVar[bool] = True

    @property
    def related(self) -> bool:
        return False

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        others = checked_others("template", others)
        lines = SplitText.of("lines", text)
        asked = draw.sample(range(len(others)), min(_ASKED, len(others)))
        common = _common_lines(lines.texts, map(others.__getitem__, asked))
        return lines.with_texts(
            line if is_heading or line.strip() in common else random_piece("lines", draw, others)
            for line, is_heading in zip(lines.texts, _are_headings(lines), strict=True)
        ).text


def _common_lines(lines: Iterable[str], others: Iterable[str]) -> set[str]:
    """Those of `lines` that one of the others has, too, without white space at their ends."""
    own = set(map(str.strip, lines))
    common: set[str] = set()
    for other in others:
        common |= own.intersection(map(str.strip, pieces_of("lines", other)))
    return common


def _are_headings(lines: SplitText) -> Iterator[bool]:
    """Whether each line looks like a heading."""
    alone = [gap.count("\n") > 1 or "\f" in gap for gap in lines.gaps]
    alone[0] = alone[-1] = True
    for number, line in enumerate(map(str.strip, lines.texts)):
        is_alone = alone[number] and alone[number + 1]
        is_short = len(line) <= _LONGEST_HEADING and line[-1] not in _SENTENCE_ENDS
        yield is_short and (is_alone or line.endswith((":", "：")))
