"""All words of documents with their places: those that a chain keeps, and those it drops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from secrets import randbits

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.chain import Chain
from sdtext.kernels.arrays.ragged import Ragged, joined, offsets_of
from sdtext.kernels.terms.lexicon import Lexicon
from sdtext.kernels.terms.term_caches import Spans, WordCache, spans_in
from sdtext.kernels.terms.tokens import renumbered
from sdtext.kernels.terms.word_offsets import LEFT_OUT, WordOffsets
from sdtext.model import Document, RecipeSpec
from sdtext.parts.catalogue import translated
from sdtext.reading.source import cut_at
from sdtext.text.language import sample_of

_PIECE = 1 << 18  # code points worked on at once: arrays that stay near the processor
_MOST_CHAINS = 8  # whose words are remembered: one for each language
_STOP_WORDS = "stop-words"


@dataclass(frozen=True)
class Wording:
    r"""The words of documents as numbers, with their places in `Document.text`.

    A word that the chain of the recipe keeps is a term, in the form that the chain gives it. One
    that only filters of stop words drop keeps the form that the other filters make of it; one
    that another filter drops stays as it is. Both begin with `LEFT_OUT` then.

    >>> from sdtext.model import PartSpec
    >>> stop = PartSpec.of("stop-words", words=("the",))
    >>> recipe = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"), stop))
    >>> placed = Wording(recipe)([Document("The bees", "The bees")])
    >>> sorted(bytes(word) for word in placed.words), placed.starts[0].tolist()
    ([b'\rthe', b'bees'], [0, 4])

    Numbers are those of `renumbered`: they depend on the documents alone. What is remembered of
    earlier ones makes it fast and changes nothing; it is not pickled.
    """

    recipe: RecipeSpec

    def __reduce__(self) -> tuple[type[Wording], tuple[RecipeSpec]]:
        return Wording, (self.recipe,)

    @cached_property
    def chain(self) -> Chain:
        """The tokenizer and the filters."""
        return Chain(RecipeSpec(self.recipe.tokenizer, self.recipe.filters))

    def __call__(self, documents: Sequence[Document]) -> WordOffsets:
        """The words of each document."""
        return self.with_lines(documents)[0]

    def with_lines(self, documents: Sequence[Document]) -> tuple[WordOffsets, Ragged]:
        """The words of each document, and of each word the number of the line it stands on."""
        memory = self._memory
        memory.refresh()
        rows, order = [], []
        for chain, places in self._by_chain(documents):
            forms = memory.forms(chain)
            rows += [_rows(forms, [documents[place] for place in places])]
            order += places
        if len(rows) != 1:
            empty = Ragged(np.empty((0, _COLUMNS), np.uint32), np.zeros(1, np.int64))
            rows = [joined([empty, *rows]).taken(np.argsort(order))]
        values, offsets = rows[0].values, rows[0].offsets
        numbers, starts, ends, lines = (
            Ragged(np.ascontiguousarray(column), offsets) for column in values.T
        )
        block = renumbered(numbers, memory.lexicon.words, memory.lexicon.hashes)
        return WordOffsets(block.tokens, block.words, starts, ends), lines

    def _by_chain(self, documents: Sequence[Document]) -> list[tuple[Chain, list[int]]]:
        """The chains for the documents, each with the places of those that it is for."""
        if not self.chain.is_automatic:
            return [(self.chain, list(range(len(documents))))]
        found: dict[str, tuple[Chain, list[int]]] = {}
        for place, document in enumerate(documents):
            chain = self.chain.suited_to(sample_of([document.clean]))
            found.setdefault(chain.language, (chain, []))[1].append(place)
        return list(found.values())

    @cached_property
    def _memory(self) -> _Memory:
        return _Memory(randbits(64))


_COLUMNS = 4  # of words: number, start, end, line


class _Memory:
    """The words met so far, and what stretches of text hold."""

    def __init__(self, seed: int) -> None:
        self.lexicon = Lexicon()
        self._seed = seed
        self._forms: dict[str, _Forms] = {}

    def refresh(self) -> None:
        """Begin anew if there is too much of it."""
        if self.lexicon.is_full or len(self._forms) > _MOST_CHAINS:
            self.lexicon = Lexicon()
            self._forms.clear()

    def forms(self, chain: Chain) -> _Forms:
        """What is remembered of the words of a chain."""
        if chain.language not in self._forms:
            self._forms[chain.language] = _Forms(chain, self.lexicon, self._seed)
        return self._forms[chain.language]


class _Forms:
    """The words of a chain by their numbers in a lexicon."""

    def __init__(self, chain: Chain, lexicon: Lexicon, seed: int) -> None:
        self.tokenizer = chain.tokenizer
        self.stretches = WordCache(self._words_of, seed)
        self._chain = chain
        self._lexicon = lexicon
        self._numbers: dict[str, int] = {}

    def _words_of(self, text: str) -> NDArray[np.int32]:
        """The number, the start and the end of each word of a clean text."""
        tokens = self.tokenizer(text)
        known = self._numbers
        if new := [word for word in dict.fromkeys(tokens.words) if word not in known]:
            numbers = self._lexicon.numbers([*map(self._form, new)])
            known.update(zip(new, numbers, strict=True))
        numbers = [known[word] for word in tokens.words]
        return np.array([numbers, tokens.starts, tokens.ends], np.int32).T

    def _form(self, word: str) -> str:
        """The term of a word, or the form in which it is left out."""
        if term := self._chain.term(word):
            return term
        return LEFT_OUT + (self._without_lists.term(word) or word)

    @cached_property
    def _without_lists(self) -> Chain:
        """The chain without its lists of stop words."""
        recipe = self._chain.recipe
        kept = (one for one in recipe.filters if translated("filters", one).name != _STOP_WORDS)
        return Chain(RecipeSpec(recipe.tokenizer, tuple(kept)))


@dataclass(frozen=True)
class _Piece:
    """A stretch of the clean text of the document at `place`, from `start` on."""

    place: int
    start: int
    text: str


def _rows(forms: _Forms, documents: Sequence[Document]) -> Ragged:
    """The words of each document: a row of `_COLUMNS` numbers for each."""
    found = [np.empty((0, _COLUMNS), np.uint32)]
    counts = np.zeros(len(documents), np.int64)
    lines = np.zeros(len(documents), np.int64)
    for batch in _batches(documents, forms.tokenizer.boundaries):
        words, ends = _placed(forms, batch, lines)
        found.append(words)
        np.add.at(counts, [piece.place for piece in batch], np.diff(ends))
    rows = Ragged(np.concatenate(found), offsets_of(counts))
    for document, row in zip(documents, rows, strict=True):
        if document.back is not None:
            row[:, 1] = document.back.starts(row[:, 1].astype(np.int64))
            row[:, 2] = document.back.ends(row[:, 2].astype(np.int64))
    return rows


def _batches(documents: Sequence[Document], boundaries: str) -> Iterator[list[_Piece]]:
    """The clean texts some at a time; long ones in pieces cut at boundaries."""
    batch: list[_Piece] = []
    length = 0
    for place, document in enumerate(documents):
        for piece in _pieces(place, document.clean, boundaries):
            if batch and length + len(piece.text) > _PIECE:
                yield batch
                batch, length = [], 0
            batch.append(piece)
            length += len(piece.text)
    if batch:
        yield batch


def _pieces(place: int, text: str, boundaries: str) -> Iterator[_Piece]:
    """The text in pieces; a short one whole."""
    blocks = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    start = 0
    for piece in cut_at(blocks, boundaries) if len(text) > _PIECE else [text]:
        yield _Piece(place, start, piece)
        start += len(piece)


def _placed(
    forms: _Forms, batch: Sequence[_Piece], lines: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The words of the pieces, and where those of each begin and end among them.

    `lines` counts the line ends before each piece of a document, and is led on.
    """
    encoded = [_encoded(piece.text) for piece in batch]
    data = np.frombuffer(b"\n".join(encoded), np.uint8)
    found = spans_in(data, blanks=" " in forms.tokenizer.boundaries, lines=False)
    rows = forms.stretches(found)
    ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)) + 1)
    first = np.searchsorted(found.starts, np.append(0, ends))
    starts, on_line = _moved(found, batch, ends, lines)
    counts = rows.lengths
    words = np.empty((len(rows.values), _COLUMNS), np.uint32)
    words[:, :3] = rows.values
    words[:, 1:3] += np.repeat(starts, counts)[:, None]
    words[:, 3] = np.repeat(on_line, counts)
    return words, rows.offsets[first]


