"""The page of an experiment: what was chosen, how good it is, and what else was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sdtext.experiment.chosen_files import ChosenFiles
from sdtext.experiment.held_out import Rate
from sdtext.experiment.measures import CUTS, Curve
from sdtext.experiment.plan import RECALL, Cell
from sdtext.experiment.run_experiment import ExperimentResult
from sdtext.model import Problem
from sdtext.reports.charts.precision_recall import (
    Points,
    draw_precision_recall,
    draw_two_histograms,
)
from sdtext.reports.charts.range_map import RangeSquare, draw_ranges
from sdtext.reports.html.overview_page import Card
from sdtext.reports.html.report_page import PageProvenance, ReportPage

_NO_PROVENANCE = PageProvenance()
_MOST_MAPS = 12  # grids in the page, those of the best groups and matchers


@dataclass(frozen=True)
class RangeMap:
    """The grid of a group and a matcher."""

    group: str
    matcher: str
    drawing: Markup


@dataclass(frozen=True)
class SizeRow:
    """A range of the chosen group and matcher that no smaller dictionary equals."""

    cell: Cell
    terms: int
    value: float
    is_chosen: bool


def experiment_page(
    result: ExperimentResult,
    files: ChosenFiles,
    provenance: PageProvenance = _NO_PROVENANCE,
    problems: Sequence[Problem] = (),
) -> ReportPage:
    """The page of a result, and of the files of its choice."""
    curve = result.measurements.curve()
    choice, target = result.choice, result.plan.target
    at = (choice.group, choice.matcher, choice.cell)
    measured = result.measurements
    related, unrelated = (
        side[at].sum(axis=0)[1:].tolist() for side in (measured.related, measured.unrelated)
    )
    folds = [measured.curve(fold=fold) for fold in range(result.plan.folds)]
    data = {
        "lead": _lead(result),
        "numbers": _cards(result),
        "commands": files.commands_for(result.plan, choice),
        "folder": str(files.folder),
        "rates": [
            (name, _per_cent(rate), f"{rate.part:,} of {rate.whole:,}")
            for name, rate in result.held_out.by_mangler.items()
        ],
        "maps": list(_maps(result, curve)),
        "target": "recall at the cut" if target.name == RECALL else target.name.replace("-", " "),
        "rows": result.rows,
        "sizes": _smallest(result, curve),
        "precision_recall": draw_precision_recall(
            _points(curve, at), [_points(fold, at) for fold in folds]
        ),
        "histogram": draw_two_histograms(related, unrelated, choice.cut),
    }
    title = f"Experiment: {result.plan.name}"
    styles = ("overview.css", "experiment.css")
    return ReportPage("experiment.html", title, data, provenance, problems, styles)


def _lead(result: ExperimentResult) -> str:
    row = result.rows[0]
    return (
        f"Best on these {result.documents:,} documents: tokenizers {row.group}, matcher "
        f"{row.matcher}, normalized IDF from {row.min_idf:g} to {row.max_idf:g}, scores of "
        f"{row.cut} or more."
    )


def _cards(result: ExperimentResult) -> list[Card]:
    """The numbers at the top: those of documents that the choice was not made on."""
    held_out, terms = result.held_out, result.rows[0].terms
    false = held_out.false_positives
    return [
        Card("Related pairs found", _share(held_out.recall), _interval(held_out.recall)),
        Card("Unrelated pairs found", _share(false), _interval(false)),
        Card("Minimum score", str(result.choice.cut), "of 0 to 99"),
        Card("Terms of the dictionary", f"{terms:,}", f"{-(-terms // 8):,} bytes a fingerprint"),
    ]


def _share(rate: Rate) -> str:
    return f"{100 * rate.share:.3g} %"


def _interval(rate: Rate) -> str:
    low, high = rate.interval
    return f"95 % interval: {100 * low:.3g} to {100 * high:.3g} %"


def _per_cent(rate: Rate) -> str:
    return f"{_share(rate)} ({_interval(rate)})"


def _maps(result: ExperimentResult, curve: Curve) -> Iterator[RangeMap]:
    """A grid for each group and matcher, the best first."""
    plan = result.plan
    values = curve.value(plan.target)
    cuts = CUTS[curve.best_cut(plan.target)]
    groups = {group.name: place for place, group in enumerate(plan.groups)}
    matchers = {str(matcher): place for place, matcher in enumerate(plan.matchers)}
    for number, row in enumerate(result.rows[:_MOST_MAPS]):
        at = groups[row.group], matchers[row.matcher]
        squares = [
            RangeSquare(
                cell.min_idf,
                cell.max_idf,
                float(values[at][place]),
                f"IDF {cell}: {100 * values[at][place]:.3g} % from score {cuts[at][place]}",
            )
            for place, cell in enumerate(plan.cells)
        ]
        title = f"Ranges of IDF for {row.group} and {row.matcher}"
        chosen = (row.min_idf, row.max_idf)
        drawing = draw_ranges(f"ranges-{number}", title, squares, chosen)
        yield RangeMap(row.group, row.matcher, drawing)


def _smallest(result: ExperimentResult, curve: Curve) -> list[SizeRow]:
    """The ranges of the chosen group and matcher that no range of fewer terms equals."""
    choice, plan = result.choice, result.plan
    values = curve.value(plan.target)[choice.group, choice.matcher]
    sizes = result.sizes[choice.group]
    rows: list[SizeRow] = []
    for place in sorted(range(len(plan.cells)), key=lambda place: (sizes[place], -values[place])):
        best = rows[-1].value if rows else 0.0
        if values[place] > best or place == choice.cell:
            is_chosen = place == choice.cell
            row = SizeRow(plan.cells[place], sizes[place], float(values[place]), is_chosen)
            rows.append(row)
    return rows


def _points(curve: Curve, at: tuple[int, int, int]) -> Points:
    """Recall and precision at each cut at which anything is found."""
    recall, precision = curve.recall[at].tolist(), curve.precision[at].tolist()
    found = (curve.found[at] + curve.false[at]) > 0
    points = zip(recall, precision, found.tolist(), strict=True)
    return [(x, y) for x, y, is_any in points if is_any] or [(0.0, 1.0)]
