"""The right to write to a collection: one process has it, and it dies with that process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sdtext.errors import OutputError, reason

LOCK = "lock"
_FAR = 1 << 30  # a place behind what the file holds: Windows locks bytes, and others read the rest
_HERE_ONLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Lock:
    """The lock of the collection in a folder: held from its making until `release`.

    The kernel keeps it, in the file `lock`, which names the process that holds it or was the last
    to do so. Raises OutputError at once where another writer has it.
    """

    def __init__(self, folder: Path, name: str) -> None:
        try:
            self._handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | _HERE_ONLY, 0o666)
        except OSError as error:
            raise OutputError(f"{name}: cannot be written to: {reason(error)}") from error
        try:
            self._held(name)
            self._check_place(folder, name)
            self._sign()
        except OSError as error:
            os.close(self._handle)
            raise OutputError(f"{name}: cannot be written to: {reason(error)}") from error
        except BaseException:
            os.close(self._handle)
            raise

    def release(self) -> None:
        """Give the right back."""
        os.close(self._handle)

    def _held(self, name: str) -> None:
        try:
            _take(self._handle)
        except (BlockingIOError, PermissionError) as error:
            raise OutputError(
                f"{name}: {self._holder()} is writing to it; wait for its end, or end it"
            ) from error
        except OSError as error:
            raise OutputError(f"{name}: cannot be locked: {reason(error)}") from error

    def _check_place(self, folder: Path, name: str) -> None:
        """OutputError where the folder was renamed or removed by whoever had the lock before."""
        try:
            same = os.path.samestat(os.fstat(self._handle), (folder / LOCK).stat())
        except FileNotFoundError:
            same = False
        if not same:
            raise OutputError(f"{name}: has just been changed by another process; try again")

    def _sign(self) -> None:
        """Write down who holds the lock."""
        os.ftruncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, f"{os.getpid()}\n".encode("ascii"))

    def _holder(self) -> str:
        """The process that holds the lock, in words."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        number = os.read(self._handle, 20).strip()
        known = number.isdigit()
        return f"process {int(number)}" if known else "another process"
