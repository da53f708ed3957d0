"""Caches of what a chain makes of words and of spans of text.

Spans are what stands between white space. Few distinct ones make up nearly all of a text, so a
span is processed once and recognized by its 64-bit hash afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.arrays.row_hashes import span_hashes
from sdtext.kernels.terms.lexicon import DROPPED, Lexicon
from sdtext.kernels.terms.tokens import LINE_END

TermsIn = Callable[[Sequence[bytes]], list[str]]

_SLOTS = 17  # bits: a table of 1.5 MB, which stays near the processor
_MOST_ROWS = 1 << 17  # stretches of several terms
_SEVERAL = "\n"  # between the terms of a stretch


@dataclass(frozen=True, eq=False)
class Spans:
    """Places of stretches in some data (uint8), in their order; a line end may be one, too."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def taken(self, places: NDArray[np.int64]) -> Spans:
        """Those at `places`."""
        return Spans(self.data, self.starts[places], self.lengths[places])


def spans_in(data: NDArray[np.uint8], *, blanks: bool, lines: bool = True) -> Spans:
    r"""The stretches between line ends and, with `blanks`, between blanks; with `lines` these ends.

    >>> import numpy as np
    >>> data = np.frombuffer(b"to be\n or", np.uint8)
    >>> found = spans_in(data, blanks=True)
    >>> found.starts.tolist(), found.lengths.tolist()
    ([0, 3, 5, 7], [2, 2, 1, 2])
    >>> spans_in(data, blanks=True, lines=False).starts.tolist()
    [0, 3, 7]
    """
    inside = data > ord(" ") if blanks else data != ord("\n")
    if not lines:
        return _between(data, inside)
    first, last = inside.copy(), inside.copy()
    np.greater(inside[1:], inside[:-1], out=first[1:])
    np.greater(inside[:-1], inside[1:], out=last[:-1])
    line_end = data == ord("\n")
    first |= line_end
    last |= line_end
    starts = np.flatnonzero(first)
    return Spans(data, starts, np.flatnonzero(last) + 1 - starts)


def _between(data: NDArray[np.uint8], inside: NDArray[np.bool_]) -> Spans:
    """The longest stretches of bytes that are `inside`."""
    framed = np.zeros(len(inside) + 2, bool)
    framed[1:-1] = inside
    borders = np.flatnonzero(framed[1:] != framed[:-1])  # begins and ends in turn
    starts = borders[::2].copy()
    return Spans(data, starts, borders[1::2] - starts)


