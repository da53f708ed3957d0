"""TOML files: recipes and output configurations."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from sdtext.errors import FormatError, OptionError
from sdtext.wording import printable

_LONGEST = 200  # characters of a message of the parser
_MAX_BYTES = 1 << 20
_MAX_PARTS = 32  # of a dotted key: the parser needs memory by the square of their number
_TEXTS = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"""|\\?\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*+(?:["\n]|\\?\Z)'
    r"|'[^'\n]*(?:['\n]|\Z)"
    r"|#[^\n]*",
    re.DOTALL,
)
"""Strings and comments, also those that do not end, so that a search takes linear time."""
_SEPARATORS = re.compile(r"[=\[\]{},\n]")


def table_in(data: bytes, name: str, what: str) -> dict[str, Any]:
    """Parse a TOML file of at most 1 MB, whose keys have at most 32 parts.

    `name` is the file's and `what` says what it should be, for messages. Raises FormatError, and
    OptionError for a larger file or longer key.

    >>> table_in(b"tokenizer = 'words'", "r.toml", "a recipe")
    {'tokenizer': 'words'}
    """
    if len(data) > _MAX_BYTES:
        raise OptionError(f"has more than {_MAX_BYTES:,} bytes, too many for {what}", file=name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        why = f"it is not UTF-8 (byte {error.start + 1:,}); save it as UTF-8"
        raise FormatError(f"is not {what}: {why}", file=name) from error
    if any(piece.count(".") >= _MAX_PARTS for piece in _SEPARATORS.split(_TEXTS.sub("", text))):
        raise OptionError(f"has a key of more than {_MAX_PARTS} parts", file=name)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # no TOML, too large a number or depth
        why = printable(" ".join(str(error).split()))[:_LONGEST]
        raise FormatError(f"is not {what}: {why}", file=name) from error
