"""TOML files: recipes and output configurations."""

from __future__ import annotations

import tomllib
from typing import Any

from sdtext.errors import FormatError


def table_in(data: bytes, name: str, what: str) -> dict[str, Any]:
    """Parse a TOML file.

    `name` is the file's and `what` says what it should be, for messages. Raises FormatError.

    >>> table_in(b"tokenizer = 'words'", "r.toml", "a recipe")
    {'tokenizer': 'words'}
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, too large a number or depth
        why = " ".join(str(error).split())[:200]
        raise FormatError(f"is not {what}: {why}", file=name) from error
