"""Pairs of windows of two documents, or of two sequences of numbers, that differ in few terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, fields
from functools import cached_property
from os import PathLike
from pathlib import Path
from re import finditer
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.errors import OptionError
from sdtext.kernels.windows.window_join import (
    WindowJoin,
    check_windows,
    nearest_windows,
    sequence_window_pairs,
)
from sdtext.model import Problem, Similarity
from sdtext.model.displayed_results import IN_PYTHON_ONLY, html_table
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.read_document import read
from sdtext.reuse.choose_finder import window_index
from sdtext.text.document import Document

Numbers = Sequence[int] | NDArray[Any]
TextInput = str | PathLike[str] | Document

TOP = 100
"""How many pairs are listed where nothing else is asked for."""

_NAME = "window_pairs"


@dataclass(frozen=True)
class WindowPair:
    """Two windows, by half-open ranges of characters of `Document.text`, and lines from 1.

    `distance` is the number of terms in which they differ. `score` (0 to 99) and `similarity` (0 to
    1) are the share of the terms that both have.
    """

    distance: int
    left_line: int
    left_start: int
    left_end: int
    right_line: int
    right_start: int
    right_end: int
    score: int = field(default=99, metadata=IN_PYTHON_ONLY)
    similarity: float = field(default=1.0, metadata=IN_PYTHON_ONLY)


@dataclass(frozen=True, eq=False, repr=False)
class WindowPairs:
    """Pairs of windows, the nearest first; of equal distance in the order of the texts.

    `total` is the number of all pairs, also of those that are not listed. `terms` are the numbers
    of terms of both documents.
    """

    columns: NDArray[np.int64] = field(repr=False)
    total: int
    w: int
    distance: int
    terms: tuple[int, int]
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[WindowPair]:
        return iter(self.rows)

    def __repr__(self) -> str:
        windows = f"windows of {self.w} terms that differ in at most {self.distance}"
        return f"<window pairs: {len(self):,} of {self.total:,}; {windows}>"

    def _repr_html_(self) -> str:
        """The pairs as a table, for notebooks."""
        columns = [column.name for column in fields(WindowPair)]
        return html_table(repr(self).strip("<>"), columns, [astuple(row) for row in self.rows])

    @cached_property
    def rows(self) -> tuple[WindowPair, ...]:
        """The pairs that are listed."""
        rows = []
        for row in self.columns.tolist():
            similarity = Similarity(self.w - row[0], self.w)
            rows.append(WindowPair(*[*row, similarity.score, float(similarity)]))
        return tuple(rows)


@overload
def window_pairs(
    left: Numbers,
    right: Numbers,
    *,
    w: int | None = ...,
    distance: int | None = ...,
) -> NDArray[np.int64]: ...


@overload
def window_pairs(
    left: TextInput,
    right: TextInput,
    *,
    w: int | None = ...,
    distance: int | None = ...,
    recipe: RecipeLike = ...,
    top: int | None = ...,
) -> WindowPairs: ...


def window_pairs(
    left: Numbers | TextInput,
    right: Numbers | TextInput,
    *,
    w: int | None = None,
    distance: int | None = None,
    recipe: RecipeLike = "reuse",
    top: int | None = TOP,
) -> NDArray[np.int64] | WindowPairs:
    r"""All pairs of windows of `w` terms that differ in at most `distance` of them.

    Terms of a window may stand in any order. A term counts as often as both windows have it. A
    side of fewer than `w` terms has no windows.
    The sides are two documents: files by their paths, or `Document`s. Or they are two sequences of
    whole numbers; then the result has a row (i, j, d) for each pair, sorted, of shape (pairs, 3)
    and int64: the window of `left` that starts at i and that of `right` that starts at j differ in
    d numbers.

    - `recipe`: how documents become terms; its index has the defaults of `w` and of `distance`,
      which it calls `tau`.
    - `top`: how many pairs of windows of documents are listed, the nearest first; None for all.

    Raises OptionError, also if the result is too large or would take too long to compute, and
    UnreadableError.

    >>> window_pairs([5, 7, 7, 9], [7, 5, 7], w=3, distance=1).tolist()
    [[0, 0, 0], [1, 0, 1]]
    >>> left, right = Document.of("bees fly\nhome now"), Document.of("home fly bees")
    >>> window_pairs(left, right, w=3, distance=0).rows  # doctest: +NORMALIZE_WHITESPACE
    (WindowPair(distance=0, left_line=1, left_start=0, left_end=13,
                right_line=1, right_start=0, right_end=13, score=99, similarity=1.0),)
    """
    chain = recipe_from(recipe)
    index = window_index(chain)
    length = index.w if w is None else int(w)
    tau = index.tau * length // index.w if distance is None else int(distance)
    check_windows(_NAME, length, tau, "distance")
    join = WindowJoin(length, tau)
    if not isinstance(left, str | PathLike | Document):
        return sequence_window_pairs(left, right, join)  # type: ignore[arg-type]
    if top is not None and top < 1:
        raise OptionError.of(_NAME, "top", top, "1 or more, or None for all pairs")
    documents = [
        side if isinstance(side, Document) else read(Path(side))  # type: ignore[arg-type]
        for side in (left, right)
    ]
    words = Encoder(chain).words(documents)
    sides = words.document(0), words.document(1)
    terms = [side.terms.astype(np.int64) for side in sides]
    rows, total = nearest_windows(terms[0], terms[1], join, top)
    columns = [rows[:, 2]]
    for document, side, starts in zip(documents, sides, rows.T[:2], strict=True):
        begins = side.starts[side.places[starts]]
        line_starts = [match.end() for match in finditer("\n", document.text)]
        lines = np.searchsorted(np.array(line_starts, np.int64), begins, "right") + 1
        columns += [lines, begins, side.ends[side.places[starts + length - 1]]]
    return WindowPairs(
        np.stack(columns, axis=1).astype(np.int64),
        total,
        length,
        tau,
        (len(terms[0]), len(terms[1])),
        tuple(problem for document in documents for problem in document.problems),
    )
