"""Paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from sdtext.model import Span
from sdtext.parts.units.trimmed_spans import each_span_from
from sdtext.text.document import Document

# Unicode's ends of lines (its newline guidelines); a vertical tab breaks a line in a paragraph.
# Each pattern begins with a set of characters, which Python's engine finds quickly.
_LINE_END = re.compile("[\n\r\x85\u2028\u2029\f][\n\r\x85\u2028\u2029\f]*+")
_PARAGRAPH_END = re.compile(
    "[\n\r\x85\u2028\u2029\f]"
    "(?:(?<=[\u2029\f])"
    "|(?:(?<=\r)\n)?+(?:[^\\S\n\r\x85\u2028\u2029\f]*+(?>\r\n|[\n\r\x85\u2028]))++)"
)


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
