"""Limits on what this process itself does for a file, beside what reader processes do.

Time is processor time, so that a busy machine refuses nothing; memory is address space beyond that
in use. Only Unix knows both limits. Signals reach the main thread alone, and memory is that of all
threads, so that nothing is limited in other threads.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import TypeVar

from sdtext.errors import UnreadableError
from sdtext.model import Problem
from sdtext.reading.options import Note
from sdtext.reading.sandbox.pool import ProcessLimits
from sdtext.wording import shown

Item = TypeVar("Item")
Result = TypeVar("Result")

_PAGES = "/proc/self/statm"
_LINE = 200  # bytes; it has seven numbers
_REPEAT_SECONDS = 0.5  # where a library caught the first signal


class _OutOfTimeError(BaseException):
    """The time is over. Not an Exception, so that no library takes it for one of its own."""


@contextmanager
def within_limits(limits: ProcessLimits, name: str) -> Iterator[None]:
    """Raise UnreadableError where the work for the file `name` takes more than `limits`.

    In another thread than the main one nothing is limited.

    >>> from sdtext.errors import SdtextError
    >>> try:
    ...     with within_limits(ProcessLimits(), "bees.txt"):
    ...         raise MemoryError
    ... except SdtextError as error:
    ...     print(str(error).partition(" if ")[0])
    bees.txt: needs more than 1024 MB of memory; raise max_memory (SDTEXT_MAX_MEMORY)
    """
    if current_thread() is not main_thread():
        yield
        return
    memory, before = _limit_memory(limits.memory), None
    if hasattr(signal, "setitimer"):
        before = signal.signal(signal.SIGPROF, _out_of_time)
        signal.setitimer(signal.ITIMER_PROF, limits.seconds, _REPEAT_SECONDS)
    try:
        try:
            yield
        finally:
            if before is not None:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.signal(signal.SIGPROF, before)
    except _OutOfTimeError as error:
        if before is not None:  # the signal may have come before the timer was stopped
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
        raise UnreadableError(
            f"takes more than {limits.seconds:g} seconds; raise max_seconds (SDTEXT_MAX_SECONDS) "
            "if you trust it",
            file=name,
        ) from error
    except MemoryError as error:
        raise UnreadableError(
            f"needs more than {limits.memory >> 20} MB of memory; raise max_memory "
            "(SDTEXT_MAX_MEMORY) if you trust it",
            file=name,
        ) from error
    finally:
        if memory is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, memory)


def work_on_each(
    work: Callable[[Sequence[Item]], Result],
    items: Sequence[Item],
    limits: ProcessLimits,
    name: Callable[[Item], str],
    note: Note,
    reset: Callable[[], None] = lambda: None,
) -> tuple[Result | None, Sequence[Item]]:
    """The result of `work` for all `items` within the limits, and these; others are noted.

    They are worked on together; only if that exceeds the limits, one by one first, to find those
    that do. `name` gives the file that an item is; `reset` is called after work that was broken
    off, to drop what may be half done.
    """
    if not items:
        return None, items
    try:
        with within_limits(limits, ""):
            return work(items), items
    except UnreadableError:
        reset()
    kept: list[Item] = []
    for item in items:
        try:
            with within_limits(limits, shown(name(item))):
                work([item])
            kept.append(item)
        except UnreadableError as error:
            reset()
            note(Problem.of(error, name(item)))
    return work(kept) if kept else None, kept


def _out_of_time(_number: int, _frame: object) -> None:
    raise _OutOfTimeError


def _limit_memory(size: int) -> tuple[int, int] | None:
    """Allow `size` more bytes of address space than are in use; the limit until now."""
    try:
        import resource

        file = os.open(_PAGES, os.O_RDONLY)  # in a third of the time that a file object takes
        try:
            used = int(os.read(file, _LINE).split()[0]) * resource.getpagesize()
        finally:
            os.close(file)
    except (ImportError, OSError, ValueError, IndexError):  # not Linux
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = used + size
    is_lower = (soft != resource.RLIM_INFINITY and soft < most) or 0 <= hard < most
    if is_lower or most > sys.maxsize:  # which is no limit
        return None
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    return soft, hard
