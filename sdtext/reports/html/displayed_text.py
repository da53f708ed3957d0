"""The text of a document as a page displays it: what a reader does not see is made visible."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from sdtext.model import Problem
from sdtext.text.disguises import disguises_in, undisguised
from sdtext.text.document import hidden_spans
from sdtext.wording import counted, printable

MOST_MARKS = 5000
"""Disguises of a document that are marked, the first ones."""

_UNSEEN = re.compile(
    "[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff]"
)  # characters that nobody sees, or that reverse what follows
_BOX = "\u25af"
_UNSPACED = re.compile("[\u2e80-\u9fff\uff00-\uffef]")  # scripts without blanks between words
_SAMPLE = 200_000  # characters in which the length of lines is measured
_WRAPPED = (50, 110)  # characters of the longer lines of hard-wrapped texts
_OPENING = ("\"", "'", "“", "‘", "(", "«")  # fmt: skip
_BLOCK = re.compile(r"(?s).{3000,8999}?\n|.{6000,8999}? |.{9000}")  # ends after a line, or a word
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")  # characters that are two units of UTF-16


def displayed_text(text: str | None, hidden: Sequence[Problem] = ()) -> dict[str, Any]:
    """The text of a document for a page, None if it has none; the same length as the original.

    A box stands for each character that nobody sees. `blocks` are the offsets, in units of UTF-16,
    at which further blocks begin, which a browser lays out as they come into view; `disguises` the
    spans of disguised and of `hidden` text; `notes` sentences without their subject, the document.

    >>> displayed_text("Bees\u202e dance.")["text"]
    'Bees▯ dance.'
    """
    notes = [f"holds text that it does not show: {printable(problem.what)}." for problem in hidden]
    if text is None:
        return {"text": None, "notes": notes}
    disguises = disguises_in(text)
    if undone := "; ".join(f"{step.count} {step.step}" for step in undisguised(text).undone):
        marked = counted(min(len(disguises), MOST_MARKS), "place")
        only = "the first " * (len(disguises) > MOST_MARKS)
        notes.insert(0, f"is disguised: {undone}; marked in {only}{marked}.")
    if number := len(_UNSEEN.findall(text.removeprefix("\ufeff"))):
        where = "it stands" if number == 1 else "they stand"
        what = counted(number, "invisible or reversing character")
        notes.insert(0, f"has {what}, shown as {_BOX} where {where}.")
    shown = flowing(_UNSEEN.sub(_BOX, text).replace("\f", "\n"))
    named = [(start, stop, f"Disguised by {step}") for start, stop, step in disguises[:MOST_MARKS]]
    parts, units = list(named), units_of(text)
    for span in hidden_spans(text, [piece for problem in hidden for piece in problem.texts]):
        start = span.start
        for first, last, _ in named:  # a disguise cuts hidden text around it
            if start < last and first < span.end:
                parts.append((start, max(start, first), "Hidden"))
                start = last
        parts.append((start, max(start, span.end), "Hidden"))
    return {
        "text": shown,
        "blocks": [
            units(end) for end in map(re.Match.end, _BLOCK.finditer(shown)) if end < len(shown)
        ],
        "disguises": [(units(a), units(b), name) for a, b, name in sorted(parts) if a < b],
        "notes": notes,
    }


def units_of(text: str | None) -> Callable[[int], int]:
    """What turns offsets in a text into those in units of UTF-16, as scripts have them.

    >>> [units_of("a\U0001d518b")(offset) for offset in range(4)]
    [0, 1, 3, 4]
    """
    places = [place.start() for place in _ASTRAL.finditer(text or "")]
    return (lambda offset: offset + bisect_left(places, offset)) if places else int


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
    first, *lines = text.split("\n")
    pieces = [first]
    for line, after in pairwise([first, *lines]):
        begins = after[:1].isalnum() or after.startswith(_OPENING)
        goes_on = len(line) >= int(0.7 * typical) and begins and not _UNSPACED.match(line[-1])
        pieces += " " if goes_on else "\n", after
    return "".join(pieces)
