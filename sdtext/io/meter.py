"""How much comes out of a packed file."""

from __future__ import annotations

from sdtext.errors import PackingError
from sdtext.io.content import BLOCK, MAX_RATIO, Content


class Meter:
    """How much has come out of a packed file, held against its limits.

    No more than the content's `max_bytes` come out, and no more than `MAX_RATIO` for each of the
    packed bytes that were begun, once the first `BLOCK` is out.
    """

    def __init__(self, content: Content) -> None:
        self._content = content
        self._packed = self._unpacked = 0

    def begin(self, packed: int) -> None:
        """So many packed bytes are about to be unpacked."""
        self._packed += packed

    def passed(self, block: bytes) -> bytes:
        """`block`, which has come out. Raises PackingError."""
        self._unpacked += len(block)
        self.check(self._unpacked)
        if self._unpacked > BLOCK and self._unpacked > MAX_RATIO * self._packed:
            raise PackingError(
                f"{self._content.name}: unpacks to over {MAX_RATIO} times its size, as only a "
                "decompression bomb does; unpack it by hand if you trust it"
            )
        return block

    def check(self, size: int) -> None:
        """Raises PackingError if so many bytes are more than may come out."""
        if size > self._content.max_bytes:
            raise PackingError(
                f"{self._content.name}: holds more than {self._content.max_bytes} bytes; "
                "raise the limit with --max-bytes if you trust it"
            )
