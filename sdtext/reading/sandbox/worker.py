"""The other side of `isolation`: a process that reads one file after the other, within limits."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from pkgutil import resolve_name
from shutil import rmtree
from threading import Thread
from time import sleep
from typing import Any, BinaryIO

from sdtext.errors import OptionError, PackingError, UnreadableError, printable, reason
from sdtext.io.content import Content
from sdtext.model import Heading, PartSpec, Problem
from sdtext.parts.catalogue import build

_SPARE_SECONDS = 5  # whoever waits acts first; this is for the case that nobody waits any more
_LOOK = 1.0  # seconds until it is noticed that nobody does
_PIECE = 1 << 20  # characters in one answer
MAX_MEMBERS = 100_000
# What is done here, too, though no recipe names it: as a part, but not in the catalogue.
_JOBS = {"parquet-rows": "sdtext.parts.tables.parquet_writer:KeptRows"}


def serve(memory: int) -> None:
    """Answer the requests on the standard input until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what an engine prints is no answer
    logging.disable()
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_AS", memory)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        _limit("RLIMIT_CPU", int(_seconds_used() + request["seconds"]) + _SPARE_SECONDS)
        for answer in _answers(request):
            answers.write(json.dumps(answer).encode("ascii") + b"\n")
        answers.flush()


def _end_with(parent: int) -> None:
    """End this process, and all that it began, when nobody waits for it any more."""
    while os.getppid() == parent:
        sleep(_LOOK)
    if Path(scratch := os.environ.get("TMPDIR", "")).name.startswith("sdtext-"):
        rmtree(scratch, ignore_errors=True)  # made for this process by whoever began it
    os.killpg(0, signal.SIGKILL)


def _answers(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What is said of one file: its text, or what it holds, and at the end how it went."""
    name = request["called"]
    try:
        yield from _members(request) if "into" in request else _text(request)
    except (OptionError, UnreadableError) as error:
        yield {"error": type(error).__name__, "message": str(error)}
    except OSError as error:
        yield {"error": "UnreadableError", "message": f"{name}: {reason(error)}"}
    except MemoryError:
        message = f"{name}: needs more memory than it may take; raise the limit with --max-memory"
        yield {"error": "UnreadableError", "message": message}
    # A reader of hostile files meets what its authors did not think of; none of it goes on.
    except Exception as error:
        said = printable(" ".join(f"{type(error).__name__}: {error}".split()))[:200]
        message = f"{name}: is damaged in a way that its reader does not know ({said})"
        yield {"error": "UnreadableError", "message": message}


def _text(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The text, block by block; between them headings and problems."""
    reader = build("readers", PartSpec.of(request["reader"], **_options(request)))
    for block in reader(_content(request)):
        if isinstance(block, Problem):
            yield _told(block)
        elif isinstance(block, Heading):
            yield {"heading": [block.level, block.title]}
        else:
            starts = range(0, len(block), _PIECE)
            yield from ({"text": block[start : start + _PIECE]} for start in starts)
    yield {"libraries": reader.libraries() if hasattr(reader, "libraries") else []}


def _members(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Name and size of each member, in the order in which their bytes go into the file named."""
    container = _container(request)
    count = 0
    try:
        with Path(request["into"]).open("wb") as file:
            for answer in _stored(container.members(_content(request)), file, request):
                count += "member" in answer
                yield answer
    except PackingError as error:
        if not count:
            raise
        # What came before is whole; whoever waits reads no further than that.
        message = f"{error}; the files from there on are left out"
        yield {"problem": ["error", "partly-read", message]}
    yield {"libraries": []}


def _container(request: Mapping[str, Any]) -> Any:
    """The part that is asked for, or what does the job."""
    name, options = request["reader"], _options(request)
    if request["kind"] == "jobs":
        return resolve_name(_JOBS[name])(**options)
    return build(request["kind"], PartSpec.of(name, **options))


def _stored(
    members: Iterable[Any], file: BinaryIO, request: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """What is said of each member, whose bytes go to `file`. PackingError beyond the limits."""
    room, count = request["max_bytes"], 0
    for member in members:
        if isinstance(member, Problem):
            yield _told(member)
            continue
        count += 1
        size = 0
        for block in member.blocks:
            size += len(block)
            room -= len(block)
            if room < 0 or count > MAX_MEMBERS:
                raise PackingError(_crowded(request))
            file.write(block)
        yield {"member": [member.name, size]}


def _content(request: Mapping[str, Any]) -> Content:
    return Content(request["path"], request["max_bytes"], request["called"])


def _options(request: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the part; JSON has lists in place of tuples."""
    given = request["options"].items()
    return {key: tuple(value) if isinstance(value, list) else value for key, value in given}


def _told(problem: Problem) -> dict[str, Any]:
    return {"problem": [problem.severity, problem.category, problem.message]}


def _crowded(request: Mapping[str, Any]) -> str:
    return (
        f"{request['called']}: holds more than {request['max_bytes']} bytes or {MAX_MEMBERS} "
        "files; raise the first with --max-bytes, or unpack it by hand, if you trust it"
    )


def _limit(name: str, value: int) -> None:
    """Lower a limit of this process, where the system knows it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    kind = getattr(resource, name)
    _, most = resource.getrlimit(kind)
    allowed = value if most == resource.RLIM_INFINITY else min(value, most)
    resource.setrlimit(kind, (allowed, most))


def _seconds_used() -> float:
    times = os.times()
    return times.user + times.system