class TokenCache:
    """The tokens of stretches: what `terms_in` makes of them, numbered by `lexicon`.

    `terms_in` gives the terms of each stretch, joined by line ends. What is ASCII and no longer
    than `plain` bytes is taken for a term as it stands, by arrays alone. A stretch is known again
    by a 64-bit hash. `seed` is a secret, so that no document can be made whose stretches pass for
    others. The table is one of fixed size, in which what comes later displaces what came before.
    """

    def __init__(self, terms_in: TermsIn, lexicon: Lexicon, seed: int, plain: int = 0) -> None:
        self._terms_in = terms_in
        self._lexicon = lexicon
        self._seed = seed
        self._plain = plain
        self._clear()

    def _clear(self) -> None:
        self._known = np.zeros(1 << _SLOTS, np.uint64)
        self._known[0] = 1 << 63  # which belongs elsewhere, as 0 does to all other slots
        self._tokens = np.zeros(1 << _SLOTS, np.int32)
        self._rows: list[list[int]] = []  # the terms of tokens -2, -3, …

    def __call__(self, found: Spans) -> Ragged:
        """The tokens of each stretch: its terms, none, or 0 for a line end."""
        if len(self._rows) > _MOST_ROWS:
            self._clear()
        keys = span_hashes(found.data, found.starts, found.lengths, self._seed)
        slots = _slots_of(keys)
        tokens = self._tokens[slots]
        missed = np.flatnonzero(self._known[slots] != keys)
        if len(missed):
            new, places, which = distinct(keys[missed])
            made = self._made(found, missed[places])
            self._remember(new, made)
            tokens[missed] = made[which]
        return self._spread(tokens)

    def hashes(self, found: Spans) -> Ragged:
        """The hash of each term of each stretch, of which none is a line end.

        A term that stands as it is needs no number: its hash is had at once.
        """
        if not self._plain:
            return self._hashed(self(found))
        made = span_hashes(found.data, found.starts, found.lengths)
        others = _not_plain(found, self._plain)
        if not len(others):
            return Ragged(made, np.arange(len(made) + 1))
        rows = self._hashed(self(found.taken(others)))
        return _with_rows(made, np.ones(len(made), np.int64), others, rows)

    def _hashed(self, rows: Ragged) -> Ragged:
        """The hashes of terms that are given by their numbers."""
        return Ragged(self._lexicon.hashes[rows.values - 1], rows.offsets)

    def _remember(self, keys: NDArray[np.uint64], tokens: NDArray[np.int32]) -> None:
        """Keep the tokens of `keys`, which are sorted; the last one that has a slot gets it."""
        slots = _slots_of(keys)
        last = np.append(slots[1:] != slots[:-1], True)
        self._known[slots[last]] = keys[last]
        self._tokens[slots[last]] = tokens[last]

    def _made(self, found: Spans, places: NDArray[np.int64]) -> NDArray[np.int32]:
        """The tokens of the stretches at `places`."""
        tokens = np.full(len(places), LINE_END, np.int32)
        others = np.flatnonzero(found.data[found.starts[places]] != ord(_SEVERAL))
        rows = span_bytes(found, places[others])
        if self._plain and len(others):
            plain = _are_plain(rows, self._plain)
            tokens[others[plain]] = self._lexicon.add(rows.taken(np.flatnonzero(plain)))
            others, rows = others[~plain], rows.taken(np.flatnonzero(~plain))
        if len(others):
            data, ends = rows.values.tobytes(), rows.offsets.tolist()
            made = self._terms_in([data[start:end] for start, end in pairwise(ends)])
            tokens[others] = self._tokens_of(made)
        return tokens

    def _tokens_of(self, made: list[str]) -> list[int]:
        """The tokens of stretches by their terms; a new one for each that has several."""
        numbers: list[int] = self._numbers(_SEVERAL.join(made)).tolist()
        if len(numbers) == len(made):
            return numbers
        tokens, rest = [], iter(numbers)
        for terms in made:
            row = list(islice(rest, terms.count(_SEVERAL) + 1))
            if len(row) > 1:
                self._rows.append(row)
            tokens.append(row[0] if len(row) == 1 else DROPPED - len(self._rows))
        return tokens

    def _numbers(self, terms: str) -> NDArray[np.int32]:
        """A new number for each of the terms, which line ends part; `DROPPED` for none."""
        data = np.frombuffer(terms.encode("utf-8", "surrogatepass"), np.uint8)
        ends = np.append(np.flatnonzero(data == ord(_SEVERAL)), len(data))
        starts = np.append(0, ends[:-1] + 1)
        found = Spans(data, starts, ends - starts)
        filled = np.flatnonzero(found.lengths)
        numbers = np.full(len(ends), DROPPED, np.int32)
        numbers[filled] = self._lexicon.add(span_bytes(found, filled))
        return numbers

    def _spread(self, tokens: NDArray[np.int32]) -> Ragged:
        """The tokens of each stretch, where one may stand for several."""
        counts = (tokens != DROPPED).astype(np.int64)
        several = np.flatnonzero(tokens < DROPPED)
        if not len(several):
            return Ragged(tokens[tokens != DROPPED], offsets_of(counts))
        kinds, which = np.unique(tokens[several], return_inverse=True)
        rows = Ragged.of([self._rows[-2 - kind] for kind in kinds.tolist()], "int32").taken(which)
        return _with_rows(tokens, counts, several, rows)


def _with_rows(
    values: NDArray[Any], counts: NDArray[np.int64], places: NDArray[np.int64], rows: Ragged
) -> Ragged:
    """A row of each of the `values`, as often as `counts` says; at `places` the `rows` instead."""
    counts[places] = rows.lengths
    offsets = offsets_of(counts)
    made = np.repeat(values, counts)
    shifts = offsets[places] - rows.offsets[:-1]
    made[np.arange(len(rows.values)) + np.repeat(shifts, rows.lengths)] = rows.values
    return Ragged(made, offsets)


