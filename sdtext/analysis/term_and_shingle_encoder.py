"""The encoder of a recipe: from documents to terms, to words with offsets, and to shingles.

Texts are processed in batches of pieces. White space divides a piece into spans; what the chain
makes of a span is computed once and recognized by the span's hash afterwards, so that arrays do
nearly all of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from secrets import randbits
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.tokenizer_chain import CAPITAL_SIGMA, Chain, Table
from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.shingles import Symbols
from sdtext.kernels.terms.document_words import LEFT_OUT, WordNumbering, WordOffsets
from sdtext.kernels.terms.term_caches import Spans, TokenCache, WordCache, spans_in
from sdtext.kernels.terms.token_blocks import (
    HashedBlock,
    TokenBlock,
    renumbered,
    with_line_ends_between,
)
from sdtext.model import OffsetMap, RecipeSpec
from sdtext.parts.hashes import ShingleHash
from sdtext.parts.registry import build, parse, translated
from sdtext.parts.shinglers import Shingler
from sdtext.parts.tokenizers import Tokenizer
from sdtext.text.cut_text import cut_at
from sdtext.text.document import Document

# Code points of a batch, so that its arrays stay near the processor.
_TERM_BATCH = 1 << 19
_WORD_BATCH = 1 << 18
_MAX_CACHES = 8  # of some megabytes: two for each language, or one where offsets are kept
_RESERVE = 1 << 24  # bytes
_STOP_WORDS = "stop-words"
_COLUMNS = 4  # of a word: number, start, end, line
_SHORT = 1 << 12  # code points of a text that is encoded without arrays of a block

_Rows = Callable[[Chain, Sequence[str]], Ragged]


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
            hashes = partial(self._terms, rows_of=TokenCache.hashes, lines=False)
            return HashedBlock(self._by_language(texts, hashes))
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
        numbers = with_line_ends_between(self._by_language(texts, self._numbers))
        numbering = self._caches.numbering
        return renumbered(numbers, numbering.words, numbering.hashes)

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
        rows = self._by_language([text for text, _ in joined_texts], self._word_rows)
        _map_offsets(rows, [offset_map for _, offset_map in joined_texts])
        _map_offsets(rows, [document.offset_map for document in documents])
        numbers, starts, ends, lines = (
            Ragged(np.ascontiguousarray(column), rows.offsets) for column in rows.values.T
        )
        numbering = self._caches.numbering
        block = renumbered(numbers, numbering.words, numbering.hashes)
        return WordOffsets(block.tokens, block.words, starts, ends), lines

    @cached_property
    def _caches(self) -> _Caches:
        # Most allocators give freed memory back to the system where it is far more than the largest
        # array freed so far; after this one they keep what each block of texts needs again.
        np.empty(_RESERVE, np.uint8)
        return _Caches()

    def _by_language(self, texts: Sequence[str], rows_of: _Rows) -> Ragged:
        """The rows that `rows_of` makes of the texts by the chain for each, in their order."""
        caches = self._caches
        if caches.numbering.is_full or max(len(caches.terms), len(caches.words)) > _MAX_CACHES:
            del self.__dict__["_caches"]
        rows, order = [], []
        for chain, places in self.chain.by_language(texts):
            rows.append(rows_of(chain, [texts[place] for place in places]))
            order += places
        return rows[0] if len(rows) == 1 else joined(rows).take(np.argsort(order))

    def _numbers(self, chain: Chain, texts: Sequence[str]) -> Ragged:
        """The terms of each text as numbers, and line ends."""
        return self._terms(chain, texts, lambda cache, spans: cache(spans), lines=True)

    def _terms(
        self,
        chain: Chain,
        texts: Sequence[str],
        rows_of: Callable[[TokenCache, Spans], Ragged],
        *,
        lines: bool,
    ) -> Ragged:
        """The terms of each text; pieces are translated where the chain can be.

        Those that cannot go into batches of their own, so that the others can.
        """
        caches, rows, places = self._caches, list[Ragged](), list[int]()
        texts = [chain.tokenizer.joined(text)[0] for text in texts]
        for whole in _batches(texts, chain.tokenizer, _TERM_BATCH):
            runs = groupby(whole, lambda piece: CAPITAL_SIGMA in piece.text)
            for depends, batch in [(kind, [*run]) for kind, run in runs] or [(False, [])]:
                table = None if depends else chain.table
                cut = _CutPieces.of(batch, chain, table, lines=lines)
                key = chain.language, table is not None
                if key not in caches.terms:
                    terms_in = chain.terms_in_translated if table else chain.terms_in
                    plain = chain.longest_plain if table else 0
                    caches.terms[key] = TokenCache(terms_in, caches.numbering, caches.seed, plain)
                made = rows_of(caches.terms[key], cut.spans)
                rows.append(Ragged(made.values, made.offsets[cut.first]))
                places += [piece.place for piece in batch]
        return _rows_of_texts(rows, places, len(texts))

    def _word_rows(self, chain: Chain, texts: Sequence[str]) -> Ragged:
        """The words of each text of joined lines: a row of `_COLUMNS` numbers (uint32) for each."""
        caches, rows, places = self._caches, list[Ragged](), list[int]()
        if chain.language not in caches.words:
            words_of = _WordNumbers(chain, caches.numbering)
            caches.words[chain.language] = WordCache(words_of, caches.seed)
        line_counts = np.zeros(len(texts), np.int64)  # line ends before the next piece
        for batch in _batches(texts, chain.tokenizer, _WORD_BATCH):
            cut = _CutPieces.of(batch, chain, None, lines=False)
            made = caches.words[chain.language](cut.spans)
            starts, lines = _starts_and_lines(cut, batch, line_counts)
            counts = made.lengths
            words = np.empty((len(made.values), _COLUMNS), np.uint32)
            words[:, :3] = made.values
            words[:, 1:3] += np.repeat(starts, counts)[:, None]
            words[:, 3] = np.repeat(lines, counts)
            rows.append(Ragged(words, made.offsets[cut.first]))
            places += [piece.place for piece in batch]
        return _rows_of_texts(rows, places, len(texts))


@dataclass
class _Caches:
    """The numbers of words, and for each chain the terms and words of the spans it has seen.

    `terms` are by the language of the chain, and whether the spans were translated.
    """

    numbering: WordNumbering = field(default_factory=WordNumbering)
    seed: int = field(default_factory=partial(randbits, 64))
    terms: dict[tuple[str, bool], TokenCache] = field(default_factory=dict)
    words: dict[str, WordCache] = field(default_factory=dict)


class _WordNumbers:
    """The words of a clean text as numbers, whether the chain keeps them or not.

    A row of number, start and end (int32) for each word.
    """

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


class _Piece(NamedTuple):
    """A text, or a part of it: of the text at a place, from a code point on."""

    place: int
    start: int
    text: str


def _batches(texts: Sequence[str], tokenizer: Tokenizer, size: int) -> Iterator[list[_Piece]]:
    """The texts in batches of some `size` code points; long ones in pieces cut at boundaries."""
    batch: list[_Piece] = []
    length = 0
    for place, text in enumerate(texts):
        start = 0
        for piece in (text,) if len(text) <= size else _pieces(text, tokenizer, size):
            if batch and length + len(piece) > size:
                yield batch
                batch, length = [], 0
            batch.append(_Piece(place, start, piece))
            length += len(piece)
            start += len(piece)
    yield batch


def _pieces(text: str, tokenizer: Tokenizer, size: int) -> Iterator[str]:
    """A text of more than `size` code points in pieces cut at boundaries; a short one whole."""
    if len(text) <= size:
        yield text
        return
    blocks = (text[start : start + size] for start in range(0, len(text), size))
    for piece in cut_at(blocks, tokenizer.boundaries):
        if len(piece) <= size:
            yield piece
        else:
            yield from tokenizer.pieces(piece)


@dataclass(frozen=True, eq=False)
class _CutPieces:
    """The spans of the pieces of a batch, which stand one after the other in their data.

    `ends` says where each piece ends in the data; `first` which span is the first of each piece,
    and of one more behind the last.
    """

    spans: Spans
    ends: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        batch: Sequence[_Piece],
        chain: Chain,
        table: Table | None,
        *,
        lines: bool,
    ) -> _CutPieces:
        """The pieces cut at the boundaries of the chain, after a translation by `table`."""
        encoded = []  # in UTF-8; line feeds end the lines
        for _, _, text in batch:
            plain = text if text.isascii() else text.replace("\u2028", "\n").replace("\u2029", "\n")
            octets = plain.encode("utf-8", "surrogatepass")
            encoded.append(octets.translate(*table) if table else octets.replace(b"\r", b"\n"))
        data = np.frombuffer(b"\n".join(encoded), np.uint8)
        spans = spans_in(data, blanks=" " in chain.tokenizer.boundaries, lines=lines)
        ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)) + 1)
        return cls(spans, ends, np.searchsorted(spans.starts, np.append(0, ends)))


def _rows_of_texts(rows: Sequence[Ragged], places: Sequence[int], number: int) -> Ragged:
    """A row for each of so many texts, of the rows of their pieces, which are of these places."""
    pieces = joined(rows)
    first = np.searchsorted(np.array(places, np.int64), np.arange(number + 1))
    return Ragged(pieces.values, pieces.offsets[first])


def _starts_and_lines(
    cut: _CutPieces, batch: Sequence[_Piece], line_counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The offset of each span in its clean text, and the number of its line.

    `line_counts` has the line ends before each text's next piece, and is updated.
    """
    data, spans = cut.spans.data, cut.spans.starts
    is_first = (data & 0xC0) != 0x80
    # The number of code points before each place.
    counts = np.arange(len(data) + 1) if is_first.all() else np.append(0, np.cumsum(is_first))
    breaks = np.flatnonzero(data == ord("\n"))
    begins = np.append(0, cut.ends[:-1])
    before, after = np.searchsorted(breaks, begins), np.searchsorted(breaks, cut.ends - 1)
    numbers = np.empty(len(batch), np.int64)
    for which, (place, _, _) in enumerate(batch):
        numbers[which] = line_counts[place] - before[which]
        line_counts[place] += after[which] - before[which]
    shifts = np.array([piece.start for piece in batch], np.int64) - counts[begins]
    owners = np.searchsorted(cut.ends, spans, "right")
    starts = counts[spans] + shifts[owners]
    lines = np.searchsorted(breaks, spans) + numbers[owners]
    return starts.astype(np.uint32), lines.astype(np.uint32)


def _map_offsets(rows: Ragged, maps: Iterable[OffsetMap | None]) -> None:
    """Map the starts and ends of the words of each text."""
    for row, offset_map in zip(rows, maps, strict=True):
        if offset_map is not None:
            row[:, 1] = offset_map.starts(row[:, 1].astype(np.int64))
            row[:, 2] = offset_map.ends(row[:, 2].astype(np.int64))
