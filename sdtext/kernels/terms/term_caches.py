"""Caches of what a chain makes of words and of spans of text.

A span is a run of bytes without line ends or, with blanks as boundaries, without bytes up to the
blank. Few distinct spans make up nearly all of a text, so each is processed once.
"""

import re
from bisect import bisect
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.c_library import KERNELS
from sdtext.kernels.terms.document_words import WordNumbering, grown

TermsIn = Callable[[Sequence[bytes]], list[str]]
WordsOf = Callable[[str], NDArray[np.int32]]

_SLOTS = 15  # bits: a table of half a megabyte at first, which stays near the processor
_MOST_SPANS = 1 << 19  # that are cached of terms
_MOST_PLACED = 1 << 20  # spans and words of them that are cached; some 100 MB
_BOUNDARY = "\n"  # between terms of a span, and between spans: it ends a span for every tokenizer
_WHOLE = np.empty(0, np.int64)
_SPANS = {True: re.compile(rb"\n|[^\x00- ]+"), False: re.compile(rb"\n|[^\n]+")}


class SpanNumbers:
    """Spans numbered from 1 in the order in which they are first seen; 0 is a line end.

    A span is recognized by a 64-bit hash. `seed` is a secret, so that nobody can craft a document
    whose spans pass for others.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._keys = np.empty(1 << _SLOTS, np.uint64)  # the hashes by their numbers
        self._table = np.zeros(1 << _SLOTS, np.uint32)
        self._last = np.zeros(1 << _SLOTS, np.uint32)  # the mark with which each was last seen
        self._mark = 1
        self._known: dict[bytes, int] = {}
        self.count = 0

    def __call__(
        self,
        data: NDArray[np.uint8],
        ends: NDArray[np.int64] = _WHOLE,
        *,
        blanks: bool,
        lines: bool,
        once: bool = False,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], list[bytes]]:
        """The start and the number of each span, and the spans that are new.

        With `blanks` these are boundaries; with `lines` line ends are spans, too. With `once`, only
        the first of equal spans of each piece is given; pieces end at `ends`.
        """
        if "spans" not in KERNELS:
            return self._plain(data.tobytes(), ends, blanks=blanks, lines=lines, once=once)
        room = len(data) if lines else len(data) // 2 + 1
        starts, numbers = np.empty(room, np.int64), np.empty(room, np.int32)
        place, end, new = np.zeros(1, np.int64), 0, list[bytes]()
        while True:
            count, further = KERNELS["spans"](
                data, blanks, lines, self._seed, self._keys, self._last, once and self._mark,
                self._table, self.count, ends, place, starts[end:], numbers[end:],
            )  # fmt: skip
            end += count
            self.count += len(further)
            if len(further):
                text = data.tobytes()  # of which slices take less time than of an array
                new += [text[start:stop] for start, stop in further.tolist()]
            if place[0] == len(data):
                self._mark += len(ends) + 1
                if self._mark >> 31:  # the kernel compares 32 bits
                    self._last[:], self._mark = 0, 1
                return starts[:end], numbers[:end], new
            self._keys = grown(self._keys, 2 * len(self._keys))
            self._last = np.concatenate([self._last, np.zeros_like(self._last)])
            self._table = np.zeros(len(self._keys), np.uint32)
            KERNELS["span_table"](self._keys, self.count, self._table)

    def _plain(
        self, data: bytes, ends: NDArray[np.int64], *, blanks: bool, lines: bool, once: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], list[bytes]]:
        known, before = self._known, self.count
        spans = [span for span in _SPANS[blanks].finditer(data) if lines or span[0] != b"\n"]
        if once:
            firsts: dict[tuple[int, bytes], re.Match[bytes]] = {}
            for span in spans:
                firsts.setdefault((bisect(ends, span.start()), span[0]), span)
            spans = [*firsts.values()]
        numbers = [
            0 if span[0] == b"\n" else known.setdefault(span[0], len(known) + 1) for span in spans
        ]
        self.count = len(known)
        starts = [span.start() for span in spans]
        return np.array(starts, np.int64), np.array(numbers, np.int32), [*known][before:]


class TokenCache:
    """The terms of spans, as `terms_in` computes them, numbered by `numbering`.

    `terms_in` gives the terms of each span, joined by line ends. `seed` is that of `SpanNumbers`.
    """

    def __init__(self, terms_in: TermsIn, numbering: WordNumbering, seed: int) -> None:
        self._terms_in = terms_in
        self._numbering = numbering
        self._seed = seed
        self._clear()

    def _clear(self) -> None:
        self._spans = SpanNumbers(self._seed)
        # Row n has the terms of span n; row 0 those of a line end, which is itself.
        self._values, self._offsets = np.zeros(1 << 12, np.int32), np.zeros(1 << 12, np.int64)
        self._offsets[1] = 1

    def __call__(
        self,
        data: NDArray[np.uint8],
        ends: NDArray[np.int64],
        *,
        blanks: bool,
        lines: bool = False,
        once: bool = False,
    ) -> Ragged:
        """The terms of each piece of the data, with 0 for line ends if `lines` are wanted.

        A piece begins behind the byte at which the one before ends. With `once`, the terms are
        those of the first of equal spans of each piece.
        """
        if self._spans.count > _MOST_SPANS:
            self._clear()
        before = self._spans.count + 1
        try:
            starts, numbers, new = self._spans(data, ends, blanks=blanks, lines=lines, once=once)
            if new:
                spelled = [line.split(_BOUNDARY) if line else [] for line in self._terms_in(new)]
                known = self._numbering.numbers([term for some in spelled for term in some])
                self._add(before, known, np.fromiter(map(len, spelled), np.int64, len(new)))
        except BaseException:  # the work was broken off, and spans may have no terms
            self._clear()
            raise
        last = np.searchsorted(starts, ends, "right")
        rows = Ragged(self._values, self._offsets[: self._spans.count + 2])
        if "joined_rows" in KERNELS:
            _, tokens = KERNELS["joined_rows"](numbers, rows.offsets, rows.values, last)
            return Ragged(tokens, np.append(0, last))
        terms = rows.take(numbers)
        return Ragged(terms.values, np.append(0, terms.offsets[last]))

    def _add(self, first: int, tokens: Sequence[int], lengths: NDArray[np.int64]) -> None:
        """Add the rows from `first` on."""
        start, last = int(self._offsets[first]), first + len(lengths)
        self._offsets = grown(self._offsets, last + 1)
        self._offsets[first : last + 1] = offsets_of(lengths) + start
        self._values = grown(self._values, start + len(tokens))
        self._values[start : start + len(tokens)] = tokens


class WordCache:
    """The words of spans with their offsets, as `words_of` computes them.

    `words_of` gives a row of number, start and end (int32) for each word of a text, in order.
    `seed` is that of `SpanNumbers`.
    """

    def __init__(self, words_of: WordsOf, seed: int) -> None:
        self._words_of = words_of
        self._seed = seed
        self._clear()

    def _clear(self) -> None:
        self._spans = SpanNumbers(self._seed)
        self._values = np.empty((1 << 12, 3), np.int32)
        self._offsets = np.zeros(2, np.int64)  # row 0 is none

    def __call__(
        self, data: NDArray[np.uint8], *, blanks: bool
    ) -> tuple[NDArray[np.int64], Ragged]:
        """The start of each span, and a row of its words with offsets in code points from there."""
        if self._offsets[-1] + len(self._offsets) > _MOST_PLACED:
            self._clear()
        starts, numbers, new = self._spans(data, blanks=blanks, lines=False)
        if new:
            self._add(new)
        return starts, Ragged(self._values, self._offsets).take(numbers)

    def _add(self, spans: Sequence[bytes]) -> None:
        """Add the rows of new spans."""
        text = b"\n".join(spans).decode("utf-8", "surrogatepass")
        lengths = np.fromiter(map(len, text.split(_BOUNDARY)), np.int64, len(spans))
        starts = offsets_of(lengths + 1)[:-1]
        words = self._words_of(text)
        owners = np.searchsorted(starts, words[:, 1], "right") - 1
        words[:, 1:] -= starts[owners, None].astype(np.int32)
        offsets = offsets_of(np.bincount(owners, minlength=len(spans)))
        start = int(self._offsets[-1])
        self._values = grown(self._values, start + len(words))
        self._values[start : start + len(words)] = words
        self._offsets = np.append(self._offsets, offsets[1:] + start)
