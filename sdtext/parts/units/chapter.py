"""Chapters: the text under a heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sdtext.errors import OptionError
from sdtext.model import Heading, Span
from sdtext.parts.units.text_headings import headings_in
from sdtext.parts.units.trimmed_spans import spans_from
from sdtext.text.document import Document


@dataclass(frozen=True)
class Chapter:
    r"""Chapters, from a heading of this `level` or above it to the next one; 1 is the highest.

    Headings are those that the format marks; where it marks none, those in the text: of Markdown,
    underlined ones, and lines such as "CHAPTER I" (`text_headings`).

    Without `level` it is the highest level with two or more headings, since a single heading is
    the title of the document; if there is none, the highest level. The text before the first
    heading is a chapter without a title, and so is a document without headings. Of several
    headings with no text between them, the last gives the title.

    >>> text = "By A. One\nIt begins.\nTwo\nIt ends."
    >>> headings = (Heading(1, "One", 6), Heading(1, "Two", 21))
    >>> for span in Chapter()(Document(text, text, headings=headings)):
    ...     print(span.title, "|", text[span.start : span.end].replace("\n", " "))
     | By A.
    One | One It begins.
    Two | Two It ends.
    """

    level: int = 0

    def __post_init__(self) -> None:
        if self.level < 0:
            raise OptionError.of("chapter", "level", self.level, "1 or more, or 0 to choose one")

    def __call__(self, document: Document) -> list[Span]:
        headings = document.headings or headings_in(document)
        level = self.level or _level_of_chapters(headings)
        last = len(document.text)
        beginnings = [
            (min(max(heading.offset, 0), last), heading.title)
            for heading in headings
            if heading.level <= level
        ]
        beginnings.sort(key=lambda beginning: beginning[0])
        return spans_from(document.text, [(0, ""), *beginnings])


def _level_of_chapters(headings: Sequence[Heading]) -> int:
    levels = sorted(heading.level for heading in headings)
    repeated = [level for level, following in pairwise(levels) if level == following]
    return next(iter(repeated or levels), 0)
