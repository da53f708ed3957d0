"""A whole recipe as JSON, as collections store it."""

from __future__ import annotations

import json
from typing import Any

from sdtext.errors import FormatError
from sdtext.model import Option, PartSpec, RecipeSpec

_KEYS = ("tokenizer", "unit", "shingler", "fingerprint", "index", "matcher", "aligner")


def recipe_as_json(recipe: RecipeSpec) -> str:
    """All parts of a recipe except the reader, which may be a program and is not passed on.

    >>> recipe_as_json(RecipeSpec(PartSpec("words"), matcher=PartSpec.of("idf-cosine", power=2.0)))
    '{"filters": [], "matcher": ["idf-cosine", {"power": 2.0}], "tokenizer": ["words", {}]}'
    """
    fields: dict[str, Any] = {"filters": [_row(part) for part in recipe.filters]}
    for key in _KEYS:
        if part := getattr(recipe, key):
            fields[key] = _row(part)
    return json.dumps(fields, ensure_ascii=False, sort_keys=True)


def _row(part: PartSpec) -> list[object]:
    return [part.name, dict(part.options)]


def recipe_from_json(text: str, name: str) -> RecipeSpec:
    """The recipe in JSON, its parts not looked up yet; `name` is that of the file.

    Raises FormatError.

    >>> recipe_from_json('{"tokenizer": ["words", {}], "filters": []}', "x.sdx").tokenizer.name
    'words'
    """
    try:
        fields = json.loads(text)
        parts = {key: _part(fields[key]) for key in _KEYS if key in fields}
        filters = tuple(_part(row) for row in fields["filters"])
        return RecipeSpec(filters=filters, **parts)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FormatError("is damaged: its recipe cannot be read", file=name) from error


def _part(row: object) -> PartSpec:
    """The part given as `[name, {option: value, …}]`. Raises ValueError."""
    match row:
        case [str(name), dict(options)]:
            return PartSpec(name, tuple(sorted((key, _option(options[key])) for key in options)))
    raise ValueError(row)


def _option(value: object) -> Option:
    match value:
        case str() | int() | float():
            return value
        case list() if all(isinstance(item, str) for item in value):
            return tuple(value)
    raise ValueError(value)
