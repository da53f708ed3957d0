"""The automatic choice: group, matcher, range of IDF and cut that serve a target best.

Of the cells whose value is within one standard error of the best, those that hang together with
the best one are its plateau; the choice is the cell in the middle of it, where a small change of
the documents changes least.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdtext.experiment.histograms import CUTS, Curve, Floats, Measurements
from sdtext.experiment.plan import Cell, ChoiceTarget

Position = tuple[int, int]
"""A cell of the grid, as the places of its minimum and of its maximum among all."""


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

    @property
    def place(self) -> tuple[int, int, int]:
        """Its place in measurements."""
        return self.group, self.matcher, self.cell


def choices(
    measurements: Measurements,
    cells: Sequence[Cell],
    target: ChoiceTarget,
    without: int | None = None,
) -> list[ChosenCell]:
    """The best choice of each group and matcher, the best of all first, made without a fold."""
    curve = measurements.curve(without)
    values, cuts = curve.value(target), curve.best_cut(target)
    rows = []
    for group, matcher in np.ndindex(values.shape[:2]):
        of_cells = values[group, matcher]
        best = (group, matcher, int(of_cells.argmax()))
        error = standard_error(measurements, best, int(cuts[best]), target, without)
        cell, plateau = middle_of_plateau(cells, of_cells, error)
        cut, value = int(CUTS[cuts[group, matcher, cell]]), float(of_cells[cell])
        edges = tuple(_edges(cells, cells[cell]))
        rows.append(ChosenCell(group, matcher, cell, cut, value, plateau, edges))
    precise = curve.average_precision
    return sorted(rows, key=lambda row: (-row.value, -float(precise[row.place]), row.group))


def standard_error(
    measurements: Measurements,
    place: tuple[int, int, int],
    cut: int,
    target: ChoiceTarget,
    without: int | None,
) -> float:
    """The standard error of the value of a group, matcher and cell at a place in `CUTS`.

    It is estimated from the values of the folds (Breiman et al., "Classification and Regression
    Trees", 1984, section 3.4.3), since copies of a document are dependent, and all are in one fold;
    0 with a single fold.
    """
    related, unrelated = measurements.related[place], measurements.unrelated[place]
    values = [
        float(Curve.of(related[fold], unrelated[fold]).at(cut, target))
        for fold in range(len(related))
        if fold != without and related[fold].any()
    ]
    return float(np.std(values, ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0


def middle_of_plateau(cells: Sequence[Cell], values: Floats, error: float) -> tuple[int, int]:
    """The number of the cell in the middle of the plateau, and the size of the plateau.

    The plateau are the cells that hang together with the best and are worse by at most `error`. Its
    middle is the one that is most steps away from other cells; of several the one with the greatest
    value, then that of the least breadth.
    """
    lows, highs = _axes(cells)
    positions = [(lows.index(cell.low), highs.index(cell.high)) for cell in cells]
    best = int(values.argmax())
    good = {
        at for at, value in zip(positions, values, strict=True) if value >= values[best] - error
    }
    plateau, waiting = set[Position](), [positions[best]]
    while waiting:
        position = waiting.pop()
        if position in good and position not in plateau:
            plateau.add(position)
            waiting += _neighbours(position)
    depths: dict[Position, int] = {}
    left, depth = set(plateau), 0
    while left:
        depth += 1
        rim = {place for place in left if any(n not in left for n in _neighbours(place))}
        depths.update(dict.fromkeys(rim, depth))
        left -= rim

    def order(place: int) -> tuple[float, ...]:
        return depths[positions[place]], values[place], -cells[place].breadth, -place

    inside = (place for place, position in enumerate(positions) if position in plateau)
    return max(inside, key=order), len(plateau)


def _axes(cells: Sequence[Cell]) -> tuple[list[float], list[float]]:
    """The first and the second numbers of the cells, in increasing order."""
    return sorted({cell.low for cell in cells}), sorted({cell.high for cell in cells})


def _edges(cells: Sequence[Cell], at: Cell) -> Iterator[str]:
    """The keys whose range ends at a cell, though normalized IDF goes on."""
    lows, highs = _axes(cells)
    if not at.index and len(lows) > 1 and (at.low == lows[-1] or at.low == lows[0] > 0):
        yield "min_idf"
    if not at.index and len(highs) > 1 and (at.high == highs[0] or at.high == highs[-1] < 1):
        yield "max_idf"


def _neighbours(position: Position) -> Iterator[Position]:
    row, column = position
    yield from ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
