"""The experiment of E. Celozzi and L. Ciabini, "Finding similar document", section 7.

Run as `python benchmarks/first_paper.py [ITERATIONS]`; needs `benchmarks/requirements.txt`, the
program man and manual pages (manual_pages.py). Of 393 documents, as many as the paper has, one is
drawn and copied five times, with each line kept with the probability 0.8, 0.6, 0.5, 0.4 and 0.2 and
else swapped for a random line of a random document; the copy is found if it has a band in common
with its original. 500 iterations for each layout (the paper: 50), each with hash functions of its
own. The documents are manual pages, as texts and as PDF files made of these; the paper's were 393
papers in PDF, which nobody else has. All goes by configs/near-duplicate.toml.

`paper, ideal` is the paper's table 1, which puts the share of lines kept for the similarity into
1 - (1 - t**r)**b; `paper, real` is its table 2. `J` is the mean of the exact Jaccard similarity of
copies and originals, `ideal` the mean of the formula at it, `found` the share of copies found. A
share s of lines is no Jaccard similarity: about s / (2 - s) is, for what is swapped counts on both
sides. That is the main part of what parts the paper's tables, not all of it.

The second table has bytes and seconds, of one process, beside the paper's.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from copies import Copies, collision_probability
from manual_pages import manual_pages, write_pdf

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec
from sdtext.parts.fingerprints.minhash import MinHash
from sdtext.parts.fingerprints.shingles import Shingles
from sdtext.parts.indexes.bands import Bands
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.read_document import read
from sdtext.search import InMemoryCollection, Question, links
from sdtext.search.candidates.intersections import common

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


@dataclass
class Experiment:
    """The experiment over documents, each given as its lines."""

    documents: Sequence[Sequence[str]]
    shingling: Encoder = field(default_factory=lambda: Encoder(RECIPE))
    seed: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
        self.copies = Copies(self.documents, self.chance)
        assert RECIPE.shingler is not None  # noqa: S101 (the recipe names it)
        options = {**dict(RECIPE.shingler.options), "hash": "mixed"}
        self.exact = Encoder(replace(RECIPE, shingler=PartSpec.of("characters", **options)))

    def __call__(self, bands: Bands, iterations: int) -> list[tuple[float, float, float]]:
        """For each share the mean similarity, the mean ideal, and the share of copies found."""
        jaccard, hits = [], []
        for _ in range(iterations):
            self.seed += 1
            original = self.chance.choice(self.documents)
            copied = [self.copies.of(original, share) for share in SHARES]
            texts = ["\n".join(lines) for lines in (original, *copied)]
            sketches = MinHash(SLOTS, self.seed, "affine-paper")(self.shingling(texts))
            keys = bands.keys(sketches)
            hits.append((keys[1:] == keys[0]).any(axis=1))
            jaccard.append(_with_first(Shingles()(self.exact(texts))))
        ideal = collision_probability(np.array(jaccard), bands.bands, bands.rows)
        columns = (np.mean(values, axis=0).tolist() for values in (jaccard, ideal, hits))
        return list(zip(*columns, strict=True))


def _with_first(sets: Ragged) -> list[float]:
    """The Jaccard similarity of the first set and each other one."""
    others = np.arange(1, len(sets))
    shared = common(sets, sets, (np.zeros_like(others), others))
    return (shared / (sets.lengths[0] + sets.lengths[1:] - shared)).tolist()


def experiments(kinds: Mapping[str, Sequence[str]], iterations: int) -> None:
    """Print the first table."""
    lines = {
        kind: [[line for line in text.split("\n") if line.strip()] for text in texts]
        for kind, texts in kinds.items()
    }
    over = {kind: Experiment(documents) for kind, documents in lines.items()}
    print(f"{'':28}paper  {''.join(f'{kind:>25}' for kind in over)}")
    columns = f"{'J':>9}{'ideal':>8}{'found':>8}" * len(over)
    print(f"{'layout':>10}{'lines':>7}{'ideal':>9}{'real':>9}{columns}")
    for layout, ideals in IDEAL.items():
        bands = Bands(bands=layout[0], rows=layout[1])
        result = zip(*(value(bands, iterations) for value in over.values()), strict=True)
        for share, ideal, real, rows in zip(SHARES, ideals, REAL[layout], result, strict=True):
            figures = "".join(f"{j:9.3f}{mean:8.3f}{hit:8.3f}" for j, mean, hit in rows)
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


def stages(paths: Sequence[Path]) -> list[str]:
    """Print the second table; the texts of the files."""
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
    held = InMemoryCollection(RECIPE, sets, [path.name for path in paths], {"sketches": sketches})
    pairs = links(held, Question())
    timed.row(f"bands, verified: {len(pairs)} pairs", 0, "a few seconds, not verified")
    return texts


def main(iterations: int) -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as place:
        paths: dict[str, list[Path]] = {"texts": [], "PDF files": []}
        for name, text in manual_pages(DOCUMENTS).items():
            paths["texts"].append(Path(place, f"{name}.txt"))
            paths["PDF files"].append(Path(place, f"{name}.pdf"))
            paths["texts"][-1].write_text(text, "utf-8")
            write_pdf(paths["PDF files"][-1], text)
        texts = {}
        for kind, files in paths.items():
            print(f"\n{len(files)} {kind}")
            print(f"{'':44}{'seconds':>11}{'size':>12}   the paper, of 393 papers")
            texts[kind] = stages(files)
    print(f"\n{iterations} iterations for each layout")
    experiments(texts, iterations)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ITERATIONS)
