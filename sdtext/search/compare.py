"""Compare documents and fingerprints (the queries) with all that folders hold.

Queries and folders are read into collections in memory. Documents alone are compared by shingles of
five words; where there is a fingerprint on either side, a dictionary or a matcher of bit vectors,
bit vectors are compared.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.memory import (
    Given,
    Listing,
    MemoryCollection,
    ShingledDocument,
    collections_of_fingerprints,
    collections_of_shingles,
)
from sdtext.errors import MismatchError, NotTextError, OptionError, UnreadableError
from sdtext.fingerprinting.dictionaries_by_digest import called
from sdtext.fingerprinting.fingerprint_documents import FingerprintOptions, Foreign
from sdtext.fingerprinting.load_and_save import OneOrMore, dictionaries_of
from sdtext.io.decompressed_content import Content
from sdtext.model import Fingerprint, Match, Place, Problem, SharedTerm
from sdtext.model.calibration import BORDERS, DOCUMENTS, SEGMENTS, Calibration, Chance
from sdtext.model.dictionary import Dictionary
from sdtext.model.displayed_results import ShortFields, html_table
from sdtext.model.matches import MIN_TERMS, TOLERANCE, least_score
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import find, parse, translated
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.archive_members import display_name
from sdtext.reading.parallel_run import COMPARING, Run, nothing_left, path_of
from sdtext.search.compare_texts import TextComparer, shortened
from sdtext.search.fingerprint_queries import FingerprintSearch
from sdtext.search.fingerprint_scores import FingerprintScorer, other_engine
from sdtext.search.search_plan import (
    DEFAULT_MINIMUM,
    Question,
    default_matcher,
    plan_search,
    recommended_calibration,
)
from sdtext.search.searchable import Table, segment_views
from sdtext.search.set_search import BySets
from sdtext.text.document import Document
from sdtext.wording import counted, shown

RECIPE = "deduplicate"
"""The recipe by which documents alone are compared."""

_MIN_SEGMENT = 50  # terms
_NEAR = 1e-8  # of a similarity; floats are exact to more digits
Rows = NDArray[np.int64]
ComparedItem = Fingerprint | Document | str | Path | Content
"""A fingerprint or document, or the path of a file or folder with such."""


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
            return minimum.is_recommended(self.score, self.a, self.b)
        return self.score is not None and self.score >= minimum


@dataclass(frozen=True)
class Comparison:
    """The result: rows, best first, those that are not comparable last.

    `how` says in a sentence what was compared, and `minimum` is the least score of rows unless all
    are asked for, or the calibration that recommends it. `left_out` counts the files that were
    among the queries and in the folder, and were not compared with themselves. `compared` counts
    the pairs with a score, `reaching` those of them that reach the minimum, also without a row, and
    `reasons` pairs without a score, by what keeps them from one. `documents` counts what was
    compared with the queries, and `names` are those of the queries. `dictionaries` are those of the
    bit vectors, and `located` describes those of them that nobody named.
    """

    matcher: str
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()
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
    has_segments: bool = False

    def __repr__(self) -> str:
        best = max((row.score for row in self.rows if row.score is not None), default=None)
        return (
            f"<comparison by {self.matcher}: {counted(len(self.rows), 'row')}, best score {best}>"
        )

    def _repr_html_(self) -> str:
        """The rows as a table, for notebooks."""
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

    @property
    def queries(self) -> int:
        """The number of queries."""
        return len(self.names)

    def unmatched(self, rows: Iterable[Row] | None = None) -> list[str]:
        """The names of the queries of which none of `rows`, by default all, has a score."""
        rows = self.rows if rows is None else rows
        scored = {row.fingerprint for row in rows if row.score is not None}
        return [name for name in dict.fromkeys(self.names) if name not in scored]

    @property
    def unreadable(self) -> int:
        """The number of files that could not be read."""
        errors = [item for item in self.problems if item.severity == "error"]
        return sum(problem.category != "empty" for problem in errors)

    @property
    def without_text(self) -> int:
        """The number of files of the folder that hold no text, such as pictures."""
        category = NotTextError.category
        return sum(item.category == category for item in self.problems if item.severity != "error")

    def check(self, where: str) -> None:
        """Raise MismatchError if no row is comparable, UnreadableError if nothing holds text.

        `where` names the folders.
        """
        if not self.compared and self.reasons:
            raise MismatchError(f"nothing in {where} is comparable: {self.reasons[0][0]}")
        if not self.compared and self.left_out:
            raise UnreadableError(f"{where}: there is nothing to compare but the file itself")
        if not (self.compared or any(problem.severity == "error" for problem in self.problems)):
            raise UnreadableError(f"nothing in {where} holds text")


@dataclass(frozen=True)
class _Asked:
    """What `compare` is asked for, checked."""

    matcher: str | None
    similarity: float | None
    top: int | None
    recommended: bool
    min_terms: int
    segment: Segment | None
    explain: int
    index: str | None

    def __post_init__(self) -> None:
        if self.recommended and (self.matcher is not None or self.similarity):
            what = "recommended stands for matcher and similarity; leave these out"
            raise OptionError(what, place="compare")
        if self.similarity is not None and not 0 <= self.similarity <= 1:
            raise OptionError.of("compare", "similarity", self.similarity, "a number from 0 to 1")
        for name, least in (("min_terms", 0), ("explain", 0), ("top", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise OptionError.of("compare", name, value, f"a whole number of {least} or more")
        if self.matcher is not None:
            find("matchers", translated("matchers", parse(self.matcher)).name)


def compares_bits(matcher: str | None) -> bool:
    """Whether a matcher is one of bit vectors."""
    if matcher is None:
        return False
    part = find("matchers", translated("matchers", parse(matcher)).name)
    return any(getattr(part, name, False) for name in ("needs_dictionary", "prefers_vectors"))


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
    default minimum is a score of 3 for shingles and 1 for bit vectors. `min_terms` is the minimum
    number of terms of a bit vector for a score. With `explain`, rows have so many `shared_terms`.
    The `index` "scan" scores all; "columns" (bit vectors) and "bands" (shingles) choose candidates.

    Paths in rows are relative to the folder; if several folders are given, they begin with the
    folder as it is given. What is in memory is called by its name, without one by its place, such
    as `queries[0]`. A file of the folder that is a query is not compared with itself. Raises
    OptionError, MismatchError, UnreadableError if no query can be read.

    >>> comparison = compare(samples / "union.txt", samples)
    >>> [(row.score, row.path) for row in comparison.rows]
    [(46, 'union-edited.txt'), (22, 'union-excerpt.txt')]
    """
    segments = Segment.parse(segment) if isinstance(segment, str) else segment
    asked = _Asked(
        matcher, similarity, top, recommended, min_terms, segments, explain, index
    )  # fmt: skip
    run = run or Run(problems=[])
    named = dictionaries_of(dictionary)
    asked_items, searched_items = (
        _items(queries, "queries", "query"),
        _items(folder, "folder", "document"),
    )
    paths = [Path(item) for item in searched_items if isinstance(item, str | PathLike)]
    _check_folder(searched_items)
    left = Listing.of(asked_items, run, queries=True)
    right = Listing.of(searched_items, run, lambda path: _shown_path(path, paths), queries=False)
    way: _BitVectors | _Shingles
    if (
        named
        or left.has_fingerprints
        or right.has_fingerprints
        or recommended
        or compares_bits(matcher)
    ):
        way = _BitVectors.of(left, right, named, asked)
    elif segments or min_terms != MIN_TERMS:
        raise MismatchError(
            "segment and min_terms are of bit vectors; name a dictionary as dictionary "
            "(CreateDictionary makes one)"
        )
    else:
        way = _Shingles.of(left, right, asked)
    same = _SameFile.of(left, searched_items)
    return _Rows(way, asked, same, run).comparison()


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


