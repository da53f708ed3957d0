"""TOML files: recipes and output configurations."""

import re
import tomllib
from itertools import accumulate
from typing import Any

from sdtext.errors import FormatError, OptionError
from sdtext.wording import printable

_LONGEST = 200  # characters of a key, of a number, and of a message of the parser
MAX_BYTES = 1 << 20
_MAX_PARTS = 32  # of a dotted key: the parser needs memory by the square of their number
_MAX_DEPTH = 32  # of brackets: the parser needs a frame for each
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
    """Parse a TOML file of at most 1 MB, with keys of at most 32 parts and 200 characters.

    `name` is the file's and `what` says what it should be, for messages. Raises FormatError, and
    OptionError for a larger file, a longer key, or brackets in more than 32 others.

    >>> table_in(b"tokenizer = 'words'", "r.toml", "a recipe")
    {'tokenizer': 'words'}
    """
    if len(data) > MAX_BYTES:
        raise OptionError(f"has more than {MAX_BYTES:,} bytes, too many for {what}", file=name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        why = f"it is not UTF-8 (byte {error.start + 1:,}); save it as UTF-8"
        raise FormatError(f"is not {what}: {why}", file=name) from error
    bare = _TEXTS.sub("", text)
    steps = ((mark in "[{") - (mark in "]}") for mark in re.findall(r"[\[\]{}]", bare))
    if max(accumulate(steps), default=0) > _MAX_DEPTH:
        raise OptionError(f"nests arrays or tables more than {_MAX_DEPTH} deep", file=name)
    pieces = map(str.strip, _SEPARATORS.split(bare))
    if any(piece.count(".") >= _MAX_PARTS or len(piece) > _LONGEST for piece in pieces):
        what = f"has a key of more than {_MAX_PARTS} parts, or a key or number that is too long"
        raise OptionError(what, file=name)
    try:
        return tomllib.loads(text)
    except ValueError as error:  # no TOML, or too large a number
        why = printable(" ".join(str(error).split()))[:_LONGEST]
        raise FormatError(f"is not {what}: {why}", file=name) from error
