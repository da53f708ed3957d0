"""The page of an experiment: what was chosen, how good it is, and what else was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdtext.experiment.chosen_files import ChosenFiles
from sdtext.experiment.held_out import Rate
from sdtext.experiment.histograms import CUTS, Curve
from sdtext.experiment.plan import RECALL
from sdtext.experiment.precision_band import Band
from sdtext.experiment.run_experiment import ExperimentResult
from sdtext.model import Problem
from sdtext.parts.registry import described, names_of
from sdtext.reports.charts.experiment_charts import (
    Points,
    RangeSquare,
    draw_precision_recall,
    draw_ranges,
    draw_scale,
    draw_two_histograms,
)
from sdtext.reports.html.overview_page import Card
from sdtext.reports.html.report_page import PageProvenance, ReportPage

_NO_PROVENANCE = PageProvenance()
_MOST_MAPS = 12  # grids in the page, those of the best groups and matchers


@dataclass(frozen=True)
class _Axes:
    """How the cells of a plan are named: in a title, in a sentence, one of them, and its axes."""

    title: str
    sentence: str
    cell: str
    words: tuple[str, str]


_AXES = {
    False: _Axes(
        "Ranges of IDF",
        "Each square is a range of normalized IDF",
        "IDF",
        ("minimum IDF", "maximum IDF"),
    ),
    True: _Axes(
        "Bands of sketches",
        "Each square is a number of bands and of their rows, 0 where all pairs are scored",
        "Candidates",
        ("bands", "rows"),
    ),
}


def experiment_page(
    result: ExperimentResult,
    files: ChosenFiles,
    provenance: PageProvenance = _NO_PROVENANCE,
    problems: Sequence[Problem] = (),
    band: Band = (),
) -> ReportPage:
    """The page of a result, and of the files of its choice; `band` is that of its curve."""
    curve = result.measurements.curve()
    plan, choice, target = result.plan, result.choice, result.plan.target
    at = choice.place
    measured = result.measurements
    related, unrelated = (
        side[at].sum(axis=0)[1:].tolist() for side in (measured.related, measured.unrelated)
    )
    folds = [measured.curve(fold=fold) for fold in range(result.plan.folds)]
    data = {
        "lead": _lead(result),
        "numbers": _cards(result),
        "instructions": files.instructions(result.plan, choice),
        "folder": str(files.folder),
        "rates": [
            (
                name,
                _what_it_does(name),
                f"{_share(rate)} ({_interval(rate)})",
                f"{rate.part:,} of {rate.whole:,}",
            )
            for name, rate in result.held_out.by_mangler.items()
        ],
        "maps": list(_maps(result, curve)),
        "scale": draw_scale("scale", *(f"{100 * share:.3g} %" for share in _scale(result, curve))),
        "target": "recall at the cut" if target.name == RECALL else target.name.replace("-", " "),
        "rows": result.rows,
        "sizes": _pareto(result, curve),
        "is_shingled": plan.has_shingles,
        "axes": _AXES[plan.has_shingles],
        "has_band": bool(band),
        "precision_recall": draw_precision_recall(
            _points(curve, at), [_points(fold, at) for fold in folds], band
        ),
        "histogram": draw_two_histograms(related, unrelated, choice.cut),
    }
    title = f"Experiment: {result.plan.name}"
    styles = ("overview.css", "experiment.css")
    return ReportPage("experiment.html", title, data, provenance, problems, styles)


_UNCHANGED = ", which are pairs of documents as they are, not of edited copies"


def _lead(result: ExperimentResult) -> str:
    row, cell = result.rows[0], result.plan.cells[result.choice.cell]
    where = "" if result.plan.has_shingles else "normalized IDF "
    found, false = map(_share, (result.held_out.recall, result.held_out.false_positives))
    return (
        f"Best on these {result.documents:,} documents: tokenizers {row.group}, matcher "
        f"{row.matcher}, {where}{cell}, scores of {row.cut} or more. Of documents that the choice "
        f"was not made on, {found} of the related pairs have such a score, and {false} of the "
        f"unrelated ones{_UNCHANGED if result.plan.manglers else ''}."
    )


def _cards(result: ExperimentResult) -> list[Card]:
    """The numbers at the top: those of documents that the choice was not made on."""
    held_out, place = result.held_out, (result.choice.group, result.choice.cell)
    false, size = held_out.false_positives, f"{result.bytes[place]:,}"
    card = Card("Size of a fingerprint", size, "bytes")
    if result.terms is not None:
        terms = f"{result.terms[place]:,}"
        card = Card("Terms of the dictionary", terms, f"{size} bytes a fingerprint")
    return [
        Card("Related pairs found", _share(held_out.recall), _interval(held_out.recall)),
        Card("Unrelated pairs found", _share(false), _interval(false)),
        Card("Minimum score", str(result.choice.cut), "of 0 to 99"),
        card,
    ]


def _share(rate: Rate) -> str:
    return f"{100 * rate.share:.3g} %"


def _interval(rate: Rate) -> str:
    low, high = rate.interval
    return f"95 % interval: {100 * low:.3g} to {100 * high:.3g} %"


def _what_it_does(manglers: str) -> str:
    """What manglers do, a sentence for each; nothing for the pairs of a file.

    >>> _what_it_does("shuffle(of='lines')")
    'Shuffle the words of a text, or its lines or sentences (of), all or a share, or in groups.'
    """
    known = set(names_of("manglers"))
    names = [name for step in manglers.split("+") if (name := step.partition("(")[0]) in known]
    return " ".join(described("manglers", name)["does"].replace("`", "") for name in names)


def _scale(result: ExperimentResult, curve: Curve) -> tuple[float, float]:
    """The least and the greatest value in the maps, which share their colours."""
    values = curve.value(result.plan.target)
    return float(values.min()), float(values.max())


def _maps(result: ExperimentResult, curve: Curve) -> Iterator[dict[str, Any]]:
    """A grid for each group and matcher, the best first."""
    plan = result.plan
    axes, label = _AXES[plan.has_shingles], "" if plan.has_shingles else "IDF "
    values = curve.value(plan.target)
    least, greatest = _scale(result, curve)
    cuts = CUTS[curve.best_cut(plan.target)]
    groups = {group.name: place for place, group in enumerate(plan.groups)}
    matchers = {str(matcher): place for place, matcher in enumerate(plan.matchers)}
    for number, row in enumerate(result.rows[:_MOST_MAPS]):
        at = groups[row.group], matchers[row.matcher]
        squares = [
            RangeSquare(
                cell.low,
                cell.high,
                float((values[at][place] - least) / ((greatest - least) or 1.0)),
                f"{label}{cell}: {100 * values[at][place]:.3g} % from score {cuts[at][place]}",
            )
            for place, cell in enumerate(plan.cells)
        ]
        title = f"{axes.title} for {row.group} and {row.matcher}"
        numbers = (row.bands, row.rows) if plan.has_shingles else (row.min_idf, row.max_idf)
        chosen = numbers[0] or 0, numbers[1] or 0
        drawing = draw_ranges(f"ranges-{number}", title, squares, chosen, axes.words)
        yield {"group": row.group, "matcher": row.matcher, "drawing": drawing}


def _pareto(result: ExperimentResult, curve: Curve) -> list[dict[str, Any]]:
    """The choices that no other equals at less size and in less time; and the chosen one.

    They are in the order of their sizes. `terms` are those of the dictionary, 0 without one;
    `milliseconds` the processor time that the terms of a document take in the mean.
    """
    plan, values, terms = result.plan, curve.value(result.plan.target), result.terms
    times = [_rounded(group.milliseconds) for group in result.dataset.terms]
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


def _rounded(milliseconds: float) -> float:
    """A time to two digits: more of it differ from run to run."""
    return float(f"{milliseconds:.2g}")


def _points(curve: Curve, at: tuple[int, int, int]) -> Points:
    """Recall and precision at each cut at which anything is found."""
    recall, precision = curve.recall[at].tolist(), curve.precision[at].tolist()
    any_found = (curve.found[at] + curve.false[at]) > 0
    points = zip(recall, precision, any_found.tolist(), strict=True)
    return [(x, y) for x, y, is_any in points if is_any] or [(0.0, 1.0)]
