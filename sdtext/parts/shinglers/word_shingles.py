"""Shingles of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.shingles.document_shingles import Pieces, SlidingWindows
from sdtext.kernels.shingles.polynomial_hashes import WindowHash
from sdtext.kernels.shingles.symbol_sequences import HashedTerms, Terms
from sdtext.kernels.terms.token_blocks import HashedBlock, TokenBlock, TokenLines
from sdtext.parts.shinglers import WindowShingler

_WITHIN = ("document", "line")
_LONGEST = 1000


@dataclass(frozen=True)
class WordShingles(WindowShingler):
    """Each `length` terms in a row, as a set or, with `bag`, as often as they occur.

    They run over the whole document, or `within` a line. A line that is shorter has none; a
    document that has none has one of all its terms, so that short documents can be equal, too.
    `hash` names the part that hashes them.

    >>> from sdtext.parts.hashes.shingle_hashes import Mixed
    >>> from sdtext.kernels.terms.token_blocks import TokenBlock
    >>> block = TokenBlock.of([[["to", "be", "or"], ["not", "to", "be"]], [["be"]]])
    >>> [len(row) for row in WordShingles(length=2)(block, Mixed())]
    [5, 1]
    >>> [len(row) for row in WordShingles(length=2, within="line")(block, Mixed())]
    [4, 1]
    """

    length: int = 5
    bag: bool = False
    within: str = "document"
    hash: str = "mixed"
    needs_white_space: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 1 <= self.length <= _LONGEST:
            raise OptionError.of("words", "length", self.length, f"from 1 to {_LONGEST}")
        if self.within not in _WITHIN:
            raise OptionError.of("words", "within", self.within, f"one of {', '.join(_WITHIN)}")

    @property
    def by_hashes(self) -> bool:
        """Whether hashes of terms suffice; they contain no lines."""
        return self.within == "document"

    def windows(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> SlidingWindows:
        """The terms in a row, whole or line by line."""
        if isinstance(block, HashedBlock):
            rows = block.rows
            return SlidingWindows(
                HashedTerms(rows.values), _whole(rows.offsets), self.length, hashed
            )
        lines = block.lines
        terms = Terms(lines.tokens - 1, block.words, block.hashes)
        return SlidingWindows(terms, self._pieces(lines), self.length, hashed)

    def _pieces(self, lines: TokenLines) -> Pieces:
        if self.within == "line":
            return Pieces(lines.starts, lines.ends - lines.starts, lines.first_lines)
        return _whole(lines.documents)


def _whole(offsets: NDArray[np.int64]) -> Pieces:
    """Documents, of which all that have terms are one piece."""
    starts, lengths = offsets[:-1], offsets[1:] - offsets[:-1]
    filled = lengths > 0
    return Pieces(starts[filled], lengths[filled], offsets_of(filled))
