"""Whether pairs are found as often as 1 - (1 - J**r)**b says, by every scheme of sketches.

Run as `python benchmarks/recall.py`; the texts are those of the other benchmarks. A cell is a
scheme, a layout (bands and rows) and a share of lines that copies keep: 1,000 pairs of a document
of 40 to 120 lines and its copy, 50 in each of 20 trials; each trial has hash functions of its own,
and no document is in a trial twice. Shingles are five words in a row within a line. Layouts are the
first paper's, with 100 slots, and those that the library chooses for 128 slots and a recall of .99.

Three figures are printed for each cell: `nominal` is the formula at the similarity that copies
were made for, `ideal` is the mean of the formula at the exact similarity of each pair, and `found`
is the share of pairs found. The test was fixed before it was run, and each scheme is tested once,
with all of its cells: the sum of z² must stay below what chance exceeds once in a thousand times,
and no |z| may exceed 4.5. Here z is the number found less that expected, by its standard deviation
at the exact similarities. Cells in which fewer than 5 pairs are expected to be found make one cell
together, and so do those in which fewer than 5 are expected to be missed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from copies import Copies, collision_probability, share_for
from texts import english

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.fingerprints.bitvector_and_shingles import Shingles
from sdtext.parts.fingerprints.minhash import SCHEMES, MinHash
from sdtext.parts.indexes import Bands
from sdtext.parts.load_recipe import load_recipe
from sdtext.search.candidates.intersections import common

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAPER = tuple((Bands(bands=b, rows=r), 100) for b, r in ((50, 2), (25, 4), (20, 5), (10, 10)))
OWN = tuple((Bands(similarity=similarity, recall=0.99), 128) for similarity in (0.5, 0.7, 0.8, 0.9))
PAPER_SHARES = (0.8, 0.6, 0.5, 0.4, 0.2)
OWN_SHARES = tuple(share_for(jaccard) for jaccard in (0.9, 0.8, 0.7, 0.5, 0.3))
TRIALS, PAIRS = 20, 50
MOST = 4.5  # |z| of any cell
DEVIATE = 3.0902  # of the normal distribution: one in a thousand is above
FEW = 5
MEGABYTES = 12


@dataclass(frozen=True)
class Cell:
    """What is tried, and what came of it, of so many pairs."""

    scheme: str
    bands: Bands
    slots: int
    share: float
    expected: NDArray[np.float64]
    hits: int

    @property
    def layout(self) -> tuple[int, int]:
        """Bands and rows."""
        return self.bands.layout(self.slots)

    @property
    def nominal(self) -> float:
        """The formula at the similarity that copies were made for."""
        return collision_probability(self.share / (2 - self.share), *self.layout)

    @property
    def is_sparse(self) -> bool:
        """Whether nearly all or nearly none are expected to be found."""
        return min(self.expected.sum(), (1 - self.expected).sum()) < FEW


def deviation(cells: Sequence[Cell]) -> float:
    """The z of all pairs of some cells together."""
    expected = np.concatenate([cell.expected for cell in cells])
    spread = float((expected * (1 - expected)).sum()) ** 0.5
    # Where nothing is left to chance any deviation is too much.
    missed = sum(cell.hits for cell in cells) - expected.sum()
    return float(missed / max(spread, 1e-9))


class Trials:
    """Runs cells over documents made of the texts."""

    def __init__(self) -> None:
        recipe = load_recipe(Path(__file__).parents[1] / "configs" / "deduplicate.toml")
        words = PartSpec.of("words", length=5, within="line")
        self.shingling = Encoder(RecipeSpec(recipe.tokenizer, recipe.filters, shingler=words))
        self.chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
        self.documents = list(self._documents())
        self.copies = Copies(self.documents, self.chance)
        self.seed = 0

    def _documents(self) -> Iterator[list[str]]:
        for text in english(MEGABYTES):
            lines = [line for line in text.decode("utf-8").splitlines() if len(line.split()) > 7]
            while len(lines) >= 40:
                length = self.chance.randint(40, 120)
                yield lines[:length]
                lines = lines[length:]

    def __call__(self, scheme: str, bands: Bands, slots: int, share: float) -> Cell:
        """A cell, with pairs and hash functions of its own."""
        expected, hits = [], 0
        for _ in range(TRIALS):
            self.seed += 1
            chosen = self.chance.sample(self.documents, PAIRS)
            copied = [self.copies.of(document, share) for document in chosen]
            rows = self.shingling(["\n".join(document) for document in (*chosen, *copied)])
            keys = bands.keys(MinHash(slots=slots, seed=self.seed, scheme=scheme)(rows))
            hits += int((keys[:PAIRS] == keys[PAIRS:]).any(axis=1).sum())
            sets = Shingles()(rows)
            places = np.arange(PAIRS)
            shared = common(sets, sets, (places, places + PAIRS))
            jaccard = shared / (sets.lengths[:PAIRS] + sets.lengths[PAIRS:] - shared)
            expected.append(collision_probability(jaccard, *bands.layout(slots)))
        return Cell(scheme, bands, slots, share, np.concatenate(expected), hits)


def limit(cells: int) -> float:
    """What a chi-squared of that many cells exceeds once in a thousand times.

    By the approximation of Wilson and Hilferty (1931).
    """
    spread = 2 / (9 * cells)
    return float(cells * (1 - spread + DEVIATE * spread**0.5) ** 3)


def print_scheme(scheme: str, cells: Sequence[Cell]) -> None:
    """Print all cells of a scheme, and the test."""
    print(f"\n{scheme}")
    print(f"{'layout':>12}{'lines kept':>12}{'nominal':>9}{'ideal':>9}{'found':>9}{'z':>7}")
    for cell in cells:
        layout = "{} of {}".format(*cell.layout)
        share = cell.hits / len(cell.expected)
        z = "" if cell.is_sparse else f"{deviation([cell]):7.2f}"
        figures = f"{cell.nominal:9.4f}{cell.expected.mean():9.4f}{share:9.4f}"
        print(f"{layout:>12}{cell.share:12.3f}{figures}{z:>7}")
    tested = [[cell] for cell in cells if not cell.is_sparse]
    sparse = [cell for cell in cells if cell.is_sparse]
    # What is nearly always found tells little beside what is nearly never found.
    rare = [cell for cell in sparse if cell.expected.mean() < 0.5]
    frequent = [cell for cell in sparse if cell.expected.mean() >= 0.5]
    tested += [part for part in (rare, frequent) if part]
    values = [deviation(part) for part in tested]
    total, worst = sum(z * z for z in values), max(map(abs, values))
    passed = total < limit(len(values)) and worst < MOST
    print(
        f"chi² {total:.1f} of {len(values)} cells (limit {limit(len(values)):.1f}), "
        f"largest |z| {worst:.2f} (limit {MOST}): {'as it should be' if passed else 'NOT SO'}"
    )


def main() -> None:
    """Print the tables."""
    trials = Trials()
    print(f"{len(trials.documents)} documents; {TRIALS} trials of {PAIRS} pairs for each cell")
    for scheme in SCHEMES:
        cells = [
            trials(scheme, bands, slots, share)
            for layouts, shares in ((PAPER, PAPER_SHARES), (OWN, OWN_SHARES))
            for bands, slots in layouts
            for share in shares
        ]
        print_scheme(scheme, cells)


if __name__ == "__main__":
    main()
