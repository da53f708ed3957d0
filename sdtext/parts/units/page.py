"""Pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sdtext.model import Span
from sdtext.parts.units.trimmed_spans import spans_from
from sdtext.text.document import Document

_PAGE_END = re.compile("\f")


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
