"""A matrix of scores as SVG: a path for each level of colour, so that large ones stay fluent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sdtext.reports.charts.svg_elements import chart, element, labels_of, number, width_of

MOST_DOCUMENTS = 300
"""A matrix of more rows or columns is not drawn."""

LEVELS = 8
_LABELLED = 64  # rows, up to which each has its name
_CELL, _LARGEST = 900.0, 26.0  # room for all cells, side of a cell at the most
_LABEL, _LETTER = 26, 6.8  # letters of a name at the most, width of a letter

Cell = tuple[int, int, int]
"""Row, column and score."""


@dataclass(frozen=True)
class HeatMap:
    """The scores of documents in rows with those in columns.

    In a `symmetric` matrix rows and columns are the same documents; each pair is given once and
    drawn twice. `numbers` are those of the documents in the page, of rows and of columns.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Cell]
    symmetric: bool = False
    numbers: tuple[Sequence[int], Sequence[int]] = ((), ())

    @property
    def side(self) -> float:
        """The side of a cell."""
        return min(_LARGEST, _CELL / max(len(self.rows), len(self.columns), 1))

    @property
    def is_labelled(self) -> bool:
        """Whether rows have their names beside them."""
        return len(self.rows) <= _LABELLED

    @property
    def left(self) -> float:
        """Where the cells begin."""
        if not self.is_labelled:
            return 0.0
        return 16 + _LETTER * max(map(width_of, labels_of(self.rows, _LABEL)))

    def drawn(self) -> Markup:
        """The matrix as SVG in a box. Scripts find rows and columns by its data attributes."""
        side, left = self.side, self.left
        size = left + side * len(self.columns), side * len(self.rows)
        background = element(
            "rect", x=left, y=0, width=size[0] - left, height=size[1], class_="empty"
        )
        paths = [
            element("path", d=self._path(level), class_=f"h{level}") for level in range(LEVELS)
        ]
        lines = [side * (row + 0.5) + 4 for row in range(len(self.rows) * self.is_labelled)]
        numbers = self.numbers[0] or range(1, len(self.rows) + 1)
        names = [
            element("text", label, x=left - 8, y=y, text_anchor="end", data_name=document)
            for y, label, document in zip(
                lines, labels_of(self.rows, _LABEL), numbers, strict=False
            )
        ]
        title = f"Scores of {len(self.rows):,} by {len(self.columns):,} documents"
        drawing = chart("heat-map", title, size, background, *paths, *names)
        places = {"data_left": left, "data_side": side}
        kind = "matrix labelled" if self.is_labelled else "matrix"
        return element("div", drawing, class_=kind, **places)

    def _path(self, level: int) -> str:
        """A square for each cell of that level."""
        side = number(self.side)
        corners = (
            (number(self.left + column * self.side), number(row * self.side))
            for row, column in self._places(level)
        )
        return "".join(f"M{x} {y}h{side}v{side}h-{side}z" for x, y in corners)

    def _places(self, level: int) -> Iterable[tuple[int, int]]:
        for row, column, score in self.cells:
            if level_of(score) == level:
                yield row, column
                if self.symmetric and row != column:
                    yield column, row


def level_of(score: int) -> int:
    """The level of colour of a score: 0 is that of a pair that is not listed.

    >>> level_of(0), level_of(1), level_of(50), level_of(99)
    (0, 1, 4, 7)
    """
    return 1 + score * (LEVELS - 1) // 100 if score else 0
