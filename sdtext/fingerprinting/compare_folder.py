"""Compare fingerprints (the queries) with all documents and fingerprint files in folders."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, Unpack

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.errors import (
    MismatchError,
    NotTextError,
    OptionError,
    SdtextError,
    UnreadableError,
    check_count,
    check_options,
    check_similarity,
    check_type,
    counted,
    naming_arguments,
    shown,
)
from sdtext.fingerprinting.compare_fingerprints import (
    COLUMNS,
    OTHER_DICTIONARIES,
    Comparer,
    called,
    other_engine,
    recommended_calibration,
)
from sdtext.fingerprinting.fingerprint_documents import (
    FingerprintOptions,
    Foreign,
    fingerprint_of_document,
    fingerprints,
    fingerprints_of_documents,
)
from sdtext.fingerprinting.folder_dictionary import (
    DefaultDictionary,
    FolderFiles,
    FolderTexts,
    Searched,
    check_folder,
)
from sdtext.fingerprinting.load_and_save import (
    OneOrMore,
    dictionaries_of,
    kind_of_file,
    named_fingerprints,
)
from sdtext.fingerprinting.pair_selection import PairSelection, QueryPair, Tally, Wanted
from sdtext.fingerprinting.query_files import Named, Queries, load_queries
from sdtext.io.decompressed_content import Content
from sdtext.model import Fingerprint, Match, Place, Problem, SharedTerm
from sdtext.model.calibration import DOCUMENTS, SEGMENTS, Calibration, Chance
from sdtext.model.displayed_results import ShortFields, html_table
from sdtext.model.matches import MIN_TERMS, TOLERANCE, least_score
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.archive_members import display_name
from sdtext.reading.parallel_run import COMPARING, Run, Unread, skipped_artefact
from sdtext.reading.walk import Paths, ShortFiles, files_in, path_list
from sdtext.text.document import Document

EVERY_PAIR = Wanted()


@dataclass(frozen=True, repr=False)
class Row(ShortFields):
    """One candidate against one query; `score` (0 to 99) and `similarity` (0 to 1), or a `reason`.

    `segment` and `query_segment` locate the best matching segments, as OFFSET:LENGTH in code
    points of the text; None stands for the whole document. `shared_terms` are those that weigh
    most, if they are asked for and the dictionary is available. `chance` tells how often chance
    gives this score, if the dictionary is calibrated.
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
    """The result: all rows, best first, those that are not comparable last.

    `left_out` counts the files that were among the queries and in the folder, and were not compared
    with themselves. `tally` counts all pairs, also those without a row, where rows were selected.
    `documents` counts what was compared with the queries, and `names` are those of the queries.
    """

    matcher: str
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()
    left_out: int = 0
    tally: Tally = field(default_factory=Tally)
    documents: int = 0
    names: tuple[str, ...] = ()

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
        self,
        minimum: int | Calibration | None = None,
        top: int | None = None,
        *,
        similarity: float | None = None,
        not_comparable: bool | None = None,
    ) -> list[Row]:
        """The rows of that `similarity` (0 to 1) or more, at most `top` for each query.

        In its place, `minimum` is a score from 0 to 99 (default 1), or a calibration, which stands
        for the scores that it recommends for the sizes of rows. Those that are not comparable come
        last, if they are wanted: by default without a minimum, or with 0.

        >>> dictionary = create_dictionary(samples, "english")
        >>> comparison = compare(samples / "union.txt", samples, dictionary=dictionary)
        >>> [row.path for row in comparison.best(similarity=0.05, top=5)]
        ['union-edited.txt', 'union-excerpt.txt']
        """
        floor = 0.0
        if similarity is not None:
            if minimum is not None:
                raise OptionError("similarity stands for minimum; leave one out", place="best")
            check_similarity("best", "similarity", similarity)
            minimum, floor = least_score(similarity), similarity - TOLERANCE
        is_score = isinstance(minimum, int) and 0 <= minimum <= 99
        if not (minimum is None or isinstance(minimum, Calibration) or is_score):
            allowed = "a score, a whole number from 0 to 99, or a calibration"
            raise OptionError.of("best", "minimum", minimum, allowed)
        least = 1 if minimum is None else minimum
        if not_comparable is None:
            not_comparable = not (minimum or similarity)
        counts: Counter[str] = Counter()
        rows = []
        for row in self.rows:
            reaches = row.similarity is not None and row.similarity >= floor
            wanted = not_comparable if row.score is None else reaches and row.reaches(least)
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
        scored = {
            row.fingerprint
            for row in (self.rows if rows is None else rows)
            if row.score is not None
        }
        return [name for name in dict.fromkeys(self.names) if name not in scored]

    def reasons(self) -> list[tuple[str, int]]:
        """Why rows are not comparable, without numbers of terms, and how many for each reason."""
        return self.tally.by_reason

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

    def check(self, folders: Paths, default: DefaultDictionary | None = None) -> None:
        """Raise MismatchError if no row is comparable, UnreadableError if nothing holds text.

        With the `default` dictionary of the queries, the remedy may be to name another one.
        """
        compared = bool(self.tally.scored.total() or self.tally.reasons)
        where = Searched.of(folders).described
        if not compared and self.left_out:
            raise UnreadableError(f"{where}: there is nothing to compare but the file itself")
        if not (compared or any(problem.severity == "error" for problem in self.problems)):
            raise UnreadableError(f"nothing in {where} holds text")
        if compared and not self.tally.scored.total():
            why = self.tally.first_reason or ""
            if default and why.startswith(OTHER_DICTIONARIES):
                why += ", or name the second one as dictionary"
            raise _nothing_comparable(where, why)


