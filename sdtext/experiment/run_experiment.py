"""Run an experiment: read, score unit by unit, choose on some folds, report on the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sdtext.errors import OptionError
from sdtext.experiment.automatic_choice import (
    Choice,
    Grid,
    Measurements,
    cell_measures,
    choices,
)
from sdtext.experiment.dataset import Dataset, load_dataset
from sdtext.experiment.histograms import Histograms, Unit, UnitScorer, units_of
from sdtext.experiment.measures import (
    CUTS,
    Counts,
    Curve,
    bootstrap_interval,
)
from sdtext.experiment.plan import Plan
from sdtext.experiment.results_database import ResultsDatabase, StoredRun
from sdtext.experiment.trial import Trial
from sdtext.model import Problem
from sdtext.parts.registry import build
from sdtext.reading.parallel_run import COMPARING, VERIFYING, Run, in_parallel

Interval = tuple[float, float]


@dataclass(frozen=True)
class Rate:
    """A share, its 95 % confidence interval, and the numbers that it is of."""

    share: float
    interval: Interval
    part: int
    whole: int


@dataclass(frozen=True)
class HeldOut:
    """What the choice is worth on documents that it was not made on.

    For each fold the choice is made on the other folds and measured on this one. `recall` and
    `false_positives` are of all folds together; `by_mangler` has for each mangler the share of its
    copies that are found.
    """

    recall: Rate
    false_positives: Rate
    by_mangler: Mapping[str, Rate]
    choices: tuple[Choice, ...]


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

    `run` is the number of the run in the database.
    """

    plan: Plan
    run: int
    documents: int
    rows: tuple[ChoiceRow, ...]
    choice: Choice
    held_out: HeldOut
    problems: tuple[Problem, ...] = ()
    resumed: int = 0


@dataclass(frozen=True)
class Storage:
    """Where results are stored: a database, whether an interrupted run goes on, and the clock."""

    database: ResultsDatabase
    now: Callable[[], str]
    resume: bool = False


def run_experiment(plan: Plan, storage: Storage, run: Run | None = None) -> ExperimentResult:
    """Run the experiment of a plan, or go on with an interrupted one.

    Raises UnreadableError if too few documents can be read, OptionError if there is no interrupted
    run of this plan to go on with.
    """
    run = run or Run()
    dataset = load_dataset(plan, run)
    stored, done = _stored_run(plan, dataset, storage)
    scorer = UnitScorer(plan, dataset)
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
    held_out = _held_out(scorer, measurements, run)
    stored.finish(_all_cells(plan, curve, sizes), storage.now())
    return ExperimentResult(
        plan,
        stored.number,
        len(dataset.names),
        tuple(_row(plan, curve, choice, sizes) for choice in best),
        best[0],
        held_out,
        tuple(_warnings(plan, best[0], curve)),
        len(done),
    )


def _stored_run(plan: Plan, dataset: Dataset, storage: Storage) -> tuple[StoredRun, set[Unit]]:
    """The run to store results in, and the units of it that are done."""
    digest = dataset.digest()
    if not storage.resume:
        started = storage.now()
        return storage.database.start(plan, digest, len(dataset.names), started), set()
    stored = storage.database.interrupted(plan, digest)
    if stored is None:
        raise OptionError(
            "the database has no interrupted run of this plan on these documents; start one "
            "without --resume"
        )
    return stored, stored.units()


def _measurements(plan: Plan, stored: StoredRun) -> Measurements:
    related = [bool(build("manglers", mangler).related) for mangler in plan.manglers]
    measurements = Measurements.empty(plan)
    for unit, matcher, cell, planted, others in stored.histograms():
        is_related = unit.mangler is None or related[unit.mangler]
        measurements.add(unit, (matcher, cell), (planted, others), related=is_related)
    return measurements


def _dictionary_sizes(plan: Plan, dataset: Dataset) -> Counts:
    """The mean number of terms of each group in each cell over the trials, rounded."""
    sizes = [
        [
            Trial(plan, dataset, trial, group).ranked.slabs(plan.cells).sizes
            for group in range(len(plan.groups))
        ]
        for trial in range(plan.trials)
    ]
    return np.asarray(np.rint(np.mean(sizes, axis=0)), np.int64)


def _row(plan: Plan, curve: Curve, choice: Choice, sizes: Counts) -> ChoiceRow:
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


