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
        matcher, cell = place
        key = (unit.group, matcher, cell, unit.fold)
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
        folds = [fold for fold in range(len(related)) if fold != without]
        values = [
            float(Curve.of(related[fold], unrelated[fold]).at(cut, target))
            for fold in folds
            if related[fold].any()
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
    def positions(self) -> list[Position]:
        """The position of each cell."""
        lows, highs = self.lows, self.highs
        return [(lows.index(low), highs.index(high)) for low, high in self._values]

    @cached_property
    def _values(self) -> list[tuple[float, float]]:
        return [cell.values for cell in self.cells]

    @cached_property
    def lows(self) -> list[float]:
        """The minima, or the first values of the cells, in increasing order."""
        return sorted({low for low, _ in self._values})

    @cached_property
    def highs(self) -> list[float]:
        """The maxima, or the second values of the cells, in increasing order."""
        return sorted({high for _, high in self._values})

    def plateau(self, values: Floats, error: float) -> set[Position]:
        """The cells that hang together with the best and are worse by at most `error`."""
        best = int(values.argmax())
        good = {
            position
            for position, value in zip(self.positions, values.tolist(), strict=True)
            if value >= values[best] - error
        }
        plateau, waiting = set[Position](), [self.positions[best]]
        while waiting:
            position = waiting.pop()
            if position in good and position not in plateau:
                plateau.add(position)
                waiting += _neighbours(position)
        return plateau

    def depths(self, plateau: set[Position]) -> dict[Position, int]:
        """For each cell of a plateau the number of steps to the nearest that is not in it."""
        depths = dict.fromkeys(plateau, 0)
        left, depth = set(plateau), 0
        while left:
            depth += 1
            rim = {place for place in left if any(n not in left for n in _neighbours(place))}
            depths.update(dict.fromkeys(rim, depth))
            left -= rim
        return depths

    def middle(self, values: Floats, error: float) -> tuple[int, int]:
        """The number of the cell in the middle of the plateau, and the size of the plateau.

        Of several the one with the greatest value, then that of the least breadth.
        """
        depths = self.depths(self.plateau(values, error))
        widths = [cell.breadth for cell in self.cells]
        _, place = max(
            ((depths[position], values[place], -widths[place]), -place)
            for place, position in enumerate(self.positions)
            if position in depths
        )
        return -place, len(depths)

    def edges(self, cell: int) -> tuple[str, ...]:
        """The keys whose range ends at a cell, though normalized IDF goes on."""
        if not isinstance(self.cells[cell], Cell):
            return ()
        low, high = self._values[cell]
        ends = {
            "min_idf": len(self.lows) > 1 and (low == self.lows[-1] or low == self.lows[0] > 0),
            "max_idf": len(self.highs) > 1
            and (high == self.highs[0] or high == self.highs[-1] < 1),
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
    values = curve.value(target)
    cuts = curve.best_cut(target)
    rows = []
    for group, matcher in np.ndindex(values.shape[:2]):
        of_cells = values[group, matcher]
        best = (group, matcher, int(of_cells.argmax()))
        error = measurements.standard_error(best, int(cuts[best]), target, without)
        cell, plateau = grid.middle(of_cells, error)
        cut = int(CUTS[cuts[group, matcher, cell]])
        value = float(of_cells[cell])
        rows.append(ChosenCell(group, matcher, cell, cut, value, plateau, grid.edges(cell)))
    precise = curve.average_precision
    return sorted(
        rows,
        key=lambda row: (-row.value, -float(precise[row.group, row.matcher, row.cell]), row.group),
    )


def cell_measures(curve: Curve, choice: ChosenCell) -> Mapping[str, float]:
    """The measures of a choice by their names."""
    at = (choice.group, choice.matcher, choice.cell)
    cut = (*at, choice.cut - int(CUTS[0]))
    measures = {
        "recall": curve.recall[cut],
        "false_positive_rate": curve.false_positive_rate[cut],
        "precision": curve.precision[cut],
        "f1": curve.f1[cut],
        "average_precision": curve.average_precision[at],
    }
    return {name: round(float(value), _DIGITS) for name, value in measures.items()}
