"""A process that reads files, seen from the one that it reads for."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Condition, Thread
from time import monotonic
from typing import Any, BinaryIO, cast

from sdtext.errors import OptionError, PackingError, TextlessError, UnreadableError
from sdtext.model import Heading, Problem

_ANSWER = 64 << 20  # bytes in a line of an answer; the process sends far shorter ones
_ROWS = 100_000  # headings or members of one file
_LAST_WORDS = 0.5  # seconds for a process that broke down to end by itself, so that it is known how
_ERRORS = {
    kind.__name__: kind for kind in (OptionError, UnreadableError, PackingError, TextlessError)
}
_NO_TEXT = re.compile("[\ud800-\udfff]")
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from sdtext.reading.sandbox.worker import serve; serve(int(sys.argv[2]))"
)
# Where modules are found, whatever folder the program is in when a process is begun.
_HOME = str(Path(__file__).resolve().parents[3])
try:
    _FOLDER = str(Path.cwd())
except OSError:  # the folder is gone
    _FOLDER = _HOME


@dataclass(frozen=True)
class Extraction:
    """What a process has made of a file.

    The text in blocks, its headings, what was left out of it, and the libraries that read it; or,
    of a file that holds others, the names and sizes of its `members`.
    """

    blocks: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    libraries: tuple[tuple[str, str], ...] = ()
    headings: tuple[Heading, ...] = ()
    members: tuple[tuple[str, int], ...] = ()


class GoneError(Exception):
    """The process had ended before it was asked."""


class _Alarm:
    """Calls `late`, from a thread of its own, when the time is over that `begin` gives.

    The thread is begun once, since that takes longer than the reading of many a file.
    """

    def __init__(self, late: Callable[[], None]) -> None:
        self._late = late
        self._at = inf
        self._awake_at = inf
        self._changed = Condition()
        Thread(target=self._watch, daemon=True).start()

    def begin(self, seconds: float) -> None:
        """Begin to wait; a time that was given before counts no more."""
        with self._changed:
            self._at = monotonic() + seconds
            if self._at < self._awake_at:
                self._changed.notify()

    def end(self) -> None:
        """Wait no more: from here on `late` is not called."""
        with self._changed:
            self._at = inf

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._at = -inf
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while self._at > -inf:
                if self._at <= monotonic():
                    self._at = inf
                    self._late()
                self._awake_at = self._at
                self._changed.wait(None if self._at == inf else max(0, self._at - monotonic()))


class ReaderProcess:
    """A process that reads files, one after the other, with so many bytes of memory."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.files = 0
        self._owner = os.getpid()
        self._at_rest = True
        self._overdue = self._answered = False
        folders = [str(Path(_FOLDER, folder)) for folder in sys.path]
        # What it, and the programs it asks, leave behind when they are ended is removed.
        self._scratch = mkdtemp(prefix="sdtext-")
        self._popen = subprocess.Popen(  # noqa: S603 (our own words, and sys.path)
            [sys.executable, "-P", "-c", _START, json.dumps([*folders, _HOME]), str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": self._scratch},
            start_new_session=True,  # so that Ctrl-C is its parent's to act on
        )
        self._alarm = _Alarm(self._out_of_time)

    @property
    def ours(self) -> bool:
        """Whether this process began it, and not one that this one was forked from."""
        return self._owner == os.getpid()

    @property
    def waits(self) -> bool:
        """Whether it can be asked."""
        return self._at_rest and self.ours and self._popen.poll() is None

    def ask(self, request: Mapping[str, Any]) -> Extraction:
        """The answer to `request`, in time or not at all.

        Raises UnreadableError, OptionError, and GoneError where there is nobody to answer.
        """
        self._at_rest = self._overdue = self._answered = False
        self._alarm.begin(request["seconds"])
        try:
            self._send(request)
            return self._gathered(request)
        except OptionError:  # it is a ValueError, and an answer
            raise
        except (OSError, EOFError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise UnreadableError(self._breakdown(request)) from error
        finally:
            self._alarm.end()
            self._at_rest = self._at_rest and not self._overdue
            self.files += 1

    def _send(self, request: Mapping[str, Any]) -> None:
        asked = cast("BinaryIO", self._popen.stdin)
        try:
            asked.write(json.dumps(request).encode("ascii") + b"\n")
            asked.flush()
        except OSError as error:
            if self.files and not self._overdue:
                raise GoneError from error
            raise

    def _gathered(self, request: Mapping[str, Any]) -> Extraction:
        """All that it sends, up to the word that this was all. EOFError if it breaks."""
        gathered = _Gathered(request)
        while True:
            answer = self._answer()
            if "error" in answer:
                error = _ERRORS[answer["error"]](str(answer["message"]))
                self._at_rest = True
                raise error
            if "libraries" in answer:
                libraries = tuple((str(key), str(value)) for key, value in answer["libraries"])
                self._at_rest = True
                return gathered.whole(libraries)
            gathered.take(answer)

    def _answer(self) -> Mapping[str, Any]:
        line = cast("BinaryIO", self._popen.stdout).readline(_ANSWER)
        if not line and self.files and not self._answered and not self._overdue:
            raise GoneError  # if it was the file, a new process will say so
        if not line.endswith(b"\n"):
            raise EOFError
        self._answered = True
        answer = json.loads(line)
        if not isinstance(answer, dict):
            raise TypeError
        return answer

    def _out_of_time(self) -> None:
        self._overdue = True
        self._kill()

    def _breakdown(self, request: Mapping[str, Any]) -> str:
        """In words, why it did not answer."""
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(_LAST_WORDS)
        self.end()
        name, engine = request["called"], request["options"].get("engine", request["reader"])
        if self._overdue:
            return (
                f"{name}: {engine} took too long to read it; raise the limit of "
                f"{request['max_seconds']:g} seconds with --max-seconds if you trust it"
            )
        return (
            f"{name}: {engine} broke down on it ({_ending(self._popen.returncode)}), as on damage, "
            f"or for lack of memory: its limit is {self.memory >> 20} MB (--max-memory)"
        )

    def _kill(self) -> None:
        """End it and all that it began."""
        if self._popen.returncode is not None:
            return  # its number may be another's by now
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._popen.pid, signal.SIGKILL)
            else:
                self._popen.kill()

    def end(self) -> None:
        """End it for good."""
        self._at_rest = False
        if not self.ours:
            return
        self._kill()
        self._popen.wait()
        self._alarm.close()
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError):
                cast("BinaryIO", pipe).close()
        rmtree(self._scratch, ignore_errors=True)


