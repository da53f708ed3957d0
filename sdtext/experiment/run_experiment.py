"""Run an experiment: read, score unit by unit, choose on some folds, report on the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from sdtext.errors import OptionError, check_type, counted
from sdtext.experiment.automatic_choice import (
    ChosenCell,
    Grid,
    Measurements,
    cell_measures,
    choices,
)
from sdtext.experiment.dataset import Dataset, load_dataset
from sdtext.experiment.held_out import HeldOut, Rate, held_out, is_related
from sdtext.experiment.histograms import ScoringUnit, UnitScorer, units_of
from sdtext.experiment.measures import (
    CUTS,
    Counts,
    Curve,
)
from sdtext.experiment.plan import ExperimentPlan, load_plan
from sdtext.experiment.results_database import ResultsDatabase, StoredRun
from sdtext.experiment.trial import Trial
from sdtext.model import Problem
from sdtext.reading.parallel_run import COMPARING, Run, in_parallel

IN_MEMORY = "sqlite://"
"""The URL of a database that is not kept."""


@dataclass(frozen=True)
class ChoiceRow:
    """The choice for one group of tokenizers and one matcher, measured on all folds.

    `terms` is the mean number of terms of the trimmed dictionary over the trials.
    """

    group: str
    matcher: str
    min_idf: float
    max_idf: float
    terms: int
    cut: int
    recall: float
    false_positive_rate: float
    precision: float
    f1: float
    average_precision: float
    plateau: int


@dataclass(frozen=True)
class ExperimentResult:
    """The result of an experiment: the best choice of each group and matcher, the best first.

    `run` is the number of the run in the database. `measurements` are the numbers of pairs by score
    in all ranges, and `sizes` those of terms for each group and range.
    """

    plan: ExperimentPlan
    run: int
    documents: int
    rows: tuple[ChoiceRow, ...]
    choice: ChosenCell
    held_out: HeldOut
    measurements: Measurements = field(repr=False, compare=False)
    sizes: tuple[tuple[int, ...], ...] = field(repr=False, compare=False)
    problems: tuple[Problem, ...] = ()
    resumed: int = 0


def run_experiment(
    plan: ExperimentPlan | str | Path,
    database: str = IN_MEMORY,
    resume: bool = False,  # noqa: FBT001, FBT002 (an option of the verb)
    run: Run | None = None,
    now: Callable[[], str] = str,
) -> ExperimentResult:
    r"""Run the experiment of a plan, or of the plan in a file, or continue an interrupted one.

    `database` is the URL of the database of results, by default one that is not kept; with
    `resume` the last run of the same plan in it is continued. `now` gives the time that is stored
    with the results. Raises UnreadableError if too few documents can be read, OptionError if there
    is no interrupted run of this plan, OutputError for a database that cannot be used.

    >>> plan = folder / "plan.toml"
    >>> place = plan.write_text(
    ...     f"dataset = {str(samples)!r}\ngroups = 'english'\nmanglers = 'shuffle'\n"
    ...     "false_positive_rate = 0.2"
    ... )
    >>> result = run_experiment(plan)
    >>> result.rows[0].matcher, result.held_out.recall.whole
    ('cosine', 8)
    """
    check_type(
        "run_experiment", "plan", plan, (ExperimentPlan, str, PathLike), "a plan, or its file"
    )
    plan = plan if isinstance(plan, ExperimentPlan) else load_plan(plan)
    run = run or Run()
    dataset = load_dataset(plan, run)
    scorer = UnitScorer(plan, dataset)
    opened = ResultsDatabase.open(database)
    try:
        stored, done = _stored_run(opened, scorer, now, resume=resume)
        return _result(scorer, stored, (done, now), run)
    finally:
        opened.close()


def _result(
    scorer: UnitScorer,
    stored: StoredRun,
    state: tuple[set[ScoringUnit], Callable[[], str]],
    run: Run,
) -> ExperimentResult:
    """Score the units that are not done, choose, and measure the choice on held-out folds."""
    plan, dataset = scorer.plan, scorer.dataset
    done, now = state
    units = units_of(plan)
    run.step(len(done), len(units), COMPARING)
    waiting = [unit for unit in units if unit not in done]
    for unit, histograms in zip(waiting, in_parallel(scorer, waiting, run.jobs), strict=True):
        stored.add(unit, histograms)
        run.step(1, len(units), COMPARING)
    measurements = _measurements(plan, stored)
    sizes = _dictionary_sizes(plan, dataset)
    curve = measurements.curve()
    best = choices(curve, Grid(plan.cells), plan.target)
    figures = held_out(scorer, measurements, run)
    stored.finish(_all_cells(plan, curve, sizes), now())
    if not best[0].value:
        raise OptionError(
            "no range of the plan finds a related pair at that false-positive rate; use wider "
            "ranges of IDF, more documents, or a higher false_positive_rate"
        )
    return ExperimentResult(
        plan,
        stored.number,
        len(dataset.names),
        tuple(_row(plan, curve, choice, sizes) for choice in best),
        best[0],
        figures,
        measurements,
        tuple(map(tuple, sizes.tolist())),
        tuple(_warnings(plan, best[0], curve)),
        len(done),
    )


def _stored_run(
    database: ResultsDatabase, scorer: UnitScorer, now: Callable[[], str], *, resume: bool
) -> tuple[StoredRun, set[ScoringUnit]]:
    """The run to store results in, and the units of it that are done."""
    plan, dataset = scorer.plan, scorer.dataset
    digest = dataset.digest()
    if not resume:
        return database.start(plan, digest, len(dataset.names), now()), set()
    stored = database.interrupted(plan, digest)
    if stored is None:
        raise OptionError(
            "the database has no interrupted run of this plan on these documents; start one "
            "without --resume"
        )
    return stored, stored.units()


def _measurements(plan: ExperimentPlan, stored: StoredRun) -> Measurements:
    measurements = Measurements.empty(plan)
    for unit, matcher, cell, planted, others in stored.histograms():
        related = is_related(plan, unit.mangler)
        measurements.add(unit, (matcher, cell), (planted, others), related=related)
    return measurements


def _dictionary_sizes(plan: ExperimentPlan, dataset: Dataset) -> Counts:
    """The mean number of terms of each group in each cell over the trials, rounded."""
    sizes = [
        [
            Trial(plan, dataset, trial, group).ranked.slabs(plan.cells).sizes
            for group in range(len(plan.groups))
        ]
        for trial in range(plan.trials)
    ]
    return np.asarray(np.rint(np.mean(sizes, axis=0)), np.int64)


def _row(plan: ExperimentPlan, curve: Curve, choice: ChosenCell, sizes: Counts) -> ChoiceRow:
    cell = plan.cells[choice.cell]
    return ChoiceRow(
        group=plan.groups[choice.group].name,
        matcher=str(plan.matchers[choice.matcher]),
        min_idf=cell.min_idf,
        max_idf=cell.max_idf,
        terms=int(sizes[choice.group, choice.cell]),
        cut=choice.cut,
        plateau=choice.plateau,
        **cell_measures(curve, choice),
    )


def _all_cells(plan: ExperimentPlan, curve: Curve, sizes: Counts) -> list[dict[str, object]]:
    """The measures of every group, matcher and cell at its best cut."""
    cuts = CUTS[curve.best_cut(plan.target)]
    rows: list[dict[str, object]] = []
    for group, matcher, cell in np.ndindex(cuts.shape):
        choice = ChosenCell(group, matcher, cell, int(cuts[group, matcher, cell]), 0.0)
        rows.append(
            {
                "group_number": group,
                "matcher_number": matcher,
                "cell_number": cell,
                "terms": int(sizes[group, cell]),
                "cut": choice.cut,
                **cell_measures(curve, choice),
            }
        )
    return rows


def _warnings(plan: ExperimentPlan, choice: ChosenCell, curve: Curve) -> Iterable[Problem]:
    cell = plan.cells[choice.cell]
    for key in choice.edges:
        value = getattr(cell, key)
        yield Problem(
            "warning",
            "edge-of-grid",
            f"the chosen {key}, {value:g}, is at the edge of the plan's range; a value beyond it "
            f"may be better: extend {key}",
        )
    at = (choice.group, choice.matcher, choice.cell)
    unrelated, rate = int(curve.unrelated[at]), plan.target.false_positive_rate
    if unrelated * rate < _LEAST_FALSE:
        yield Problem(
            "warning",
            "few-pairs",
            f"{unrelated} unrelated pairs cannot show a false-positive rate of {rate:g}; it takes "
            f"{round(_LEAST_FALSE / rate)}: use more documents, or a higher false_positive_rate",
        )


_LEAST_FALSE = 10  # unrelated pairs expected above the cut, for a rate that can be measured


def described(result: ExperimentResult) -> list[str]:
    """What an experiment gave, in sentences."""
    held_out, row = result.held_out, result.rows[0]
    lines = [
        f"chosen: {row.group}, {row.matcher}, IDF {row.min_idf:g} to {row.max_idf:g}, cut {row.cut}"
    ]
    if result.resumed:
        lines.append(f"{counted(result.resumed, 'unit')} of work were done before the interruption")
    recall, false = held_out.recall, held_out.false_positives
    lines.append(
        f"on documents that the choice was not made on: {_in_per_cent(recall)} of the related "
        f"pairs found, {_in_per_cent(false)} of the unrelated ones"
    )
    lines += [
        f"  {name}: {_in_per_cent(rate)}, {rate.part} of {rate.whole}"
        for name, rate in held_out.by_mangler.items()
    ]
    return lines


def _in_per_cent(rate: Rate) -> str:
    low, high = rate.interval
    return f"{100 * rate.share:.3g} % ({100 * low:.3g} to {100 * high:.3g})"
