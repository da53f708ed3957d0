"""External programs: start, limits on the output, failures."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Thread
from typing import BinaryIO, cast

from sdtext.errors import PackingError, UnreadableError, printable, reason
from sdtext.io.decompressed_content import Content

_STEP = 1 << 16
_KEPT_BYTES = 1 << 12  # bytes of a program's messages that are kept
_SHOWN = 200
_MARK = 6  # first bytes, which of a packed file are others
_PATIENCE = 10.0  # seconds for a program to say which version it is


@dataclass(frozen=True)
class Ended:
    """Result of a program: its exit code, its output and its messages."""

    code: int
    output: bytes
    messages: bytes

    def why(self) -> str:
        """The reason of the failure in one printable line: the first line of the messages."""
        lines = self.messages.decode("utf-8", "replace").split("\n")
        first = next((" ".join(line.split()) for line in lines if line.strip()), "")
        return printable(first[:_SHOWN]) or f"exit code {self.code}"


def run(
    command: Sequence[str],
    content: Content,
    *,
    given: BinaryIO | None = None,
    variables: Mapping[str, str] | None = None,
) -> Ended:
    """Run `command` for `content`; `given` is its standard input, if any.

    It is started without a shell, under the limits of this process, and is killed with its process
    group. Raises UnreadableError if it is not found, or writes more than the content's
    `max_bytes`.
    """
    if given:
        os.lseek(given.fileno(), 0, os.SEEK_SET)  # the other process knows nothing of a buffer
    try:
        process = subprocess.Popen(  # noqa: S603 (no shell; the words are the user's or ours)
            list(command),
            stdin=given or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(variables or {})},
        )
    except (OSError, ValueError) as error:
        raise UnreadableError(_not_started(command[0], content, error)) from error
    with process:
        try:
            return _followed(process, content, command[0])
        finally:
            process.kill()


@contextmanager
def unpacked(content: Content) -> Iterator[Path]:
    """The absolute path of a file with the bytes: its own, or that of an unpacked copy.

    Raises UnreadableError.
    """
    with content.local() as path:
        try:
            with path.open("rb") as file:
                if file.read(_MARK) == content.head[:_MARK]:
                    yield path
                    return
            with NamedTemporaryFile(prefix="sdtext-") as copy:
                copy.writelines(content.blocks())
                copy.flush()
                yield Path(copy.name)
        except OSError as error:
            raise UnreadableError(reason(error), file=content.name) from error


def _followed(process: subprocess.Popen[bytes], content: Content, name: str) -> Ended:
    messages = bytearray()
    listener = Thread(target=_keep, args=(process.stderr, messages), daemon=True)
    listener.start()
    output = bytearray()
    while block := cast("BinaryIO", process.stdout).read(_STEP):
        output += block
        if len(output) > content.max_bytes:
            raise PackingError(
                f"{_called(name)} writes more than {content.max_bytes} bytes of "
                "it; raise the limit with Reading(max_bytes=…) if you trust it",
                file=content.name,
            )
    code = process.wait()
    listener.join()
    return Ended(code, bytes(output), bytes(messages))


def _keep(stream: BinaryIO, messages: bytearray) -> None:
    """Read a stream to its end and return its beginning."""
    while block := stream.read(_STEP):
        messages += block[: _KEPT_BYTES - len(messages)]


def _not_started(name: str, content: Content, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        why = "is not found on PATH"
        return f"{content.name}: {_called(name)}, needed to read it, {why}; install it"
    why = reason(error) if isinstance(error, OSError) else str(error)
    return f"{content.name}: {_called(name)}, needed to read it, cannot be started: {why}"


def _called(name: str) -> str:
    return printable(os.path.basename(name))[:_SHOWN]  # noqa: PTH119 (words, not a path)


@cache
def version_of(*command: str) -> str:
    """The version that a program reports with these arguments, "" if it does not work.

    >>> version_of("no-such-program", "--version")
    ''
    """
    try:
        ended = subprocess.run(  # noqa: S603 (our own words)
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    match = re.search(rb"\d+(?:\.\d+)+", ended.stdout + ended.stderr)
    return match[0].decode("ascii") if match else ""
