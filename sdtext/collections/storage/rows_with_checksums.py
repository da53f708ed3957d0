"""Rows of a large array, of which each is verified when it is first read.

A search by columns reads some per cent of an array. To verify all of it would take longer than the
search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

CHECKSUMS = "<u8"
"""The type of the checksums of rows: XXH3, 64 bits."""


class RowsWithChecksums:
    """An array whose rows `are_whole` verifies; None where they need no verification.

    `read` gives the array with all of it verified: in place of one that has a damaged row.

    >>> array = np.arange(6).reshape(3, 2)
    >>> rows = RowsWithChecksums(array, lambda rows: max(rows) < 2, lambda: np.zeros((3, 2)))
    >>> rows.verified(np.array([0, 1])) is array, rows.verified(np.array([0, 2])) is array
    (True, False)
    """

    def __init__(
        self,
        array: NDArray[Any],
        are_whole: Callable[[NDArray[np.int64]], bool] | None = None,
        read: Callable[[], NDArray[Any]] | None = None,
    ) -> None:
        self.array = array
        self._are_whole = are_whole
        self._read = read
        self._unread = np.ones(len(array), bool)

    def verified(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """The array, of which these rows are verified. Raises what `read` raises."""
        if self._are_whole is None:
            return self.array
        unread = rows[self._unread[rows]]
        if not self._are_whole(unread):
            return self.whole
        self._unread[unread] = False
        return self.array

    @property
    def whole(self) -> NDArray[Any]:
        """The array, all of which is verified. Raises what `read` raises."""
        if self._read is not None:
            self.array = self._read()
            self._are_whole = self._read = None
        return self.array


def row_checksums(rows: Iterable[Any], number: int) -> NDArray[np.uint64]:
    """The checksums of so many rows."""
    return np.fromiter(map(xxh3_64_intdigest, rows), CHECKSUMS, number)
