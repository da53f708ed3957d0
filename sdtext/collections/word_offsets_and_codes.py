"""Word offsets, marked spans and sentence codes of documents: what passages are found by.

Collections whose recipe names an aligner store all words of their documents with their offsets;
`words_of`, `marks_of` and `codes_of` read them, in the order of the ids of documents. What was read
into memory has the same columns, without line ends, as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.sentence_codes import CodedUnits
from sdtext.collections.schema import (
    CODE_COLUMNS,
    CODES,
    PLACE_COLUMNS,
    SHORT,
    SPANS,
    TITLES,
    TOKENS,
    UNIT_ENDS,
    UNIT_STARTS,
    WORD_ENDS,
    WORD_STARTS,
    WORDS,
    complete,
    keeps_codes,
    keeps_places,
)
from sdtext.collections.storage.merge_vocabularies import together
from sdtext.errors import MismatchError
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.terms.document_words import WordOffsets
from sdtext.kernels.terms.token_blocks import LINE_END
from sdtext.model import Span
from sdtext.parts.units import SpanColumns

if TYPE_CHECKING:
    from sdtext.collections.storage.segments import StoredSegment
    from sdtext.collections.stored_collection import StoredCollection

_CHAPTER, _QUOTE, _REFERENCES = 0, 1, 2  # the first number of each span in the column `spans`


@dataclass(frozen=True)
class MarkedSpans:
    """The chapters, quotations and lists of references of one document."""

    chapters: Sequence[Span] = ()
    quotes: Sequence[Span] = ()
    references: Sequence[Span] = ()


def span_rows(marks: Sequence[MarkedSpans]) -> tuple[Ragged, Ragged]:
    """The columns `spans` and `titles`, which `marks_of` decodes.

    A row of `spans` has kind, start and end of each span; a row of `titles` has the titles of
    the chapters in UTF-8, one on each line.

    >>> marks = MarkedSpans(chapters=(Span(0, 9, "One"),), quotes=(Span(4, 6),))
    >>> spans, titles = span_rows([marks])
    >>> spans[0].tolist(), bytes(titles[0])
    ([0, 0, 9, 1, 4, 6], b'One')
    """
    triples, titles = [], []
    for document in marks:
        kinds = (document.chapters, document.quotes, document.references)
        columns = [SpanColumns.of(spans) for spans in kinds]
        rows = [
            np.stack([np.full(len(row), kind), row.starts, row.ends], 1)
            for kind, row in enumerate(columns)
        ]
        triples.append(np.concatenate(rows).reshape(-1))
        named = "\n".join(" ".join(span.title.split()) for span in document.chapters)
        titles.append(list(named.encode("utf-8", "replace")))
    return Ragged.of(triples, "uint32"), Ragged.of(titles, "uint8")


def words_of(collection: StoredCollection, ids: Iterable[int] | None = None) -> WordOffsets:
    """The words of the documents with these ids, or of all, in the order of ids.

    Token ids refer to one vocabulary in code-point order. Raises MismatchError if the collection
    stores no offsets, FormatError if it is damaged.
    """
    pieces = []
    for segment, rows in _selected_rows(collection, ids, PLACE_COLUMNS):
        starts, ends = (_taken(segment.ragged(name), rows) for name in (WORD_STARTS, WORD_ENDS))
        tokens = _taken(segment.ragged(TOKENS), rows)
        is_word = tokens.values != LINE_END
        if not is_word.all():
            offsets = np.append(0, np.cumsum(is_word))[tokens.offsets]
            tokens = Ragged(tokens.values[is_word], offsets)
        pieces.append(WordOffsets(tokens, segment.ragged(WORDS), starts, ends))
    return together(pieces)


def marks_of(collection: StoredCollection, ids: Iterable[int] | None = None) -> list[MarkedSpans]:
    """The chapters, quotes and references of documents, chosen as by `words_of`."""
    marks: list[MarkedSpans] = []
    for segment, rows in _selected_rows(collection, ids, PLACE_COLUMNS):
        spans, titles = (_taken(segment.ragged(name), rows) for name in (SPANS, TITLES))
        marks += map(marked_spans, spans, titles)
    return marks


def codes_of(collection: StoredCollection, ids: Iterable[int] | None = None) -> CodedUnits:
    """The codes of the sentences of documents, chosen as by `words_of`; there is at least one."""
    selected = _selected_rows(collection, ids, CODE_COLUMNS)
    starts, ends, codes = (
        joined([_taken(segment.ragged(name), rows) for segment, rows in selected])
        for name in (UNIT_STARTS, UNIT_ENDS, CODES)
    )
    short = [segment.arrays[SHORT][rows] for segment, rows in selected]
    return CodedUnits(starts, ends, codes, np.concatenate(short))


def check_codes(collection: StoredCollection) -> None:
    """MismatchError if the collection stores no codes, FormatError if one is damaged."""
    _selected_rows(collection, None, CODE_COLUMNS)


def _selected_rows(
    collection: StoredCollection, ids: Iterable[int] | None, columns: Sequence[str]
) -> list[tuple[StoredSegment, NDArray[np.int64]]]:
    """Segments of a collection with their rows of some documents."""
    if columns is PLACE_COLUMNS and not keeps_places(collection.recipe):
        raise without(collection.name, "places of words", "reuse")
    if columns is CODE_COLUMNS and not keeps_codes(collection.recipe):
        raise without(collection.name, "codes of sentences", "evidence")
    wanted = collection.ids() if ids is None else np.array([*map(int, ids)], np.int64)
    selected = []
    for segment in collection.segments():
        rows = np.flatnonzero(segment.alive & np.isin(segment.ids, wanted))
        if len(rows):
            if not complete(segment, columns):
                from sdtext.collections.storage.collection_meta import damage

                raise damage(collection.name, "it lacks what its recipe asks for")
            segment.check_consistent(columns)
            selected.append((segment, rows))
    return selected


def without(name: str, what: str, recipe: str) -> MismatchError:
    """The error for a collection that does not store what a search needs."""
    remedy = f"create it again with a recipe that asks for them, such as {recipe}"
    return MismatchError(f"was created without {what}; {remedy}", file=name)


def _taken(column: Ragged, rows: NDArray[np.int64]) -> Ragged:
    """Some rows of a column, which rise; no copy where these are all."""
    return column if len(rows) == len(column) else column.take(rows)


def marked_spans(spans: NDArray[np.uint32], titles: NDArray[np.uint8]) -> MarkedSpans:
    """The marked spans of one document, from its rows of `spans` and `titles`."""
    triples = spans.reshape(-1, 3).tolist()
    named = bytes(titles).decode("utf-8", "replace").split("\n")
    kinds: dict[int, list[Span]] = {_CHAPTER: [], _QUOTE: [], _REFERENCES: []}
    for kind, start, end in triples:
        title = "".join(named[len(kinds[kind]) :][:1]) if kind == _CHAPTER else ""
        kinds.setdefault(kind, []).append(Span(start, end, title))
    return MarkedSpans(*(tuple(kinds[kind]) for kind in (_CHAPTER, _QUOTE, _REFERENCES)))
