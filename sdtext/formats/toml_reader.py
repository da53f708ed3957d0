"""TOML files: recipes and output configurations."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from sdtext.errors import FormatError, printable

_LINE = re.compile(r"\(at line (\d+), column (\d+)\)")
_BARE = re.compile(r"[^\W\d_]|[\u2018-\u201f\u00ab\u2039]")
"""How a text begins that has no quotes, or has those of a word processor."""
_WIDTH = 80  # characters of a line that are quoted
_CAUSES = {
    r"Illegal character '\\n'|Unterminated string|Expected \"'": "a closing quote is missing",
    r"Unclosed array": "a comma or a closing bracket is missing",
    r"Unclosed inline table": "a comma or a closing brace is missing",
    r"Cannot overwrite a value|Duplicate inline table key": "a key is given twice; leave one out",
    r"Cannot declare .* twice": "a table is given twice; leave one out",
}
"""What the messages of tomllib mean, by how they begin."""


def table_in(data: bytes, name: str, what: str) -> dict[str, Any]:
    """Parse a TOML file.

    `name` is the file's and `what` says what it should be, for messages. Raises FormatError.

    >>> table_in(b"tokenizer = 'words'", "r.toml", "a recipe")
    {'tokenizer': 'words'}
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, too large a number or depth
        why = explained(error, data.decode("utf-8-sig", "replace"))
        raise FormatError(f"is not {what}: {why}", file=name) from error


def explained(error: Exception, text: str) -> str:
    r"""What is wrong with a text of TOML, with the line that is wrong, on one line.

    >>> text = "name = 'a'\nfilters = [lowercase]"
    >>> try:
    ...     tomllib.loads(text)
    ... except ValueError as error:
    ...     print(explained(error, text))
    invalid value (at line 2, column 12): filters = [lowercase]; put texts in straight quotes
    """
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 (byte {error.start + 1:,}); save it as UTF-8"
    why = _in_words(" ".join(str(error).split())[:200])
    place = _LINE.search(why)
    lines = text.splitlines()
    if not place or int(place[1]) > len(lines):
        return why
    whole = lines[int(place[1]) - 1]
    line = printable(whole.strip())
    quoted = line if len(line) <= _WIDTH else line[:_WIDTH] + "…"
    is_bare = why.startswith("invalid value") and _BARE.match(whole, int(place[2]) - 1)
    advice = "; put texts in straight quotes" if is_bare else ""
    return f"{why}: {quoted}{advice}"


def _in_words(why: str) -> str:
    r"""A message of tomllib as a clause that says what to correct, with its place.

    >>> _in_words("Illegal character '\\n' (at line 1, column 9)")
    'a closing quote is missing (at line 1, column 9)'
    """
    for pattern, words in _CAUSES.items():
        if re.match(pattern, why):
            return words + why[why.find(" (at ") :] if " (at " in why else words
    return why[:1].lower() + why[1:]
