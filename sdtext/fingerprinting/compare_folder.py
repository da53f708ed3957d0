"""Compare fingerprints (the queries) with all documents and fingerprint files in folders."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sdtext.errors import MismatchError, SdtextError, UnreadableError, counted, shown
from sdtext.fingerprinting.compare import Comparer, default_matcher, other_engine
from sdtext.fingerprinting.fingerprint_documents import FingerprintOptions, fingerprints
from sdtext.fingerprinting.load_and_save import (
    OneOrMore,
    dictionaries_of,
    kind_of_file,
    named_fingerprints,
    read_fingerprint_file,
)
from sdtext.io.content import Content
from sdtext.model import Fingerprint, Match, Place, Problem
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.archive_paths import display_name, in_archive
from sdtext.reading.batches import Run, nothing_left, skipped_artefact
from sdtext.reading.walk import Paths, expanded_files, files_in, path_list

_MIN_SEGMENT = 50  # terms


@dataclass(frozen=True)
class Row:
    """One candidate against one query; `score` and `similarity` are None with a `reason`.

    `segment` and `query_segment` locate the best matching segments, as OFFSET:LENGTH in code
    points of the text; None stands for the whole document.
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


@dataclass(frozen=True)
class Comparison:
    """The result: all rows, best first, those that are not comparable last."""

    matcher: str
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()

    def best(self, minimum: int | None = None, top: int | None = None) -> list[Row]:
        """The rows that score `minimum` (default 1) or more, at most `top` for each query.

        Without a minimum, or with 0, rows that are not comparable come last.

        >>> dictionary = create_dictionary(samples, "configs/english.toml")
        >>> comparison = compare(samples / "union.txt", samples, dictionary=dictionary)
        >>> [row.path for row in comparison.best(minimum=20, top=5)]
        ['union.txt', 'union-edited.txt', 'union-excerpt.txt']
        """
        least = 1 if minimum is None else minimum
        counts: Counter[str] = Counter()
        rows = []
        for row in self.rows:
            wanted = not minimum if row.score is None else row.score >= least
            counts[row.fingerprint] += wanted
            if wanted and (top is None or counts[row.fingerprint] <= top):
                rows.append(row)
        return rows

    def check(self, folders: Paths) -> None:
        """Raise MismatchError if there are rows and none of them is comparable."""
        if self.rows and all(row.score is None for row in self.rows):
            reason = self.rows[0].reason
            raise MismatchError(f"nothing in {_listed(path_list(folders))} is comparable: {reason}")


@dataclass(frozen=True)
class Queries:
    """What to search for: fingerprints by name, and the dictionaries that came with them.

    With `segment`, documents are compared as a whole and segment by segment.
    """

    fingerprints: tuple[tuple[str, Fingerprint], ...]
    dictionaries: tuple[Dictionary, ...] = ()
    segment: Segment | None = None

    def comparer(self, matcher: str | None = None, min_terms: int = MIN_TERMS) -> Comparer:
        """The comparer for them: by `matcher`, else by the default for their dictionaries."""
        name = matcher or default_matcher(self.dictionaries)
        return Comparer(name, self.dictionaries, min_terms)


def compare(
    queries: Queries | Fingerprint | str | Path,
    folder: Paths,
    matcher: str | None = None,
    dictionary: OneOrMore = None,
    run: Run | None = None,
) -> Comparison:
    """Compare every document, fingerprint file and container in `folder` with the queries.

    A query is a fingerprint, a file with fingerprints, or a document. Documents are compared as a
    whole and, where the query has segments, by segment. Paths in rows are relative to the folder;
    if several folders are given, they begin with the folder as it is given.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> comparison = compare(samples / "union.txt", samples, dictionary=dictionary)
    >>> [(row.score, row.path) for row in comparison.rows[:2]]
    [(99, 'union.txt'), (66, 'union-edited.txt')]
    """
    run = run or Run(problems=[])
    dictionaries = dictionaries_of(dictionary)
    if isinstance(queries, Fingerprint):
        queries = Queries((("query", queries),), tuple(dictionaries), segment_of([queries]))
    elif not isinstance(queries, Queries):
        queries = load_queries([queries], dictionaries, run)
    return compare_by(queries.comparer(matcher), queries, folder, run)


def compare_by(comparer: Comparer, queries: Queries, folder: Paths, run: Run) -> Comparison:
    """`compare` with a given comparer.

    Raises UnreadableError if the only folder is missing; one of several is a problem.
    """
    folders = path_list(folder)
    for only in folders if len(folders) == 1 else ():
        if not os.path.lexists(only) and not in_archive(only):
            raise UnreadableError("no such file or folder", file=only)
    rows = []
    warnings: dict[str, Problem] = {}
    for path, candidate in _candidates(folders, queries, run):
        for name, query in queries.fingerprints:
            rows.append(_row(comparer.best(query, candidate), (query, candidate), path, name))
            if warning := other_engine(query, candidate):
                warnings.setdefault(warning.message, warning)
    for warning in warnings.values():
        run.note(warning)
    rows.sort(key=lambda row: (row.score is None, -(row.score or 0), row.path, row.fingerprint))
    return Comparison(comparer.matcher, tuple(rows), tuple(run.problems or ()))


