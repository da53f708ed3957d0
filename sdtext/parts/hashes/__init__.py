"""Hashes: the 64-bit numbers that stand for shingles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import Field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.shingles.symbol_sequences import Symbols


class ShingleHash(ABC):
    """The members of a hash, a frozen dataclass whose fields are its options."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    by_numbers: ClassVar[bool] = False
    """Whether the keys and numbers of the symbols suffice, so that no spelling is needed."""

    @property
    def caution(self) -> str:
        """A warning about the options; "" where there is none."""
        return ""

    @abstractmethod
    def __call__(
        self, symbols: Symbols, length: int, starts: NDArray[np.int64]
    ) -> NDArray[np.uint64]:
        """The hashes of the windows of `length` letters or terms that begin at `starts`."""
