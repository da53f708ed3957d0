"""Shinglers: from the terms of documents to their shingles, the sets that are compared."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged, offsets_of, sorted_distinct
from sdtext.kernels.terms.token_blocks import HashedBlock, TokenBlock
from sdtext.kernels.window_sums import row_windows
from sdtext.parts.option_values import Within
from sdtext.parts.sliding_windows import (
    Letters,
    Pieces,
    SlidingWindows,
    Terms,
    WindowHash,
    WordLetters,
    sets,
)

AUTO = "auto"
"""In place of a length: that which `auto_length` gives for the longest text."""

_WITHIN = ("document", "line", "word")
_LONGEST = 1000
_LETTERS = 20  # as if there were no more: some are much more frequent than others
_FAR_ABOVE = 100
_SAFE = 9
_LEAST = 4
_SHORT = 8  # terms of a window up to which it is quicker to sum each by itself


class Shingler(ABC):
    """The members of a shingler, a frozen dataclass whose fields are its options.

    A document that has terms, but none of the length of a shingle, has one shingle: all of it.
    """

    hash: str
    """The option that names the hash of the shingles."""

    @property
    def by_hashes(self) -> bool:
        """Whether the hashes of terms suffice (`HashedBlock`) for a hash that is `by_numbers`."""
        return False

    @abstractmethod
    def windows(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> SlidingWindows:
        """The shingles of each document of a block, as windows of its terms or letters."""

    def __call__(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> Ragged:
        """The hashes of each document's shingles in order, repeats included."""
        return self.windows(block, hashed).in_order()

    def sets(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> Ragged:
        """The same rows as sets: sorted, each hash once."""
        return sets(self.windows(block, hashed))

    def set_of_terms(
        self, _terms: Sequence[str], _hashed: WindowHash, /
    ) -> NDArray[np.uint64] | None:
        """The row that `sets` gives for one short document, None where that needs a block.

        Override it where the terms suffice: a query of a few words takes a tenth of the time.
        """
        return None


@dataclass(frozen=True)
class CharacterShingles(Shingler):
    """Each `length` characters in a row, as a set.

    They are those of the terms. White space between two terms is `folded` to one blank or
    `removed`. Shingles run over the whole document, or `within` a line or a
    word; a shorter one has none. A document that has none has one of all of it. The length `auto`
    is settled by the longest text before documents are added. `hash` names the part that hashes
    shingles.

    >>> from sdtext.parts.hashes import Mixed
    >>> block = TokenBlock.of([[["parsing"], ["a", "word"]]])
    >>> [len(CharacterShingles(length=4, within=one)(block, Mixed())[0]) for one in _WITHIN]
    [11, 7, 5]
    """

    length: int | str = AUTO
    within: Annotated[str, _WITHIN] = "document"
    white_space: Annotated[str, ("folded", "removed")] = "folded"
    hash: str = "mixed"

    def __post_init__(self) -> None:
        length = 1 if self.length == AUTO else self.length
        if not (isinstance(length, int) and 1 <= length <= _LONGEST):
            wanted = f"from 1 to {_LONGEST}, or {AUTO}"
            raise OptionError.of("characters", "length", self.length, wanted)

    def windows(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> SlidingWindows:
        """The characters in a row; OptionError where their number is not settled."""
        if isinstance(self.length, str):
            raise OptionError(
                f"characters: the length {AUTO} is settled by AddDocuments, from the longest text, "
                "when it makes a collection; name a number here"
            )
        assert isinstance(block, TokenBlock)  # noqa: S101 (as it is not `by_hashes`)
        lines, blank = block.lines, self.white_space == "folded"
        spelling = spelled_out(block.words, blank=blank)
        chosen = lines.tokens - 1
        ends = offsets_of(spelling.lengths[chosen])
        if self.within == "document":
            filled = lines.documents[1:] > lines.documents[:-1]
            first, last = lines.documents[:-1][filled], lines.documents[1:][filled]
            documents = offsets_of(filled)
        elif self.within == "line":
            first, last, documents = lines.starts, lines.ends, lines.first_lines
        else:
            first = np.arange(len(lines.tokens))
            last, documents = first + 1, lines.documents
        pieces = Pieces(ends[first], ends[last] - ends[first] - blank, documents)
        return SlidingWindows(WordLetters(spelling, chosen, ends), pieces, self.length, hashed)

    def set_of_terms(
        self, terms: Sequence[str], hashed: WindowHash, /
    ) -> NDArray[np.uint64] | None:
        if isinstance(self.length, str) or self.within != "document":
            return None  # where lines count
        text = (" " if self.white_space == "folded" else "").join(terms)
        letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        if not len(letters):
            return np.empty(0, np.uint64)
        length = min(self.length, len(letters))
        return distinct(hashed(Letters(letters), length, np.arange(len(letters) - length + 1)))


def spelled_out(words: Ragged, *, blank: bool) -> Ragged:
    """The code points (uint32) of each word of a block, with a `blank` behind it if that is asked.

    >>> rows = spelled_out(Ragged.of([list("né".encode()), list(b"on")], "uint8"), blank=True)
    >>> ["".join(map(chr, row.tolist())) for row in rows]
    ['né ', 'on ']
    """
    text = words.values.tobytes().decode("utf-8", "surrogatepass")
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint32)
    ends = offsets_of((words.values & 0xC0) != 0x80)[words.offsets]
    if blank:
        letters, ends = np.insert(letters, ends[1:], ord(" ")), ends + np.arange(len(ends))
    return Ragged(letters, ends)


def auto_length(characters: int) -> tuple[int, str]:
    """The length of shingles for texts of up to that many characters, and the reason.

    The rule of C. Bergillos, A. Rambla, A. Cabeza (section 4, page 4): of some 20 letters, as if
    there were no more, there must be far more shingles than a text has; 9 is safe for long ones.

    >>> auto_length(30_000)[0], auto_length(10**12)[0]
    (5, 9)
    >>> print(auto_length(30_000)[1])
    shingles of 5 characters (the longest text has 30,000)
    """
    far = _FAR_ABOVE * characters
    length = next((number for number in range(_LEAST, _SAFE) if _LETTERS**number >= far), _SAFE)
    return length, f"shingles of {length} characters (the longest text has {characters:,})"


@dataclass(frozen=True)
class WordShingles(Shingler):
    """Each `length` terms in a row, as a set.

    They run over the whole document, or `within` a line. A line that is shorter has none; a
    document that has none has one of all its terms, so that short documents can be equal, too.
    `hash` names the part that hashes them.

    >>> from sdtext.parts.hashes import Mixed
    >>> block = TokenBlock.of([[["to", "be", "or"], ["not", "to", "be"]], [["be"]]])
    >>> [len(row) for row in WordShingles(length=2)(block, Mixed())]
    [5, 1]
    >>> [len(row) for row in WordShingles(length=2, within="line")(block, Mixed())]
    [4, 1]
    """

    length: Annotated[int, Within(1, _LONGEST)] = 5
    within: Annotated[str, _WITHIN[:2]] = "document"
    hash: str = "mixed"

    @property
    def by_hashes(self) -> bool:
        """Whether hashes of terms suffice; they contain no lines."""
        return self.within == "document"

    def __call__(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> Ragged:
        is_mixed = getattr(hashed, "is_mixed", False)
        if isinstance(block, HashedBlock) and is_mixed and self.length <= _SHORT:
            return row_windows(block.rows, self.length)
        return super().__call__(block, hashed)

    def sets(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> Ragged:
        if isinstance(block, HashedBlock):  # which has a hash for each term as it is
            return sorted_distinct(self(block, hashed))
        return super().sets(block, hashed)

    def windows(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> SlidingWindows:
        if isinstance(block, HashedBlock):
            rows = block.rows
            return SlidingWindows(Terms(rows.values), _whole(rows.offsets), self.length, hashed)
        lines = block.lines
        places = lines.tokens - 1
        terms = Terms(block.hashes[places], places, block.words)
        pieces = _whole(lines.documents)
        if self.within == "line":
            pieces = Pieces(lines.starts, lines.ends - lines.starts, lines.first_lines)
        return SlidingWindows(terms, pieces, self.length, hashed)


def _whole(offsets: NDArray[np.int64]) -> Pieces:
    """Documents, of which all that have terms are one piece."""
    starts, lengths = offsets[:-1], offsets[1:] - offsets[:-1]
    filled = lengths > 0
    return Pieces(starts[filled], lengths[filled], offsets_of(filled))
