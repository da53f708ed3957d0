"""The text of a document as a page displays it: what a reader does not see is made visible."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sdtext.errors import counted
from sdtext.text.disguises import Disguise, disguises_in, undisguised

MOST_MARKS = 5000
"""Disguises of a document that are marked, the first ones."""

_UNSEEN = re.compile(
    "[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff]"
)  # characters that nobody sees, or that reverse what follows
_BOX = "\u25af"
_UNSPACED = re.compile("[\u2e80-\u9fff\uff00-\uffef]")  # scripts without blanks between words
_SAMPLE = 200_000  # characters in which the length of lines is measured
_WRAPPED = (50, 110)  # characters of the longer lines of hard-wrapped texts
_OPENING = "\"'“‘(«"
_BLOCK = 3000  # characters; a block has up to three times as many


@dataclass(frozen=True)
class DisplayedText:
    """A text of the same length as the original, so that offsets stay.

    `blocks` are the offsets at which further blocks begin, which a browser lays out as they come
    into view. A note is a sentence without its subject, the document.
    """

    text: str
    blocks: Sequence[int]
    disguises: Sequence[Disguise]
    notes: Sequence[str]

    @classmethod
    def of(cls, text: str) -> DisplayedText:
        """The text with a box for each character that nobody sees.

        >>> DisplayedText.of("Bees\u202e dance.").text
        'Bees▯ dance.'
        """
        disguises = disguises_in(text)
        notes = (_note_of_unseen(text), _note_of_disguises(text, len(disguises)))
        shown = flowing(_UNSEEN.sub(_BOX, text))
        marked = disguises[:MOST_MARKS]
        return cls(shown, [*_blocks(shown)], marked, [note for note in notes if note])


def _note_of_unseen(text: str) -> str:
    number = len(_UNSEEN.findall(text.removeprefix("\ufeff")))
    where = "it stands" if number == 1 else "they stand"
    what = f"{number:,} invisible or reversing character{'s' * (number != 1)}"
    return f"has {what}, shown as {_BOX} where {where}." if number else ""


def _note_of_disguises(text: str, places: int) -> str:
    """What was undone, as the warning about the document counts it, and what is marked."""
    undone = "; ".join(f"{step.count} {step.step}" for step in undisguised(text).undone)
    marked = (
        counted(places, "place") if places <= MOST_MARKS else f"the first {MOST_MARKS:,} places"
    )
    return f"is disguised: {undone}; marked in {marked}." if undone else ""


def _blocks(text: str) -> Iterator[int]:
    """The offsets at which blocks begin, but the first: after a line, or else after a word."""
    place = 0
    while (place := _block_end(text, place)) < len(text):
        yield place


def _block_end(text: str, start: int) -> int:
    end = start + 3 * _BLOCK
    for character, least in (("\n", _BLOCK), (" ", 2 * _BLOCK)):
        place = text.find(character, start + least, end)
        if place >= 0:
            return place + 1
    return end


def flowing(text: str) -> str:
    r"""A text of hard-wrapped lines with blanks for the line ends within paragraphs.

    >>> line = "A line of so many words that it had to be wrapped by hand,"
    >>> flowing(f"{line}\n{line}\n\n{line}\n").count("\n")
    3
    """
    lengths = sorted(len(line) for line in text[:_SAMPLE].split("\n") if len(line) > 1)
    typical = lengths[int(0.9 * len(lengths))] if lengths else 0
    if not _WRAPPED[0] <= typical <= _WRAPPED[1] or lengths[-1] > 2 * typical:
        return text
    lines = text.split("\n")
    least = int(0.7 * typical)
    pieces = [
        line + (" " if len(line) >= least and _goes_on(line, after) else "\n")
        for line, after in pairwise(lines)
    ]
    return "".join((*pieces, lines[-1]))


def _goes_on(line: str, after: str) -> bool:
    """Whether a blank may join a line and the next one."""
    begins = after[:1].isalnum() or after.startswith(tuple(_OPENING))
    return begins and not _UNSPACED.match(line[-1])
