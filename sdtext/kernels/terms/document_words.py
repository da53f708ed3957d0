"""The words of documents, numbered, with their offsets, including words that a chain drops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.integer_and_byte_hashes import hashes_of
from sdtext.kernels.arrays.ragged import Ragged, offsets_of

DROPPED = -1
"""The number of a dropped word."""

_MOST_WORDS = 1 << 19
_MOST_CHARACTERS = 1 << 26  # of all words together
LEFT_OUT = "\r"
"""The prefix of a word that a filter drops. No term contains a line end."""


class WordNumbering:
    """Words (UTF-8) with their numbers, from 1, and their hashes.

    >>> numbering = WordNumbering()
    >>> numbering.numbers(["to", "be", "", "to"]), [bytes(word) for word in numbering.encoded()[0]]
    ([1, 2, -1, 1], [b'to', b'be'])
    """

    def __init__(self) -> None:
        self._numbers = {"": DROPPED}
        self.spelled = [""]  # the words by their numbers
        self._characters = 0
        self._bytes = np.empty(1 << 16, np.uint8)
        self._offsets = np.zeros(1 << 12, np.int64)
        self._hashes = np.empty(1 << 12, np.uint64)
        self._count = 0  # of the words in the arrays

    def numbers(self, words: Sequence[str]) -> list[int]:
        """A number for each word, the same for the same word; that of "" is `DROPPED`."""
        known = self._numbers
        for word in words:
            if word not in known:
                known[word] = len(self.spelled)
                self.spelled.append(word)
                self._characters += len(word)
        return [known[word] for word in words]

    def encoded(self) -> tuple[Ragged, NDArray[np.uint64]]:
        """The words, of which that of number i is row i - 1, and the hash of each (`hashes_of`)."""
        before, after = self._count, len(self.spelled) - 1
        if before < after:  # the latest words: some users need none of them
            new = self.spelled[before + 1 :]
            added = encoded_texts(new)
            start = int(self._offsets[before])
            end = start + int(added.offsets[-1])
            self._bytes = grown(self._bytes, end)
            self._offsets = grown(self._offsets, after + 1)
            self._hashes = grown(self._hashes, after)
            self._bytes[start:end] = added.values
            self._offsets[before : after + 1] = added.offsets + start
            self._hashes[before:after] = hashes_of(added)
            self._count = after
        offsets = self._offsets[: after + 1]
        return Ragged(self._bytes[: offsets[-1]], offsets), self._hashes[:after]

    @property
    def is_full(self) -> bool:
        """Whether it has reached its maximum size and should be replaced."""
        return len(self.spelled) > _MOST_WORDS or self._characters > _MOST_CHARACTERS


def words_in(words: Sequence[bytes]) -> Ragged:
    """The words, each a row of bytes."""
    values = np.frombuffer(b"".join(words), np.uint8)
    return Ragged(values, offsets_of(np.fromiter(map(len, words), np.int64, len(words))))


def encoded_texts(texts: Iterable[str]) -> Ragged:
    """The texts, each a row of UTF-8 bytes."""
    return words_in([text.encode("utf-8", "surrogatepass") for text in texts])


def grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    """The array, copied into a longer one if it is shorter than `length`."""
    if length <= len(array):
        return array
    longer = np.empty((max(length, 2 * len(array)), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


@dataclass(frozen=True, eq=False)
class DocumentWords:
    """The words of one document: four columns of one length.

    `words` are numbers, equal for equal words; `is_term` says which of them the chain keeps;
    `starts` and `ends` are offsets in code points of `Document.text`.
    """

    words: NDArray[np.uint32]
    is_term: NDArray[np.bool_]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The places of the terms among the words."""
        return np.flatnonzero(self.is_term)

    @cached_property
    def terms(self) -> NDArray[np.uint32]:
        """The words that are terms."""
        return self.words[self.places]

    def __getitem__(self, which: slice | NDArray[np.bool_]) -> DocumentWords:
        """The words in a slice, or with a flag."""
        return DocumentWords(
            self.words[which], self.is_term[which], self.starts[which], self.ends[which]
        )

    def between(self, start: int, end: int) -> DocumentWords:
        """The words that begin between two offsets."""
        first, last = np.searchsorted(self.starts, (start, end)).tolist()
        return self[first:last]


@dataclass(frozen=True, eq=False)
class WordOffsets:
    r"""The words of documents, each document a row of `tokens`, `starts` and `ends`.

    Token i (uint32, from 1) stands for row i - 1 of `words`, which are UTF-8 (uint8), each word
    once. One that the chain drops begins with `LEFT_OUT`.

    >>> placed = WordOffsets.of([[("bees", 0, 4), ("\rare", 5, 8)]])
    >>> placed.document(0).is_term.tolist()
    [True, False]
    """

    tokens: Ragged
    words: Ragged
    starts: Ragged
    ends: Ragged

    @classmethod
    def of(cls, documents: Sequence[Sequence[tuple[str, int, int]]]) -> WordOffsets:
        """The words given as rows of word, start and end."""
        numbers: dict[str, int] = {}
        tokens = [
            [numbers.setdefault(word, len(numbers) + 1) for word, _, _ in row] for row in documents
        ]
        words = encoded_texts(numbers)
        starts = [[start for _, start, _ in row] for row in documents]
        ends = [[end for _, _, end in row] for row in documents]
        columns = (Ragged.of(rows, "uint32") for rows in (starts, ends))
        return cls(Ragged.of(tokens, "uint32"), words, *columns)

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def is_term(self) -> NDArray[np.bool_]:
        """For each token, from 0, whether the chain keeps its word."""
        begins = self.words.values[self.words.offsets[:-1]]
        return np.append(False, begins != ord(LEFT_OUT))

    def document(self, place: int) -> DocumentWords:
        """The words of the document at `place`."""
        tokens = self.tokens[place]
        starts, ends = (column[place].astype(np.int64) for column in (self.starts, self.ends))
        return DocumentWords(tokens, self.is_term[tokens], starts, ends)
