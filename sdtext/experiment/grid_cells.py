"""The cells of the grid of a plan: ranges of normalized IDF, or bands of sketches.

A plan with dictionaries tries ranges of IDF: each minimum with each maximum above it. A plan with
shingles tries the bands that make two documents candidates: each number of bands with each number
of rows. One pass over the documents scores all cells.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.parts.registry import build

_MOST_CELLS = 10_000
_DIGITS = 9  # of the values of a range, so that 0.1 + 0.2 is 0.3


@dataclass(frozen=True)
class Cell:
    """A range of normalized IDF, both ends included.

    >>> str(Cell(0.3, 0.7))
    '0.3 to 0.7'
    """

    min_idf: float
    max_idf: float
    keys: ClassVar[tuple[str, str]] = ("min_idf", "max_idf")

    def __str__(self) -> str:
        return f"{self.min_idf:g} to {self.max_idf:g}"

    @property
    def values(self) -> tuple[float, float]:
        """The values of the `keys`."""
        return self.min_idf, self.max_idf

    @property
    def breadth(self) -> float:
        """What a choice among equals keeps small: the width of the range."""
        return self.max_idf - self.min_idf


@dataclass(frozen=True)
class BandCell:
    """An index of sketches: two documents are candidates if their sketches agree in a band.

    Without bands, all documents are. Candidates are scored with all of their shingles.

    >>> str(BandCell(PartSpec.of("bands", bands=20, rows=5))), str(BandCell(PartSpec("scan")))
    ('20 bands of 5 rows', 'all pairs')
    """

    index: PartSpec
    keys: ClassVar[tuple[str, str]] = ("bands", "rows")

    def __str__(self) -> str:
        bands, rows = self.values
        return f"{bands} bands of {rows} rows" if bands else "all pairs"

    @property
    def values(self) -> tuple[int, int]:
        """The values of the `keys`; 0 where all documents are candidates."""
        options = dict(self.index.options)
        bands, rows = (options.get(key, 0) for key in self.keys)
        return int(str(bands)), int(str(rows))

    @property
    def slots(self) -> int:
        """The slots of a sketch that it uses."""
        return math.prod(self.values)

    @property
    def breadth(self) -> float:
        """What a choice among equals keeps small: 1 less the similarity of likely candidates."""
        bands, rows = self.values
        return 1 - (1 / bands) ** (1 / rows) if bands else 1.0


GridCell = Cell | BandCell


def band_cells(indexes: list[PartSpec], slots: list[int]) -> tuple[BandCell, ...]:
    """The cells of some indexes, for sketches of so many slots. Raises OptionError.

    Bands that follow from a similarity and a recall are those of the smallest sketches.
    """
    cells = []
    for index in indexes:
        if index.name == "scan":
            cells.append(BandCell(index))
            continue
        if index.name != "bands":
            raise OptionError(f"index is {index}; it must be bands or scan")
        bands, rows = build("indexes", index).layout(min(slots)) if not _rows_of(index) else (0, 0)
        options = dict(index.options)
        if bands:
            options = {key: options[key] for key in ("hash", "modulus") if key in options}
            options |= {"bands": bands, "rows": rows}
        cells.append(BandCell(PartSpec.of("bands", **options)))
    kept = tuple(dict.fromkeys(cell for cell in cells if cell.slots <= max(slots)))
    if not kept:
        raise OptionError(f"index: {cells[0]} are more than the {max(slots)} slots of a sketch")
    return kept


def _rows_of(index: PartSpec) -> bool:
    return "rows" in dict(index.options)


def idf_cells(table: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The cells of the grid: each minimum with each maximum above it."""
    lows = _range(table.get("min_idf", 0.3), "min_idf")
    highs = _range(table.get("max_idf", 0.7), "max_idf")
    cells = tuple(Cell(low, high) for low in lows for high in highs if low < high)
    if not cells:
        raise OptionError(
            f"the least min_idf is {lows[0]:g} and the greatest max_idf is {highs[-1]:g}; the "
            "first must be below the second"
        )
    if len(cells) > _MOST_CELLS:
        raise OptionError(
            f"min_idf and max_idf make {len(cells)} ranges; at most {_MOST_CELLS} are measured"
        )
    return cells


_RANGE = "a number, a list of numbers, or { from = 0.0, to = 1.0, step = 0.05 }"


def _range(given: Any, key: str) -> list[float]:
    """The values of a range of normalized IDF, in increasing order."""
    if isinstance(given, dict):
        given = _steps(given, key)
    values = given if isinstance(given, list) else [given]
    if not values or not all(map(_is_idf, values)):
        raise OptionError.of("plan", key, given, f"{_RANGE}; a normalized IDF is 0 to 1")
    return sorted({round(float(value), _DIGITS) for value in values})


def _is_idf(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _steps(given: dict[str, Any], key: str) -> list[float]:
    numbers = [given.get(name) for name in ("from", "to", "step")]
    if len(given) > len(numbers) or not all(map(_is_idf, numbers)) or not numbers[2]:
        raise OptionError.of("plan", key, given, _RANGE)
    start, stop, step = (float(given[name]) for name in ("from", "to", "step"))
    count = math.floor((stop - start) / step + 1e-9) + 1
    if count > _MOST_CELLS:
        raise OptionError.of("plan", key, given, f"a range of at most {_MOST_CELLS} values")
    return [round(start + place * step, _DIGITS) for place in range(max(0, count))]
