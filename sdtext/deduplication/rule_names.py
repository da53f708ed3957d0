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
    def parsed(cls, text: object, forms: Sequence[str]) -> FieldChoice | None:
        """The choice that `text` states in one of these forms, None for another text.

        >>> FieldChoice.parsed("best:quality", KEEP_FORMS).field
        'quality'
        >>> FieldChoice.parsed("newest", KEEP_FORMS).field
        'date'
        >>> FieldChoice.parsed("best", KEEP_FORMS), FieldChoice.parsed("first:x", KEEP_FORMS)
        (None, None)
        """
        name, colon, field = text.partition(":") if isinstance(text, str) else ("", "", "")
        if colon and not field:
            return None
        wanted = (name + _OPTIONAL, name + _REQUIRED) if colon else (name, name + _OPTIONAL)
        if not set(wanted) & set(forms):
            return None
        return cls(name, field or _DEFAULT_FIELDS.get(name, ""), bool(field))


def meant(text: object, forms: Sequence[str]) -> str:
    """The hint at the first form for a text that names a field alone; "" for other texts.

    >>> meant("lang", SCOPE_FORMS), meant("within:", SCOPE_FORMS), meant("size", KEEP_FORMS)
    ('; did you mean within:lang?', '', '')
    """
    names = [form.removesuffix(_REQUIRED) for form in forms if form.endswith(_REQUIRED)]
    is_field = isinstance(text, str) and ":" not in text and text not in names
    return f"; did you mean {names[0]}:{text}?" if is_field and len(names) == len(forms) else ""
