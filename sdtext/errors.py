"""Everything sdtext raises on purpose.

SdtextError           a person can mend it: the command line prints it in one line
├── OptionError       a part, a recipe or a command was given something it cannot use
├── UnreadableError   an input is missing, or no text can be had from it
│   ├── PackingError  a compressed file is damaged or unpacks to too much
│   └── TextlessError a file is whole, and no text can be had from it: a scan, a locked file
├── MismatchError     two things that were not made alike cannot be compared
├── FormatError       a dictionary, fingerprint or recipe is damaged, or is something else
└── OutputError       a result cannot be written where it should go
"""

from __future__ import annotations

import os


class SdtextError(Exception):
    """A person can mend it: the message says where, what is wrong and what to do."""


class OptionError(SdtextError, ValueError):
    """A part, a recipe or a command was given something it cannot use."""

    @classmethod
    def of(cls, part: str, option: str, given: object, wanted: str) -> OptionError:
        """The error in the usual words.

        >>> print(OptionError.of("min-length", "length", 0, "1 or more"))
        min-length: length is 0; it must be 1 or more
        """
        return cls(f"{part}: {option} is {brief(given)}; it must be {wanted}")


class UnreadableError(SdtextError):
    """An input is missing, or no text can be had from it."""


class PackingError(UnreadableError):
    """A compressed file is damaged or unpacks to too much."""


class TextlessError(UnreadableError):
    """A file is whole, and no text can be had from it: it is a scan, or locked."""


class MismatchError(SdtextError):
    """Two things that were not made alike cannot be compared."""


class FormatError(SdtextError):
    """A dictionary, fingerprint or recipe is damaged, or is something else."""


class OutputError(SdtextError):
    """A result cannot be written where it should go."""


def printable(text: str) -> str:
    r"""`text` in one line that does nothing to a terminal: what is not printable as an escape.

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
    """The name of a file as one printable line, whatever bytes it is made of."""
    return printable(os.fspath(path))


def brief(given: object) -> str:
    """What was given, as Python writes it, cut to what a line can hold.

    >>> brief("a" * 1000)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"
    """
    words = repr(given[:100] if isinstance(given, str | tuple | list) else given)
    return words if len(words) <= 60 else words[:60] + "…"


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "term"), counted(2, "term")
    ('1 term', '2 terms')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def reason(error: OSError) -> str:
    """What the operating system says is wrong, as a clause.

    >>> reason(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    words = error.strerror or str(error)
    return words[:1].lower() + words[1:]