def _row(match: Match, pair: tuple[Fingerprint, Fingerprint], path: str, name: str) -> Row:
    similarity = None if match.similarity is None else float(match.similarity)
    reason = match.problem.message if match.problem else None
    query, candidate = (
        side.vectors[position].place if match.similarity else None
        for side, position in zip(pair, match.vectors, strict=True)
    )
    counts = (match.common, match.left, match.right)
    return Row(
        match.score, similarity, path, name, *counts, reason, _range(candidate), _range(query)
    )


def _range(place: Place | None) -> str | None:
    return f"{place.offset}:{place.length}" if place else None


def load_queries(
    files: Sequence[str | Path],
    dictionaries: Sequence[Dictionary],
    run: Run,
    segment: Segment | None = None,
) -> Queries:
    """The fingerprints in `files`; a plain document is fingerprinted on the way.

    The dictionaries are those given, else those inside the files; `segment` is the one given,
    else that of the first fingerprint that has segments. A file that cannot be read is a problem
    of the run. Raises MismatchError for a document without a dictionary, UnreadableError if
    nothing can be read.
    """
    inputs = _QueryFiles(run, {item.digest: item for item in dictionaries})
    errors = {
        Path(content.path): error
        for content in expanded_files(files, run.reading, run.note)
        if (error := inputs.add(content, with_dictionaries=not dictionaries))
    }
    for path, error in errors.items():
        run.note(Problem.of(error, path))
    if errors and not inputs.fingerprints and not inputs.documents:
        raise next(iter(errors.values()))
    return inputs.queries(segment)


@dataclass
class _QueryFiles:
    """What the files of queries hold: fingerprints, documents, dictionaries by digest."""

    run: Run
    dictionaries: dict[str, Dictionary]
    fingerprints: list[tuple[str, Fingerprint]] = field(default_factory=list)
    documents: list[Path] = field(default_factory=list)

    def add(self, content: Content, *, with_dictionaries: bool) -> SdtextError | None:
        """Add what the file holds; the error if it is not usable."""
        path = Path(content.path)
        try:
            kind = kind_of_file(content)
            if not kind:
                self.documents.append(path)
            elif kind.startswith("fingerprint"):
                embedded = []
                for item in read_fingerprint_file(content, str(path)):
                    if isinstance(item, Dictionary):
                        embedded.append(item)
                    else:
                        self.fingerprints.append(item)
                # A damaged file gives its intact fingerprints, but no dictionary.
                for dictionary in embedded if with_dictionaries else ():
                    self.dictionaries.setdefault(dictionary.digest, dictionary)
            else:
                return UnreadableError(
                    f"is a <{kind}> file, not a fingerprint; name a dictionary with -d",
                    file=path,
                )
        except SdtextError as error:
            return error
        return None

    def queries(self, segment: Segment | None) -> Queries:
        """All of it, the documents fingerprinted."""
        dictionaries = tuple(self.dictionaries.values())
        if self.documents and not dictionaries:
            raise MismatchError(
                "is a document, and there is no dictionary to fingerprint it with; name one "
                "with -d",
                file=self.documents[0],
            )
        segment = segment or segment_of(query for _, query in self.fingerprints)
        fingerprinted = fingerprints(
            self.documents, dictionaries, self.run, FingerprintOptions(segment, whole=True)
        )
        queries = (*self.fingerprints, *((str(path), query) for path, query in fingerprinted))
        if not queries:
            raise nothing_left(self.run, "there is nothing to compare")
        return Queries(queries, dictionaries, segment)


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


def _candidates(
    folders: Sequence[Path], queries: Queries, run: Run
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of everything in `folders`, by path as in rows."""
    documents: list[Path] = []
    count = 0
    for named in _fingerprint_files(folders, run, documents):
        count += 1
        yield named
    if documents and not queries.dictionaries:
        problem = _no_dictionary(folders, len(documents))
        if not count:
            raise MismatchError(problem.message)
        run.note(problem)
        return
    options = FingerprintOptions(queries.segment, whole=True)
    for path, candidate in fingerprints(documents, queries.dictionaries, run, options):
        yield _shown_path(path, folders), candidate


def _fingerprint_files(
    folders: Sequence[Path], run: Run, documents: list[Path]
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints in the fingerprint files of `folders`; adds its documents to `documents`."""
    for content in files_in(folders, run.reading, run.note):
        path = Path(content.path)
        try:
            kind = kind_of_file(content)
            if kind.startswith("fingerprint"):
                yield from named_fingerprints(content, _shown_path(path, folders))
            elif kind:
                run.note(skipped_artefact(path, kind))
            else:
                documents.append(path)
        except SdtextError as error:
            run.note(Problem.of(error, path))


def _no_dictionary(folders: Sequence[Path], number: int) -> Problem:
    what = (
        f"{counted(number, 'document')} not compared: there is no dictionary to fingerprint them "
        "with; name one with -d"
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
