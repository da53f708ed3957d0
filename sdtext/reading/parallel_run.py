"""Run the same work on many documents, in this process or in several, batch by batch."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from math import ceil
from operator import itemgetter
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sdtext.errors import NotTextError, OptionError, TextlessError, UnreadableError
from sdtext.formats.hardened_xml import kind_of_own_file
from sdtext.io.decompressed_content import Content
from sdtext.io.platform import ENDS, ends_blocked, exit_with_parent, leave_interrupts_to_parent
from sdtext.model import Problem
from sdtext.model.displayed_results import ShortFields
from sdtext.reading.main_process_limits import within_limits
from sdtext.reading.options import Reading
from sdtext.reading.read_document import Source, problem_with
from sdtext.reading.walk import Paths, path_list, size_of
from sdtext.text.document import Document
from sdtext.wording import shown

if TYPE_CHECKING:
    from concurrent.futures import Future

_MAX_BATCH_BYTES = 8 << 20
_MAX_BATCH_FILES = 256
_MIN_BATCH_BYTES = 1 << 18
_BATCHES_PER_JOB = 16  # at least: PDF files take a hundred times as long as text
# So short a text is within the limits, even if some work took the square of its length.
_FEW_CHARACTERS, _ENOUGH_BYTES = 1 << 13, 1 << 28
_ASSUMED_BYTES = 1 << 16  # the size assumed for a file in an archive

OTHER_FILES = (NotTextError.category, "artefact")
"""Categories of problems with files that are no documents."""

READING, COMPARING, VERIFYING, INDEXING = "reading", "comparing", "verifying", "indexing"
EXPLAINING = "explaining"
"""The stages of the work on many documents."""

Unread = Path | Content
"""A document to read: its path, or its bytes in memory."""


class HasPath(Protocol):
    """What stands at a path; of a file in an archive, path!name."""

    @property
    def path(self) -> str | Path: ...


File = TypeVar("File", bound="Path | HasPath")
Item = TypeVar("Item")
Result = TypeVar("Result")
Batch = TypeVar("Batch", bound=Sized)


@dataclass(frozen=True, repr=False)
class Run(ShortFields):
    """How to process many files.

    `jobs` processes share the work; a program that asks for more than one must be guarded by `if
    __name__ == "__main__":`, as always where Python starts processes. Problems, such as files that
    cannot be read, are added to `problems`; without such a list the first error is raised. `found`
    has those of one question, which its result reports. `progress` is called with
    the number of files done since the last call and the number of all files; `stages` with the name
    of a stage of the work (reading, indexing, comparing, verifying or explaining) and the same two
    numbers of its steps. How many records a file has is not known before they are read: `stages`
    gets None, and `progress` the number of those done. With `named`, the paths that were named,
    other files that hold no text, such as pictures, or are sdtext's own, are warnings.
    """

    jobs: int = 1
    reading: Reading = field(default_factory=Reading)
    problems: list[Problem] | None = None
    progress: Callable[[int, int], None] | None = None
    stages: Callable[[str, int, int | None], None] | None = None
    named: frozenset[str] | None = None
    found: list[Problem] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise OptionError.of("Run", "jobs", self.jobs, "a whole number, 1 or more")

    def note(self, *problems: Problem) -> None:
        """Add problems to those found, and to the list; without a list, raise the first error."""
        for problem in problems:
            is_other = self.named is not None and problem.category in OTHER_FILES
            if is_other and problem.path not in (self.named or ()):
                problem = replace(problem, severity="warning")  # noqa: PLW2901
            self.found.append(problem)
            if self.problems is not None:
                self.problems.append(problem)
            elif problem.severity == "error":
                raise UnreadableError(problem.message)

    def anew(self) -> Run:
        """The same run for another question: nothing is found yet."""
        return replace(self, found=[])

    def step(self, done: int, total: int, stage: str = READING) -> None:
        """Report that `done` more files, or steps of another stage, of `total` are done."""
        if self.progress and stage == READING:
            self.progress(done, total)
        if self.stages:
            self.stages(stage, done, total)


@dataclass(frozen=True)
class Amount:
    """A count, or a percentage of a total.

    >>> Amount.parse("20%").of(85), Amount.parse("20").of(85), str(Amount.parse("2.5%"))
    (17, 20, '2.5%')
    """

    number: float
    percent: bool = False

    @classmethod
    def parse(cls, amount: AmountLike, name: str = "amount") -> Amount:
        """The amount: COUNT or PERCENT%. Raises OptionError."""
        if isinstance(amount, Amount):
            return amount
        text = str(amount)
        digits = text.strip().removesuffix("%")
        percent = digits != text.strip()
        try:
            number = float(digits) if percent else int(digits)
        except ValueError:
            number = 0
        if not 0 < number <= (100 if percent else number):
            what = f"{name} is {text!r}; it must be a count, or a percentage such as 10%"
            raise OptionError(what)
        return cls(number, percent)

    def __str__(self) -> str:
        """The amount as `parse` reads it."""
        return f"{self.number:.15g}{'%' if self.percent else ''}"

    def of(self, total: int) -> int:
        """The number of `total` that it stands for, at most all; a percentage is rounded up."""
        return min(total, ceil(total * self.number / 100) if self.percent else int(self.number))


AmountLike = Amount | int | str
"""An amount, or how it is written: 500, "500" or "10%"."""


def run_batches(
    work: Callable[[Batch, list[Problem]], Result],
    batches: Iterable[Batch],
    run: Run,
    total: int | None,
) -> Iterator[Result]:
    """The result of `work` for each batch, in order, computed by the processes of the run.

    `work` adds the problems of a batch to the list that it gets. They are noted and progress is
    reported once the caller asks for the next result. `total` is the number of all documents, None
    where it is not known. `work` must be picklable, as `in_parallel` says.
    """
    done = 0
    for result, problems, number in in_parallel(partial(_work_on_batch, work), batches, run.jobs):
        yield result
        if problems:
            run.note(*problems)
        done += number
        known = max(total or 0, done)
        if run.progress:
            run.progress(number, known)
        if run.stages:
            run.stages(READING, number, None if total is None else known)


def _work_on_batch(
    work: Callable[[Batch, list[Problem]], Result], batch: Batch
) -> tuple[Result, list[Problem], int]:
    """The result of `work` for a batch, with its problems and its number of documents."""
    problems: list[Problem] = []
    return work(batch, problems), problems, len(batch)


def read_each(
    files: Sequence[Path], work: Callable[[Document], Result], run: Run
) -> Iterator[tuple[str, Result]]:
    """The paths of the documents that can be read, and the result of `work` with each."""
    read = partial(_read_batch, work, run.reading)
    for rows in run_batches(read, batched(files, run.jobs), run, len(files)):
        yield from rows


def _read_batch(
    work: Callable[[Document], Result],
    reading: Reading,
    files: Sequence[Path],
    problems: list[Problem],
) -> list[tuple[str, Result]]:
    def read(source: Source) -> tuple[Result, Sequence[Problem]]:
        document = source.document()
        return work(document), document.problems

    return [(str(path), row) for path, row in process_each(files, reading, read, problems)]


def process_each(
    files: Iterable[Unread | Source],
    reading: Reading,
    work: Callable[[Source], tuple[Result, Sequence[Problem]]],
    problems: list[Problem],
) -> Iterator[tuple[Path, Result]]:
    """The paths of the files that can be read, and the result of `work` with each.

    `work` also returns the problems of a document; all go to `problems`.
    """
    for file in files:
        result = process_document(file, reading, work)
        if isinstance(result, Problem):
            problems.append(result)
        else:
            yield path_of(file), result[0]
            problems += result[1]


def process_document(
    file: Unread | Source, reading: Reading, work: Callable[[Source], Result]
) -> Result | Problem:
    """The result of `work` for a document, or the problem that prevents it.

    sdtext's own files are no documents: they give a warning. The limits on time and memory hold for
    the work in this process, too.
    """
    path = path_of(file)
    try:
        with within_limits(reading.limits, shown(path)):
            source = file if isinstance(file, Source) else Source(file, reading)
            with source.content.kept_open():
                if kind := kind_of_own_file(source.content.head):
                    return skipped_artefact(path, kind)
                try:
                    return work(source)
                except TextlessError as error:
                    return problem_with(source.content, error, reading)
    except UnreadableError as error:
        return Problem.of(error, path)
    except OptionError as error:  # a part cannot be used for this file, as without its library
        return Problem.at("error", "unreadable", path, str(error))


def process_record(
    text: str, name: str, place: str, reading: Reading, *, offsets: bool = True
) -> Document | Problem:
    """The document of a record's `text`, or the problem that the limits of `reading` prevent it.

    `name` is that of the document, `place` where the record stands: "papers.jsonl: line 3".
    """
    if is_within_limits(text, reading):
        return Document.of(text, name, offsets=offsets)
    try:
        with within_limits(reading.limits, place):
            return Document.of(text, name, offsets=offsets)
    except UnreadableError as error:
        return Problem.of(error, name)


def is_within_limits(text: str, reading: Reading) -> bool:
    """Whether a text is too short to exceed the limits of `reading`."""
    limits = reading.limits
    return len(text) <= _FEW_CHARACTERS and limits.seconds >= 1 and limits.memory >= _ENOUGH_BYTES


def skipped_artefact(path: Path, kind: str) -> Problem:
    """The warning about a file of sdtext's own, of that kind, among documents."""
    what = f"is a <{kind}> file of sdtext, not a document; skipped"
    return Problem.at("warning", "artefact", path, what)


