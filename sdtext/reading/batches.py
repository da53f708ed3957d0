"""The same work on many items, in this process or shared by several."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import get_context
from threading import Thread
from time import sleep
from typing import Any, TypeVar

from sdtext.errors import UnreadableError

_LOOK = 0.5  # seconds between looks for the parent

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1
) -> Iterator[Result]:
    """`work` of each item, in the order of the items, by `jobs` processes at once.

    `work` is sent to each process once and so must be picklable. The items are taken as they are
    needed, so that there may be more of them than memory holds. After an error or an interruption
    nothing new is begun.
    """
    items = iter(items)
    first = list(islice(items, 2))
    items = chain(first, items)
    if jobs <= 1 or len(first) <= 1:
        yield from map(work, items)
        return
    # A process is begun when there is an item for it, and no more of them than `jobs`.
    begun = (work, os.getpid())
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_prepare, initargs=begun)
    try:
        yield from _ordered(pool, items, 2 * jobs)
    except BaseException:
        _end(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes, for whoever is at a long file would be waited for."""
    for process in list((pool._processes or {}).values()):  # noqa: SLF001 (public in 3.14)
        process.terminate()
    # What one of them was sending has no end now but that of the pipe, which is held open here.
    if results := pool._result_queue:  # noqa: SLF001 (nothing else says where it is)
        results._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001


def _ordered(pool: ProcessPoolExecutor, items: Iterator[Any], ahead: int) -> Iterator[Any]:
    """The results in order, with no more than `ahead` items under way."""
    first = list(islice(items, ahead))
    with _interruptions_held():  # the processes begin with the first of these
        waiting: deque[Future[Any]] = deque(pool.submit(_do, item) for item in first)
    while waiting:
        try:
            result = waiting.popleft().result()
        except BrokenExecutor as error:
            raise UnreadableError(
                "a worker process ended unexpectedly, perhaps for lack of memory; "
                "use fewer processes (--jobs 1)"
            ) from error
        waiting.extend(pool.submit(_do, item) for item in islice(items, 1))
        yield result


@contextmanager
def _interruptions_held() -> Iterator[None]:
    """Hold back Ctrl-C, so that processes begun here never see it: it is their parent's to act."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


_prepared: list[Callable[[Any], Any]] = []  # in a worker process: its work


def _prepare(work: Callable[[Any], Any], parent: int) -> None:
    _prepared[:] = [work]
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process when the one that began it is gone: nobody else would tell it to."""
    while os.getppid() == parent:
        sleep(_LOOK)
    os._exit(1)


def _do(item: Any) -> Any:
    return _prepared[0](item)
