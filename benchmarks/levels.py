"""Which score deserves a look: levels of unrelated documents, and edited copies found above them.

Run as `python benchmarks/levels.py FOLDER DICTIONARY`: documents, and a bundled dictionary of their
language that is not made of them. At most 300 documents are copied in ten ways (`MANGLERS`). The
level is the least score that at most one in a thousand unrelated pairs of whole documents reaches.
Printed are for shingles, for dictionaries of these documents, whole and trimmed, and for the
bundled one: the level, the percentage of all copies that reach it, and those of a fifth of the
lines and of excerpts of a tenth.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

import edits  # noqa: F401 (registers its manglers)

from sdtext import Run, calibrate, create_dictionary, load
from sdtext.experiment.plan import plan_of
from sdtext.experiment.run_experiment import run_experiment
from sdtext.model.dictionary import Dictionary
from sdtext.search.search_plan import default_matcher

FIFTH, TENTH = "keep-lines(share=0.2)", "fragment(share=0.1)"
MANGLERS = (
    *(f"keep-lines(share={share})" for share in (0.8, 0.5)),
    FIFTH,
    "fragment(share=0.25)",
    TENTH,
    "shuffle",
    *("replace-words(share=0.3)", "drop-words(share=0.3)", "typos(share=0.05)", "ocr(share=0.05)"),
)
RATE = 0.001
SHINGLES = {
    "tokenizer": "words",
    "filters": ["lowercase", "strip-punctuation"],
    "shingler": {"name": "words", "length": 5},
    "fingerprint": "shingles",
    "matcher": "jaccard",
    "sample": 300,
    "false_positive_rate": RATE,
}
RANGES = ((0.3, 0.8), (0.3, 0.7))
Found = tuple[int, float]


def by_shingles(folder: str, manglers: tuple[str, ...]) -> Found:
    """The level, and the share of copies that reach it, with all shingles of words."""
    plan = plan_of({"dataset": folder, "manglers": [*manglers], **SHINGLES})
    row = run_experiment(plan, run=Run(os.cpu_count() or 1)).rows[0]
    return row.cut, row.recall


def by_dictionary(dictionary: Dictionary, folder: str, manglers: tuple[str, ...]) -> Found:
    """The level, and the share of copies that reach it, with the dictionary's default matcher."""
    run = Run(problems=[])
    matcher = default_matcher([dictionary])
    done = calibrate(dictionary, folder, matcher=matcher, run=run, mangler=manglers, sample=300)
    classes = [item for item in done.calibrations[0].classes if not item.excerpts]
    pairs, copies = sum(item.pairs for item in classes), sum(sum(item.related) for item in classes)
    reached = [sum(item.reached(score) for item in classes) for score in range(100)]
    level = next(score for score, number in enumerate([*reached, 0]) if number <= RATE * pairs)
    return level, sum(sum(item.related[level:]) for item in classes) / copies


def rows(folder: str, bundled: Dictionary) -> Iterator[str]:
    """The rows of the table."""
    kinds = (MANGLERS, (FIFTH,), (TENTH,))
    yield row("shingles, jaccard", [by_shingles(folder, manglers) for manglers in kinds])
    own = create_dictionary(folder, bundled.recipe, run=Run(problems=[]))
    trimmed = {f"own, {low:g} to {high:g}": own.trim(low, high) for low, high in RANGES}
    for name, dictionary in {
        "own, whole": own,
        **trimmed,
        f"bundled {bundled.name}": bundled,
    }.items():
        found = [by_dictionary(dictionary, folder, manglers) for manglers in kinds]
        yield row(f"{name}, {default_matcher([dictionary])}", found)


def row(method: str, found: Sequence[Found]) -> str:
    """A row of the table."""
    shares = (f"{100 * share:.0f}" for _, share in found)
    return f"| {method} | {found[0][0]} | {' | '.join(shares)} |"


def main() -> None:
    """Print the table."""
    folder, name = sys.argv[1:3]
    dictionary = load(name)
    if not isinstance(dictionary, Dictionary):
        sys.exit(f"{name} is not a dictionary")
    print(folder, "| method | level | copies found | a fifth of the lines | a tenth |", sep="\n")
    print("|---|---|---|---|---|", *rows(folder, dictionary), sep="\n")


if __name__ == "__main__":
    main()
