"""The range of normalized IDF that Experiment chooses for each language.

Run as `python dictionaries/choose_range.py --work FOLDER [LANGUAGE…]` after make.py. Of 300 texts
four edited copies each are looked for among the 300, in all ranges; the dictionary is made of the
documents of the other folds. Printed are the choice of each matcher, the range of the bundled
dictionary and others: how many terms they keep, the lowest score with at most 0.1 % of unrelated
pairs, and the share of copies that reach it. Then what the choice is worth on held-out folds.
"""

from __future__ import annotations

import os
from pathlib import Path

from collecting import Language, asked
from make import CONFIGS, documents_of

from sdtext import Run
from sdtext.experiment.automatic_choice import ChosenCell, cell_measures
from sdtext.experiment.grid_cells import Cell
from sdtext.experiment.measures import CUTS
from sdtext.experiment.plan import plan_of
from sdtext.experiment.run_experiment import ExperimentResult, described, run_experiment

SHOWN = (Cell(0.2, 0.9), Cell(0.3, 0.7), Cell(0.0, 1.0))
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


def chosen(language: Language, work: Path) -> ExperimentResult:
    """The result of the experiment with the documents of a language."""
    folders = sorted({str(path.parent) for path in documents_of(language, work)})
    recipe = str((CONFIGS / language.config).resolve())
    plan = plan_of({"dataset": {"name": language.name, "path": folders}, "groups": recipe, **PLAN})
    return run_experiment(plan, run=Run(os.cpu_count() or 1))


def rows(result: ExperimentResult) -> list[str]:
    """The rows of the table: the choices, then the ranges in `SHOWN`."""
    plan, sizes = result.plan, result.sizes
    curve = result.measurements.curve()
    cuts = CUTS[curve.best_cut(plan.target)]
    table = []
    for number, matcher in enumerate(plan.matchers):
        row = next(row for row in result.rows if row.matcher == str(matcher))
        best = next(cell for cell in plan.ranges if cell.values == (row.min_idf, row.max_idf))
        for cell in (best, *SHOWN):
            place = plan.ranges.index(cell)
            cut = int(cuts[0, number, place])
            found = cell_measures(curve, ChosenCell(0, number, place, cut, 0.0))["recall"]
            label = f"{cell}{' (chosen)' if cell is best else ''}"
            terms = int(sizes.terms[0, place])
            table.append(f"| {matcher} | {label} | {terms:,} | {cut} | {100 * found:.1f} |")
    return table


def main() -> None:
    """Run the experiment for the languages that are named, or for all."""
    given = asked(__doc__)
    for language in given.languages:
        result = chosen(language, given.work)
        print(f"{language.name}: {result.documents} documents", *rows(result), sep="\n")
        print(*described(result), sep="\n", flush=True)


if __name__ == "__main__":
    main()
