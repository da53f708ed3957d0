"""Files that this process has verified, so that opening them again costs nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from time import time_ns
from typing import NamedTuple

_SETTLED = 100_000_000  # nanoseconds; times of files are that exact, or more
_MOST = 1 << 16  # files


class FileState(NamedTuple):
    """What changes whenever a file is written to, or replaced by another."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        """The state in the result of `stat`."""
        times = status.st_mtime_ns, status.st_ctime_ns
        return cls(status.st_dev, status.st_ino, status.st_size, *times)


@dataclass
class VerifiedFiles:
    """Files in a certain state, each with what was verified of its content.

    A file that was written to in the last tenth of a second is not remembered: another write
    might leave its times as they are.

    >>> files = VerifiedFiles(clock=lambda: 10**9)
    >>> state = FileState(1, 2, 3, 4, 5)
    >>> files.add(state, "checksum"); (state, "checksum") in files, (state, "other") in files
    (True, False)
    """

    clock: Callable[[], int] = time_ns
    _known: set[tuple[FileState, str]] = field(default_factory=set)

    def __contains__(self, item: object) -> bool:
        return item in self._known

    def add(self, state: FileState, content: str) -> None:
        """Remember that a file in this state has that content."""
        if self.clock() - max(state.modified, state.changed) > _SETTLED:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known.add((state, content))


VERIFIED = VerifiedFiles()
"""Those of this process, for all collections that it opens."""
