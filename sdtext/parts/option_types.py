"""What types the options of parts have: values held to them, and their names in words."""

from __future__ import annotations

from types import UnionType
from typing import Any, get_args

from sdtext.errors import OptionError
from sdtext.model import Option


def typed(part: str, option: str, value: Option, wanted: Any) -> Option:
    """`value` if it is of the type `wanted`; a whole number will do where a float is wanted."""
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        if abs(value) > 2**53:
            raise OptionError.of(part, option, value, said(wanted))
        return float(value)
    found = tuple[str, ...] if isinstance(value, tuple) else type(value)
    if found not in _kinds(wanted):
        raise OptionError.of(part, option, value, said(wanted))
    return value


def _kinds(wanted: Any) -> tuple[Any, ...]:
    """The types of which one will do, where `wanted` is `int | str` or the like."""
    return get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)


def said(wanted: Any) -> str:
    """What a value of that type is, in words.

    >>> said(int | str)
    'a whole number or a text'
    """
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return " or ".join(words.get(kind, "a list of texts") for kind in _kinds(wanted))
