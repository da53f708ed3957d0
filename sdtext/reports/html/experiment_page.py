"""The page of an experiment: what was chosen, how good it is, and what else was tried."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sdtext.experiment.chosen_files import ChosenFiles
from sdtext.experiment.histograms import CUTS, Curve
from sdtext.experiment.plan import RECALL, Cell
from sdtext.experiment.run_experiment import ExperimentResult
from sdtext.model import Problem
from sdtext.parts.registry import list_parts
from sdtext.reports.html.report_page import PageProvenance, ReportPage

_MOST_MAPS = 12  # grids in the page, those of the best groups and matchers


def experiment_page(
    result: ExperimentResult, files: ChosenFiles, problems: Sequence[Problem] = ()
) -> ReportPage:
    """The page of a result, and of the files of its choice."""
    plan, choice, measured = result.plan, result.choice, result.measurements
    curve, target, at = measured.curve(), plan.target, choice.place
    values = curve.value(target)
    data = {
        "result": result,
        "best": result.rows[0],
        "cell": plan.cells[choice.cell],
        "size": int(result.bytes[choice.group, choice.cell]),
        "terms": None if result.terms is None else int(result.terms[choice.group, choice.cell]),
        "instructions": files.instructions(plan, choice),
        "folder": str(files.folder),
        "does": {part.name: part.does.replace("`", "") for part in list_parts("manglers")},
        "maps": list(_maps(result, curve)),
        "scale": [f"{100 * share:.3g} %" for share in (values.min(), values.max())],
        "target": "recall at the cut" if target.name == RECALL else target.name.replace("-", " "),
        "sizes": _pareto(result, curve),
        "is_shingled": plan.has_shingles,
        "curve": _points(curve, at),
        "folds": [_points(measured.curve(fold=fold), at) for fold in range(plan.folds)],
        "histograms": {  # in bins of five scores, of numbers by fold and score
            name: getattr(measured, name)[at].sum(axis=0)[1:].reshape(-1, 5).sum(axis=1)
            for name in ("related", "unrelated")
        },
    }
    parameters = [
        ("Documents", f"{result.documents:,} of {plan.dataset}"),
        *((name.capitalize(), str(getattr(plan, name))) for name in ("trials", "folds", "seed")),
        ("Target", target.name),
        ("Highest false-positive rate", f"{target.false_positive_rate:g}"),
    ]
    made, styles = PageProvenance(parameters=parameters), ("overview.css", "experiment.css")
    return ReportPage("experiment.html", f"Experiment: {plan.name}", data, made, problems, styles)


def _maps(result: ExperimentResult, curve: Curve) -> Iterator[dict[str, Any]]:
    """A grid of squares for each group and matcher, by their numbers, the best first.

    A square is two values, its place from the least to the greatest value of all, its figures and
    its commands.
    """
    plan, label = result.plan, "" if result.plan.has_shingles else "IDF "
    values, cuts = curve.value(plan.target), CUTS[curve.best_cut(plan.target)]
    least, room = values.min(), (values.max() - values.min()) or 1.0
    groups = {group.name: place for place, group in enumerate(plan.groups)}
    matchers = {str(matcher): place for place, matcher in enumerate(plan.matchers)}
    rows = [row for row in result.rows if (row.bytes is not None) == plan.has_shingles]
    for row in rows[:_MOST_MAPS]:
        at = groups[row.group], matchers[row.matcher]
        numbers = (row.bands, row.rows) if plan.has_shingles else (row.min_idf, row.max_idf)
        yield {
            "place": "{}-{}".format(*at),
            "group": row.group,
            "matcher": row.matcher,
            "chosen": (numbers[0] or 0, numbers[1] or 0),
            "squares": [
                (
                    *(cell.low, cell.high, (value - least) / room),
                    f"{label}{cell}: {100 * value:.3g} % from score {cut}",
                    _commands(row.group, row.matcher, cell, cut),
                )
                for cell, value, cut in zip(plan.cells, values[at], cuts[at], strict=True)
            ],
        }


def _commands(group: str, matcher: str, cell: Cell, cut: int) -> list[str]:
    """The commands that compare by a cell; DIR and FILE stand for a user's."""
    if cell.index:
        add = ["AddDocuments", "NAME.sdx", "DIR", "-c", group]
        lines = [add, ["FindSimilar", "NAME.sdx", "FILE", "-m", matcher, "-s", str(cut)]]
    else:
        whole = ["CreateDictionary", "-p", "DIR", "-c", group, "-o", "whole.xml"]
        ends = ["-b", f"{cell.low:g}", "-t", f"{cell.high:g}"]
        trim = ["TrimDictionary", "-d", "whole.xml", *ends, "-o", "trimmed.xml"]
        find = ["CompareDirectory", "FILE", "DIR", "-d", "trimmed.xml", "-m", matcher]
        lines = [whole, trim, [*find, "-s", str(cut)]]
    return [shlex.join(["sdtext", *words]) for words in lines]


def _pareto(result: ExperimentResult, curve: Curve) -> list[dict[str, Any]]:
    """The choices that no other equals at less size and in less time, and the chosen one."""
    plan, values, terms = result.plan, curve.value(result.plan.target), result.terms
    times = [float(f"{group.milliseconds:.2g}") for group in result.dataset.terms]
    chosen = result.choice.place
    places = sorted(
        np.ndindex(values.shape),
        key=lambda at: (result.bytes[at[0], at[2]], times[at[0]], -values[at], at != chosen),
    )
    kept: list[tuple[int, int, int]] = []
    for at in places:
        is_beaten = any(values[k] >= values[at] and times[k[0]] <= times[at[0]] for k in kept)
        if at == chosen or (values[at] and not is_beaten):
            kept.append(at)
    return [
        {
            "group": plan.groups[group].name,
            "matcher": str(plan.matchers[matcher]),
            "cell": plan.cells[cell],
            "terms": 0 if terms is None else int(terms[group, cell]),
            "bytes": int(result.bytes[group, cell]),
            "milliseconds": times[group],
            "value": float(values[group, matcher, cell]),
            "is_chosen": (group, matcher, cell) == chosen,
        }
        for group, matcher, cell in kept
    ]


def _points(curve: Curve, at: tuple[int, int, int]) -> list[tuple[float, float]]:
    """Recall and precision at each cut at which anything is found."""
    any_found = (curve.found[at] + curve.false[at]) > 0
    columns = curve.recall[at][any_found].tolist(), curve.precision[at][any_found].tolist()
    return list(zip(*columns, strict=True)) or [(0.0, 1.0)]
