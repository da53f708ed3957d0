"""Problems: warnings and errors about single inputs among many."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from sdtext.errors import SdtextError
from sdtext.model.displayed_results import LONGEST_REPR
from sdtext.wording import shown


@dataclass(frozen=True)
class Problem:
    """A warning or an error about one input.

    `severity` is "warning" or "error"; `category` is one word of a fixed list (docs/errors);
    `path` names the input; `message` is the whole line, `what` the line without the file's name
    in front. `texts` are the pieces of the text that it is about, where they are known,
    such as those that are hidden. `inputs` is the number of inputs that it is about; `paths` are
    those of what the message only counts, where they are known.
    """

    severity: str
    category: str
    message: str
    path: str = ""
    what: str = field(default="", compare=False)
    texts: tuple[str, ...] = field(default=(), compare=False, repr=False)
    inputs: int = field(default=1, compare=False, repr=False)
    paths: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", self.what or self.message)

    @classmethod
    def at(
        cls, severity: str, category: str, path: str | os.PathLike[str], what: str, **more: Any
    ) -> Problem:
        """A problem whose message names the input at `path` in front.

        >>> Problem.at("error", "damaged", "bees.xml", "ends too early")
        <error damaged: bees.xml: ends too early>
        """
        message = f"{shown(path)}: {what}"
        return cls(severity, category, message, os.fspath(path), what, **more)

    def __repr__(self) -> str:
        """Severity, category and message, which is cut where it is very long."""
        text = f"<{self.severity} {self.category}: {self.message}>"
        return text if len(text) <= LONGEST_REPR else f"{text[: LONGEST_REPR - 2]}…>"

    @classmethod
    def of(cls, error: SdtextError, path: str | os.PathLike[str]) -> Problem:
        """The problem for an error about one of many inputs, the one at `path`.

        >>> from sdtext.errors import FormatError
        >>> Problem.of(FormatError("ends too early", file="bees.xml"), "bees.xml").category
        'damaged'
        """
        what = ": ".join(filter(None, (error.place, error.what))) if error.file else ""
        return cls("error", error.category, str(error), os.fspath(path), what)
