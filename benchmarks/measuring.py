"""Times, memory and tables of the programs in this folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

ROUNDS = 3
QUICK = bool(os.environ.get("SDTEXT_QUICK"))
"""Whether a program only shows that it runs (`run.py --quick`)."""


# A small process starts the command, since the peak of a process counts what it was forked from.
_TIMED = """
import os, sys, time
begun, quiet = time.perf_counter(), [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, used = os.wait4(process, 0)
print(used.ru_utime + used.ru_stime, time.perf_counter() - begun, used.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def size(full: int, quick: int) -> int:
    """How much is measured."""
    return quick if QUICK else full


def installed(*modules: str) -> bool:
    """Whether the packages of a peer are installed; else says that it is left out."""
    missing = [name for name in modules if not find_spec(name)]
    for name in missing:
        print(f"not installed, left out: {name}", file=sys.stderr)
    return not missing


def short(number: float) -> str:
    """A number with two digits or more."""
    return f"{number:.2g}" if number < 10 else f"{number:,.0f}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table in Markdown."""
    for row in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(map(str, row))} |", flush=True)
    print()


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU seconds that it takes in this process, and its result."""
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def in_turns(works: dict[str, Callable[[], float]]) -> dict[str, list[float]]:
    """What each gives (seconds, mostly) in some rounds, in which they take turns."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(size(ROUNDS, 1)):
        for name, work in works.items():
            taken[name].append(work())
    return taken


def ratio(theirs: Sequence[float], ours: Sequence[float]) -> float:
    """How many times as long they take: the median over the rounds."""
    return median(a / b for a, b in zip(theirs, ours, strict=True))


def command(*arguments: object) -> tuple[float, float, float]:
    """CPU seconds, seconds by the clock, and peak memory in MB of a command that must go well."""
    words = [sys.executable, "-c", _TIMED, *map(str, arguments)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    cpu, clock, memory = map(float, done.stdout.split())
    return cpu, clock, memory


def sdtext(*arguments: object) -> tuple[float, float, float]:
    """The same of a verb."""
    return command(sys.executable, "-m", "sdtext", *arguments)


def peak() -> float:
    """The most memory of this process in MB; ru_maxrss also counts what began it."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    (line,) = (line for line in lines if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
