"""External programs: start, limits on the output, failures; and the reader that runs one."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import NamedTemporaryFile
from threading import Thread
from typing import BinaryIO, ClassVar, cast

from sdtext.errors import OptionError, PackingError, TextlessError, UnreadableError
from sdtext.io.decompressed_content import RAISE_BYTES, Content
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.text.encoding import decoded, find_encoding
from sdtext.wording import printable, reason

_STEP = 1 << 16
_KEPT_BYTES = 1 << 12  # bytes of a program's messages that are kept
_SHOWN = 200
_MARK = 6  # first bytes, which of a packed file are others
_PATIENCE = 10.0  # seconds for a program to say which version it is
_PLACE = "{}"


def failure(messages: bytes, code: int) -> str:
    """The reason of a failure in one printable line: the first line of a program's messages."""
    lines = messages.decode("utf-8", "replace").split("\n")
    first = next((" ".join(line.split()) for line in lines if line.strip()), "")
    return printable(first[:_SHOWN]) or f"exit code {code}"


def run(
    command: Sequence[str],
    content: Content,
    *,
    given: BinaryIO | None = None,
    variables: Mapping[str, str] | None = None,
) -> CompletedProcess[bytes]:
    """Run `command` for `content`; `given` is its standard input, if any.

    It is started without a shell, under the limits of this process, and is killed with its process
    group. Raises UnreadableError if it is not found, or writes more than the content's
    `max_bytes`.
    """
    name = _called(command[0])
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
        why = reason(error) if isinstance(error, OSError) else str(error)
        what = f"{name}, needed to read it, cannot be started: {why}"
        raise UnreadableError(what, file=content.name) from error
    with process:
        try:
            messages = bytearray()
            listener = Thread(target=_keep, args=(process.stderr, messages), daemon=True)
            listener.start()
            output = bytearray()
            while block := cast("BinaryIO", process.stdout).read(_STEP):
                output += block
                if len(output) > content.max_bytes:
                    what = f"{name} writes more than {content.max_bytes:,} bytes of it"
                    raise PackingError(f"{what}; {RAISE_BYTES}", file=content.name)
            code = process.wait()
            listener.join()
            return CompletedProcess(command, code, bytes(output), bytes(messages))
        finally:
            process.kill()


def _keep(stream: BinaryIO, messages: bytearray) -> None:
    while block := stream.read(_STEP):
        messages += block[: _KEPT_BYTES - len(messages)]


def _called(name: str) -> str:
    return printable(os.path.basename(name))[:_SHOWN]  # noqa: PTH119 (words, not a path)


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


@cache
def version_of(*command: str) -> str:
    """The version that a program reports with these arguments, "" if it does not work.

    >>> version_of("no-such-program", "--version")
    ''
    """
    try:
        ended = subprocess.run(  # noqa: S603 (our own words)
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_PATIENCE
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    match = re.search(rb"\d+(?:\.\d+)+", ended.stdout + ended.stderr)
    return match[0].decode("ascii") if match else ""


@dataclass(frozen=True)
class Command(Reader):
    """The output of a program for a file: `argv` is its command line, {} the path of the file.

    It is started without a shell. The path is absolute; a compressed file, a member of an archive
    and the standard input are copied first. The output is decoded as plain text is: as UTF-8, or
    in the detected encoding.

    >>> "".join(Command(argv=("head", "-n2", "{}"))(Content("LICENSE"))).strip()
    'Apache License'
    """

    argv: tuple[str, ...]
    called: ClassVar[str] = "file for a program"
    isolated: ClassVar[bool] = True

    def __post_init__(self) -> None:
        has_place = any(_PLACE in word for word in self.argv[1:])
        if not (has_place and self.argv[0]) or any("\0" in word for word in self.argv):
            wanted = "a program and its words, one of them with {} for the path of the file"
            raise OptionError.of("command", "argv", self.argv, wanted)

    @staticmethod
    def recognises(content: Content) -> bool:  # noqa: ARG004 (the form of all readers)
        """False: the reader must be named explicitly."""
        return False

    def libraries(self) -> tuple[tuple[str, str], ...]:
        return ((os.path.basename(self.argv[0]), ""),)  # noqa: PTH119 (a word, not a path)

    def __call__(self, content: Content) -> Iterator[str | Problem]:
        with unpacked(content) as path:
            words = [word.replace(_PLACE, str(path)) for word in self.argv[1:]]
            ended = run([self.argv[0], *words], content)
        program = self.libraries()[0][0]
        if ended.returncode:
            why = failure(ended.stderr, ended.returncode)
            raise UnreadableError(f"{program} cannot read it: {why}", file=content.name)
        if not ended.stdout.strip():
            what = f"the program {_called(program)} prints no text for it; run it by hand"
            raise TextlessError(what, file=content.name)
        written = Content("", content.max_bytes, content.name, data=ended.stdout)
        encoding = find_encoding(written)
        yield from encoding.problems(content)
        yield from decoded(written, encoding.name, encoding.errors)
