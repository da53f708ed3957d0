"""How alike what is known of two documents is: titles, applicants, organisations."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sdtext.model.passages import Metadata

FIELDS = ("title", "applicant", "organisation")
"""The metadata that are compared, where both documents have them as texts."""

ALIKE = 80
"""From this score of their titles on, two documents are worth a look though they share no text."""

_SPELLED = {"organization": "organisation"}
_LONGEST = 1000  # characters of a field that are compared: more is no title and no name
_ROWS = 256  # titles that are compared with all others at once
_MOST = 10  # documents that are named beside one for their titles


def likeness(left: Metadata, right: Metadata) -> dict[str, int]:
    """The scores from 0 to 99 of the fields that both have as texts, by the field's name.

    Fields are told without regard to case. Of a text its words count, whatever their case and
    punctuation: 2 × the longest common subsequence of characters / the length of both, in whole
    per cent, rounded down; of the words in their order or sorted, whichever is more.

    >>> likeness({"Title": "Bees in Spring", "year": 1}, {"title": "In Spring: bees", "year": 1})
    {'title': 99}
    """
    one, other = fields_of(left), fields_of(right)
    return {
        name: _score(one[name], other[name]) for name in FIELDS if name in one and name in other
    }


def alike(
    left: Sequence[Metadata], right: Sequence[Metadata] | None = None, least: int = ALIKE
) -> Iterator[tuple[int, int]]:
    """The places of every two documents whose titles score `least` or more, 1 to 99; sorted.

    Without `right` of two left ones, the smaller place first. Of each left document the first
    ten, since thousands may be called the same. Titles alone: an applicant or an organisation has
    many documents that have nothing to do with each other.

    >>> list(alike([{"title": "Bees"}, {"title": "Steel"}, {"title": "BEES!"}]))
    [(0, 2)]
    """
    rows = _titles(left)
    columns = rows if right is None else _titles(right)
    for first in range(0, len(rows), _ROWS):
        some = rows[first : first + _ROWS]
        behind = columns[first:] if right is None else columns
        near = _near([one for _, one in some], [one for _, one in behind], least)
        for row, column in _first_of_rows(near, within=right is None):
            yield some[row][0], behind[column][0]


def _titles(documents: Sequence[Metadata]) -> list[tuple[int, str]]:
    """The words of the titles that there are, each with the place of its document."""
    titles = ((place, fields_of(one).get("title")) for place, one in enumerate(documents))
    return [(place, title) for place, title in titles if title]


def _near(rows: list[str], columns: list[str], least: int) -> NDArray[np.bool_]:
    """Which of `rows` score `least` or more with which of `columns`."""
    from rapidfuzz.fuzz import ratio
    from rapidfuzz.process import cdist

    near = np.zeros((len(rows), len(columns)), bool)
    for order in (str, _sorted):
        sides = [list(map(order, side)) for side in (rows, columns)]
        # Scores of texts that are no longer than 1,000 are at least .05 apart.
        near |= cdist(*sides, scorer=ratio, score_cutoff=least - 0.01, dtype=np.float32) > 0
    return near


def _first_of_rows(near: NDArray[np.bool_], *, within: bool) -> list[list[int]]:
    """The places of what is true, `_MOST` in a row; of a matrix `within` above the diagonal."""
    chosen = np.triu(near, 1) if within else near
    chosen = chosen & (np.cumsum(chosen, axis=1, dtype=np.int32) <= _MOST)
    places: list[list[int]] = np.argwhere(chosen).tolist()
    return places


def mean_of(scores: Mapping[str, int]) -> int | None:
    """The mean of the scores of fields, rounded down; None where there is none.

    >>> mean_of({"title": 99, "applicant": 50}), mean_of({})
    (74, None)
    """
    return sum(scores.values()) // len(scores) if scores else None


def fields_of(metadata: Metadata) -> dict[str, str]:
    """The words of the fields that are compared, with a blank between them.

    >>> fields_of({"TITLE": "The Bees!", "applicant": "…", "year": 2019})
    {'title': 'the bees'}
    """
    found: dict[str, str] = {}
    for name, value in metadata.items():
        field = name.casefold()
        field = _SPELLED.get(field, field)
        if field in FIELDS and isinstance(value, str) and (words := _words(value[:_LONGEST])):
            found.setdefault(field, words)
    return found


@lru_cache(1 << 12)
def _words(text: str) -> str:
    """The words of a text in NFKC without case: what is no letter or digit parts them."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(char if char.isalnum() or _is_mark(char) else " " for char in folded)
    return " ".join(kept.split())[:_LONGEST].rstrip()


def _is_mark(char: str) -> bool:
    """Whether it belongs to the letter before it, as vowel signs do."""
    return unicodedata.category(char)[0] == "M"


def _score(left: str, right: str) -> int:
    from rapidfuzz.distance import Indel

    both = len(left) + len(right)
    apart = min(Indel.distance(left, right), Indel.distance(_sorted(left), _sorted(right)))
    return min(99, 100 * (both - apart) // both)


def _sorted(words: str) -> str:
    return " ".join(sorted(words.split()))
