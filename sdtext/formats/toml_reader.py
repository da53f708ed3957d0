"""TOML files: recipes and output configurations."""

from __future__ import annotations

import tomllib
from typing import Any

from sdtext.errors import FormatError
from sdtext.wording import printable

_LONGEST = 200  # characters of a message of the parser


def table_in(data: bytes, name: str, what: str) -> dict[str, Any]:
    """Parse a TOML file.

    `name` is the file's and `what` says what it should be, for messages. Raises FormatError.

    >>> table_in(b"tokenizer = 'words'", "r.toml", "a recipe")
    {'tokenizer': 'words'}
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        why = f"it is not UTF-8 (byte {error.start + 1:,}); save it as UTF-8"
        raise FormatError(f"is not {what}: {why}", file=name) from error
    except (ValueError, RecursionError) as error:  # no TOML, too large a number or depth
        why = printable(" ".join(str(error).split()))[:_LONGEST]
        raise FormatError(f"is not {what}: {why}", file=name) from error