class ComparisonOptions(TypedDict, total=False):
    """Further options of a comparison with a folder.

    `similarity` is the minimum, from 0 to 1, `top` the most rows for each query; `recommended`
    takes the matcher and the minimum from the calibration of the dictionary. Without any of these
    three all rows are given, also those that are not comparable; so they are with a similarity of
    0. `min_terms` is the minimum number of terms on each side for a score; `segment` ("1000/500")
    compares documents segment by segment, too; `explain` is the number of shared terms that each
    row gets, those that weigh most. With the `index` "scan" every pair of segments is scored.
    """

    similarity: float | None
    top: int | None
    recommended: bool
    min_terms: int
    segment: Segment | str | None
    explain: int
    index: str


ComparedItem = Fingerprint | Document | str | Path
"""A fingerprint or document, or the path of a file or folder with such."""
_ITEM = (Fingerprint, Document, str, PathLike)


@naming_arguments
def compare(
    queries: Queries | ComparedItem | Iterable[ComparedItem],
    folder: ComparedItem | Iterable[ComparedItem],
    matcher: str | None = None,
    dictionary: OneOrMore = None,
    run: Run | None = None,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Compare every document, fingerprint file and container in `folder` with the queries.

    Each of the two may be a fingerprint, a document in memory, a file with either, a folder of such
    files, or a list of these. Documents are compared as a whole and, where the query has segments,
    by segment. A document without a dictionary is compared with that of the fingerprints; without
    any, with the whole dictionary of `folder`, or if there are fewer than 8 documents in it, with
    the one that comes with sdtext for its language. Paths in rows are relative to the folder; if
    several folders are given, they begin with the folder as it is given. What is in memory is
    called by its name, without one by its place, such as `queries[0]`. A file of the folder that is
    a query is not compared with itself. The options are those of `ComparisonOptions`: with
    `explain`, rows have `shared_terms`.

    >>> dictionary = create_dictionary(samples, "english")
    >>> comparison = compare(samples / "union.txt", samples, dictionary=dictionary)
    >>> [(row.score, row.path) for row in comparison.rows[:2]]
    [(45, 'union-edited.txt'), (9, 'union-excerpt.txt')]
    """
    _check_options(options, matcher)
    check_type("compare", "run", run, (Run, type(None)), "an sdtext.Run")
    run = run or Run(problems=[])
    if not isinstance(queries, Queries):
        asked = _named_items("queries", queries, "query")
    searched = _searched(_named_items("folder", folder, "document"))
    dictionaries = dictionaries_of(dictionary)
    given = options.get("segment")
    segment = Segment.parse(given) if isinstance(given, str) else given
    if not isinstance(queries, Queries):
        queries = load_queries(asked, dictionaries, run, segment, searched)
    selected = _Selected.of(options, matcher, queries)
    limits = options.get("min_terms", MIN_TERMS), options.get("explain", 0)
    comparer = queries.comparer(selected.matcher, *limits, options.get("index", COLUMNS))
    return selected.of_comparison(compare_by(comparer, queries, searched, run, selected.wanted))


def _check_options(options: Mapping[str, object], matcher: str | None) -> None:
    """OptionError for an option that `compare` does not have, or a value that it cannot use."""
    known = ("matcher", "dictionary", "run", *ComparisonOptions.__annotations__)
    check_options("compare", options, known)
    is_selected = matcher is not None or options.get("similarity") is not None
    if options.get("recommended") and is_selected:
        what = "recommended stands for matcher and similarity; leave these out"
        raise OptionError(what, place="compare")
    for name in ("min_terms", "explain"):
        check_count("compare", name, options.get(name, 0))
    top = options.get("top")
    check_count("compare", "top", 1 if top is None else top)
    if top == 0:
        raise OptionError.of("compare", "top", 0, "a whole number of 1 or more")
    if options.get("similarity") is not None:
        check_similarity("compare", "similarity", options["similarity"])
    check_type(
        "compare", "recommended", options.get("recommended", False), (bool,), "True or False"
    )


def _named_items(argument: str, given: object, lone: str) -> list[str | Path | Content | Named]:
    """The items of an argument, each different; those in memory with a name of their own.

    Raises OptionError for what cannot be compared.
    """
    wanted = "a fingerprint, an sdtext.Document, the path of a file or folder, or a list of these"
    is_list = isinstance(given, Iterable) and not isinstance(given, (*_ITEM, bytes, Mapping))
    items = [*given] if isinstance(given, Iterable) and is_list else [given]
    if is_list and not items:
        raise OptionError.of("compare", argument, given, wanted)
    names = {str(item) for item in items if isinstance(item, str | PathLike)}
    result: list[str | Path | Content | Named] = []
    for place, item in enumerate(items):
        where = f"{argument}[{place}]" if is_list else argument
        check_type("compare", where, item, _ITEM, wanted.removesuffix(", or a list of these"))
        if isinstance(item, Fingerprint | Document):
            own = item.source if isinstance(item, Document) else item.name
            name = own if own and own not in names else where if is_list else lone
            names.add(name)
            result.append((name, item))
        elif isinstance(item, str | PathLike):
            result.append(Path(item) if isinstance(item, PathLike) else item)
    return result


def _searched(items: Sequence[str | Path | Content | Named]) -> Searched:
    """What is searched, of items with names."""
    named = [item for item in items if isinstance(item, tuple)]
    return Searched(
        path_list([item for item in items if isinstance(item, str | PathLike)]),
        [(name, item) for name, item in named if isinstance(item, Document)],
        [(name, item) for name, item in named if isinstance(item, Fingerprint)],
    )


@dataclass(frozen=True)
class _Selected:
    """The rows that options of `compare` select, and the matcher."""

    matcher: str | None
    minimum: Calibration | None
    similarity: float | None
    top: int | None

    @classmethod
    def of(cls, options: ComparisonOptions, matcher: str | None, queries: Queries) -> _Selected:
        """What options select. Raises OptionError if nothing is recommended."""
        similarity, top = options.get("similarity"), options.get("top")
        if not options.get("recommended"):
            return cls(matcher, None, similarity, top)
        best = recommended_calibration(queries.dictionaries)
        return cls(best.matcher, best, None, top)

    @property
    def wanted(self) -> Wanted:
        """The pairs that may be selected, by their scores."""
        if self.similarity is None and self.top is None and self.minimum is None:
            return EVERY_PAIR
        least = 1 if self.similarity is None else least_score(self.similarity)
        return Wanted(self.minimum or least, self.top, every=self.similarity == 0)

    def of_comparison(self, comparison: Comparison) -> Comparison:
        """The comparison with the selected rows."""
        if self.wanted == EVERY_PAIR:
            return comparison
        rows = comparison.best(
            self.minimum,
            self.top,
            similarity=self.similarity,
            not_comparable=self.similarity == 0,
        )
        return replace(comparison, rows=tuple(rows))


def compare_by(
    comparer: Comparer,
    queries: Queries,
    folder: Paths | Searched,
    run: Run,
    wanted: Wanted = EVERY_PAIR,
) -> Comparison:
    """`compare` with a given comparer, of which the wanted pairs become rows.

    Raises UnreadableError if the only folder is missing; one of several is a problem.
    """
    searched = Searched.of(folder)
    check_folder(searched)
    unfit = (*_saturated(comparer, queries), *_without_weights(queries))
    warnings = {problem.message: problem for problem in unfit}
    own = _SameFile.of(queries, searched)
    selection = PairSelection(comparer, queries.fingerprints, wanted, own)
    rows = _WantedRows(selection)
    foreign = [*queries.foreign]
    documents = _candidates(searched, comparer, queries, run, foreign)
    candidates = _with_warnings(documents, queries, warnings)
    for pair in selection.pairs(candidates):
        rows.add(pair)
    for problem in (*in_other_languages(dict.fromkeys(foreign)), *warnings.values()):
        run.note(problem)
    listed = rows.sorted({str(path) for path, _ in queries.foreign})
    problems = dict.fromkeys(run.problems or ())  # a query may be a candidate, too
    return Comparison(
        comparer.matcher,
        listed,
        tuple(problems),
        selection.left_out,
        selection.tally,
        selection.documents,
        tuple(name for name, _ in queries.fingerprints),
    )


def _with_warnings(
    candidates: Iterable[tuple[str, Fingerprint]], queries: Queries, warnings: dict[str, Problem]
) -> Iterator[tuple[str, Fingerprint]]:
    """The candidates; adds a warning for texts that other engines read than those of a query."""
    known = set()
    for path, candidate in candidates:
        if candidate.libraries not in known:
            known.add(candidate.libraries)
            for _, query in queries.fingerprints:
                if warning := other_engine(query, candidate):
                    warnings.setdefault(warning.message, warning)
        yield path, candidate


@dataclass(eq=False)
class _WantedRows:
    """The rows of the pairs of a selection, by the name of the query; the tally counts the rest."""

    selection: PairSelection
    rows: dict[str, list[tuple[tuple[int, int], _Compared]]] = field(default_factory=dict)

    def add(self, pair: QueryPair) -> None:
        """Score a pair exactly; keep it, if it is wanted."""
        comparer, wanted, tally = (
            self.selection.comparer,
            self.selection.wanted,
            self.selection.tally,
        )
        item = _compared(comparer, (pair.query, pair.candidate), pair.path, pair.name)
        if comparer.calibrations:
            comparisons = comparer.comparisons(pair.query, pair.candidate)
            tally.add_comparisons(pair.name, comparisons)
        reaches = item.row.reaches(wanted.minimum)
        if item.row.reason is not None:
            tally.add_unscored(item.row.reason, 1, (pair.path, pair.name))
        else:
            tally.add_scored(pair.name, 1, int(reaches))
        if reaches or wanted.every:
            self.rows.setdefault(pair.name, []).append((pair.order, item))
            self._keep_best(pair.name)

    def _keep_best(self, name: str) -> None:
        """Drop rows of a query that are not among the best."""
        top, rows = self.selection.wanted.top, self.rows[name]
        if top is None or self.selection.wanted.every or len(rows) < 2 * max(top, 1):
            return
        rows.sort(key=_by_weight_and_order)
        del rows[top:]
        self.selection.floors[name] = rows[-1][1].row.similarity or 0.0 if rows else 1.0

    def sorted(self, foreign: Collection[str]) -> tuple[Row, ...]:
        """The rows, the most similar first, with the chance of each.

        A calibration says nothing of `foreign` queries, which do not fit their dictionary.
        """
        rows = sorted(chain(*self.rows.values()), key=_by_weight_and_order)
        comparer, tally = self.selection.comparer, self.selection.tally
        if not comparer.calibrations:
            return tuple(item.row for _, item in rows)
        result = []
        for _, item in rows:
            name = item.row.fingerprint
            if name in foreign:
                result.append(item.row)
                continue
            compared = tally.comparisons[name]
            unit = SEGMENTS if compared.total() > tally.scored[name] else DOCUMENTS
            chance = comparer.chance(item.query, item.match, compared, unit)
            result.append(replace(item.row, chance=chance))
        return tuple(result)


@dataclass(frozen=True)
class _SameFile:
    """Which queries are the candidate at a path of a folder.

    `names` are those of the queries, `paths` has the real path of each that is in a file, with
    #NAME in a container; paths of candidates are as in rows, relative to `folder`. A file that is
    named itself in place of a folder is compared with any query, and so is what is `in_memory`.
    """

    names: Sequence[str]
    paths: Mapping[str, str]
    folder: Path
    in_memory: frozenset[str]

    @classmethod
    def of(cls, queries: Queries, searched: Searched) -> _SameFile:
        folders = searched.folders
        paths = {name: os.path.realpath(name) for name in queries.files}
        named = {os.path.realpath(folder) for folder in folders}
        paths = {name: path for name, path in paths.items() if path not in named}
        names = [name for name, _ in queries.fingerprints]
        in_memory = frozenset(name for name, _ in (*searched.documents, *searched.fingerprints))
        return cls(names, paths, folders[0] if len(folders) == 1 else Path(), in_memory)

    def __call__(self, path: str) -> Sequence[int]:
        """The numbers of the queries that are the document at a path."""
        tail = path.rpartition("/")[2]
        if f"{tail}\n" not in self._joined or path in self.in_memory:  # the real path takes time
            return ()
        real = os.path.realpath(self.folder / path)
        return [
            number
            for number, name in enumerate(self.names)
            if self.paths.get(name) == real and real.endswith(tail)
        ]

    @cached_property
    def _joined(self) -> str:
        return "\n".join([*self.paths.values(), ""])


def _by_weight(row: Row) -> tuple[bool, int, float, str, str]:
    """The most similar first; those of equal similarity in the order of paths."""
    unscored = row.score is None
    return unscored, -(row.score or 0), -(row.similarity or 0), row.path, row.fingerprint


def _by_weight_and_order(item: tuple[tuple[int, int], _Compared]) -> Any:
    return _by_weight(item[1].row), item[0]


def _saturated(comparer: Comparer, queries: Queries) -> Iterator[Problem]:
    """A warning where short vectors are compared by containment.

    A segment has few of the terms that trimming leaves, and some long document contains them all.
    """
    is_trimmed = any(dictionary.trimmed for dictionary in queries.dictionaries)
    if queries.segment and is_trimmed and comparer.matcher.split("(")[0] == "containment":
        yield Problem(
            "warning",
            "saturated",
            "containment of segments over a trimmed dictionary scores up to 99 for unrelated "
            "documents; use idf-cosine, or a dictionary that is not trimmed",
        )


def _without_weights(queries: Queries) -> Iterator[Problem]:
    """A warning for each dictionary of one document: all terms of it are in all documents."""
    for dictionary in queries.dictionaries:
        if dictionary.documents == 1:
            name = shown(dictionary.name) or dictionary.guid
            yield Problem(
                "warning",
                "drift",
                f"dictionary {name} was made of a single document: it cannot tell common terms "
                "from rare ones, and unrelated documents score high; make it of many documents",
            )


@dataclass(frozen=True)
class _Compared:
    """A row without its chance, and what that follows from."""

    row: Row
    query: Fingerprint
    match: Match


def _compared(
    comparer: Comparer, pair: tuple[Fingerprint, Fingerprint], path: str, name: str
) -> _Compared:
    match = comparer.best(*pair)
    terms = comparer.shared_terms(*pair, match, comparer.explain) if comparer.explain else None
    similarity = None if match.similarity is None else float(match.similarity)
    reason = match.problem.message if match.problem else None
    query, candidate = (
        None if match.similarity is None else side.vectors[position].place
        for side, position in zip(pair, match.vectors, strict=True)
    )
    counts = (match.common, match.left, match.right)
    ranges = _range(candidate), _range(query)
    row = Row(match.score, similarity, path, name, *counts, reason, *ranges, terms)
    return _Compared(row, pair[0], match)


def _range(place: Place | None) -> str | None:
    return f"{place.offset}:{place.length}" if place else None


def _candidates(
    searched: Searched, comparer: Comparer, queries: Queries, run: Run, foreign: Foreign
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of everything that is searched, by path as in rows.

    Documents in another language than a dictionary are added to `foreign`. Raises MismatchError
    where there are only documents, and no query was made with a dictionary that they would have.
    """
    folders = searched.folders
    files, texts = _read_before(searched, queries)
    if files:
        contents = files.contents(run, files.documents if texts else ())
    else:
        contents = files_in(folders, run.reading, run.note)
    documents: list[Unread] = []
    count = len(searched.fingerprints)
    yield from searched.fingerprints
    for named in _fingerprint_files(contents, folders, run, documents):
        count += 1
        yield named
    number = len(documents) + len(searched.documents)
    problem = None if queries.dictionaries else _no_dictionary(searched, number, queries)
    if number and not count:
        _check_dictionaries(searched, comparer, queries, problem)
    if number and problem:
        run.note(problem)
        return
    if not texts:  # which have those in memory, too
        yield from _of_documents_in_memory(searched, queries)
    for path, candidate in _fingerprinted(documents, queries, texts, run, foreign):
        yield _shown_path(path, folders), candidate


def _of_documents_in_memory(
    searched: Searched, queries: Queries
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of the documents in memory that are searched, by name."""
    options = FingerprintOptions(queries.segment, whole=True)
    documents = [document for _, document in searched.documents]
    made = fingerprints_of_documents(documents, queries.dictionaries, options)
    names = (name for name, _ in searched.documents)
    yield from zip(names, made, strict=True)


def _check_dictionaries(
    searched: Searched, comparer: Comparer, queries: Queries, problem: Problem | None
) -> None:
    """Raise MismatchError if no query was made with one of the dictionaries for documents.

    The problem is that there is none.
    """
    if problem:
        raise MismatchError(problem.message)
    empty = fingerprint_of_document(Document.of(""), queries.dictionaries, FingerprintOptions())
    problems = [comparer.best(query, empty).problem for _, query in queries.fingerprints]
    if problems and all(each and each.category == "other-dictionary" for each in problems):
        why = problems[0].message if problems[0] else ""
        remedy = "name the one that the fingerprints were made with, or none if it is beside them"
        raise _nothing_comparable(searched.described, f"{why}, or {remedy}")


def _nothing_comparable(where: str, why: str) -> MismatchError:
    return MismatchError(f"nothing in {where} is comparable: {why}")


def _read_before(
    searched: Searched, queries: Queries
) -> tuple[FolderFiles | None, FolderTexts | None]:
    """The files that are searched and were read for the dictionary, and the texts, if they do."""
    default = queries.default
    if not default or not default.texts or default.texts.searched != searched:
        return None, None
    files, texts = default.texts.files, default.texts
    # Segments need the terms in their order, and another dictionary has other terms.
    is_enough = not queries.segment and texts.dictionary is default.dictionary
    return files, texts if is_enough else None


def _fingerprinted(
    documents: Sequence[Unread],
    queries: Queries,
    texts: FolderTexts | None,
    run: Run,
    foreign: Foreign,
) -> Iterator[tuple[Path | str, Fingerprint]]:
    """The fingerprints of the documents that were read for the dictionary, and of `documents`."""
    if texts:
        for problem in texts.problems:
            run.note(problem)
        for named in texts.fingerprints():
            yield named
            run.step(1, texts.documents, COMPARING)
    options = FingerprintOptions(queries.segment, whole=True)
    yield from fingerprints(documents, queries.dictionaries, run, options, foreign)


def _fingerprint_files(
    files: Iterable[Content], folders: Sequence[Path], run: Run, documents: list[Unread]
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints in those of `files` that hold some; adds documents to `documents`."""
    short = ShortFiles()
    for content in files:
        path = Path(content.path)
        try:
            kind = kind_of_file(content)
            if kind.startswith("fingerprint"):
                yield from named_fingerprints(content, _shown_path(path, folders))
            elif kind:
                run.note(skipped_artefact(path, kind))
            else:
                documents.append(short.kept(content).portable)
        except SdtextError as error:
            run.note(Problem.of(error, path))


def _no_dictionary(searched: Searched, number: int, queries: Queries) -> Problem:
    """The error about documents that cannot be compared; it names what the queries need."""
    references = (item for _, query in queries.fingerprints for item in query.dictionaries)
    wanted = " and ".join(dict.fromkeys(map(called, references)))
    own = f"or put the one that the fingerprints were made with, {wanted}, in their folder"
    documents = counted(number, "document" if searched.documents else "file")
    what = (
        f"{documents} not compared: there is no dictionary to fingerprint them with; "
        f"name one as dictionary{f', {own}' if wanted else ''}"
    )
    where = ", ".join(map(str, searched.folders))
    return Problem("error", "no-dictionary", f"{searched.described}: {what}", where, what)


def _shown_path(path: Path | str, folders: Sequence[Path]) -> str:
    """The path of a file in a row: relative to the folder, whole if there are several folders.

    The name of a document in memory stays as it is.
    """
    if isinstance(path, str):
        return path
    if len(folders) != 1:
        return path.as_posix()
    below = folders[0] in path.parents
    return path.relative_to(folders[0]).as_posix() if below else display_name(path)
