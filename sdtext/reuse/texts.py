"""Documents that passages are looked for in: their words, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sdtext.analysis.sentence_codes import CodedUnits
from sdtext.collections.positions import Marked
from sdtext.collections.storage.vocabulary import together
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.terms.word_offsets import PlacedWords, Worded
from sdtext.model.passages import Examined

CHAPTERS, QUOTES, REFERENCES, SENTENCES = "chapters", "quotes", "references", "sentences"
"""What may be needed of documents beside their words."""


@dataclass(frozen=True, eq=False)
class Text:
    """What is known of a document; its stretches are marked as far as they are asked for.

    `id` is its number on its side: that in its collection, or its place among the queries. Where
    others have its name, it is called by its `path`.
    """

    id: int
    examined: Examined
    marked: Marked = field(default_factory=Marked)
    path: str = ""


@dataclass(frozen=True, eq=False)
class Texts:
    """Some documents, a row of `words` for each, and the codes of their sentences if need be."""

    known: Sequence[Text]
    words: PlacedWords
    units: CodedUnits | None = None

    def __len__(self) -> int:
        return len(self.known)

    @property
    def coded(self) -> CodedUnits:
        """The sentences, which must have been asked for."""
        assert self.units is not None  # noqa: S101 (a search by sentences wants them)
        return self.units

    @cached_property
    def numbers(self) -> dict[bytes, int]:
        """The number of each word."""
        return {word.tobytes(): number for number, word in enumerate(self.words.words, 1)}

    @cached_property
    def terms(self) -> Ragged:
        """The terms of each document."""
        return terms_of(self.words)

    def speaking_as(self, other: Texts) -> Texts:
        """The same, its words numbered as those of `other`; others are new numbers.

        >>> one = Texts([], PlacedWords.of([[("bees", 0, 4), ("wax", 5, 8)]]))
        >>> other = Texts([], PlacedWords.of([[("wax", 0, 3)]]))
        >>> one.speaking_as(other).words.tokens[0].tolist()
        [2, 1]
        """
        if self.words.words is other.words.words:
            return self
        known = other.numbers
        own = self.words.words
        spelled = [word.tobytes() for word in own]
        new = [place for place, word in enumerate(spelled) if word not in known]
        further = {spelled[place]: len(known) + rank for rank, place in enumerate(new, 1)}
        numbers = [known.get(word) or further[word] for word in spelled]
        tokens = np.array([0, *numbers], np.uint32)[self.words.tokens.values]
        words = joined([other.words.words, own.taken(new)])
        there = replace(self.words, tokens=Ragged(tokens, self.words.tokens.offsets), words=words)
        return replace(self, words=there)

    def taken(self, places: Sequence[int]) -> Texts:
        """The documents at `places`."""
        columns = (self.words.tokens, self.words.starts, self.words.ends)
        tokens, starts, ends = (column.taken(places) for column in columns)
        words = PlacedWords(tokens, self.words.words, starts, ends)
        units = _units_taken(self.units, places) if self.units is not None else None
        return Texts([self.known[place] for place in places], words, units)

    def worded(self, place: int) -> Worded:
        """The words of the document at `place`: one value, however many pairs it stands in."""
        if place not in self._worded:
            self._worded[place] = self.words.document(place)
        return self._worded[place]

    @cached_property
    def _worded(self) -> dict[int, Worded]:
        return {}


def joined_texts(pieces: Sequence[Texts]) -> Texts:
    """The documents of all pieces, of which there is one at least, with one vocabulary."""
    if len(pieces) == 1:
        return pieces[0]
    known = [one for piece in pieces for one in piece.known]
    words = together([piece.words for piece in pieces], canonical=False)
    units = [piece.units for piece in pieces if piece.units is not None]
    return Texts(known, words, _units_joined(units) if units else None)


def _units_joined(pieces: Sequence[CodedUnits]) -> CodedUnits:
    columns = ("starts", "ends", "codes")
    made = {name: joined([getattr(one, name) for one in pieces]) for name in columns}
    return replace(pieces[0], **made, short=np.concatenate([one.short for one in pieces]))


def _units_taken(units: CodedUnits, places: Sequence[int]) -> CodedUnits:
    columns = (units.starts, units.ends, units.codes)
    starts, ends, codes = (column.taken(places) for column in columns)
    return replace(units, starts=starts, ends=ends, codes=codes, short=units.short[list(places)])


def terms_of(words: PlacedWords) -> Ragged:
    r"""The terms of each document, without the words that are left out.

    >>> terms_of(PlacedWords.of([[("bees", 0, 4), ("\rare", 5, 8), ("old", 9, 12)]]))[0].tolist()
    [1, 3]
    """
    tokens = words.tokens
    kept = words.is_term[tokens.values]
    before = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    return Ragged(tokens.values[kept], before[tokens.offsets])
