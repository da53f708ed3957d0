"""Limits on what this process does for a file, together with the reader processes it waits for.

Time is processor time, so that a busy machine refuses nothing, and the time of waiting for a reader
process; memory is address space beyond that in use. Signals reach the
main thread alone, and memory is that of all threads, so that nothing is limited in other threads.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from threading import current_thread, main_thread
from time import monotonic
from typing import TypeVar

from sdtext.errors import UnreadableError
from sdtext.io.platform import continue_timer, end_limits, start_limits, timer_left
from sdtext.model import Problem
from sdtext.wording import shown

MAX_SECONDS = 60.0
MAX_MEMORY = 1 << 30

Item = TypeVar("Item")
Result = TypeVar("Result")

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
    spent = _spent.pop(name, 0) if goes_on else 0
    seconds = max(_LEAST_SECONDS, limits.seconds - spent)
    before = None
    if current_thread() is main_thread():
        before = start_limits(seconds, _REPEAT_SECONDS, limits.memory, _out_of_time)
    if before is None:
        yield
        return
    try:
        try:
            yield
        finally:
            spent = limits.seconds - end_limits(before)
            if len(_spent) == _MOST_NOTED:
                _spent.clear()
            if name and spent > _NOTED_SECONDS:
                _spent[name] = spent
    except _OutOfTimeError as error:
        end_limits(before)  # the signal may have come while they ended
        what = f"takes more than {limits.seconds:g} seconds; raise max_seconds"
        raise UnreadableError(f"{what} (SDTEXT_MAX_SECONDS)", file=name) from error
    except MemoryError as error:
        what = f"needs more than {limits.memory >> 20} MB of memory; raise max_memory"
        raise UnreadableError(f"{what} (SDTEXT_MAX_MEMORY)", file=name) from error


@contextmanager
def waiting() -> Iterator[float]:
    """The seconds left for the work on a file, from which the time in this context is taken."""
    left, began = None, monotonic()
    if current_thread() is main_thread():
        left = timer_left(_out_of_time)
    try:
        yield inf if left is None else left
    finally:
        if left is not None:
            rest = max(_LEAST_SECONDS, left - (monotonic() - began))
            continue_timer(rest, _REPEAT_SECONDS)


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
