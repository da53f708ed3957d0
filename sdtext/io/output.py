"""Output: files that appear whole or not at all, and the standard output."""

from __future__ import annotations

import io
import os
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from stat import S_ISDIR
from typing import TYPE_CHECKING, BinaryIO, cast

from sdtext.errors import OutputError
from sdtext.io.platform import name_file, unnamed_in
from sdtext.io.remote_files import remote_address, written_remotely
from sdtext.wording import shown, text_for_terminal, unwritable

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

TEMPORARY = ".sdtext-"
"""The beginning of the names of files and folders that exist until a result is complete."""


MayReplace = Callable[[], None]
"""Raises OutputError unless the file that now exists at a path may be replaced."""


@contextmanager
def written(
    path: str | Path,
    may_replace: MayReplace | None = None,
    *,
    private: bool = False,
    required: bool = True,
) -> Iterator[BinaryIO]:
    """A file to write to that replaces `path` on success.

    It is written beside `path`, synced to the disk and renamed; after an error or an
    interruption nothing is left of it. "-" is the standard output (see `standard_output`); a
    device or a pipe is written to directly. Raises OutputError if writing fails.

    `may_replace` is asked at the end, for a file that another program may have created at `path`
    meanwhile. If that may not be replaced, the result stays beside it, under a name that the error
    states. A `private` file can be read by its owner alone (mode 0600). Of an output that is not
    `required`, the rest is dropped where the program that reads the standard output has ended:
    other files are written all the same.
    """
    try:
        if path == "-":
            output = standard_output()
            output = output if required else cast("BinaryIO", _WhileRead(output))
            yield output
            output.flush()
            return
        if address := remote_address(path):
            with written_remotely(address, may_replace) as file:
                yield file
            return
        target = place_of(path)
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as file:
                yield file
            return
        with _replacing(target, may_replace) as file:
            if private:
                os.chmod(file.name, 0o600)  # noqa: PTH101 (may be a number); before it is filled
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "standard output" if path == "-" else shown(path)
        raise OutputError(unwritable(error), file=name) from error


def place_of(path: str | Path) -> Path:
    """The file, without links, that the system opens for writing at `path`. It need not exist.

    A folder that is missing is not skipped where `..` follows it: missing/../x.xml is not x.xml.
    Raises OutputError if the file can be in no folder.
    """
    folder, name = os.path.split(path)
    for place in (*reversed(Path(folder).parents), Path(folder)):
        try:
            what = "" if S_ISDIR(place.stat().st_mode) else f"{shown(place)} is not a folder"
        except FileNotFoundError:
            what = f"there is no folder {shown(place)}"
        except OSError as error:
            raise OutputError(unwritable(error), file=path) from error
        if what:
            raise OutputError(f"cannot be written: {what}", file=path)
    try:
        Path(path).stat()
    except FileNotFoundError:
        if Path(path).is_symlink():
            return place_of(os.path.join(folder, os.readlink(path)))  # noqa: PTH115, PTH118
        return Path(os.path.realpath(folder), name)
    except OSError as error:
        raise OutputError(unwritable(error), file=path) from error
    return Path(os.path.realpath(path))


@contextmanager
def _replacing(target: Path, may_replace: MayReplace | None) -> Iterator[BinaryIO]:
    if target.is_dir():
        raise IsADirectoryError(21, "It is a folder; name a file")
    beside = target.with_name(f"{TEMPORARY}{token_hex(8)}.part")
    try:
        with unnamed_in(target.parent) or beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if isinstance(file.name, int):  # it gets a name now that it is complete
                name_file(file.name, beside)
        _put(beside, target, may_replace)
        sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def _put(beside: Path, target: Path, may_replace: MayReplace | None) -> None:
    """Rename the complete file `beside` to `target`, unless that may not be replaced."""
    if may_replace is None:
        beside.replace(target)
        return
    try:
        may_replace()
        if not target.exists() and _linked(beside, target):
            return
        may_replace()
    except OutputError as error:
        kept = target.with_name(f"{target.name}.{token_hex(4)}.partial")
        beside.replace(kept)
        what = f"{error.what}; it appeared during the run, and the result is in {shown(kept)}"
        raise OutputError(what, file=error.file) from error
    beside.replace(target)


def _linked(beside: Path, target: Path) -> bool:
    """Whether `target` is now the file `beside`; a link, unlike a rename, never replaces."""
    try:
        os.link(beside, target)
    except OSError:  # it exists by now, or the file system has no links
        return False
    beside.unlink()
    return True


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that the names of its files are on the disk."""
    with suppress(OSError):  # some file systems cannot sync a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def standard_output() -> BinaryIO:
    """The standard output. On a terminal, what would control the terminal is escaped."""
    if not sys.stdout.isatty():
        return sys.stdout.buffer
    return cast("BinaryIO", TerminalWriter(sys.stdout.buffer))


class _WhileRead(io.BufferedIOBase):
    """A pipe that takes what its reader no longer wants, and drops it."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._is_read = True

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        self._while_read(lambda: self._pipe.write(data))
        return memoryview(data).nbytes

    def flush(self) -> None:
        self._while_read(self._pipe.flush)

    def _while_read(self, work: Callable[[], object]) -> None:
        try:
            if self._is_read:
                work()
        except BrokenPipeError:
            self._is_read = False


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
