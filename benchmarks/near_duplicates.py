r"""From texts to sketches, and to pairs of Jaccard 0.8 and more, beside datasketch and rensa.

Run as `python benchmarks/near_duplicates.py [FOLDER…]`; needs the extra `benchmarks`, taskset, and
texts below the folders (passages.py says which, and which packages bring enough of them; without
folders it looks where these put them). 20,000 documents of 2 to 5 KB, 3,000 planted
mutants, word 5-shingles, sketches of 128 slots. Each contender runs in a process of its own on one
core and reads the documents from a file, 500 at a time; they take turns, several times, and ratios
are those of a turn. Seconds are CPU seconds; reading the file is not among them.

Each is used as its users do: datasketch and rensa get the shingles of five words each that
`re.findall(r"\w+", text.lower())` finds, in a list as in their READMEs, and pairs found by their
own index are kept where the estimate is 0.8 or more. sdtext goes by the recipe of Deduplicate and
verifies what it finds. Recall and precision are those of the pairs against all pairs of Jaccard 0.8
and more, found by comparing all with all in plain Python, each contender by its own words: words
between white space without punctuation for sdtext.
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
from importlib.metadata import version
from pathlib import Path
from statistics import median

from contenders import CONTENDERS, LEAST, our_words, shingles, their_words
from measuring import QUICK, ROUNDS, installed, peak, ratio, size, table
from passages import Passages
from texts import english

BLOCK = 500  # documents
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


def rows(runs: dict[str, list[Run]], megabytes: float, path: Path) -> Iterator[list[str]]:
    """The rows of the table."""
    ours = runs["sdtext"]
    for part, label in (("sketching", "to sketches"), ("whole", "to pairs")):
        cells = []
        for name, each in runs.items():
            spent = [getattr(run, part) for run in each]
            times = ratio(spent, [getattr(run, part) for run in ours])
            speed = f"{megabytes / median(spent):.0f} MB/s"
            beside = speed if name == "sdtext" else f"sdtext is {times:.1f}× as fast"
            cells.append(f"{median(spent):.1f} s, {beside}")
        yield [label, *cells]
    texts = [text for block in blocks(path) for text in block]
    cells = []
    for name, each in runs.items():
        truth = similar_pairs(texts, our_words if name == "sdtext" else their_words)
        result = {(left, right) for left, right in each[0].pairs}
        hits = len(result & truth)
        cells.append(f"{hits / len(truth):.4f}, {hits / max(1, len(result)):.4f}")
    yield ["recall, precision", *cells]
    yield ["memory", *(f"{max(run.memory for run in each):.0f} MB" for each in runs.values())]


def documents(folders: list[Path]) -> list[str]:
    """The documents: passages of the texts below the folders; a few others in a quick run."""
    if not QUICK:
        return Passages().of(folders)
    pieces = [document.decode()[:2_500] for document in english(3)]
    return [*pieces, *(piece + " and more" for piece in pieces[:20])]


def main(folders: list[Path]) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "documents.jsonl")
        texts = documents(folders)
        lines = (json.dumps({"text": text}) for text in texts)
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        megabytes = sum(len(text.encode("utf-8")) for text in texts) / 1e6
        names = [name for name in CONTENDERS if name == "sdtext" or installed(name)]
        runs: dict[str, list[Run]] = {name: [] for name in names}
        for _ in range(size(ROUNDS, 1)):
            for name in names:
                runs[name].append(in_process(name, path))
        versions = [f"{name} {version(name)}" for name in names[1:]]
        table((f"{megabytes:.0f} MB of text", "sdtext", *versions), rows(runs, megabytes, path))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(vars(measured(sys.argv[2], Path(sys.argv[3])))))
    else:
        main([Path(name) for name in sys.argv[1:]] or FOLDERS)
