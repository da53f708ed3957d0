"""Terms of texts as numbers.

Texts are encoded in batches, and what a chain makes of a span between white space is computed once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, repeat
from secrets import randbits
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged, joined, offsets_of
from sdtext.kernels.c_library import KERNELS
from sdtext.kernels.terms.document_words import WordNumbering
from sdtext.kernels.terms.term_caches import TokenCache
from sdtext.parts.tokenizers import Tokenizer
from sdtext.text.cut_text import cut_at

if TYPE_CHECKING:
    from sdtext.analysis.tokenizer_chain import Chain

Table = tuple[bytes, bytes]
"""A table for `bytes.translate`, and the bytes to delete."""
CAPITAL_SIGMA = "Σ"
"""The one letter whose lower case depends on its neighbours."""

_TERM_BATCH = 1 << 18  # code points, so that its arrays stay near the processor
_FEW = 8  # one in so many
_CODES = 0x20000  # code points with nearly all letters and emoji
_NOTHING = np.empty(0, np.int32)


class TermNumbers:
    """The terms of texts as numbers of a `numbering`; what chains make of spans is cached.

    A chain is known by its language, as are those that one recipe has for texts of several.
    """

    def __init__(self) -> None:
        self.numbering = WordNumbering()
        self.seed = randbits(64)
        self.caches: dict[tuple[str, bool], TokenCache] = {}
        self._index: Mapping[str, int] | None = None
        self._places = array("i")  # in the index, by the numbers
        self._letters: dict[str, Letters] = {}

    def rows(self, chain: Chain, texts: Sequence[str]) -> Ragged:
        """The terms of each text, and 0 for each line end."""
        blanks = " " in chain.tokenizer.boundaries
        rows, places = list[Ragged](), list[int]()
        for part in self._parts(chain, texts):
            rows.append(part.cache(part.text.data, part.text.ends, blanks=blanks, lines=True))
            places += part.places
        return rows_of_texts(rows, places, len(texts))

    def hashes(self, chain: Chain, texts: Sequence[str]) -> Ragged:
        """The hash of each term of each text."""
        rows, places = list[Ragged](), list[int]()
        for part in self._parts(chain, texts):
            rows.append(self._term_hashes(part, chain))
            places += part.places
        return rows_of_texts(rows, places, len(texts))

    def _term_hashes(self, part: _Part, chain: Chain) -> Ragged:
        blanks, hashed = " " in chain.tokenizer.boundaries, None
        if part.is_translated and chain.longest_plain and blanks:
            hashed = self._plain_hashes(part, chain)
        return self._cached_hashes(part, blanks=blanks) if hashed is None else hashed

    def _plain_hashes(self, part: _Part, chain: Chain) -> Ragged | None:
        """The hashes where nearly all terms are of known letters: without a table of spans."""
        if "word_hashes" not in KERNELS:
            return None
        if chain.language not in self._letters:
            self._letters[chain.language] = Letters(chain.letters)
        letters, data = self._letters[chain.language], part.text.data
        hashes, offsets = np.empty(len(data) + 1, np.uint64), np.append(0, part.text.ends)
        count, others = KERNELS["word_hashes"](
            data, chain.longest_plain, letters.table, offsets[1:], hashes
        )
        hashes.resize(count, refcheck=False)  # mostly to a sixth
        if not len(others):
            return Ragged(hashes, offsets)
        spelled = [data[start:end].tobytes() for _, start, end in others.tolist()]
        are_new = letters.add(spelled)
        if len(others) > count // _FEW and not are_new:
            return None
        rest = part._replace(text=EncodedPieces(*_joined(spelled)))
        terms = self._term_hashes(rest, chain) if are_new else self._cached_hashes(rest)
        parts, done = list[NDArray[np.uint64]](), 0
        for place, row in zip(others[:, 0].tolist(), terms, strict=True):
            parts += hashes[done:place], row
            done = place + 1
        offsets += offsets_of(terms.lengths - 1)[np.searchsorted(others[:, 0], offsets)]
        return Ragged(np.concatenate([*parts, hashes[done:]]), offsets)

    def _cached_hashes(self, part: _Part, *, blanks: bool = True) -> Ragged:
        """The hashes by a table of spans."""
        terms = part.cache(part.text.data, part.text.ends, blanks=blanks)
        return Ragged(self.numbering.encoded()[1][terms.values - 1], terms.offsets)

    def distinct(self, chain: Chain, pieces: Iterable[str]) -> NDArray[np.int32]:
        """The distinct terms of a text that comes in pieces cut where the tokenizer allows it."""
        found = [row for piece in pieces for row in self.distinct_of_each(chain, [piece])]
        return found[0] if len(found) == 1 else distinct(np.concatenate([*found, _NOTHING]))

    def distinct_of_each(self, chain: Chain, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        """The distinct terms of each text."""
        blanks = " " in chain.tokenizer.boundaries
        rows = [[_NOTHING] for _ in texts]
        for part in self._parts(chain, texts):
            terms = part.cache(part.text.data, part.text.ends, blanks=blanks, once=True)
            for place, row in zip(part.places, terms, strict=True):
                rows[place].append(row)
        return [distinct(np.concatenate(row)) for row in rows]

    def places(self, numbers: NDArray[np.int32], index: Mapping[str, int]) -> NDArray[np.int32]:
        """The places of terms in an `index`, -1 for those that it lacks; each is looked up once."""
        if index is not self._index:
            self._index, self._places = index, array("i")
        new = self.numbering.spelled[len(self._places) :]
        self._places.extend(index.get(term, -1) for term in new)
        return np.frombuffer(self._places, np.int32)[numbers]

    def _parts(self, chain: Chain, texts: Sequence[str]) -> Iterator[_Part]:
        """The texts in batches; those that can be translated apart from the others."""
        joined_texts = [chain.tokenizer.joined(text)[0] for text in texts]
        for batch in batches(joined_texts, chain.tokenizer, _TERM_BATCH):
            for depends, run in groupby(batch, lambda piece: CAPITAL_SIGMA in piece[2]):
                table, some = None if depends else chain.table, list(run)
                key = chain.language, table is not None
                if key not in self.caches:
                    terms_in = chain.terms_in_translated if table else chain.terms_in
                    self.caches[key] = TokenCache(terms_in, self.numbering, self.seed)
                text, places = EncodedPieces.of(some, table), [place for place, _, _ in some]
                yield _Part(text, places, self.caches[key], table is not None)


class Letters:
    """What `letters` makes of the characters beyond ASCII that have occurred.

    `table` has for each code point the UTF-8 of that as one number, the first byte lowest, and in
    its highest byte the length plus 1; 0 where nothing is known, or more than seven bytes.
    """

    def __init__(self, letters: Callable[[Sequence[str]], Iterable[str | None]]) -> None:
        self._letters = letters
        self._seen = set(map(chr, range(128)))
        self.table = np.zeros(_CODES, np.uint64)

    def add(self, words: Sequence[bytes]) -> bool:
        """Add the characters of some words. Whether more of them are known then."""
        new = [*set(b"".join(words).decode("utf-8", "surrogatepass")) - self._seen]
        if not new:
            return False
        self._seen.update(new)
        for char, letter in zip(new, self._letters(new), strict=True):
            octets = (letter or "").encode("utf-8", "surrogatepass")
            if letter is not None and ord(char) < _CODES and len(octets) < 8:
                self.table[ord(char)] = int.from_bytes(octets, "little") | len(octets) + 1 << 56
        return True


class _Part(NamedTuple):
    """Pieces of texts at these places, and the cache for them; whether they are translated."""

    text: EncodedPieces
    places: list[int]
    cache: TokenCache
    is_translated: bool


Piece = tuple[int, int, str]
"""A text, or a part of it: of the text at a place, from a code point on."""


def batches(texts: Sequence[str], tokenizer: Tokenizer, size: int) -> Iterator[list[Piece]]:
    """The texts in batches of some `size` code points; long ones in pieces cut at boundaries."""
    ends, first = offsets_of([*map(len, texts)]), 0
    while first < len(texts):
        last = int(np.searchsorted(ends, ends[first] + size, "right")) - 1
        if last > first:
            yield [*zip(range(first, last), repeat(0), texts[first:last], strict=False)]
            first = last
            continue
        text, start = texts[first], 0
        blocks = (text[place : place + size] for place in range(0, len(text), size))
        for block in cut_at(blocks, tokenizer.boundaries):
            for piece in [block] if len(block) <= size else tokenizer.pieces(block):
                yield [(first, start, piece)]
                start += len(piece)
        first += 1


@dataclass(frozen=True, eq=False)
class EncodedPieces:
    """Pieces in UTF-8, with a line feed between two; `ends` says where each ends in the data."""

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, pieces: Sequence[Piece], table: Table | None) -> EncodedPieces:
        """The pieces, translated by the `table`; line feeds end the lines."""
        encoded = [text.encode() if text.isascii() else _encoded(text) for _, _, text in pieces]
        if not table:
            return cls(*_joined([octets.replace(b"\r", b"\n") for octets in encoded]))
        if "translated" not in KERNELS:
            return cls(*_joined([octets.translate(*table) for octets in encoded]))
        data, ends = _joined(encoded)
        letters = np.empty(len(data), np.uint8)
        size = KERNELS["translated"](data, *table, ends, letters)
        return cls(letters[:size], ends)


def _encoded(text: str) -> bytes:
    plain = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return plain.encode("utf-8", "surrogatepass")


def _joined(pieces: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The pieces with a line feed between two, and where each ends."""
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    return np.frombuffer(b"\n".join(pieces), np.uint8), np.cumsum(lengths + 1) - 1


def rows_of_texts(rows: Sequence[Ragged], places: Sequence[int], number: int) -> Ragged:
    """A row for each of so many texts, of the rows of their pieces, which are of these places."""
    if not rows:
        return Ragged(np.empty(0, np.int32), np.zeros(number + 1, np.int64))
    pieces = rows[0] if len(rows) == 1 else joined(rows)
    if len(pieces) == number:
        return pieces
    first = np.searchsorted(np.array(places, np.int64), np.arange(number + 1))
    return Ragged(pieces.values, pieces.offsets[first])
