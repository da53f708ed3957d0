"""Text for messages: printable names, short values, counts, and what the system says.

Nothing here imports anything of sdtext.
"""

import os
import re
from collections.abc import Mapping
from errno import EACCES, EDQUOT, EFBIG, ENAMETOOLONG, ENOSPC, EPERM, EROFS
from math import floor, log10
from types import MappingProxyType

_ADDRESS = re.compile("^(s3|gs|hf|memory|https?):/(?=[^/])")

_LONGEST, _BEGINNING = 300, 100  # characters of a name in a message, and of its beginning
CONTROLLING = "\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069"
"""Characters that control a terminal or the direction of text, for a set of a pattern.

These are C0, DEL and C1, the separators of lines and paragraphs, and the bidirectional controls.
"""
_CONTROL = re.compile(rf"\r(?!\n)|(?![\r\n\t])[{CONTROLLING}]")


def text_for_terminal(text: str) -> str:
    r"""`text` with escapes for all that controls a terminal, except for line ends and tabs.

    >>> text_for_terminal("Größe\n\x1b[31m\u202e")
    'Größe\n\\x1b[31m\\u202e'
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def printable(text: str) -> str:
    r"""`text` as one line that is safe on a terminal: unprintable characters are escaped.

    >>> print(printable("Größe\n\x1b[31m"))
    Größe\n\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def shown(path: str | os.PathLike[str]) -> str:
    """A file's name as one printable line, whatever bytes it consists of; a long one in part.

    >>> shown("s3:/bucket/a.jsonl")  # as pathlib writes an address
    's3://bucket/a.jsonl'
    """
    name = printable(_ADDRESS.sub(r"\1://", os.fspath(path)))
    if len(name) <= _LONGEST:
        return name
    return f"{name[:_BEGINNING]}…{name[1 + _BEGINNING - _LONGEST :]}"


def brief(given: object, most: int = 60) -> str:
    """The `repr` of a value, shortened to so many characters, by default to fit in a message.

    >>> brief("a" * 1000)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"
    """
    words = repr(given[:100] if isinstance(given, str | tuple | list) else given)
    return words if len(words) <= most else words[:most] + "…"


def counted(number: int, noun: str) -> str:
    """A number with its noun, singular or plural.

    >>> counted(1, "term"), counted(2000, "term")
    ('1 term', '2,000 terms')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def reason(error: OSError) -> str:
    """The operating system's error message, as a clause.

    >>> reason(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    words = error.strerror or str(error)
    return f"{words[:1].lower()}{words[1:]}"


def unwritable(error: OSError) -> str:
    """Why an output cannot be written, as a clause, and what to do where that is known.

    >>> unwritable(OSError(28, "No space left on device"))
    'cannot be written: no space left on device; free some, or choose a folder on another disk'
    """
    return f"cannot be written: {reason(error)}{_REMEDIES.get(error.errno or 0, '')}"


_ANOTHER_FOLDER = "; choose another folder, or make this one writable"
_ANOTHER_DISK = "; free some, or choose a folder on another disk"
_REMEDIES: Mapping[int, str] = MappingProxyType(
    {
        EACCES: _ANOTHER_FOLDER,
        EPERM: _ANOTHER_FOLDER,
        EROFS: "; choose a folder that can be written to",
        ENOSPC: _ANOTHER_DISK,
        EDQUOT: _ANOTHER_DISK,
        EFBIG: "; choose a folder on another disk, or raise the limit (ulimit -f)",
        ENAMETOOLONG: "; choose a shorter name",
    }
)
"""What to do where an output cannot be written, by the number of the error."""


def as_percent(rate: float) -> str:
    """A rate from 0 to 1 as a percentage of two significant digits, or whole from 10 % on.

    >>> as_percent(0.0001), as_percent(0.00456), as_percent(0.5)
    ('0.01 %', '0.46 %', '50 %')
    """
    return f"{two_digits(100 * rate)} %"


def two_digits(value: float) -> str:
    """A number with two significant digits, or whole from 10 on.

    >>> two_digits(48.1), two_digits(0.00123), two_digits(1.0), two_digits(0.0), two_digits(1234.5)
    ('48', '0.0012', '1', '0', '1,234')
    """
    if value >= 10:
        return f"{value:,.0f}"
    digits = 1 - floor(log10(value)) if value else 0
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
