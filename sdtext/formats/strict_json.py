"""JSON as RFC 8259 has it: numbers that are none, such as infinity, are null."""

import json
from math import isfinite
from typing import Any

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def json_text(value: object, *, ensure_ascii: bool = False, **more: Any) -> str:
    """`value` as JSON; `more` are options of `json.dumps`.

    >>> json_text({"score": float("inf"), "name": "é"})
    '{"score": null, "name": "é"}'
    """
    try:
        if not (ensure_ascii or more):
            return _ENCODER.encode(value)
        return json.dumps(value, ensure_ascii=ensure_ascii, allow_nan=False, **more)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=ensure_ascii, allow_nan=False, **more)


def cell_text(value: object) -> str:
    """A value as the text of a cell: nothing for None, JSON for anything but text.

    >>> [cell_text(value) for value in ("a", 7, None, True, ["b"])]
    ['a', '7', '', 'true', '["b"]']
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {_finite(key): _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
