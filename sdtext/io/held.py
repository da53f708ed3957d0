"""Bytes at hand, to be read as a file is: what stands within another file, or a program wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sdtext.io.content import BLOCK, Content


@dataclass(frozen=True)
class Held(Content):
    """The content that is `data` and stands nowhere; its path is to be "".

    >>> Held("", called="a.eml", data=b"Some words").head
    b'Some words'
    """

    data: bytes = b""

    def blocks(self) -> Iterator[bytes]:
        """The bytes in blocks of `BLOCK`, just as they are."""
        for start in range(0, len(self.data), BLOCK):
            yield self.data[start : start + BLOCK]
