"""Write lock of a folder, held by one process and released by the kernel when it ends."""

import os
from errno import EACCES, EPERM, EROFS
from pathlib import Path

from sdtext.errors import OutputError
from sdtext.io.platform import lock_at_once
from sdtext.wording import reason

LOCK = "lock"
_PART = ".part"
WAIT = "wait until it ends, or stop it"
_HERE_ONLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def new_folder(path: Path) -> Path:
    """The hidden folder that holds a new collection until its first commit.

    >>> new_folder(Path("texts/x.sdx")).as_posix()
    'texts/.x.sdx.part'
    """
    return path.with_name(f".{path.name}{_PART}")


def is_new_folder(folder: Path) -> bool:
    """Whether a folder is one of `new_folder`."""
    return folder.name.startswith(".") and folder.name.endswith(_PART)


class Lock:
    """The lock of the collection in a folder, from its creation until `close`.

    It is a kernel lock on the file `lock`, which names the last process that held it. Raises
    OutputError at once if another writer holds it.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._handle = -1
        try:
            self._handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | _HERE_ONLY, 0o666)
            try:
                lock_at_once(self._handle)
            except (BlockingIOError, PermissionError) as error:
                os.lseek(self._handle, 0, os.SEEK_SET)
                number = os.read(self._handle, 20).strip()
                who = f"process {int(number)}" if number.isdigit() else "another process"
                what = f"{who} is writing to it; {WAIT}"
                raise OutputError(what, file=name) from error
            if not self._is_in(folder):
                raise OutputError("has just been changed by another process; try again", file=name)
            os.ftruncate(self._handle, 0)
            os.lseek(self._handle, 0, os.SEEK_SET)
            os.write(self._handle, f"{os.getpid()}\n".encode("ascii"))
        except BaseException as error:
            if self._handle >= 0:
                os.close(self._handle)
            if not isinstance(error, OSError):
                raise
            is_refused = error.errno in (EACCES, EPERM, EROFS)
            remedy = "; make it writable, or copy it to a folder that is" if is_refused else ""
            what = f"cannot be written to: {reason(error)}{remedy}"
            raise OutputError(what, file=name) from error

    def close(self) -> None:
        """Release the lock, if it is held."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def _is_in(self, folder: Path) -> bool:
        """False if the previous holder of the lock renamed or removed the folder."""
        try:
            return os.path.samestat(os.fstat(self._handle), (folder / LOCK).stat())
        except FileNotFoundError:
            return False