def _check_folder(items: Sequence[Given]) -> None:
    """Raise UnreadableError if there is nothing to search but a folder, which is missing."""
    from sdtext.reading.archive_members import in_archive
    from sdtext.wording import reason

    only = items[0]
    if len(items) == 1 and isinstance(only, str | PathLike):
        try:
            os.lstat(only)
        except (FileNotFoundError, NotADirectoryError) as error:
            if not in_archive(Path(only)):
                raise UnreadableError("no such file or folder", file=only) from error
        except OSError as error:
            raise UnreadableError(reason(error), file=only) from error


class _Scored(NamedTuple):
    """What a query has in common with the documents of a collection, by their numbers.

    `ids` and `similarity` are of those that reach the minimum, `compared` counts those that have a
    score. `without` has those without one, by the problem.
    """

    ids: Rows
    similarity: NDArray[np.float64]
    reaching: int
    compared: int
    without: Sequence[tuple[Problem, Rows]]


@dataclass(eq=False)
class _Shingles:
    """Documents alone, compared by shingles of five words."""

    right: Listing
    asked: _Asked
    queries: Sequence[ShingledDocument]
    matcher: str
    minimum: int
    search: dict[int, BySets] = field(default_factory=dict)
    how: str = ""

    @classmethod
    def of(cls, left: Listing, right: Listing, asked: _Asked) -> _Shingles:
        """The comparison of these documents. Raises UnreadableError without a query."""
        recipe = load_recipe(RECIPE)
        matcher = str(translated("matchers", parse(asked.matcher or "jaccard")))
        part = find("matchers", parse(matcher).name)
        if getattr(part, "compares", "sets") != "sets":
            raise OptionError(
                f"{matcher} compares {part.compares}, and CompareDirectory shingles or bit "
                "vectors; search a collection (FindPairs, FindSimilar)"
            )
        queries = [*left.shingled(recipe, keep_text=asked.explain > 0)]
        if not queries:
            raise nothing_left(left.run, "there is nothing to compare")
        least = None if asked.similarity is None else least_score(asked.similarity)
        how = f"shingles of five words (recipe {RECIPE}) compared by {matcher}"
        return cls(right, asked, queries, matcher, least or DEFAULT_MINIMUM, how=how)

    @property
    def names(self) -> Sequence[str]:
        return [query.name for query in self.queries]

    def parts(self) -> Iterator[MemoryCollection]:
        recipe = load_recipe(RECIPE)
        documents = self.right.shingled(recipe, keep_text=self.asked.explain > 0)
        for part in collections_of_shingles(documents, recipe):
            question = Question(self.minimum, self.matcher, index=self.asked.index)
            plan = plan_search(part, question)
            table = Table(segment_views(part, plan.derivation), plan.derivation)
            self.search = {id(part): BySets(table, plan, exhaustive=self.asked.index != "bands")}
            yield part

    def scored(self, part: MemoryCollection, query: int, skipped: Rows) -> _Scored:
        shingles = self.queries[query].shingles
        lengths = part.shingles.lengths
        empty = np.ones(len(lengths), bool) if not len(shingles) else lengths == 0
        empty[skipped] = False
        compared = len(lengths) - int(empty.sum()) - len(skipped)
        without = [(_NO_SHINGLES, np.flatnonzero(empty))] if empty.any() else []
        if not len(shingles):
            return _Scored(np.empty(0, np.int64), np.empty(0), 0, compared, without)
        places, scores = self.search[id(part)].rows_like(_UNNAMED, shingles)
        kept = ~np.isin(places, skipped)
        places, similarity = places[kept], scores.similarity[kept]
        return _Scored(places, similarity, len(places), compared, without)

    def row(self, part: MemoryCollection, query: int, place: int) -> tuple[Row, Match]:
        name, shingles, text = self.queries[query]
        others = part.shingles[place]
        common = len(np.intersect1d(shingles, others, assume_unique=True))
        counts = common, len(shingles), len(others)
        if not (counts[1] and counts[2]):
            match = Match(None, *counts, _NO_SHINGLES)
        else:
            match = Match(self.search[id(part)].plan.scorer.exact(*counts), *counts)
        terms = None
        if self.asked.explain and match.score is not None:
            runs = self._comparer.shared(text, part.texts[place])[: self.asked.explain]
            terms = [replace(run, term=shortened(run.term)) for run in runs]
        return _row_of(match, part.names[place], name, terms), match

    @cached_property
    def _comparer(self) -> TextComparer:
        return TextComparer(load_recipe(RECIPE), parse("jaccard"))

    def finished(self, rows: list[tuple[Any, int, Row, Match]]) -> Iterator[Row]:
        return (row for _, _, row, _ in rows)

    def problems(self) -> Iterator[Problem]:
        return iter(())


