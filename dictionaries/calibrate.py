"""Calibrate a bundled dictionary with texts that are not in it.

Run as `python dictionaries/calibrate.py LANGUAGE FOLDER…`. Long texts are cut at line ends into
documents whose lengths are drawn from the log-normal distribution of the documents of the
dictionary (see README.md). Its file then states how often unrelated documents reach a score; the
terms and the content digest stay as they are. The table of README.md is printed.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

from sdtext import Run, calibrate, load
from sdtext.fingerprinting.load_and_save import save
from sdtext.model.calibration import RATES
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


def main() -> None:
    """Calibrate, and print the levels."""
    language, *folders = sys.argv[1:]
    path = FILES / f"{language}.xml.gz"
    dictionary = load(path)
    if not isinstance(dictionary, Dictionary):
        sys.exit(f"{path} is not a dictionary")
    chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
    with TemporaryDirectory() as folder:
        for file in sorted(walk(folders, lambda _: None)):
            texts = filter(str.strip, documents(read(file).text, chance))
            for number, text in enumerate(texts):
                (Path(folder) / f"{file.stem}-{number:04}.txt").write_text(text, "utf-8")
        run = Run(problems=[])
        created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        done = calibrate(dictionary, folder, MATCHERS, run, sample=SAMPLE, created=created)
    save(done.dictionary, path)
    first = done.calibrations[0]
    print(f"{first.documents} documents, {len(done.left_out)} left out")
    for problem in run.problems or ():
        print(problem.message, file=sys.stderr)
    print("| matcher | bits | pairs | 1 % | 0.1 % | 0.01 % | copies found at 0.1 % | Cllr |")
    print("|---|---|---|---|---|---|---|---|")
    for calibration in done.calibrations:
        for item in calibration.classes:
            levels = [item.level(rate) for rate in RATES]
            found = "" if levels[1] is None else f"{100 * (item.recall(levels[1]) or 0):.0f} %"
            cells = [calibration.matcher, item.sizes, f"{item.pairs:,}"]
            cells += ["–" if level is None else str(level) for level in levels]
            print(f"| {' | '.join(cells)} | {found} | {item.cllr or 0:.2f} |")


if __name__ == "__main__":
    main()
