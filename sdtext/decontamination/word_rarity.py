"""Weights of words by their rarity, so that common phrases do not count."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.integer_and_byte_hashes import hashes_of
from sdtext.kernels.arrays.ragged import Ragged, sorted_distinct
from sdtext.kernels.terms.document_words import words_in
from sdtext.parts.filters.stopwords_and_length import languages, shipped_list

PASSAGE = 100
"""Words of a passage of the corpus, in which words are counted."""

_ASSUMED = 1000  # passages that are assumed before any is counted
_STOP_WORD = 0.5  # the share of the assumed passages that a stop word is in


def word_weights(items: Ragged, sample: Ragged) -> Ragged:
    """The weight of each word of items, from 0 to 1, its normalized inverse document frequency.

    Items and texts of the sample are rows of hashes of words. A document is an item, or a passage
    of 100 words of the sample. So that few documents suffice, 1,000 more are assumed, of which
    stop words are in 500 and other words in none.
    """
    words = distinct(items.values)
    counts = np.where(np.isin(words, _stop_words()), _STOP_WORD * _ASSUMED, 0.0)
    number = _ASSUMED
    for rows in (items, _passages(sample)):
        counts += _frequencies(words, rows)
        number += len(rows)
    weights = np.log((number + 1) / (1 + counts)) / np.log(number + 1)
    return Ragged(weights[np.searchsorted(words, items.values)], items.offsets)


def _passages(rows: Ragged) -> Ragged:
    """The rows cut into passages; the last of a row may be shorter."""
    cuts = [np.arange(start, end, PASSAGE) for start, end in pairwise(rows.offsets.tolist())]
    return Ragged(
        rows.values, np.append(np.concatenate([*cuts, rows.offsets[:0]]), rows.offsets[-1])
    )


def _frequencies(words: NDArray[np.uint64], rows: Ragged) -> NDArray[np.int64]:
    """The number of rows that each of the sorted words is in."""
    values = sorted_distinct(rows).values
    places = np.searchsorted(words, values)
    places[places == len(words)] = 0
    return np.bincount(places[words[places] == values], minlength=len(words))


@cache
def _stop_words() -> NDArray[np.uint64]:
    """The hashes of stop words: of English all, of other languages the most frequent ones."""
    listed = {word for language in languages() for word in shipped_list(language, short=True)}
    listed.update(shipped_list("english"))
    return hashes_of(words_in([word.encode() for word in sorted(listed)]))
