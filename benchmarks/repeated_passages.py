r"""Repeated passages removed from generated prose, beside a suffix array over its bytes.

Run as `python benchmarks/repeated_passages.py`; needs taskset. The prose is sentences of 6 to 27
words, drawn from 60,000 words by a law like Zipf's, in records of some 3 KB. Of 3,000 passages of
60 to 150 words copies are planted in the midst of paragraphs; one record in five ends with one of
two lines of boilerplate.

Each unit of `Deduplicate` runs as a command in a process of its own on one core: CPU seconds of
all, start and files included; peak memory without mapped files. For passages, recall is the share
of planted copies, without the first of each, of which nothing is left; lost are words that are
removed but stand nowhere in what is kept. The suffix array (pydivsufsort, with the longest common
prefixes by kasai) is made as for Google's exact substring deduplication; nothing is removed, read
or written in these times.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from measuring import installed, peak, seconds, size, table

VOCABULARY, PASSAGES, LEAST = 60_000, 3_000, 50
BOILERPLATE = (
    "Subscribe to our newsletter and share this page with your friends.",
    "All rights reserved. No part of this page may be copied without permission.",
)
UNITS = ("passage", "sentence", "paragraph")
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
POLLED = 0.02  # seconds


@dataclass
class Prose:
    """Generated records, and how often each planted passage stands in them."""

    seed: int
    counts: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        weights = np.arange(len(LETTERS), 0, -1.0) ** 1.5
        weights /= weights.sum()
        self.vocabulary = [
            "".join(self.rng.choice(list(LETTERS), self.rng.integers(2, 11), p=weights))
            for _ in range(VOCABULARY)
        ]
        self.drawn: list[int] = []
        self.planted = [" ".join(self.sentences(60, 130)) for _ in range(PASSAGES)]

    def sentence(self) -> str:
        """A sentence."""
        number = int(self.rng.integers(6, 28))
        if len(self.drawn) < number:
            ranks = (self.rng.pareto(0.9, 100_000) * 8).astype(int)
            self.drawn = np.minimum(ranks, VOCABULARY - 1).tolist()
        words = [self.vocabulary[self.drawn.pop()] for _ in range(number)]
        words[0] = words[0].capitalize()
        return " ".join(words) + "."

    def sentences(self, least: int, most: int) -> Iterator[str]:
        """Sentences of that many words together, or a few more."""
        wanted, words = int(self.rng.integers(least, most)), 0
        while words < wanted:
            yield (one := self.sentence())
            words += one.count(" ") + 1

    def paragraph(self) -> str:
        """A paragraph, one in thirty with a planted passage."""
        text = " ".join(self.sentences(20, 100))
        if self.rng.random() < 1 / 30:
            number = int(self.rng.integers(PASSAGES))
            self.counts[number] = self.counts.get(number, 0) + 1
            text = f"{text} {self.planted[number]} {self.sentence()}"
        return text

    def record(self) -> str:
        """The text of a record."""
        paragraphs = [self.paragraph() for _ in range(self.rng.integers(3, 10))]
        if self.rng.random() < 1 / 5:
            paragraphs.append(BOILERPLATE[self.rng.integers(2)])
        return "\n\n".join(paragraphs)


def command(path: Path, unit: str, *more: str) -> list[str]:
    """The command of a unit, with its options."""
    arguments = ["Deduplicate", str(path), "--unit", unit, "--jobs", "1", *more]
    return [*["taskset", "-c", "0"], sys.executable, __file__, "--polled", *arguments]


def polled(arguments: list[str]) -> None:
    """Run a command in this process; print its CPU seconds and its peak of memory in MB."""
    import threading

    from sdtext.cli.main import main

    most = 0

    def poll() -> None:
        nonlocal most
        while True:
            status = Path("/proc/self/status").read_text("ascii")
            anonymous = next(line for line in status.splitlines() if line.startswith("RssAnon"))
            most = max(most, int(anonymous.split()[1]))
            time.sleep(POLLED)

    threading.Thread(target=poll, daemon=True).start()
    code = main(arguments)
    print(json.dumps([time.process_time(), most / 1e3, code]))


def suffix_array(path: Path) -> None:
    """Make a suffix array of the texts; print CPU seconds and peak memory in MB."""
    from pydivsufsort import divsufsort, kasai

    texts = [json.loads(line)["text"] for line in path.open(encoding="utf-8")]
    data = np.frombuffer("\0".join(texts).encode(), np.uint8).copy()
    del texts
    spent, _ = seconds(lambda: kasai(data, divsufsort(data)))
    print(json.dumps([spent, peak(), 0]))


def run(arguments: list[str]) -> tuple[float, float]:
    """CPU seconds and memory of a process that prints them in its last line."""
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    seconds, memory, code = json.loads(done.stdout.splitlines()[-1])
    if code:
        sys.exit(done.stderr)
    return seconds, memory


def quality(prose: Prose, kept: Path, removed: Path) -> str:
    """How many planted copies are gone, and how many words are lost."""
    text = kept.read_text("utf-8")
    left = sum(text.count(prose.planted[number]) for number in prose.counts)
    copies = sum(prose.counts.values()) - len(prose.counts)
    rows = [json.loads(line) for line in removed.open(encoding="utf-8")]
    lost = sum(row["words"] for row in rows if json.dumps(row["text"].strip())[1:-1] not in text)
    recall = 1 - (left - len(prose.counts)) / max(copies, 1)
    return f"recall {recall:.4f} of {copies:,} copies, {lost:,} words lost"


def main(megabytes: float) -> None:
    """Print a row for each unit and the suffix array."""
    prose, rows = Prose(7), list[tuple[str, ...]]()
    with tempfile.TemporaryDirectory(dir=".") as place:
        folder = Path(place)
        path, kept, removed = (folder / f"{name}.jsonl" for name in ("prose", "kept", "removed"))
        with path.open("w", encoding="utf-8") as file:
            number = 0
            while file.tell() < megabytes * 1e6:
                file.write(json.dumps({"id": number, "text": prose.record()}) + "\n")
                number += 1
        planted = sum(prose.counts.values())
        measure = path.stat().st_size / 1e6

        def row(name: str, arguments: list[str]) -> tuple[str, ...]:
            spent, memory = run(arguments)
            return name, f"{spent:.1f}", f"{measure / spent:.1f}", f"{memory:,.0f} MB"

        for unit in UNITS:
            outputs = ("-o", str(kept), "--removed", str(removed), "--force")
            rows.append(row(f"`--unit {unit}`", command(path, unit, *outputs)))
            if unit == "passage":
                print(f"{number:,} records, {planted:,} planted: {quality(prose, kept, removed)}\n")
        if installed("pydivsufsort"):
            array = [sys.executable, __file__, "--suffix-array", str(path)]
            rows.append(row("suffix array of the bytes, nothing else", array))
    table(("", "seconds", "MB/s", "memory"), rows)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--polled", *arguments]:
            polled(arguments)
        case ["--suffix-array", name]:
            suffix_array(Path(name))
        case _:
            main(size(100, 1))
