"""Blocks of tokens: the terms of documents as numbers, with the vocabulary of the block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import hashes_of
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.document_words import LEFT_OUT, encoded_texts

LINE_END = 0
"""The token that separates lines."""


@dataclass(frozen=True, eq=False)
class TokenBlock:
    """The terms of documents, each document a row of `tokens`.

    Token i (uint32) stands for row i - 1 of `words`, which are UTF-8 (uint8), each word once and
    in the order of their hashes. Token 0 stands between two lines that have terms. Where words were
    kept that are no terms, they begin with `LEFT_OUT`.

    >>> block = TokenBlock.of([[["to", "be"], ["or", "not"]], []])
    >>> block.terms_of(0), block.tokens.lengths.tolist()
    (['to', 'be', 'or', 'not'], [5, 0])
    """

    tokens: Ragged
    words: Ragged
    known_hashes: NDArray[np.uint64] | None = None

    @classmethod
    def of(cls, documents: Sequence[Sequence[Sequence[str]]]) -> TokenBlock:
        """The block of documents given as lines of terms."""
        numbers: dict[str, int] = {}
        rows = []
        for lines in documents:
            row = []
            for line in lines:
                row += [numbers.setdefault(term, len(numbers) + 1) for term in line]
                row.append(LINE_END)
            rows.append(row)
        words = encoded_texts(numbers)
        return renumbered(with_line_ends_between(Ragged.of(rows, "uint32")), words)

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def spelled(self) -> list[str]:
        """The words as texts; that of token i is at i - 1."""
        data = self.words.values.tobytes()
        places = self.words.offsets.tolist()
        return [data[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(places)]

    def terms_of(self, place: int) -> list[str]:
        """The terms of the document at `place` in their order."""
        chosen = (self.spelled[token - 1] for token in self.tokens[place].tolist() if token)
        return [word for word in chosen if not word.startswith(LEFT_OUT)]

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """The 64-bit hash of each word; that of token i is at i - 1."""
        return hashes_of(self.words) if self.known_hashes is None else self.known_hashes

    def hashed(self) -> Ragged:
        """The hash of each term of each document in its order: comparable between blocks."""
        lines = self.lines
        return Ragged(self.hashes[lines.tokens - 1], lines.documents)

    @property
    def lines(self) -> TokenLines:
        """The terms without what stands between them, and where lines begin."""
        begins = self.words.values[self.words.offsets[:-1]]
        left_out = np.append(False, begins == ord(LEFT_OUT))
        return lines_in(self.tokens, left_out if left_out.any() else None)


@dataclass(frozen=True, eq=False)
class HashedBlock:
    """The terms of documents by their 64-bit hashes alone: a row for each, without line ends."""

    rows: Ragged

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class TokenLines:
    """Tokens without line ends; document i is at `documents[i]` to `documents[i + 1]`.

    `starts` are the places where lines begin, those of all documents in their order.
    """

    tokens: NDArray[np.uint32]
    documents: NDArray[np.int64]
    starts: NDArray[np.int64]

    @property
    def ends(self) -> NDArray[np.int64]:
        """The places where the lines end."""
        return np.append(self.starts[1:], len(self.tokens))[: len(self.starts)]

    @property
    def first_lines(self) -> NDArray[np.int64]:
        """The number of the line that each document begins with, and how many lines there are."""
        return np.searchsorted(self.starts, self.documents)


def lines_in(tokens: Ragged, left_out: NDArray[np.bool_] | None = None) -> TokenLines:
    """Split tokens into lines at each 0; empty lines are left out.

    What `left_out` is true for, indexed by token, is left out, too.

    >>> lines = lines_in(Ragged.of([[0, 5, 6, 0, 0, 7, 0], [], [8]], "uint32"))
    >>> lines.tokens.tolist(), lines.documents.tolist(), lines.starts.tolist()
    ([5, 6, 7, 8], [0, 3, 3, 4], [0, 2, 3])
    """
    values, documents = tokens.values[: tokens.offsets[-1]], tokens.offsets
    if left_out is not None:
        dropped = left_out[values]
        values = values[~dropped]
        documents = documents - np.searchsorted(np.flatnonzero(dropped), documents)
    is_end = values == LINE_END
    if not is_end.any():
        return TokenLines(values, documents, documents[:-1][documents[1:] > documents[:-1]])
    documents = documents - np.searchsorted(np.flatnonzero(is_end), documents)
    begins = np.append(False, is_end[:-1])[: len(values)][~is_end]
    begins = np.append(begins, False)  # where empty documents at the end would begin
    begins[documents] = True
    return TokenLines(values[~is_end], documents, np.flatnonzero(begins[:-1]))


def with_line_ends_between(tokens: Ragged) -> Ragged:
    """Reduce separators to a single 0 between two lines with terms.

    >>> tokens = Ragged.of([[0, 5, 6, 0, 0, 7, 0], [0], [8, 0], [9]], "uint32")
    >>> [row.tolist() for row in with_line_ends_between(tokens)]
    [[5, 6, 0, 7], [], [8], [9]]
    """
    values = tokens.values[: tokens.offsets[-1]]
    is_term = values != LINE_END
    kept = is_term.copy()
    kept[:-1] |= is_term[1:]
    places = np.flatnonzero(is_term)
    documents = np.searchsorted(places, tokens.offsets[:-1])
    before = places[documents[documents < len(places)]] - 1  # the first term of a document
    before = before[before >= 0]
    kept[before] = is_term[before]
    dropped = np.flatnonzero(~kept)
    return Ragged(values[kept], tokens.offsets - np.searchsorted(dropped, tokens.offsets))


def with_line_ends(tokens: Ragged, lines: Ragged) -> Ragged:
    """The tokens with 0 between two that stand on different `lines`, as their numbers say.

    >>> tokens = Ragged.of([[5, 6, 7], [], [8, 9]], "uint32")
    >>> found = with_line_ends(tokens, Ragged.of([[0, 0, 2], [], [4, 5]]))
    >>> [row.tolist() for row in found]
    [[5, 6, 0, 7], [], [8, 0, 9]]
    """
    begins = np.append(False, lines.values[1:] != lines.values[:-1])[: len(lines.values)]
    begins[tokens.offsets[:-1][tokens.lengths > 0]] = False
    shifts = np.cumsum(begins)
    values = np.full(len(begins) + np.count_nonzero(begins), LINE_END, tokens.values.dtype)
    values[np.arange(len(begins)) + shifts] = tokens.values
    return Ragged(values, tokens.offsets + np.append(0, shifts)[tokens.offsets])


def renumbered(
    tokens: Ragged, words: Ragged, hashes: NDArray[np.uint64] | None = None
) -> TokenBlock:
    """The block of tokens that stand for other words than its own: token i for row i - 1 of those.

    It is the same for the same documents, wherever their words stand among `words`, each of them
    once. `hashes` are those of the words, where they are known.
    """
    keys = hashes_of(words) if hashes is None else hashes
    seen = np.zeros(len(words) + 1, bool)
    seen[tokens.values] = True
    used = np.flatnonzero(seen[1:])
    used = used[np.argsort(keys[used])]
    numbers = np.zeros(len(words) + 1, np.uint32)
    numbers[used + 1] = np.arange(1, len(used) + 1)
    moved = Ragged(numbers[tokens.values], tokens.offsets)
    return TokenBlock(moved, words.take(used), keys[used])
