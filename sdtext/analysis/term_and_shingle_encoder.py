"""The encoder of a recipe: from documents to terms, to words with offsets, and to shingles.

Texts are processed in batches of pieces. White space divides a piece into spans; what the chain
makes of a span is computed once and recognized by the span's hash afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_numbers import EncodedPieces, TermNumbers, batches, rows_of_texts
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.terms.document_words import LEFT_OUT, WordNumbering, WordOffsets
from sdtext.kernels.terms.term_caches import WordCache
from sdtext.kernels.terms.token_blocks import (
    HashedBlock,
    TokenBlock,
    renumbered,
    with_line_ends_between,
)
from sdtext.model import RecipeSpec
from sdtext.parts.registry import build, parse, translated
from sdtext.text.document import Document

if TYPE_CHECKING:
    from sdtext.parts.hashes import ShingleHash
    from sdtext.parts.shinglers import Shingler
    from sdtext.parts.sliding_windows import Symbols

_WORD_BATCH = 1 << 18  # code points, so that its arrays stay near the processor
_MAX_CACHES = 8  # of some megabytes: two for each language, or one where offsets are kept
_RESERVE = 1 << 24  # bytes
_STOP_WORDS = "stop-words"
_COLUMNS = 4  # of a word: number, start, end, line
_SHORT = 1 << 12  # code points of a text that is encoded without arrays of a block

_Rows = Callable[[TermNumbers, Chain, Sequence[str]], Ragged]


@dataclass(frozen=True)
class Encoder:
    r"""The tokenizer, the filters and the shingler of a recipe as functions of many documents.

    >>> from sdtext.model import PartSpec
    >>> recipe = RecipeSpec(PartSpec("words"), shingler=PartSpec.of("words", length=2))
    >>> rows = Encoder(recipe)(["to be or not to be", "to be", ""])
    >>> rows.lengths.tolist(), bool(rows[0][0] == rows[0][4] == rows[1][0])
    ([5, 1, 0], True)

    With offsets there is every word of the tokenizer, those that the chain drops, too:

    >>> stop = PartSpec.of("stop-words", words=("the",))
    >>> recipe = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"), stop))
    >>> placed = Encoder(recipe).words([Document("The bees", "The bees")])
    >>> sorted(bytes(word) for word in placed.words), placed.starts[0].tolist()
    ([b'\rthe', b'bees'], [0, 4])

    The numbers of terms and words are those of `renumbered`: they depend on the documents alone.
    The caches of earlier texts save time and change nothing; they are not pickled.
    """

    recipe: RecipeSpec

    def __reduce__(self) -> tuple[type[Encoder], tuple[RecipeSpec]]:
        return Encoder, (self.recipe,)

    @cached_property
    def chain(self) -> Chain:
        """The tokenizer and the filters."""
        return Chain(RecipeSpec(self.recipe.tokenizer, self.recipe.filters))

    @cached_property
    def shingler(self) -> Shingler:
        """The shingler part. OptionError if the recipe names none."""
        if self.recipe.shingler is None:
            raise OptionError('the recipe names no shingler; add one, such as shingler = "words"')
        part: Shingler = build("shinglers", self.recipe.shingler)
        return part

    @cached_property
    def hash(self) -> ShingleHash:
        """The part that hashes shingles."""
        part: ShingleHash = build("hashes", parse(self.shingler.hash))
        return part

    def __call__(self, texts: Sequence[str]) -> Ragged:
        """The shingles of each clean text: those that `shingles` gives for its `tokens`."""
        return self.shingles(self.block(texts))

    def shingles(self, block: TokenBlock | HashedBlock) -> Ragged:
        """The 64-bit hashes of each document's shingles in their order, with repeats."""
        return self.shingler(block, self.hash)

    def sets(self, block: TokenBlock | HashedBlock) -> Ragged:
        """The rows of `shingles` as sets: sorted, each hash once.

        Its memory grows with the distinct shingles of a document, not with all.
        """
        return self.shingler.sets(block, self.hash)

    def shingle_sets(self, texts: Sequence[str]) -> Ragged:
        """The sets of clean texts: `sets` of their `block`, in less time for a single short text.

        >>> from sdtext.model import PartSpec
        >>> recipe = RecipeSpec(PartSpec("words"), shingler=PartSpec.of("characters", length=4))
        >>> Encoder(recipe).shingle_sets(["The bees"]).lengths.tolist()
        [5]
        """
        if len(texts) == 1 and len(texts[0]) <= _SHORT:
            ((chain, _),) = self.chain.by_language(texts)
            row = self.shingler.set_of_terms(chain.terms(texts[0]), self.hash)
            if row is not None:
                return Ragged(row, np.array([0, len(row)]))
        return self.sets(self.block(texts))

    def block(self, texts: Sequence[str]) -> TokenBlock | HashedBlock:
        """The terms of each clean text for this shingler: `tokens`, or only their hashes."""
        if self.shingler.by_hashes and self.hash.by_numbers:
            return HashedBlock(self._by_language(texts, TermNumbers.hashes))
        return self.tokens(texts)

    def spelled(self, text: str) -> list[tuple[int, str]]:
        """The shingles of a clean text in their order, as hashes and as they are spelled.

        Empty for a shingler of another package that does not hash windows in order.
        """
        windows: list[bytes] = []

        def remembered(
            symbols: Symbols, length: int, starts: NDArray[np.int64]
        ) -> NDArray[np.uint64]:
            windows.extend(symbols.spelled(starts, length))
            return self.hash(symbols, length, starts)

        hashes = self.shingler(self.tokens([text]), remembered)[0].tolist()
        if len(hashes) != len(windows):
            return []
        spelled = (window.decode("utf-8", "surrogatepass") for window in windows)
        return list(zip(hashes, spelled, strict=True))

    def tokens(self, texts: Sequence[str]) -> TokenBlock:
        """The terms of each clean text, which other shinglers can use, too.

        Memory is some ten times the length of the texts; give some 500 documents at a time.
        """
        numbers = with_line_ends_between(self._by_language(texts, TermNumbers.rows))
        return renumbered(numbers, *self._caches.terms.numbering.encoded())

    def terms(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each clean text in their order, as texts."""
        block = self.tokens(texts)
        return [block.terms_of(place) for place in range(len(texts))]

    def words(self, documents: Sequence[Document]) -> WordOffsets:
        """All words of each document, with their offsets in `Document.text`.

        A word that the chain keeps is a term, in the form that the chain gives it. One that only
        filters of stop words drop has the form that the other filters give it; one that another
        filter drops stands as it is. Both begin with `LEFT_OUT` then.
        """
        return self.words_with_lines(documents)[0]

    def words_with_lines(self, documents: Sequence[Document]) -> tuple[WordOffsets, Ragged]:
        """The words of each document, and the number of the line on which each word stands."""
        joined_texts = [self.chain.joined(document) for document in documents]
        texts = [text for text, _ in joined_texts]
        rows = self._by_language(texts, lambda _, chain, some: self._word_rows(chain, some))
        for place, (_, offset_map) in enumerate(joined_texts):
            if offset_map is not None:
                row = rows[place]
                row[:, 1] = offset_map.starts(row[:, 1].astype(np.int64))
                row[:, 2] = offset_map.ends(row[:, 2].astype(np.int64))
        numbers, starts, ends, lines = (
            Ragged(np.ascontiguousarray(column), rows.offsets) for column in rows.values.T
        )
        block = renumbered(numbers, *self._caches.terms.numbering.encoded())
        return WordOffsets(block.tokens, block.words, starts, ends), lines

    @cached_property
    def _caches(self) -> _Caches:
        # Most allocators give freed memory back to the system where it is far more than the largest
        # array freed so far; after this one they keep what each block of texts needs again.
        np.empty(_RESERVE, np.uint8)
        return _Caches()

    def _by_language(self, texts: Sequence[str], rows_of: _Rows) -> Ragged:
        """The rows that `rows_of` makes of the texts by the chain for each, in their order."""
        terms, words = self._caches.terms, self._caches.words
        if terms.numbering.is_full or max(len(terms.caches), len(words)) > _MAX_CACHES:
            del self.__dict__["_caches"]
        rows, order = [], []
        for chain, places in self.chain.by_language(texts):
            some = [texts[place] for place in places]
            rows.append(rows_of(self._caches.terms, chain, some))
            order += places
        return rows[0] if len(rows) == 1 else joined(rows).take(np.argsort(order))

    def _word_rows(self, chain: Chain, texts: Sequence[str]) -> Ragged:
        """The words of each text of joined lines: a row of `_COLUMNS` numbers (uint32) for each."""
        caches, rows, places = self._caches, list[Ragged](), list[int]()
        if chain.language not in caches.words:
            words_of = _WordNumbers(chain, caches.terms.numbering)
            caches.words[chain.language] = WordCache(words_of, caches.terms.seed)
        blanks = " " in chain.tokenizer.boundaries
        line_counts = np.zeros(len(texts), np.int64)  # line ends before the next piece
        for batch in batches(texts, chain.tokenizer, _WORD_BATCH):
            cut = EncodedPieces.of(batch, None)
            spans, made = caches.words[chain.language](cut.data, blanks=blanks)
            data = cut.data
            is_first = (data & 0xC0) != 0x80
            # The number of code points before each place.
            counts = (
                np.arange(len(data) + 1) if is_first.all() else np.append(0, np.cumsum(is_first))
            )
            breaks = np.flatnonzero(data == ord("\n"))
            begins = np.append(0, cut.ends[:-1] + 1)
            before, after = np.searchsorted(breaks, begins), np.searchsorted(breaks, cut.ends)
            numbers = np.empty(len(batch), np.int64)
            for which, (place, _, _) in enumerate(batch):
                numbers[which] = line_counts[place] - before[which]
                line_counts[place] += after[which] - before[which]
            shifts = np.array([start for _, start, _ in batch], np.int64) - counts[begins]
            owners = np.searchsorted(cut.ends, spans)
            starts = (counts[spans] + shifts[owners]).astype(np.uint32)
            lines = (np.searchsorted(breaks, spans) + numbers[owners]).astype(np.uint32)
            lengths = made.lengths
            words = np.empty((len(made.values), _COLUMNS), np.uint32)
            words[:, :3] = made.values
            words[:, 1:3] += np.repeat(starts, lengths)[:, None]
            words[:, 3] = np.repeat(lines, lengths)
            first = np.append(0, np.searchsorted(spans, cut.ends, "right"))
            rows.append(Ragged(words, made.offsets[first]))
            places += [place for place, _, _ in batch]
        if not rows:
            return Ragged(np.empty((0, _COLUMNS), np.uint32), np.zeros(len(texts) + 1, np.int64))
        return rows_of_texts(rows, places, len(texts))


@dataclass
class _Caches:
    """The terms of the spans that each chain has seen, and its words by its language."""

    terms: TermNumbers = field(default_factory=TermNumbers)
    words: dict[str, WordCache] = field(default_factory=dict)


class _WordNumbers:
    """The words of a clean text, a row of number, start and end (int32) for each."""

    def __init__(self, chain: Chain, numbering: WordNumbering) -> None:
        self._chain = chain
        self._tokenizer = chain.tokenizer.of_joined
        self._numbering = numbering
        self._numbers: dict[str, int] = {}
        filters = chain.recipe.filters
        kept = [spec for spec in filters if translated("filters", spec).name != _STOP_WORDS]
        self._without_stop_words = Chain(RecipeSpec(chain.recipe.tokenizer, tuple(kept)))

    def __call__(self, text: str) -> NDArray[np.int32]:
        tokens = self._tokenizer(text)
        known = self._numbers
        if new := [word for word in dict.fromkeys(tokens.words) if word not in known]:
            forms = [
                self._chain.term(word) or LEFT_OUT + (self._without_stop_words.term(word) or word)
                for word in new
            ]
            known.update(zip(new, self._numbering.numbers(forms), strict=True))
        numbers = [known[word] for word in tokens.words]
        return np.array([numbers, tokens.starts, tokens.ends], np.int32).T