_UNNAMED = Document.of("")
_NO_SHINGLES = Problem(
    "warning", "no-shingles", "fewer than five words on one side; there is nothing to compare"
)


@dataclass(eq=False)
class _BitVectors:
    """Fingerprints, and documents that are fingerprinted on the way, compared by bit vectors."""

    right: Listing
    asked: _Asked
    queries: Sequence[tuple[str, Fingerprint]]
    scorer: FingerprintScorer
    minimum: int | Calibration
    segment: Segment | None
    located: tuple[str, ...]
    foreign: Foreign
    comparisons: dict[int, Counter[int]] = field(default_factory=dict)
    compared: Counter[int] = field(default_factory=Counter)
    search: dict[int, FingerprintSearch] = field(default_factory=dict)
    engines: dict[Any, Problem | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls, left: Listing, right: Listing, named: Sequence[Dictionary], asked: _Asked
    ) -> _BitVectors:
        """The comparison over the dictionaries named, else over those of the fingerprints.

        Raises MismatchError for documents without a dictionary, UnreadableError without a query.
        """
        prints = [*left.fingerprints()]
        dictionaries, located = [*named], []
        side = left if prints else right
        if not named:
            if side is right:
                right.prints = [*right.fingerprints()]
                right.files = []
            located = [item.origin for item in side.located()]
            dictionaries = [*side.dictionaries.values()]
            for _, item in right.prints if side is left else ():
                dictionaries += [
                    each for each in item.with_dictionaries if each not in dictionaries
                ]
        if not dictionaries and left.number_of_documents:
            first = left.in_memory[0][0] if left.in_memory else str(path_of(left.documents[0]))
            raise MismatchError(f"{NO_DICTIONARY}; CreateDictionary makes one", file=first)
        segment = asked.segment or segment_of(item for _, item in prints)
        options = FingerprintOptions(segment, whole=True)
        foreign: Foreign = []
        prints += left.fingerprinted(dictionaries, options, foreign)
        if not prints:
            if left.errors:
                raise left.errors[0]
            raise nothing_left(left.run, "there is nothing to compare")
        least = None if asked.similarity is None else least_score(asked.similarity)
        minimum: int | Calibration = least or 1
        matcher = asked.matcher
        if asked.recommended:
            minimum = recommended_calibration(dictionaries)
            matcher = minimum.matcher
        known = {item.digest for item in dictionaries}
        lacks = located and any(
            known.isdisjoint(each.digest for each in item.dictionaries) for _, item in prints
        )
        matcher = matcher or default_matcher(() if lacks else dictionaries)
        scorer = FingerprintScorer(matcher, tuple(dictionaries), asked.min_terms)
        _ = scorer.part  # a matcher of something else is refused before documents are read
        way = cls(right, asked, prints, scorer, minimum, segment, tuple(located), foreign)
        way._check_dictionaries()
        return way

    def _check_dictionaries(self) -> None:
        """MismatchError where there are only documents, and no query has one of their dictionaries.

        So it is before the documents are read.
        """
        if self.right.has_fingerprints or not self.right.number_of_documents:
            return
        if not self.scorer.dictionaries:
            raise MismatchError(self._no_dictionary())
        known = {item.digest for item in self.scorer.dictionaries}
        used = [reference for _, item in self.queries for reference in item.dictionaries]
        if known.isdisjoint(reference.digest for reference in used):
            names = " and ".join(called(item.reference()) for item in self.scorer.dictionaries)
            raise MismatchError(
                f"no document is comparable: made with different dictionaries: {called(used[0])} "
                f"and {names}; name the one that the fingerprints were made with"
            )

    def _no_dictionary(self) -> str:
        """The error about documents that cannot be compared; it names what the queries need."""
        references = (item for _, query in self.queries for item in query.dictionaries)
        wanted = " and ".join(dict.fromkeys(map(called, references)))
        number = counted(self.right.number_of_documents, "document")
        return (
            f"{number} not compared: there is no dictionary to fingerprint them with; name one "
            f"as dictionary, such as the one that the fingerprints were made with, {wanted}"
        )

    @property
    def matcher(self) -> str:
        return self.scorer.matcher

    @property
    def how(self) -> str:
        names = [shown(item.name) or item.guid for item in self.scorer.dictionaries]
        over = f" over dictionary {' and '.join(names)}" if names else ""
        return f"bit vectors{over} compared by {self.matcher}"

    @property
    def names(self) -> Sequence[str]:
        return [name for name, _ in self.queries]

    def parts(self) -> Iterator[MemoryCollection]:
        least = self.minimum
        if isinstance(least, Calibration):
            least = min((level for _, level in least.recommended), default=1)
        question = Question(
            max(1, least), self.matcher, index=self.asked.index, min_terms=self.asked.min_terms
        )
        for part in collections_of_fingerprints(self._documents(), self.scorer.dictionaries):
            self.search = {id(part): FingerprintSearch(part, question, rounded=True)}
            yield part

    def _documents(self) -> Iterator[tuple[str, Fingerprint]]:
        """The fingerprints that are searched, and those of documents; warns of other engines."""
        known = set()
        for name, item in self._all_documents():
            if item.libraries not in known:
                known.add(item.libraries)
                for _, query in self.queries:
                    if (query.libraries, item.libraries) not in self.engines:
                        self.engines[query.libraries, item.libraries] = other_engine(query, item)
            yield name, item

    def _all_documents(self) -> Iterator[tuple[str, Fingerprint]]:
        yield from self.right.fingerprints()
        if not self.right.number_of_documents:
            return
        if not self.scorer.dictionaries:
            what = self._no_dictionary()
            self.right.run.note(Problem("error", "no-dictionary", what, "", what))
            return
        options = FingerprintOptions(self.segment, whole=True)
        yield from self.right.fingerprinted(self.scorer.dictionaries, options, self._others)

    @cached_property
    def _others(self) -> Foreign:
        return []

    def scored(self, part: MemoryCollection, query: int, skipped: Rows) -> _Scored:
        _, item = self.queries[query]
        number = len(part.names)
        search = self.search[id(part)]
        marks = np.zeros(number, bool)
        ids, similarity, score = np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64)
        is_same_kind = part.fingerprints[0].kind == item.kind
        try:
            if is_same_kind:
                for strategy, vectors in search.over(item):
                    marks[strategy.comparable(vectors)] = True
                if matches := search.matches(item):
                    ids, similarity = matches.ids, matches.scores.similarity
                    score = matches.scores.score
                    marks[ids] = True
        except (MismatchError, OptionError):  # the weights need a dictionary that is not at hand
            marks[:] = self._equal(part, item)
            ids = np.flatnonzero(marks)
            similarity, score = np.ones(len(ids)), np.full(len(ids), 99)
        rest = ~marks
        marks[skipped] = rest[skipped] = False
        self.compared[query] += int(marks.sum())
        self._count_comparisons(part, query, skipped)
        kept = marks[ids]
        ids, similarity, score = ids[kept], similarity[kept], score[kept]
        if isinstance(self.minimum, Calibration):
            rows = (self.row(part, query, place)[0] for place in ids.tolist())
            reaching = sum(row.reaches(self.minimum) for row in rows)
        else:
            reaching = int((score >= self.minimum).sum())
        without = self._without(part, item, np.flatnonzero(rest)) if rest.any() else []
        return _Scored(ids, similarity, reaching, int(marks.sum()), without)

    def _equal(self, part: MemoryCollection, item: Fingerprint) -> NDArray[np.bool_]:
        """Which documents have a vector that is equal to one of a query, and so a score."""
        marks = np.zeros(len(part.names), bool)
        if self.scorer.part.symmetric and part.fingerprints[0].kind == item.kind:
            for vector in item.vectors:
                key = item.reference(vector).digest, vector.packed
                for place, other in part.places_of_vectors.get(key, ()):
                    least = max(1, self.asked.min_terms) if vector.place or other.place else 1
                    marks[place] |= vector.count >= least
        return marks

    def _without(
        self, part: MemoryCollection, item: Fingerprint, places: Rows
    ) -> list[tuple[Problem, Rows]]:
        """Why documents have no score, with those for each reason; one is asked for all like it."""
        kinds: dict[Any, tuple[Problem, list[int]]] = {}
        own = {reference.digest for reference in item.dictionaries}
        least = max(self.asked.min_terms, getattr(self.scorer.part, "least_terms", 0))
        few = max(vector.count for vector in item.vectors) < least
        for place in places.tolist():
            other = part.fingerprints[place]
            references = tuple(each.digest for each in other.dictionaries)
            shares = other.kind == item.kind and not own.isdisjoint(references)
            is_few = shares and (few or max(v.count for v in other.vectors) < least)
            key = (other.kind, references, is_few)
            if key not in kinds:
                problem = self.scorer.best(item, other).problem or _NO_SCORE
                if problem.category == "too-few-terms":
                    problem = self.scorer.few_terms
                kinds[key] = problem, []
            kinds[key][1].append(place)
        return [(problem, np.array(some)) for problem, some in kinds.values()]

    def _count_comparisons(self, part: MemoryCollection, query: int, skipped: Rows) -> None:
        """Count the pairs of vectors by size class, for statements of chance."""
        if not self.scorer.calibrations:
            return
        item = self.queries[query][1]
        counts = self.comparisons.setdefault(query, Counter())
        borders = (0, *BORDERS)
        numbers = np.zeros(len(borders) + 1, np.int64)
        for digest, sizes in part.sizes.items():
            own = np.array([v.count for v in item.vectors if item.reference(v).digest == digest])
            for place, border in enumerate(borders):
                least = max(border, self.asked.min_terms)
                numbers[place] += int((own >= least).sum()) * int((sizes >= least).sum())
        counts.update(dict(zip(borders, (numbers[:-1] - numbers[1:]).tolist(), strict=True)))
        for place in skipped.tolist():
            counts.subtract(self.scorer.comparisons(item, part.fingerprints[place]))

    def row(self, part: MemoryCollection, query: int, place: int) -> tuple[Row, Match]:
        name, item = self.queries[query]
        other = part.fingerprints[place]
        match = self.scorer.best(item, other)
        terms = None
        if self.asked.explain:
            terms = self.scorer.shared_terms(item, other, match, self.asked.explain)
        places = [
            None if match.similarity is None else side.vectors[vector].place
            for side, vector in zip((other, item), reversed(match.vectors), strict=True)
        ]
        return _row_of(match, part.names[place], name, terms, *places), match

    def finished(self, rows: list[tuple[Any, int, Row, Match]]) -> Iterator[Row]:
        """The rows with the chance of each.

        A calibration says nothing of queries in another language than their dictionary.
        """
        foreign = {str(path) for path, _ in self.foreign}
        for _, query, row, match in rows:
            name, item = self.queries[query]
            if not self.scorer.calibrations or name in foreign:
                yield row
                continue
            compared = +self.comparisons[query]
            unit = SEGMENTS if compared.total() > self.compared[query] else DOCUMENTS
            yield replace(row, chance=self.scorer.chance(item, match, compared, unit))

    def problems(self) -> Iterator[Problem]:
        yield from in_other_languages(dict.fromkeys([*self.foreign, *self._others]))
        yield from filter(None, self.engines.values())
        is_trimmed = any(dictionary.trimmed for dictionary in self.scorer.dictionaries)
        if self.segment and is_trimmed and self.matcher.split("(")[0] == "containment":
            yield Problem(
                "warning",
                "saturated",
                "containment of segments over a trimmed dictionary scores up to 99 for unrelated "
                "documents; use idf-cosine, or a dictionary that is not trimmed",
            )
        for dictionary in self.scorer.dictionaries:
            if dictionary.documents == 1:
                name = shown(dictionary.name) or dictionary.guid
                yield Problem(
                    "warning",
                    "drift",
                    f"dictionary {name} was made of a single document: it cannot tell common terms "
                    "from rare ones, and unrelated documents score high; make it of many documents",
                )


