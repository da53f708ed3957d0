"""The comparison of C. Bergillos, A. Rambla and A. Cabeza: similarities and hash functions.

Run as `python benchmarks/second_paper.py`; the texts are those of the other benchmarks. ("Document
similarity detection using hashing"; its section of experiments is empty.) All goes by
configs/shingles.toml: shingles of 9 characters, sketches of 128 slots; seconds are CPU seconds.

1. Of each text a copy in which a share of the words, drawn at random, is shuffled among themselves,
   as the paper makes its data by shuffling: from the same text to another order of all its words.
   The exact Jaccard similarity beside the mean estimate and its root mean squared error, each text
   with hash functions of its own; the last column is the error of independent slots.
2. The hash functions for shingles: time, how many of the distinct shingles (counted as strings)
   share their number with another, as many as chance would have it, and the error of the estimate
   for copies in which a tenth of the words is shuffled.
3. The hash functions for bands: pairs with an equal key and no equal band, which cost a comparison
   each and are no loss. `positional` is as in the first paper with a modulus just above the number
   of documents, which that paper asks for, and with the library's.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from texts import english

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.fingerprints.bitvector_and_shingles import Shingles
from sdtext.parts.fingerprints.minhash import MinHash
from sdtext.parts.indexes import Bands
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.manglers import Shuffle
from sdtext.search.candidates.intersections import common

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECIPE = load_recipe(Path(__file__).parents[1] / "configs" / "shingles.toml")
SHUFFLED = (0.0, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0)
TEXTS = 100
SHORT = 500  # texts of 3,000 characters, for the error of each hash function
SLOTS = 128
LENGTH = 9
NUMBERS = {  # how many there are to each hash function
    "polynomial": 1_000_003,
    "modular(m=1000003)": 1_000_003,
    "modular(m=1048576)": 1 << 20,
    "multiplicative": 1 << 32,
    "xxhash": 1 << 64,
    "mixed": 1 << 64,
}
DOCUMENTS = 2_000
BANDS = (
    ("positional, modulus 2,003", Bands(bands=20, rows=5, hash="positional", modulus=2_003)),
    ("positional", Bands(bands=20, rows=5, hash="positional")),
    ("combine", Bands(bands=20, rows=5, hash="combine")),
    ("xxhash", Bands(bands=20, rows=5, hash="xxhash")),
)


def hashed_by(name: str) -> RecipeSpec:
    """The recipe with another hash function for shingles."""
    assert RECIPE.shingler is not None  # noqa: S101 (the recipe names it)
    options = {**dict(RECIPE.shingler.options), "hash": name}
    return replace(RECIPE, shingler=PartSpec.of("characters", **options))


def shuffled(text: str, share: float, chance: random.Random) -> str:
    """The text with that share of its words in other places."""
    return Shuffle(share=share)(" ".join(text.split()), chance, [])


@dataclass(frozen=True)
class Similarities:
    """The exact Jaccard similarities of originals and copies, and those estimated."""

    exact: NDArray[np.float64]
    estimated: NDArray[np.float64]

    @property
    def error(self) -> float:
        """The root mean squared error."""
        return float(((self.estimated - self.exact) ** 2).mean() ** 0.5)


def similarities_of(texts: Sequence[str], share: float, name: str) -> Similarities:
    """Similarities of texts and their shuffled copies: exact, and estimated by sketches."""
    chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
    pairs = [text for item in texts for text in (item, shuffled(item, share, chance))]
    sets = Shingles()(Encoder(hashed_by("mixed"))(pairs))
    left, right = np.arange(0, len(pairs), 2), np.arange(1, len(pairs), 2)
    shared = common(sets, sets, (left, right))
    exact = shared / (sets.lengths[left] + sets.lengths[right] - shared)
    rows = Encoder(hashed_by(name))(pairs)
    estimated = []
    for seed, place in enumerate(left.tolist()):
        minhash = MinHash(SLOTS, seed, scheme="affine-paper")
        estimated.append(minhash.estimate(*minhash(rows.take([place, place + 1]))))
    return Similarities(exact, np.array(estimated))


def similarities(texts: Sequence[str]) -> None:
    """Print the first table."""
    print(f"{'words shuffled':>15}{'exact J':>10}{'estimate':>10}{'error':>9}{'of slots':>10}")
    for share in SHUFFLED:
        result = similarities_of(texts, share, "multiplicative")
        expected = float((result.exact * (1 - result.exact) / SLOTS).mean() ** 0.5)
        means = f"{result.exact.mean():10.4f}{result.estimated.mean():10.4f}"
        print(f"{share:15.2f}{means}{result.error:9.4f}{expected:10.4f}")


def seconds(work: Callable[[], Any]) -> float:
    """The CPU seconds of `work`, the best of three."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


