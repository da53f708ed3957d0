"""Shinglers: from the terms of documents to their shingles, the sets that are compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import Field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, sorted_distinct
from sdtext.kernels.shingles.document_shingles import SlidingWindows, bags, numbered, sets
from sdtext.kernels.shingles.polynomial_hashes import WindowHash
from sdtext.kernels.terms.token_blocks import HashedBlock, TokenBlock


class Shingler(ABC):
    """The members of a shingler, a frozen dataclass whose fields are its options.

    A document that has terms, but none of the length of a shingle, has one shingle: all of it.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    hash: str
    """The option that names the hash of the shingles."""

    @property
    @abstractmethod
    def needs_white_space(self) -> bool:
        """Whether the block must contain the white space between terms."""

    @property
    def by_hashes(self) -> bool:
        """Whether the hashes of terms suffice (`HashedBlock`) for a hash that is `by_numbers`."""
        return False

    @abstractmethod
    def __call__(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> Ragged:
        """The hashes of each document's shingles in order, repeats included.

        With the option `bag`, repeats are numbered, so that each has another hash and the rows as
        sets are bags.
        """

    def sets(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> Ragged:
        """The same rows as sets: sorted, each hash once. Override it to save memory."""
        return sorted_distinct(self(block, hashed))

    def set_of_terms(
        self, _terms: Sequence[str], _hashed: WindowHash, /
    ) -> NDArray[np.uint64] | None:
        """The row that `sets` gives for one short document, None where that needs a block.

        Override it where the terms suffice: a query of a few words takes a tenth of the time.
        """
        return None


class WindowShingler(Shingler):
    """A shingler whose shingles are the windows that `windows` gives; repeats count with `bag`."""

    bag: bool

    def windows(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> SlidingWindows:
        """The windows of each document of a block."""
        raise NotImplementedError

    def __call__(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> Ragged:
        hashes = self.windows(block, hashed).in_order()
        return numbered(hashes) if self.bag else hashes

    def sets(self, block: TokenBlock | HashedBlock, hashed: WindowHash) -> Ragged:
        """The rows that a call gives as sets: each in order, each hash once."""
        windows = self.windows(block, hashed)
        return bags(windows) if self.bag else sets(windows)
