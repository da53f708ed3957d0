"""How much of a document is found elsewhere: shares of its words, each of which counts once.

A word belongs to the span in which it begins. A share is one of all words of the document, terms
or not, but for those of a template, which no number of words includes. Other excluded words stay in
the total, but never count as found: excluding text can only lower a share, and the shares of one
document are comparable.

All shares follow from the numbers of words before the places where shared text begins or ends,
whichever passages count: an evidence page recomputes them without the texts, and evidence files
keep the numbers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, compress, pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Evidence, Part, Passage, Span, WordCounts


def with_word_counts(evidence: Evidence, words_of: Callable[[int], DocumentWords]) -> Evidence:
    """The evidence with the word counts of the documents that share passages.

    `words_of` gives the words of a document by its place. Excluded spans become disjoint.
    """
    sharing = {
        place for pair in evidence.shared if pair.passages for place in (pair.left, pair.right)
    }
    documents = list(evidence.documents)
    for place, bounds in boundaries_of(evidence, sharing):
        worded, document = words_of(place), documents[place]
        offsets = sorted({*bounds, max([*bounds, *worded.ends[-1:].tolist()])})
        before = np.searchsorted(worded.starts, offsets).tolist()
        is_out = words_in(np.array(offsets[:-1], np.int64), document.excluded).tolist()
        spans = (Span(start, end) for start, end in pairwise(offsets))
        excluded = tuple(compress(spans, is_out))
        documents[place] = replace(
            document, word_counts=WordCounts(tuple(offsets), tuple(before)), excluded=excluded
        )
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


def words_in(
    starts: NDArray[np.integer], spans: Sequence[Span], excluded: Sequence[Span] = ()
) -> NDArray[np.bool_]:
    """For each word, by the offset at which it begins, whether it begins in any of the spans.

    Words in `excluded` spans do not count.

    >>> words_in(np.array([0, 2, 4]), [Span(2, 5), Span(3, 9)]).tolist()
    [False, True, True]
    """
    inside = np.zeros(len(starts), np.bool_)
    places = starts.searchsorted([*chain.from_iterable((it.start, it.end) for it in spans)])
    for first, last in zip(*[iter(places.tolist())] * 2, strict=True):
        inside[first:last] = True
    return inside & ~words_in(starts, excluded) if excluded else inside


def words_outside(worded: DocumentWords, spans: Sequence[Span]) -> DocumentWords:
    """The words of a document that begin in none of the spans, such as text of a template."""
    return worded[~words_in(worded.starts, spans)]


def word_count(worded: DocumentWords, span: Span) -> int:
    """The number of words that begin within a span."""
    first, last = np.searchsorted(worded.starts, (span.start, span.end)).tolist()
    return int(last - first)


def share_of_document(
    worded: DocumentWords, spans: Sequence[Span], excluded: Sequence[Span] = ()
) -> float:
    """The share of the words of a document that begin in any of the spans, 0 if it has none.

    Words in `excluded` spans do not count as found.
    """
    covered = words_in(worded.starts, spans, excluded)
    return int(np.count_nonzero(covered)) / len(covered) if len(covered) else 0.0


def shares_of_pair(
    passages: Sequence[Passage],
    words: tuple[DocumentWords, DocumentWords],
    excluded: tuple[Sequence[Span], Sequence[Span]] = ((), ()),
) -> tuple[float, float]:
    """The share of the left document that is found in the right one, and the reverse.

    Passages that are marked as excluded do not count, nor do gaps; `words` and `excluded` are those
    of the left and the right document.
    """
    counting = [passage.corresponding for passage in passages if not passage.excluded]
    spans = ([span for sides in counting for span in sides[side]] for side in (0, 1))
    left, right = map(share_of_document, words, spans, excluded)
    return left, right


def parts_of(
    worded: DocumentWords,
    chapters: Sequence[Span],
    spans: Sequence[Span],
    excluded: Sequence[Span] = (),
) -> list[Part]:
    """The chapters of a document, with the share of the words of each that begin in the spans."""
    before = np.append(0, np.cumsum(words_in(worded.starts, spans, excluded)))
    places = np.array([(span.start, span.end) for span in chapters], np.int64).reshape(-1, 2)
    first, last = np.searchsorted(worded.starts, places.T)
    words = (last - first).tolist()
    counts = (before[last] - before[first]).tolist()
    rows = zip(chapters, words, counts, strict=True)
    return [Part(span, total, count / total if total else 0.0) for span, total, count in rows]
