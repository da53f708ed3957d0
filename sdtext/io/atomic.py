"""Atomic writing: files appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from sdtext.errors import OutputError, reason, shown
from sdtext.io.standard_output import standard_output

TEMPORARY = ".sdtext-"
"""The beginning of the names of files and folders that exist until a result is complete."""


@contextmanager
def written(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write to that replaces `path` on success.

    It is written beside `path`, synced to the disk and renamed; after an error or an
    interruption nothing is left of it. "-" is the standard output (see `standard_output`); a
    device or a pipe is written to directly. Raises OutputError if writing fails.
    """
    try:
        if path == "-":
            output = standard_output()
            yield output
            output.flush()
            return
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as file:
                yield file
            return
        with _replacing(target) as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "standard output" if path == "-" else shown(path)
        raise OutputError(f"cannot be written: {reason(error)}", file=name) from error


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    if target.is_dir():
        raise IsADirectoryError(21, "It is a folder; name a file")
    beside = target.with_name(f"{TEMPORARY}{token_hex(8)}.part")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
        sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that the names of its files are on the disk."""
    with suppress(OSError):  # some file systems cannot sync a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
