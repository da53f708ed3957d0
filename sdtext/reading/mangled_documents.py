"""Copies of documents by a mangler, as documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sdtext.model import PartSpec
from sdtext.parts.manglers import Mangler, seeded_draw
from sdtext.parts.registry import build, normalised
from sdtext.text.document import Document

_LENDING = 4  # one document in so many may lend text to a copy: the rest is unrelated to it


class OtherTexts(Sequence[str]):
    """Some texts but the one at the place `own`: all others, or those with certain numbers.

    Texts are numbered from 0 without their own; `taken` has the places of those that were used.

    >>> others = OtherTexts(("a", "b", "c"), 1)
    >>> list(others[1:]), others.taken
    (['c'], {2})
    """

    def __init__(
        self, texts: Sequence[str], own: int, numbers: Sequence[int] | None = None
    ) -> None:
        self._texts, self._own = texts, own
        self._numbers = range(len(texts) - 1) if numbers is None else numbers
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


@dataclass(frozen=True)
class MangledDocument:
    """A copy, and the places of the documents whose text it may hold besides."""

    document: Document
    lenders: frozenset[int]


@dataclass(frozen=True, eq=False)
class DocumentCopies:
    r"""Makes copies of some texts by a mangler, which may take text from a quarter of the others.

    >>> copies = DocumentCopies(PartSpec.of("keep-lines", share=0.0), ["Bees dance.", *"ABCDEFGH"])
    >>> copy = copies.of(0, seed=1)
    >>> copy.document.text, copy.lenders
    ('G', frozenset({7}))
    """

    mangler: PartSpec
    texts: Sequence[str]

    def of(self, position: int, seed: int, number: int = 0) -> MangledDocument:
        """The copy with a number of the text at a position, which follows from the arguments.

        A copy without text is empty.
        """
        text = self.texts[position]
        draw = seeded_draw(seed, normalised("manglers", self.mangler), text, number)
        lending: Sequence[int] = ()
        if self.part.needs_others:
            others = range(len(self.texts) - 1)
            lenders = seeded_draw(seed, PartSpec("lenders"), text, number)
            lending = lenders.sample(others, -(-len(others) // _LENDING))
        lent = OtherTexts(self.texts, position, lending)
        document = Document.of(self.part(text, draw, lent), offsets=False)
        return MangledDocument(document, frozenset(lent.taken))

    @cached_property
    def part(self) -> Mangler:
        """The mangler."""
        part: Mangler = build("manglers", self.mangler)
        return part
