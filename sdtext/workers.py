"""The same work on many items, in this process or shared by several."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeVar

from sdtext.errors import UnreadableError

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1
) -> Iterator[Result]:
    """`work` of each item, in the order of the items, by `jobs` processes at once.

    `work` is sent to each process once and so must be picklable. After an error or an
    interruption nothing new is begun.
    """
    items = list(items)
    if jobs <= 1 or len(items) <= 1:
        yield from map(work, items)
        return
    pool = ProcessPoolExecutor(
        min(jobs, len(items)), get_context("spawn"), initializer=_prepare, initargs=(work,)
    )
    try:
        yield from _ordered(pool, iter(items), 2 * jobs)
    except BaseException:
        # Whoever is at a long file would be waited for.
        for process in list((pool._processes or {}).values()):  # noqa: SLF001 (public in 3.14)
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ordered(pool: ProcessPoolExecutor, items: Iterator[Any], ahead: int) -> Iterator[Any]:
    """The results in order, with no more than `ahead` items under way."""
    with _interruptions_held():  # the processes begin with the first of these
        waiting: deque[Future[Any]] = deque(pool.submit(_do, item) for item in islice(items, ahead))
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


def _prepare(work: Callable[[Any], Any]) -> None:
    _prepared[:] = [work]


def _do(item: Any) -> Any:
    return _prepared[0](item)
