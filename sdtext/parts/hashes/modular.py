"""The division method of C. Bergillos, A. Rambla, A. Cabeza (section 8.1, page 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.windows.symbols import Symbols, mixed_hashes


@dataclass(frozen=True)
class Modular:
    """k modulo `m`, where k is the 64-bit number that `mixed` gives a shingle.

    The paper takes a prime for `m` ("Document similarity detection using hashing", 2018).

    >>> import numpy as np
    >>> from sdtext.parts.hashes.mixed import Mixed
    >>> from sdtext.kernels.windows.symbols import Letters
    >>> window = Letters(np.frombuffer(b"abc", np.uint8).astype(np.uint32)), 3, np.array([0])
    >>> int(Modular(m=997)(*window)[0]) == int(Mixed()(*window)[0]) % 997
    True
    >>> Modular(m=1024).caution
    'modular: m is 1024, a power of two, so that the lowest bits alone count; take a prime'
    """

    m: int = 1_000_003
    by_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 2 <= self.m < 1 << 63:
            raise OptionError.of("modular", "m", self.m, "from 2 to 2**63 - 1")

    @property
    def caution(self) -> str:
        """What the paper warns of."""
        if self.m & (self.m - 1):
            return ""
        told = "a power of two, so that only the lowest bits count; use a prime"
        return f"modular: m is {self.m}, {told}"

    def __call__(
        self, symbols: Symbols, length: int, starts: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        return mixed_hashes(symbols, length, starts) % np.uint64(self.m)
