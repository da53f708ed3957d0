"""Everything sdtext raises on purpose.

SdtextError           a person can correct it: the command line prints it in one line
├── OptionError       a part, a recipe or a command was given something it cannot use
├── UnreadableError   an input is missing, or it yields no text
│   ├── PackingError  a compressed file is damaged or unpacks to too much
│   ├── NotTextError  a file is of a kind that holds no text: a picture, a program
│   └── TextlessError a file is intact but yields no text: a scan, a locked file
├── MismatchError     two things that were made differently cannot be compared
├── FormatError       a dictionary, fingerprint or recipe is damaged, or is something else
└── OutputError       a result cannot be written to its destination
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import ClassVar

from sdtext.wording import brief, shown


class SdtextError(Exception):
    """A person can correct it: the message says where, what is wrong and what to do.

    `file` names the file and `place` the place in it, where there is one; `what` says what is
    wrong and what to do; the message is the three in this order. `category` is the category of
    the problem that this error is for one input among many (docs/errors).

    >>> error = FormatError("ends too early", file="bees.xml", place="line 3")
    >>> print(error)
    bees.xml: line 3: ends too early
    >>> error.category, error.file, error.place, error.what
    ('damaged', 'bees.xml', 'line 3', 'ends too early')
    """

    category: ClassVar[str] = "unreadable"

    def __init__(
        self, what: str = "", *, file: str | os.PathLike[str] = "", place: str = ""
    ) -> None:
        self.what, self.file, self.place = what, shown(file), place
        super().__init__(": ".join(filter(None, (self.file, place, what))))


class OptionError(SdtextError, ValueError):
    """A part, a recipe or a command was given something it cannot use."""

    @classmethod
    def of(cls, part: str, option: str, given: object, wanted: str) -> OptionError:
        """The error about one value of one option of a part.

        >>> print(OptionError.of("min-length", "length", 0, "1 or more"))
        min-length: length is 0; it must be 1 or more
        """
        return cls(f"{option} is {brief(given)}; it must be {wanted}", place=part)

    @classmethod
    def unless_in(cls, known: Iterable[str], part: str, option: str, given: object) -> None:
        """Raise the error about a value that is none of the known ones.

        >>> OptionError.unless_in(["tokens", "characters"], "edit", "of", "tokens")
        """
        known = list(known)
        if given not in known:
            raise cls.of(part, option, given, f"one of {', '.join(filter(None, known))}")


class UnreadableError(SdtextError):
    """An input is missing, or it yields no text."""


class PackingError(UnreadableError):
    """A compressed file is damaged or unpacks to too much."""


class NotTextError(UnreadableError):
    """A file is of a kind that holds no text: empty, a picture, a program, other binary data."""

    category: ClassVar[str] = "no-text"


class TextlessError(UnreadableError):
    """A file is intact but yields no text: it is a scan, or locked."""


class MismatchError(SdtextError):
    """Two things that were made differently cannot be compared."""


class FormatError(SdtextError):
    """A dictionary, fingerprint or recipe is damaged, or is something else."""

    category: ClassVar[str] = "damaged"


class OutputError(SdtextError):
    """A result cannot be written to its destination."""
