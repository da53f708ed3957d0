"""The words of documents with their offsets, including words that a chain drops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.word_numbering import words_in

LEFT_OUT = "\r"
"""The prefix of a word that a filter drops. No term contains a line end."""


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

    def taken(self, first: int, last: int) -> DocumentWords:
        """The words in a range of their places."""
        inside = slice(first, last)
        return DocumentWords(
            self.words[inside], self.is_term[inside], self.starts[inside], self.ends[inside]
        )

    def between(self, start: int, end: int) -> DocumentWords:
        """The words that begin between two offsets."""
        first, last = np.searchsorted(self.starts, (start, end)).tolist()
        return self.taken(first, last)


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
        words = words_in([word.encode("utf-8", "surrogatepass") for word in numbers])
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
