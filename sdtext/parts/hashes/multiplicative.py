"""The multiplication method of C. Bergillos, A. Rambla, A. Cabeza (section 8.2, page 8)."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.splitmix import mixed_plain
from sdtext.kernels.windows.symbols import Symbols, mixed_hashes

_KNUTH = 0.6180339887498949  # (√5 - 1) / 2, as near as a float comes
_FAMILY = 8  # bits: how far below a 256th the members of the family stand apart from `a`


@dataclass(frozen=True)
class Multiplicative:
    """⌊m · frac(k · A)⌋ in words of `w` bits, where k is the number that `mixed` gives a shingle.

    Of k the lowest `w` bits count. A is s / 2**w with s = ⌊a · 2**w⌋; left as it is, `a` is
    Knuth's (√5 - 1) / 2, to the last bit. A `seed` above 0 takes another member of the family
    around it: s is moved on by less than 2**w / 256, as SplitMix64 mixes the seed, and made odd.

    >>> import numpy as np
    >>> from sdtext.kernels.windows.symbols import Letters
    >>> window = Letters(np.frombuffer(b"abc", np.uint8).astype(np.uint32)), 3, np.array([0])
    >>> bool(Multiplicative(m=1000)(*window)[0] < 1000)
    True
    >>> hex(Multiplicative().factor), hex(Multiplicative(seed=1).factor)
    ('0x9e3779b97f4a7c15', '0x9e8e0bcf9c5a871b')
    """

    a: float = _KNUTH
    m: int = 1 << 32
    w: int = 64
    seed: int = 0
    caution: ClassVar[str] = ""
    by_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 1 <= self.w <= 64:
            raise OptionError.of("multiplicative", "w", self.w, "from 1 to 64")
        if not 2 <= self.m <= 1 << 32:
            raise OptionError.of("multiplicative", "m", self.m, "from 2 to 2**32")
        if not 0 < self.a < 1:
            raise OptionError.of("multiplicative", "a", self.a, "above 0 and below 1")
        if not 0 <= self.seed < 1 << 63:
            raise OptionError.of("multiplicative", "seed", self.seed, "from 0 to 2**63 - 1")
        if not self.factor:
            raise OptionError.of("multiplicative", "a", self.a, f"2**-{self.w} or more for that w")

    @property
    def factor(self) -> int:
        """The whole number s, which stands for A · 2**w."""
        word = 1 << self.w
        exact = (isqrt(5 * word * word) - word) // 2
        found = exact if self.a == _KNUTH else int(self.a * word)
        if not self.seed:
            return found
        moved = mixed_plain(self.seed) >> 64 - self.w >> _FAMILY
        return (found + moved) % word | 1

    def __call__(
        self, symbols: Symbols, length: int, starts: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        keys = mixed_hashes(symbols, length, starts)
        # The fraction's w bits, moved to the top of 64; then the upper 64 bits of m times that.
        fraction = (keys * np.uint64(self.factor)) << np.uint64(64 - self.w)
        half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
        m = np.uint64(self.m)
        return (m * (fraction >> half) + (m * (fraction & low) >> half)) >> half
