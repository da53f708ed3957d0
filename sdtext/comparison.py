"""Which documents and fingerprints of a folder resemble a fingerprint."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sdtext.artefacts import embedded_dictionary, kind_of_file, load_dictionary, load_fingerprints
from sdtext.comparer import MIN_TERMS, Comparer, default_matcher
from sdtext.corpus import Run, because, passed_over, walk
from sdtext.dictionary import Dictionary
from sdtext.errors import (
    FormatError,
    MismatchError,
    SdtextError,
    UnreadableError,
    counted,
    shown,
)
from sdtext.fingerprinting import fingerprints
from sdtext.model import Fingerprint, Match, Problem


@dataclass(frozen=True)
class Row:
    """One candidate against one query; `score` and `similarity` are None with a `reason`."""

    score: int | None
    similarity: float | None
    path: str
    fingerprint: str
    common: int
    a: int
    b: int
    reason: str | None = None


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


@dataclass(frozen=True)
class Queries:
    """What is looked for: fingerprints by name, and the dictionaries that came with them."""

    found: tuple[tuple[str, Fingerprint], ...]
    dictionaries: tuple[Dictionary, ...] = ()

    def comparer(self, matcher: str | None = None, min_terms: int = MIN_TERMS) -> Comparer:
        """What compares them: by `matcher`, else by the one that their dictionaries allow."""
        name = matcher or default_matcher(self.dictionaries)
        return Comparer(name, self.dictionaries, min_terms)


def load_queries(files: Sequence[str | Path], dictionary: Dictionary | None, run: Run) -> Queries:
    """The fingerprints in `files`; a plain document is fingerprinted on the way.

    The dictionary is the one given, else those inside the files. A file that cannot be read is
    a problem; so is a document when no dictionary is at hand.
    """
    gathered = _Gathered(run, {dictionary.digest: dictionary} if dictionary else {})
    wants_embedded = dictionary is None
    errors = {
        path: error
        for path in map(Path, files)
        if (error := gathered.take(path, wants_embedded=wants_embedded))
    }
    for path, error in errors.items():
        run.note(Problem("error", _category(error), str(error), str(path)))
    if errors and not gathered.found and not gathered.documents:
        raise next(iter(errors.values()))
    return gathered.queries()


@dataclass
class _Gathered:
    """What the files of queries have held so far: fingerprints, documents, dictionaries."""

    run: Run
    dictionaries: dict[str, Dictionary]
    found: list[tuple[str, Fingerprint]] = field(default_factory=list)
    documents: list[Path] = field(default_factory=list)

    def take(self, path: Path, *, wants_embedded: bool) -> SdtextError | None:
        """Add what the file at `path` holds; the error if it is not usable."""
        try:
            kind = kind_of_file(path, self.run.reading.max_bytes)
            if not kind:
                self.documents.append(path)
            elif kind.startswith("fingerprint"):
                self.found += _in_file(path, str(path), kind, self.run)
                limit = self.run.reading.max_bytes
                if embedded := embedded_dictionary(path, limit) if wants_embedded else None:
                    self.dictionaries.setdefault(embedded.digest, embedded)
            else:
                return UnreadableError(
                    f"{shown(path)}: is a <{kind}> file, not a fingerprint; a dictionary goes "
                    "behind -d"
                )
        except SdtextError as error:
            return error
        return None

    def queries(self) -> Queries:
        """All of it, the documents fingerprinted."""
        dictionaries = tuple(self.dictionaries.values())
        if self.documents and not dictionaries:
            raise MismatchError(
                f"{shown(self.documents[0])}: is a document, and no dictionary is at hand to "
                "fingerprint it; name one with -d"
            )
        made = fingerprints(self.documents, dictionaries, self.run)
        found = (*self.found, *((str(path), fingerprint) for path, fingerprint in made))
        if not found:
            raise UnreadableError(because(self.run, "there is nothing to compare"))
        return Queries(found, dictionaries)


def _category(error: SdtextError) -> str:
    return "damaged" if isinstance(error, FormatError) else "unreadable"


def compare(
    queries: Queries | Fingerprint | str | Path,
    folder: str | Path,
    matcher: str | None = None,
    dictionary: Dictionary | str | Path | None = None,
    run: Run | None = None,
) -> Comparison:
    """Every document, fingerprint file and container in `folder` against the queries.

    A query is a fingerprint or a file with one (or a document). Paths in the rows are relative
    to the folder.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> found = compare(samples / "union.txt", samples, dictionary=dictionary)
    >>> [(row.score, row.path) for row in found.rows[:2]]
    [(99, 'union.txt'), (66, 'union-edited.txt')]
    """
    run = run or Run(problems=[])
    if isinstance(dictionary, str | Path):
        dictionary = load_dictionary(dictionary)
    if isinstance(queries, Fingerprint):
        queries = Queries((("query", queries),), (dictionary,) if dictionary else ())
    elif not isinstance(queries, Queries):
        queries = load_queries([queries], dictionary, run)
    return compare_by(queries.comparer(matcher), queries, folder, run)


def compare_by(comparer: Comparer, queries: Queries, folder: str | Path, run: Run) -> Comparison:
    """As `compare`, by a comparer made beforehand."""
    if not os.path.lexists(folder):
        raise UnreadableError(f"{shown(folder)}: no such file or folder")
    rows = [
        _row(comparer.best(fingerprint, candidate), path, name)
        for path, candidate in _candidates(Path(folder), queries.dictionaries, run)
        for name, fingerprint in queries.found
    ]
    rows.sort(key=lambda row: (row.score is None, -(row.score or 0), row.path, row.fingerprint))
    return Comparison(comparer.matcher, tuple(rows), tuple(run.problems or ()))


def _row(match: Match, path: str, name: str) -> Row:
    similarity = None if match.similarity is None else float(match.similarity)
    why = match.problem.message if match.problem else None
    return Row(match.score, similarity, path, name, match.common, match.left, match.right, why)


def _candidates(
    folder: Path, dictionaries: Sequence[Dictionary], run: Run
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of all there is in `folder`, by their paths relative to it."""
    documents: list[Path] = []
    found = 0
    for item in _fingerprint_files(folder, run, documents):
        found += 1
        yield item
    if documents and not dictionaries:
        problem = _no_dictionary(folder, len(documents))
        if not found:
            raise MismatchError(problem.message)
        run.note(problem)
        return
    for path, fingerprint in fingerprints(documents, dictionaries, run):
        yield _relative(path, folder), fingerprint


