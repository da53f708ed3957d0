"""The score that unrelated documents reach under a dictionary of other packages, by language.

Run as `python dictionaries/measure_levels.py --work FOLDER LANGUAGE…` after make.py. The packages
are divided into five parts. Each part is held out once: a dictionary is made of at most 3,000
documents of the other parts and trimmed, and at most 100 documents of the part, evenly from its
packages, are compared with each other and with edited copies of them. The scores are `idf-cosine`
of the terms in the range, 0 below 8 bits.

Printed is, for each range: the level, which 0.1 % of all pairs of different documents exceed, and
the highest level of a part; the same for pairs of different packages; the percentage of copies
that come first and exceed the level, with 20 % of the lines, a tenth in one piece, and of all kinds
of edits of measure.py with these two; and of the tenths, those with fewer than 8 bits.

With `--book PACKAGE` the pages of one package are compared with each other, under a dictionary of
all others with the first range; then each three and each six pages as one text. Printed are the
number of texts, their median length, and the level.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from collecting import Language, asked
from make import CONFIGS, documents_of
from measure import EDGES, EDITS, LEAST_TERMS, Edit, banded, fragment, lines_of
from numpy.typing import NDArray

from sdtext import Chain, Dictionary, Run, create_dictionary

PARTS, HELD, MOST = 5, 100, 3_000
RANGES = ((2, 9), (3, 7), (0, 10))  # places in EDGES
TENTH, FEW_LINES = "10 % fragment", "20 % of lines kept"
CHANGES: dict[str, Edit] = {**EDITS, TENTH: partial(fragment, 0.1)}
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Scores of the held-out documents of a part, in one range.

    `originals` has the shape (document, document), `copies` (kind of edit, document, document).
    """

    packages: Sequence[str]
    originals: Scores
    copies: Scores
    without_score: float

    def unrelated(self, *, other_packages: bool) -> Scores:
        """The scores of pairs of different documents, or of different packages alone."""
        names = np.array(self.packages)
        apart = names[:, None] != names if other_packages else ~np.eye(len(names), dtype=bool)
        return self.originals[apart]

    def detected(self, level: float) -> Scores:
        """For each kind of edit the share of copies that come first and exceed the level."""
        own = self.copies.diagonal(axis1=1, axis2=2)
        others = self.copies - np.eye(self.copies.shape[1]) * 2
        return np.mean((own > others.max(axis=2)) & (own > level), axis=1)


def held_out(paths: Sequence[Path], chance: random.Random) -> list[Path]:
    """At most `HELD` of the documents: in turn one of each package, drawn by chance."""
    packages: dict[str, list[Path]] = {}
    for path in paths:
        packages.setdefault(path.parent.name, []).append(path)
    for members in packages.values():
        chance.shuffle(members)
    rows = sorted(
        (place, name, path)
        for name, members in packages.items()
        for place, path in enumerate(members)
    )
    return [path for _, _, path in rows[:HELD]]


def parts_of(paths: Sequence[Path], chance: random.Random) -> list[list[Path]]:
    """The documents in parts of about equal size, none of which has a package of another."""
    sizes: dict[str, int] = {}
    for path in paths:
        sizes[path.parent.name] = sizes.get(path.parent.name, 0) + 1
    names = sorted(sizes)
    chance.shuffle(names)
    totals = [0] * PARTS
    part_of = {}
    for name in sorted(names, key=lambda item: -sizes[item]):
        part_of[name] = totals.index(min(totals))
        totals[part_of[name]] += sizes[name]
    return [[path for path in paths if part_of[path.parent.name] == n] for n in range(PARTS)]


