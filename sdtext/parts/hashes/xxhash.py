"""Y. Collet's xxHash as the hash of shingles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.windows.symbols import Symbols


@dataclass(frozen=True)
class XxHash:
    """XXH3, 64 bits, of the UTF-8 of a shingle; its words stand one blank apart.

    Other programs can compute it, too. It takes one call for each shingle.

    >>> import numpy as np
    >>> from sdtext.kernels.windows.symbols import Letters
    >>> letters = Letters(np.frombuffer(b"abc", np.uint8).astype(np.uint32))
    >>> hex(XxHash()(letters, 3, np.array([0]))[0])
    '0x78af5f94892f3950'
    """

    seed: int = 0
    caution: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 1 << 63:
            raise OptionError.of("xxhash", "seed", self.seed, "from 0 to 2**63 - 1")

    def __call__(
        self, symbols: Symbols, length: int, starts: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        from xxhash import xxh3_64_intdigest

        made = (xxh3_64_intdigest(one, self.seed) for one in symbols.spelled(starts, length))
        return np.fromiter(made, np.uint64, len(starts))
