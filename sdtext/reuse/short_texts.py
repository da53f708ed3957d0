"""Texts that are shorter than a window, which are compared in another way: that is said."""

from __future__ import annotations

from collections.abc import Iterator

from sdtext.errors import counted, shown
from sdtext.model import Problem
from sdtext.reuse.by_windows import LEAST
from sdtext.reuse.queries import Queries
from sdtext.reuse.stored import Stored
from sdtext.reuse.texts import Texts


class ShortTexts:
    """Counts documents of fewer than `w` terms; with 0 there are none."""

    def __init__(self, w: int) -> None:
        self._w = w
        self._problems: list[Problem] = []
        self._stored: dict[str, list[int]] = {}

    def count(self, texts: Texts | None, side: Queries | Stored | None) -> None:
        """Count those among the documents of a side."""
        if texts is None or side is None or not self._w:
            return
        lengths = texts.terms.lengths.tolist()
        short = [place for place, length in enumerate(lengths) if length < self._w]
        if isinstance(side, Stored):
            name = shown(side.collection.path)
            self._stored.setdefault(name, []).extend(lengths[place] for place in short)
            return
        for place in short:
            self._problems.append(self._of_one(texts.known[place].examined.name, lengths[place]))

    def _of_one(self, name: str, length: int) -> Problem:
        """What is said of a document that was read."""
        how = f"it is compared as one window of {length}"
        if length < LEAST:
            how = f"with fewer than {LEAST} it is compared with nothing"
        message = (
            f"{shown(name)}: has {counted(length, 'term')}, fewer than a window of {self._w}; {how}"
        )
        return Problem("warning", "short-text", message, name)

    def problems(self) -> Iterator[Problem]:
        """A warning for each document that was read, and one for each collection."""
        yield from self._problems
        for name, lengths in self._stored.items():
            if not lengths:
                continue
            none = sum(length < LEAST for length in lengths)
            rest = f"; {none} have fewer than {LEAST} and are compared with nothing" if none else ""
            message = (
                f"{name}: {counted(len(lengths), 'document')} of fewer terms than a window of "
                f"{self._w}; such a one is compared as one window of all of its terms{rest}"
            )
            yield Problem("warning", "short-text", message, name)
