"""Run an experiment: read, score unit by unit, choose on some folds, report on the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import groupby, product
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from sdtext.errors import OptionError
from sdtext.experiment.automatic_choice import ChosenCell, choices
from sdtext.experiment.dataset import LEAST_DOCUMENTS, Dataset, load_datasets
from sdtext.experiment.held_out import HeldOut, Rate, distinct_pairs, held_out
from sdtext.experiment.histograms import CUTS, Counts, Curve, Measurements, UnitScorer, units_of
from sdtext.experiment.plan import F1, RECALL, ChoiceTarget, ExperimentPlan, load_plan
from sdtext.experiment.results_database import IN_MEMORY, ResultsDatabase
from sdtext.experiment.trial import Trial
from sdtext.model import Problem
from sdtext.model.displayed_results import ShortFields, html_table
from sdtext.parts.registry import build
from sdtext.reading.parallel_run import COMPARING, Run, in_parallel
from sdtext.search.all_scores import ranked_ranges
from sdtext.wording import brief, counted, shown

_LEAST_FALSE = 10  # unrelated pairs expected above the cut, for a rate that can be measured
_NO_RUN = (
    "the database has no run of this plan on these documents by this version of sdtext; start one "
    "without resume"
)
_SLOT, _HASH = 4, 8  # bytes of a slot of a sketch, and of the hash of a shingle


@dataclass(frozen=True, repr=False)
class ChoiceRow(ShortFields):
    """The choice for one group of tokenizers and one matcher, measured on all folds.

    `terms` is the mean number of terms of the trimmed dictionary over the trials. In a plan with
    shingles there are `bands` and `rows` instead, which are 0 where all documents are candidates,
    and the mean size of a fingerprint in `bytes`.
    """

    group: str
    matcher: str
    min_idf: float | None = None
    max_idf: float | None = None
    terms: int | None = None
    bands: int | None = None
    rows: int | None = None
    bytes: int | None = None
    cut: int = 0
    recall: float = 0.0
    false_positive_rate: float = 0.0
    precision: float = 0.0
    f1: float = 0.0
    average_precision: float = 0.0
    plateau: int = 1


@dataclass(frozen=True)
class ExperimentResult:
    """The result of an experiment: the best choice of each group and matcher, the best first.

    `cut` of a row is the least score, 0 to 99, of what counts as related. `run` is the number of
    the run in the database. `measurements` are the numbers of pairs by score in all cells, `bytes`
    the mean sizes of a fingerprint for each group and cell, `terms` those of the dictionary (None
    in a plan with shingles), `dataset` is what was read, and `problems` has the warnings and the
    files that could not be read. Of a plan with another one beside it, `rows` are those of both,
    and everything else is of the plan that finds more.
    """

    plan: ExperimentPlan
    run: int
    documents: int
    rows: tuple[ChoiceRow, ...]
    choice: ChosenCell
    held_out: HeldOut
    measurements: Measurements = field(repr=False, compare=False)
    bytes: Counts = field(repr=False, compare=False)
    terms: Counts | None = field(repr=False, compare=False)
    dataset: Dataset = field(repr=False, compare=False)
    resumed: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The share of the copies by each mangler that the bands of each group and cell find.

        It is the table of E. Celozzi and L. Ciabini, "Finding similar document", section 7.3.
        """
        plan, (found, copies) = self.plan, self.measurements.candidates
        return [
            {
                "group": plan.groups[group].name,
                "mangler": str(plan.manglers[mangler]),
                **plan.cells[cell].values,
                "found": round(float(found[mangler, group, cell] / number), 6),
                "copies": int(number),
            }
            for (mangler, group, cell), number in np.ndenumerate(copies)
            if number
            and plan.cells[cell].slots
            and "minhash" in str(plan.groups[group].recipe.fingerprint)
        ]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as mappings, of the fields that any of them has."""
        rows = [vars(row) for row in self.rows]
        names = [name for name in rows[0] if any(row[name] is not None for row in rows)]
        return [{name: row[name] for name in names} for row in rows]

    def record(self) -> dict[str, Any]:
        """What is known beside the rows."""
        found = {"candidates": self.candidates} if self.candidates else {}
        return {"held_out": asdict(self.held_out), **found}

    def __repr__(self) -> str:
        best = self.rows[0]
        return (
            f"<experiment result: {counted(len(self.rows), 'choice')} for "
            f"{counted(self.documents, 'document')}, best: {brief(best.matcher)} of "
            f"{brief(best.group)} from score {best.cut}>"
        )

    def _repr_html_(self) -> str:
        cells = [[*record.values()] for record in self.records]
        return html_table(repr(self).strip("<>"), [*self.records[0]], cells)


def run_experiment(
    plan: ExperimentPlan | str | Path,
    *,
    database: str = IN_MEMORY,
    resume: bool = False,
    run: Run | None = None,
    now: Callable[[], str] = str,
) -> ExperimentResult:
    r"""Run the experiment of a plan, or of the plan in a file, or continue an earlier run of it.

    `database` is the file of the database of results, or the URL of a PostgreSQL database; by
    default it is not kept. With `resume` the last run of the same plan in it is continued where it
    stopped. The target may be another one; if that run is finished, the choice is made again from
    its measurements. `now` gives the time that is stored with the results. Raises UnreadableError
    if too few documents can be read, OptionError if there is no earlier run of this plan,
    OutputError for a database that cannot be used.

    >>> plan = folder / "plan.toml"
    >>> place = plan.write_text(
    ...     f"dataset = {str(samples)!r}\ngroups = 'english'\nmanglers = 'shuffle'\n"
    ...     "false_positive_rate = 0.2"
    ... )
    >>> result = run_experiment(plan)
    >>> result.rows[0].matcher, result.held_out.recall.whole
    ('cosine', 8)
    """
    plan = plan if isinstance(plan, ExperimentPlan) else load_plan(plan)
    run = (run or Run()).anew()
    opened = ResultsDatabase(database)
    try:
        if resume and not opened.find(plan):
            raise OptionError(_NO_RUN)
        plans = [plan, plan.beside] if plan.beside else [plan]
        results = [
            _result(dataset, opened, run, now, resume=resume and opened.find(dataset.plan))
            for dataset in load_datasets(plans, run)
        ]
        return _best(results, run)
    except KeyboardInterrupt as error:
        if database == IN_MEMORY or not opened.find(plan):
            raise
        raise KeyboardInterrupt("the option resume continues it") from error
    finally:
        opened.close()


def _result(
    dataset: Dataset, database: ResultsDatabase, run: Run, now: Callable[[], str], *, resume: bool
) -> ExperimentResult:
    """Score the units that are not done, choose, and measure the choice on held-out folds."""
    plan, scorer = dataset.plan, UnitScorer(dataset)
    documents, digest = len(dataset.names), dataset.digest()
    places = product(range(plan.trials), range(plan.folds))
    least = min(len(dataset.dictionary_sample(*place)) for place in places)
    if least < LEAST_DOCUMENTS and not plan.has_shingles:
        what = f"a dictionary without a fold would be of {counted(least, 'document')}, but needs"
        raise OptionError(f"{what} {LEAST_DOCUMENTS}: use more documents or fewer folds")
    sizes, terms = _fingerprint_sizes(dataset)
    if not resume:
        database.start(plan, digest, documents, now())
    elif not database.find(plan, digest):
        raise OptionError(_NO_RUN)
    units, done = units_of(plan), database.units()
    run.step(len(done), len(units), COMPARING)
    waiting = [unit for unit in units if unit not in done]
    for unit, histograms in zip(waiting, in_parallel(scorer, waiting, run.jobs), strict=True):
        database.add(unit, histograms)
        run.step(1, len(units), COMPARING)
    measurements = Measurements.empty(plan)
    for unit, at, planted, others in database.histograms():
        measurements.add(unit, at, planted, others, related=plan.is_related(unit.mangler))
    curve = measurements.curve()
    if not curve.unrelated.any():
        what = f"{documents:,} documents are too few for {plan.folds} folds, or all copies"
        raise OptionError(f"no unrelated pairs: {what}; use more or others, or fewer folds")
    best = choices(measurements, plan.cells, plan.target)
    figures = held_out(scorer, measurements, run)
    cuts = CUTS[curve.best_cut(plan.target)]
    rows = (
        (
            *at,
            None if terms is None else int(terms[at[::2]]),
            int(sizes[at[::2]]),
            int(cuts[at]),
            *curve.measures(at, int(cuts[at])).values(),
        )
        for at in np.ndindex(cuts.shape)
    )
    database.finish(plan.text, rows, now())
    return ExperimentResult(
        plan,
        database.run,
        documents,
        tuple(_row(plan, curve, choice, sizes, terms) for choice in best),
        best[0],
        figures,
        measurements,
        sizes,
        terms,
        dataset,
        len(done),
    )


def _best(results: Sequence[ExperimentResult], run: Run) -> ExperimentResult:
    """Of results on the same documents the one that finds most, with the rows of all."""
    ranked = sorted(results, key=attrgetter("choice.value"), reverse=True)
    best = ranked[0]
    if not best.choice.value:
        what = "no range of the plan finds a related pair at that false_positive_rate"
        raise OptionError(f"{what}; use a higher one, with resume, or wider ranges of IDF")
    run.note(*_warnings(best))
    chosen, *others = (row for result in ranked for row in result.rows)
    rows = (chosen, *sorted(others, key=partial(_worth, best.plan.target), reverse=True))
    resumed = sum(result.resumed for result in results)
    return replace(best, rows=rows, resumed=resumed, problems=tuple(dict.fromkeys(run.found)))


def _worth(target: ChoiceTarget, row: ChoiceRow) -> tuple[float, float]:
    """What orders rows: the value of the target, then the average precision."""
    value = {RECALL: row.recall, F1: row.f1}.get(target.name, row.average_precision)
    if target.name == RECALL and row.false_positive_rate > target.false_positive_rate:
        value = 0.0
    return value, row.average_precision


def _fingerprint_sizes(dataset: Dataset) -> tuple[Counts, Counts | None]:
    """The bytes of a fingerprint and the terms of the dictionary, by group and cell, rounded."""
    plan = dataset.plan
    if not plan.has_shingles:
        ranges = [(cell.low, cell.high) for cell in plan.cells]
        numbers = [
            [
                np.diff(ranked_ranges(Trial(dataset, trial, group).dictionary, ranges)[1])
                for group in range(len(plan.groups))
            ]
            for trial in range(plan.trials)
        ]
        terms = np.rint(np.mean(numbers, axis=0)[..., 0]).astype(np.int64)
        return -(-terms // 8), terms
    sizes = []
    for group, terms_of in zip(plan.groups, dataset.terms, strict=True):
        # Slots of a sketch that a cell does not use can be left out.
        spec = group.recipe.fingerprint
        if spec and spec.name == "minhash":
            slots = int(build("fingerprints", spec).slots)
            sizes.append([_SLOT * (cell.slots or slots) for cell in plan.cells])
        else:
            mean = round(float(terms_of.rows.lengths.mean()))
            sizes.append([_HASH * mean] * len(plan.cells))
    return np.array(sizes, np.int64), None


def _row(
    plan: ExperimentPlan, curve: Curve, choice: ChosenCell, sizes: Counts, terms: Counts | None
) -> ChoiceRow:
    place = (choice.group, choice.cell)
    size = {"bytes": int(sizes[place])} if terms is None else {"terms": int(terms[place])}
    numbers: dict[str, Any] = plan.cells[choice.cell].values | size
    numbers |= curve.measures(choice.place, choice.cut)
    matcher = str(plan.matchers[choice.matcher])
    group = plan.groups[choice.group].name
    return ChoiceRow(group, matcher, **numbers, cut=choice.cut, plateau=choice.plateau)


def _warnings(result: ExperimentResult) -> Iterator[Problem]:
    plan, dataset, choice = result.plan, result.dataset, result.choice
    left = {left for left, _ in dataset.related}
    if number := sum(len(dataset.unlisted(place)) for place in left):
        what = f"{counted(number, 'pair')} of equal text not listed in {shown(str(plan.pairs))}; "
        what += "they count neither as related nor as unrelated"
        yield Problem("warning", "equal-texts", what)
    for key in choice.edges:
        value = plan.cells[choice.cell].values[key]
        what = f"the chosen {key}, {value:g}, is at the edge of the plan's range; extend {key}"
        yield Problem("warning", "edge-of-grid", what)
    # Trials repeat pairs, which say nothing new.
    unrelated = int(result.measurements.curve().unrelated[choice.place])
    unrelated = min(unrelated, distinct_pairs(dataset))
    rate = plan.target.false_positive_rate
    if unrelated * rate < _LEAST_FALSE:
        what = f"{unrelated:,} unrelated pairs cannot show a false_positive_rate of {rate:g}; it "
        what += f"takes {round(_LEAST_FALSE / rate):,}: use more documents, or a higher rate"
        yield Problem("warning", "few-pairs", what)


def described(result: ExperimentResult) -> list[str]:
    """What an experiment gave, in sentences."""
    held_out, row = result.held_out, result.rows[0]
    cell = result.plan.cells[result.choice.cell]
    verb, where = "CompareDirectory", f"IDF {cell}"
    if result.plan.has_shingles:
        shingler = result.plan.groups[result.choice.group].recipe.shingler
        verb, where = "FindSimilar", str(cell)
        if "(" not in row.group:  # else it names them
            where = f"shingles {shingler}, {cell}"
    lines = [f"chosen: {verb} with {row.group}, {row.matcher}, {where}, cut {row.cut}"]
    if result.resumed:
        lines.append(f"{counted(result.resumed, 'unit')} of work were measured before")
    recall, false = held_out.recall, held_out.false_positives
    lines.append(
        f"on documents that the choice was not made on: {_in_per_cent(recall)} of the related "
        f"pairs found, {_in_per_cent(false)} of the unrelated ones"
    )
    lines += [
        f"  {name}: {_in_per_cent(rate)}, {rate.part} of {rate.whole}"
        for name, rate in held_out.by_mangler.items()
    ]
    found = [each for each in result.candidates if each["group"] == row.group]
    if found:
        lines.append(f"copies that are candidates, by bands × rows, of {row.group}:")
    for name, rows in groupby(found, itemgetter("mangler")):
        shares = (f"{row['bands']} × {row['rows']} {100 * row['found']:.3g} %" for row in rows)
        lines.append(f"  {name}: {', '.join(shares)}")
    return lines


def _in_per_cent(rate: Rate) -> str:
    low, high = rate.interval
    return f"{100 * rate.share:.3g} % ({100 * low:.3g} to {100 * high:.3g})"
