"""Numbers of words before the places where shared text begins or ends.

All shares follow from these numbers, whichever passages count: an evidence page recomputes them
without the texts, and evidence files keep the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Evidence, Examined, Span, WordCounts
from sdtext.reuse.coverage import words_in


def with_word_counts(evidence: Evidence, words_of: Callable[[int], DocumentWords]) -> Evidence:
    """The evidence with the word counts of the documents that share passages.

    `words_of` gives the words of a document by its place. Excluded spans become disjoint.
    """
    sharing = {
        place for pair in evidence.shared if pair.passages for place in (pair.left, pair.right)
    }
    documents = list(evidence.documents)
    for place, offsets in boundaries_of(evidence, sharing):
        worded = words_of(place)
        last = max([*offsets, *worded.ends[-1:].tolist()])
        documents[place] = _counted(documents[place], [*offsets, last], worded.starts)
    return replace(evidence, documents=tuple(documents))


def boundaries_of(evidence: Evidence, places: Iterable[int]) -> list[tuple[int, list[int]]]:
    """The offsets at which something begins or ends in each of the documents at `places`.

    That is the document, a passage, a gap, a chapter or excluded text. They rise.
    """
    spans: dict[int, list[Span]] = {place: [] for place in sorted(places)}
    for pair in evidence.shared:
        for passage in pair.passages:
            for place, sides in zip((pair.left, pair.right), passage.corresponding, strict=True):
                spans[place] += sides
    for item in evidence.coverage:
        if item.document in spans:
            spans[item.document] += [part.span for part in item.parts]
    rows = []
    for place, own in spans.items():
        document = evidence.documents[place]
        ends = chain.from_iterable((span.start, span.end) for span in (*own, *document.excluded))
        rows.append((place, sorted({0, document.length, *ends})))
    return rows


def words_before(starts: Sequence[int] | NDArray[np.int64], offsets: Sequence[int]) -> list[int]:
    """The number of words that begin before each offset.

    >>> words_before([0, 4, 8], [0, 4, 9])
    [0, 1, 3]
    """
    numbers: list[int] = np.searchsorted(np.asarray(starts, np.int64), offsets).tolist()
    return numbers


def _counted(document: Examined, offsets: Sequence[int], starts: NDArray[np.int64]) -> Examined:
    offsets = sorted(set(offsets))
    counts = WordCounts(tuple(offsets), tuple(words_before(starts, offsets)))
    is_out = words_in(np.array(offsets[:-1], np.int64), document.excluded)
    excluded = tuple(
        Span(start, end) for (start, end), out in zip(pairwise(offsets), is_out, strict=True) if out
    )
    return replace(document, word_counts=counts, excluded=excluded)
