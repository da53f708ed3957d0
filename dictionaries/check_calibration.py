"""Try the levels of the bundled calibrations on texts that neither they nor a dictionary saw.

Run as `python dictionaries/check_calibration.py --work FOLDER [LANGUAGE…]`: the texts are those of
the packages that sources.toml lists for trials, fetched to FOLDER. They are cleaned and cut as for
a calibration; documents that share text with others are left out, so that all pairs of the rest are
unrelated. Printed are, for each matcher and size class, the number of these pairs, and for each
rate the level of the dictionary's calibration with the percentage of the pairs that reach it and
its 95 % interval. An asterisk marks a percentage above the promised one by more than chance. The
last columns have the percentages of planted copies found at the level of 0.1 %: of the documents of
the calibration, and of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from calibrate import MATCHERS, SAMPLE, write_packages
from collecting import HERE, Language, asked

from sdtext import Run, calibrate, load
from sdtext.model.binomial_limits import share_interval
from sdtext.model.calibration import Calibration, SizeClass
from sdtext.model.dictionary import Dictionary

RATES = (0.01, 0.001)


def tried(dictionary: Dictionary, language: Language, work: Path) -> tuple[Calibration, ...]:
    """The calibrations that the texts for trials give."""
    with TemporaryDirectory() as folder:
        write_packages(language, work, Path(folder), "trial")
        return calibrate(
            dictionary, folder, matcher=MATCHERS, run=Run(problems=[]), sample=SAMPLE
        ).calibrations


def cell(promised: SizeClass, seen: SizeClass, rate: float) -> str:
    """A level, and the percentage of the pairs seen that reach it."""
    level = promised.level(rate)
    if level is None:
        return "–"
    low, high = share_interval(seen.reached(level), seen.pairs, seen.independent_at(level))
    above = "*" if low > rate else ""
    return f"{level}: {100 * seen.rate(level):.2g} % ({100 * low:.2g} to {100 * high:.2g}){above}"


def found(item: SizeClass, level: int) -> str:
    """The percentage of planted copies that reach a level."""
    share = item.recall(level)
    return "–" if share is None else f"{100 * share:.0f} %"


def rows(shipped: Calibration, seen: Calibration) -> Iterator[str]:
    """The rows of a matcher, for each size class that both have pairs in."""
    for promised in shipped.classes:
        same = seen.class_of(promised.least, promised.least)
        if same and promised.pairs and not same.excerpts:
            cells = [shipped.matcher, promised.sizes, f"{same.pairs:,}"]
            cells += [cell(promised, same, rate) for rate in RATES]
            level = promised.level(RATES[-1])
            cells += ["–" if level is None else found(item, level) for item in (promised, same)]
            yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the tables."""
    given = asked(__doc__)
    for language in given.languages:
        dictionary = load(HERE / f"{language.name}.xml.gz")
        assert isinstance(dictionary, Dictionary)  # noqa: S101 (it is one of ours)
        outcomes = tried(dictionary, language, given.work)
        print(
            f"{language.name}: {outcomes[0].documents} documents, {outcomes[0].left_out} left out"
        )
        print("| matcher | bits | pairs | 1 % | 0.1 % | found: promised | seen |")
        print("|---|---|---|---|---|---|---|")
        shipped = {calibration.matcher: calibration for calibration in dictionary.calibrations}
        for seen in outcomes:
            if seen.matcher in shipped:
                print(*rows(shipped[seen.matcher], seen), sep="\n", flush=True)


if __name__ == "__main__":
    main()
