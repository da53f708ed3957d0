"""Which documents and fingerprints of a folder resemble a fingerprint."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sdtext.errors import MismatchError, SdtextError, UnreadableError, counted, shown
from sdtext.fingerprinting.build_dictionary import Run, passed_over
from sdtext.fingerprinting.compare import Comparer, other_engine
from sdtext.fingerprinting.fingerprint_documents import Making, fingerprints
from sdtext.fingerprinting.load_and_save import (
    OneOrMore,
    dictionaries_of,
    kind_of_file,
    named_fingerprints,
)
from sdtext.fingerprinting.queries import Queries, load_queries, segment_of
from sdtext.model import Fingerprint, Match, Place, Problem
from sdtext.reading.archive_paths import called, in_archive
from sdtext.reading.walk import documents_in


@dataclass(frozen=True)
class Row:
    """One candidate against one query; `score` and `similarity` are None with a `reason`.

    `segment` and `query_segment` say where the segments stand that match best, as OFFSET:LENGTH
    in code points of the text; None stands for the whole document.
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
    """All rows, best first, those that do not compare last; and how they came about."""

    matcher: str
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()

    def best(self, minimum: int | None = None, top: int | None = None) -> list[Row]:
        """The rows that score `minimum` (1 where not given) or more, at most `top` a query.

        Without a minimum, or with 0, those that do not compare come last.

        >>> dictionary = create_dictionary(samples, "configs/english.toml")
        >>> found = compare(samples / "union.txt", samples, dictionary=dictionary)
        >>> [row.path for row in found.best(minimum=20, top=5)]
        ['union.txt', 'union-edited.txt', 'union-excerpt.txt']
        """
        least = 1 if minimum is None else minimum
        counts: Counter[str] = Counter()
        kept = []
        for row in self.rows:
            wanted = not minimum if row.score is None else row.score >= least
            counts[row.fingerprint] += wanted
            if wanted and (top is None or counts[row.fingerprint] <= top):
                kept.append(row)
        return kept

    def check(self, folder: str | Path) -> None:
        """MismatchError where there are rows and none of them compares."""
        if self.rows and all(row.score is None for row in self.rows):
            reason = self.rows[0].reason
            raise MismatchError(f"nothing in {shown(folder)} is comparable: {reason}")


def compare(
    queries: Queries | Fingerprint | str | Path,
    folder: str | Path,
    matcher: str | None = None,
    dictionary: OneOrMore = None,
    run: Run | None = None,
) -> Comparison:
    """Every document, fingerprint file and container in `folder` against the queries.

    A query is a fingerprint or a file with one (or a document). Documents are compared as a whole
    and, where the query has segments, in segments. Paths in the rows are relative to the folder.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> found = compare(samples / "union.txt", samples, dictionary=dictionary)
    >>> [(row.score, row.path) for row in found.rows[:2]]
    [(99, 'union.txt'), (66, 'union-edited.txt')]
    """
    run = run or Run(problems=[])
    dictionaries = dictionaries_of(dictionary)
    if isinstance(queries, Fingerprint):
        queries = Queries((("query", queries),), tuple(dictionaries), segment_of([queries]))
    elif not isinstance(queries, Queries):
        queries = load_queries([queries], dictionaries, run)
    return compare_by(queries.comparer(matcher), queries, folder, run)


def compare_by(comparer: Comparer, queries: Queries, folder: str | Path, run: Run) -> Comparison:
    """As `compare`, by a comparer made beforehand."""
    if not os.path.lexists(folder) and not in_archive(Path(folder)):
        raise UnreadableError(f"{shown(folder)}: no such file or folder")
    rows = []
    cautions: dict[str, Problem] = {}
    for path, candidate in _candidates(Path(folder), queries, run):
        for name, fingerprint in queries.found:
            rows.append(
                _row(comparer.best(fingerprint, candidate), (fingerprint, candidate), path, name)
            )
            if caution := other_engine(fingerprint, candidate):
                cautions.setdefault(caution.message, caution)
    for caution in cautions.values():
        run.note(caution)
    rows.sort(key=lambda row: (row.score is None, -(row.score or 0), row.path, row.fingerprint))
    return Comparison(comparer.matcher, tuple(rows), tuple(run.problems or ()))


def _row(match: Match, pair: tuple[Fingerprint, Fingerprint], path: str, name: str) -> Row:
    similarity = None if match.similarity is None else float(match.similarity)
    why = match.problem.message if match.problem else None
    query, found = (
        one.vectors[place].place if match.similarity else None
        for one, place in zip(pair, match.vectors, strict=True)
    )
    counts = (match.common, match.left, match.right)
    return Row(match.score, similarity, path, name, *counts, why, _spelled(found), _spelled(query))


def _spelled(place: Place | None) -> str | None:
    return f"{place.offset}:{place.length}" if place else None


def _candidates(folder: Path, queries: Queries, run: Run) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of all there is in `folder`, by their paths relative to it."""
    documents: list[Path] = []
    found = 0
    for item in _fingerprint_files(folder, run, documents):
        found += 1
        yield item
    if documents and not queries.dictionaries:
        problem = _no_dictionary(folder, len(documents))
        if not found:
            raise MismatchError(problem.message)
        run.note(problem)
        return
    making = Making(queries.segment, whole=True)
    for path, fingerprint in fingerprints(documents, queries.dictionaries, run, making):
        yield _relative(path, folder), fingerprint


def _fingerprint_files(
    folder: Path, run: Run, documents: list[Path]
) -> Iterator[tuple[str, Fingerprint]]:
    """What the fingerprint files in `folder` hold; adds the documents met to `documents`."""
    limit = run.reading.max_bytes
    for path in documents_in(folder, run.reading, run.note):
        try:
            kind = kind_of_file(path, limit)
            if kind.startswith("fingerprint"):
                yield from named_fingerprints(path, _relative(path, folder), limit)
            elif kind:
                run.note(passed_over(path, kind))
            else:
                documents.append(path)
        except SdtextError as error:
            run.note(Problem.of(error, path))


def _no_dictionary(folder: Path, number: int) -> Problem:
    message = (
        f"{shown(folder)}: {counted(number, 'document')} not compared: no dictionary is at hand to "
        "fingerprint them; name one with -d"
    )
    return Problem("error", "no-dictionary", message, str(folder))


def _relative(path: Path, folder: Path) -> str:
    below = folder in path.parents
    return path.relative_to(folder).as_posix() if below else called(path)
