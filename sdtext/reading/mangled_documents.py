"""Copies of texts by a mangler."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sdtext.model import PartSpec
from sdtext.parts.manglers import Mangler, seeded_draw
from sdtext.parts.registry import build, normalised

_LENDING = 4  # one document in so many may lend text to a copy: the rest is unrelated to it


class OtherTexts(Sequence[str]):
    """Some texts but the one at the place `own`: those with certain numbers.

    Texts are numbered from 0 without their own; `taken` has the places of those that were used.

    >>> others = OtherTexts(("a", "b", "c"), 1, range(2))
    >>> list(others[1:]), others.taken
    (['c'], {2})
    """

    def __init__(self, texts: Sequence[str], own: int, numbers: Sequence[int]) -> None:
        self._texts, self._own, self._numbers = texts, own, numbers
        self.taken: set[int] = set()

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = self._numbers[place]
        taken = number + (number >= self._own)
        self.taken.add(taken)
        return self._texts[taken]


@dataclass(frozen=True, eq=False)
class DocumentCopies:
    r"""Makes copies of some texts by a mangler, which may take text from others of them.

    One of so many other texts as `lending` says may lend to a copy, drawn for each copy.

    >>> texts = ["Bees dance.", *"ABCDEFGH"]
    >>> DocumentCopies(PartSpec.of("keep-lines", share=0.0), texts).of(0, seed=1)
    ('G', frozenset({7}))
    """

    mangler: PartSpec
    texts: Sequence[str]
    lending: int = _LENDING

    def of(self, position: int, seed: int, number: int = 0) -> tuple[str, frozenset[int]]:
        """The copy with a number of the text at a position, which follows from the arguments.

        Beside it stand the positions of the texts of which it may hold text.
        """
        text = self.texts[position]
        draw = seeded_draw(seed, normalised("manglers", self.mangler), text, number)
        others: Sequence[int] = range(len(self.texts) - 1) if self.part.needs_others else ()
        if self.lending > 1:
            lenders = seeded_draw(seed, PartSpec("lenders"), text, number)
            others = lenders.sample(others, -(-len(others) // self.lending))
        lent = OtherTexts(self.texts, position, others)
        return self.part(text, draw, lent), frozenset(lent.taken)

    @cached_property
    def part(self) -> Mangler:
        """The mangler."""
        part: Mangler = build("manglers", self.mangler)
        return part
