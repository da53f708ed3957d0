"""Caches of what a chain makes of words and of spans of text.

A span is a run of characters without white space. Few distinct spans make up nearly all of a text,
so each is processed once and then recognized by its 64-bit hash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import span_hashes
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.terms.document_words import DROPPED, WordNumbering, grown
from sdtext.kernels.terms.token_blocks import LINE_END

TermsIn = Callable[[Sequence[bytes]], list[str]]
WordsOf = Callable[[str], NDArray[np.int32]]

_TOKEN_SLOTS = 17  # bits: a table of 1.5 MB, which stays near the processor
_WORD_SLOTS = 19  # bits: a table of 6 MB; its rows take more
_MOST_ROWS = 1 << 17  # spans of several terms
_MOST_PLACED = 1 << 20  # spans and words of them that are cached; some 100 MB
_BOUNDARY = "\n"  # between terms of a span, and between spans: it ends a span for every tokenizer


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of some data (uint8), in order; a line end may be a span, too."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def take(self, places: NDArray[np.int64]) -> Spans:
        """The spans at `places`."""
        return Spans(self.data, self.starts[places], self.lengths[places])

    def bytes_at(self, places: NDArray[np.int64]) -> Ragged:
        """The bytes of the spans at `places`, a row each."""
        lengths = self.lengths[places]
        offsets = offsets_of(lengths)
        shifts = self.starts[places] - offsets[:-1]
        return Ragged(self.data[np.arange(offsets[-1]) + np.repeat(shifts, lengths)], offsets)


def spans_in(data: NDArray[np.uint8], *, blanks: bool, lines: bool = True) -> Spans:
    r"""Spans between line ends and, with `blanks`, between blanks; with `lines` also the line ends.

    >>> import numpy as np
    >>> data = np.frombuffer(b"to be\n or", np.uint8)
    >>> spans = spans_in(data, blanks=True)
    >>> spans.starts.tolist(), spans.lengths.tolist()
    ([0, 3, 5, 7], [2, 2, 1, 2])
    >>> spans_in(data, blanks=True, lines=False).starts.tolist()
    [0, 3, 7]
    """
    inside = data > ord(" ") if blanks else data != ord("\n")
    if not lines:  # the longest runs of bytes that are inside
        framed = np.zeros(len(inside) + 2, bool)
        framed[1:-1] = inside
        borders = np.flatnonzero(framed[1:] != framed[:-1])  # starts and ends in turn
        starts = borders[::2].copy()
        return Spans(data, starts, borders[1::2] - starts)
    first, last = inside.copy(), inside.copy()
    np.greater(inside[1:], inside[:-1], out=first[1:])
    np.greater(inside[:-1], inside[1:], out=last[:-1])
    line_end = data == ord("\n")
    first |= line_end
    last |= line_end
    starts = np.flatnonzero(first)
    return Spans(data, starts, np.flatnonzero(last) + 1 - starts)


class _HashTable:
    """A direct-mapped table from 64-bit hashes to numbers (int32), of fixed size.

    Each key has one slot, by its highest bits; a later key displaces an earlier one.
    """

    def __init__(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._keys = np.zeros(1 << bits, np.uint64)
        self._keys[0] = 1 << 63  # a key of another slot, as 0 is one for all other slots
        self._values = np.zeros(1 << bits, np.int32)

    def get(
        self, keys: NDArray[np.uint64], compute: Callable[[NDArray[np.int64]], NDArray[np.int32]]
    ) -> NDArray[np.int32]:
        """The number of each key; `compute` is given places of distinct keys that are missing."""
        slots = (keys >> self._shift).view(np.int64)
        values = self._values[slots]
        missing = np.flatnonzero(self._keys[slots] != keys)
        if len(missing):
            new_keys, places, which = _distinct_keys(keys[missing])
            computed = compute(missing[places])
            new_slots = (new_keys >> self._shift).view(np.int64)  # sorted, as the keys are
            last = np.append(new_slots[1:] != new_slots[:-1], True)
            self._keys[new_slots[last]] = new_keys[last]
            self._values[new_slots[last]] = computed[last]
            values[missing] = computed[which]
        return values


class TokenCache:
    """The tokens of spans: their terms, as `terms_in` computes them, numbered by `numbering`.

    `terms_in` gives the terms of each span, joined by line ends. An ASCII span of at most `plain`
    bytes is itself a term and is processed by array operations. A span is recognized by a 64-bit
    hash. `seed` is a secret, so that nobody can craft a document whose spans pass for others.
    """

    def __init__(
        self, terms_in: TermsIn, numbering: WordNumbering, seed: int, plain: int = 0
    ) -> None:
        self._terms_in = terms_in
        self._numbering = numbering
        self._seed = seed
        self._plain = plain
        self._clear()

    def _clear(self) -> None:
        self._table = _HashTable(_TOKEN_SLOTS)
        self._rows: list[list[int]] = []  # the terms of tokens -2, -3, …

    def __call__(self, spans: Spans) -> Ragged:
        """The tokens of each span: its terms, none, or 0 for a line end."""
        if len(self._rows) > _MOST_ROWS:
            self._clear()
        keys = span_hashes(spans.data, spans.starts, spans.lengths, self._seed)
        return self._expanded(self._table.get(keys, lambda places: self._computed(spans, places)))

    def hashes(self, spans: Spans) -> Ragged:
        """The hash of each term of each span; no span is a line end.

        A plain term needs no number: its hash is computed directly.
        """
        if not self._plain:
            return self._hashed(self(spans))
        hashes = span_hashes(spans.data, spans.starts, spans.lengths)
        high = spans.data >= 0x80  # the spans that are not ASCII or too long
        begins = high.copy()
        np.greater(high[1:], high[:-1], out=begins[1:])
        is_other = spans.lengths > self._plain
        is_other[np.searchsorted(spans.starts, np.flatnonzero(begins), "right") - 1] = True
        others = np.flatnonzero(is_other)
        if not len(others):
            return Ragged(hashes, np.arange(len(hashes) + 1))
        rows = self._hashed(self(spans.take(others)))
        return _with_rows(hashes, np.ones(len(hashes), np.int64), others, rows)

    def _hashed(self, rows: Ragged) -> Ragged:
        """The hashes of terms that are given by their numbers."""
        return Ragged(self._numbering.hashes[rows.values - 1], rows.offsets)

    def _computed(self, spans: Spans, places: NDArray[np.int64]) -> NDArray[np.int32]:
        """The tokens of the spans at `places`."""
        tokens = np.full(len(places), LINE_END, np.int32)
        others = np.flatnonzero(spans.data[spans.starts[places]] != ord(_BOUNDARY))
        rows = spans.bytes_at(places[others])
        if self._plain and len(others):
            highest = np.maximum.reduceat(rows.values, rows.offsets[:-1])
            plain = (highest < 0x80) & (rows.lengths <= self._plain)
            tokens[others[plain]] = self._numbering.add(rows.take(np.flatnonzero(plain)))
            others, rows = others[~plain], rows.take(np.flatnonzero(~plain))
        if len(others):
            data, ends = rows.values.tobytes(), rows.offsets.tolist()
            terms = self._terms_in([data[start:end] for start, end in pairwise(ends)])
            tokens[others] = self._tokens_of(terms)
        return tokens

    def _tokens_of(self, spans: list[str]) -> list[int]:
        """The token of each span, given by its terms; a new token where it has several."""
        numbers: list[int] = self._numbers(_BOUNDARY.join(spans)).tolist()
        if len(numbers) == len(spans):
            return numbers
        tokens, start = [], 0
        for terms in spans:
            end = start + terms.count(_BOUNDARY) + 1
            if end > start + 1:
                self._rows.append(numbers[start:end])
            tokens.append(numbers[start] if end == start + 1 else DROPPED - len(self._rows))
            start = end
        return tokens

    def _numbers(self, terms: str) -> NDArray[np.int32]:
        """A new number for each of the terms, which line ends separate; `DROPPED` for none."""
        data = np.frombuffer(terms.encode("utf-8", "surrogatepass"), np.uint8)
        ends = np.append(np.flatnonzero(data == ord(_BOUNDARY)), len(data))
        starts = np.append(0, ends[:-1] + 1)
        spans = Spans(data, starts, ends - starts)
        filled = np.flatnonzero(spans.lengths)
        numbers = np.full(len(ends), DROPPED, np.int32)
        numbers[filled] = self._numbering.add(spans.bytes_at(filled))
        return numbers

    def _expanded(self, tokens: NDArray[np.int32]) -> Ragged:
        """Replace each token that stands for several terms by these."""
        counts = (tokens != DROPPED).astype(np.int64)
        several = np.flatnonzero(tokens < DROPPED)
        if not len(several):
            return Ragged(tokens[tokens != DROPPED], offsets_of(counts))
        kinds, which = np.unique(tokens[several], return_inverse=True)
        rows = [self._rows[-2 - kind] for kind in kinds.tolist()]
        values = np.fromiter(chain.from_iterable(rows), np.int32)
        kept = Ragged(values, offsets_of([*map(len, rows)]))
        return _with_rows(tokens, counts, several, kept.take(which))


class WordCache:
    """The words of spans with their offsets, as `words_of` computes them.

    `words_of` gives a row of number, start and end (int32) for each word of a text, in order. A
    span is recognized by a 64-bit hash. `seed` is a secret, so that nobody can craft a document
    whose spans pass for others.
    """

    def __init__(self, words_of: WordsOf, seed: int) -> None:
        self._words_of = words_of
        self._seed = seed
        self._clear()

    def _clear(self) -> None:
        self._table = _HashTable(_WORD_SLOTS)
        self._values = np.empty((1 << 12, 3), np.int32)
        self._offsets = np.zeros(1, np.int64)

    def __call__(self, spans: Spans) -> Ragged:
        """A row for each span: its words, with offsets in code points from its start."""
        if self._offsets[-1] + len(self._offsets) > _MOST_PLACED:
            self._clear()
        if not len(spans.starts):
            return Ragged(self._values[:0], self._offsets[:1])
        keys = span_hashes(spans.data, spans.starts, spans.lengths, self._seed)
        rows = self._table.get(keys, lambda places: self._added(spans, places))
        return Ragged(self._values, self._offsets).take(rows)

    def _added(self, spans: Spans, places: NDArray[np.int64]) -> NDArray[np.int32]:
        """The numbers of the new rows of the spans at `places`."""
        pieces = spans.bytes_at(places)
        joined = np.full(len(pieces.values) + len(pieces), ord(_BOUNDARY), np.uint8)
        joined[np.arange(len(pieces.values)) + pieces.owners] = pieces.values
        text = joined[:-1].tobytes().decode("utf-8", "surrogatepass")
        lengths = np.fromiter(map(len, text.split(_BOUNDARY)), np.int64, len(pieces))
        starts = offsets_of(lengths + 1)[:-1]
        words = self._words_of(text)
        owners = np.searchsorted(starts, words[:, 1], "right") - 1
        words[:, 1:] -= starts[owners, None].astype(np.int32)
        offsets = offsets_of(np.bincount(owners, minlength=len(pieces)))
        first, start = len(self._offsets) - 1, int(self._offsets[-1])
        end = start + len(words)
        self._values = grown(self._values, end)
        self._values[start:end] = words
        self._offsets = np.append(self._offsets, offsets[1:] + start)
        return np.arange(first, first + len(places), dtype=np.int32)


def _with_rows(
    values: NDArray[Any], counts: NDArray[np.int64], places: NDArray[np.int64], rows: Ragged
) -> Ragged:
    """A row of each of the `values`, repeated by `counts`; at `places` the `rows` instead."""
    counts[places] = rows.lengths
    offsets = offsets_of(counts)
    merged = np.repeat(values, counts)
    shifts = offsets[places] - rows.offsets[:-1]
    merged[np.arange(len(rows.values)) + np.repeat(shifts, rows.lengths)] = rows.values
    return Ragged(merged, offsets)


def _distinct_keys(
    keys: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """The distinct keys in order, a place of each, and for every key which of them it is.

    Like `numpy.unique` without its stable sort, which takes several times as long.
    """
    order = np.argsort(keys)
    ordered = keys[order]
    first = np.append(True, ordered[1:] != ordered[:-1])
    which = np.empty(len(keys), np.int64)
    which[order] = np.cumsum(first) - 1
    return ordered[first], order[first], which
