"""The whole document as one unit."""

from __future__ import annotations

from dataclasses import dataclass

from sdtext.model import Document, Span
from sdtext.parts.units.trimmed_spans import spans_from


@dataclass(frozen=True)
class Whole:
    r"""The whole document as one unit.

    >>> Whole()(Document(" All of it.\n", " All of it.\n"))
    [Span(start=1, end=11, title='')]
    """

    def __call__(self, document: Document) -> list[Span]:
        return spans_from(document.text, [(0, "")])