def measured(language: Language, work: Path) -> dict[tuple[int, int], list[Part]]:
    """The parts of each range."""
    chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
    config = CONFIGS / language.config
    parts = parts_of(documents_of(language, work), chance)
    result: dict[tuple[int, int], list[Part]] = {pair: [] for pair in RANGES}
    for number, part in enumerate(parts):
        rest = [path for place, item in enumerate(parts) if place != number for path in item]
        some = chance.sample(rest, min(MOST, len(rest)))
        dictionary = create_dictionary(some, config, run=Run(jobs=os.cpu_count() or 1))
        held = held_out(part, chance)
        texts = [path.read_text("utf-8") for path in held]
        cut = [lines_of(text, language.length // 60) for text in texts]
        copies = [edit(lines, cut[place - 1], chance) for edit in CHANGES.values()
                  for place, lines in enumerate(cut)]  # fmt: skip
        names = [path.parent.name for path in held]
        for pair, scored in scores_of(dictionary, texts, copies, names):
            result[pair].append(scored)
    return result


def scores_of(
    dictionary: Dictionary, texts: Sequence[str], copies: Sequence[str], packages: Sequence[str]
) -> Iterator[tuple[tuple[int, int], Part]]:
    """For each range the scores of texts, and of copies of them, with the texts."""
    chain = Chain(dictionary.recipe)
    terms = [chain.distinct([text]) for text in (*texts, *copies)]
    counts = dict(zip(dictionary.terms, dictionary.counts, strict=True))
    values = {term: dictionary.nidf(count) for term, count in counts.items()}
    idf = {term: max(0.0, dictionary.idf(count)) for term, count in counts.items()}
    size = len(texts)
    plain = banded(terms, terms[:size], dict.fromkeys(counts, 1.0), values)
    weighted = banded(terms, terms[:size], idf, values)
    shape = len(copies) // size, size
    for low, high in RANGES:
        bits = plain.copies[low:high].sum(axis=0)
        enough = bits >= LEAST_TERMS
        scores = weighted.scores(low, high) * np.outer(enough, enough[:size])
        tenths = bits[size:].reshape(shape)[list(CHANGES).index(TENTH)] if copies else bits
        yield (
            (low, high),
            Part(
                packages,
                scores[:size],
                scores[size:].reshape(*shape, size),
                float(np.mean(tenths < LEAST_TERMS)),
            ),
        )


def book(language: Language, work: Path, name: str) -> Iterator[str]:
    """Levels of the pages of one package, joined to longer and longer texts."""
    paths = documents_of(language, work)
    config = CONFIGS / language.config
    rest = [path for path in paths if path.parent.name != name]
    dictionary = create_dictionary(rest, config, run=Run(jobs=os.cpu_count() or 1))
    pages = [path.read_text("utf-8") for path in paths if path.parent.name == name]
    for number in (1, 3, 6):
        texts = ["".join(pages[at : at + number]) for at in range(0, len(pages), number)]
        _, part = next(scores_of(dictionary, texts, [], [name] * len(texts)))
        level = np.quantile(part.unrelated(other_packages=False), 0.999)
        length = int(np.median([len(text) for text in texts]))
        yield f"| {name} | {len(texts)} | {length:,} | {100 * level:.0f} |"


def row(language: Language, low: int, high: int, parts: Sequence[Part]) -> str:
    """A row of the table."""
    levels = []
    for other in (False, True):
        each = [part.unrelated(other_packages=other) for part in parts]
        levels += [np.quantile(np.concatenate(each), 0.999),
                   max(np.quantile(scores, 0.999) for scores in each)]  # fmt: skip
    detected = np.mean([part.detected(levels[0]) for part in parts], axis=0)
    kinds = list(CHANGES)
    shares = [detected[kinds.index(FEW_LINES)], detected[kinds.index(TENTH)], detected.mean()]
    shares.append(float(np.mean([part.without_score for part in parts])))
    number = sum(len(part.packages) for part in parts)
    cells = [f"{100 * value:.0f}" for value in (*levels, *shares)]
    span = f"{EDGES[low]:.1f} to {EDGES[high]:.1f}"
    return f"| {language.name} | {number} | {span} | {' | '.join(cells)} |"


def main() -> None:
    """Measure the languages that are named, or all."""
    given = asked(__doc__, book="the pages of this package alone")
    for language in given.languages:
        if given.book:
            print(*book(language, given.work, given.book), sep="\n", flush=True)
            continue
        for (low, high), parts in measured(language, given.work).items():
            print(row(language, low, high, parts), flush=True)


if __name__ == "__main__":
    main()