def _moved(
    found: Spans,
    batch: Sequence[_Piece],
    ends: NDArray[np.int64],
    lines: NDArray[np.int64],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Where in its clean text each stretch begins, and on which of its lines it stands.

    `ends` says where the pieces of the batch end in the data; `lines` is as above.
    """
    points = _CodePoints(found.data)
    breaks = np.flatnonzero(found.data == ord("\n"))
    begins = np.append(0, ends[:-1])
    before, after = np.searchsorted(breaks, begins), np.searchsorted(breaks, ends - 1)
    numbers = np.empty(len(batch), np.int64)
    for which, piece in enumerate(batch):
        numbers[which] = lines[piece.place] - before[which]
        lines[piece.place] += after[which] - before[which]
    shifts = np.array([piece.start for piece in batch], np.int64) - points(begins)
    owners = np.searchsorted(ends, found.starts, "right")
    starts = points(found.starts) + shifts[owners]
    on_line = np.searchsorted(breaks, found.starts) + numbers[owners]
    return starts.astype(np.uint32), on_line.astype(np.uint32)


def _encoded(text: str) -> bytes:
    """The UTF-8 of a text in which line feeds end the lines."""
    if not text.isascii():
        text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return text.encode("utf-8", "surrogatepass").replace(b"\r", b"\n")


class _CodePoints:
    """How many code points stand before places in some UTF-8."""

    def __init__(self, data: NDArray[np.uint8]) -> None:
        begins = (data & 0xC0) != 0x80
        self._before = None if begins.all() else np.append(0, np.cumsum(begins, dtype=np.int64))

    def __call__(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        return places if self._before is None else self._before[places]