class _Gathered:
    """What a process has sent so far about one file."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._request = request
        self._blocks: list[str] = []
        self._length = 0
        self._problems: list[Problem] = []
        self._headings: list[Heading] = []
        self._members: list[tuple[str, int]] = []

    def take(self, answer: Mapping[str, Any]) -> None:
        """One answer more. PackingError where it sends more than it may."""
        if "text" in answer:
            self._blocks.append(_NO_TEXT.sub("\ufffd", answer["text"]))
            self._length += len(self._blocks[-1])
        elif "heading" in answer:
            level, title = answer["heading"]
            self._headings.append(Heading(int(level), str(title), self._length))
        elif "member" in answer:
            name, size = answer["member"]
            self._members.append((_NO_TEXT.sub("\ufffd", name), int(size)))
        else:
            self._problems.append(Problem(*map(str, answer["problem"])))
        rows = max(len(self._problems), len(self._headings), len(self._members))
        if self._length > self._request["max_bytes"]:
            raise PackingError(self._too_long())
        if rows > _ROWS:
            name = self._request["called"]
            raise PackingError(f"{name}: holds more than {_ROWS} headings or files; split it")

    def whole(self, libraries: tuple[tuple[str, str], ...]) -> Extraction:
        """All of it."""
        return Extraction(
            tuple(self._blocks),
            tuple(self._problems),
            libraries,
            tuple(self._headings),
            tuple(self._members),
        )

    def _too_long(self) -> str:
        return (
            f"{self._request['called']}: holds more than {self._request['max_bytes']} characters "
            "of text; raise the limit with --max-bytes if you trust it"
        )


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"
