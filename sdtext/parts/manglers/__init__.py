"""Manglers: edited copies of a document, whose relation to it is known.

A copy depends on the text, the options, the other documents and the numbers that `draw` gives, and
on nothing else. `seeded_draw` gives every copy numbers of its own, whatever was copied before.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import Field
from hashlib import sha256
from typing import Any, ClassVar

from sdtext.errors import OptionError
from sdtext.model import PartSpec


class Mangler(ABC):
    """The members of a mangler, a frozen dataclass whose fields are its options."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    needs_others: ClassVar[bool] = False
    """Whether it takes text from other documents, so that it cannot work without any."""

    @abstractmethod
    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        """The text of a copy; `others` are the texts of other documents.

        A document whose text is taken from `others` (`others[number]`, `draw.choice(others)`) is
        related to the copy, too. An experiment records which are, so take no more than are needed:
        `list(others)` takes them all. Raises OptionError where `needs_others` and there are none.
        """

    @property
    def related(self) -> bool:
        """Whether a copy shares content with the document; those that do not must not match."""
        return True

    @property
    def suffix(self) -> str:
        """The ending of the name of a file that `write` gives."""
        return ".txt"

    def write(self, text: str, draw: random.Random) -> bytes:
        """The file of a copy, whose text this mangler gave; UTF-8 where it is of no other kind."""
        return text.encode("utf-8", "replace")


def seeded_draw(seed: int, spec: PartSpec, text: str, number: int = 0) -> random.Random:
    """The random numbers of copy `number` of a text by the mangler `spec`, in normalised form.

    They follow from the arguments alone, not from the order in which copies are made, and are the
    same on every machine.
    """
    key = f"{seed}\n{number}\n{spec!r}\n".encode() + text.encode("utf-8", "surrogatepass")
    return random.Random(sha256(key).digest())  # noqa: S311 (drawn to be the same each time)


def check_share(part: str, share: float, *, zero: bool = True) -> None:
    """Raise OptionError unless the option `share` of a mangler is from 0 to 1, or above 0."""
    if not 0 <= share <= 1 or not (share or zero):
        wanted = "from 0 to 1" if zero else "above 0 and at most 1"
        raise OptionError.of(part, "share", share, wanted)


def check_choice(part: str, option: str, value: str, choices: Iterable[str]) -> None:
    """Raise OptionError unless the option of a mangler is one of `choices`."""
    if value not in choices:
        raise OptionError.of(part, option, value, f"one of {', '.join(choices)}")


def checked_others(part: str, others: Sequence[str]) -> Sequence[str]:
    """`others`, unless there are none: then OptionError."""
    if not others:
        raise OptionError(f"{part}: takes text from other documents; name another document")
    return others
