"""Names of the rules of deduplication, of their choices, and of the default recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

RULES = ("direct", "cluster", "contained")
"""Which documents are removed: those similar to a kept one, all but one of each cluster, or those
whose shingles are in a kept one."""

KEEP = ("first", "longest", "shortest")
"""The orders in which documents are kept by their texts; the first of equal ones."""

KEEP_FORMS = (*KEEP, "newest[:FIELD]", "best:FIELD", "none")
"""All choices of which document is kept; some name a field of the records."""

SCOPE_FORMS = ("within:FIELD", "across:FIELD")
"""Which pairs count: those with the same value in a field, or those with different ones."""

DEFAULT_RECIPE = "deduplicate"
"""The recipe that comes with sdtext under this name."""

DOCUMENT = "document"
UNITS = (DOCUMENT, "paragraph", "sentence", "passage")
"""What is compared and removed: whole documents, or these parts of them."""

LEAST_WORDS = {"paragraph": 1, "sentence": 1, "passage": 50}
"""The default of the fewest words of a part of a document that is compared."""

_DEFAULT_FIELDS = {"newest": "date"}
_OPTIONAL, _REQUIRED = "[:FIELD]", ":FIELD"


@dataclass(frozen=True)
class FieldChoice:
    """A choice, and the field of records that it depends on; "" where it depends on none.

    `is_stated` tells whether the field was stated, and is not the default one.
    """

    name: str
    field: str = ""
    is_stated: bool = False

    def __str__(self) -> str:
        return f"{self.name}:{self.field}" if self.field else self.name

    @classmethod
    def parsed(cls, text: str, forms: Sequence[str]) -> FieldChoice | None:
        """The choice that `text` states in one of these forms, None for another text.

        >>> FieldChoice.parsed("best:quality", KEEP_FORMS).field
        'quality'
        >>> FieldChoice.parsed("newest", KEEP_FORMS).field
        'date'
        >>> FieldChoice.parsed("best", KEEP_FORMS), FieldChoice.parsed("first:x", KEEP_FORMS)
        (None, None)
        """
        name, colon, field = text.partition(":")
        wanted = (name + _OPTIONAL, name + _REQUIRED) if colon else (name, name + _OPTIONAL)
        if (colon and not field) or not set(wanted) & set(forms):
            return None
        return cls(name, field or _DEFAULT_FIELDS.get(name, ""), bool(field))
