"""Similarity of the metadata of two documents: titles, applicants, organisations."""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sdtext.model import Metadata

FIELDS = ("title", "applicant", "organisation")
"""The fields that are compared where both documents have them as texts."""

MIN_TITLE_SCORE = 80
"""Two documents whose titles score this much are reported even if they share no text."""

_SPELLINGS = {"organization": "organisation"}
_MAX_LENGTH = 1000  # characters of a field that are compared: titles and names are shorter
_BLOCK_ROWS = 256  # titles that are compared with all others at once
_MAX_TITLES = 10  # reported documents with similar titles, per document


def metadata_scores(left: Metadata, right: Metadata) -> dict[str, int]:
    """Scores from 0 to 99 of the fields that both documents have as texts, by field name.

    Case counts neither in names of fields nor in texts, and punctuation does not count. The score
    is 2 × the longest common subsequence of characters / the length of both texts, as a percentage
    rounded down, of the words in their order or sorted, whichever is more.

    >>> metadata_scores({"Title": "Bees in Spring", "year": 1}, {"title": "In Spring: bees"})
    {'title': 99}
    """
    fields, others = comparable_fields(left), comparable_fields(right)
    return {
        name: _score(fields[name], others[name])
        for name in FIELDS
        if name in fields and name in others
    }


def pairs_with_similar_titles(
    left: Sequence[Metadata], right: Sequence[Metadata] | None = None
) -> Iterator[tuple[int, int]]:
    """Places of the pairs of documents whose titles score `MIN_TITLE_SCORE` or more; sorted.

    Without `right`, pairs of two left documents, the smaller place first. For each left document
    the first ten, since thousands may have the same title. Only titles count: an applicant or an
    organisation has many documents that are not related.

    >>> list(pairs_with_similar_titles([{"title": "Bees"}, {"title": "Steel"}, {"title": "BEES!"}]))
    [(0, 2)]
    """
    rows, columns = (
        [
            (place, title)
            for place, metadata in enumerate(side)
            if (title := comparable_fields(metadata).get("title"))
        ]
        for side in (left, left if right is None else right)
    )
    for first in range(0, len(rows), _BLOCK_ROWS):
        block = rows[first : first + _BLOCK_ROWS]
        others = columns[first:] if right is None else columns
        similar = _similar([title for _, title in block], [title for _, title in others])
        similar = np.triu(similar, 1) if right is None else similar
        similar &= np.cumsum(similar, axis=1, dtype=np.int32) <= _MAX_TITLES
        for row, column in np.argwhere(similar).tolist():
            yield block[row][0], others[column][0]


def _similar(rows: list[str], columns: list[str]) -> NDArray[np.bool_]:
    """A matrix that says which of `rows` score enough with which of `columns`."""
    from rapidfuzz.fuzz import ratio
    from rapidfuzz.process import cdist

    similar = np.zeros((len(rows), len(columns)), bool)
    for order in (str, _sorted):
        sides = [list(map(order, side)) for side in (rows, columns)]
        # Different scores of texts of up to 1,000 characters differ by at least .05.
        scores = cdist(*sides, scorer=ratio, score_cutoff=MIN_TITLE_SCORE - 0.01, dtype=np.float32)
        similar |= scores > 0
    return similar


def comparable_fields(metadata: Metadata) -> dict[str, str]:
    """The words of the fields that are compared, separated by blanks.

    >>> comparable_fields({"TITLE": "The Bees!", "applicant": "…", "year": 2019})
    {'title': 'the bees'}
    """
    fields: dict[str, str] = {}
    for key, value in metadata.items():
        name = key.casefold()
        name = _SPELLINGS.get(name, name)
        if name in FIELDS and isinstance(value, str) and (words := _words(value[:_MAX_LENGTH])):
            fields.setdefault(name, words)
    return fields


@lru_cache(1 << 12)
def _words(text: str) -> str:
    """The words of a text in NFKC without case; what is neither letter nor digit separates them."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    # Marks are part of the letters before them, such as vowel signs.
    kept = (
        char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in folded
    )
    return " ".join("".join(kept).split())[:_MAX_LENGTH].rstrip()


def _score(left: str, right: str) -> int:
    from rapidfuzz.distance import Indel

    length = len(left) + len(right)
    distance = min(Indel.distance(left, right), Indel.distance(_sorted(left), _sorted(right)))
    return min(99, 100 * (length - distance) // length)


def _sorted(words: str) -> str:
    return " ".join(sorted(words.split()))