def nothing_left(run: Run, what: str, paths: Paths = ()) -> UnreadableError:
    """The error `what` of a run without input; its first problem becomes part of it.

    That is the first problem with one of `paths`, if they have any. Errors come before warnings.
    """
    problems = sorted(run.problems or (), key=lambda problem: problem.severity != "error")
    if not problems:
        return UnreadableError(what)
    named = {str(path) for path in path_list(paths)}
    reason = next((problem for problem in problems if problem.path in named), problems[0])
    if run.problems:
        run.problems.remove(reason)
    return UnreadableError(f"{reason.message}; {what}")


def path_of(file: Path | HasPath) -> Path:
    """The path of a file; of one in an archive, path!name."""
    path = file if isinstance(file, Path) else file.path
    return path if isinstance(path, Path) else Path(path)  # which takes time, also of a path


def batched(files: Sequence[File], jobs: int) -> Iterator[list[File]]:
    """`files` in batches, so that few results travel between processes.

    A batch has at most 8 MB, and less where larger ones would not keep all `jobs` busy.
    """
    sizes = [size_of(path_of(file)) or _ASSUMED_BYTES for file in files]
    share = sum(sizes) // (_BATCHES_PER_JOB * jobs)
    limit = max(_MIN_BATCH_BYTES, min(_MAX_BATCH_BYTES, share))
    pairs = zip(files, sizes, strict=True)
    for batch in cut_batches(pairs, itemgetter(1), limit, _MAX_BATCH_FILES):
        yield [file for file, _ in batch]


