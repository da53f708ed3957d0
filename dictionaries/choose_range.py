"""The range of normalized IDF that Experiment chooses for each language.

Run as `python dictionaries/choose_range.py --work FOLDER [LANGUAGE…]` after make.py. Of 300 texts
four edited copies each are looked for among the 300, in all ranges; the dictionary is made of the
documents of the other folds. Printed are the choice of each matcher, the range of the bundled
dictionary and others: how many terms they keep, the lowest score with at most 0.1 % of unrelated
pairs, and the share of copies that reach it. Then what the choice is worth on held-out folds.
With `--recipes chinese-bigrams.toml,chinese.toml` these are tried beside that of the language.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from collecting import Language, asked
from make import CONFIGS, documents_of

from sdtext import Run
from sdtext.experiment.histograms import CUTS
from sdtext.experiment.plan import Cell, plan_of
from sdtext.experiment.run_experiment import ExperimentResult, described, run_experiment

SHOWN = (Cell(0.2, 0.9), Cell(0.3, 0.7), Cell(0.0, 1.0))
IN_SEVERAL = 0.9
"""The highest end of a range without the terms of a single document, which are most of all."""
PLAN = {
    "matcher": ["cosine", "idf-cosine"],
    "min_idf": {"from": 0.0, "to": 0.5, "step": 0.1},
    "max_idf": {"from": 0.6, "to": 1.0, "step": 0.1},
    "manglers": [
        {"name": "keep-lines", "share": [0.6, 0.2]},
        "fragment(share=0.25)",
        "ocr(share=0.08)",
    ],
    "sample": 300,
    "false_positive_rate": 0.001,
}


def chosen(language: Language, recipes: list[str], work: Path) -> ExperimentResult:
    """The result of the experiment with the documents of a language."""
    folders = sorted({str(path.parent) for path in documents_of(language, work)})
    groups = [str((CONFIGS / name).resolve()) for name in recipes]
    plan = plan_of({"dataset": {"name": language.name, "path": folders}, "groups": groups, **PLAN})
    return run_experiment(plan, run=Run(os.cpu_count() or 1))


def rows(result: ExperimentResult) -> Iterator[str]:
    """The rows of the table: for each recipe and matcher the choice, then other ranges."""
    for group, matcher in product(range(len(result.plan.groups)), range(len(result.plan.matchers))):
        recipe, name = result.plan.groups[group].name, str(result.plan.matchers[matcher])
        for label, measures in ranges(result, group, matcher):
            yield f"| {recipe} | {name} | {label} | {' | '.join(measures)} |"


def ranges(
    result: ExperimentResult, group: int, matcher: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Some ranges of a recipe and matcher, with their terms, score and recall in words."""
    plan = result.plan
    curve = result.measurements.curve()
    cuts = CUTS[curve.best_cut(plan.target)][group, matcher]
    recall = [
        curve.measures((group, matcher, cell), cut)["recall"]
        for cell, cut in enumerate(cuts.tolist())
    ]
    names = plan.groups[group].name, str(plan.matchers[matcher])
    row = next(row for row in result.rows if (row.group, row.matcher) == names)
    in_several = [place for place, cell in enumerate(plan.cells) if cell.high <= IN_SEVERAL]
    labelled = {plan.cells.index(cell): "" for cell in SHOWN}
    labelled[max(in_several, key=recall.__getitem__)] = f" (best to {IN_SEVERAL})"
    labelled[plan.cells.index(Cell(row.min_idf, row.max_idf))] = " (chosen)"
    for place, label in labelled.items():
        terms = int(result.terms[group, place])
        measures = f"{terms:,}", str(cuts[place]), f"{100 * recall[place]:.1f}"
        yield f"{plan.cells[place]}{label}", measures


def main() -> None:
    """Run the experiment for the languages that are named, or for all."""
    given = asked(__doc__, recipes="other recipes in configs/, separated by commas")
    others = given.recipes.split(",") if given.recipes else []
    for language in given.languages:
        result = chosen(language, [language.config, *others], given.work)
        print(f"{language.name}: {result.documents} documents", *rows(result), sep="\n")
        print(*described(result), sep="\n", flush=True)


if __name__ == "__main__":
    main()
