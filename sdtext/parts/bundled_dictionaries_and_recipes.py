"""The dictionaries and recipes that come with sdtext, by name.

A name always means what comes with sdtext, in every folder, and everything else is a path: where
`english` is a recipe, a file called `english` is `./english`. A recipe may name a program to run,
so no file in the current folder stands in for a name. A `Path` is always a file. Dictionaries and
recipes have separate names: the dictionary `english` is never taken for the recipe `english`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import Any

from sdtext.errors import OptionError, UnreadableError
from sdtext.formats.toml_reader import table_in
from sdtext.model.displayed_results import ShortFields

_PACKAGE = Path(__file__).parents[1]
_NAME = re.compile(r"[\w-]+")
_OTHERS = ("output-", "experiment")
"""The first letters of output configurations and plans, which stand beside the recipes."""
DICTIONARY, NEAR_DUPLICATES, PASSAGES = "dictionary", "near-duplicates", "passages"
PURPOSES = (NEAR_DUPLICATES, PASSAGES, DICTIONARY)
"""What recipes are for: similar documents, shared passages, or the terms of a dictionary."""

ANY = "any"
"""The language of a recipe that is for several languages, or that knows none."""

_SEGMENTED = ("chinese", "japanese", "korean", "thai")
"""Tokenizers that are called as the language they are for."""

_TITLE = re.compile(r".+?(?=[:.;]\s|[:.]?\Z)")


@dataclass(frozen=True)
class Bundle:
    """One kind of file that comes with sdtext: `singular` and `plural`, its folder and suffix.

    >>> DICTIONARIES.path("english").name, RECIPES.path("english").name
    ('english.xml.gz', 'english.toml')
    >>> RECIPES.path("letters.toml"), RECIPES.path(Path("english"))
    (None, None)
    """

    singular: str
    plural: str
    suffix: str
    folder: str

    def path(self, given: str | Path) -> Path | None:
        """The file that comes with sdtext under the name `given`; None if there is none."""
        if not isinstance(given, str) or not _NAME.fullmatch(given) or given.startswith(_OTHERS):
            return None
        path = self.home / f"{given}{self.suffix}"
        return path if isfile(path) else None  # noqa: PTH113 (of any name)

    def resolve(self, given: str | Path) -> Path | str:
        """The file under the name `given`, else the path `given` itself.

        Raises UnreadableError for what is neither such a name nor, as a path, a file.

        >>> RECIPES.resolve("letters/own.toml")
        'letters/own.toml'
        """
        if path := self.path(given):
            return path
        is_name = isinstance(given, str) and given != "-" and _NAME.fullmatch(given)
        if is_name and not os.path.lexists(given):
            names = ", ".join(self.names()) or "none, in this installation"
            what = f"no such {self.singular} or file; {self.plural}: {names}"
            raise UnreadableError(what, file=given)
        return given

    def holds(self, file: str | Path) -> bool:
        """Whether a file, as `resolve` gives it, comes with sdtext.

        >>> RECIPES.holds(RECIPES.resolve("english")), RECIPES.holds("letters/own.toml")
        (True, False)
        """
        return Path(file).parent == self.home

    def names(self) -> list[str]:
        """The names, in alphabetical order."""
        files = self.home.glob(f"*{self.suffix}")
        names = (file.name.removesuffix(self.suffix) for file in files)
        return sorted(name for name in names if not name.startswith(_OTHERS))

    @property
    def home(self) -> Path:
        """Their folder: in the installed package, or beside it in a checkout."""
        in_checkout = _PACKAGE.with_name("pyproject.toml").is_file()
        return (_PACKAGE.parent if in_checkout else _PACKAGE) / self.folder


DICTIONARIES = Bundle("dictionary", "dictionaries", ".xml.gz", "dictionaries")
RECIPES = Bundle("recipe", "recipes", ".toml", "configs")


@dataclass(frozen=True, repr=False)
class BundledRecipe(ShortFields):
    """A recipe that comes with sdtext, as `ListRecipes` shows it.

    - `name`: the name by which it is used.
    - `language`: the language it is for, "cjk" for Chinese, Japanese and Korean, or "any".
    - `purpose`: one of `PURPOSES`. A recipe for a dictionary defines terms alone, one for
      near-duplicates or passages also what a collection stores and how it is searched.
    - `title`: what it is, in 28 characters at most, so that a row fits a line of 80 columns: the
      beginning of the comment in its file.
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
    if purpose is not None:
        OptionError.unless_in(PURPOSES, "list_recipes", "purpose", purpose)
    recipes = map(_described, RECIPES.names())
    return [recipe for recipe in recipes if purpose in (None, recipe.purpose)]


def _described(name: str) -> BundledRecipe:
    text = (RECIPES.home / f"{name}{RECIPES.suffix}").read_text("utf-8")
    table = table_in(text.encode("utf-8"), name, "a recipe")
    of_documents = NEAR_DUPLICATES if "shingler" in table else DICTIONARY
    comment = re.match(r"(?:#.*\n)*", text)
    words = " ".join(line.removeprefix("#").strip() for line in (comment or "")[0].splitlines())
    title = _TITLE.match(words)
    purpose = PASSAGES if "aligner" in table else of_documents
    return BundledRecipe(name, _language(table), purpose, title[0] if title else "")


def _language(table: Mapping[str, Any]) -> str:
    """The one language that the filters name, else that of the tokenizer, else "any"."""
    parts = (table["tokenizer"], *table.get("filters", ()))
    tokenizer, *filters = (part if isinstance(part, dict) else {"name": part} for part in parts)
    named = {str(part["language"]) for part in filters if "language" in part}
    # A file of stop words beside the recipes is called as its language: english-….txt.
    named |= {str(part["file"]).partition("-")[0] for part in filters if "file" in part}
    if not named and tokenizer["name"] in _SEGMENTED:
        return str(tokenizer["name"])
    return next(iter(named)) if len(named) == 1 and named != {"auto"} else ANY
