"""A document within other text: embedded in another document, or one of several in a file."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdtext.errors import OptionError
from sdtext.parts.manglers import Mangler, check_share, checked_others
from sdtext.parts.manglers.excerpts import random_run
from sdtext.parts.manglers.pieces import SPANS


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
