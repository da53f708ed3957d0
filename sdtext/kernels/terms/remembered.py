"""What a slow function makes of words, kept: words are few beside their occurrences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_MOST = 1 << 19  # entries; some 100 MB
_LONGEST = 64  # bytes

Made = TypeVar("Made")


class Remembered(dict[bytes, Made]):
    """What `make` makes of a key, computed once; bounded in entries and in their length."""

    def __init__(self, make: Callable[[str], Made]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: bytes) -> Made:
        made = self._make(key.decode("utf-8", "surrogatepass"))
        if len(key) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[key] = made
        return made
