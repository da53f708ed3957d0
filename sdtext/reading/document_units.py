"""The units of one document: its pages, chapters, paragraphs or sentences."""

from __future__ import annotations

from os import PathLike

from sdtext.errors import OptionError, check_type, naming_arguments
from sdtext.model import Span
from sdtext.model.displayed_results import TableList
from sdtext.parts.registry import build, parse
from sdtext.parts.units import Unit
from sdtext.reading.options import Reading, checked_reading
from sdtext.reading.text_arguments import document_in_file
from sdtext.text.document import Document


@naming_arguments
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
    divide, how = unit_of(unit), checked_reading("units", reading)
    return TableList(divide(document_in_file("units", "document", document, how)))


def unit_of(text: str) -> Unit:
    """The unit that a text such as `sentence(length=150)` describes. Raises OptionError.

    >>> unit_of("page")
    Page()
    """
    spec = parse(text)
    if spec.name == "segment":
        raise OptionError("segment: divides terms, not text; fingerprints have it as an option")
    return build("units", spec)