def crowded(distinct: int, numbers: int) -> float:
    """How many of so many things share their number with another, if chance gives numbers."""
    return distinct * (1 - (1 - 1 / numbers) ** (distinct - 1))


def hash_functions(texts: Sequence[str], short: Sequence[str]) -> None:
    """Print the second table."""
    block = Encoder(RECIPE).tokens(texts)
    strings = {window for text in texts for window in _windows(" ".join(text.split()))}
    known = Encoder(hashed_by("mixed")).shingles(block).values
    _, first = np.unique(known, return_index=True)
    print(f"\n{len(strings):,} distinct shingles, {len(first):,} 64-bit numbers of them")
    print(f"{'':20}{'ns a shingle':>14}{'sharing':>11}{'by chance':>12}{'error':>9}")
    for name, numbers in NUMBERS.items():
        shingling = Encoder(hashed_by(name))
        result = shingling.shingles(block).values
        taken = seconds(partial(shingling.shingles, block))
        _, counts = np.unique(result[first], return_counts=True)
        sharing = int(counts[counts > 1].sum())
        by_chance = crowded(len(strings), numbers)
        error = similarities_of(short, 0.1, name).error
        figures = f"{1e9 * taken / len(result):14.1f}{sharing:11,}{by_chance:12,.0f}{error:9.4f}"
        print(f"{name:20}{figures}")


def _windows(text: str) -> Iterator[str]:
    return (text[at : at + LENGTH] for at in range(len(text) - LENGTH + 1))


def band_hashes(texts: Sequence[str]) -> None:
    """Print the third table."""
    sketches = MinHash(100, 1, scheme="affine-paper")(Encoder(RECIPE)(texts))
    print(f"\n{len(texts):,} documents, 20 bands of 5 rows")
    print(f"{'':28}{'ns a key':>10}{'candidates':>12}{'spurious':>10}")
    for name, bands in BANDS:
        keys = bands.keys(sketches)
        taken = seconds(partial(bands.keys, sketches))
        result = {pair for column in keys.T for pair in _equal(column)}
        spurious = sum(not _has_equal_band(sketches, *pair) for pair in result)
        figures = f"{1e9 * taken / keys.size:10.1f}{len(result):12,}{spurious:10,}"
        print(f"{name:28}{figures}")


def _equal(keys: NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
    """The pairs of places with equal keys."""
    order = np.argsort(keys, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
        yield from combinations(places.tolist(), 2)


def _has_equal_band(sketches: NDArray[np.uint32], left: int, right: int) -> bool:
    equal = (sketches[left] == sketches[right]).reshape(20, 5)
    return bool(equal.all(axis=1).any())


def main() -> None:
    """Print the tables."""
    texts = [text.decode("utf-8") for text in english(5)]
    similarities(texts[:TEXTS])
    passages = [text[at : at + 3000] for text in texts for at in range(0, len(text) - 3000, 2000)]
    hash_functions(texts, passages[:SHORT])
    band_hashes(passages[:DOCUMENTS])


if __name__ == "__main__":
    main()