def _all_cells(plan: Plan, curve: Curve, sizes: Counts) -> list[dict[str, object]]:
    """The measures of every group, matcher and cell at its best cut."""
    cuts = CUTS[curve.best_cut(plan.target)]
    rows: list[dict[str, object]] = []
    for group, matcher, cell in np.ndindex(cuts.shape):
        choice = Choice(group, matcher, cell, int(cuts[group, matcher, cell]), 0.0)
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


def _warnings(plan: Plan, choice: Choice, curve: Curve) -> Iterable[Problem]:
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


@dataclass(frozen=True)
class _Counted:
    """For each query of a unit its document, and the numbers of pairs at the cut of its fold."""

    documents: list[int] = field(default_factory=list)
    numbers: list[tuple[int, int, int, int]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _AtCut:
    """Counts what the choice for a fold finds among the queries of a unit."""

    scorer: UnitScorer
    choices: Sequence[Choice]

    def __call__(self, unit: Unit) -> _Counted:
        choice, plan = self.choices[unit.fold], self.scorer.plan
        unit = Unit(unit.trial, choice.group, unit.mangler, unit.fold)
        cell, matcher = plan.cells[choice.cell], plan.matchers[choice.matcher]
        counted = _Counted()
        for query, histograms in self.scorer.by_query(unit, matcher, cell):
            counted.documents.append(query.document)
            counted.numbers.append(_at_cut(histograms, choice.cut))
        return counted


def _at_cut(histograms: Histograms, cut: int) -> tuple[int, int, int, int]:
    """The planted pairs at a cut and in all, and the others likewise."""
    planted, others = histograms.planted[0, 0], histograms.others[0, 0]
    sums = (planted[cut + 1 :].sum(), planted.sum(), others[cut + 1 :].sum(), others.sum())
    found, related, false, unrelated = map(int, sums)
    return found, related, false, unrelated


def _held_out(scorer: UnitScorer, measurements: Measurements, run: Run) -> HeldOut:
    """What the choices are worth, each made without the fold on which it is measured."""
    plan, grid = scorer.plan, Grid(scorer.plan.cells)
    by_fold = tuple(
        choices(measurements.curve(without=fold), grid, plan.target)[0]
        for fold in range(plan.folds)
    )
    # The queries of a unit are those of every group: one is enough.
    units = [unit for unit in units_of(plan) if unit.group == 0]
    units.sort(key=lambda unit: (unit.trial, by_fold[unit.fold].group))
    work = _AtCut(scorer, by_fold)
    by_mangler: dict[int | None, list[_Counted]] = {}
    for unit, counted in zip(units, in_parallel(work, units, run.jobs), strict=True):
        by_mangler.setdefault(unit.mangler, []).append(counted)
        run.step(1, len(units), VERIFYING)
    related = {number: _is_related(plan, number) for number in by_mangler}
    documents = len(scorer.dataset.names)
    counts = {number: _by_document(rows, documents) for number, rows in by_mangler.items()}
    true, false = np.zeros((2, documents, 2), np.int64)
    for number, table in counts.items():
        true += table[:, :2] * related[number]
        false += table[:, 2:] + table[:, :2] * (not related[number])
    names = {"pairs" if number is None else str(plan.manglers[number]): number for number in counts}
    rates = {name: _rate(counts[number][:, :2], plan.seed) for name, number in names.items()}
    return HeldOut(_rate(true, plan.seed), _rate(false, plan.seed), rates, by_fold)


def _is_related(plan: Plan, mangler: int | None) -> bool:
    return mangler is None or bool(build("manglers", plan.manglers[mangler]).related)


def _by_document(rows: Sequence[_Counted], total: int) -> Counts:
    """The numbers of pairs of each document, a row for each of all documents."""
    documents = [document for counted in rows for document in counted.documents]
    numbers = [number for counted in rows for number in counted.numbers]
    table = np.zeros((total, 4), np.int64)
    np.add.at(table, np.array(documents, np.int64), np.array(numbers, np.int64).reshape(-1, 4))
    return table


def _rate(table: Counts, seed: int) -> Rate:
    """The share of the first column in the second, documents being drawn for its interval."""
    table = table[table[:, 1] > 0]
    part, whole = (int(number) for number in table.sum(axis=0))
    interval = bootstrap_interval(table[:, 0], table[:, 1], seed)
    return Rate(part / whole if whole else 0.0, interval, part, whole)
