"""The hash of E. Celozzi and L. Ciabini: Finding similar document (section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.windows.symbols import Symbols, polynomial_hashes

_BASE = 31


@dataclass(frozen=True)
class Polynomial:
    """Σ value_i · 31**i modulo `m` over the letters of a shingle, the first being letter 0.

    The letters a to z are 1 to 26, as in the paper; every other one, of which it says nothing, is
    27 + its code point. In shingles of words a term is its 64-bit hash. As there are `m` numbers
    alone, among some thousand shingles two share one by chance.

    >>> import numpy as np
    >>> from sdtext.kernels.windows.symbols import Letters
    >>> letters = Letters(np.frombuffer(b"abc", np.uint8).astype(np.uint32))
    >>> Polynomial()(letters, 2, np.array([0, 1])).tolist() == [1 + 2 * 31, 2 + 3 * 31]
    True
    """

    m: int = 1_000_003
    caution: ClassVar[str] = ""
    by_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 2 <= self.m <= 1 << 32:
            raise OptionError.of("polynomial", "m", self.m, "from 2 to 2**32")

    def __call__(
        self, symbols: Symbols, length: int, starts: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        return polynomial_hashes(symbols.numbers, length, _BASE, self.m)[starts]
