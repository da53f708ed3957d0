"""Boilerplate: text that stands in many documents, such as headings, salutations and footers.

A passage of at most 50 words is boilerplate if more than half of its words, on the left or on the
right, occur in more than max(3, 1 %) of the documents that are compared; a longer one, if they
occur in more than max(10, 1 %), since some documents that quote one paragraph are none. What begins
or ends both documents, as the header and the footer of web pages, is short up to 150 words. A
passage that joins boilerplate and other text is cut (`excluded_text`).

Two documents are versions of one text if one shares more than half of its words with the other,
boilerplate left out of both counts: an assignment that a short essay repeats does not make it a
version of every other essay. A document's own versions are not counted among the many, and the
versions of another document count once.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.connected_components import connected
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Evidence, Passage, Span
from sdtext.reuse.coverage import words_in
from sdtext.reuse.excluded_text import mark_excluded, passage_places

BOILERPLATE = "boilerplate"
"""The reason why such a passage does not count."""

_SHORT, _SHORT_AT_ENDS = 50, 150  # words
_AT_END = 15  # words of a document before its header or behind its footer
_FEW, _FEW_OF_LONG = 3, 10  # documents
_ONE_IN = 100  # documents
_PAIR = 2  # documents; what no more of them have is listed with both sides
VERSION = 0.5  # the share of words above which documents are versions of one text

Key = tuple[int, int]
"""The side of a document, 0 or 1, and its id there."""
_Frequent = Mapping[Key, tuple[list[Span], list[Span]]]
"""The spans of documents that are boilerplate in short passages, and in long ones."""


def most_documents(compared: int) -> tuple[int, int]:
    """The number of documents up to which a short and a long text are not boilerplate.

    >>> most_documents(85), most_documents(1500)
    ((3, 10), (15, 15))
    """
    share = compared // _ONE_IN
    return max(_FEW, share), max(_FEW_OF_LONG, share)


@dataclass(frozen=True)
class SharedPassages:
    """What the documents with two keys share.

    `shares` are those of the words of each that begin in passages that count, without `excluded`
    spans of either document. `is_titled` says whether their titles are similar.
    """

    keys: tuple[Key, Key]
    passages: Sequence[Passage] = ()
    shares: tuple[float, float] = (0.0, 0.0)
    excluded: tuple[Sequence[Span], Sequence[Span]] = ((), ())
    is_titled: bool = False


Cut = Callable[
    [SharedPassages, Sequence[Passage], tuple[Sequence[Span], Sequence[Span]]], Sequence[Passage]
]
"""Cuts some passages of two documents at the borders of excluded spans of both."""


def mark_boilerplate(
    pairs: Sequence[SharedPassages],
    words: Callable[[Key], DocumentWords],
    most: tuple[int, int],
    cut: Cut,
) -> Iterator[tuple[int, list[Passage]]]:
    """The pairs with boilerplate, by their indices, with their passages, in which it is marked.

    Boilerplate is what stands in more documents than `most` says for short and for long text.
    Passages that join it with other text are cut.

    Boilerplate and versions depend on each other. At first, all documents that share more than half
    of one of them count as versions. Whenever boilerplate explains that they share so much, they do
    not any longer, which may make more text boilerplate.
    """
    partners = Counter(key for pair in pairs for key in pair.keys)
    if max(partners.values(), default=0) < min(most):
        return  # no document shares text with so many others
    versions, before = [at for at, pair in enumerate(pairs) if max(pair.shares) > VERSION], None
    while versions != before:
        frequent = _frequent_text(pairs, versions, words, most)
        before = versions
        versions = [at for at in versions if _are_versions(pairs[at], frequent, words)]
    for place, pair in enumerate(pairs):
        if not frequent.keys() & {*pair.keys}:
            continue
        sides = words(pair.keys[0]), words(pair.keys[1])
        marked = [passage for passage in pair.passages if passage.excluded]
        for is_long in (False, True):
            left, right = (frequent.get(key, ([], []))[is_long] for key in pair.keys)
            some = [
                item
                for item in pair.passages
                if not item.excluded and _is_long(item, sides) is is_long
            ]
            marked += _marked(cut(pair, some, (left, right)), (left, right), sides)
        marked.sort(key=passage_places)
        if marked != list(pair.passages):
            yield place, marked


def _is_long(passage: Passage, sides: tuple[DocumentWords, DocumentWords]) -> bool:
    """Whether a passage is too long to be a heading, or a header or footer of both documents."""
    before, behind, words = list[int](), list[int](), list[int]()
    for worded, span in zip(sides, (passage.left, passage.right), strict=True):
        first, last = np.searchsorted(worded.starts, (span.start, span.end)).tolist()
        before.append(first)
        behind.append(len(worded.words) - last)
        words.append(last - first)
    is_at_end = min(max(before), max(behind)) <= _AT_END
    return max(words) > (_SHORT_AT_ENDS if is_at_end else _SHORT)


def _marked(
    passages: Iterable[Passage],
    spans: tuple[Sequence[Span], Sequence[Span]],
    sides: tuple[DocumentWords, DocumentWords],
) -> list[Passage]:
    left, right = ([(BOILERPLATE, span) for span in own] for own in spans)
    return mark_excluded(passages, (left, right), sides)


def _are_versions(
    pair: SharedPassages, frequent: _Frequent, words: Callable[[Key], DocumentWords]
) -> bool:
    """Whether one shares more than half of its words that are not boilerplate with the other."""
    left, right = (frequent.get(key, ([], []))[0] for key in pair.keys)
    if not left and not right:
        return True
    sides = words(pair.keys[0]), words(pair.keys[1])
    marked = _marked(pair.passages, (left, right), sides)
    counting = [passage.corresponding for passage in marked if not passage.excluded]
    for side, (worded, out) in enumerate(zip(sides, (left, right), strict=True)):
        shared = words_in(worded.starts, [span for own in counting for span in own[side]], out)
        if int(shared.sum()) > VERSION * int((~words_in(worded.starts, out)).sum()):
            return True
    return False


def _frequent_text(
    pairs: Sequence[SharedPassages],
    versions: Sequence[int],
    words: Callable[[Key], DocumentWords],
    most: tuple[int, int],
) -> _Frequent:
    """The spans of each document whose words stand in more documents than each of `most`.

    `versions` are the indices of the pairs that are versions of one text. Every document is a
    version of the one that represents it: the volume that contains all essays does not make them
    versions of one another, as connected components would.
    """
    related = set(versions)
    links: dict[Key, set[Key]] = {}
    for place in versions:
        for own, other in (pairs[place].keys, pairs[place].keys[::-1]):
            links.setdefault(own, set()).add(other)
    representatives: dict[Key, Key] = {}
    for key in sorted(links, key=lambda key: (len(links[key]), key)):
        representing = [other for other in links[key] if representatives.get(other) == other]
        representatives[key] = min(representing, default=key)
    spans: dict[Key, dict[Key, list[Span]]] = {}
    for place, pair in enumerate(pairs):
        texts = [representatives.get(key, key) for key in pair.keys]
        if place in related or texts[0] == texts[1]:
            continue
        counting = [item.corresponding for item in pair.passages if not item.excluded]
        for side, own in enumerate(pair.keys):
            known = spans.setdefault(own, {}).setdefault(texts[1 - side], [])
            known.extend(span for sides in counting for span in sides[side])
    frequent: dict[Key, tuple[list[Span], list[Span]]] = {}
    for key, others in spans.items():
        if len(others) >= min(most):
            worded = words(key)
            changes = np.zeros(len(worded.words) + 1, np.int64)
            for own_spans in others.values():
                done = 0  # words of this text that are counted
                bounds = sorted((span.start, span.end) for span in own_spans)
                for first, last in np.searchsorted(worded.starts, bounds).tolist():
                    if last > max(first, done):
                        changes[max(first, done)] += 1
                        changes[last] -= 1
                        done = last
            counts = np.cumsum(changes[:-1])  # for each word, of the texts that share it
            short, long = (_spans_in_many(worded, counts, least) for least in most)
            frequent[key] = short, long
    return frequent


def _spans_in_many(worded: DocumentWords, counts: NDArray[np.int64], least: int) -> list[Span]:
    """The spans of words that at least so many other documents have."""
    is_frequent = np.concatenate(([False], counts >= least, [False]))
    bounds = np.flatnonzero(is_frequent[1:] != is_frequent[:-1]).reshape(-1, 2).tolist()
    return [Span(int(worded.starts[i]), int(worded.ends[end - 1])) for i, end in bounds]


@dataclass(frozen=True)
class FrequentText:
    """Text that does not count: where it stands first, and in how many documents.

    `reason` is why it does not count, for example boilerplate. `passages` are its passages in
    evidence, as the index of the pair and the index in the pair.
    """

    document: int
    span: Span
    documents: int
    passages: tuple[tuple[int, int], ...]
    reason: str = BOILERPLATE


def frequent_texts(evidence: Evidence) -> list[FrequentText]:
    """The texts that passages of boilerplate share, in the order of the first passage of each.

    Passages are of one text if they overlap in a document by more than half of the shorter one.
    """
    return [text for text in texts_in_one_row(evidence) if text.reason == BOILERPLATE]


def texts_in_one_row(evidence: Evidence) -> list[FrequentText]:
    """Boilerplate, and likewise other text that does not count, of three documents or more.

    That is a template that all documents repeat, or what several of them quote.
    """
    every = [
        (passage.excluded, (pair, place))
        for pair, shared in enumerate(evidence.shared)
        for place, passage in enumerate(shared.passages)
    ]
    places: dict[str, list[tuple[int, int]]] = {}
    for reason, where in every:
        if reason:
            places.setdefault(reason, []).append(where)
    if not places:
        return []
    rows: dict[int, list[tuple[int, int, int]]] = {}  # the spans of a document, and the other one
    for _, where in every:
        left, right = _spans_of(evidence, where)
        rows.setdefault(left[0], []).append((*left[1:], right[0]))
        rows.setdefault(right[0], []).append((*right[1:], left[0]))
    spans = {document: np.array(own, np.int64).T for document, own in rows.items()}
    texts = []
    for reason, own in places.items():
        for members in _of_one_text(evidence, own):
            sides = {side for place in members for side in _spans_of(evidence, place)}
            number = len({document for document, _, _ in sides})
            for document, start, end in sides:
                starts, ends, others = spans[document]
                overlaps = np.minimum(ends, end) - np.maximum(starts, start)
                number = max(number, len(distinct(others[2 * overlaps > end - start])) + 1)
            if reason == BOILERPLATE or number > _PAIR:
                pair, place = members[0]
                shared = evidence.shared[pair]
                span = shared.passages[place].left
                texts.append(FrequentText(shared.left, span, number, tuple(members), reason))
    return sorted(texts, key=lambda text: text.passages[0])


def _spans_of(
    evidence: Evidence, place: tuple[int, int]
) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The document, the start and the end of both sides of a passage."""
    shared = evidence.shared[place[0]]
    left, right = shared.passages[place[1]].left, shared.passages[place[1]].right
    return (shared.left, left.start, left.end), (shared.right, right.start, right.end)


def _of_one_text(
    evidence: Evidence, places: Sequence[tuple[int, int]]
) -> Iterable[list[tuple[int, int]]]:
    """The passages of each text: those that overlap in a document, directly or through others."""
    sides: dict[int, list[tuple[int, int, int]]] = {}
    for number, place in enumerate(places):
        for document, start, end in _spans_of(evidence, place):
            sides.setdefault(document, []).append((start, end, number))
    links = [
        (number, next_number)
        for spans in sides.values()
        for (start, end, number), (other, other_end, next_number) in pairwise(sorted(spans))
        if 2 * (min(end, other_end) - other) > min(end - start, other_end - other)
    ]
    left, right = np.array(links, np.int64).reshape(-1, 2).T
    groups: dict[int, list[tuple[int, int]]] = {}
    for place, least in zip(places, connected(len(places), left, right).tolist(), strict=True):
        groups.setdefault(least, []).append(place)
    return groups.values()
