"""The whole document as one unit."""

from __future__ import annotations

from dataclasses import dataclass

from sdtext.model import Span
from sdtext.parts.units.trimmed_spans import spans_from
from sdtext.text.document import Document


@dataclass(frozen=True)
class Whole:
    r"""The whole document as one unit.

    >>> Whole()(Document(" All of it.\n", " All of it.\n"))
    [Span(start=1, end=11, title='')]
    """

    def __call__(self, document: Document) -> list[Span]:
        return spans_from(document.text, [(0, "")])
