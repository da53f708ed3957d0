"""Python on Unix without what Python on Windows lacks: `remove_unix`, for a `sitecustomize`.

What sdtext asks of Windows instead is played here: `msvcrt.locking`, a wait for the end of a
process, groups of processes, and that files in use cannot be renamed or removed. The standard
library keeps what it needs to start and to end processes.
"""

import importlib.abc
import multiprocessing.popen_fork
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = frozenset(["fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"])
_OS = """
O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_TMPFILE chown fchmod fchown fork forkpty getegid geteuid getgid
getgroups getloadavg getpgid getsid getuid killpg mkfifo nice pread preadv pwrite sched_getaffinity
setpgid setsid statvfs sysconf wait wait3 wait4
"""
_SIGNAL = """
ITIMER_PROF SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGPROF SIGUSR1 SIG_BLOCK SIG_SETMASK SIG_UNBLOCK
alarm getitimer pthread_sigmask setitimer sigwait
"""
NAMES = {"os": frozenset(_OS.split()), "signal": frozenset(_SIGNAL.split())}
"""What Windows lacks of these modules."""

_NEW_GROUP = 0x200


class _Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, *_: object) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _check_unused(path: Any) -> None:
    """Raise PermissionError for a file that is open or mapped here, and for a folder with one."""
    with os.scandir("/proc/self/fd") as entries:
        used = {os.path.realpath(entry.path) for entry in entries}
    with Path("/proc/self/maps").open(encoding="utf-8", errors="surrogateescape") as lines:
        used |= {f"/{line.rstrip()}" for _, _, line in (each.partition("/") for each in lines)}
    place = os.path.realpath(path)
    if any(each == place or each.startswith(f"{place}/") for each in used):
        raise PermissionError(13, "The process cannot access the file", path)


def _checked(change: Any) -> Any:
    """A function of `os` that refuses what Windows refuses for files in use."""

    def changed(*paths: Any, **others: Any) -> None:
        if not {"dir_fd", "src_dir_fd"} & {*others}:
            for path in paths:
                _check_unused(path)
        change(*paths, **others)

    return changed


def remove_unix() -> None:
    """Remove it from this process."""
    import fcntl

    kill, flock, getppid = signal.SIGKILL, fcntl.flock, os.getppid
    mode, start = fcntl.LOCK_EX | fcntl.LOCK_NB, subprocess.Popen.__init__

    def locking(descriptor: int, _mode: int, _size: int) -> None:
        try:
            flock(descriptor, mode)
        except BlockingIOError as error:
            raise PermissionError(13, "Permission denied") from error

    def wait(process: int, _milliseconds: int) -> None:
        while getppid() == process:
            time.sleep(0.05)

    def started(self: Any, *words: Any, creationflags: int = 0, **others: Any) -> None:
        assert creationflags in {0, _NEW_GROUP}
        assert "start_new_session" not in others
        start(self, *words, **others)

    popen: Any = subprocess.Popen
    popen.__init__, popen.kill = started, lambda self: self.send_signal(kill)
    forked: Any = multiprocessing.popen_fork.Popen
    forked.kill = lambda self: self._send_signal(kill)
    files: Any = tempfile
    files._os = ModuleType("os")  # with which files are removed while they are open
    vars(files._os).update(vars(os))
    os.unlink, os.rename, os.replace = map(_checked, (os.unlink, os.rename, os.replace))
    os.remove = os.unlink
    os.environ.setdefault("USERNAME", "examiner")
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Missing())
    for name, members in (
        ("msvcrt", {"locking": locking, "LK_NBLCK": 2}),
        (
            "_winapi",
            {
                "OpenProcess": lambda _access, _inherits, process: process,
                "WaitForSingleObject": wait,
                "SYNCHRONIZE": 0x100000,
                "INFINITE": -1,
            },
        ),
    ):
        sys.modules[name] = ModuleType(name)
        vars(sys.modules[name]).update(members)
    for module, names in NAMES.items():
        for name in names & vars(sys.modules[module]).keys():
            delattr(sys.modules[module], name)
