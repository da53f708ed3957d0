"""Pages in the text of an office document, which flows from one to the next."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sdtext.parts.readers.office.story import Handlers, Story

# What began the page on which nothing stands yet.
_HARD, _SOFT = "hard", "soft"
# A soft break among the pieces of a paragraph; no XML file can have this character.
_MARK = "\0"
_ENDS = re.compile("([\n\f])")


class PagedStory(Story):
    """A story whose text stands on pages; a form feed ends each but the last.

    A break is hard where the document asks for it, and soft where a page was full when it was
    saved. Where both meet there is one page, not two, and none before the first paragraph.

    A soft break does not part a line, for its sentence goes on: there the page begins behind the
    line. So each line belongs to the page on which it begins, and all pages keep their numbers.
    """

    def __init__(self, begin: Handlers, finish: Handlers) -> None:
        super().__init__(begin, finish)
        # Whether there are pages, and what comes stands in no box beside their paragraphs.
        self.flows = True
        # Whether the end of the paragraph on the page asks for more than a line end.
        self.special_end = False
        self.rows = 0
        self._fresh = _HARD
        self._parted = False
        self._carried = self._cell = 0
        self._row_breaks = self._cell_breaks = 0

    @property
    def in_flow(self) -> bool:
        """Whether what comes stands on the pages themselves, not in a box, a note or a margin."""
        return self.flows and len(self.open) < 2

    @property
    def is_fresh(self) -> bool:
        """Whether nothing stands yet on the page that has begun."""
        return bool(self._fresh)

    def begin_page(self) -> None:
        """A hard break before what has just begun; in a row, the first cell has it for all."""
        if not self.in_flow or self._cell > 1:
            return
        if not self._fresh:
            self.turn()
        self._fresh = _HARD

    def end_page(self) -> None:
        """A hard break right here, whatever comes before it: two of them leave a page empty."""
        if not self.in_flow:
            self.add("\n")
            return
        self.special_end = self._parted = bool(self.open)
        if self.open and self.open[-1].pieces:
            self.add("\f")
        else:  # lest it is part of a title
            self.text.add("\f")
            self._fresh = _HARD

    def begin_soft_page(self, _: Mapping[str, str]) -> None:
        """A soft break."""
        if not self.in_flow or not self._is_first_in_row():
            return
        pieces = self.open[-1].pieces if self.open else []
        if not pieces and self._fresh != _HARD:
            self.turn()
            self._fresh = _SOFT
        elif pieces and pieces[-1] != "\f":
            # Before the last piece, for that may be the end of the line.
            pieces.insert(-1, _MARK)
            self.special_end = True

    def turn(self) -> None:
        """The page ends before the paragraph that is open, or here if none is."""
        self.text.add("\f")

    def begin_row(self, _: Mapping[str, str]) -> None:
        """A row of a table, whose cells stand side by side."""
        self.rows += 1
        if self.rows == 1:
            self._cell = self._row_breaks = 0

    def begin_cell(self, _: Mapping[str, str]) -> None:
        """A cell of a row."""
        if self.rows == 1:
            self._cell += 1
            self._cell_breaks = 0

    def finish_row(self) -> None:
        """The row's end."""
        self.rows -= 1
        if not self.rows:
            self._cell = 0

    def _is_first_in_row(self) -> bool:
        """Whether no cell beside this one had the same soft break."""
        if not self.rows:
            return True
        self._cell_breaks += 1
        known, self._row_breaks = self._row_breaks, max(self._row_breaks, self._cell_breaks)
        return self._cell_breaks > known

    def finish_paragraph(self) -> None:
        """The paragraph's end."""
        if self.flows and len(self.open) == 1:
            self._fresh = ""
            if self.special_end:
                self.special_end = False
                self.finish_specially()
                return
        super().finish_paragraph()

    def finish_specially(self) -> None:
        """The end of a paragraph with breaks in it, behind which a page may end, too."""
        pieces = self.open[-1].pieces
        if self._parted and (not pieces or pieces[-1] == "\f"):
            self._fresh = _HARD
        self._parted = False
        ends = self._moved_marks()
        super().finish_paragraph()
        self.text.add("\f" * ends)

    def _moved_marks(self) -> int:
        """How many pages end behind the open paragraph; those within it end behind their lines."""
        paragraph = self.open[-1]
        parts = [*_ENDS.split("".join(paragraph.pieces)), ""]
        moved, waiting = [], self._carried
        for line, end in zip(parts[::2], parts[1::2], strict=True):
            waiting += line.count(_MARK)
            moved += [line.replace(_MARK, ""), end]
            if end:
                moved.append("\f" * waiting)
                waiting = 0
        paragraph.pieces = moved
        # A paragraph whose end was deleted goes on in the next one.
        self._carried = 0 if paragraph.end else waiting
        self.special_end = self._carried > 0
        return waiting - self._carried
