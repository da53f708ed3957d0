"""Results of searches: rows with names for people, links as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import MismatchError
from sdtext.model import Metadata, Problem, SharedTerm
from sdtext.model.calibration import CHECKED_RATE, Calibration, Chance
from sdtext.model.displayed_results import ResultRows, ShortFields
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates.buckets import Rows, Sides
from sdtext.search.scoring import Scores
from sdtext.search.searchable import Searchable, documents_of
from sdtext.wording import as_percent, counted

Curve = tuple[tuple[float, float], ...]
"""Jaccard similarities, each with the probability that a pair of that similarity is found."""

Row = TypeVar("Row")
Rated = TypeVar("Rated", bound=Any)
"""A row with a chance."""

_CALIBRATE = "Calibrate measures unrelated documents like yours"


@dataclass(frozen=True, repr=False)
class Pair(ShortFields):
    """Two similar documents, by their names; `score` is 0 to 99, `similarity` 0 to 1.

    Documents of several folders may have one name; their numbers differ. `shared_terms` is what
    they share, if it was asked for and the texts are at hand.
    """

    left: str
    right: str
    score: int
    similarity: float
    left_id: int
    right_id: int
    shared_terms: tuple[SharedTerm, ...] | None = field(default=None, repr=False)


@dataclass(frozen=True, repr=False)
class Found(ShortFields):
    """A stored document that is similar to a query, with its metadata and number.

    `score` is 0 to 99, `similarity` 0 to 1. `chance` tells how often chance gives this score, if
    bit vectors are compared and their dictionary is calibrated. `shared_terms` is as in `Pair`.
    """

    query: str
    document: str
    score: int
    similarity: float
    metadata: Metadata
    id: int
    chance: Chance | None = None
    shared_terms: tuple[SharedTerm, ...] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class SearchResult(ResultRows[Row]):
    """The rows of a search, the most similar first, with problems and how they were searched for.

    `how` describes the search in a sentence. `curve` is the probability of finding a pair by the
    LSH bands, for some Jaccard similarities; it is empty where all were compared. `explained` says
    whether the shared terms of the rows were asked for.
    """

    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()
    how: str = ""
    curve: Curve = ()
    explained: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of the columns of the rows; `shared_terms` comes with an explanation alone.

        >>> Pairs(()).columns
        ['left', 'right', 'score', 'similarity', 'left_id', 'right_id']
        """
        names = super().columns
        return names if self.explained else [name for name in names if name != "shared_terms"]

    def __repr__(self) -> str:
        """The number of rows and how they were searched for.

        >>> Pairs((), how="all shingles compared")
        <pairs: 0 rows; all shingles compared>
        """
        noted = f"; {counted(len(self.problems), 'problem')}" if self.problems else ""
        how = f"; {self.how}" if self.how else ""
        return f"<{type(self).__name__.lower()}: {counted(len(self.rows), 'row')}{how}{noted}>"


@dataclass(frozen=True, repr=False)
class Pairs(SearchResult[Pair]):
    """The similar pairs within a collection, or between two."""

    row_type = Pair


@dataclass(frozen=True, repr=False)
class Hits(SearchResult[Found]):
    """The stored documents that are similar to the queries, in the order of the queries.

    `nothing_rare` pairs reach the minimum and are left out, since they share nothing rare.
    """

    nothing_rare: int = 0
    row_type = Found

    @property
    def columns(self) -> list[str]:
        """The names of the columns of the rows; chance is one of a calibrated dictionary."""
        absent = () if any(row.chance for row in self.rows) else ("chance",)
        return [name for name in super().columns if name not in absent]


class Oversized(NamedTuple):
    """What was too large for all pairs: buckets compared in parts or connected, equal sets."""

    split: int = 0
    reduced: int = 0
    groups: int = 0


