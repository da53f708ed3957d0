"""Whether an experiment keeps its promise: chosen with one half of a folder, tried on the other.

Run as `python benchmarks/promised_rates.py FOLDER [SPLITS [RATE]]`. The documents are divided by
chance into halves, several times. Experiment chooses range of IDF, matcher and minimum score with
one half, for the false-positive rate allowed: with edited copies, as where no plan is given, and
with exact ones. Its dictionary and score are tried on pairs of unrelated whole documents of the
other half, and on planted copies by the same manglers. Printed are what the experiment states, with
its 95 % interval, and what is seen on the other half.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import edits as registered  # noqa: F401 (its manglers)
from calibration import halves

from sdtext import Run, calibrate, load
from sdtext.experiment.chosen_files import ChosenFiles
from sdtext.experiment.held_out import Rate
from sdtext.experiment.plan import plan_of
from sdtext.experiment.run_experiment import ExperimentResult, run_experiment
from sdtext.model import Origin
from sdtext.model.dictionary import Dictionary
from sdtext.reading.walk import walk

EDITED = [
    "keep-lines(share=0.5)",
    "keep-lines(share=0.2)",
    "fragment(share=0.25)",
    "ocr(share=0.05)",
]
UNCHANGED = ["keep-lines(share=1.0)"]
PLAN = {
    "groups": [{"name": "words", "tokenizer": "words", "filters": ["lowercase"]}],
    "matcher": ["idf-cosine", "surprise"],
    "min_idf": [0.0, 0.2, 0.4],
    "max_idf": [0.9, 1.0],
    "queries": 200,
}


def seen(result: ExperimentResult, files: Sequence[Path]) -> tuple[float, float]:
    """The shares of copies of other documents, and of their unrelated pairs, that are found."""
    plan, choice = result.plan, result.choice
    with TemporaryDirectory() as folder:
        written = ChosenFiles(Path(folder))
        written.write(plan, choice, Origin())
        dictionary = load(written.outputs[1].path)
    assert isinstance(dictionary, Dictionary)  # noqa: S101 (a plan without shingles)
    matcher, edits = str(plan.matchers[choice.matcher]), [*map(str, plan.manglers)]
    run = Run(problems=[])
    done = calibrate(dictionary, files, matcher=matcher, run=run, mangler=edits, sample=len(files))
    classes = [item for item in done.calibrations[0].classes if not item.excerpts]
    pairs = sum(item.pairs for item in classes)
    copies = sum(sum(item.related) for item in classes)
    reached = sum(item.reached(choice.cut) for item in classes)
    found = sum(sum(item.related[choice.cut :]) for item in classes)
    return found / copies, reached / pairs


def stated(rate: Rate) -> str:
    """A rate in percent, with its interval."""
    low, high = rate.interval
    return f"{100 * rate.share:.3g} ({100 * low:.3g} to {100 * high:.3g})"


def tried(files: Sequence[Path], edits: Sequence[str], splits: int, rate: float) -> Iterator[str]:
    """The rows of the table with copies by these manglers."""
    outcomes = []
    for seed in range(splits):
        left, right = halves([*files], seed)
        given = {"manglers": [*edits], "dataset": [*map(str, left)], "false_positive_rate": rate}
        plan = plan_of({**PLAN, **given})
        result = run_experiment(plan, run=Run(os.cpu_count() or 1))
        held_out, row = result.held_out, result.rows[0]
        recall, false = seen(result, right)
        outcomes.append((held_out.recall.share, recall, held_out.false_positives.share, false))
        choice = f"{row.matcher}, {plan.cells[result.choice.cell]}, {row.cut}"
        found = f"{stated(held_out.recall)}, {100 * recall:.3g}"
        yield f"| {choice} | {found} | {stated(held_out.false_positives)}, {100 * false:.3g} |"
    columns = [100 * mean(column) for column in zip(*outcomes, strict=True)]
    yield "| mean | {:.3g}, {:.3g} | {:.3g}, {:.3g} |".format(*columns)


def main() -> None:
    """Choose and try."""
    folder = sys.argv[1]
    splits = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    rate = float(sys.argv[3]) if len(sys.argv) > 3 else 0.001
    files = list(walk([folder], lambda _: None))
    for edits in (EDITED, UNCHANGED):
        print(", ".join(edits))
        print("| choice | copies found: stated, seen (%) | unrelated pairs: stated, seen (%) |")
        print("|---|---|---|")
        for row in tried(files, edits, splits, rate):
            print(row, flush=True)


if __name__ == "__main__":
    main()
