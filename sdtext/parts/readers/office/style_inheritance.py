"""Inheritance among the styles of an office document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(slots=True)
class Style(Generic[Value]):
    """The own properties of a style, and the key of its parent."""

    parent: str = ""
    says: dict[str, Value] = field(default_factory=dict)


def inherited(styles: Mapping[str, Style[Value]]) -> dict[str, dict[str, Value]]:
    """The properties of each style with inherited ones, by its key.

    >>> inherited({"title": Style("text", {"level": 1}), "text": Style(says={"page": 0})})
    {'title': {'page': 0, 'level': 1}, 'text': {'page': 0}}
    """
    resolved: dict[str, dict[str, Value]] = {}
    for key in styles:
        path = []
        current = key
        while current in styles and current not in resolved:
            resolved[current] = {}  # lest a circle is gone round for ever
            path.append(current)
            current = styles[current].parent
        for each in reversed(path):
            style = styles[each]
            resolved[each] = {**resolved.get(style.parent, {}), **style.says}
    return resolved
