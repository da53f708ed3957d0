"""What is found of disguised copies: texts and files that look like another to a reader alone.

Each of the eight sample texts (tests/samples/texts) is disguised in each of the ways below and
written as plain text and as an HTML page. Printed is the mean of CompareDirectory's score of the
copy as a percentage of the score that the plain original gets, the share of its words that
FindReuse finds, in how many of the eight files the disguise is reported, and score and share of the
plain text if nothing is undone.

    python benchmarks/disguises.py      (a minute on one core)

With files or folders of honest texts (*.txt) and catalogues of messages (*.mo) as arguments it
counts their words by language, the name of a text's folder or a catalogue's locale, and prints what
would be reported: `python benchmarks/disguises.py /usr/share/locale`.
"""

from __future__ import annotations

import gettext
import html
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from unittest import mock

from disguise_ways import WAYS

import sdtext
from sdtext.text import disguises

SAMPLES = Path(__file__).parent.parent / "tests/samples/texts"


def _as_text(text: str) -> bytes:
    return text.encode("utf-8")


def _as_page(text: str) -> bytes:
    return f"<html><body><pre>{html.escape(text)}</pre></body></html>".encode()


KINDS: Mapping[str, Callable[[str], bytes]] = {"txt": _as_text, "html": _as_page}
"""Functions that write a text as a file, by the kind of file."""


def measured(disguise: Callable[[str], str], kind: str) -> tuple[float, float, int]:
    """The mean score and the mean share found, in percent, and how many files are reported."""
    scores, shares, reported = [], [], 0
    for sample in sorted(SAMPLES.glob("*.txt")):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, f"copy.{kind}")
            copy.write_bytes(KINDS[kind](disguise(sample.read_text("utf-8"))))
            run = sdtext.Run(problems=[])
            comparison = sdtext.compare(sample, folder, dictionary="english", run=run)
            scores.append(100 * (comparison.rows[0].score or 0) / 99)
            reported += any(problem.category == "disguised" for problem in run.problems or ())
            evidence = sdtext.find_reuse(copy, sample, run=run)
            shares.append(100 * sum(item.share for item in evidence.coverage))
    return sum(scores) / len(scores), sum(shares) / len(shares), reported


def measured_without(disguise: Callable[[str], str]) -> tuple[float, float]:
    """The score and the share found if no disguise is undone, in percent."""
    with mock.patch.object(disguises, "_STEPS", ()):
        return measured(disguise, "txt")[:2]


def _print_table() -> None:
    kinds = [f"{what}, {kind}" for what in ("score", "reuse", "reported") for kind in KINDS]
    names = ["disguise", *kinds, "without"]
    print("|", " | ".join(names), "|")
    print("|---" * len(names) + "|")
    for name, disguise in WAYS.items():
        figures = zip(*(measured(disguise, kind) for kind in KINDS), strict=True)
        cells = [f"{figure:.0f}" for kinds_of_one in figures for figure in kinds_of_one]
        score, share = measured_without(disguise)
        print("|", " | ".join([name, *cells, f"{score:.0f}, {share:.0f}"]), "|", flush=True)


def _texts(places: Sequence[str]) -> Iterator[tuple[str, Path, str]]:
    """The texts and catalogues of messages in files and folders, each with its language."""
    for place in map(Path, places):
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.suffix == ".mo":
                yield path.parts[-3].partition("@")[0], path, _messages(path)
            elif path.suffix == ".txt":
                yield path.parent.name, path, path.read_text("utf-8", "replace")


def _messages(path: Path) -> str:
    """The messages of a catalogue, nothing of a damaged one."""
    try:
        with path.open("rb") as file:
            catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
    except (UnicodeDecodeError, IndexError):
        return ""
    return "\n".join(message for key, message in catalogue.items() if key)


def _print_honest(places: Sequence[str]) -> None:
    """The words of honest texts in each language, and the texts that would be reported."""
    words: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for language, path, text in _texts(places):
        files[language] += 1
        words[language] += len(re.findall(r"\w+", text))
        for step in disguises.undisguised(text).undone:
            print(f"{path}: {step}: {text[step.start - 20 : step.start + 20]!r}")
    for language, number in sorted(words.items()):
        print(f"{language}: {number} words in {files[language]} files")
    print(f"{words.total()} words in {files.total()} files in {len(words)} languages")


if __name__ == "__main__":
    if sys.argv[1:]:
        _print_honest(sys.argv[1:])
    else:
        _print_table()
