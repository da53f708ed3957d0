"""Options and limits for reading files, and which files of a folder are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

from sdtext.errors import OptionError
from sdtext.io.decompressed_content import MAX_BYTES
from sdtext.model import PartSpec, Problem
from sdtext.parts.readers.hidden_text import DROP, KEEP
from sdtext.reading.main_process_limits import MAX_MEMORY, MAX_SECONDS, ProcessLimits
from sdtext.text.encoding import check_encoding
from sdtext.wording import brief

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_VERSION_CONTROL = frozenset((".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS"))
_CACHES = frozenset(("__pycache__", ".ipynb_checkpoints"))
_SYSTEM = frozenset((".DS_Store", "__MACOSX", "Thumbs.db", "desktop.ini"))
_SYSTEM_PREFIXES = ("._", "~$", ".~lock.")
"""Names of AppleDouble files and of the locks of office programs."""

OCR_SECONDS = 3600.0
"""Maximum time for one file with OCR, which takes a second or more for a page."""
_UNITS = {"": 1, "b": 1} | {
    f"{letter}{ending}": 1024**power
    for power, letter in enumerate("kmgt", 1)
    for ending in ("", "b", "ib")
}
"""Bytes in each unit of size; as everywhere in sdtext, a kilobyte has 1024."""
_LIMIT = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*)", re.IGNORECASE)

Note = Callable[[Problem], None]
"""A function that takes note of a problem."""


@dataclass(frozen=True)
class Selection:
    """Which files below a folder are read; a file that is named itself always is.

    `include` and `exclude` are glob patterns with the rules of .gitignore: without a slash a
    pattern applies to the names of files and folders at any depth, otherwise to the path below the
    folder that is read. Without `include` all files are read. Unless `all_files` is set, folders
    of version control, caches, and files that operating systems and office programs leave beside
    documents are left out.

    >>> selection = Selection(include=("*.txt",), exclude=("drafts/",))
    >>> selection.selects("may/union.txt"), selection.selects("drafts/union.txt")
    (True, False)
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    all_files: bool = False

    def __post_init__(self) -> None:
        for option, patterns in (("include", self.include), ("exclude", self.exclude)):
            for pattern in patterns:
                if not pattern.strip(" /!"):
                    wanted = "a glob pattern such as '*.txt' or 'drafts/'"
                    raise OptionError(f"{option} is {brief(pattern)}; it must be {wanted}")
                compiled(option, (pattern,))

    def selects(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether the file or folder at `path`, relative and with slashes, is read."""
        if is_folder:
            path = f"{path}/"
        elif self.include and not compiled("include", self.include).match_file(path):
            return False
        return not (self.exclude and compiled("exclude", self.exclude).match_file(path))

    def unasked(self, name: str) -> str:
        """What a file or folder of this name is that is left out unless asked for; "" if nothing.

        >>> Selection().unasked(".git"), Selection().unasked(".profile")
        ('version control folder', '')
        """
        if self.all_files:
            return ""
        if name in _VERSION_CONTROL:
            return "version control folder"
        if name in _CACHES:
            return "cache"
        return "system file" if name in _SYSTEM or name.startswith(_SYSTEM_PREFIXES) else ""


@lru_cache(64)
def compiled(option: str, patterns: tuple[str, ...]) -> GitIgnoreSpec:
    """The patterns of an option, compiled. Raises OptionError."""
    from pathspec import GitIgnoreSpec

    # A pattern is no comment.
    lines = [f"\\{text}" if text.startswith("#") else text for text in patterns]
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        wanted = "glob patterns such as '*.txt' or 'drafts/'"
        raise OptionError(f"{option} is {brief(patterns)}; it must be {wanted}") from error


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

    def __post_init__(self) -> None:
        if self.encoding:
            check_encoding(self.encoding)
        OptionError.unless_in((KEEP, DROP), "Reading", "hidden", self.hidden)
        for name in ("max_bytes", "max_seconds", "max_memory"):
            if not 0 < getattr(self, name) < inf:
                raise OptionError.of("Reading", name, getattr(self, name), "above 0, and finite")

    @property
    def limits(self) -> ProcessLimits:
        """The limits for reading one file in a sandboxed process."""
        return ProcessLimits(self.max_seconds, self.max_memory)

    def preferring(self, reader: PartSpec | None) -> Reading:
        """These options with the `reader` of a recipe, unless one of that name is given already."""
        if reader is None or any(spec.name == reader.name for spec in self.readers):
            return self
        return replace(self, readers=(*self.readers, reader))


def limits_in(environment: Mapping[str, str]) -> dict[str, Any]:
    """The limits that SDTEXT_MAX_BYTES, SDTEXT_MAX_SECONDS and SDTEXT_MAX_MEMORY state.

    >>> limits_in({"SDTEXT_MAX_BYTES": "1GB"})
    {'max_bytes': 1073741824}
    """
    limits: dict[str, Any] = {}
    for name, kind in (("max_bytes", int), ("max_seconds", float), ("max_memory", int)):
        variable = f"SDTEXT_{name.upper()}"
        if text := environment.get(variable):
            match = _LIMIT.fullmatch(text.strip())
            units = _UNITS if kind is int else {"": 1}
            number = float(match[1]) * units.get(match[2].lower(), 0) if match else 0.0
            if number == inf or kind(number) <= 0:
                wanted = "a size such as 256MB or 1GB" if kind is int else "a number above 0"
                raise OptionError(f"{variable} is {brief(text)}; it must be {wanted}")
            limits[name] = kind(number)
    return limits