NO_DICTIONARY = (
    "is a document, and there is no dictionary to compare bit vectors with; name one as dictionary "
    "(-d)"
)
_NO_SCORE = Problem("warning", "no-weight", "the vectors are not comparable")


def _row_of(
    match: Match,
    path: str,
    name: str,
    terms: Iterable[SharedTerm] | None,
    place: Place | None = None,
    query_place: Place | None = None,
) -> Row:
    similarity = None if match.similarity is None else float(match.similarity)
    reason = match.problem.message if match.problem else None
    segment, query_segment = (
        f"{each.offset}:{each.length}" if each else None for each in (place, query_place)
    )
    counts = match.common, match.left, match.right
    shared = None if terms is None else tuple(terms)
    ranges = segment, query_segment
    return Row(match.score, similarity, path, name, *counts, reason, *ranges, shared)


@dataclass(eq=False)
class _Rows:
    """The rows of all parts, of each query the best, and counts of the others."""

    way: _BitVectors | _Shingles
    asked: _Asked
    same: _SameFile
    run: Run
    rows: dict[int, list[tuple[Any, int, Row, Match]]] = field(default_factory=dict)
    reasons: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    compared: int = 0
    reaching: int = 0
    left_out: int = 0
    documents: int = 0

    def comparison(self) -> Comparison:
        """The comparison of all parts."""
        for part in self.way.parts():
            self._add(part)
            self.documents += len(part.names)
            self.run.step(len(part.names), self.documents, COMPARING)
        way = self.way
        rows = sorted((item for each in self.rows.values() for item in each), key=_by_weight)
        for problem in dict.fromkeys(way.problems()):
            self.run.note(problem)
        scorer = way.scorer if isinstance(way, _BitVectors) else None
        reasons = sorted(  # few terms are the first reason only where there is no other
            self.reasons.items(),
            key=lambda item: (item[0][0] == "too-few-terms", -item[1][0], item[1][1]),
        )
        return Comparison(
            way.matcher,
            tuple(way.finished(rows)),
            tuple(dict.fromkeys(self.run.problems or ())),
            self.left_out,
            self.compared,
            self.reaching,
            tuple((message, number) for (_, message), (number, _) in reasons),
            self.documents,
            tuple(way.names),
            way.how,
            way.minimum,
            scorer.dictionaries if scorer else (),
            way.located if isinstance(way, _BitVectors) else (),
            tuple(scorer.calibrations) if scorer else (),
            isinstance(way, _BitVectors) and way.segment is not None,
        )

    @cached_property
    def _every(self) -> bool:
        """Whether all pairs become rows."""
        asked = self.asked
        is_selected = asked.similarity is not None or asked.top is not None or asked.recommended
        return asked.similarity == 0 or not (is_selected or isinstance(self.way, _Shingles))

    def _add(self, part: MemoryCollection) -> None:
        """Add the pairs of all queries with the documents of a part."""
        own: dict[str, list[int]] = {}
        for place, path in enumerate(part.names):
            for name in self.same(path):
                own.setdefault(name, []).append(place)
        for query, name in enumerate(self.way.names):
            skipped = np.array(own.get(name, ()), np.int64)
            self.left_out += len(skipped)
            result = self.way.scored(part, query, skipped)
            self.compared += result.compared
            self.reaching += result.reaching
            for problem, places in result.without:
                self._add_reason(problem, len(places), min(part.names[place] for place in places))
            kept = self.rows.setdefault(query, [])
            for place in self._chosen(part, query, skipped, result):
                row, match = self.way.row(part, query, place)
                if self._every or self._is_wanted(row):
                    kept.append(((self.documents + place, query), query, row, match))
            if not self._every and self.asked.top is not None and len(kept) > self.asked.top:
                kept.sort(key=_by_weight)
                del kept[self.asked.top :]

    def _add_reason(self, problem: Problem, number: int, first: str) -> None:
        key = problem.category, problem.message
        before, earliest = self.reasons.get(key, (0, first))
        self.reasons[key] = before + number, min(earliest, first)

    def _is_wanted(self, row: Row) -> bool:
        floor = 0.0 if self.asked.similarity is None else self.asked.similarity - TOLERANCE
        return row.reaches(self.way.minimum) and (row.similarity or 0.0) >= floor

    def _chosen(
        self, part: MemoryCollection, query: int, skipped: Rows, result: _Scored
    ) -> Sequence[int]:
        """The documents that may be among the best of a query, by floats; all for every pair."""
        if self._every:
            return [*np.setdiff1d(np.arange(len(part.names)), skipped).tolist()]
        top, floor = self.asked.top, 0.0
        if top is not None and not isinstance(self.way.minimum, Calibration):
            if len(result.ids) > top:
                floor = float(np.partition(result.similarity, -top)[-top])
            known = self.rows.get(query, [])
            if len(known) >= top:
                floor = max(floor, known[top - 1][2].similarity or 0.0)
        return [*np.sort(result.ids[result.similarity >= floor - _NEAR]).tolist()]