@dataclass(frozen=True, eq=False)
class Links:
    """Similar pairs of documents: their numbers, score and similarity, as columns.

    They are in the order of the numbers. Within one collection the left number is the smaller
    one, except for a matcher that is not symmetric. `refused` has the pairs of numbers that could
    not be compared, with the reason. `incomplete` has the numbers of documents of which pairs were
    left out, since there are too many, and `oversized` says of what. The other fields are as in
    `SearchResult`.
    """

    left: Rows
    right: Rows
    score: Rows
    similarity: NDArray[np.float64]
    how: str = ""
    curve: Curve = ()
    refused: Mapping[tuple[int, int], str] = field(default_factory=dict)
    incomplete: Rows = field(default_factory=lambda: np.empty(0, np.int64))
    oversized: Oversized = field(default_factory=Oversized)

    def __len__(self) -> int:
        return len(self.left)

    @classmethod
    def of(cls, pair: Sides, scores: Scores, *, ordered: bool) -> Links:
        """The links of pairs of numbers, sorted; with `ordered` the smaller goes to the left."""
        left, right = pair
        if ordered:
            left, right = np.minimum(left, right), np.maximum(left, right)
        order = np.lexsort((right, left))
        return cls(left[order], right[order], scores.score[order], scores.similarity[order])

    @classmethod
    def joined(cls, parts: Iterable[Links]) -> Links:
        """All pairs of several links, one behind the other."""
        rows = ((part.left, part.right, part.score, part.similarity) for part in parts)
        none: Any = (*np.empty((3, 0), np.int64), np.empty(0))
        left, right, score, similarity = map(np.concatenate, zip(none, *rows, strict=True))
        return cls(left, right, score, similarity)

    def take(self, places: NDArray[Any]) -> Links:
        """Some of the pairs: `places` are numbers or marks."""
        columns = {name: getattr(self, name)[places] for name in _COLUMNS}
        return replace(self, **columns)

    def numbered(self, ids: Rows, *, ordered: bool) -> Links:
        """The links of documents, where these are links of rows whose documents are `ids`."""
        sides = ids[self.left], ids[self.right]
        links = Links.of(sides, Scores(self.score, self.similarity), ordered=ordered)
        return replace(
            links,
            how=self.how,
            curve=self.curve,
            refused={(int(ids[a]), int(ids[b])): why for (a, b), why in self.refused.items()},
            incomplete=ids[self.incomplete],
            oversized=self.oversized,
        )

    def best(self, top: int | None) -> Links:
        """The `top` most similar ones, and all that are as similar as the last of these."""
        if top is None or len(self) <= top:
            return self
        return self.take(best_places(self.similarity, top))


_COLUMNS = ("left", "right", "score", "similarity")


def best_places(similarity: NDArray[np.float64], top: int) -> Rows:
    """The places of the `top` greatest similarities, and of all that are equal to the last.

    >>> best_places(np.array([0.5, 0.9, 0.5, 0.1]), 2).tolist()
    [0, 1, 2]
    """
    if not 0 < top < len(similarity):
        return np.arange(min(top, len(similarity)))
    least = np.partition(similarity, -top)[-top]
    return np.flatnonzero(similarity >= least)


@dataclass(frozen=True, eq=False)
class QueryMatches:
    """The numbers of the documents that match a query, with their scores.

    `refused` has the numbers of those that could not be compared, with the reason. So many that
    reach the minimum share `nothing_rare` with the query, and are left out.
    """

    ids: Rows
    scores: Scores
    refused: Mapping[int, str] = field(default_factory=dict)
    chances: MatchChances | None = None
    nothing_rare: int = 0

    @classmethod
    def none(cls) -> QueryMatches:
        """No matches."""
        return cls(np.empty(0, np.int64), Scores(np.empty(0, np.int64), np.empty(0)))

    def take(self, places: NDArray[Any]) -> QueryMatches:
        """Those at some places."""
        chances = self.chances.take(places) if self.chances else None
        ids, scores = self.ids[places], self.scores.take(places)
        return replace(self, ids=ids, scores=scores, chances=chances)

    def without(self, numbers: Sequence[int]) -> QueryMatches:
        """The matches but for the documents with these numbers."""
        kept = ~np.isin(self.ids, numbers)
        chances = self.chances.without(~kept) if self.chances else None
        return replace(self, ids=self.ids[kept], scores=self.scores.take(kept), chances=chances)


