"""Pairs of windows that differ in few terms.

They are those of two documents, of a document and a collection, or of two sequences of numbers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from re import finditer
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OptionError
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.kernels.windows.window_join import WindowJoin, nearest_windows, sequence_window_pairs
from sdtext.model import Problem, RecipeSpec, Similarity
from sdtext.model.displayed_results import IN_PYTHON_ONLY, ResultRows
from sdtext.parts.indexes import check_windows
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run
from sdtext.reading.read_document import read
from sdtext.reuse.choose_finder import WINDOWS, part_or_default, recipe_and_finder
from sdtext.reuse.document_batch import DocumentBatch, DocumentInfo, words_of_both
from sdtext.reuse.documents import Documents, stored_at
from sdtext.text.document import Document
from sdtext.wording import counted

Numbers = Sequence[int] | NDArray[Any]
TextInput = str | Path | Document

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


@dataclass(frozen=True)
class StoredWindowPair(WindowPair):
    """A pair whose right window is of a stored `document`, with its `id` in the collection.

    `right_line` is 0 where neither the collection nor an unchanged file has the text.
    """

    document: str = ""
    id: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class WindowPairs(ResultRows[WindowPair]):
    """Pairs of windows, the nearest first; of equal distance in the order of the texts.

    `total` is the number of all pairs, also of those that are not listed. `terms` are the numbers
    of terms of both sides, `names` their files. `own_copies` is the number of documents of a
    collection that were not compared, since they were stored from the same unchanged file.
    """

    rows: tuple[WindowPair, ...]
    total: int
    w: int
    distance: int
    terms: tuple[int, int]
    names: tuple[str, str]
    problems: tuple[Problem, ...] = ()
    row_type: type[WindowPair] = WindowPair
    own_copies: int = 0

    def __repr__(self) -> str:
        windows = f"windows of {self.w} terms that differ in at most {self.distance}"
        return f"<window pairs: {len(self):,} of {self.total:,}; {windows}>"

    def record(self) -> dict[str, Any]:
        """The two sides, what was compared, and how many pairs there are."""
        of_sides = zip(("left", "right"), self.names, self.terms, strict=True)
        sides = {side: {"document": name, "terms": terms} for side, name, terms in of_sides}
        return {**sides, "w": self.w, "distance": self.distance, "total": self.total}


def _rows(columns: Sequence[NDArray[Any]], w: int) -> Iterator[list[Any]]:
    """The values of pairs, with the score and the similarity that follow from their distance."""
    for row in np.stack(columns, axis=1).tolist():
        similarity = Similarity(w - row[0], w)
        yield [*row, similarity.score, float(similarity)]


@overload
def window_pairs(
    left: Numbers, right: Numbers, *, w: int | None = ..., distance: int | None = ...
) -> NDArray[np.int64]: ...


@overload
def window_pairs(
    left: TextInput,
    right: TextInput | StoredCollection,
    *,
    w: int | None = ...,
    distance: int | None = ...,
    recipe: RecipeLike | None = ...,
    top: int | None = ...,
    reading: Reading | None = ...,
) -> WindowPairs: ...


def window_pairs(
    left: Numbers | TextInput,
    right: Numbers | TextInput | StoredCollection,
    *,
    w: int | None = None,
    distance: int | None = None,
    recipe: RecipeLike | None = None,
    top: int | None = TOP,
    reading: Reading | None = None,
) -> NDArray[np.int64] | WindowPairs:
    r"""All pairs of windows of `w` terms that differ in at most `distance` of them.

    Terms of a window may stand in any order. A term counts as often as both windows have it. A
    side of fewer than `w` terms has no windows.
    The sides are two documents: files by their paths, or `Document`s; `right` may be a collection
    or its path, whose documents are all compared. Or they are two sequences of
    whole numbers; then the result has a row (i, j, d) for each pair, sorted, of shape (pairs, 3)
    and int64: the window of `left` that starts at i and that of `right` that starts at j differ in
    d numbers.

    - `recipe`: how documents become terms, by default "reuse", or as in the collection; its index
      has the defaults of `w` and of `distance`, which it calls `tau`.
    - `top`: how many pairs of windows of documents are listed, the nearest first; None for all.
    - `reading`: how files are read.

    Raises OptionError, also if the result is too large or would take too long to compute, and
    UnreadableError.

    >>> window_pairs([5, 7, 7, 9], [7, 5, 7], w=3, distance=1).tolist()
    [[0, 0, 0], [1, 0, 1]]
    >>> left, right = Document.of("bees fly\nhome now"), Document.of("home fly bees")
    >>> window_pairs(left, right, w=3, distance=0).rows  # doctest: +NORMALIZE_WHITESPACE
    (WindowPair(distance=0, left_line=1, left_start=0, left_end=13,
                right_line=1, right_start=0, right_end=13, score=99, similarity=1.0),)
    """
    collection = stored_at(right)
    if collection is not None:
        chain, _ = recipe_and_finder([collection], method=WINDOWS, recipe=recipe)
    else:
        chain = recipe_from("reuse" if recipe is None else recipe)
    index = part_or_default("indexes", chain.index, WINDOWS)
    length = index.w if w is None else int(w)
    tau = index.tau * length // index.w if distance is None else int(distance)
    check_windows(_NAME, length, tau, "distance")
    join = WindowJoin(length, tau)
    if not isinstance(left, str | PathLike | Document):
        return sequence_window_pairs(left, right, join)  # type: ignore[arg-type]
    if top is not None and top < 1:
        raise OptionError.of(_NAME, "top", top, "1 or more, or None for all pairs")
    reading = (reading or Reading()).preferring(chain.reader)
    document = read(left, reading=reading)
    if collection is not None:
        return _with_stored(document, collection, chain, join, top)
    other = read(right, reading=reading)  # type: ignore[arg-type]
    words = Encoder(chain).words([document, other])
    sides = words.document(0), words.document(1)
    rows, total = nearest_windows(_numbers(sides[0]), _numbers(sides[1]), join, top)
    columns = [rows[:, 2]]
    for text, side, starts in zip((document.text, other.text), sides, rows.T[:2], strict=True):
        columns += _places(text, side, starts, length)
    terms, names = (len(sides[0].terms), len(sides[1].terms)), (document.source, other.source)
    return WindowPairs(
        tuple(WindowPair(*row) for row in _rows(columns, length)),
        total,
        length,
        tau,
        terms,
        names,
        (*document.problems, *other.problems, *_short(names, terms, length)),
    )


def _with_stored(
    document: Document,
    collection: StoredCollection,
    recipe: RecipeSpec,
    join: WindowJoin,
    top: int | None,
) -> WindowPairs:
    """The pairs of windows of a document and of all documents of a collection."""
    run = Run()
    stored = Documents(collection, frozenset(), run)
    query = DocumentBatch([], Encoder(recipe).words([document]))
    left = query.words_of(0)
    infos: list[tuple[DocumentInfo, DocumentWords]] = []
    rows = np.empty((0, 4), np.int64)  # i, j, d, document
    origin = os.path.realpath(document.source) if document.source else None
    total, terms, own_copies = 0, 0, 0
    for batch in stored.batches():
        for place, info in enumerate(batch.infos):
            one, other = words_of_both((query, 0), (batch, place))
            if info.origin == origin and np.array_equal(one.words, other.words):
                own_copies += 1
                continue
            found, number = nearest_windows(_numbers(one), _numbers(other), join, top)
            total, terms = total + number, terms + len(other.terms)
            if len(found):
                owners = np.full((len(found), 1), len(infos))
                rows = np.concatenate([rows, np.concatenate([found, owners], axis=1)])
                rows = rows[np.lexsort((rows[:, 1], rows[:, 3], rows[:, 0], rows[:, 2]))[:top]]
                infos.append((info, batch.words_of(place)))
    columns = [rows[:, 2], *_places(document.text, left, rows[:, 0], join.w)]
    behind = np.zeros((3, len(rows)), np.int64)
    for place in np.unique(rows[:, 3]).tolist():
        own = rows[:, 3] == place
        info, words = infos[place]
        text = stored.text(info, words)
        behind[:, own] = _places(text, words, rows[own, 1], join.w)
        behind[0, own] *= bool(text)
    sides, names = (len(left.terms), terms), (document.source, str(collection.path))
    named = [(infos[place][0].examined.name, infos[place][0].id) for place in rows[:, 3].tolist()]
    pairs = zip(_rows([*columns, *behind], join.w), named, strict=True)
    return WindowPairs(
        tuple(StoredWindowPair(*[*row, *document]) for row, document in pairs),
        total,
        join.w,
        join.tau,
        sides,
        names,
        (*document.problems, *collection.problems, *run.found, *_short(names, sides, join.w)),
        StoredWindowPair,
        own_copies,
    )


def _short(names: Iterable[str], terms: Iterable[int], length: int) -> Iterator[Problem]:
    """A warning for each side that has no windows."""
    for name, number in zip(names, terms, strict=True):
        if number < length:
            what = f"{counted(number, 'term')}, fewer than a window (w) of {length}"
            yield Problem.at("warning", "too-short", name, f"has {what}; use a shorter one")


def _numbers(words: DocumentWords) -> NDArray[np.int64]:
    return words.terms.astype(np.int64)


def _places(
    text: str, words: DocumentWords, windows: NDArray[np.int64], length: int
) -> list[NDArray[Any]]:
    """The line, the start and the end of each of some windows, by their first terms."""
    begins = words.starts[words.places[windows]]
    line_starts = [match.end() for match in finditer("\n", text)]
    lines = np.searchsorted(np.array(line_starts, np.int64), begins, "right") + 1
    return [lines, begins, words.ends[words.places[windows + length - 1]]]
