"""A few sentences in each of many languages, and words of one meaning that are to meet."""

import tomllib
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).parents[1] / "samples" / "languages.toml"
_TABLES = tomllib.loads(_FILE.read_text("utf-8"))


class Sample(NamedTuple):
    """Sentences, and forms of one word that the language's recipe makes one term of."""

    text: str
    forms: tuple[str, ...] = ()


SAMPLES = {
    name: Sample(row["text"], tuple(row["forms"])) for name, row in _TABLES["samples"].items()
}
"""By the name of the recipe, which is also that of the stop list and of Snowball's stemmer."""

OTHERS: dict[str, str] = _TABLES["others"]
"""Sentences in languages whose recipes are others', or that have none."""
