"""The experiment of E. Celozzi and L. Ciabini, "Finding similar document", section 7.

Run as `python benchmarks/first_paper.py [ITERATIONS]`; needs the extra `benchmarks`, the
program man and manual pages (manual_pages.py). Of 393 documents, as many as the paper has, some are
drawn and copied five times, with each line kept with the probability 0.8, 0.6, 0.5, 0.4 and 0.2 and
else swapped for a random line of a random document; the copy is found if it has a band in common
with its original. 500 copies for each layout and share (the paper: 50), 50 with each of ten draws
of hash functions. The documents are manual pages, as texts and as PDF files made of these; the
paper's were 393 papers in PDF, which nobody else has. It is an experiment of sdtext (`PLAN`) with
the parts of configs/near-duplicate.toml.

`paper, ideal` is the paper's table 1, which puts the share of lines kept for the similarity into
1 - (1 - t**r)**b; `paper, real` is its table 2. `J` is the mean of the exact Jaccard similarity of
copies and originals, `ideal` the mean of the formula at it, `found` the share of copies found. A
share s of lines is no Jaccard similarity: about s / (2 - s) is, for what is swapped counts on both
sides. That is the main part of what parts the paper's tables, not all of it.

The second table has bytes and seconds, of one process, beside the paper's.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np
from copies import collision_probability
from manual_pages import manual_pages, write_pdf

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.memory import MemoryCollection
from sdtext.experiment.dataset import load_datasets
from sdtext.experiment.histograms import ScoringUnit, UnitScorer
from sdtext.experiment.plan import plan_of
from sdtext.experiment.trial import Trial
from sdtext.parts.fingerprints.bitvector_and_shingles import Shingles
from sdtext.parts.fingerprints.minhash import MinHash
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.read_document import read
from sdtext.search.find import links
from sdtext.search.search_plan import Question

DOCUMENTS = 393
ITERATIONS = 500
SHARES = (0.8, 0.6, 0.5, 0.4, 0.2)
IDEAL = {  # the paper's table 1: what the formula gives is printed as it stands there
    (50, 2): (1, 1, 0.99, 0.99, 0.87),
    (25, 4): (0.99, 0.96, 0.80, 0.47, 0.03),
    (20, 5): (0.99, 0.80, 0.47, 0.18, 0),
    (10, 10): (0.67, 0.05, 0.01, 0, 0),
}
REAL = {  # its table 2
    (50, 2): (1, 0.98, 0.94, 0.86, 0.62),
    (25, 4): (0.96, 0.68, 0.34, 0.10, 0.06),
    (20, 5): (0.81, 0.42, 0.11, 0.06, 0),
    (10, 10): (0.1, 0, 0, 0, 0),
}
RECIPE = load_recipe(Path(__file__).parents[1] / "configs" / "near-duplicate.toml")
SLOTS = 100


DRAWS = 10
"""Of hash functions, each with copies of its own."""
PLAN = {
    "groups": "near-duplicate",
    "shingler": {"name": "characters", "length": 10, "within": "line", "hash": "polynomial"},
    "fingerprint": {
        "name": "minhash",
        "slots": SLOTS,
        "scheme": "affine-paper",
        "seed": [*range(1, DRAWS + 1)],
    },
    "index": [{"name": "bands", "bands": bands, "rows": rows} for bands, rows in IDEAL],
    "matcher": "jaccard",
    "manglers": {"name": "keep-lines", "share": [*SHARES]},
    "trials": DRAWS,
    "folds": 2,
}
"""The experiment. Copies of a trial are sketched with one draw of the hash functions alone."""


@dataclass
class CopiesFound:
    """What is found of the copies that keep a share of the lines."""

    jaccard: list[float] = field(default_factory=list)
    found: list[float] = field(default_factory=lambda: [0.0] * len(IDEAL))

    def row(self, number: int) -> str:
        """The columns of the layout with a number: the mean similarity, the ideal, the share."""
        layout, copies = list(IDEAL)[number], len(self.jaccard)
        ideal = collision_probability(np.array(self.jaccard), *layout).mean()
        found = self.found[number] / copies
        return f"{np.mean(self.jaccard):9.3f}{ideal:8.3f}{found:8.3f}"


def measured(folder: Path, iterations: int) -> list[CopiesFound]:
    """The copies found for each share, of the documents in a folder."""
    queries = max(2, iterations // DRAWS)
    plan = plan_of({"dataset": str(folder), "queries": queries, **PLAN})
    dataset = load_datasets([plan])[0]
    scorer = UnitScorer(dataset)
    shares = [CopiesFound() for _ in SHARES]
    for trial, fold, (mangler, share) in product(
        range(DRAWS), range(plan.folds), enumerate(shares)
    ):
        histograms = scorer(ScoringUnit(trial, trial, mangler, fold))
        for cell, scores in enumerate(histograms[0, 0]):
            share.found[cell] += int(scores[1:].sum())  # the first are no candidates
        documents = Trial(dataset, trial, trial, fold)
        for query in documents.queries(mangler):
            original = documents.rows[int(query.planted[0])]
            common = len(np.intersect1d(query.terms, original, assume_unique=True))
            share.jaccard.append(common / (len(query.terms) + len(original) - common))
    return shares


def experiments(folders: Mapping[str, Path], iterations: int) -> None:
    """Print the first table."""
    over = {kind: measured(folder, iterations) for kind, folder in folders.items()}
    print(f"{'':28}paper  {''.join(f'{kind:>25}' for kind in over)}")
    columns = f"{'J':>9}{'ideal':>8}{'found':>8}" * len(over)
    print(f"{'layout':>10}{'lines':>7}{'ideal':>9}{'real':>9}{columns}")
    for number, (layout, ideals) in enumerate(IDEAL.items()):
        for place, (share, ideal) in enumerate(zip(SHARES, ideals, strict=True)):
            figures = "".join(shares[place].row(number) for shares in over.values())
            real = REAL[layout][place]
            print(f"{'{} of {}'.format(*layout):>10}{share:7.1f}{ideal:9.2f}{real:9.2f}{figures}")


class Stages:
    """Seconds and bytes of the stages from files to candidates."""

    def __init__(self) -> None:
        self.begin = time.perf_counter()

    def row(self, stage: str, size: int, theirs: str) -> None:
        """Print what the stage took, and the bytes that came of it."""
        taken = time.perf_counter() - self.begin
        print(f"{stage:44}{taken:9.2f} s{size / 1e6:9.2f} MB   {theirs}")
        self.begin = time.perf_counter()


def stages(paths: Sequence[Path]) -> None:
    """Print the second table."""
    read(paths[0])  # the process that reads is begun once for many files
    timed = Stages()
    texts = [read(path).clean for path in paths]
    size = sum(path.stat().st_size for path in paths)
    timed.row("files, read", size, "PDF files over 300 MB")
    result = Encoder(RECIPE)(texts)
    sets = Shingles()(result)
    timed.row("tokens and shingles", sets.values.nbytes, "with reading 36 minutes; 102 MB")
    sketches = MinHash(SLOTS, 1, "affine-paper")(sets)
    timed.row("100 hash functions", sketches.nbytes, "4 minutes; 120 KB")
    held = MemoryCollection(RECIPE, sets, [path.name for path in paths], {"sketches": sketches})
    pairs = links(held, Question())
    timed.row(f"bands, verified: {len(pairs)} pairs", 0, "a few seconds, not verified")


def main(iterations: int) -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as place:
        folders = {kind: Path(place, kind) for kind in ("texts", "PDF files")}
        for folder in folders.values():
            folder.mkdir()
        for name, text in manual_pages(DOCUMENTS).items():
            (folders["texts"] / f"{name}.txt").write_text(text, "utf-8")
            write_pdf(folders["PDF files"] / f"{name}.pdf", text)
        for kind, folder in folders.items():
            print(f"\n{DOCUMENTS} {kind}")
            print(f"{'':44}{'seconds':>11}{'size':>12}   the paper, of 393 papers")
            stages(sorted(folder.iterdir()))
        print(f"\n{iterations} copies for each layout and share")
        experiments(folders, iterations)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ITERATIONS)
