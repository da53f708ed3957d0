"""Choice of the best range of normalized IDF to find edited copies, by language.

Run as `python dictionaries/measure.py --work FOLDER [LANGUAGE…]` after make.py. Of the documents
300 are held out, another 100 only give lines to edits, and of the others a dictionary is made.
Of each held-out document four edited copies are looked for among the 300. Printed is, for each
range, how many terms it has; the percentages of copies whose original comes first, by cosine and
by idf-cosine, and that score above the level of 0.1 % of all wrong pairs, by idf-cosine; the mean
of the three; the last but one for each kind of edit. Then the range that README.md's rule chooses.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
from collecting import Language, asked
from make import CONFIGS, documents_of
from numpy.typing import NDArray

from sdtext import Chain, Dictionary, Run, create_dictionary, load_recipe

HELD, OTHERS = 300, 100
MOST_TERMS = 20_000  # a vector of 2.5 KB
EDGES = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
LOWEST, HIGHEST = range(6), range(6, 11)  # the edges that ranges begin and end at
LEAST_TERMS = 8
Numbers = NDArray[np.float32]
Edit = Callable[[Sequence[str], Sequence[str], random.Random], str]


def kept(share: float, lines: Sequence[str], others: Sequence[str], chance: random.Random) -> str:
    """Each line with the chance `share`, else one of another document."""
    return "".join(line if chance.random() < share else chance.choice(others) for line in lines)


def fragment(
    share: float, lines: Sequence[str], _others: Sequence[str], chance: random.Random
) -> str:
    """That share of the lines, one behind the other."""
    number = max(1, round(len(lines) * share))
    begin = chance.randrange(len(lines) - number + 1)
    return "".join(lines[begin : begin + number])


def misread(
    share: float, lines: Sequence[str], _others: Sequence[str], chance: random.Random
) -> str:
    """All lines with that share of the characters exchanged for others of the document."""
    text = "".join(lines)
    return "".join(chance.choice(text) if chance.random() < share else item for item in text)


EDITS: dict[str, Edit] = {
    "60 % of lines kept": partial(kept, 0.6),
    "20 % of lines kept": partial(kept, 0.2),
    "25 % fragment": partial(fragment, 0.25),
    "8 % of characters wrong": partial(misread, 0.08),
}


@dataclass(frozen=True)
class Bands:
    """Scalar products and squared norms by bands of normalized IDF, each (band, …)."""

    products: NDArray[np.float64]
    copies: NDArray[np.float64]
    originals: NDArray[np.float64]

    def scores(self, low: int, high: int) -> NDArray[np.float64]:
        """The cosines over the bands from `low` to before `high`: (copy, original)."""
        left, right = self.copies[low:high].sum(axis=0), self.originals[low:high].sum(axis=0)
        norms = np.sqrt(np.outer(left, right))
        products: NDArray[np.float64] = self.products[low:high].sum(axis=0)
        return np.divide(products, norms, out=np.zeros_like(norms), where=norms > 0)


def banded(copies: list[set[str]], originals: list[set[str]], weights: dict[str, float],
           nidf: dict[str, float]) -> Bands:  # fmt: skip
    """The bands for terms of these weights; terms without are unknown."""
    known = {term for term in set().union(*copies, *originals) if nidf.get(term, -1) >= 0}
    terms = sorted(known, key=nidf.__getitem__)
    places = {term: place for place, term in enumerate(terms)}
    weight = np.array([weights[term] for term in terms], np.float32)
    left, right = (_matrix(item, places) * weight for item in (copies, originals))
    values = np.array([nidf[term] for term in terms])
    cuts = [0, *np.searchsorted(values, EDGES[1:-1]).tolist(), len(terms)]
    bands = [slice(*pair) for pair in pairwise(cuts)]
    return Bands(
        np.stack([left[:, band] @ right[:, band].T for band in bands]).astype(np.float64),
        np.stack([np.square(left[:, band]).sum(axis=1) for band in bands]).astype(np.float64),
        np.stack([np.square(right[:, band]).sum(axis=1) for band in bands]).astype(np.float64),
    )


def _matrix(sets: list[set[str]], places: dict[str, int]) -> Numbers:
    matrix = np.zeros((len(sets), len(places)), np.float32)
    for row, terms in enumerate(sets):
        matrix[row, [places[term] for term in terms if term in places]] = 1
    return matrix


def lines_of(text: str, width: int) -> list[str]:
    """The text in lines of that many characters, cut at blanks where there are any."""
    return re.findall(rf"(?s).{{1,{width}}}(?:\s|$)|.{{1,{width}}}", text)


def first(scores: NDArray[np.float64]) -> float:
    """The percentage of copies whose original scores above all others; rows are in its order."""
    right = np.tile(np.arange(scores.shape[1]), len(scores) // scores.shape[1])
    own = scores[np.arange(len(scores)), right]
    scores = scores.copy()
    scores[np.arange(len(scores)), right] = -1
    return 100 * float(np.mean(own > scores.max(axis=1)))


def found(scores: NDArray[np.float64]) -> float:
    """The percentage of copies above the level of 0.1 % of all wrong pairs."""
    right = np.tile(np.eye(scores.shape[1], dtype=bool), (len(scores) // scores.shape[1], 1))
    return 100 * float(np.mean(scores[right] > np.quantile(scores[~right], 0.999)))


def prepared(
    language: Language, config: Path, work: Path
) -> tuple[Dictionary, list[set[str]], list[set[str]]]:
    """The dictionary, and the terms of the copies and of the originals."""
    chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
    paths = documents_of(language, work)
    held = sorted(chance.sample(range(len(paths)), HELD + OTHERS))
    chance.shuffle(held)
    apart = set(held)
    rest = [path for place, path in enumerate(paths) if place not in apart]
    dictionary = create_dictionary(rest, config, run=Run(jobs=os.cpu_count() or 1))
    chain = Chain(load_recipe(config))
    texts = [paths[place].read_text("utf-8") for place in held]
    cut = [lines_of(text, language.length // 60) for text in texts]
    others = [line for lines in cut[HELD:] for line in lines]
    copies = [edit(lines, others, chance) for edit in EDITS.values() for lines in cut[:HELD]]
    originals = [chain.distinct([text]) for text in texts[:HELD]]
    return dictionary, [chain.distinct([text]) for text in copies], originals


@dataclass(frozen=True)
class Row:
    """The figures of one range, as described above."""

    range: str
    terms: int
    first_by_cosine: float
    first: float
    found: float
    each: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the three percentages."""
        return (self.first_by_cosine + self.first + self.found) / 3

    def __str__(self) -> str:
        numbers = (self.first_by_cosine, self.first, self.found, self.mean, *self.each)
        columns = " | ".join(f"{number:.1f}" for number in numbers)
        return f"| {self.range} | {self.terms:,} | {columns} |"


