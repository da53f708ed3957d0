"""The sandboxed process: reads one file after the other, within limits, and answers in JSON.

The last answer to a request has the outcome: the libraries that read the file, or an error.
"""

import json
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from pkgutil import resolve_name
from shutil import rmtree
from typing import Any

from sdtext.errors import OptionError, PackingError, SdtextError, UnreadableError
from sdtext.io.decompressed_content import RAISE_BYTES, Content
from sdtext.io.platform import address_space, exit_with_parent, kill_own_group, limit
from sdtext.model import Heading, PartSpec, Problem, QuotationMark
from sdtext.parts.registry import build
from sdtext.reading.sandbox.protocol import ExhaustedError, ProtocolError, answer
from sdtext.wording import printable, reason

_GRACE_SECONDS = 5  # the parent acts first; the limit of CPU time is for a parent that is gone
_PIECE = 1 << 20  # characters in one answer
_BATCH = 1 << 16  # characters in the answers of one line
_LEAST = 1 << 6  # characters that each answer counts for
_MEMORY = "needs more memory than the limit; raise max_memory (SDTEXT_MAX_MEMORY)"
# Jobs that run here as parts do; no recipe names them, so they are not in the registry.
_JOBS = {
    "parquet-columns": "sdtext.parts.record_tables:ParquetColumns",
    "parquet-rows": "sdtext.parts.record_tables:KeptRows",
}


def serve(memory: int, parent: int) -> None:
    """Answer the requests on the standard input until there are no more, or `parent` is gone.

    The parent is named, for it may be gone before this process could ask who it is.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # output of an engine must not mix with answers
    logging.disable()
    exit_with_parent(parent, _exit)
    limit("RLIMIT_CORE", 0)
    limit("RLIMIT_AS", memory)
    for number, line in enumerate(sys.stdin.buffer):
        request = json.loads(line)
        used = sum(os.times()[:2])
        limit("RLIMIT_CPU", int(used + request["seconds"]) + _GRACE_SECONDS)
        for some in _batches(_answers(request, is_first=number == 0)):
            # In most scripts half as long as ASCII, and faster; a text may hold half characters.
            text = json.dumps(some, ensure_ascii=False)
            answers.write(text.encode("utf-8", "surrogatepass") + b"\n")
            if some[-1][0] == "member":
                answers.flush()
        answers.flush()
        if address_space() > memory // 2:
            break  # libraries leak, and the next file gets a new process
    _remove_scratch()


def _exit() -> None:
    _remove_scratch()
    kill_own_group()


def _remove_scratch() -> None:
    if Path(scratch := os.environ.get("TMPDIR", "")).name.startswith("sdtext-"):
        rmtree(scratch, ignore_errors=True)


def _batches(answers: Iterable[list[Any]]) -> Iterator[list[list[Any]]]:
    """The answers in lists of about `_BATCH` characters of text: each list costs time.

    The parent gets a member at once, since it keeps those before the member that breaks a limit.
    """
    batch: list[list[Any]] = []
    size = 0
    for each in answers:
        batch.append(each)
        size += _LEAST + (len(each[1]) if each[0] == "text" else 0)
        if size >= _BATCH or each[0] == "member":
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _answers(request: Mapping[str, Any], *, is_first: bool) -> Iterator[list[Any]]:
    name = request["called"]
    try:
        yield from _members(request) if "into" in request else _text(request)
    except (OptionError, UnreadableError) as error:
        yield _error(error)
    except OSError as error:
        yield _error(UnreadableError(reason(error), file=name))
    except MemoryError:
        if not is_first:  # the files before may have left too little of it
            _exit()
        yield _error(ExhaustedError(_MEMORY, file=name))
    except ProtocolError as error:
        what = f"cannot be read: {request['reader']} gives {error}, a bug of sdtext; report it"
        yield _error(UnreadableError(what, file=name))
    # Hostile files trigger errors that no author foresaw; none of them may leave this process.
    except Exception as error:
        text = printable(" ".join(f"{type(error).__name__}: {error}".split()))[:200]
        why = f"is damaged in a way that its reader cannot handle ({text})"
        what = f"{why}; get a new copy from its source"
        yield _error(UnreadableError(what, file=name))


def _error(error: SdtextError) -> list[Any]:
    return answer("error", type(error).__name__, error.what, error.file, error.place)


def _text(request: Mapping[str, Any]) -> Iterator[list[Any]]:
    """The text, block by block; between them headings, marks of quotations and problems."""
    reader = build("readers", PartSpec.of(request["reader"], **_options(request)))
    with _opened(request) as content:
        for block in reader(content):
            if isinstance(block, Problem):
                yield _problem(block)
            elif isinstance(block, Heading):
                yield answer("heading", block.level, block.title)
            elif isinstance(block, QuotationMark):
                yield answer("quotation", block.opens)
            elif isinstance(block, str):
                starts = range(0, len(block), _PIECE)
                yield from (answer("text", block[start : start + _PIECE]) for start in starts)
            else:
                raise ProtocolError(f"a block of the type {type(block).__name__}")
    yield answer("libraries", reader.libraries())


def _members(request: Mapping[str, Any]) -> Iterator[list[Any]]:
    """The files in a container, each once it is written."""
    name, options = request["reader"], _options(request)
    if request["kind"] == "jobs":
        container = resolve_name(_JOBS[name])(**options)
    else:
        container = build(request["kind"], PartSpec.of(name, **options))
    remaining, free = request["max_bytes"], request["max_files"]
    with Path(request["into"]).open("wb", 0) as file, _opened(request) as content:
        for member in container.members(content):
            if isinstance(member, Problem):
                yield _problem(member)
                continue
            if not free:
                what = f"holds more than {request['max_files']:,} files; unpack it by hand"
                raise PackingError(f"{what} if you trust it", file=request["called"])
            size = 0
            for block in member.blocks:
                size += len(block)
                remaining -= len(block)
                if remaining < 0:
                    what = f"holds more than {request['max_bytes']:,} bytes; {RAISE_BYTES}"
                    raise PackingError(what, file=request["called"])
                file.write(block)
            free -= 1
            yield answer("member", member.name, size)
    yield answer("libraries", [])


@contextmanager
def _opened(request: Mapping[str, Any]) -> Iterator[Content]:
    content = Content(request["path"], request["max_bytes"], request["called"])
    with content.kept_open():
        yield content


def _options(request: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the part, with tuples where JSON has lists."""
    given = request["options"].items()
    return {key: tuple(value) if isinstance(value, list) else value for key, value in given}


def _problem(problem: Problem) -> list[Any]:
    fields = (problem.severity, problem.category, problem.message, problem.what)
    return answer("problem", *fields, problem.texts)
