"""Windows that are near by brute force, and sequences that try a join."""

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from sdtext.kernels.windows.window_join import Cells

Cell = tuple[int, ...]


def near_windows(
    left: Sequence[int], right: Sequence[int], w: int, tau: int
) -> list[tuple[int, int, int]]:
    """Every pair of windows compared, as bags of terms: rows (i, j, d)."""
    terms = sorted({*left, *right})
    bags, result = _bags(right, terms, w), []
    for i, bag in enumerate(_bags(left, terms, w)):
        distances = w - np.minimum(bag, bags).sum(axis=1)
        result += [(i, j, int(distances[j])) for j in np.flatnonzero(distances <= tau).tolist()]
    return result


def _bags(row: Sequence[int], terms: list[int], w: int) -> Any:
    """How often each window has each term."""
    place = {term: number for number, term in enumerate(terms)}
    numbers = [place[term] for term in row]
    starts = range(len(row) - w + 1)
    bags = [np.bincount(numbers[start : start + w], minlength=len(terms)) for start in starts]
    return np.array(bags, int).reshape(len(bags), len(terms))


def near_cells(
    left: list[list[int]], right: list[list[int]] | None, w: int, tau: int
) -> list[Cell]:
    """What a join of the documents should find, in any order."""
    result, side = [], max(1, min(w // 2 * 2, 256))
    for place, first in enumerate(left):
        others = list(enumerate(right)) if right is not None else list(enumerate(left))[place + 1 :]
        for other, two in others:
            cells = defaultdict(list)
            for i, j, d in near_windows(first, two, w, tau):
                cells[i // side, j // side].append((i, j, d))
            result += [(place, other, *_summary(rows)) for rows in cells.values()]
    return sorted(result)


def rows_of(cells: Cells) -> list[Cell]:
    """The cells as rows."""
    return sorted(zip(*(column.tolist() for column in cells), strict=True))


def trial(seed: int) -> tuple[list[list[int]], list[list[int]] | None, int, int]:
    """Documents, few or many different terms in them, and a length and a distance."""
    chance = Random(seed)
    w = chance.choice((1, 2, 3, 4, 5, 7, 8, 10, 12))
    tau = chance.choice((0, w - 1, chance.randrange(w), chance.randrange(w)))
    kinds = chance.choice((1, 2, 5, 10, 40))
    left = [_document(chance, w, kinds) for _ in range(chance.randrange(1, 5))]
    if chance.random() < 0.4:
        return left, None, w, tau
    right = [_document(chance, w, kinds) for _ in range(chance.randrange(4))]
    copied = list(left[0])
    copied.insert(len(copied) // 2, kinds)
    return left, [*right, copied], w, tau


def _document(chance: Random, w: int, kinds: int) -> list[int]:
    length = chance.choice((0, w - 1, w, chance.randrange(4 * w + 5), chance.randrange(4 * w + 5)))
    return [min(int(chance.expovariate(2 / kinds)), kinds) for _ in range(length)]


def _summary(rows: list[tuple[int, int, int]]) -> Cell:
    i, j, d = zip(*rows, strict=True)
    return min(i), max(i), min(j), max(j), len(rows), min(d)