def rows(
    dictionary: Dictionary, copies: list[set[str]], originals: list[set[str]]
) -> Iterator[Row]:
    """A row for each range."""
    counts = dict(zip(dictionary.terms, dictionary.counts, strict=True))
    values = {term: dictionary.nidf(count) for term, count in counts.items()}
    idf = {term: max(0.0, dictionary.idf(count)) for term, count in counts.items()}
    plain = banded(copies, originals, dict.fromkeys(counts, 1.0), values)
    weighted = banded(copies, originals, idf, values)
    sizes = np.histogram(list(values.values()), EDGES)[0]
    for low, high in product(LOWEST, HIGHEST):
        enough = plain.copies[low:high].sum(axis=0)[:, None] >= LEAST_TERMS
        by_idf = weighted.scores(low, high) * enough
        yield Row(
            f"{EDGES[low]:.1f} to {EDGES[high]:.1f}",
            int(sizes[low:high].sum()),
            first(plain.scores(low, high) * enough),
            first(by_idf),
            found(by_idf),
            tuple(found(part) for part in np.split(by_idf, len(EDITS))),
        )


def choice(measured: Sequence[Row]) -> Row:
    """Of the ranges with no more than `MOST_TERMS` terms the one with the highest mean."""
    return max((row for row in measured if row.terms <= MOST_TERMS), key=lambda row: row.mean)


def main() -> None:
    """Measure the languages that are named, or all."""
    given = asked(__doc__, config="another recipe in configs/")
    for language in given.languages:
        config = CONFIGS / (given.config or language.config)
        dictionary, copies, originals = prepared(language, config, given.work)
        print(f"{language.name}, {config.name}: {dictionary.documents} documents")
        measured = list(rows(dictionary, copies, originals))
        print(*measured, sep="\n")
        print(f"chosen: {choice(measured).range}", flush=True)


if __name__ == "__main__":
    main()
