"""How time and memory of Deduplicate grow with the number of records.

Run as `python benchmarks/deduplicate_growth.py [RECORDS...]`, by default 100,000 and 1,000,000; ten
million need 25 GB of disk, half of them for the records. A record has 60 words, drawn from 50,000
by a law like Zipf's; one in ten is a copy of an earlier one with one word changed.

Each run is the command in a process of its own with one job and a minimum score of 80. Seconds are
processor time, start and files included; memory is the peak, with what the system keeps in memory
of mapped files.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import numpy as np

WORDS, LENGTH, BLOCK, COPIES, SOURCES = 50_000, 60, 10_000, 1_000, 200
LETTERS = list("abcdefghijklmnopqrstuvwxyz")


def write_records(path: Path, number: int) -> None:
    """Write so many records, in whole blocks, as JSON lines."""
    draw = np.random.default_rng(5)
    words = np.array(
        ["".join(draw.choice(LETTERS, draw.integers(3, 10))) for _ in range(WORDS)], object
    )
    weights = 1 / np.arange(1, WORDS + 1) ** 0.9
    shares = np.cumsum(weights / weights.sum())
    earlier: list[np.ndarray] = []
    with path.open("w") as file:
        for start in range(0, number, BLOCK):
            block = np.minimum(np.searchsorted(shares, draw.random((BLOCK, LENGTH))), WORDS - 1)
            if earlier:
                source = earlier[draw.integers(len(earlier))]
                block[:COPIES] = source[draw.integers(0, BLOCK, COPIES)]
                changed = np.arange(COPIES), draw.integers(0, LENGTH, COPIES)
                block[changed] = draw.integers(0, WORDS, COPIES)
            if len(earlier) < SOURCES:
                earlier.append(block)
            file.writelines(
                f'{{"id": {place}, "text": "{" ".join(row)}"}}\n'
                for place, row in enumerate(words[block].tolist(), start)
            )


def measured(number: int) -> None:
    """Print a row: the size, the time and the memory of one run, and what it said."""
    with TemporaryDirectory(dir=".") as folder:
        records = Path(folder, "records.jsonl")
        write_records(records, number)
        command = (sys.executable, "-m", "sdtext", "Deduplicate", records, "-s", "80")
        command = (*command, "--jobs", "1")
        before = getrusage(RUSAGE_CHILDREN)
        done = _run(*command, "-o", Path(folder, "kept.jsonl"))
        after = getrusage(RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        megabytes = records.stat().st_size / 1e6
    print(
        f"{number:>12,}{megabytes:>9,.0f} MB{seconds:>9,.1f} s{1e6 * seconds / number:>8.1f} µs"
        f"{after.ru_maxrss / 1e3:>9,.0f} MB  {done.stderr.splitlines()[-1]}",
        flush=True,
    )


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True)


def main(numbers: list[int]) -> None:
    """Print a row for each number of records, the smallest first: memory is the largest so far."""
    print(f"{'records':>12}{'size':>12}{'time':>11}{'a record':>11}{'memory':>12}")
    for number in sorted(numbers):
        measured(number)


if __name__ == "__main__":
    main([int(value.replace(",", "")) for value in sys.argv[1:]] or [100_000, 1_000_000])
