"""Text that a document does not show: kept behind the paragraph it stands in, and reported."""

from __future__ import annotations

from collections.abc import Iterator

from sdtext.errors import OptionError, printable
from sdtext.model import Problem

KEEP, DROP = "keep", "drop"
"""What becomes of hidden text: it is read, or left out."""

_QUOTED = 40  # characters
_MOST_TEXT = 1 << 20  # characters of hidden text that a problem quotes


def check_hidden(reader: str, hidden: str) -> None:
    """Raise OptionError unless `hidden` is one of the two."""
    if hidden not in (KEEP, DROP):
        raise OptionError.of(reader, "hidden", hidden, f"{KEEP} or {DROP}")


class HiddenText:
    """Gathers hidden text apart from the text that is shown, so that it parts no words there.

    >>> hidden = HiddenText()
    >>> hidden.add("not  seen")
    >>> hidden.taken(), [problem.category for problem in hidden.problems("a.html")]
    ('not seen', ['hidden-text'])
    """

    def __init__(self, hidden: str = KEEP) -> None:
        self._is_kept = hidden == KEEP
        self._pieces: list[str] = []
        self._kept: list[str] = []
        self._characters = 0
        self._first = ""

    def add(self, text: str) -> None:
        """Text that is not shown."""
        self._pieces.append(text)

    def keeps(self, text: str) -> bool:
        """Note text that is not shown and stays in its place; whether it is to be read.

        White space stays: nobody sees it anyway, and it parts words.
        """
        if text.isspace():
            return True
        self._first = (self._first + text)[:_QUOTED]
        self._keep(text)
        return self._is_kept

    def _keep(self, text: str) -> None:
        self._characters += len(text)
        if self._is_kept and self._characters <= _MOST_TEXT:
            self._kept.append(text)

    def taken(self) -> str:
        """The text added since the last call, on one line; "" if it is to be left out."""
        if not self._pieces:
            return ""
        text = " ".join(" ".join(self._pieces).split())
        self._pieces.clear()
        self._first = self._first or text[:_QUOTED]
        self._keep(text)
        return text if self._is_kept else ""

    def problems(self, name: str) -> Iterator[Problem]:
        """A warning about what was hidden in the file of that name."""
        if self._characters:
            done = (
                "read as well; Reading(hidden=drop) leaves it out" if self._is_kept else "left out"
            )
            what = (
                f"{self._characters} characters are hidden from readers, from "
                f"“{printable(self._first)}” on; {done}"
            )
            message, kept = f"{name}: {what}", tuple(self._kept)
            yield Problem("warning", "hidden-text", message, what=what, texts=kept)
