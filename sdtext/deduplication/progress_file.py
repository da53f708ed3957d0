"""Progress files: what an interrupted run had done, so that the next one goes on from there.

A file begins with a line of JSON: its kind, and the digest of what is done and how. Frames follow:
the size of the content and the number of its documents (8 bytes each), the digest of this number
and the content (16), and the content. A frame that a killed process did not complete is cut off.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from sdtext.collections.storage.lock import take_at_once
from sdtext.errors import FormatError, OptionError, OutputError, shown, unwritable
from sdtext.io.remote_files import remote_address

_FRAME = struct.Struct("<QQ16s")


def check_local(paths: Iterable[str | Path]) -> None:
    """OptionError for an address, since what is there can change without a sign."""
    if address := next(filter(None, map(remote_address, paths)), ""):
        raise OptionError(
            "progress is for files of this machine: whether it has changed at its address is not "
            "known; fetch it first",
            file=address,
        )


class ProgressFile:
    """The frames in the file at a path, about some `work` for what the `digest` says.

    One process at a time has it open. Raises OptionError for the progress of another run,
    FormatError for another file or one that is damaged, and OutputError where the file is in use or
    cannot be written.

    >>> path = folder / "progress"
    >>> with ProgressFile(path, "deduplication", "a1") as progress:
    ...     progress.add(7, b"seven")
    >>> with ProgressFile(path, "deduplication", "a1") as progress:
    ...     [*progress.stored()]
    [(7, b'seven')]
    """

    def __init__(self, path: str | Path, work: str, digest: str) -> None:
        self.path = Path(path)
        self._work = work
        header = json.dumps({"kind": self._kind, "digest": digest}).encode() + b"\n"
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            self._file = os.fdopen(handle, "r+b")
        except OSError as error:
            raise self._failed(error) from error
        try:
            self._lock()
            self._begin(header)
        except OSError as error:
            self._file.close()
            raise self._failed(error) from error
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> ProgressFile:
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(OSError):
            self._file.close()

    def stored(self) -> Iterator[tuple[int, bytes]]:
        """The number of documents and the content of each frame; then all is read."""
        try:
            place = self._file.tell()
            while (frame := self._next()) is not None:
                yield frame
                place = self._file.tell()
            self._file.seek(place)
            self._file.truncate()
        except OSError as error:
            raise self._failed(error) from error

    def add(self, number: int, content: bytes) -> None:
        """Append a frame, at once; all must have been read."""
        try:
            self._file.write(_FRAME.pack(len(content), number, _digest(number, content)) + content)
            self._file.flush()
        except OSError as error:
            raise self._failed(error) from error

    def damaged(self) -> FormatError:
        """The error for content that is not what it should be."""
        return FormatError("is damaged; delete it", file=self.path)

    @property
    def _kind(self) -> str:
        return f"sdtext {self._work} progress 2"

    def _lock(self) -> None:
        try:
            take_at_once(self._file.fileno())
        except (BlockingIOError, PermissionError) as error:
            raise OutputError(
                "is the progress of a run that has not ended; wait until it ends, stop it, or name "
                "another file",
                file=self.path,
            ) from error

    def _begin(self, header: bytes) -> None:
        """Read or write the first line. Raises an error for a file with another one."""
        self._file.seek(0)
        first = self._file.readline(len(header))
        if first == header:
            return
        if not header.startswith(first):
            if first.startswith(f'{{"kind": "{self._kind}"'.encode()):
                raise OptionError(
                    "has the progress of another run: its inputs or its options have changed; name "
                    "another file, or delete it",
                    file=self.path,
                )
            raise FormatError(f"is not the progress of a {self._work}", file=self.path)
        self._file.seek(0)
        self._file.write(header)
        self._file.flush()

    def _next(self) -> tuple[int, bytes] | None:
        """The number of documents and the content of the next frame; None where it is cut off."""
        head = self._file.read(_FRAME.size)
        if len(head) < _FRAME.size:
            return None
        size, number, digest = _FRAME.unpack(head)
        left = os.fstat(self._file.fileno()).st_size - self._file.tell()
        if size > left:
            return None
        content = self._file.read(size)
        if _digest(number, content) != digest:
            raise self.damaged()
        return number, content

    def _failed(self, error: OSError) -> OutputError:
        return OutputError(unwritable(error), file=shown(self.path))


def _digest(number: int, content: bytes) -> bytes:
    hashed = blake2b(number.to_bytes(8, "little"), digest_size=16)
    hashed.update(content)
    return hashed.digest()
