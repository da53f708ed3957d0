"""What operating systems do differently: locks, groups of processes, signals, limits.

Unix is what has the module `fcntl`; without it, things are done as Windows does them. Limits of
memory hold on Linux, those of processor time on Unix; elsewhere nothing limits the work of this
process, and a reader process its time alone.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from shutil import copy
from threading import Lock, Thread
from time import sleep
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from subprocess import Popen

fcntl: Any
resource: Any
try:
    import fcntl
    import resource
except ImportError:
    fcntl = resource = None

IS_UNIX = fcntl is not None
"""Whether open files can be renamed and removed, and signals blocked, among others."""

ENDS = frozenset(
    each for each in signal.Signals if each.name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
)
"""The signals that ask a process to end."""

OWN_GROUP: Mapping[str, Any] = (
    {"start_new_session": True} if IS_UNIX else {"creationflags": 0x200}  # a new process group
)
"""Options of Popen for a process that leaves Ctrl-C to its parent."""

_WATCH_SECONDS = 0.5  # between two checks of the parent
_FAR = 1 << 30  # an offset behind the content: Windows locks bytes, and others read the rest
_OPEN, _PAGES = "/proc/self/fd", "/proc/self/statm"
_LINE = 200  # bytes; it has seven numbers
_reading = Lock()


def lock_at_once(descriptor: int) -> None:
    """Lock an open file; BlockingIOError or PermissionError if another process has the lock."""
    if IS_UNIX:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    msvcrt: Any = __import__("msvcrt")
    os.lseek(descriptor, _FAR, os.SEEK_SET)
    msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """The bytes of an open file at `offset`, at most `size`, for any number of threads."""
    if IS_UNIX:
        return os.pread(descriptor, size, offset)
    with _reading:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, size)


def unnamed_in(folder: Path) -> BinaryIO | None:
    """A new file without a name, of which nothing is left if this process is killed.

    None where the system or the file system has no such files.
    """
    if not hasattr(os, "O_TMPFILE") or not Path(_OPEN).is_dir():
        return None
    try:
        return os.fdopen(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")
    except OSError:
        return None


def name_file(descriptor: int, path: Path) -> None:
    """Give a file of `unnamed_in` its name."""
    place = f"{_OPEN}/{descriptor}"
    try:
        os.link(place, path, src_dir_fd=descriptor, follow_symlinks=True)
    except OSError:  # some file systems have no links
        copy(place, path)  # with its mode


def kill_group(process: Popen[Any]) -> None:
    """Kill a process that was started with `OWN_GROUP`, and those that it started."""
    if process.returncode is not None:
        return  # another process may have its number by now
    with suppress(OSError):
        if IS_UNIX:
            os.killpg(process.pid, signal.SIGKILL)
            return
        from subprocess import DEVNULL, run

        run(["taskkill", "/T", "/F", "/PID", str(process.pid)], stderr=DEVNULL, check=False)  # noqa: S603, S607
    process.kill()


def kill_own_group() -> None:
    """Kill this process, which was started with `OWN_GROUP`, and on Unix those that it started."""
    if IS_UNIX:
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def exit_with_parent(parent: int, leave: Callable[[], None]) -> None:
    """Call `leave`, in a thread, once the process `parent` that started this one is gone."""

    def watch() -> None:
        if IS_UNIX:
            while os.getppid() == parent:
                sleep(_WATCH_SECONDS)
        else:
            api: Any = __import__("_winapi")
            with suppress(OSError):  # it is gone already
                api.WaitForSingleObject(api.OpenProcess(api.SYNCHRONIZE, 0, parent), api.INFINITE)
        leave()

    Thread(target=watch, daemon=True).start()


@contextmanager
def ends_blocked() -> Iterator[None]:
    """Block `ENDS` in this thread, and in the processes that it starts; nothing on Windows."""
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS) if IS_UNIX else None
    try:
        yield
    finally:
        if previous is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, previous)


def leave_interrupts_to_parent() -> None:
    """In a process that was started while `ends_blocked`: take all of `ENDS` but Ctrl-C."""
    if IS_UNIX:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS - {signal.SIGINT})
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def limit(name: str, value: int) -> None:
    """Lower a limit of this process, such as RLIMIT_CPU, to `value`; nothing on Windows."""
    if IS_UNIX:
        kind = getattr(resource, name)
        _, most = resource.getrlimit(kind)
        allowed = min(value, sys.maxsize if most == resource.RLIM_INFINITY else most)
        resource.setrlimit(kind, (allowed, most))


def address_space() -> int:
    """The bytes of address space that this process uses; 0 where only Linux knows."""
    try:
        file = os.open(_PAGES, os.O_RDONLY)  # in a third of the time that a file object takes
    except OSError:
        return 0
    try:
        return int(os.read(file, _LINE).split()[0]) * (resource.getpagesize() if IS_UNIX else 0)
    finally:
        os.close(file)


def start_limits(
    seconds: float, again: float, size: int, act: Callable[[int, Any], None]
) -> tuple[Any, tuple[int, int] | None] | None:
    """Call `act` in the main thread after `seconds` of processor time, and then every `again`.

    Also allow `size` more bytes of address space than are in use, if the limits are not lower
    already. Returns what `end_limits` needs; None, and does nothing, where the timer is started.
    """
    if IS_UNIX and signal.getsignal(signal.SIGPROF) is act:
        return None
    timed = limits = None
    if (used := address_space()) and (most := used + size) <= sys.maxsize:
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        if not ((soft != resource.RLIM_INFINITY and soft < most) or 0 <= hard < most):
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))
            limits = soft, hard
    if IS_UNIX:
        timed = signal.signal(signal.SIGPROF, act)
        signal.setitimer(signal.ITIMER_PROF, seconds, again)
    return timed, limits


def end_limits(before: tuple[Any, tuple[int, int] | None]) -> float:
    """Set the limits that held before `start_limits`; the seconds left, without a timer ∞."""
    timed, limits, left = *before, inf
    if timed is not None:
        left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, timed)
    if limits is not None:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    return left


def continue_timer(seconds: float, again: float) -> None:
    """Let the timer of `start_limits` go on for `seconds`."""
    signal.setitimer(signal.ITIMER_PROF, seconds, again)


def timer_left(act: Callable[[int, Any], None]) -> float | None:
    """The seconds left until the timer calls `act`; None if it is not started."""
    is_started = IS_UNIX and signal.getsignal(signal.SIGPROF) is act
    return signal.getitimer(signal.ITIMER_PROF)[0] if is_started else None
