"""The automatic choice: group, matcher, range of IDF and cut that serve a target best.

Of the cells whose value is within one standard error of the best, those that hang together with
the best one are its plateau; the choice is the cell in the middle of it, where a small change of
the documents changes least.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdtext.experiment.histograms import BINS, CUTS, Counts, Curve, Floats, ScoringUnit
from sdtext.experiment.plan import Cell, ChoiceTarget, ExperimentPlan, GridCell
from sdtext.model.displayed_results import ShortFields

_DIGITS = 6
Position = tuple[int, int]
"""A cell of the grid, as the places of its minimum and of its maximum among all."""


@dataclass(frozen=True, eq=False, repr=False)
class Measurements(ShortFields):
    """Numbers of pairs by score, of shape (groups, matchers, cells, folds, bins)."""

    related: Counts
    unrelated: Counts

    @classmethod
    def empty(cls, plan: ExperimentPlan) -> Measurements:
        """Measurements of no pairs."""
        shape = (len(plan.groups), len(plan.matchers), len(plan.cells), plan.folds, BINS)
        return cls(np.zeros(shape, np.int64), np.zeros(shape, np.int64))

    def add(
        self, unit: ScoringUnit, place: Position, sides: tuple[Counts, Counts], *, related: bool
    ) -> None:
        """Add the histograms of planted and other pairs of a unit, at a matcher and cell.

        Copies that are not `related` to their documents must not match: they are unrelated pairs.
        The others are so only where documents are compared as they are: a copy scores lower with
        other documents than its document does.
        """
        key = (unit.group, *place, unit.fold)
        planted, others = sides
        (self.related if related else self.unrelated)[key] += planted
        if unit.mangler is None:
            self.unrelated[key] += others

    def curve(self, without: int | None = None, fold: int | None = None) -> Curve:
        """The curve of each group, matcher and cell: of all folds, of all but one, or of one."""
        folds = np.arange(self.related.shape[3])
        chosen = folds != without if fold is None else folds == fold
        sides = (side[:, :, :, chosen].sum(axis=3) for side in (self.related, self.unrelated))
        return Curve.of(*sides)

    def standard_error(
        self, place: tuple[int, int, int], cut: int, target: ChoiceTarget, without: int | None
    ) -> float:
        """The standard error of the value of a group, matcher and cell at a place in `CUTS`.

        It is estimated from the values of the folds (Breiman et al., "Classification and Regression
        Trees", 1984, section 3.4.3), since copies of a document are dependent, and all are in one
        fold; 0 with a single fold.
        """
        related, unrelated = self.related[place], self.unrelated[place]
        values = [
            float(Curve.of(related[fold], unrelated[fold]).at(cut, target))
            for fold in range(len(related))
            if fold != without and related[fold].any()
        ]
        return float(np.std(values, ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0


@dataclass(frozen=True)
class ChosenCell:
    """The numbers of a group, a matcher and a cell, the cut, and what the target is worth there.

    `plateau` is the number of cells that are as good within the standard error; `edges` names the
    keys of the plan that could be extended.
    """

    group: int
    matcher: int
    cell: int
    cut: int
    value: float
    plateau: int = 1
    edges: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Grid:
    """The cells of a plan as a grid, such as one of minima and maxima."""

    cells: Sequence[GridCell]

    @cached_property
    def _axes(self) -> tuple[list[float], list[float]]:
        """The first and the second values of the cells, in increasing order."""
        lows, highs = zip(*(cell.values for cell in self.cells), strict=True)
        return sorted({*lows}), sorted({*highs})

    @cached_property
    def positions(self) -> list[Position]:
        """The position of each cell."""
        lows, highs = self._axes
        pairs = (cell.values for cell in self.cells)
        return [(lows.index(low), highs.index(high)) for low, high in pairs]

    def plateau(self, values: Floats, error: float) -> set[Position]:
        """The cells that hang together with the best and are worse by at most `error`."""
        best = int(values.argmax())
        pairs = zip(self.positions, values.tolist(), strict=True)
        good = {position for position, value in pairs if value >= values[best] - error}
        plateau, waiting = set[Position](), [self.positions[best]]
        while waiting:
            position = waiting.pop()
            if position in good and position not in plateau:
                plateau.add(position)
                waiting += _neighbours(position)
        return plateau

    def middle(self, values: Floats, error: float) -> tuple[int, int]:
        """The number of the cell in the middle of the plateau, and the size of the plateau.

        It is the one that is most steps away from cells that are not in it. Of several the one with
        the greatest value, then that of the least breadth.
        """
        depths = dict.fromkeys(self.plateau(values, error), 0)
        left, depth = set(depths), 0
        while left:
            depth += 1
            rim = {place for place in left if any(n not in left for n in _neighbours(place))}
            depths.update(dict.fromkeys(rim, depth))
            left -= rim
        _, place = max(
            ((depths[position], values[place], -self.cells[place].breadth), -place)
            for place, position in enumerate(self.positions)
            if position in depths
        )
        return -place, len(depths)

    def edges(self, cell: int) -> tuple[str, ...]:
        """The keys whose range ends at a cell, though normalized IDF goes on."""
        at = self.cells[cell]
        if not isinstance(at, Cell):
            return ()
        lows, highs = self._axes
        ends = {
            "min_idf": len(lows) > 1 and (at.min_idf == lows[-1] or at.min_idf == lows[0] > 0),
            "max_idf": len(highs) > 1 and (at.max_idf == highs[0] or at.max_idf == highs[-1] < 1),
        }
        return tuple(key for key, is_end in ends.items() if is_end)


def _neighbours(position: Position) -> Iterator[Position]:
    row, column = position
    yield from ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))


def choices(
    measurements: Measurements, grid: Grid, target: ChoiceTarget, without: int | None = None
) -> list[ChosenCell]:
    """The best choice of each group and matcher, the best of all first, made without a fold."""
    curve = measurements.curve(without)
    values, cuts = curve.value(target), curve.best_cut(target)
    rows = []
    for group, matcher in np.ndindex(values.shape[:2]):
        of_cells = values[group, matcher]
        best = (group, matcher, int(of_cells.argmax()))
        error = measurements.standard_error(best, int(cuts[best]), target, without)
        cell, plateau = grid.middle(of_cells, error)
        cut, value = int(CUTS[cuts[group, matcher, cell]]), float(of_cells[cell])
        rows.append(ChosenCell(group, matcher, cell, cut, value, plateau, grid.edges(cell)))
    precise = curve.average_precision
    return sorted(
        rows,
        key=lambda row: (-row.value, -float(precise[row.group, row.matcher, row.cell]), row.group),
    )


def cell_measures(curve: Curve, at: tuple[int, int, int], cut: int) -> Mapping[str, float]:
    """The measures of a group, a matcher and a cell at a cut, by their names."""
    there = (*at, cut - int(CUTS[0]))
    measures = {
        "recall": curve.recall[there],
        "false_positive_rate": curve.false_positive_rate[there],
        "precision": curve.precision[there],
        "f1": curve.f1[there],
        "average_precision": curve.average_precision[at],
    }
    return {name: round(float(value), _DIGITS) for name, value in measures.items()}