def _fingerprint_files(
    folder: Path, run: Run, documents: list[Path]
) -> Iterator[tuple[str, Fingerprint]]:
    """What the fingerprint files in `folder` hold; adds the documents met to `documents`."""
    for path in walk(folder, run.note):
        try:
            kind = kind_of_file(path, run.reading.max_bytes)
            if kind.startswith("fingerprint"):
                yield from _in_file(path, _relative(path, folder), kind, run)
            elif kind:
                run.note(passed_over(path, kind))
            else:
                documents.append(path)
        except SdtextError as error:
            run.note(Problem("error", _category(error), str(error), str(path)))


def _in_file(path: Path, name: str, kind: str, run: Run) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of a file by name: its own, with #GUID or #place in a container."""
    for place, item in enumerate(load_fingerprints(path, run.reading.max_bytes), 1):
        yield (name if kind == "fingerprint" else f"{name}#{item.origin.guid or place}"), item


def _no_dictionary(folder: Path, number: int) -> Problem:
    message = (
        f"{shown(folder)}: {counted(number, 'document')} not compared: no dictionary is at hand to "
        "fingerprint them; name one with -d"
    )
    return Problem("error", "no-dictionary", message, str(folder))


def _relative(path: Path, folder: Path) -> str:
    return path.name if path == folder else path.relative_to(folder).as_posix()
