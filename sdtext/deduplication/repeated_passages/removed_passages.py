"""Removed passages: where they stood, how texts are cut, and how the original is restored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from sdtext.errors import FormatError
from sdtext.model.displayed_results import ShortFields


@dataclass(frozen=True, repr=False)
class RemovedPassage(ShortFields):
    """A passage that was removed, and the place that holds the same words.

    The passage is the range `[start, end)` of the original text of `document`, in characters, with
    the white space that was removed with it; `text` is just that. `record` is the position of the
    document among those that are written, from 1. `kept_start` and `kept_end` are offsets in the
    original text of the document `kept`. `words` is the number of words by which it was compared.
    `digest` is that of what is left of the text of `document`; "" in lists of earlier versions.
    """

    document: str
    record: int
    start: int
    end: int
    kept: str
    kept_start: int
    kept_end: int
    words: int
    text: str
    digest: str = ""


class CutUnits(NamedTuple):
    """The range `[start, end)` of one or more units to remove, and the ends of its neighbours.

    `before` is where the unit before it ends, `after` where the next one begins; -1 if none does.
    """

    before: int
    start: int
    end: int
    after: int


def cut_ranges(text: str, removals: Sequence[CutUnits]) -> list[tuple[int, int]]:
    r"""The ranges of `text` to cut for removals in ascending order, each with white space.

    Of the white space before and after a run of removals the part with more line ends stays, the
    first where they have equally many: sentences are not joined over the end of a paragraph.
    Where nothing else is left, all of the text is cut.

    >>> text = "One. Two.\n\nThree. Four.\n"
    >>> cut_ranges(text, [CutUnits(4, 5, 9, 11)]), cut_ranges(text, [CutUnits(4, 5, 9, 18)])
    ([(4, 9)], [(4, 9)])
    >>> cut_ranges(text, [CutUnits(-1, 0, 9, 11)]), cut_ranges(text, [CutUnits(9, 11, 24, -1)])
    ([(0, 11)], [(9, 24)])
    """
    ranges: list[tuple[int, int]] = []
    first = 0
    for place, removal in enumerate(removals, 1):
        if place < len(removals) and removal.after == removals[place].start:
            continue  # nothing is kept between them
        start, end = _ends_of_cut(text, removals[first], removal)
        ranges += pairwise([start, *(each.start for each in removals[first + 1 : place]), end])
        first = place
    return ranges


def _ends_of_cut(text: str, first: CutUnits, last: CutUnits) -> tuple[int, int]:
    """The start and the end of what is cut for a run of removals."""
    if first.before < 0 and last.after < 0:
        return 0, len(text)
    if last.after >= 0 and first.before >= 0:
        before, after = text[first.before : first.start], text[last.end : last.after]
        lines, later = (len(f"{white}.".splitlines()) for white in (before, after))
        keeps_later = later > lines
    else:
        keeps_later = last.after < 0
    return (first.before, last.end) if keeps_later else (first.start, last.after)


def without_ranges(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """`text` without ranges, which are in the order of their starts and may overlap.

    >>> without_ranges("abcdef", [(1, 2), (3, 5), (4, 5)])
    'acf'
    """
    pieces, place = [], 0
    for start, end in ranges:
        pieces.append(text[place : max(place, start)])
        place = max(place, end)
    return "".join([*pieces, text[place:]])


def digest_of(text: str) -> str:
    """16 hexadecimal digits that tell a text from others: BLAKE2b of its UTF-8, 8 bytes."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def restored(text: str, removed: Iterable[RemovedPassage]) -> str:
    """The original of a text from which the passages were `removed`. Raises FormatError.

    >>> passage = RemovedPassage("b", 2, 3, 6, "a", 0, 2, 1, "cd ")
    >>> restored("ab ef", [passage])
    'ab cd ef'
    """
    pieces = list[str]()
    rows = sorted(removed, key=attrgetter("start"))
    if any(row.digest and row.digest != digest_of(text) for row in rows):
        what = "the passages were removed from another text; give the kept texts and the removed "
        raise FormatError(f"{what}passages of one run", file=rows[0].document)
    taken = place = 0  # characters of the text, and of the original, that the pieces hold
    for row in rows:
        end = taken + row.start - place
        if row.start < place or end > len(text) or len(row.text) != row.end - row.start:
            what = f"the passage at {row.start} to {row.end} does not fit into this text; give the "
            what += "kept texts and the removed passages of one run"
            raise FormatError(what, file=row.document)
        pieces += [text[taken:end], row.text]
        taken, place = end, row.end
    return "".join([*pieces, text[taken:]])
