"""The outline of a PDF file, which viewers show beside its pages (PDF 1.7, 12.3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from sdtext.model import Heading
from sdtext.parts.readers.office.titled import MAX_TITLE

MAX_ITEMS = 10_000
MAX_DEPTH = 16


def outline(pdf: Any) -> dict[int, list[Heading]]:
    """The headings that lead to each page of one of pypdfium2's documents, by its number.

    No more than `MAX_ITEMS` are read, and none deeper than `MAX_DEPTH`; pypdfium2 goes round no
    circle twice.
    """
    found: dict[int, list[Heading]] = {}
    for item in islice(pdf.get_toc(max_depth=MAX_DEPTH), MAX_ITEMS):
        place = item.get_dest()
        page = place.get_index() if place else None
        if page is not None and (title := _title(item)):
            found.setdefault(page, []).append(Heading(item.level + 1, title))
    return found


def placed(headings: Iterable[Heading], text: str) -> Iterator[str | Heading]:
    r"""The text of a page in pieces, with each heading before the line that its title begins.

    Titles are looked for in their order; one that is not found stands where the last one was.

    >>> list(placed([Heading(1, "Two")], "One.\nTwo\nwords"))
    ['One.\n', Heading(level=1, title='Two', offset=0), 'Two\nwords']
    """
    place = 0
    for heading in headings:
        words = map(re.escape, heading.title.split())
        if found := re.compile(r"^[^\S\n]*" + r"\s+".join(words), re.MULTILINE).search(text, place):
            yield text[place : found.start()]
            place = found.start()
        yield heading
    yield text[place:]


def _title(item: Any) -> str:
    try:
        return " ".join(item.get_title()[:MAX_TITLE].split())
    except UnicodeError:  # half a character
        return ""
