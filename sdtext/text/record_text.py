"""The clean text of a record: without disguises, in normal form, without control characters."""

from __future__ import annotations

from sdtext.model import Document
from sdtext.text.disguises import problems_of, undisguised
from sdtext.text.normal_form import clean_with_map


def record_document(text: str, name: str = "") -> Document:
    """The document of a text that is no file of its own, such as a record, by its name.

    >>> document = record_document("b\u200be\u200be\u200bs", "7")
    >>> document.clean, document.offset_map.end(4), document.problems[0].category
    ('bees', 7, 'disguised')
    """
    plain, to_text, undone = undisguised(text)
    cleaned, to_plain = clean_with_map(plain)
    offset_map = to_plain.followed_by(to_text) if to_plain else to_text
    return Document(text, cleaned, offset_map, name, problems=problems_of(undone, name))
