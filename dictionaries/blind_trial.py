"""A blind trial of calibrations: rules for texts, halves, levels and failure that precede any text.

Run as `python dictionaries/blind_trial.py --work FOLDER CORPUS…`, with the names of `[blind]` in
sources.toml. README.md has the protocol. The packages of a corpus are chosen by the hashes of their
names, and their texts are documents as they are, neither cleaned nor cut.

1. Own calibrations: Calibrate takes levels from one half of the documents, with the bundled
   dictionary of their language. They are tried on the other half, in both directions.
2. Bundled calibrations: their levels are tried on all documents.

Printed is a row for each matcher, size class and rate: the number of trials, the mean level, the
mean percentage of unrelated pairs that reach it, in how many trials that is above the promised
one, in how many beyond chance (95 % confidence for that one level), and the percentages of planted
copies that reach it: of the calibration, and of the documents that it is tried on. Then the
verdict.
"""

from __future__ import annotations

import re
import subprocess
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

from collecting import HERE, Language, evenly, languages, table
from packages import fetched

from sdtext import Run, calibrate, load
from sdtext.model.binomial_limits import lower_limit
from sdtext.model.calibration import RATES, Calibration, SizeClass
from sdtext.model.dictionary import Dictionary

MATCHERS = ("cosine", "idf-cosine", "surprise")
SAMPLE = 1_000  # documents
SPLITS = 3
SHORTEST, LONGEST = 1_000, 100_000  # characters of a document
RISK = 0.05  # of a verdict that a kept promise is broken, for all levels of a table together
FEW_COPIES = 100  # planted: with fewer, recall is not judged
FAR = 0.1  # the greatest difference of recall


@dataclass(frozen=True)
class BlindCorpus:
    """A rule for documents: which packages, and which of their files.

    Of the packages whose name and section match, those of at most `largest` bytes that sources.toml
    does not name, `number` of them in the order of the SHA-256 of their names. With `indexed`, only
    packages with such a file, by the index of the archive. At most `of_package` documents are of
    one package.
    """

    name: str
    language: str
    number: int
    files: tuple[str, ...]
    package: str = "*"
    section: str = "*"
    largest: int = 3_000_000
    indexed: bool = False
    of_package: int = 3

    @property
    def patterns(self) -> list[str]:
        """The patterns of files, for each code of the language."""
        codes = self.spoken.codes
        return [item.replace("{code}", code) for item in self.files for code in codes]

    @property
    def spoken(self) -> Language:
        """The language."""
        return languages()[self.language]

    def packages(self) -> list[str]:
        """The names of the packages."""
        used = set(re.findall(r"[a-z0-9][a-z0-9.+-]+", (HERE / "sources.toml").read_text("utf-8")))
        names = {name for name in self._available() if name not in used}
        if self.indexed:
            names &= self._with_files()
        return sorted(names, key=lambda name: sha256(name.encode()).digest())[: self.number]

    def _available(self) -> Iterator[str]:
        output = _output("apt-cache", "dumpavail")
        for entry in output.split("\n\n"):
            fields = dict(re.findall(r"^(Package|Section|Size): (.*)$", entry, re.MULTILINE))
            if (
                len(fields) == 3
                and fnmatchcase(fields["Package"], self.package)
                and fnmatchcase(fields["Section"], self.section)
                and int(fields["Size"]) <= self.largest
            ):
                yield fields["Package"]

    def _with_files(self) -> set[str]:
        command = "apt-get", "indextargets", "--format", "$(FILENAME)", "Created-By: Contents-deb"
        wanted = re.compile("|".join(map(translate, self.patterns))).match
        # A test that is fast and that most lines fail.
        coded = re.compile(f"[/._-](?:{'|'.join(self.spoken.codes)})[/.]").search
        names: set[str] = set()
        for path in _output(*command).split():
            for line in _output("/usr/lib/apt/apt-helper", "cat-file", path).splitlines():
                file, _, where = line.rpartition(" ")
                if coded(line) and wanted(file.strip()):
                    names.update(item.rsplit("/", 1)[-1] for item in where.split(","))
        return names

    def documents(self, work: Path) -> list[Path]:
        """The documents, laid down in a folder of `work` once."""
        folder = work / f"blind-{self.name}"
        if not folder.exists():
            making = work / f"blind-{self.name}.making"
            making.mkdir(exist_ok=True)
            for name, package in sorted(fetched(self.packages(), work / "blind-packages").items()):
                texts = filter(self._counts, package.texts(self.patterns)[0])
                for number, text in enumerate(evenly([*texts], self.of_package)):
                    (making / f"{name}-{number}.txt").write_text(text, "utf-8")
            making.rename(folder)
        return sorted(folder.iterdir())

    def _counts(self, text: str) -> bool:
        """Whether a text is neither too short nor too long, and most lines are in the language."""
        lines = [line for line in text.splitlines() if line.strip()]
        speaks = self.spoken.speaks
        return (
            SHORTEST <= len(text) <= LONGEST
            and sum(speaks(line) for line in lines) > len(lines) / 2
        )


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True)
class TriedLevel:
    """A level that was promised for a rate, and what other documents gave."""

    key: tuple[str, int, float]
    level: int
    promised: SizeClass
    seen: SizeClass

    @property
    def rate(self) -> float:
        """The promised rate."""
        return self.key[2]

    @property
    def ratio(self) -> float:
        """The rate seen, in promised ones."""
        return self.seen.rate(self.level) / self.rate

    def exceeds(self, risk: float) -> bool:
        """Whether more pairs reach the level than promised, beyond chance of that risk."""
        independent = self.seen.independent_at(self.level)
        number = int(self.seen.rate(self.level) * independent)
        return lower_limit(number, independent, 1 - risk) > self.rate

    @property
    def recalls(self) -> tuple[float, float] | None:
        """The shares of copies that reach it: promised, seen; None with too few copies."""
        sides = self.promised, self.seen
        if min(sum(side.related) for side in sides) < FEW_COPIES:
            return None
        first, second = (side.recall(self.level) or 0.0 for side in sides)
        return first, second


