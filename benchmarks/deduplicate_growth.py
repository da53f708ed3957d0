"""How time and memory of Deduplicate grow with the number of records.

Run as `python benchmarks/deduplicate_growth.py [RECORDS...]`, by default 100,000 and 1,000,000; ten
million need 25 GB of disk, half of them for the records. A record has 60 words, drawn from 50,000
by a law like Zipf's; one in ten is a copy of an earlier one with one word changed.

Each run is the command in a process of its own with one job and a minimum score of 80. Seconds are
processor time, start and files included; memory is the peak, with what the system keeps in memory
of mapped files.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from measuring import sdtext, table

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


def measured(number: int) -> list[str]:
    """A row: the size, the time and the memory of one run."""
    with TemporaryDirectory(dir=".") as folder:
        records, kept = Path(folder, "records.jsonl"), Path(folder, "kept.jsonl")
        write_records(records, number)
        spent, _, memory = sdtext("Deduplicate", records, "-s", "80", "--jobs", "1", "-o", kept)
        megabytes = records.stat().st_size / 1e6
    each = f"{1e6 * spent / number:.1f}"
    return [f"{number:,}", f"{megabytes:,.0f}", f"{spent:,.1f}", each, f"{memory:,.0f}"]


if __name__ == "__main__":
    numbers = [int(value.replace(",", "")) for value in sys.argv[1:]] or [100_000, 1_000_000]
    table(("records", "MB", "CPU s", "µs a record", "memory, MB"), map(measured, numbers))
