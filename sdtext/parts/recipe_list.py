"""The recipes that come with sdtext, each with its language, its purpose and a title."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdtext.errors import OptionError
from sdtext.formats.toml_reader import table_in
from sdtext.model.displayed_results import ShortFields, TableList
from sdtext.parts.bundled_dictionaries_and_recipes import RECIPES

DICTIONARY, NEAR_DUPLICATES, PASSAGES = "dictionary", "near-duplicates", "passages"
PURPOSES = (NEAR_DUPLICATES, PASSAGES, DICTIONARY)
"""What recipes are for: similar documents, shared passages, or the terms of a dictionary."""

ANY = "any"
"""The language of a recipe that is for several languages, or that knows none."""

_SEGMENTED = ("chinese", "japanese", "korean", "thai")
"""Tokenizers that are called as the language they are for."""

_GROUPS = {"cjk": "chinese, japanese, korean"}
_TITLE = re.compile(r"(?:.|\n)+?(?=[:.;]\s|[:.]?\Z)")


@dataclass(frozen=True, repr=False)
class BundledRecipe(ShortFields):
    """A recipe that comes with sdtext, as `ListRecipes` shows it.

    - `name`: the name by which it is used.
    - `language`: the language it is for, or "any".
    - `purpose`: one of `PURPOSES`. A recipe for a dictionary defines terms alone, one for
      near-duplicates or passages also what a collection stores and how it is searched.
    - `title`: what it is, in a few words: the beginning of the comment in its file.
    """

    name: str
    language: str
    purpose: str
    title: str


def list_recipes(purpose: str | None = None) -> list[BundledRecipe]:
    """The recipes that come with sdtext, of all purposes or of one, by name.

    Raises OptionError for an unknown purpose.

    >>> [recipe.name for recipe in list_recipes("passages")]
    ['evidence', 'reuse']
    """
    if purpose not in (None, *PURPOSES):
        raise OptionError.of("list_recipes", "purpose", purpose, f"one of {', '.join(PURPOSES)}")
    recipes = map(_described, RECIPES.names())
    return TableList(recipe for recipe in recipes if purpose in (None, recipe.purpose))


def _described(name: str) -> BundledRecipe:
    path = RECIPES.path(name)
    assert path is not None  # noqa: S101 (it is listed)
    text = path.read_text("utf-8")
    table = table_in(text.encode("utf-8"), str(path), "a recipe")
    return BundledRecipe(name, _language(table), _purpose(table), _title(text))


def _title(text: str) -> str:
    """The beginning of the first comment, up to a colon, semicolon or full stop."""
    comment = re.match(r"(?:#.*\n)*", text)
    words = " ".join(line.removeprefix("#").strip() for line in (comment or "")[0].splitlines())
    title = _TITLE.match(words)
    return title[0] if title else ""


def _purpose(table: Mapping[str, Any]) -> str:
    if "aligner" in table:
        return PASSAGES
    return NEAR_DUPLICATES if "shingler" in table else DICTIONARY


def _language(table: Mapping[str, Any]) -> str:
    """The one language that the filters name, else that of the tokenizer, else "any"."""
    tokenizer, *filters = map(_spelled, (table["tokenizer"], *table.get("filters", ())))
    named = {str(part["language"]) for part in filters if "language" in part}
    # A file of stop words beside the recipes is called as its language: english-….txt.
    named |= {str(part["file"]).partition("-")[0] for part in filters if "file" in part}
    if not named and tokenizer["name"] in _SEGMENTED:
        return str(tokenizer["name"])
    if len(named) != 1 or named == {"auto"}:
        return ANY
    return next(_GROUPS.get(language, language) for language in named)


def _spelled(part: Any) -> Mapping[str, Any]:
    return part if isinstance(part, dict) else {"name": part}