def tried(promised: Calibration, seen: Calibration) -> Iterator[TriedLevel]:
    """Each level of a calibration, tried on the pairs of another."""
    for item in promised.classes:
        same = seen.class_of(item.least, item.least)
        if same is None or same.excerpts or item.excerpts:
            continue
        for rate in RATES:
            if (level := item.level(rate)) is not None:
                yield TriedLevel((promised.matcher, item.least, rate), level, item, same)


def calibrated(dictionary: Dictionary, files: Sequence[Path]) -> tuple[Calibration, ...]:
    """The calibrations with these documents."""
    return calibrate(
        dictionary, files, matcher=MATCHERS, run=Run(problems=[]), sample=SAMPLE
    ).calibrations


def own(dictionary: Dictionary, files: Sequence[Path]) -> Iterator[TriedLevel]:
    """The levels of each half, tried on the other."""
    for split in range(SPLITS):
        drawn = [*files]
        Random(split).shuffle(drawn)  # noqa: S311 (drawn to be the same each time)
        middle = len(drawn) // 2
        sides = [calibrated(dictionary, half) for half in (drawn[:middle], drawn[middle:])]
        for promised, seen in (sides, sides[::-1]):
            for pair in zip(promised, seen, strict=True):
                yield from tried(*pair)


def bundled(dictionary: Dictionary, files: Sequence[Path]) -> Iterator[TriedLevel]:
    """The levels of the bundled calibrations, tried on all documents."""
    shipped = {calibration.matcher: calibration for calibration in dictionary.calibrations}
    for seen in calibrated(dictionary, files):
        yield from tried(shipped[seen.matcher], seen)


def rows(levels: Iterable[TriedLevel]) -> Iterator[str]:
    """A row for each matcher, size class and rate."""
    yield "| matcher | bits | promised | trials | level | seen | above | beyond chance | copies |"
    yield "|---|---|---|---|---|---|---|---|---|"
    grouped = defaultdict(list)
    for item in levels:
        grouped[item.key].append(item)
    for (matcher, _, rate), items in sorted(grouped.items()):
        recalls = [item.recalls for item in items if item.recalls]
        found = ", ".join(f"{100 * mean(side):.0f}" for side in zip(*recalls, strict=True)) or "–"
        cells = [matcher, items[0].promised.sizes, f"{100 * rate:g} %", str(len(items))]
        cells += [f"{mean(item.level for item in items):.0f}"]
        cells += [f"{100 * mean(item.seen.rate(item.level) for item in items):.3g} %"]
        cells += [str(sum(item.ratio > 1 for item in items))]
        cells += [str(sum(item.exceeds(RISK) for item in items)), found]
        yield f"| {' | '.join(cells)} |"


def verdict(levels: Sequence[TriedLevel]) -> Iterator[str]:
    """Whether the promise is kept, by the three criteria of the protocol."""
    broken = sum(item.exceeds(RISK / len(levels)) for item in levels)
    ratio = mean(item.ratio for item in levels)
    recalls = [item.recalls for item in levels if item.recalls]
    far = sum(promised - seen > FAR for promised, seen in recalls)
    yield f"{len(levels)} levels; {sum(item.exceeds(RISK) for item in levels)} exceeded at 95 %"
    yield f"rates: {broken} of them exceeded beyond chance of all: {'FAILED' if broken else 'kept'}"
    yield f"mean of seen by promised: {ratio:.2f}: {'FAILED' if ratio > 1 else 'kept'}"
    recall = f"recall: {far} of {len(recalls)} lower by more than 10 of 100"
    yield f"{recall}: {'FAILED' if far else 'kept'}"


def report(title: str, levels: Iterable[TriedLevel]) -> None:
    """Print the table of a part of the trial, and its verdict."""
    listed = [*levels]
    shown = [*rows(listed), *verdict(listed)] if listed else ["no level: too few documents"]
    print(f"\n{title}", *shown, sep="\n", flush=True)


def main() -> None:
    """Try the corpora that are named."""
    known: dict[str, dict[str, Any]] = table()["blind"]
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="a folder for packages and texts")
    parser.add_argument("corpora", nargs="+", choices=known, metavar="CORPUS")
    given = parser.parse_args()
    for name in given.corpora:
        row = known[name]
        corpus = BlindCorpus(name, **{**row, "files": tuple(row["files"])})
        dictionary = load(HERE / f"{corpus.language}.xml.gz")
        assert isinstance(dictionary, Dictionary)  # noqa: S101 (it is one of ours)
        files = corpus.documents(given.work)
        packages = {path.stem.rsplit("-", 1)[0] for path in files}
        print(f"{name}: {len(files)} documents of {len(packages)} packages", flush=True)
        report("own calibrations", own(dictionary, files))
        report("bundled calibration", bundled(dictionary, files))


if __name__ == "__main__":
    main()
