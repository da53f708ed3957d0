"""Readers at work in processes of their own, so that an evil file costs one line.

A process reads file after file. What it may do is limited: in time (whoever waits for it ends
it), in memory (by the system), in what it may send. It is told of a file, and answers, in lines of
JSON, never in pickles: what reads hostile files is not to be trusted with more than text.
"""

from __future__ import annotations

import atexit
from dataclasses import dataclass
from math import inf
from threading import Lock

from sdtext.errors import UnreadableError, reason
from sdtext.io.content import Content
from sdtext.model import PartSpec
from sdtext.reading.sandbox.client import Extraction, GoneError, ReaderProcess

MAX_SECONDS = 60.0
MAX_MEMORY = 1 << 30
_FILES = 500  # a process reads so many; then a new one begins, without what the old one leaked


@dataclass(frozen=True)
class Limits:
    """What the reading of one file may cost: seconds, and bytes of memory."""

    seconds: float = MAX_SECONDS
    memory: int = MAX_MEMORY


def extract(reader: PartSpec, content: Content, limits: Limits, seconds: float = inf) -> Extraction:
    """What `reader` makes of `content`, in another process. Raises UnreadableError.

    `seconds` are those that are left of the limit.
    """
    return _asked(reader, content, limits, seconds=min(seconds, limits.seconds))


def unpack(
    container: PartSpec, content: Content, limits: Limits, into: str, kind: str = "containers"
) -> Extraction:
    """Names and sizes of the files that `content` holds. Raises UnreadableError or OptionError.

    Another process writes their bytes, one file behind the other, to the file at `into`. `kind`
    is that of the part: a container, a table, or "jobs" for what is no part but done alike.
    """
    return _asked(container, content, limits, seconds=limits.seconds, into=into, kind=kind)


def _asked(part: PartSpec, content: Content, limits: Limits, **more: str | float) -> Extraction:
    with content.local() as path:
        request = {
            "reader": part.name,
            "options": dict(part.options),
            "path": str(path),
            "called": content.name,
            "max_bytes": content.max_bytes,
            "max_seconds": limits.seconds,
            **more,
        }
        while True:
            try:
                process = _idle_or_new(limits.memory)
            except OSError as error:
                raise UnreadableError(
                    f"{content.name}: no process can be started to read it: {reason(error)}"
                ) from error
            try:
                return process.ask(request)
            except GoneError:
                continue
            finally:
                _keep(process)


_idle: list[ReaderProcess] = []  # those that wait for the next file
_idle_lock = Lock()


def _idle_or_new(memory: int) -> ReaderProcess:
    with _idle_lock:
        places = [place for place, one in enumerate(_idle) if one.memory == memory and one.ours]
        process = _idle.pop(places[-1]) if places else None
    if process is None:
        return ReaderProcess(memory)
    if process.waits:
        return process
    process.end()
    return _idle_or_new(memory)


def _keep(process: ReaderProcess) -> None:
    """Let `process` wait for the next file, if it still can."""
    if process.waits and process.files < _FILES:
        with _idle_lock:
            _idle.append(process)
    else:
        process.end()


@atexit.register
def _end_all() -> None:
    while _idle:
        _idle.pop().end()
