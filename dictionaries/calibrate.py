"""Calibrate a bundled dictionary with texts that are not in it.

Run as `python dictionaries/calibrate.py LANGUAGE FOLDER…` with folders of texts, or as
`python dictionaries/calibrate.py LANGUAGE --work FOLDER` with texts in the packages that
sources.toml lists for calibration, fetched to FOLDER. Long texts are cut at line ends into
documents whose lengths are drawn from the log-normal distribution of the documents of the
dictionary (see README.md). Its file then states how often unrelated documents reach a score; the
terms and the content digest stay as they are. The table of README.md is printed.
"""

from __future__ import annotations

import random
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

import collecting
from collecting import Cleaner, Language, evenly, languages, table
from packages import fetched

from sdtext import Run, calibrate, load
from sdtext.fingerprinting.load_and_save import save
from sdtext.model.calibration import RATES, Calibration
from sdtext.model.dictionary import Dictionary
from sdtext.reading.read_document import read
from sdtext.reading.walk import walk

FILES = Path(__file__).parent
MATCHERS = ("cosine", "idf-cosine", "surprise")
MEDIAN, SPREAD = 5_000, 1.0  # characters; of the logarithm
SAMPLE = 1_000  # documents


def documents(text: str, chance: random.Random) -> Iterator[str]:
    """A text in documents of drawn lengths, of whole lines."""
    lines: list[str] = []
    left = chance.lognormvariate(log(MEDIAN), SPREAD)
    for line in text.splitlines(keepends=True):
        lines.append(line)
        left -= len(line)
        if left <= 0:
            yield "".join(lines)
            lines, left = [], chance.lognormvariate(log(MEDIAN), SPREAD)
    yield "".join(lines)


def write_texts(folders: list[str], target: Path) -> None:
    """Write the texts of some folders, in documents."""
    chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
    for file in sorted(walk(folders, lambda _: None)):
        texts = filter(str.strip, documents(read(file).text, chance))
        for number, text in enumerate(texts):
            (target / f"{file.stem}-{number:04}.txt").write_text(text, "utf-8")


def write_packages(language: Language, work: Path, target: Path, use: str = "calibration") -> None:
    """Write the texts of the packages for that use in a language, in documents."""
    listed = table()[use]
    listed = {**listed, **listed.get(language.name, {})}
    patterns = [item.replace("{code}", code) for item in listed["files"] for code in language.codes]
    clean = Cleaner(language)
    for name, package in sorted(fetched(listed["packages"], work / "packages").items()):
        text = "".join(map(clean, package.texts(patterns)[0]))
        chance = random.Random(name)  # noqa: S311 (drawn to be the same each time)
        pieces = evenly([*collecting.documents(text, language.length, chance)], listed["most"])
        for number, piece in enumerate(pieces):
            (target / f"{name}-{number:03}.txt").write_text(piece, "utf-8")


def rows(calibrations: Iterable[Calibration]) -> Iterator[str]:
    """The rows of the table of README.md."""
    yield "| matcher | bits | pairs | 1 % | 0.1 % | 0.01 % | copies found at 0.1 % | Cllr |"
    yield "|---|---|---|---|---|---|---|---|"
    for calibration in calibrations:
        for item in calibration.classes:
            levels = [item.level(rate) for rate in RATES]
            found = "" if levels[1] is None else f"{100 * (item.recall(levels[1]) or 0):.0f} %"
            cells = [calibration.matcher, item.sizes, f"{item.pairs:,}"]
            cells += ["–" if level is None else str(level) for level in levels]
            yield f"| {' | '.join(cells)} | {found} | {item.cllr or 0:.2f} |"


def bundled(calibration: Calibration) -> Calibration:
    """The same as one that comes with sdtext, which every statement of it says."""
    return replace(calibration, bundled=True)


def main() -> None:
    """Calibrate, and print the levels."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=languages())
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--work", type=Path)
    given = parser.parse_args()
    path = FILES / f"{given.language}.xml.gz"
    dictionary = load(path)
    if not isinstance(dictionary, Dictionary):
        sys.exit(f"{path} is not a dictionary")
    with TemporaryDirectory() as folder:
        if given.work:
            write_packages(languages()[given.language], given.work, Path(folder))
        write_texts(given.folders, Path(folder))
        run = Run(problems=[])
        created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        done = calibrate(
            dictionary, folder, matcher=MATCHERS, run=run, sample=SAMPLE, created=created
        )
    save(done.dictionary.with_calibrations(map(bundled, done.calibrations)), path)
    print(f"{done.calibrations[0].documents} documents, {len(done.left_out)} left out")
    for problem in run.problems or ():
        print(problem.message, file=sys.stderr)
    print(*rows(done.calibrations), sep="\n")


if __name__ == "__main__":
    main()
