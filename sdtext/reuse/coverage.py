"""How much of a document is found elsewhere: shares of its words, each of which counts once.

A word lies in a stretch in which it begins. The whole is always all words of the document, those
that are no terms too; words that are left out stay in it, but never count as found. So a share can
only fall when something is left out, and the shares of one document can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.terms.word_offsets import Worded
from sdtext.model import Part, Passage, Span


def words_in(worded: Worded, spans: Sequence[Span]) -> NDArray[np.bool_]:
    """For each word of a document whether it lies in any of the stretches.

    >>> from sdtext.kernels.terms.word_offsets import PlacedWords
    >>> document = PlacedWords.of([[("a", 0, 1), ("b", 2, 3), ("c", 4, 5)]]).document(0)
    >>> words_in(document, [Span(2, 5), Span(3, 9)]).tolist()
    [False, True, True]
    """
    places = np.array([(span.start, span.end) for span in spans], np.int64).reshape(-1, 2)
    first, last = np.searchsorted(worded.starts, places.T)
    changes = np.zeros(len(worded.words) + 1, np.int64)
    np.add.at(changes, first, 1)
    np.add.at(changes, np.maximum(first, last), -1)
    return np.cumsum(changes[:-1]) > 0


def share_of(worded: Worded, spans: Sequence[Span], left_out: Sequence[Span] = ()) -> float:
    """The share of the words of a document that lie in any of the stretches, 0 if it has none.

    Words in what is `left_out` do not count as found.
    """
    return _share(_found(worded, spans, left_out))


def shares_of(
    passages: Sequence[Passage],
    words: tuple[Worded, Worded],
    left_out: tuple[Sequence[Span], Sequence[Span]] = ((), ()),
) -> tuple[float, float]:
    """The share of the left document that is found in the right one, and the other way.

    Passages that are marked as excluded do not count; `words` and `left_out` are those of both.
    """
    counted = [passage for passage in passages if not passage.excluded]
    left = share_of(words[0], [one.left for one in counted], left_out[0])
    return left, share_of(words[1], [one.right for one in counted], left_out[1])


def parts_of(
    worded: Worded,
    chapters: Sequence[Span],
    spans: Sequence[Span],
    left_out: Sequence[Span] = (),
) -> list[Part]:
    """The chapters of a document, with the share of the words of each that is found."""
    found = np.append(0, np.cumsum(_found(worded, spans, left_out)))
    places = np.array([(span.start, span.end) for span in chapters], np.int64).reshape(-1, 2)
    first, last = np.searchsorted(worded.starts, places.T)
    words = (last - first).tolist()
    counts = (found[last] - found[first]).tolist()
    rows = zip(chapters, words, counts, strict=True)
    return [Part(span, total, count / total if total else 0.0) for span, total, count in rows]


def _found(worded: Worded, spans: Sequence[Span], left_out: Sequence[Span]) -> NDArray[np.bool_]:
    found = words_in(worded, spans)
    return found & ~words_in(worded, left_out) if left_out else found


def _share(found: NDArray[np.bool_]) -> float:
    return int(found.sum()) / len(found) if len(found) else 0.0
