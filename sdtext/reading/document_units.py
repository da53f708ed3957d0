"""The units of one document: its pages, chapters, paragraphs or sentences."""

from __future__ import annotations

from os import PathLike

from sdtext.errors import OptionError, check_type
from sdtext.model import Span
from sdtext.parts.registry import build, parse
from sdtext.parts.units import Unit
from sdtext.reading.options import Reading
from sdtext.reading.text_arguments import document_in_file
from sdtext.text.document import Document


def units(
    document: str | PathLike[str] | Document,
    unit: str = "paragraph",
    *,
    reading: Reading | None = None,
) -> list[Span]:
    """The units of a document in order, as half-open ranges of its text, with their titles.

    `unit` is `document`, `page`, `chapter`, `paragraph` or `sentence`, optionally with options, as
    in "sentence(length=150)". The document is a `Document` or the path of its file, and `reading`
    says how to read it. Raises OptionError and UnreadableError.

    >>> document = Document.of("Bees dance. They show the way.")
    >>> [document.text[span.start : span.end] for span in units(document, "sentence")]
    ['Bees dance.', 'They show the way.']
    """
    check_type("units", "unit", unit, (str,), "the name of a unit, such as 'paragraph'")
    divide = unit_of(unit)
    return list(divide(document_in_file("units", "document", document, reading or Reading())))


def unit_of(text: str) -> Unit:
    """The unit that a text such as `sentence(length=150)` describes. Raises OptionError.

    >>> unit_of("page")
    Page()
    """
    spec = parse(text)
    if spec.name == "segment":
        raise OptionError("segment: divides terms, not text; fingerprints have it as an option")
    return build("units", spec)