def _by_weight(item: tuple[Any, int, Row, Match]) -> Any:
    """The most similar first; those of equal similarity in the order of paths."""
    order, _, row, _ = item
    unscored = row.score is None
    weight = unscored, -(row.score or 0), -(row.similarity or 0), row.path, row.fingerprint
    return weight, order


@dataclass(frozen=True)
class _SameFile:
    """Which queries are the candidate at a path of a folder.

    `names` are those of the queries, `paths` has the real path of each that is in a file, with
    #NAME in a container; paths of candidates are as in rows, relative to `folder`. A file that is
    named itself in place of a folder is compared with any query, and so is what is `in_memory`.
    """

    listing: Listing
    folders: Sequence[Path]
    in_memory: frozenset[str]

    @classmethod
    def of(cls, queries: Listing, searched: Sequence[Given]) -> _SameFile:
        folders = [Path(item) for item in searched if isinstance(item, str | PathLike)]
        in_memory = frozenset(item[0] for item in searched if isinstance(item, tuple))
        return cls(queries, folders, in_memory)

    @cached_property
    def _queries(self) -> Mapping[str, Sequence[str]]:
        """The names of the queries in files, by their real paths."""
        named = {os.path.realpath(folder) for folder in self.folders}
        paths: dict[str, list[str]] = {}
        for name in self.listing.named:
            real = os.path.realpath(name)
            if real not in named:
                paths.setdefault(real, []).append(name)
        return paths

    @cached_property
    def _tails(self) -> frozenset[str]:
        return frozenset(path.rpartition("/")[2] for path in self._queries)

    def __call__(self, path: str) -> Sequence[str]:
        """The names of the queries that are the document at a path."""
        tail = path.rpartition("/")[2]
        if tail not in self._tails or path in self.in_memory:  # the real path takes time
            return ()
        folder = self.folders[0] if len(self.folders) == 1 else Path()
        return self._queries.get(os.path.realpath(folder / path), ())


def segment_of(queries: Iterable[Fingerprint]) -> Segment | None:
    """How to segment documents that are compared with these: as the first query with segments.

    Where that one is short and has a single segment, its length, with half of it overlapping.
    """
    for query in queries:
        first = next((vector for vector in query.vectors if vector.place), None)
        if first and first.place:
            siblings = (item for item in query.vectors if item.dictionary == first.dictionary)
            starts = [item.place.first for item in siblings if item.place][:2]
            # A file from outside may ask for segments of any size and number.
            tokens = max(first.place.tokens, _MIN_SEGMENT)
            step = starts[1] - starts[0] if len(starts) > 1 else tokens // 2
            return Segment(tokens, min(max(step, tokens // 10), tokens))
    return None


def _shown_path(path: Path, folders: Sequence[Path]) -> str:
    """The path of a file in a row: relative to the folder, whole if there are several folders."""
    if len(folders) != 1:
        return path.as_posix()
    below = folders[0] in path.parents
    return path.relative_to(folders[0]).as_posix() if below else display_name(path)
