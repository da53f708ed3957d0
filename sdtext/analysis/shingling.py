"""The shingles of a recipe: from clean texts of many documents to numbers, all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from secrets import randbits
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.chain import Chain
from sdtext.analysis.spacing import spaced
from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged, joined, sorted_distinct
from sdtext.kernels.terms.lexicon import Lexicon
from sdtext.kernels.terms.term_caches import Spans, TokenCache, spans_in
from sdtext.kernels.terms.tokens import (
    LINE_END,
    HashedBlock,
    TokenBlock,
    renumbered,
    with_line_ends_between,
)
from sdtext.model import RecipeSpec
from sdtext.parts.catalogue import build, parse
from sdtext.reading.source import cut_at
from sdtext.text.language import sample_of

_MadeOf = Callable[["Chain", Sequence[str], "_Memory"], Ragged]

_PIECE = 1 << 19  # code points worked on at once: arrays that stay near the processor
_ROOM = 1 << 24
_MOST_FORMS = 8  # tables of some megabytes: two for each language


@dataclass(frozen=True)
class Shingling:
    """The tokenizer, the filters and the shingler of a recipe as one function of clean texts.

    >>> from sdtext.model import PartSpec
    >>> recipe = RecipeSpec(PartSpec("words"), shingler=PartSpec.of("words", length=2))
    >>> rows = Shingling(recipe)(["to be or not to be", "to be", ""])
    >>> rows.lengths.tolist(), bool(rows[0][0] == rows[0][4] == rows[1][0])
    ([5, 1, 0], True)

    What is remembered of earlier texts makes it fast and changes nothing; it is not pickled.
    """

    recipe: RecipeSpec

    def __reduce__(self) -> tuple[type[Shingling], tuple[RecipeSpec]]:
        return Shingling, (self.recipe,)

    @cached_property
    def chain(self) -> Chain:
        """The tokenizer and the filters."""
        return Chain(RecipeSpec(self.recipe.tokenizer, self.recipe.filters))

    @cached_property
    def shingler(self) -> Any:
        """The shingler part. OptionError if the recipe names none."""
        if self.recipe.shingler is None:
            raise OptionError('the recipe names no shingler; add one, such as shingler = "words"')
        return build("shinglers", self.recipe.shingler)

    @cached_property
    def hash(self) -> Any:
        """The part that hashes shingles."""
        return build("hashes", parse(self.shingler.hash))

    @property
    def cautions(self) -> tuple[str, ...]:
        """What should be known of the parts that were chosen."""
        return (self.hash.caution,) if self.hash.caution else ()

    @property
    def needs_white_space(self) -> bool:
        """Whether the white space between terms goes into the blocks, as the shingler asks."""
        return self.recipe.shingler is not None and self.shingler.needs_white_space

    def __call__(self, texts: Sequence[str]) -> Ragged:
        """The shingles of each clean text: what `shingles` gives for its `tokens`."""
        return self.shingles(self.block(texts))

    def shingles(self, block: TokenBlock | HashedBlock) -> Ragged:
        """The 64-bit hashes of each document's shingles in their order, repeats kept.

        With the shingler's option `bag` repeats are numbered, so that each is another value.
        """
        made: Ragged = self.shingler(block, self.hash)
        return made

    def sets(self, block: TokenBlock | HashedBlock) -> Ragged:
        """What `shingles` gives, each row as a set: in order, each hash once.

        Its memory grows with the distinct shingles of a document, not with all.
        """
        if not hasattr(self.shingler, "sets"):
            return sorted_distinct(self.shingles(block))
        made: Ragged = self.shingler.sets(block, self.hash)
        return made

    def block(self, texts: Sequence[str]) -> TokenBlock | HashedBlock:
        """The terms of each clean text for the shingler here: `tokens`, or what is made sooner."""
        by_hashes = getattr(self.shingler, "by_hashes", False)
        if by_hashes and getattr(self.hash, "by_numbers", False):
            return HashedBlock(self._in_order(texts, _hashes_in))
        return self.tokens(texts)

    def tokens(self, texts: Sequence[str]) -> TokenBlock:
        """The terms of each clean text. They can be shingled again, by another shingler, too.

        Memory is some ten times the length of the texts; give some 500 documents at a time.
        """
        tokens = self._in_order(texts, _spaced_in if self.needs_white_space else _numbers_in)
        lexicon = self._memory.lexicon
        return renumbered(with_line_ends_between(tokens), lexicon.words, lexicon.hashes)

    def _in_order(self, texts: Sequence[str], made_of: _MadeOf) -> Ragged:
        """What `made_of` makes of the texts by the chain for each, in their order."""
        self._memory.refresh()
        rows, order = [], []
        for chain, places in self._by_chain(texts):
            rows.append(made_of(chain, [texts[place] for place in places], self._memory))
            order += places
        return rows[0] if len(rows) == 1 else joined(rows).taken(np.argsort(order))

    def _by_chain(self, texts: Sequence[str]) -> list[tuple[Chain, list[int]]]:
        """The chains for the texts, each with the places of those that it is for."""
        if not self.chain.is_automatic or not texts:
            return [(self.chain, list(range(len(texts))))]
        found: dict[str, tuple[Chain, list[int]]] = {}
        for place, text in enumerate(texts):
            chain = self.chain.suited_to(sample_of([text]))
            found.setdefault(chain.language, (chain, []))[1].append(place)
        return list(found.values())

    @cached_property
    def _memory(self) -> _Memory:
        return _Memory(randbits(64))


class _Memory:
    """The words met so far, and what chains have made of stretches."""

    def __init__(self, seed: int) -> None:
        # Most allocators give freed memory back to the system where it is far more than the largest
        # array freed so far; after this one they keep what each block of texts needs again.
        np.empty(_ROOM, np.uint8)
        self.lexicon = Lexicon()
        self._seed = seed
        self._forms: dict[tuple[str, bool], TokenCache] = {}

    def refresh(self) -> None:
        """Begin anew if there is too much of it."""
        if self.lexicon.is_full or len(self._forms) > _MOST_FORMS:
            self.lexicon = Lexicon()
            self._forms.clear()

    def forms(self, chain: Chain, translated: bool) -> TokenCache:  # noqa: FBT001 (half of a key)
        """What is remembered of the stretches of texts that were translated, or were not."""
        key = (chain.language, translated)
        if key not in self._forms:
            terms_in = chain.terms_in_translated if translated else chain.terms_in
            plain = chain.longest_plain if translated else 0
            self._forms[key] = TokenCache(terms_in, self.lexicon, self._seed, plain)
        return self._forms[key]


def _hashes_in(chain: Chain, texts: Sequence[str], memory: _Memory) -> Ragged:
    """The hash of each term of each text."""

    def of_some(some: Sequence[str]) -> Ragged:
        forms, found, first = _stretches(chain, some, memory, lines=False)
        rows = forms.hashes(found)
        return Ragged(rows.values, rows.offsets[first])

    return _some_by_some(chain, texts, of_some)


def _numbers_in(chain: Chain, texts: Sequence[str], memory: _Memory) -> Ragged:
    """The terms of each text by their numbers in the lexicon, and line ends."""

    def of_some(some: Sequence[str]) -> Ragged:
        forms, found, first = _stretches(chain, some, memory, lines=True)
        rows = forms(found)
        return Ragged(rows.values, rows.offsets[first])

    return _some_by_some(chain, texts, of_some)


def _some_by_some(
    chain: Chain, texts: Sequence[str], of_some: Callable[[Sequence[str]], Ragged]
) -> Ragged:
    """What `of_some` makes of the texts, some at a time, and of long ones piece by piece."""
    pieces, owners = [], []
    for batch in _batches(texts, chain):
        owners += [owner for owner, _ in batch]
        pieces.append(of_some([text for _, text in batch]))
    rows = joined(pieces)
    first = np.searchsorted(np.array(owners, np.int64), np.arange(len(texts) + 1))
    return Ragged(rows.values, rows.offsets[first])


def _batches(texts: Sequence[str], chain: Chain) -> Iterator[list[tuple[int, str]]]:
    """The texts, with their places, some at a time; long ones in pieces cut at boundaries.

    Those that cannot be translated stand apart, so that the others can.
    """
    batch: list[tuple[int, str]] = []
    length, kind = 0, True
    for place, text in enumerate(texts):
        for piece in _pieces(text, chain.tokenizer.boundaries):
            is_translatable = chain.is_translatable(piece)
            if batch and (length + len(piece) > _PIECE or is_translatable != kind):
                yield batch
                batch, length = [], 0
            batch.append((place, piece))
            length, kind = length + len(piece), is_translatable
    yield batch


def _pieces(text: str, boundaries: str) -> Iterator[str]:
    """The text in pieces cut at `boundaries`; short ones whole."""
    if len(text) <= _PIECE:
        return iter((text,))
    return cut_at(
        (text[place : place + _PIECE] for place in range(0, len(text), _PIECE)), boundaries
    )


def _stretches(
    chain: Chain, texts: Sequence[str], memory: _Memory, *, lines: bool
) -> tuple[TokenCache, Spans, NDArray[np.int64]]:
    """The stretches of all texts, what knows their terms, and where those of each text begin."""
    table = chain.table_for(texts)
    encoded = [_encoded(text, table) for text in texts]
    data = np.frombuffer(b"\n".join(encoded), np.uint8)
    found = spans_in(data, blanks=" " in chain.tokenizer.boundaries, lines=lines)
    ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)) + 1)
    first = np.searchsorted(found.starts, np.append(0, ends))
    return memory.forms(chain, table is not None), found, first


def _encoded(text: str, table: tuple[bytes, bytes] | None) -> bytes:
    """The UTF-8 of a text in which line feeds end the lines, by the table if there is one."""
    if not text.isascii():
        text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    data = text.encode("utf-8", "surrogatepass")
    if table is None:
        return data.replace(b"\r", b"\n")
    return data.translate(*table)


def _spaced_in(chain: Chain, texts: Sequence[str], memory: _Memory) -> Ragged:
    """As `_numbers_in`, with the white space between terms in the midst of them, text by text."""
    rows = []
    for text in texts:
        terms = spaced(chain, _pieces(text, chain.tokenizer.boundaries))
        numbers = (memory.lexicon.numbers(piece) for piece in terms)
        row = np.concatenate([np.array(piece, np.int32) for piece in numbers])
        rows.append(np.maximum(row, LINE_END))
    return Ragged.of(rows, "int32")
