"""Compare documents and fingerprints (the queries) with all that folders hold.

Queries are read first, then folders, a part at a time, into collections in memory. Documents alone
are compared by shingles of five words; where there is a fingerprint on either side, a dictionary or
a matcher of bit vectors, bit vectors are compared.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from sdtext.collections.memory import MemoryCollection
from sdtext.errors import MismatchError, NotTextError, OptionError, UnreadableError
from sdtext.fingerprinting.load_and_save import OneOrMore, dictionaries_of
from sdtext.io.decompressed_content import Content
from sdtext.model import Fingerprint, Match, Problem, SharedTerm
from sdtext.model.calibration import Calibration, Chance
from sdtext.model.dictionary import Dictionary
from sdtext.model.displayed_results import ShortFields, html_table
from sdtext.model.matches import MIN_TERMS, TOLERANCE, least_score
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.archive_members import display_name, in_archive
from sdtext.reading.parallel_run import COMPARING, Run
from sdtext.search.candidates.buckets import Rows
from sdtext.search.list_files import Given, ListedFiles, list_files
from sdtext.search.results import LevelCheck, QueryMatches
from sdtext.search.search_explanations import describe_nothing_rare
from sdtext.search.search_plan import Question
from sdtext.search.ways_to_compare import (
    ByBitVectors,
    ByShingles,
    SameFiles,
    Way,
    choose_comparison,
)
from sdtext.text.document import Document
from sdtext.wording import counted, reason

_NO_SCORE = Problem("warning", "no-weight", "the vectors are not comparable")
_NEAR = 1e-8  # of a similarity; floats are exact to more digits

ComparedItem = Fingerprint | Document | str | Path | Content
"""A fingerprint or document, or the path of a file or folder with such."""


def compare(  # noqa: PLR0913 (the options of a question)
    queries: ComparedItem | Iterable[ComparedItem],
    folder: ComparedItem | Iterable[ComparedItem],
    *,
    matcher: str | None = None,
    dictionary: OneOrMore = None,
    similarity: float | None = None,
    top: int | None = None,
    recommended: bool = False,
    min_terms: int = MIN_TERMS,
    segment: Segment | str | None = None,
    explain: int = 0,
    index: str | None = None,
    run: Run | None = None,
) -> Comparison:
    """Compare every document, fingerprint file and container in `folder` with the queries.

    Each of the two may be a fingerprint, a document in memory, a file with either, a folder of such
    files, or a list of these. Documents alone are compared by shingles of five words (the recipe
    `deduplicate`). With a fingerprint on either side, a `dictionary`, or a `matcher` of bit
    vectors, these are compared: those of documents by the dictionary named, else by that which the
    fingerprints were made with, in their files, beside them or bundled. Documents are compared as
    a whole and, where `segment` ("1000/500") says so or a query has segments, by segment.

    `similarity`, 0 to 1, is the minimum, `top` the most rows for each query; `recommended` takes
    the matcher and the minimum from the calibration of the dictionary. Without these, and with the
    similarity 0, all pairs of bit vectors become rows, also those that are not comparable; the
    default minimum is a score of 1, of sketches 6, and shingles leave out pairs that share nothing
    rare. `min_terms` is the minimum number of terms of a bit vector for a score. With `explain`,
    rows have so many `shared_terms`. The `index` "scan" scores all; "columns" (bit vectors)
    and "bands" (shingles) choose candidates.

    Paths in rows are relative to the folder; if several folders are given, they begin with the
    folder as it is given. What is in memory is called by its name, without one by its place, such
    as `queries[0]`. A file of the folder that is a query is not compared with itself. Raises
    OptionError, MismatchError, UnreadableError if no query can be read.

    >>> comparison = compare(samples / "union.txt", samples)
    >>> [(row.score, row.path) for row in comparison.rows]
    [(46, 'union-edited.txt'), (22, 'union-excerpt.txt')]
    """
    question = Question.of(
        similarity,
        matcher=matcher,
        top=top,
        index=index,
        recommended=recommended,
        min_terms=min_terms,
        segment=Segment.parse(segment) if isinstance(segment, str) else segment,
        explain=explain,
    )
    run = run.anew() if run else Run(problems=[])
    named = dictionaries_of(dictionary, run.reading.max_bytes)
    items, searched = _items(queries, "queries", "query"), _items(folder, "folder", "document")
    folders = _existing_folders(searched)
    query_files = list_files(items, run, queries=True)
    folder_files = list_files(searched, run, partial(_path_in_row, folders), queries=False)
    way = choose_comparison(query_files, folder_files, named, question)
    is_same = _same_files(query_files, folders, searched)
    is_selected = similarity is not None or top is not None or recommended
    every = similarity == 0 or not (is_selected or isinstance(way, ByShingles))
    rows = ComparisonRows(way, question, every, LevelCheck(recommended))
    for part in way.read_folder(is_same):
        search = way.search(part)
        own: dict[str, list[int]] = {}  # the documents that are queries, by the query
        for place, path in enumerate(part.names):
            for name in is_same(path):
                own.setdefault(name, []).append(place)
        for query, name in enumerate([item[0] for item in way.queries]):
            rows.add(query, part, way.similar(query, part, search), own.get(name, []))
        rows.documents += len(part.names)
        run.step(len(part.names), rows.documents, COMPARING)
    return rows.comparison(run)


def _items(given: Any, argument: str, lone: str) -> list[Given]:
    """The items of an argument; those in memory with a name of their own."""
    is_one = isinstance(given, Fingerprint | Document | str | PathLike | Content)
    items = [given] if is_one else [*given]
    if not items:
        raise OptionError(f"{argument} is empty; name what is compared", place="compare")
    names = {str(item) for item in items if isinstance(item, str | PathLike)}
    result: list[Given] = []
    for place, item in enumerate(items):
        if not isinstance(item, Fingerprint | Document):
            result.append(item)
            continue
        own = item.source if isinstance(item, Document) else item.name
        where = lone if is_one else f"{argument}[{place}]"
        name = own if own and own not in names else where
        names.add(name)
        result.append((name, item))
    return result


def _existing_folders(searched: Sequence[Given]) -> list[Path]:
    """The paths to search. Raises UnreadableError if the only one is not there."""
    if len(searched) == 1 and isinstance(searched[0], str | PathLike):
        try:
            os.lstat(searched[0])
        except (FileNotFoundError, NotADirectoryError) as error:
            if not in_archive(Path(searched[0])):
                raise UnreadableError("no such file or folder", file=searched[0]) from error
        except OSError as error:
            raise UnreadableError(reason(error), file=searched[0]) from error
    return [Path(item) for item in searched if isinstance(item, str | PathLike)]


def _same_files(
    queries: ListedFiles, folders: Sequence[Path], searched: Sequence[Given]
) -> SameFiles:
    """What names the queries that are the document at a path of a row.

    A file that is named itself in place of a folder is compared with any query, and so is what is
    in memory.
    """
    in_memory = {item[0] for item in searched if isinstance(item, tuple)}
    alone = {os.path.realpath(folder) for folder in folders}
    by_path: dict[str, list[str]] = {}
    for name in queries.named:
        real = os.path.realpath(name)
        if real not in alone:
            by_path.setdefault(real, []).append(name)
    tails = {path.rpartition("/")[2] for path in by_path}
    folder = folders[0] if len(folders) == 1 else Path()

    def same(path: str) -> Sequence[str]:
        if path.rpartition("/")[2] not in tails or path in in_memory:  # the real path takes time
            return ()
        return by_path.get(os.path.realpath(folder / path), ())

    return same


def path_of_row(path: str, folders: Sequence[str]) -> str:
    """Where the file stands that a row calls `path`, in a comparison with `folders`."""
    if len(folders) != 1:
        return path
    is_folder = os.path.isdir(folders[0])  # noqa: PTH112 (raises for some names)
    return os.path.join(folders[0] if is_folder else os.path.dirname(folders[0]), path)  # noqa: PTH118, PTH120


def _path_in_row(folders: Sequence[Path], path: Path) -> str:
    """The path of a file in a row: relative to the folder, whole if there are several folders."""
    if len(folders) != 1:
        return path.as_posix()
    folder = folders[0].parts
    if path.parts[: len(folder)] == folder != path.parts:
        return "/".join(path.parts[len(folder) :])
    return display_name(path)


@dataclass(frozen=True, repr=False)
class Row(ShortFields):
    """One candidate against one query; `score` (0 to 99) and `similarity` (0 to 1), or a `reason`.

    `common`, `a` and `b` count terms, or shingles where these were compared: in both, in the query
    and in the candidate. `segment` and `query_segment` locate the best matching segments, as
    OFFSET:LENGTH in code points of the text; None stands for the whole document. `shared_terms` are
    those that weigh most, or the longest shared runs, if they are asked for and available. `chance`
    tells how often chance gives this score, if the dictionary is calibrated.
    """

    score: int | None
    similarity: float | None
    path: str
    fingerprint: str
    common: int
    a: int
    b: int
    reason: str | None = None
    segment: str | None = None
    query_segment: str | None = None
    shared_terms: tuple[SharedTerm, ...] | None = None
    chance: Chance | None = None

    def reaches(self, minimum: int | Calibration) -> bool:
        """Whether the row has that score or more, or one that a calibration recommends."""
        if isinstance(minimum, Calibration):
            minimum = minimum.recommended_level(self.a, self.b)
        return self.score is not None and self.score >= minimum


@dataclass(frozen=True)
class Comparison:
    """The result: rows, best first, those that are not comparable last.

    `how` says in a sentence what was compared, and `minimum` is the least score of rows unless all
    are asked for, or the calibration that recommends it. `unreadable` counts files that could not
    be read, `without_text` others without text, such as pictures, `left_out` the files that were
    among the queries and in the folder, and were not compared with themselves. `compared` counts
    the pairs with a score, `reaching` those of them that reach the minimum, also without a row, and
    `reasons` pairs without a score, by what keeps them from one. Of those that reach the minimum,
    `nothing_rare` have no row, since they share nothing rare. `documents` counts what was compared
    with the queries, and `names` are those of the queries. `dictionaries` are those of the bit
    vectors, and `located` describes those of them that nobody named.
    """

    matcher: str
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()
    unreadable: int = 0
    without_text: int = 0
    left_out: int = 0
    compared: int = 0
    reaching: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    documents: int = 0
    names: tuple[str, ...] = ()
    how: str = ""
    minimum: int | Calibration = 1
    dictionaries: tuple[Dictionary, ...] = ()
    located: tuple[str, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    nothing_rare: int = 0

    def __repr__(self) -> str:
        best = max((row.score for row in self.rows if row.score is not None), default=None)
        return (
            f"<comparison by {self.matcher}: {counted(len(self.rows), 'row')}, best score {best}>"
        )

    def _repr_html_(self) -> str:
        columns = self.columns()
        rows = [[getattr(row, name) for name in columns] for row in self.rows]
        return html_table(repr(self).strip("<>"), columns, rows)

    def columns(self, *, explained: bool = False) -> list[str]:
        """The names of the columns of the rows.

        Shared terms are a column where they are `explained`, chance is one if it is known.
        """
        is_calibrated = any(row.chance for row in self.rows)
        wanted = {"shared_terms": explained, "chance": is_calibrated}
        return [column.name for column in fields(Row) if wanted.get(column.name, True)]

    def best(
        self, similarity: float | None = None, top: int | None = None, *, unscored: bool = False
    ) -> list[Row]:
        """The rows of that `similarity` (0 to 1) or more, at most `top` for each query.

        Without a similarity, those that reach the minimum. With `unscored`, or a similarity of 0,
        also those without a score.

        >>> dictionary = create_dictionary(samples, "english")
        >>> comparison = compare(samples / "union.txt", samples, dictionary=dictionary)
        >>> [row.path for row in comparison.best(similarity=0.05, top=5)]
        ['union-edited.txt', 'union-excerpt.txt']
        """
        counts: Counter[str] = Counter()
        rows = []
        for row in self.rows:
            if row.score is None:
                wanted = unscored or similarity == 0
            elif similarity is None:
                wanted = row.reaches(self.minimum)
            else:
                wanted = row.reaches(least_score(similarity))
                wanted = wanted and (row.similarity or 0) >= similarity - TOLERANCE
            counts[row.fingerprint] += wanted
            if wanted and (top is None or counts[row.fingerprint] <= top):
                rows.append(row)
        return rows

    def restricted(
        self, similarity: float | None = None, top: int | None = None, *, unscored: bool = False
    ) -> Comparison:
        """The comparison with the rows of `best` alone, which reach the `similarity`, if given."""
        minimum = least_score(similarity) if similarity else self.minimum
        reaching = sum(row.reaches(minimum) for row in self.rows)
        rows = tuple(self.best(similarity, top, unscored=unscored))
        return replace(self, rows=rows, minimum=minimum, reaching=reaching)

    def unmatched(self) -> list[str]:
        """The names of the queries of which no row has a score."""
        scored = {row.fingerprint for row in self.rows if row.score is not None}
        return [name for name in dict.fromkeys(self.names) if name not in scored]

    def check_compared(self, where: str) -> None:
        """Raise MismatchError or UnreadableError that says why nothing was compared `where`."""
        if self.compared:
            return
        if self.reasons:
            raise MismatchError(f"nothing in {where} is comparable: {self.reasons[0][0]}")
        if self.left_out:
            raise UnreadableError(f"{where}: there is nothing to compare but the file itself")
        if not any(problem.severity == "error" for problem in self.problems):
            raise UnreadableError(f"nothing in {where} holds text")


@dataclass(eq=False)
class ComparisonRows:
    """The rows so far, of each query the best or `every` one, and counts of the others."""

    way: Way
    asked: Question
    every: bool
    levels: LevelCheck
    rows: defaultdict[int, list[tuple[Row, int, Match]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    comparisons: defaultdict[int, Counter[int]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    reasons: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    compared: Counter[int] = field(default_factory=Counter)
    reaching: int = 0
    nothing_rare: int = 0
    left_out: int = 0
    documents: int = 0

    def add(
        self,
        query: int,
        part: MemoryCollection,
        similar: tuple[Rows, QueryMatches],
        skipped: Sequence[int],
    ) -> None:
        """Add the pairs of a query with the documents of a part, but for those `skipped`.

        `similar` are the documents that have a score, even 0, and the similar ones.
        """
        way, (comparable, matches) = self.way, similar
        matches = matches.without(skipped) if skipped else matches
        if matches.chances:
            self.levels.add(matches.chances)
        state = np.zeros(len(part.names), np.int8)
        state[comparable] = state[matches.ids] = 1
        state[skipped] = 2
        self.compared[query] += int((state == 1).sum())
        self.left_out += len(skipped)
        for place in np.flatnonzero(state == 0).tolist():
            problem = way.match(query, part, place).problem or _NO_SCORE
            if problem.category == "too-few-terms" and way.scorer:
                problem = way.scorer.few_terms  # the numbers of terms differ
            key, name = (problem.category, problem.message), part.names[place]
            number, first = self.reasons.get(key, (0, name))
            self.reasons[key] = number + 1, min(first, name)
        if isinstance(way, ByBitVectors) and way.scorer.calibrations:
            self.comparisons[query].update(way.comparisons(query, part, skipped))
        floor, top, known = 0.0, self.asked.top, self.rows[query]  # of what may be among the best
        similarity = matches.scores.similarity
        if top is not None and isinstance(way.minimum, int):
            if len(similarity) > top:
                floor = float(np.partition(similarity, -top)[-top])
            if len(known) >= top:
                floor = max(floor, known[top - 1][0].similarity or 0.0)
        best = np.sort(matches.ids[similarity >= floor - _NEAR])
        for place in (np.flatnonzero(state < 2) if self.every else best).tolist():
            self._add(query, part, place)
        if isinstance(way.minimum, int):
            self.reaching += int((matches.scores.score >= way.minimum).sum()) + matches.nothing_rare
            self.nothing_rare += matches.nothing_rare
        if not self.every and top is not None and len(known) >= top:  # the last is the worst
            known.sort(key=lambda item: (_order(item[0]), item[1]))
            del known[top:]

    def _add(self, query: int, part: MemoryCollection, place: int) -> None:
        """Add the pair of a query with a document, if it reaches the minimum."""
        way, explain = self.way, self.asked.explain
        match = way.match(query, part, place)
        similarity, terms = match.similarity, None
        if explain and similarity is not None:
            terms = way.shared_terms(query, part, place, match, explain)
        segments = [
            f"{at.offset}:{at.length}" if at and similarity is not None else None
            for at in match.segments
        ]
        row = Row(
            match.score,
            None if similarity is None else float(similarity),
            part.names[place],
            way.queries[query][0],
            *(match.common, match.left, match.right),
            match.problem.message if match.problem else None,
            segments[1],
            segments[0],
            None if terms is None else tuple(terms),
        )
        reaches = row.reaches(way.minimum)
        self.reaching += reaches and isinstance(way.minimum, Calibration)
        least = (self.asked.minimum or 0.0) / 100 - TOLERANCE
        if self.every or (reaches and (row.similarity or 0.0) >= least):
            self.rows[query].append((row, self.documents + place, match))

    def comparison(self, run: Run) -> Comparison:
        """The comparison of all parts."""
        way = self.way
        ordered = sorted(
            ((*item, query) for query, each in self.rows.items() for item in each),
            key=lambda item: (_order(item[0]), item[1], item[3]),
        )
        rows = [row for row, *_ in ordered]
        if isinstance(way, ByBitVectors) and way.scorer.calibrations:
            for number, (row, _, match, query) in enumerate(ordered):
                among = self.compared[query], self.comparisons[query]
                rows[number] = replace(row, chance=way.chance(query, match, *among))
            drifted = {problem.path for problem in run.found if problem.category == "drift"}
            many = 2 * len(drifted) > max(self.documents, len(way.queries))
            rows = [*self.levels.checked(rows, run, drifted=many)]
        reasons = sorted(  # few terms are the first reason only where there is no other
            self.reasons.items(),
            key=lambda item: (item[0][0] == "too-few-terms", -item[1][0], item[1][1]),
        )
        problems = tuple(dict.fromkeys(run.found))
        holds = not any(problem.category == "levels" for problem in problems)
        errors = [problem for problem in problems if problem.severity == "error"]
        others = [problem for problem in problems if problem.severity != "error"]
        return Comparison(
            way.matcher,
            tuple(rows),
            problems,
            unreadable=sum(problem.category != "empty" for problem in errors),
            without_text=sum(problem.category == NotTextError.category for problem in others),
            left_out=self.left_out,
            compared=self.compared.total(),
            reaching=self.reaching,
            reasons=tuple((message, number) for (_, message), (number, _) in reasons),
            documents=self.documents,
            names=tuple(query[0] for query in way.queries),
            how=way.how + (describe_nothing_rare(number) if (number := self.nothing_rare) else ""),
            minimum=way.minimum,
            dictionaries=way.scorer.dictionaries if way.scorer else (),
            located=way.located,
            calibrations=tuple(way.scorer.calibrations) if way.scorer and holds else (),
            nothing_rare=self.nothing_rare,
        )


def _order(row: Row) -> Any:
    """The most similar first; those of equal similarity in the order of paths."""
    unscored = row.score is None
    return unscored, -(row.score or 0), -(row.similarity or 0), row.path, row.fingerprint
