"""The standard output: bytes as they are, or on a terminal text without control characters."""

from __future__ import annotations

import io
import sys
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, BinaryIO, cast

from sdtext.errors import text_for_terminal

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def standard_output() -> BinaryIO:
    """The standard output. On a terminal, what would control the terminal is escaped."""
    if not sys.stdout.isatty():
        return sys.stdout.buffer
    return cast("BinaryIO", TerminalWriter(sys.stdout.buffer))


class TerminalWriter(io.BufferedIOBase):
    r"""A file whose text, in UTF-8, is written to `terminal` with controls escaped.

    >>> screen = io.BytesIO()
    >>> with TerminalWriter(screen) as file:
    ...     file.writelines([b"Gr\xc3", b"\xb6\xc3\x9fe\r", b"\n\x1b[31m\xff"])
    >>> screen.getvalue().decode()
    'Größe\r\n\\x1b[31m\\xff'
    """

    def __init__(self, terminal: BinaryIO) -> None:
        self._terminal = terminal
        self._decoder = getincrementaldecoder("utf-8")("backslashreplace")
        self._held = ""  # a carriage return that may be part of a line end

    def writable(self) -> bool:
        """Always."""
        return True

    def isatty(self) -> bool:
        """Always."""
        return True

    def write(self, data: ReadableBuffer) -> int:
        """As of any file."""
        block = bytes(data)
        text = self._held + self._decoder.decode(block)
        self._held = "\r" if text.endswith("\r") else ""
        self._put(text.removesuffix("\r"))
        return len(block)

    def flush(self) -> None:
        """Write all there is, even half a character."""
        text = self._held + self._decoder.decode(b"", final=True)
        self._held = ""
        self._put(text)
        self._terminal.flush()

    def _put(self, text: str) -> None:
        self._terminal.write(text_for_terminal(text).encode("utf-8"))
