"""A batch of documents: their words with offsets, the spans that may not count, sentence codes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sdtext.analysis.sentence_codes import CodedUnits
from sdtext.collections.storage.merge_vocabularies import spelled
from sdtext.collections.word_offsets_and_codes import MarkedSpans
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.terms.document_words import DocumentWords, WordOffsets
from sdtext.model import Examined, Passage


@dataclass(frozen=True, eq=False)
class DocumentInfo:
    """What is known of a document beside its words.

    `id` is its id in the collection, or its position among the documents that were read. `marked`
    holds the spans that the search needs. Where several documents of a collection have the same
    name, `path` replaces it. `file` is the file that the document was read from, by its real path.
    """

    id: int
    examined: Examined
    marked: MarkedSpans = field(default_factory=MarkedSpans)
    path: str = ""
    file: str = ""

    def is_same_file(self, other: DocumentInfo) -> bool:
        """Whether both were read from one file, or stored from one and unchanged since."""
        if self.file and other.file:
            return self.file == other.file
        is_same_content = (
            bool(self.examined.digest) and self.examined.digest == other.examined.digest
        )
        return is_same_content and bool(self.origin) and self.origin == other.origin

    @property
    def origin(self) -> str:
        """The real path of the file it was read from, or stored from; "" if there is none."""
        return self.file or (os.path.realpath(self.path) if self.path else "")


@dataclass(frozen=True, eq=False)
class DocumentBatch:
    """Some documents: a row of `words` for each, and their sentence codes if the search needs them.

    The numbers of words follow from the vocabulary of the batch.
    """

    infos: Sequence[DocumentInfo]
    words: WordOffsets
    codes: CodedUnits | None = None
    _words: dict[int, DocumentWords] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def numbers(self) -> dict[bytes, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(spelled(self.words.words), 1)}

    @cached_property
    def terms(self) -> Ragged:
        r"""The terms of each document: its words without those that the chain drops.

        >>> words = WordOffsets.of([[("bees", 0, 4), ("\rare", 5, 8), ("old", 9, 12)]])
        >>> DocumentBatch([], words).terms[0].tolist()
        [1, 3]
        """
        tokens = self.words.tokens
        kept = self.words.is_term[tokens.values]
        before = np.zeros(len(kept) + 1, np.int64)
        np.cumsum(kept, out=before[1:])
        return Ragged(tokens.values[kept], before[tokens.offsets])

    def renumbered_as(self, other: DocumentBatch) -> DocumentBatch:
        """The same documents, with the word numbers of `other`; further words get new numbers.

        >>> one = DocumentBatch([], WordOffsets.of([[("bees", 0, 4), ("wax", 5, 8)]]))
        >>> other = DocumentBatch([], WordOffsets.of([[("wax", 0, 3)]]))
        >>> one.renumbered_as(other).words.tokens[0].tolist()
        [2, 1]
        """
        if self.words.words is other.words.words:
            return self
        known, own = other.numbers, spelled(self.words.words)
        new = [place for place, word in enumerate(own) if word not in known]
        further = {own[place]: len(known) + rank for rank, place in enumerate(new, 1)}
        numbers = [known.get(word) or further[word] for word in own]
        tokens = np.array([0, *numbers], np.uint32)[self.words.tokens.values]
        vocabulary = joined([other.words.words, self.words.words.take(new)])
        tokens_of_rows = Ragged(tokens, self.words.tokens.offsets)
        return replace(self, words=replace(self.words, tokens=tokens_of_rows, words=vocabulary))

    def take(self, places: Sequence[int]) -> DocumentBatch:
        """The documents at `places`, in that order."""
        columns = (self.words.tokens, self.words.starts, self.words.ends)
        tokens, starts, ends = (column.take(places) for column in columns)
        words = WordOffsets(tokens, self.words.words, starts, ends)
        codes = self.codes
        if codes is not None:
            columns = (codes.starts, codes.ends, codes.codes)
            begins, stops, values = (column.take(places) for column in columns)
            codes = CodedUnits(begins, stops, values, codes.short[list(places)])
        return DocumentBatch([self.infos[place] for place in places], words, codes)

    def words_of(self, place: int) -> DocumentWords:
        """The words of the document at `place`, the same object for every pair it is part of."""
        if place not in self._words:
            self._words[place] = self.words.document(place)
        return self._words[place]


def words_of_both(
    left: tuple[DocumentBatch, int], right: tuple[DocumentBatch, int]
) -> tuple[DocumentWords, DocumentWords]:
    """The words of two documents, each by its batch and its place, numbered by one vocabulary.

    >>> one = DocumentBatch([], WordOffsets.of([[("bees", 0, 4), ("wax", 5, 8)]]))
    >>> other = DocumentBatch([], WordOffsets.of([[("wax", 0, 3)]]))
    >>> [worded.words.tolist() for worded in words_of_both((one, 0), (other, 0))]
    [[1, 2], [2]]
    """
    sides = [batch.words_of(place) for batch, place in (left, right)]
    vocabularies = left[0].words.words, right[0].words.words
    if vocabularies[0] is vocabularies[1]:
        return sides[0], sides[1]
    numbers: dict[bytes, int] = {}
    for side, vocabulary in enumerate(vocabularies):
        known, places = np.unique(sides[side].words, return_inverse=True)
        spelled = (vocabulary[number - 1].tobytes() for number in known.tolist())
        new = [numbers.setdefault(word, len(numbers) + 1) for word in spelled]
        sides[side] = replace(sides[side], words=np.array(new, np.uint32)[places])
    return sides[0], sides[1]


@dataclass(frozen=True)
class PairPassages:
    """The passages that two documents share, as a finder of passages gives them.

    `left` and `right` are the positions of the documents in their batches, `sides` their words,
    numbered by one vocabulary.
    """

    left: int
    right: int
    passages: Sequence[Passage]
    sides: tuple[DocumentWords, DocumentWords]
