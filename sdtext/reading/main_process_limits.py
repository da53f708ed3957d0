"""Limits on what this process does for a file, together with the reader processes it waits for.

Time is processor time, so that a busy machine refuses nothing, and the time of waiting for a reader
process; memory is address space beyond that in use. Only Unix knows both limits. Signals reach the
main thread alone, and memory is that of all threads, so that nothing is limited in other threads.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from threading import current_thread, main_thread
from time import monotonic
from typing import TypeVar

from sdtext.errors import UnreadableError
from sdtext.model import Problem
from sdtext.wording import shown

MAX_SECONDS = 60.0
MAX_MEMORY = 1 << 30

Item = TypeVar("Item")
Result = TypeVar("Result")

_PAGES = "/proc/self/statm"
_LINE = 200  # bytes; it has seven numbers
_REPEAT_SECONDS = 0.5  # where a library caught the first signal
_LEAST_SECONDS = 0.001
_NOTED_SECONDS = 0.05
_MOST_NOTED = 1000
# The seconds that files took so far, by name, until the next stage of the work on them.
_spent: dict[str, float] = {}


@dataclass(frozen=True)
class ProcessLimits:
    """Limits for the work on one file: seconds, and bytes of memory."""

    seconds: float = MAX_SECONDS
    memory: int = MAX_MEMORY


class _OutOfTimeError(BaseException):
    """The time is over. Not an Exception, so that no library takes it for one of its own."""


@contextmanager
def within_limits(limits: ProcessLimits, name: str, *, goes_on: bool = False) -> Iterator[None]:
    """Raise UnreadableError where the work for the file `name` takes more than `limits`.

    Where the work `goes_on`, the time that it took in the last such context counts, too.

    In another thread than the main one nothing is limited. Within a context of this kind, another
    one sets no limits of its own: the time is one for all that is done for a file.

    >>> from sdtext.errors import SdtextError
    >>> try:
    ...     with within_limits(ProcessLimits(), "bees.txt"):
    ...         raise MemoryError
    ... except SdtextError as error:
    ...     print(str(error).partition(" if ")[0])
    bees.txt: needs more than 1024 MB of memory; raise max_memory (SDTEXT_MAX_MEMORY)
    """
    if current_thread() is not main_thread() or _is_limited():
        yield
        return
    spent = _spent.pop(name, 0) if goes_on else 0
    seconds = max(_LEAST_SECONDS, limits.seconds - spent)
    memory, before = _limit_memory(limits.memory), None
    if hasattr(signal, "setitimer"):
        before = signal.signal(signal.SIGPROF, _out_of_time)
        signal.setitimer(signal.ITIMER_PROF, seconds, _REPEAT_SECONDS)
    try:
        try:
            yield
        finally:
            if before is not None:
                left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
                signal.signal(signal.SIGPROF, before)
                spent = limits.seconds - left
                if len(_spent) == _MOST_NOTED:
                    _spent.clear()
                if name and spent > _NOTED_SECONDS:
                    _spent[name] = spent
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


@contextmanager
def waiting() -> Iterator[float]:
    """The seconds left for the work on a file, from which the time in this context is taken."""
    left, began = inf, monotonic()
    if current_thread() is main_thread() and _is_limited():
        left, _ = signal.getitimer(signal.ITIMER_PROF)
    try:
        yield left
    finally:
        if left < inf:
            rest = max(_LEAST_SECONDS, left - (monotonic() - began))
            signal.setitimer(signal.ITIMER_PROF, rest, _REPEAT_SECONDS)


def _is_limited() -> bool:
    return hasattr(signal, "setitimer") and signal.getsignal(signal.SIGPROF) is _out_of_time


def work_on_each(
    work: Callable[[Sequence[Item]], Result],
    items: Sequence[Item],
    limits: ProcessLimits,
    name: Callable[[Item], str],
    note: Callable[[Problem], object],
    reset: Callable[[], None] = lambda: None,
) -> tuple[Result | None, Sequence[Item]]:
    """The result of `work` for all `items` within the limits, and these; others are noted.

    They are worked on together; only if that exceeds the limits, one by one first, to find those
    that do. `name` gives the file that an item is; `reset` is called after work that was broken
    off, to drop what may be half done. The time that reading an item took counts, too.
    """
    if not items:
        return None, items
    spent = max((_spent.get(shown(name(item)), 0) for item in items), default=0) if _spent else 0
    alone = name(items[0]) if len(items) == 1 else ""
    try:
        with within_limits(ProcessLimits(limits.seconds - spent, limits.memory), shown(alone)):
            return work(items), items
    except UnreadableError as error:
        reset()
        if len(items) == 1:
            note(Problem.of(error, alone))
            return None, []
    kept: list[Item] = []
    for item in items:
        try:
            with within_limits(limits, shown(name(item)), goes_on=True):
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
