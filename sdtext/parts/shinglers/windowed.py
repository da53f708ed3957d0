"""What shinglers that take windows of symbols share."""

from __future__ import annotations

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.tokens import TokenBlock
from sdtext.kernels.windows.sliding_windows import SlidingWindows, bags, numbered, sets
from sdtext.kernels.windows.symbols import WindowHash


class Windowed:
    """A shingler whose shingles are the windows that `windows` gives; repeats count with `bag`."""

    bag: bool

    def windows(self, block: TokenBlock, hashed: WindowHash) -> SlidingWindows:
        """The windows of each document of a block."""
        raise NotImplementedError

    def __call__(self, block: TokenBlock, hashed: WindowHash) -> Ragged:
        made = self.windows(block, hashed).in_order()
        return numbered(made) if self.bag else made

    def sets(self, block: TokenBlock, hashed: WindowHash) -> Ragged:
        """The rows that a call gives as sets: each in order, each hash once."""
        windows = self.windows(block, hashed)
        return bags(windows) if self.bag else sets(windows)