def _slots_of(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    return (keys >> np.uint64(64 - _SLOTS)).view(np.int64)


def _are_plain(rows: Ragged, longest: int) -> NDArray[np.bool_]:
    """Which of the rows of bytes, none of them empty, are ASCII and no longer than `longest`."""
    highest = np.maximum.reduceat(rows.values, rows.offsets[:-1])
    return np.asarray((highest < 0x80) & (rows.lengths <= longest))


def _not_plain(found: Spans, longest: int) -> NDArray[np.int64]:
    """The places of the stretches that are not ASCII or are longer than `longest`."""
    high = found.data >= 0x80
    begins = high.copy()
    np.greater(high[1:], high[:-1], out=begins[1:])
    is_other = found.lengths > longest
    is_other[np.searchsorted(found.starts, np.flatnonzero(begins), "right") - 1] = True
    return np.flatnonzero(is_other)


def span_bytes(found: Spans, places: NDArray[np.int64]) -> Ragged:
    """The bytes of the stretches at `places`."""
    lengths = found.lengths[places]
    offsets = offsets_of(lengths)
    shifts = found.starts[places] - offsets[:-1]
    return Ragged(found.data[np.arange(offsets[-1]) + np.repeat(shifts, lengths)], offsets)


def distinct(
    keys: NDArray[np.uint64],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """The keys in order, each once, with a place of each; for every key which of them it is.

    As `numpy.unique`, but for the stable order there, which takes several times as long.
    """
    order = np.argsort(keys)
    ordered = keys[order]
    first = np.append(True, ordered[1:] != ordered[:-1])
    which = np.empty(len(keys), np.int64)
    which[order] = np.cumsum(first) - 1
    return ordered[first], order[first], which


WordsOf = Callable[[str], NDArray[np.int32]]

_MOST_PLACED = 1 << 20  # stretches and words of them that are remembered; some 100 MB
_BOUNDARY = "\n"  # which parts stretches for every tokenizer


class WordCache:
    """The words of stretches: what `words_of` makes of their text, each known again.

    `words_of` gives a row of number, start and end (int32) for each word of a text, in order. A
    stretch is known again by a 64-bit hash. `seed` is a secret, so that no document can be made
    whose stretches pass for others.
    """

    def __init__(self, words_of: WordsOf, seed: int) -> None:
        self._words_of = words_of
        self._seed = seed
        self._clear()

    def _clear(self) -> None:
        self._entries: dict[int, int] = {}
        self._values = np.empty((1 << 12, 3), np.int32)
        self._offsets = np.zeros(1, np.int64)

    def __call__(self, found: Spans) -> Ragged:
        """A row for each stretch: its words, with places that count code points from its start."""
        if self._offsets[-1] + len(self._offsets) > _MOST_PLACED:
            self._clear()
        if not len(found.starts):
            return Ragged(self._values[:0], self._offsets[:1])
        hashes = span_hashes(found.data, found.starts, found.lengths, self._seed)
        keys, places, which = distinct(hashes)
        entries = self._known(keys, found, places)
        return Ragged(self._values, self._offsets).taken(entries[which])

    def _known(
        self, keys: NDArray[np.uint64], found: Spans, places: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Which of the rows remembered is that of each key; new ones are made of its stretch."""
        entry_of = self._entries.get
        entries = np.array([entry_of(key, -1) for key in keys.tolist()], np.int64)
        missed = np.flatnonzero(entries < 0)
        if len(missed):
            numbers = range(len(self._offsets) - 1, len(self._offsets) - 1 + len(missed))
            self._append(self._made(found, places[missed]))
            self._entries.update(zip(keys[missed].tolist(), numbers, strict=True))
            entries[missed] = numbers
        return entries

    def _append(self, rows: Ragged) -> None:
        """Remember rows."""
        start = int(self._offsets[-1])
        end = start + len(rows.values)
        if end > len(self._values):
            grown = np.empty((max(end, 2 * len(self._values)), 3), np.int32)
            grown[:start] = self._values[:start]
            self._values = grown
        self._values[start:end] = rows.values
        self._offsets = np.append(self._offsets, rows.offsets[1:] + start)

    def _made(self, found: Spans, places: NDArray[np.int64]) -> Ragged:
        """The words of the stretches at `places`."""
        rows = span_bytes(found, places)
        text = _joined(rows).decode("utf-8", "surrogatepass")
        lengths = np.fromiter(map(len, text.split(_BOUNDARY)), np.int64, len(rows))
        begins = offsets_of(lengths + 1)[:-1]
        words = self._words_of(text)
        owners = np.searchsorted(begins, words[:, 1], "right") - 1
        words[:, 1:] -= begins[owners, None].astype(np.int32)
        return Ragged(words, offsets_of(np.bincount(owners, minlength=len(rows))))


def _joined(rows: Ragged) -> bytes:
    """The rows with a boundary between them."""
    made = np.full(len(rows.values) + len(rows), ord(_BOUNDARY), np.uint8)
    made[np.arange(len(rows.values)) + rows.owners] = rows.values
    return made[:-1].tobytes()


_MOST_WORDS = 1 << 19  # entries; some 100 MB
_LONGEST_WORD = 64  # bytes

Made = TypeVar("Made")


class WordMemo(dict[bytes, Made]):
    """What `make` makes of a key, computed once; bounded in entries and in their length."""

    def __init__(self, make: Callable[[str], Made]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: bytes) -> Made:
        made = self._make(key.decode("utf-8", "surrogatepass"))
        if len(key) <= _LONGEST_WORD:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[key] = made
        return made
