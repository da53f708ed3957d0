"""CPU seconds and shuffled bytes of each stage of Deduplicate on Apache Spark, as a table.

Run as `python benchmarks/spark.py [--words WORDS] [DOCUMENTS …]`; needs the extra `spark` and Java.
Documents are texts of some 60 random words (490 bytes), or of WORDS; a fifth are copies, of which
up to one word in 40 is replaced. Each number of documents is deduplicated by a Spark of this
machine with two threads in a new work folder, and by the local command. The CPU is that of all
processes of Spark, Python's included, from one stage to the next; the start of Spark stands apart.
Shuffled bytes are those that Spark's event log states.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

VOCABULARY = 50_000
_TICKS = os.sysconf("SC_CLK_TCK")
_COPIES = 0.2


def write_records(path: Path, number: int, length: int) -> int:
    """Write so many records of `length` words on average; the number of their bytes."""
    rng = random.Random(1)  # noqa: S311 (drawn to be the same)
    vocabulary = [f"{rng.randrange(36**5):x}" for _ in range(VOCABULARY)]
    recent = list[list[str]]()
    with path.open("w", encoding="utf-8") as file:
        for place in range(number):
            if recent and rng.random() < _COPIES:
                words = [*rng.choice(recent)]
                for _ in range(rng.randint(0, length // 40)):
                    words[rng.randrange(len(words))] = rng.choice(vocabulary)
            else:
                words = rng.choices(vocabulary, k=rng.randint(length * 3 // 5, length * 7 // 5))
            recent = [*recent[-999:], words]
            file.write(json.dumps({"id": place, "text": " ".join(words)}) + "\n")
    return path.stat().st_size


def cpu_of(pid: int) -> float:
    """The CPU seconds of a process and its descendants, ended ones included."""
    stats = dict[int, tuple[int, float]]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        stats[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15])) / _TICKS
    family = {pid}
    while more := {own for own, (parent, _) in stats.items() if parent in family} - family:
        family |= more
    return sum(stats[own][1] for own in family if own in stats)


def events(folder: Path) -> Iterator[tuple[float, int]]:
    """When each task ended, and the bytes that it wrote for a shuffle."""
    for path in folder.rglob("*"):
        for line in path.open(encoding="utf-8") if path.is_file() else ():
            if '"SparkListenerTaskEnd"' in line:
                event = json.loads(line)
                written = event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                yield event["Task Info"]["Finish Time"] / 1000, written


def measure(number: int, length: int, folder: Path) -> None:
    """Print the rows of so many documents of so many words."""
    size = write_records(folder / "pages.jsonl", number, length)
    command = [sys.executable, "-m", "sdtext", "Deduplicate", str(folder / "pages.jsonl")]
    before = os.times()
    kept, removed = folder / "kept.jsonl", folder / "removed.jsonl"
    subprocess.run(
        [*command, "-o", str(kept), "--removed", str(removed), "--jobs", "2"],
        check=True,
        capture_output=True,
    )
    after = os.times()
    local = after.children_user + after.children_system - before[2] - before[3]
    (folder / "events").mkdir()
    spark = [*command, "-o", str(folder / "kept"), "--engine", "spark", "--master", "local[2]"]
    for setting in ("enabled=true", f"dir=file://{folder / 'events'}", "compress=false"):
        spark += ["--conf", f"spark.eventLog.{setting}"]
    spark += ["--conf", "spark.eventLog.rolling.enabled=false"]
    marks, last = [("start", time.time(), 0.0)], [0.0]

    def sample() -> None:
        while process.poll() is None:
            last[0] = max(last[0], cpu_of(process.pid))
            time.sleep(0.2)

    with subprocess.Popen(spark, stderr=subprocess.PIPE, text=True) as process:
        sampler = threading.Thread(target=sample)
        sampler.start()
        lines = map(str.strip, process.stderr or ())
        stages = (line for line in lines if line.replace("-", "").isalpha())
        marks += [(stage, time.time(), cpu_of(process.pid)) for stage in stages]
        sampler.join()
    if process.returncode:
        raise SystemExit(f"Spark ended with {process.returncode}")
    whole = last[0]
    marks.append(("end", time.time(), whole))
    shuffled = Counter[str]()
    for moment, written in events(folder / "events"):
        shuffled[next(name for name, begin, _ in reversed(marks) if begin <= moment)] += written
    print(f"{number:,} documents, {size / 1e6:,.0f} MB; local {local:.1f} CPU s")
    for (name, _, cpu), (_, _, after_it) in pairwise(marks):
        used = after_it - cpu
        each = f"{1e6 * used / number:9,.0f} µs {shuffled[name] / number:9,.0f} B a document"
        print(f"  {name:12} {used:8.1f} CPU s {each}")
    print(f"  {'all':12} {whole:8.1f} CPU s; without the start {whole - marks[1][2]:.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--words", type=int, default=60)
    asked = parser.parse_args()
    for count in asked.documents:
        place = Path(tempfile.mkdtemp(prefix="sdtext-benchmark-"))
        try:
            measure(count, asked.words, place)
        finally:
            shutil.rmtree(place)
