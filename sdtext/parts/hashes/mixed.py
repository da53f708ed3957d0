"""The hash of shingles that is used where none is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.windows.symbols import Symbols, mixed_hashes


@dataclass(frozen=True)
class Mixed:
    """64 bits, in which two shingles meet by chance alone: a sum of powers, mixed.

    A letter counts as its code point, a term as its 64-bit hash. The sum Σ key_j · P**j slides
    over the text, modulo 2**64, and the end of SplitMix64 mixes it.

    >>> import numpy as np
    >>> from sdtext.kernels.windows.symbols import Letters
    >>> letters = Letters(np.frombuffer(b"abcabc", np.uint8).astype(np.uint32))
    >>> made = Mixed()(letters, 3, np.array([0, 1, 3]))
    >>> made.dtype, len(set(made.tolist()))
    (dtype('uint64'), 2)
    """

    caution: ClassVar[str] = ""
    by_numbers: ClassVar[bool] = True

    def __call__(
        self, symbols: Symbols, length: int, starts: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        return mixed_hashes(symbols, length, starts)
