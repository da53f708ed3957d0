"""Units that the layout of a document marks: the whole, pages, chapters and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from sdtext.errors import OptionError
from sdtext.model import Heading, Span
from sdtext.parts.units import each_span_from, spans_from
from sdtext.parts.units.text_headings import headings_in
from sdtext.text.document import Document

_PAGE_END = re.compile("\f")
# Unicode's ends of lines (its newline guidelines); a vertical tab breaks a line in a paragraph.
# Each pattern begins with a set of characters, which Python's engine finds quickly.
_LINE_END = re.compile("[\n\r\x85\u2028\u2029\f][\n\r\x85\u2028\u2029\f]*+")
_PARAGRAPH_END = re.compile(
    "[\n\r\x85\u2028\u2029\f]"
    "(?:(?<=[\u2029\f])"
    "|(?:(?<=\r)\n)?+(?:[^\\S\n\r\x85\u2028\u2029\f]*+(?>\r\n|[\n\r\x85\u2028]))++)"
)


@dataclass(frozen=True)
class Whole:
    r"""The whole document as one unit.

    >>> Whole()(Document(" All of it.\n", " All of it.\n"))
    [Span(start=1, end=11, title='')]
    """

    def __call__(self, document: Document) -> list[Span]:
        return spans_from(document.text, [(0, "")])


@dataclass(frozen=True)
class Page:
    r"""Pages (slides, sheets), which end at form feeds. Their titles are their numbers, from 1.

    An empty page gives no unit, but counts for the numbers. A text without form feeds is one page
    without a title.

    >>> Page()(Document("one\f\fthree", "one  three"))
    [Span(start=0, end=3, title='1'), Span(start=5, end=10, title='3')]
    """

    def __call__(self, document: Document) -> list[Span]:
        starts = [0, *(match.end() for match in _PAGE_END.finditer(document.text))]
        if len(starts) == 1:
            return spans_from(document.text, [(0, "")])
        return spans_from(
            document.text, ((start, str(page)) for page, start in enumerate(starts, 1))
        )


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


@dataclass(frozen=True)
class Paragraph:
    r"""Paragraphs: lines, if the format has one paragraph per line, else separated by blank lines.

    The end of a page ends a paragraph, too, because the footer of a page and the header of the
    next interrupt one that continues.

    >>> text = "A paragraph\nof two lines.\n \nAnother."
    >>> [text[span.start : span.end] for span in Paragraph()(Document(text, text))]
    ['A paragraph\nof two lines.', 'Another.']
    """

    def __call__(self, document: Document) -> list[Span]:
        return list(self.each(document))

    def each(self, document: Document) -> Iterator[Span]:
        """The paragraphs one by one."""
        ending = _LINE_END if document.line_paragraphs else _PARAGRAPH_END
        ends = ((match.end(), "") for match in ending.finditer(document.text))
        return each_span_from(document.text, chain([(0, "")], ends))
