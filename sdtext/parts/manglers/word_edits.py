"""Words dropped, exchanged with their neighbours, replaced, inserted; any pieces shuffled."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdtext.errors import OptionError
from sdtext.parts.manglers import (
    SPANS,
    Mangler,
    SplitText,
    check_choice,
    check_share,
    checked_others,
    chosen,
    random_piece,
)


@dataclass(frozen=True)
class DropWords(Mangler):
    """Drop a `share` of the words, drawn at random.

    >>> DropWords(share=0.5)("Bees dance in hives.", random.Random(1), [])
    'Bees hives.'
    """

    share: float = 0.1

    def __post_init__(self) -> None:
        check_share("drop-words", self.share)

    @property
    def related(self) -> bool:
        return self.share < 1

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        words = SplitText.of("words", text)
        dropped = set(chosen(self.share, len(words.texts), draw))
        return words.only([n for n in range(len(words.texts)) if n not in dropped]).text


@dataclass(frozen=True)
class SwapWords(Mangler):
    """Exchange neighbouring words, so that about a `share` of all words change places.

    >>> SwapWords(share=1)("Bees dance in hives.", random.Random(1), [])
    'dance Bees hives. in'
    """

    share: float = 0.1

    def __post_init__(self) -> None:
        check_share("swap-words", self.share)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        words = SplitText.of("words", text)
        # After an exchange the next word is passed over: of n words 2p / (1 + p) · n are moved.
        probability = self.share / (2 - self.share)
        swapped, number = list(words.texts), 0
        while number + 1 < len(swapped):
            if draw.random() < probability:
                swapped[number : number + 2] = swapped[number + 1], swapped[number]
                number += 1
            number += 1
        return words.with_texts(swapped).text


@dataclass(frozen=True)
class ReplaceWords(Mangler):
    """Replace a `share` of the words, drawn at random, by random words of random other documents.

    >>> ReplaceWords(share=0.5)("Bees dance in hives.", random.Random(1), ["Owls hunt"])
    'Bees hunt hunt hives.'
    """

    share: float = 0.1
    needs_others: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_share("replace-words", self.share)

    @property
    def related(self) -> bool:
        return self.share < 1

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        others = checked_others("replace-words", others)
        words = SplitText.of("words", text)
        replaced = list(words.texts)
        for number in chosen(self.share, len(replaced), draw):
            replaced[number] = random_piece("words", draw, others)
        return words.with_texts(replaced).text


@dataclass(frozen=True)
class InsertWords(Mangler):
    """Insert random words of random other documents, as many as a `share` of the words.

    Each stands before a word drawn at random; with `together`, all stand before one word.

    >>> InsertWords(share=0.5)("Bees dance in hives.", random.Random(1), ["Owls hunt"])
    'Bees hunt dance hunt in hives.'
    """

    share: float = 0.1
    together: bool = False
    needs_others: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_share("insert-words", self.share)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        others = checked_others("insert-words", others)
        words = SplitText.of("words", text)
        numbers = chosen(self.share, len(words.texts), draw)
        if self.together and numbers:
            numbers = [draw.randrange(len(words.texts))] * len(numbers)
        inner = words.gaps[1:-1]
        blank = " " if 2 * sum(map(bool, inner)) >= len(inner) else ""
        inserted = [""] * len(words.texts)
        for number in numbers:
            inserted[number] += random_piece("words", draw, others) + blank
        return words.with_texts(map(str.__add__, inserted, words.texts)).text


@dataclass(frozen=True)
class Shuffle(Mangler):
    """Shuffle the words of a text, or its lines or sentences (`of`), all or a share, or in groups.

    C. Bergillos, A. Rambla, A. Cabeza (section 9.2) shuffle all words. White space stays in its
    place. With `share`, so many are drawn at random and shuffled among themselves; the rest stays.
    With `group`, each run of so many is shuffled for itself; 0 stands for one run of all.

    >>> Shuffle()("Bees dance. Ants dig.", random.Random(1), [])
    'Ants Bees dance. dig.'
    """

    of: str = "words"
    group: int = 0
    share: float = 1.0

    def __post_init__(self) -> None:
        check_choice("shuffle", "of", self.of, SPANS)
        if self.group < 0 or self.group == 1:
            raise OptionError.of("shuffle", "group", self.group, "2 or more, or 0 for all")
        check_share("shuffle", self.share)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        pieces = SplitText.of(self.of, text)
        count = len(pieces.texts)
        size = self.group or max(1, count)
        shuffled = list(pieces.texts)
        for start in range(0, count, size):
            group = range(start, min(start + size, count))
            places = draw.sample(group, round(self.share * len(group)))
            for place, origin in zip(places, sorted(places), strict=True):
                shuffled[place] = pieces.texts[origin]
        return pieces.with_texts(shuffled).text
