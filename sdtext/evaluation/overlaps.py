"""What of each case the cases of another list cover."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.formats.pan import Case

Rows = NDArray[np.int64]

Cases = Mapping[str, Sequence[Case]]
"""The cases of each file, by its name."""

Names = tuple[str, str]
"""A text under suspicion and a source."""


@dataclass(frozen=True, eq=False)
class Met:
    """How a case is met: by how many others, and what they cover of it.

    `whole` are its two stretches, in the text and in its source, each a row of start and end;
    `covered` is what others cover of them, in rows that are apart.
    """

    texts: Names
    others: int
    whole: tuple[Rows, Rows]
    covered: tuple[Rows, Rows]

    @property
    def share(self) -> float:
        """The share of the case that is covered, in code points of both sides together."""
        covered, whole = (sum(map(length, sides)) for sides in (self.covered, self.whole))
        return covered / whole


def met(cases: Cases, others: Cases) -> Iterator[Met]:
    """How each of `cases` is met by those of `others` that stand in the file of the same name.

    One meets another where they overlap on both sides.
    """
    for name, listed in cases.items():
        there = _boxes(others.get(name, ()), bare=True)
        for texts, boxes in _boxes(listed).items():
            facing = _Facing.of(there.get((_bare(texts[0]), _bare(texts[1])), boxes[:0]))
            yield from (_met(texts, box, facing.near(box)) for box in boxes)


def text_names(cases: Sequence[Case]) -> set[Names]:
    """The names of the texts of cases, without the folders that they stand in."""
    return set(_boxes(cases, bare=True))


def merged(stretches: Rows) -> Rows:
    """Rows of start and end as those that hold the same places, apart and in order.

    >>> import numpy as np
    >>> merged(np.array([[5, 9], [0, 3], [1, 5]])).tolist()
    [[0, 9]]
    """
    if len(stretches) < 2:
        return stretches
    ordered = stretches[np.argsort(stretches[:, 0], kind="stable")]
    reached = np.maximum.accumulate(ordered[:, 1])
    begins = np.flatnonzero(np.append(True, ordered[1:, 0] > reached[:-1]))
    ends = np.append(begins[1:], len(ordered)) - 1
    return np.stack([ordered[begins, 0], reached[ends]], axis=1)


def length(stretches: Rows) -> int:
    """How many places are in rows of start and end that are apart."""
    return int((stretches[:, 1] - stretches[:, 0]).sum())


def _boxes(cases: Sequence[Case], *, bare: bool = False) -> dict[Names, Rows]:
    """Rows of start, end, source start and source end, by the texts that they are of."""
    rows: defaultdict[Names, list[tuple[int, int, int, int]]] = defaultdict(list)
    for case in cases:
        this, source = case.this, case.source
        names = this.document, source.document
        texts = (_bare(names[0]), _bare(names[1])) if bare else names
        rows[texts].append((this.start, this.end, source.start, source.end))
    return {texts: np.array(boxes, np.int64) for texts, boxes in rows.items()}


@dataclass(frozen=True, eq=False)
class _Facing:
    """Boxes in the order of their starts, and how far those up to each of them reach."""

    boxes: Rows
    reached: NDArray[np.int64]

    @classmethod
    def of(cls, boxes: Rows) -> _Facing:
        """The boxes, in any order."""
        ordered = boxes[np.argsort(boxes[:, 0], kind="stable")]
        return cls(ordered, np.maximum.accumulate(ordered[:, 1]))

    def near(self, box: Rows) -> Rows:
        """Those that may overlap `box`: all that do are among them."""
        first = self.reached.searchsorted(box[0], side="right")
        return self.boxes[first : self.boxes[:, 0].searchsorted(box[1])]


def _met(texts: Names, box: Rows, facing: Rows) -> Met:
    low, high = box[::2], box[1::2]
    hit = ((facing[:, ::2] < high) & (facing[:, 1::2] > low)).all(1)
    inside = facing[hit]
    this, source = (
        merged(np.clip(inside[:, 2 * side : 2 * side + 2], low[side], high[side]))
        for side in (0, 1)
    )
    return Met(texts, len(inside), (box[None, :2], box[None, 2:]), (this, source))


def _bare(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]