@dataclass(frozen=True, eq=False)
class MatchChances:
    """How often chance gives the scores of the matches of a query.

    `bits` is the number of bits of the query, `others` that of each match, and `compared` has the
    number of documents that were compared in each size class. So many `reached` the level of 1 %
    of their size.
    """

    calibration: Calibration
    bits: int
    others: Rows
    compared: Mapping[int, int]
    reached: int

    def of(self, place: int, score: int) -> Chance | None:
        """The chance of the match at a place, which has that score."""
        return self.calibration.chance(score, (self.bits, int(self.others[place])), self.compared)

    def take(self, kept: NDArray[Any]) -> MatchChances:
        """Those of some of the matches."""
        return replace(self, others=self.others[kept])

    def without(self, left_out: NDArray[np.bool_]) -> MatchChances:
        """Those of the other matches, where some documents are not compared."""
        compared = dict(self.compared)
        for other in self.others[left_out].tolist():
            sizes = [least for least, n in compared.items() if n and least <= min(self.bits, other)]
            if sizes:
                compared[max(sizes)] -= 1
        reached = max(0, self.reached - int(left_out.sum()))  # the document itself, or a copy
        return replace(self, others=self.others[~left_out], compared=compared, reached=reached)


@dataclass
class LevelCheck:
    """Whether the levels of calibrations hold for what is compared, of all queries together.

    They hold where chance and some related documents explain how many scores reach them. Else no
    chance is stated, and a bundled calibration does not recommend scores.
    """

    recommended: bool
    chances: list[MatchChances] = field(default_factory=list)

    def add(self, chances: MatchChances) -> None:
        """Add the matches of a query, without their sizes."""
        self.chances.append(replace(chances, others=chances.others[:0]))

    def checked(
        self, rows: Iterable[Rated], run: Run, *, drifted: bool = False
    ) -> tuple[Rated, ...]:
        """The rows, without chances where the levels do not hold, of which the run is warned.

        Raises MismatchError where a bundled calibration recommends them, also for documents that
        `drifted` from those of its dictionary.
        """
        problems = [*self._problems(drifted=drifted)]
        run.note(*problems)
        if any(problem.category == "levels" for problem in problems):
            return tuple(replace(row, chance=None) for row in rows)
        return tuple(rows)

    def _problems(self, *, drifted: bool) -> Iterator[Problem]:
        for calibration in {
            id(item.calibration): item.calibration for item in self.chances
        }.values():
            own = [item for item in self.chances if item.calibration is calibration]
            reached = sum(item.reached for item in own)
            compared = sum(calibration.with_level(item.compared) for item in own)
            rest = sum(sum(item.compared.values()) for item in own) - compared
            holds, refused = calibration.explains(reached, compared), ""
            if not holds:
                refused = (
                    f"{reached:,} of {counted(compared, 'pair')} reach the scores that "
                    f"{as_percent(CHECKED_RATE)} of unrelated pairs reach: unless they are "
                    "related, the levels of the calibration do not hold for these documents"
                )
            elif drifted:
                refused = "most documents differ from those that the dictionary was made from"
            if refused and self.recommended and calibration.bundled:
                raise MismatchError(f"no score is recommended: {refused}; {_CALIBRATE}")
            if not holds:
                yield Problem("warning", "levels", f"{refused}; no chance is stated; {_CALIBRATE}")
            if self.recommended and rest:
                what = f"{counted(rest, 'pair')} not listed whatever the score: of that size too "
                what += f"few were sampled for a level; {_CALIBRATE}"
                yield Problem("warning", "no-level", what)


def best_rows(
    searched: Searchable, query: str, matches: QueryMatches, top: int | None
) -> list[Found]:
    """The best matches of a query, with their names; equal ones in the order of their names."""
    if top is not None and len(matches.ids) > top:
        matches = matches.take(best_places(matches.scores.similarity, top))
    documents, chances = documents_of(searched, matches.ids.tolist()), matches.chances
    scores = matches.scores.score.tolist(), matches.scores.similarity.tolist()
    rows = []
    for place, row in enumerate(zip(matches.ids.tolist(), *scores, strict=True)):
        number, score, similarity = row
        chance = chances.of(place, score) if chances else None
        facts = documents[number].name, score, similarity, {**documents[number].metadata}
        rows.append(Found(query, *facts, number, chance))
    return sorted(rows, key=lambda row: (-row.similarity, row.document))[:top]
