"""Whether a calibration keeps its promise: levels from one half of a folder, tried on the other.

Run as `python benchmarks/calibration.py FOLDER DICTIONARY [SPLITS]`, with documents that the
dictionary was not made from. The documents are divided by chance into halves, several times. The
levels that Calibrate gives for one half are tried on the unrelated pairs of the other half, as are
those of the bundled calibration. Printed are, for each of both, matcher, size class and rate: the
number of halves with a level, the mean level, the mean rate of false positives in the other half,
the share of halves in which it is more than twice the promised rate, and the share in which it is
above it by more than chance (the lower limit of the other half, with 95 % confidence, is above the
promised rate).
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from sdtext import Calibration, Run, calibrate, load
from sdtext.model.binomial_limits import lower_limit
from sdtext.model.calibration import RATES, SizeClass
from sdtext.model.dictionary import Dictionary
from sdtext.reading.walk import walk

MATCHERS = ("idf-cosine", "surprise")
EDIT = "fragment(share=0.5)"


def halves(files: list[Path], seed: int) -> tuple[list[Path], list[Path]]:
    """The files in two parts, drawn by chance."""
    drawn = files.copy()
    random.Random(seed).shuffle(drawn)  # noqa: S311 (drawn to be the same each time)
    middle = len(drawn) // 2
    return drawn[:middle], drawn[middle:]


def calibrations(dictionary: Dictionary, files: list[Path], seed: int) -> tuple[Calibration, ...]:
    """The calibrations with these files."""
    run = Run(problems=[])
    done = calibrate(dictionary, files, matcher=MATCHERS, run=run, mangler=EDIT, seed=seed)
    return done.calibrations


def at_least(item: SizeClass, score: int) -> float:
    """The one-sided lower limit of the share of unrelated pairs with that score or more."""
    independent = item.independent_at(score)
    return lower_limit(int(item.rate(score) * independent), independent)


def outcomes(
    promised: Calibration, other: Calibration
) -> Iterator[tuple[tuple[str, int, float], tuple[int, float, bool]]]:
    """The level of each size class and rate, its rate in the other half, if that is too high."""
    for item in promised.classes:
        same = other.class_of(item.least, item.least)
        for rate in RATES:
            level = item.level(rate)
            if level is not None and same and same.excerpts == item.excerpts:
                outcome = level, same.rate(level), at_least(same, level) > rate
                yield (promised.matcher, item.least, rate), outcome


def main() -> None:
    """Calibrate and try."""
    folder, name = sys.argv[1:3]
    splits = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    dictionary = load(name)
    if not isinstance(dictionary, Dictionary):
        sys.exit(f"{name} is not a dictionary")
    files = list(walk([folder], lambda _: None))
    tried = defaultdict(list)
    for seed in range(splits):
        left, right = (calibrations(dictionary, half, seed) for half in halves(files, seed))
        print(f"split {seed}: {left[0].documents}, {right[0].documents} documents", file=sys.stderr)
        for other, own in ((right, left), (left, right)):
            for seen, promised in product(other, [*own, *dictionary.calibrations]):
                if seen.matcher == promised.matcher:
                    for key, outcome in outcomes(promised, seen):
                        tried[promised.bundled, *key].append(outcome)
    print("| levels | matcher | bits from | rate | halves | level | seen | twice | beyond chance |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (bundled, matcher, least, rate), values in sorted(tried.items()):
        number = len(values)
        level, seen, beyond = (sum(column) / number for column in zip(*values, strict=True))
        twice = sum(value > 2 * rate for _, value, _ in values) / number
        print(
            f"| {'bundled' if bundled else 'own'} | {matcher} | {least} | {100 * rate:g} % | "
            f"{number} | {level:.0f} | {100 * seen:.3f} % | {100 * twice:.0f} % | "
            f"{100 * beyond:.0f} % |"
        )


if __name__ == "__main__":
    main()
