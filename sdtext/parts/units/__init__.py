"""Units: the parts of a document that are compared separately."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sdtext.model import Span
from sdtext.text.document import Document


class Unit(Protocol):
    """The one member of a unit, a frozen dataclass whose fields are its options.

    `segment` is the exception: it cuts a stream of terms, not a document.
    """

    def __call__(self, document: Document) -> Sequence[Span]:
        """The spans of the document's text in order, without overlap.

        None is empty or has white space at an end, and all visible text is in one of them.
        """
