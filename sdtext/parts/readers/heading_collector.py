"""Collector of text pieces, with a heading right before each title, and marks of quotations."""

from __future__ import annotations

from typing import TypeAlias

from sdtext.model import Heading, QuotationMark

Block: TypeAlias = str | Heading | QuotationMark
MAX_TITLE = 1000
"""Characters of the longest title; what is longer is text that was only marked as one."""


class TitledText:
    r"""Pieces of text, some of them titles.

    >>> gathered = TitledText()
    >>> gathered.add("One.\n")
    >>> gathered.begin_title(2)
    >>> gathered.add("The  bees")
    >>> gathered.end_title()
    >>> gathered.add("\n")
    >>> gathered.taken()
    ['One.\n', Heading(level=2, title='The bees', offset=0), 'The  bees\n']
    """

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        # What was added since the last heading, or since the title that is open began.
        self._pieces: list[str] = []
        self._level = 0

    def add(self, text: str) -> None:
        """Text, of the title if one is open."""
        self._pieces.append(text)

    def begin_title(self, level: int) -> None:
        """All text from here to `end_title` is a title; one that is open ends."""
        self.end_title()
        self._flush()
        self._level = level

    def end_title(self) -> None:
        """The end of the title; nothing happens where none is open."""
        if self._level:
            text = "".join(self._pieces)
            title = " ".join(text.split())
            if title and len(text) <= MAX_TITLE:
                self._blocks.append(Heading(self._level, title))
            self._level = 0

    def mark_quotation(self, *, opens: bool) -> None:
        """A quotation begins or ends here, and so does a title that is open."""
        self.end_title()
        self._flush()
        self._blocks.append(QuotationMark(opens))

    def head(self, title: str) -> None:
        """A heading at level 1 whose title is no part of the text, as the name of a sheet."""
        self.end_title()
        self._flush()
        if words := " ".join(title[:MAX_TITLE].split()):
            self._blocks.append(Heading(1, words))

    def taken(self) -> list[Block]:
        """What was gathered since the last call, but for a title that has not ended."""
        if self._level and sum(map(len, self._pieces)) > MAX_TITLE:
            self._level = 0
        if not self._level:
            self._flush()
        blocks, self._blocks = self._blocks, []
        return blocks

    def _flush(self) -> None:
        if text := "".join(self._pieces):
            self._blocks.append(text)
        self._pieces.clear()
