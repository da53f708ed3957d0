"""Representations of values that fit on a few lines, whatever they hold."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any, ClassVar

from sdtext.errors import brief


class ShortFields:
    """Shows each field of a dataclass, which sets `repr=False`, in some 60 characters.

    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Titles(ShortFields):
    ...     number: int
    ...     titles: list[str]
    >>> Titles(1000, ["bees dance"] * 1000)
    Titles(number=1000, titles=['bees dance', 'bees dance', 'bees dance', 'bees dance', 'be…)
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __repr__(self) -> str:
        shown = (f"{field.name}={brief(getattr(self, field.name))}" for field in fields(self))
        return f"{type(self).__name__}({', '.join(shown)})"
