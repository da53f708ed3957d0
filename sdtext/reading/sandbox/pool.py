"""Readers in sandboxed processes, so that a hostile file costs no more than one message.

Each process reads file after file. Its time is limited (its parent ends it), its memory (by the
operating system), and the size of its answers. Requests and answers are lines of JSON, never
pickles: a process that reads hostile files is trusted with nothing but text.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import starmap
from math import inf
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import TIMEOUT_MAX, Lock, Timer
from time import monotonic
from typing import Any, BinaryIO, cast

from sdtext.errors import NotTextError, OptionError, PackingError, TextlessError, UnreadableError
from sdtext.io.decompressed_content import RAISE_BYTES, Content
from sdtext.io.platform import OWN_GROUP, kill_group
from sdtext.model import Heading, PartSpec, Problem, QuotationMark
from sdtext.reading.main_process_limits import ProcessLimits, waiting
from sdtext.reading.sandbox.protocol import ExhaustedError, ProtocolError, answer
from sdtext.wording import reason

_FILES_PER_PROCESS = 500  # then a new process starts, without the memory that the old one leaked
_MAX_ANSWER = 64 << 20  # bytes in a line of an answer; the process sends far shorter ones
_BUFFER = 1 << 16  # bytes, those of a pipe: a long answer takes fewer calls
MAX_FILES = 100_000
"""The number of files that are read in one container, with those in containers nested in it."""
_MAX_ROWS = 100_000  # headings or quotations of one file
_LEAST_SECONDS = 0.001
_EXIT_SECONDS = 0.5  # for a process that broke down to exit by itself, which gives its exit code
_KINDS = (OptionError, UnreadableError, PackingError, TextlessError, NotTextError, ExhaustedError)
_ERRORS = {kind.__name__: kind for kind in _KINDS}
_SURROGATES = re.compile("[\ud800-\udfff]")
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from sdtext.reading.sandbox.worker import serve; serve(*map(int, sys.argv[2:]))"
)
# Where modules are found, whatever the working directory is when a process is started.
_HOME = str(Path(__file__).resolve().parents[3])
try:
    _FOLDER = str(Path.cwd())
except OSError:  # the folder is gone
    _FOLDER = _HOME


Piece = str | Heading | QuotationMark | Problem


@dataclass
class Extraction:
    """The result of reading one file in a sandboxed process.

    `pieces` are the text in blocks with headings, marks of quotations and problems among them, and
    `libraries` those that read it; of a file that holds others, `members` are the names and sizes.
    """

    pieces: list[Piece] = field(default_factory=list)
    libraries: tuple[tuple[str, str], ...] = ()
    members: list[tuple[str, int]] = field(default_factory=list)

    @property
    def problems(self) -> list[Problem]:
        """The problems among the pieces."""
        return [piece for piece in self.pieces if isinstance(piece, Problem)]


def unpack(
    container: PartSpec,
    content: Content,
    limits: ProcessLimits,
    into: Path,
    kind: str = "containers",
) -> Extraction:
    """Names and sizes of the files that `content` holds. Raises UnreadableError or OptionError.

    Another process writes their bytes, one file after the other, to the file at `into`. Where it
    reaches a limit, the files before that stay, and a problem says so. `kind` is the kind of the
    part: "containers", "tables", or "jobs" for a job that is no part.
    """
    return extract(container, content, limits, into=str(into), kind=kind)


def extract(
    reader: PartSpec, content: Content, limits: ProcessLimits, seconds: float = inf, **more: str
) -> Extraction:
    """Extract the text of `content` with `reader`, in another process. Raises UnreadableError.

    `seconds` is the rest of the time limit.
    """
    with waiting() as left, content.local() as path:
        request = {
            "reader": reader.name,
            "options": dict(reader.options),
            "path": str(path),
            "called": content.name,
            "max_bytes": content.max_bytes,
            "max_seconds": limits.seconds,
            "max_files": MAX_FILES,
            **more,
        }
        end = monotonic() + min(seconds, limits.seconds, left)
        while True:
            request["seconds"] = max(_LEAST_SECONDS, end - monotonic())
            try:
                process = _process_for(limits.memory)
            except OSError as error:
                what = f"cannot start a process to read it: {reason(error)}"
                raise ExhaustedError(what, file=content.name) from error
            try:
                return process.ask(request)
            except GoneError:
                continue
            finally:
                _release(process)


_idle: list[ReaderProcess] = []  # processes that wait for the next file
_idle_lock = Lock()


def _process_for(memory: int) -> ReaderProcess:
    while True:
        with _idle_lock:
            known = [each for each in _idle if each.memory == memory and each.ours]
            if not known:
                return ReaderProcess(memory)
            _idle.remove(known[-1])
        if known[-1].is_ready:
            return known[-1]
        known[-1].end()


def _release(process: ReaderProcess) -> None:
    """Return `process` to the pool if it can read another file; end it otherwise."""
    if process.is_ready and process.files < _FILES_PER_PROCESS:
        with _idle_lock:
            _idle.append(process)
    else:
        process.end()


@atexit.register
def _end_idle() -> None:
    while _idle:
        _idle.pop().end()


class GoneError(Exception):
    """A process that had read other files exited: because of these, or of this one."""


class ReaderProcess:
    """A sandboxed process that reads files, one after the other, with `memory` bytes."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.files = 0
        self._owner = os.getpid()
        self._is_idle = True
        self._overdue = False
        import subprocess  # slow to import, and needed only now

        folders = [str(Path(_FOLDER, folder)) for folder in sys.path]
        # For temporary files of the process and of the programs it starts; removed at its end.
        self._scratch = mkdtemp(prefix="sdtext-")
        try:
            self._popen = subprocess.Popen(  # noqa: S603 (fixed words, and sys.path)
                [
                    *(sys.executable, "-P", "-c", _START, json.dumps([*folders, _HOME])),
                    *(str(memory), str(self._owner)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=_BUFFER,
                env={**os.environ, "TMPDIR": self._scratch},
                **OWN_GROUP,  # so that only its parent handles Ctrl-C
            )
        except BaseException:  # it cannot be started, or is interrupted
            rmtree(self._scratch, ignore_errors=True)
            raise

    @property
    def ours(self) -> bool:
        """Whether this process started it, and not one that this one was forked from."""
        return self._owner == os.getpid()

    @property
    def is_ready(self) -> bool:
        """Whether it can take a request."""
        return self._is_idle and self.ours and self._popen.poll() is None

    def ask(self, request: Mapping[str, Any]) -> Extraction:
        """The answer to `request`, within its time.

        Raises UnreadableError, OptionError, and GoneError if a used process exited.
        """
        self._is_idle = self._overdue = False
        alarm = Timer(min(request["seconds"], TIMEOUT_MAX), self._out_of_time)
        alarm.daemon = True
        try:
            alarm.start()
        except RuntimeError as error:  # there is no memory for a thread
            what = "needs more memory than the limit; raise max_memory (SDTEXT_MAX_MEMORY)"
            raise ExhaustedError(what, file=request["called"]) from error
        found, name = Extraction(), request["called"]
        try:
            self._send(request)
            self._receive(request, found)
        except OptionError:  # a ValueError, too, but an answer
            raise
        except UnreadableError as error:
            failure = error
        except (OSError, EOFError):
            failure = ExhaustedError(self._breakdown(request), file=name)
        except (ProtocolError, ValueError, LookupError, TypeError, RecursionError) as error:
            self.end()
            what = "cannot be read: the process that reads it gave no valid answer, a bug of sdtext"
            failure = UnreadableError(f"{what}; report it ({str(error)[:100]!a})", file=name)
        else:
            return found
        finally:
            alarm.cancel()
            alarm.join()  # from here on it does not act
            self._is_idle = self._is_idle and not self._overdue
            self.files += 1
        if not found.members:
            raise failure
        what = f"{failure.what}; only the files before that are read"
        found.pieces.append(Problem.at("error", "partly-read", name, what))
        return found

    def _send(self, request: Mapping[str, Any]) -> None:
        pipe = cast("BinaryIO", self._popen.stdin)
        try:
            pipe.write(json.dumps(request).encode("ascii") + b"\n")
            pipe.flush()
        except OSError as error:
            if self.files and not self._overdue:
                raise GoneError from error
            raise

    def _receive(self, request: Mapping[str, Any], found: Extraction) -> None:
        """Add all answers to the request to `found`. EOFError if the process breaks down."""
        name, most = request["called"], request["max_bytes"]
        length, rows = 0, 0
        while not self._is_idle:
            for kind, *values in starmap(answer, self._line()):
                rows += kind in ("heading", "quotation", "problem")
                if kind == "text":
                    found.pieces.append(_SURROGATES.sub("\ufffd", values[0]))
                    length += len(values[0])
                elif kind == "heading":
                    found.pieces.append(Heading(*values))
                elif kind == "quotation":
                    found.pieces.append(QuotationMark(*values))
                elif kind == "problem":
                    severity, category, message, what, texts = values
                    found.pieces.append(
                        Problem(severity, category, message, "", what, tuple(texts))
                    )
                elif kind == "member":
                    found.members.append((_SURROGATES.sub("\ufffd", values[0]), values[1]))
                else:
                    self._is_idle = True
                    if kind == "error":
                        error, what, file, place = values
                        raise _ERRORS[error](what, file=file, place=place)
                    found.libraries = tuple(map(tuple, values[0]))
                if length > most:
                    what = f"holds more than {most:,} characters of text; {RAISE_BYTES}"
                    raise PackingError(what, file=name)
                if max(rows, len(found.members)) > _MAX_ROWS:
                    what = f"holds more than {_MAX_ROWS:,} headings or quotations; split it"
                    raise PackingError(what, file=name)

    def _line(self) -> Sequence[Any]:
        line = cast("BinaryIO", self._popen.stdout).readline(_MAX_ANSWER)
        if not line and self.files and not self._overdue:
            raise GoneError  # if the file is the cause, a new process will show it
        if not line.endswith(b"\n"):
            raise EOFError
        answers: Sequence[Any] = json.loads(line)
        if not answers:
            raise ProtocolError("a line without an answer")
        return answers

    def _out_of_time(self) -> None:
        self._overdue = True
        kill_group(self._popen)

    def _breakdown(self, request: Mapping[str, Any]) -> str:
        from subprocess import TimeoutExpired

        with suppress(TimeoutExpired):
            self._popen.wait(_EXIT_SECONDS)
        self.end()
        engine = request["options"].get("engine", request["reader"])
        if self._overdue:
            return (
                f"{engine} took more than {request['max_seconds']:g} seconds to read it; "
                "raise max_seconds (SDTEXT_MAX_SECONDS) if you trust it"
            )
        return (
            f"{engine} crashed on it ({_status(self._popen.returncode)}): the file may be "
            f"damaged, or need more than {self.memory >> 20} MB of memory (max_memory)"
        )

    def end(self) -> None:
        """Kill the process and clean up after it."""
        self._is_idle = False
        if not self.ours:
            return
        kill_group(self._popen)
        self._popen.wait()
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError):
                cast("BinaryIO", pipe).close()
        rmtree(self._scratch, ignore_errors=True)


def _status(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"
