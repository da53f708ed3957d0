"""Readers at work in processes of their own, so that an evil file costs one line.

A process reads file after file. What it may do is limited: in time (whoever waits for it ends
it), in memory (by the system), in what it may send. It is told of a file, and answers, in lines of
JSON, never in pickles: what reads hostile files is not to be trusted with more than text.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from threading import Condition, Thread
from time import monotonic
from typing import Any, BinaryIO, cast

from sdtext.errors import PackingError, TextlessError, UnreadableError, reason
from sdtext.model import PartSpec, Problem
from sdtext.readers.content import Content

MAX_SECONDS = 60.0
MAX_MEMORY = 1 << 30
_FILES = 500  # a process reads so many; then a new one begins, without what the old one leaked
_ANSWER = 64 << 20  # characters in a line of an answer, which is at most a page
_ERRORS = {kind.__name__: kind for kind in (UnreadableError, PackingError, TextlessError)}
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from sdtext.isolated import serve; serve(int(sys.argv[2]))"
)


@dataclass(frozen=True)
class Limits:
    """What the reading of one file may cost: seconds, and bytes of memory."""

    seconds: float = MAX_SECONDS
    memory: int = MAX_MEMORY


@dataclass(frozen=True)
class Extraction:
    """The text of a file in blocks, what was left out of it, and the libraries that read it."""

    blocks: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    libraries: tuple[tuple[str, str], ...] = ()


def extract(reader: PartSpec, content: Content, limits: Limits) -> Extraction:
    """What `reader` makes of `content`, in another process. Raises UnreadableError."""
    with content.local() as path:
        request = {
            "reader": reader.name,
            "options": dict(reader.options),
            "path": str(path),
            "called": content.name,
            "max_bytes": content.max_bytes,
            "seconds": limits.seconds,
        }
        try:
            process = _idle_or_new(limits.memory)
        except OSError as error:
            raise UnreadableError(
                f"{content.name}: no process can be started to read it: {reason(error)}"
            ) from error
        try:
            return process.extraction(request, limits, content.name)
        finally:
            _keep(process)


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
        """Wait no more."""
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


class _Process:
    """A process that reads files, one after the other."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.owner = os.getpid()
        self.files = 0
        self.at_rest = True
        self._overdue = False
        self._alarm = _Alarm(self._out_of_time)
        self._popen = subprocess.Popen(  # noqa: S603 (our own words, and sys.path)
            [sys.executable, "-P", "-c", _START, json.dumps(sys.path), str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # so that Ctrl-C is its parent's to act on
        )

    def extraction(self, request: Mapping[str, Any], limits: Limits, name: str) -> Extraction:
        """The answer to `request`, in time or not at all."""
        self.files += 1
        self.at_rest = False
        self._overdue = False
        self._alarm.begin(limits.seconds)
        try:
            found = self._gathered(request)
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise UnreadableError(self._breakdown(request, limits, name)) from error
        finally:
            self._alarm.end()
        return found

    def _gathered(self, request: Mapping[str, Any]) -> Extraction:
        """The blocks that it sends, up to the word that these were all. EOFError if it breaks."""
        asked = cast("BinaryIO", self._popen.stdin)
        asked.write(json.dumps(request).encode("ascii") + b"\n")
        asked.flush()
        blocks: list[str] = []
        problems: list[Problem] = []
        room = request["max_bytes"]
        while True:
            answer = self._answer()
            if "text" in answer:
                blocks.append(str(answer["text"]))
                room -= len(blocks[-1])
                if room < 0:
                    raise PackingError(_too_long(request))
            elif "problem" in answer:
                problems.append(Problem(*map(str, answer["problem"])))
            else:
                self.at_rest = True
                if "error" in answer:
                    raise _ERRORS[answer["error"]](str(answer["message"]))
                libraries = tuple((str(key), str(value)) for key, value in answer["libraries"])
                return Extraction(tuple(blocks), tuple(problems), libraries)

    def _answer(self) -> dict[str, Any]:
        line = cast("BinaryIO", self._popen.stdout).readline(_ANSWER)
        if not line.endswith(b"\n"):
            raise EOFError
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _out_of_time(self) -> None:
        self._overdue = True
        self._kill()

    def _breakdown(self, request: Mapping[str, Any], limits: Limits, name: str) -> str:
        """In words, why it did not answer."""
        self.end()
        engine = request["options"].get("engine", request["reader"])
        if self._overdue:
            return (
                f"{name}: {engine} took more than {limits.seconds:g} seconds to read it; raise "
                "the limit with --max-seconds if you trust it"
            )
        return (
            f"{name}: {engine} broke down on it ({_ending(self._popen.returncode)}), as on damage, "
            f"or for lack of memory: its limit is {limits.memory >> 20} MB (--max-memory)"
        )

    def _kill(self) -> None:
        """End it and all that it began."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._popen.pid, signal.SIGKILL)
            else:
                self._popen.kill()

    def end(self) -> None:
        """End it for good."""
        self._kill()
        self._popen.wait()
        self._alarm.close()
        for pipe in (self._popen.stdin, self._popen.stdout):
            with suppress(OSError):
                cast("BinaryIO", pipe).close()


def _too_long(request: Mapping[str, Any]) -> str:
    return (
        f"{request['called']}: holds more than {request['max_bytes']} characters of text; raise "
        "the limit with --max-bytes if you trust it"
    )


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"


_idle: list[_Process] = []  # those that wait for the next file


def _idle_or_new(memory: int) -> _Process:
    for place, process in enumerate(_idle):
        if process.memory == memory and process.owner == os.getpid():
            return _idle.pop(place)
    return _Process(memory)


def _keep(process: _Process) -> None:
    """Let `process` wait for the next file, if it still can."""
    if process.at_rest and process.files < _FILES:
        _idle.append(process)
    else:
        process.end()


@atexit.register
def _end_all() -> None:
    while _idle:
        process = _idle.pop()
        if process.owner == os.getpid():
            process.end()
