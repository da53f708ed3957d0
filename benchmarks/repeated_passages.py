r"""Repeated passages removed from generated prose, beside a suffix array over its bytes.

Run as `python benchmarks/repeated_passages.py [MEGABYTES]`, 100 by default; needs
`benchmarks/requirements.txt` and taskset. The prose is sentences of 6 to 27 words, drawn from
60,000 words by a law like Zipf's, in records of some 3 KB. Of 3,000 passages of 60 to 150 words
copies are planted in the midst of paragraphs; one record in five ends with one of two lines of
boilerplate. One record in six ends with a paragraph in which a passage stands with every 25th word
exchanged for a new one.

Each unit of `Deduplicate` runs as a command in a process of its own on one core: CPU seconds of
all, start and files included; peak memory without mapped files, beside what `--dry-run` states. For
passages, recall is the share of planted copies, without the first of each, of which nothing is
left; lost are words that are removed but stand nowhere in what is kept. With `--distance 3` it is
the share of sentences with an exchanged word that are gone, of passages that stand earlier. The
suffix array (pydivsufsort, with the longest common prefixes by kasai) is made as for Google's exact
substring deduplication, over bytes and over the numbers of words; nothing is removed, read or
written in these times.

The last two rows are single records that repeat themselves, with `--distance 3`: 1,400 sentences of
60 words, equal but for one, and a log of 6,000 lines of 8 to 20 words by 12 patterns, of each of
which one word is a number.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import numpy as np

VOCABULARY, PASSAGES, LEAST = 60_000, 3_000, 50
BOILERPLATE = (
    "Subscribe to our newsletter and share this page with your friends.",
    "All rights reserved. No part of this page may be copied without permission.",
)
UNITS = (
    ("passage",),
    ("passage", "--distance", "3"),
    ("sentence",),
    ("paragraph",),
)
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
POLLED = 0.02  # seconds


@dataclass
class Prose:
    """Generated records, and how often each planted passage stands in them."""

    seed: int
    counts: dict[int, int] = field(default_factory=dict)
    copied: dict[int, int] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)

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

    def near_passage(self) -> str:
        """A planted passage with every 25th word exchanged."""
        number = int(self.rng.integers(PASSAGES))
        words = self.planted[number].split(" ")
        for place in range(10, len(words), 25):
            end = "." * words[place].endswith(".")
            words[place] = f"q{self.rng.integers(10**9)}{end}"
        text = " ".join(words)
        if number in self.counts | self.copied:
            sentences = text.rstrip(".").split(". ")
            self.changed += [each for each in sentences if re.search(r"q\d", each)]
        self.copied[number] = 1
        return text

    def record(self) -> str:
        """The text of a record."""
        paragraphs = [self.paragraph() for _ in range(self.rng.integers(3, 10))]
        if self.rng.random() < 1 / 5:
            paragraphs.append(BOILERPLATE[self.rng.integers(2)])
        if self.rng.random() < 1 / 6:
            paragraphs.append(f"{self.sentence()} {self.near_passage()} {self.sentence()}")
        return "\n\n".join(paragraphs)


def variants(number: int) -> str:
    """A text of sentences of 60 words that differ in a word each."""
    draw = np.random.default_rng(3)
    lines = np.array([f"w{word}" for word in draw.integers(0, 5_000, 60)], object)[None]
    lines = lines.repeat(number, axis=0)
    lines[np.arange(number), draw.integers(0, 60, number)] = [f"x{row}" for row in range(number)]
    return " ".join(f"{' '.join(line).capitalize()}." for line in lines)


def log(number: int) -> str:
    """A text of short lines by 12 patterns, with a number in each."""
    draw = np.random.default_rng(3)
    sizes = draw.integers(8, 20, 12)
    patterns = [[f"t{word}" for word in draw.integers(0, 5_000, size)] for size in sizes]
    lines = []
    for pattern in draw.integers(0, 12, number):
        words = [*patterns[pattern]]
        words[draw.integers(len(words))] = str(draw.integers(10**6))
        lines.append(f"{' '.join(words).capitalize()}.")
    return " ".join(lines)


SELF_REPEATING = {"1,400 variants": lambda: variants(1_400), "log": lambda: log(6_000)}


def command(path: Path, unit: Sequence[str], *more: str) -> list[str]:
    """The command of a unit, with its options."""
    arguments = ["Deduplicate", str(path), "--unit", *unit, "--jobs", "1", *more]
    return [*["taskset", "-c", "0"], sys.executable, __file__, "--polled", *arguments]


def polled(arguments: list[str]) -> None:
    """Run a command in this process; print its CPU seconds and its peak of memory in MB."""
    import threading

    from sdtext.cli.main import main

    peak = 0

    def poll() -> None:
        nonlocal peak
        while True:
            status = Path("/proc/self/status").read_text("ascii")
            anonymous = next(line for line in status.splitlines() if line.startswith("RssAnon"))
            peak = max(peak, int(anonymous.split()[1]))
            time.sleep(POLLED)

    threading.Thread(target=poll, daemon=True).start()
    code = main(arguments)
    print(json.dumps([time.process_time(), peak / 1e3, code]))


def suffix_array(path: Path, kind: str) -> None:
    """Make a suffix array of the texts; print CPU seconds and peak memory in MB."""
    from pydivsufsort import divsufsort, kasai

    texts = [json.loads(line)["text"] for line in path.open(encoding="utf-8")]
    if kind == "bytes":
        data = np.frombuffer("\0".join(texts).encode(), np.uint8).copy()
    else:
        numbers: dict[str, int] = {}
        rows = (
            [*(numbers.setdefault(word, len(numbers) + 1) for word in re.findall(r"\w+", text)), 0]
            for text in texts
        )
        data = np.fromiter((number for row in rows for number in row), np.uint32)
    del texts
    begin = time.process_time()
    kasai(data, divsufsort(data))
    print(json.dumps([time.process_time() - begin, getrusage(RUSAGE_SELF).ru_maxrss / 1e3, 0]))


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


def near_quality(prose: Prose, kept: Path) -> str:
    """The share of changed sentences that are gone."""
    new_words = {*re.findall(r"\bq\d+", kept.read_text("utf-8"))}
    left = sum(not new_words.isdisjoint(sentence.split()) for sentence in prose.changed)
    return f"recall {1 - left / len(prose.changed):.4f} of {len(prose.changed):,} changed sentences"


def main(megabytes: float) -> None:
    """Print a row for each unit and each suffix array."""
    prose = Prose(7)
    with tempfile.TemporaryDirectory(dir=".") as place:
        folder = Path(place)
        path, kept, removed = (folder / f"{name}.jsonl" for name in ("prose", "kept", "removed"))
        with path.open("w", encoding="utf-8") as file:
            number = 0
            while file.tell() < megabytes * 1e6:
                file.write(json.dumps({"id": number, "text": prose.record()}) + "\n")
                number += 1
        size = path.stat().st_size / 1e6
        print(f"{size:.0f} MB, {number:,} records, {sum(prose.counts.values()):,} planted")
        for unit in UNITS:
            plan = command(path, unit, "--dry-run", "--format", "json")
            lines = subprocess.run(plan, check=True, capture_output=True, text=True).stdout
            stated = json.loads(lines.splitlines()[0])["memory"] / 1e6
            outputs = ("-o", str(kept), "--removed", str(removed), "--force")
            seconds, memory = run(command(path, unit, *outputs))
            beside = quality(prose, kept, removed) if unit == ("passage",) else ""
            beside = near_quality(prose, kept) if "--distance" in unit else beside
            rate = f"{seconds:6.1f} s {size / seconds:5.1f} MB/s"
            print(f"{' '.join(unit):22}{rate} {memory:6.0f} MB (stated {stated:.0f})  {beside}")
        for kind in ("bytes", "words"):
            seconds, memory = run([sys.executable, __file__, "--suffix-array", str(path), kind])
            rate = f"{seconds:6.1f} s {size / seconds:5.1f} MB/s"
            print(f"suffix array, {kind}: {rate} {memory:6.0f} MB")
        self_repeating(path, kept)


def self_repeating(path: Path, kept: Path) -> None:
    """Print a row for each record that repeats itself."""
    for name, text in SELF_REPEATING.items():
        path.write_text(json.dumps({"text": text()}) + "\n", "utf-8")
        outputs = ("-o", str(kept), "--force")
        seconds, memory = run(command(path, ("passage", "--distance", "3"), *outputs))
        print(f"{name}: {path.stat().st_size / 1e3:.0f} kB {seconds:6.1f} s {memory:6.0f} MB")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--polled", *arguments]:
            polled(arguments)
        case ["--suffix-array", name, kind]:
            suffix_array(Path(name), kind)
        case arguments:
            main(float(arguments[0]) if arguments else 100)
