"""Options and limits for reading files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf

from sdtext.errors import OptionError
from sdtext.io.decompressed_content import MAX_BYTES
from sdtext.model import PartSpec, Problem
from sdtext.parts.readers.hidden_text import KEEP, check_hidden
from sdtext.reading.sandbox.pool import MAX_MEMORY, MAX_SECONDS, ProcessLimits
from sdtext.reading.selection import Selection
from sdtext.text.encoding import check_encoding

Note = Callable[[Problem], None]
"""A function that takes note of a problem."""


@dataclass(frozen=True)
class Reading:
    """How files are read.

    `encoding` is that of plain text; it is detected if empty. `hidden` is "keep" or "drop": what
    becomes of text that a document does not show. `readers` replace the default
    readers of the same names. A compressed file unpacks to at most `max_bytes`; a reader in a
    sandboxed process gets `max_seconds` and `max_memory` (bytes) for each file, and so does all
    that this process does for it. `selection` says which files of folders are read.
    """

    encoding: str = ""
    max_bytes: int = MAX_BYTES
    max_seconds: float = MAX_SECONDS
    max_memory: int = MAX_MEMORY
    readers: tuple[PartSpec, ...] = ()
    hidden: str = KEEP
    selection: Selection = field(default_factory=Selection)

    @property
    def limits(self) -> ProcessLimits:
        """The limits for reading one file in a sandboxed process."""
        return ProcessLimits(self.max_seconds, self.max_memory)

    def preferring(self, reader: PartSpec | None) -> Reading:
        """These options with the `reader` of a recipe, unless one of that name is given already."""
        if reader is None or any(spec.name == reader.name for spec in self.readers):
            return self
        return replace(self, readers=(*self.readers, reader))

    def __post_init__(self) -> None:
        if self.encoding:
            check_encoding(self.encoding)
        check_hidden("reading", self.hidden)
        for name in ("max_bytes", "max_seconds", "max_memory"):
            given = getattr(self, name)
            if not isinstance(given, int | float) or not 0 < given < inf:
                raise OptionError.of("reading", name, getattr(self, name), "above 0, and finite")
