r"""From texts to sketches, and to pairs of Jaccard 0.8 and more, beside datasketch and rensa.

Run as `python benchmarks/near_duplicates.py [FOLDER…]`; needs `benchmarks/requirements.txt`,
taskset, and texts below the folders (passages.py says which, and which packages bring enough of
them; without folders it looks where these put them). 20,000 documents of 2 to 5 KB, 3,000 planted
mutants, word 5-shingles, sketches of 128 slots. Each contender runs in a process of its own on one
core and reads the documents from a file, 500 at a time; they take turns, several times, and ratios
are those of a turn. Seconds are CPU seconds; reading the file is not among them.

Each is used as its users do: datasketch and rensa get the shingles of five words each that
`re.findall(r"\w+", text.lower())` finds, in a list as in their READMEs, and pairs found by their
own index are kept where the estimate is 0.8 or more. sdtext goes by the recipe of Deduplicate and
verifies what it finds. Recall and precision are those of the pairs against all pairs of Jaccard 0.8
and more, found by comparing all with all in plain Python, each contender by its own words: words
between white space without punctuation for sdtext. The last row is the whole command Deduplicate,
files and start included.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from contenders import CONTENDERS, LEAST, our_words, shingles, their_words
from passages import Passages

ROUNDS = 3
BLOCK = 500  # documents
COMMAND = "Deduplicate"
FOLDERS = [Path("/usr/share", name) for name in ("doc", "perl", "dictd", "debian-reference")]


@dataclass(frozen=True)
class Run:
    """One run: CPU seconds to sketches and to pairs, peak memory in MB, and the pairs."""

    sketching: float
    whole: float
    memory: float
    pairs: list[list[int]]


def blocks(path: Path) -> Iterator[list[str]]:
    """The documents of the file, some at a time."""
    block = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            block.append(json.loads(line)["text"])
            if len(block) == BLOCK:
                yield block
                block = []
    if block:
        yield block


def measured(name: str, path: Path) -> Run:
    """One run of a contender, in this process."""
    contender = CONTENDERS[name]()
    sketching = keeping = 0.0
    for block in blocks(path):
        begin = time.process_time()
        result = contender.sketch(block)
        middle = time.process_time()
        contender.keep(result)
        keeping += time.process_time() - middle
        sketching += middle - begin
    begin = time.process_time()
    pairs = contender.pairs()
    whole = sketching + keeping + time.process_time() - begin
    memory = peak()
    return Run(sketching, whole, memory, [sorted(pair) for pair in pairs])


def peak() -> float:
    """The most memory of this process in MB; ru_maxrss also counts what began it."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    (result,) = (line for line in lines if line.startswith("VmHWM"))
    return int(result.split()[1]) / 1e3


def command(path: Path) -> Run:
    """The whole command Deduplicate."""
    with tempfile.TemporaryDirectory() as place:
        names = [str(Path(place, name)) for name in ("kept.jsonl", "removed.tsv", "clusters.jsonl")]
        options = ["-o", names[0], "--removed", names[1], "--clusters", names[2], "--jobs", "1"]
        verb = [sys.executable, "-m", "sdtext", COMMAND, str(path), *options]
        subprocess.run(verb, check=True, capture_output=True)
    used = getrusage(RUSAGE_CHILDREN)
    return Run(0.0, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3, [])


def in_process(name: str, path: Path) -> Run:
    """One run in a new process on one core."""
    core = max(os.sched_getaffinity(0))
    result = subprocess.run(
        ["taskset", "-c", str(core), sys.executable, __file__, "--one", name, str(path)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return Run(**json.loads(result.stdout))


def similar_pairs(texts: Iterable[str], words: Callable[[str], list[str]]) -> set[tuple[int, int]]:
    """All pairs of Jaccard 0.8 and more, all compared with all."""
    import numpy as np
    from scipy.sparse import csr_array

    numbers: dict[str, int] = {}
    sets = (set(shingles(words(text))) for text in texts)
    rows = [[numbers.setdefault(item, len(numbers)) for item in some] for some in sets]
    sizes = np.array([len(row) for row in rows])
    columns = np.fromiter((item for row in rows for item in row), np.int32, sizes.sum())
    starts = np.concatenate([[0], np.cumsum(sizes)])
    matrix = csr_array((np.ones(len(columns), np.int32), columns, starts))
    common = (matrix @ matrix.T).tocoo()
    left, right = common.coords
    enough = 100 * common.data >= LEAST * (sizes[left] + sizes[right] - common.data)
    kept = enough & (left < right)
    return set(zip(left[kept].tolist(), right[kept].tolist(), strict=True))


def table(runs: dict[str, list[Run]], size: float, path: Path) -> None:
    """Print what was measured."""
    texts = [text for block in blocks(path) for text in block]
    truths = {True: similar_pairs(texts, our_words), False: similar_pairs(texts, their_words)}
    print(f"{'':22}{'sketches':>16}{'to pairs':>16}{'recall':>9}{'precision':>10}{'memory':>9}")
    for name, ones in runs.items():
        first, whole = (
            median(getattr(item, part) for item in ones) for part in ("sketching", "whole")
        )
        figures = f"{first:8.2f} s{size / first:6.1f}" if first else " " * 16
        figures += f"{whole:8.2f} s{size / whole:6.1f}"
        if ones[0].pairs:
            truth = truths[name == "sdtext"]
            result = {(left, right) for left, right in ones[0].pairs}
            hits = len(result & truth)
            figures += f"{hits / len(truth):9.4f}{hits / len(result):10.4f}"
        else:
            figures += " " * 19
        print(f"{name:22}{figures}{max(item.memory for item in ones):6.0f} MB")
    print(f"pairs of Jaccard 0.8 and more: {len(truths[True])} by the words of sdtext, "
          f"{len(truths[False])} by those of the peers")  # fmt: skip


def ratios(runs: dict[str, list[Run]]) -> None:
    """Print how many times as fast sdtext was, turn by turn: the median, and the range."""
    for name in ("datasketch", "rensa"):
        for part, label in (("sketching", "text to sketches"), ("whole", "text to pairs")):
            turns = zip(runs[name], runs["sdtext"], strict=True)
            values = sorted(getattr(theirs, part) / getattr(ours, part) for theirs, ours in turns)
            print(f"{label:18} {median(values):5.1f}× {name} ({values[0]:.1f} to {values[-1]:.1f})")


def main(folders: list[Path]) -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "documents.jsonl")
        documents = Passages().of(folders)
        rows = (json.dumps({"id": str(at), "text": first}) for at, first in enumerate(documents))
        path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
        size = sum(len(text.encode("utf-8")) for text in documents) / 1e6
        print(f"{len(documents)} documents, {size:.1f} MB")
        names = [*CONTENDERS, COMMAND]
        runs: dict[str, list[Run]] = {name: [] for name in names}
        for _ in range(ROUNDS):
            for name in names:
                runs[name].append(in_process(name, path))
        table(runs, size, path)
        ratios(runs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure = command if sys.argv[2] == COMMAND else lambda path: measured(sys.argv[2], path)
        print(json.dumps(vars(measure(Path(sys.argv[3])))))
    else:
        main([Path(name) for name in sys.argv[1:]] or FOLDERS)