def cut_batches(
    items: Iterable[Item], size: Callable[[Item], int], limit: int, most: int
) -> Iterator[list[Item]]:
    """The items in lists that end at `most` of them, or once their sizes exceed `limit`."""
    batch: list[Item] = []
    total = 0
    for item in items:
        batch.append(item)
        total += size(item)
        if total > limit or len(batch) == most:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def in_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1
) -> Iterator[Result]:
    """`work` of each item, in the order of the items, computed by `jobs` processes.

    `work` is sent to each process once and must be picklable. Items are drawn as they are needed,
    so there may be more of them than fit into memory. After an error or an interruption no new
    item is started.
    """
    items = iter(items)
    first = list(islice(items, 2))
    items = chain(first, items)
    if jobs <= 1 or len(first) <= 1:
        yield from map(work, items)
        return
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor  # slow to import
    from multiprocessing import get_context

    # The pool starts a process when there is an item for it, and at most `jobs` of them.
    arguments = (work, os.getpid())
    with _ends_deferred():  # a process that tracks semaphores is started here
        context = get_context("spawn")
        pool = ProcessPoolExecutor(jobs, context, initializer=_prepare, initargs=arguments)

    def submitted(number: int) -> list[Future[Any]]:
        drawn = list(islice(items, number))
        with _ends_deferred():
            return [pool.submit(_do, item) for item in drawn]

    try:
        waiting = deque(submitted(2 * jobs))
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(submitted(1))
            yield result
    except BaseException as error:
        # One may be busy with a long file, which nobody waits for.
        for process in list((pool._processes or {}).values()):  # noqa: SLF001 (public in 3.14)
            process.kill()
        # A half-sent result ends only with the pipe, whose other end this process holds open.
        if results := pool._result_queue:  # noqa: SLF001 (there is no public way)
            results._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001
        if isinstance(error, BrokenExecutor):
            what = "a worker process ended unexpectedly, perhaps for lack of memory; use fewer jobs"
            raise UnreadableError(what) from error
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _ends_deferred() -> Iterator[None]:
    """Defer requests to end until the processes that are started here are known and prepared.

    Python sends each process what it needs through a pipe whose reading end stays open in this
    process: if the other one ended before it has read all, this one would wait for ever. So the
    signals are blocked in it. In this process that is not enough: threads of libraries receive
    them, and Python then handles them in the main thread.
    """
    received: list[int] = []
    handlers: dict[int, Any] = {}
    if current_thread() is main_thread():  # only that one handles signals
        handlers = {
            number: signal.signal(number, lambda kind, _frame: received.append(kind))
            for number in ENDS
            if callable(signal.getsignal(number))
        }
    try:
        with ends_blocked():
            yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for kind in received[:1]:
            signal.raise_signal(kind)


_work: list[Callable[[Any], Any]] = []  # in a worker process: its work


def _prepare(work: Callable[[Any], Any], parent: int) -> None:
    """Take the work. Ctrl-C stays blocked: the parent handles it, and ends this process."""
    _work[:] = [work]
    leave_interrupts_to_parent()
    exit_with_parent(parent, lambda: os._exit(1))


def _do(item: Any) -> Any:
    return _work[0](item)
