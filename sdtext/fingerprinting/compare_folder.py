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
    OF_SIMILARITY,
    MismatchError,
    NotTextError,
    OptionError,
    SdtextError,
    UnreadableError,
    check_count,
    check_options,
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
)
from sdtext.fingerprinting.fingerprint_documents import (
    FingerprintOptions,
    Foreign,
    fingerprint_of_document,
    fingerprints,
)
from sdtext.fingerprinting.folder_dictionary import (
    DefaultDictionary,
    FolderFiles,
    FolderTexts,
    check_folder,
)
from sdtext.fingerprinting.load_and_save import (
    OneOrMore,
    dictionaries_of,
    kind_of_file,
    named_fingerprints,
)
from sdtext.fingerprinting.pair_selection import PairSelection, QueryPair, Tally, Wanted
from sdtext.fingerprinting.query_files import Queries, load_queries, segment_of
from sdtext.io.decompressed_content import Content
from sdtext.model import Fingerprint, Match, Place, Problem, SharedTerm
from sdtext.model.calibration import DOCUMENTS, SEGMENTS, Calibration, Chance
from sdtext.model.displayed_results import ShortFields, html_table, shorten_tuples
from sdtext.model.matches import MIN_TERMS
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

    def __post_init__(self) -> None:
        if self.shared_terms:
            shorten_tuples(self, "shared_terms")

    def reaches(self, minimum: int | Calibration) -> bool:
        """Whether the row has that score or more, or one that a calibration recommends."""
        if isinstance(minimum, Calibration):
            return minimum.is_recommended(self.score, self.a, self.b)
        return self.score is not None and self.score >= minimum


@dataclass(frozen=True)
class Comparison:
    """The result: all rows, best first, those that are not comparable last.

    `left_out` counts the files that were among the queries and in the folder, and were not compared
    with themselves. `tally` counts all pairs, also those without a row, where rows were selected;
    `queries` and `documents` count what was compared with what.
    """

    matcher: str
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()
    left_out: int = 0
    tally: Tally = field(default_factory=Tally)
    queries: int = 0
    documents: int = 0

    def __post_init__(self) -> None:
        shorten_tuples(self, "rows", "problems")

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
        not_comparable: bool | None = None,
    ) -> list[Row]:
        """The rows that score `minimum` (default 1) or more, at most `top` for each query.

        A calibration as the minimum stands for the scores that it recommends for the sizes of rows.
        Those that are not comparable come last, if they are wanted: by default without a minimum,
        or with 0.

        >>> dictionary = create_dictionary(samples, "english")
        >>> comparison = compare(samples / "union.txt", samples, dictionary=dictionary)
        >>> [row.path for row in comparison.best(minimum=5, top=5)]
        ['union-edited.txt', 'union-excerpt.txt']
        """
        is_score = isinstance(minimum, int) and 0 <= minimum <= 99
        if not (minimum is None or isinstance(minimum, Calibration) or is_score):
            allowed = "a score, a whole number from 0 to 99, or a calibration"
            raise OptionError.of("best", "minimum", minimum, allowed)
        least = 1 if minimum is None else minimum
        unscored = not minimum if not_comparable is None else not_comparable
        counts: Counter[str] = Counter()
        rows = []
        for row in self.rows:
            wanted = unscored if row.score is None else row.reaches(least)
            counts[row.fingerprint] += wanted
            if wanted and (top is None or counts[row.fingerprint] <= top):
                rows.append(row)
        return rows

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
        if not compared and self.left_out:
            where = _listed(path_list(folders))
            raise UnreadableError(f"{where}: there is nothing to compare but the file itself")
        if not (compared or any(problem.severity == "error" for problem in self.problems)):
            raise UnreadableError(f"nothing in {_listed(path_list(folders))} holds text")
        if compared and not self.tally.scored.total():
            why = self.tally.first_reason or ""
            if default and why.startswith(OTHER_DICTIONARIES):
                why += ", or name the second one as dictionary"
            raise _nothing_comparable(path_list(folders), why)


class ComparisonOptions(TypedDict, total=False):
    """Further options of a comparison with a folder.

    `min_terms` is the minimum number of terms on each side for a score; `segment` ("1000/500")
    compares documents segment by segment, too; `explain` is the number of shared terms that each
    row gets, those that weigh most. With the `index` "scan" every pair of segments is scored.
    """

    min_terms: int
    segment: Segment | str
    explain: int
    index: str


