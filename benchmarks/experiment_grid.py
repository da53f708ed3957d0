"""A grid of 20 by 20 ranges of IDF over 1,000 documents and 5 manglers, by Experiment.

Run as `python benchmarks/experiment_grid.py [FOLDER]`: the documents are the files in FOLDER, or
rendered manual pages of this system if none is given, which takes some minutes. The figures of the
docs are of these pages, of 8 to 120 KB.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import edits  # noqa: F401 (registers its manglers)
from manual_pages import manual_pages

from sdtext.experiment.plan import plan_of
from sdtext.experiment.run_experiment import described, run_experiment
from sdtext.reading.parallel_run import Run

DOCUMENTS = 1000
PLAN = {
    "groups": ["english"],
    "matcher": ["cosine", "idf-cosine", "exact"],
    "min_idf": {"from": 0.0, "to": 0.95, "step": 0.05},
    "max_idf": {"from": 0.05, "to": 1.0, "step": 0.05},
    "manglers": [
        {"name": "keep-lines", "share": [0.2, 0.5]},
        {"name": "fragment", "share": 0.1},
        {"name": "replace-words", "share": 0.3},
        "shuffle",
    ],
    "sample": DOCUMENTS,
}


def main() -> None:
    """Print the times of an experiment."""
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(sys.argv[1]) if len(sys.argv) > 1 else _manual_pages(Path(folder, "pages"))
        plan = plan_of({"dataset": str(texts), **PLAN})
        jobs = os.cpu_count() or 1
        start = time.perf_counter()
        result = run_experiment(plan, database=f"sqlite:///{folder}/results.sqlite", run=Run(jobs))
        clock = time.perf_counter() - start
        size = Path(folder, "results.sqlite").stat().st_size
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    usages = [resource.getrusage(kind) for kind in kinds]
    used = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    # Copies by each mangler, and the documents themselves, are compared with all documents.
    pairs = (len(plan.manglers) + 1) * result.documents**2
    scores = pairs * len(plan.cells) * len(plan.matchers)
    print(f"{result.documents} documents, {len(plan.manglers)} manglers, {pairs:,} pairs")
    print(f"{len(plan.cells)} ranges, {len(plan.matchers)} matchers: {scores:,} scores")
    print(f"{clock:.1f} s by the clock with {jobs} processes, {used:.1f} s of processor time")
    print(f"{used / scores * 1e9:.1f} ns of it for a score; results of {size / 1e6:.1f} MB")
    print(*described(result), sep="\n")


def _manual_pages(folder: Path) -> Path:
    folder.mkdir()
    for number, text in enumerate(manual_pages(DOCUMENTS).values()):
        Path(folder, f"{number:04}.txt").write_text(text, "utf-8")
    return folder


if __name__ == "__main__":
    main()