_FOLDER = "the path of a folder or file, or several; score() takes two documents"


@naming_arguments
def compare(
    queries: Queries | Fingerprint | Document | str | Path,
    folder: Paths,
    matcher: str | None = None,
    dictionary: OneOrMore = None,
    run: Run | None = None,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Compare every document, fingerprint file and container in `folder` with the queries.

    A query is a fingerprint, a document in memory, a file with either, or a folder of such files.
    Documents are compared as a whole and, where the query has segments, by segment. A document
    without a dictionary is compared with the whole dictionary of the folder; with fewer than 8
    documents in it, with the one that comes with sdtext for its language. Paths in rows are
    relative to the folder; if several folders are given, they begin with the folder as it is given.
    A file of the folder that is a query is not compared with itself. The options are those of
    `ComparisonOptions`: with `explain`, rows have `shared_terms`.

    >>> dictionary = create_dictionary(samples, "english")
    >>> comparison = compare(samples / "union.txt", samples, dictionary=dictionary)
    >>> [(row.score, row.path) for row in comparison.rows[:2]]
    [(45, 'union-edited.txt'), (9, 'union-excerpt.txt')]
    """
    _check_options(options)
    check_type("compare", "run", run, (Run, type(None)), "an sdtext.Run")
    for name in ("min_terms", "explain"):
        check_count("compare", name, options.get(name, 0))
    run = run or Run(problems=[])
    if not isinstance(queries, Queries | Fingerprint | Document):
        wanted = "a fingerprint, an sdtext.Document or the path of a file"
        check_type("compare", "queries", queries, (str, PathLike), wanted)
    for item in folder if isinstance(folder, list | tuple) else [folder]:
        check_type("compare", "folder", item, (str, PathLike), _FOLDER)
    dictionaries = dictionaries_of(dictionary)
    given = options.get("segment")
    segment = Segment.parse(given) if isinstance(given, str) else given
    if isinstance(queries, Fingerprint):
        segment = segment or segment_of([queries])
        known = tuple(dictionaries) or queries.with_dictionaries
        queries = Queries((("query", queries),), known, segment)
    elif not isinstance(queries, Queries):
        queries = load_queries([queries], dictionaries, run, segment, folder)
    limits = options.get("min_terms", MIN_TERMS), options.get("explain", 0)
    comparer = queries.comparer(matcher, *limits, options.get("index", COLUMNS))
    return compare_by(comparer, queries, folder, run)


def _check_options(options: Mapping[str, object]) -> None:
    """OptionError for an option that `compare` does not have; a minimum is one of `best`."""
    if word := next(filter(OF_SIMILARITY.__contains__, options), ""):
        what = f"there is no option {word!r}; use .best(minimum=80) of the result, from 0 to 99"
        raise OptionError(what, place="compare")
    known = ("matcher", "dictionary", "run", *ComparisonOptions.__annotations__)
    check_options("compare", options, known)


def compare_by(
    comparer: Comparer,
    queries: Queries,
    folder: Paths,
    run: Run,
    wanted: Wanted = EVERY_PAIR,
) -> Comparison:
    """`compare` with a given comparer, of which the wanted pairs become rows.

    Raises UnreadableError if the only folder is missing; one of several is a problem.
    """
    folders = path_list(folder)
    check_folder(folders)
    unfit = (*_saturated(comparer, queries), *_without_weights(queries))
    warnings = {problem.message: problem for problem in unfit}
    own = _SameFile.of(queries, folders)
    selection = PairSelection(comparer, queries.fingerprints, wanted, own)
    rows = _WantedRows(selection)
    foreign = [*queries.foreign]
    documents = _candidates(folders, comparer, queries, run, foreign)
    candidates = _with_warnings(documents, queries, warnings)
    for pair in selection.pairs(candidates):
        rows.add(pair)
    for problem in (*in_other_languages(dict.fromkeys(foreign)), *warnings.values()):
        run.note(problem)
    listed = rows.sorted({str(path) for path, _ in queries.foreign})
    problems = dict.fromkeys(run.problems or ())  # a query may be a candidate, too
    counts = len(queries.fingerprints), selection.documents
    return Comparison(
        comparer.matcher, listed, tuple(problems), selection.left_out, selection.tally, *counts
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
    named itself in place of a folder is compared with any query.
    """

    names: Sequence[str]
    paths: Mapping[str, str]
    folder: Path

    @classmethod
    def of(cls, queries: Queries, folders: Sequence[Path]) -> _SameFile:
        paths = {name: os.path.realpath(name) for name in queries.files}
        named = {os.path.realpath(folder) for folder in folders}
        paths = {name: path for name, path in paths.items() if path not in named}
        names = [name for name, _ in queries.fingerprints]
        return cls(names, paths, folders[0] if len(folders) == 1 else Path())

    def __call__(self, path: str) -> Sequence[int]:
        """The numbers of the queries that are the document at a path."""
        tail = path.rpartition("/")[2]
        if f"{tail}\n" not in self._joined:  # the real path takes time
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
    folders: Sequence[Path], comparer: Comparer, queries: Queries, run: Run, foreign: Foreign
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of everything in `folders`, by path as in rows.

    Documents in another language than a dictionary are added to `foreign`. Raises MismatchError
    where there are only documents, and no query was made with a dictionary that they would have.
    """
    files, texts = _read_before(folders, queries)
    if files:
        contents = files.contents(run, files.documents if texts else ())
    else:
        contents = files_in(folders, run.reading, run.note)
    documents: list[Unread] = []
    count = 0
    for named in _fingerprint_files(contents, folders, run, documents):
        count += 1
        yield named
    if documents and not queries.dictionaries:
        problem = _no_dictionary(folders, len(documents), queries)
        if not count:
            raise MismatchError(problem.message)
        run.note(problem)
        return
    if documents and not count:
        _check_dictionaries(folders, comparer, queries)
    for path, candidate in _fingerprinted(documents, queries, texts, run, foreign):
        yield _shown_path(path, folders), candidate


def _check_dictionaries(folders: Sequence[Path], comparer: Comparer, queries: Queries) -> None:
    """Raise MismatchError if no query was made with one of the dictionaries for documents."""
    empty = fingerprint_of_document(Document.of(""), queries.dictionaries, FingerprintOptions())
    problems = [comparer.best(query, empty).problem for _, query in queries.fingerprints]
    if problems and all(each and each.category == "other-dictionary" for each in problems):
        why = problems[0].message if problems[0] else ""
        remedy = "name the one that the fingerprints were made with, or none if it is beside them"
        raise _nothing_comparable(folders, f"{why}, or {remedy}")


def _nothing_comparable(folders: Sequence[Path], why: str) -> MismatchError:
    return MismatchError(f"nothing in {_listed(folders)} is comparable: {why}")


def _read_before(
    folders: Sequence[Path], queries: Queries
) -> tuple[FolderFiles | None, FolderTexts | None]:
    """The files of these folders that were read for the dictionary, and the texts, if they do."""
    default = queries.default
    if not default or not default.texts or default.texts.files.folders != folders:
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
) -> Iterator[tuple[Path, Fingerprint]]:
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


def _no_dictionary(folders: Sequence[Path], number: int, queries: Queries) -> Problem:
    """The error about documents that cannot be compared; it names what the queries need."""
    references = (item for _, query in queries.fingerprints for item in query.dictionaries)
    wanted = " and ".join(dict.fromkeys(map(called, references)))
    own = f"or put the one that the fingerprints were made with, {wanted}, in their folder"
    what = (
        f"{counted(number, 'file')} not compared: there is no dictionary to fingerprint them with; "
        f"name one as dictionary{f', {own}' if wanted else ''}"
    )
    where = ", ".join(map(str, folders))
    return Problem("error", "no-dictionary", f"{_listed(folders)}: {what}", where, what)


def _listed(folders: Sequence[Path]) -> str:
    return ", ".join(map(shown, folders))


def _shown_path(path: Path, folders: Sequence[Path]) -> str:
    """The path of a file in a row: relative to the folder, whole if there are several folders."""
    if len(folders) != 1:
        return path.as_posix()
    below = folders[0] in path.parents
    return path.relative_to(folders[0]).as_posix() if below else display_name(path)
