"""How alike two fingerprints are, and which of many resemble one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from sdtext.artefacts import embedded_dictionary, kind_of_file, load_fingerprints
from sdtext.corpus import Run, fingerprints, walk
from sdtext.dictionary import Dictionary
from sdtext.errors import FormatError, MismatchError, SdtextError, shown
from sdtext.kernels.bits import Weights, both
from sdtext.model import DictionaryReference, Fingerprint, Match, Problem, Similarity, Vector
from sdtext.parts import build, parse

MIN_TERMS = 8
"""With fewer terms than this on a side, a score means nothing (unless all terms are equal)."""


@dataclass(frozen=True)
class Comparer:
    """Compares fingerprints by a matcher, which `matcher` spells: `name` or `name(option=…)`.

    `dictionaries` are those at hand: a matcher that weighs terms needs the one that the vectors
    were made with. Two vectors are not comparable, which a Match then says in its problem, when
    they come from other fingerprinters or dictionaries, or when one has fewer than `min_terms`
    terms; equal vectors are as alike as can be under any symmetric matcher.
    """

    matcher: str = "cosine"
    dictionaries: tuple[Dictionary, ...] = ()
    min_terms: int = MIN_TERMS

    @cached_property
    def part(self) -> Any:
        """The matcher itself."""
        return build("matchers", parse(self.matcher))

    def best(self, left: Fingerprint, right: Fingerprint) -> Match:
        """The match of the pair of vectors that are most alike; a problem if none compare."""
        return max(self.pairs(left, right), key=_likeness)

    def pairs(self, left: Fingerprint, right: Fingerprint) -> list[Match]:
        """The match of each vector of the one with each of the other."""
        places = product(range(len(left.vectors)), range(len(right.vectors)))
        return [self._match(left, right, pair) for pair in places]

    def _match(self, left: Fingerprint, right: Fingerprint, pair: tuple[int, int]) -> Match:
        one, other = left.vectors[pair[0]], right.vectors[pair[1]]
        problem = _unlike(left, one, right, other)
        if problem:
            return Match(None, 0, one.count, other.count, problem, pair)
        common = (one.number & other.number).bit_count()
        counts = (common, one.count, other.count)
        if one.packed == other.packed and one.count and self.part.symmetric:
            return Match(Similarity(1, 1), *counts, vectors=pair)
        if min(one.count, other.count) < self.min_terms:
            problem = Problem(
                "warning",
                "too-few-terms",
                f"only {min(one.count, other.count)} terms of the dictionary on one side; a score "
                f"needs {self.min_terms} (--min-terms)",
            )
            return Match(None, *counts, problem=problem, vectors=pair)
        sums = self._sums(left.reference(one).digest, one, other) or counts
        if not sums[1] or not sums[2]:
            problem = Problem("warning", "no-weight", "all terms of one side weigh nothing")
            return Match(None, *counts, problem=problem, vectors=pair)
        return Match(self.part(*sums), *counts, vectors=pair)

    def _sums(self, digest: str, one: Vector, other: Vector) -> tuple[int, int, int] | None:
        """The weights summed over the common terms and each side's; None where each counts 1."""
        if digest not in self._weights:
            known = next((item for item in self.dictionaries if item.digest == digest), None)
            numbers = self.part.weights(known)
            self._weights[digest] = Weights.of(numbers) if numbers is not None else None
        weights = self._weights[digest]
        if weights is None:
            return None
        common = both(one.packed, other.packed)
        return weights.total(common), weights.total(one.packed), weights.total(other.packed)

    @cached_property
    def _weights(self) -> dict[str, Weights | None]:
        """The weights of each dictionary met so far, by its digest."""
        return {}


def _likeness(match: Match) -> float:
    return -1.0 if match.similarity is None else float(match.similarity)


def _unlike(left: Fingerprint, one: Vector, right: Fingerprint, other: Vector) -> Problem | None:
    """Why two vectors cannot be compared at all, None if they can."""
    if left.kind != right.kind:
        message = f"made by other fingerprinters: {left.kind} and {right.kind}"
        return Problem("error", "other-fingerprinter", message)
    made, other_made = left.reference(one), right.reference(other)
    if made.digest == other_made.digest:
        return None
    message = (
        f"made with other dictionaries: {_called(made)} and {_called(other_made)}; "
        "fingerprint both with one dictionary"
    )
    return Problem("error", "other-dictionary", message)


def _called(reference: DictionaryReference) -> str:
    return f"{reference.name or 'unnamed'} (GUID {reference.guid})"


def default_matcher(dictionaries: Iterable[Dictionary]) -> str:
    """idf-cosine where a dictionary with IDF weights is at hand, else cosine."""
    return "idf-cosine" if any(one.max_idf > 0 for one in dictionaries) else "cosine"


@dataclass(frozen=True)
class Score:
    """How alike two fingerprints are: the match of their best pair, and that of every pair."""

    matcher: str
    best: Match
    pairs: tuple[Match, ...]

    @property
    def score(self) -> int | None:
        """The score of the best pair, 0 to 99; None where no pair compares."""
        return self.best.score

    @property
    def similarity(self) -> float | None:
        """The similarity of the best pair, 0 to 1; None where no pair compares."""
        return None if self.best.similarity is None else float(self.best.similarity)


def score(
    left: Fingerprint | str | Path,
    right: Fingerprint | str | Path,
    matcher: str | None = None,
    dictionary: Dictionary | None = None,
    min_terms: int = MIN_TERMS,
) -> Score:
    """How alike two fingerprints (or the ones in two files) are.

    The dictionary for weights is the one given or one inside a file. Raises MismatchError where
    the two cannot be compared.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> left = fingerprint(samples / "union.txt", dictionary)
    >>> score(left, left, matcher="cosine").score
    99
    """
    files = [side for side in (left, right) if not isinstance(side, Fingerprint)]
    embedded = [embedded_dictionary(path) for path in files if dictionary is None]
    known = tuple(one for one in (dictionary, *embedded) if one)
    comparer = Comparer(matcher or default_matcher(known), known, min_terms)
    sides = [side if isinstance(side, Fingerprint) else only(side) for side in (left, right)]
    pairs = comparer.pairs(*sides)
    best = max(pairs, key=_likeness)
    if best.problem:
        raise MismatchError(f"not comparable: {best.problem.message}")
    return Score(comparer.matcher, best, tuple(pairs))


def only(path: str | Path) -> Fingerprint:
    """The one fingerprint in a file; FormatError where it holds none or several."""
    found = list(load_fingerprints(path))
    if len(found) != 1:
        raise FormatError(
            f"{shown(path)}: holds {len(found)} fingerprints; name a file with one, or compare "
            "it with CompareDirectory"
        )
    return found[0]


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
    compared: int
    problems: tuple[Problem, ...] = ()

    def at_least(self, minimum: int | None = None) -> list[Row]:
        """The rows that score `minimum` (1 where not given) or more.

        Without a minimum, or with 0, those that do not compare come last.
        """
        scored = [
            row for row in self.rows if (row.score or 0) >= (1 if minimum is None else minimum)
        ]
        if minimum:
            return scored
        scored = [row for row in scored if row.score is not None]
        return scored + [row for row in self.rows if row.score is None]


@dataclass(frozen=True)
class Queries:
    """What is looked for: fingerprints by name, and the dictionaries that came with them."""

    found: tuple[tuple[str, Fingerprint], ...]
    dictionaries: tuple[Dictionary, ...] = ()


def load_queries(files: Sequence[str | Path], dictionary: Dictionary | None, run: Run) -> Queries:
    """The fingerprints in `files`; a plain document is fingerprinted on the way.

    The dictionary is the one given, else those inside the files. A file that cannot be read is
    a problem; so is a document when no dictionary is at hand.
    """
    known = {dictionary.digest: dictionary} if dictionary else {}
    documents: list[Path] = []
    found: list[tuple[str, Fingerprint]] = []
    errors: list[SdtextError] = []
    for path in files:
        try:
            kind = kind_of_file(path, run.reading.max_bytes)
            if not kind.startswith("fingerprint"):
                documents.append(Path(path))
                continue
            found += _named(str(path), load_fingerprints(path, run.reading.max_bytes))
            embedded = None if dictionary else embedded_dictionary(path)
            if embedded:
                known.setdefault(embedded.digest, embedded)
        except SdtextError as error:
            errors.append(error)
            run.note(Problem("error", _category(error), str(error), str(path)))
    if errors and not found and not documents:
        raise errors[0]
    if documents and not known:
        raise MismatchError(
            f"{shown(documents[0])}: is a document, and no dictionary is at hand to fingerprint "
            "it; name one with -d"
        )
    dictionaries = tuple(known.values())
    found += [(str(path), one) for path, one in fingerprints(documents, dictionaries, run)]
    return Queries(tuple(found), dictionaries)


def _category(error: SdtextError) -> str:
    return "damaged" if isinstance(error, FormatError) else "unreadable"


def _named(path: str, found: Iterable[Fingerprint]) -> Iterator[tuple[str, Fingerprint]]:
    """Fingerprints with the names they go by: the path, with #GUID or #place in a container."""
    items = list(found)
    for place, item in enumerate(items, 1):
        yield (path if len(items) == 1 else f"{path}#{item.origin.guid or place}"), item


def compare(
    queries: Queries | Fingerprint | str | Path,
    folder: str | Path,
    matcher: str | None = None,
    dictionary: Dictionary | None = None,
    run: Run | None = None,
) -> Comparison:
    """Every document, fingerprint file and container in `folder` against the queries.

    A query is a fingerprint or a file with one (or a document). Paths in the rows are relative
    to the folder.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> found = compare(samples / "union.txt", samples, dictionary=dictionary)
    >>> [(row.score, row.path) for row in found.rows[:2]]
    [(99, 'union.txt'), (93, 'union-edited.txt')]
    """
    run = run or Run(problems=[])
    if isinstance(queries, Fingerprint):
        queries = Queries((("query", queries),), (dictionary,) if dictionary else ())
    elif not isinstance(queries, Queries):
        queries = load_queries([queries], dictionary, run)
    comparer = Comparer(matcher or default_matcher(queries.dictionaries), queries.dictionaries)
    return compare_by(comparer, queries, folder, run)


def compare_by(comparer: Comparer, queries: Queries, folder: str | Path, run: Run) -> Comparison:
    """As `compare`, by a comparer made beforehand."""
    rows = [
        _row(comparer.best(fingerprint, candidate), path, name)
        for path, candidate in _candidates(Path(folder), queries.dictionaries, run)
        for name, fingerprint in queries.found
    ]
    rows.sort(key=lambda row: (row.score is None, -(row.score or 0), row.path, row.fingerprint))
    return Comparison(comparer.matcher, tuple(rows), len(rows), tuple(run.problems or ()))


def _row(match: Match, path: str, name: str) -> Row:
    similarity = None if match.similarity is None else float(match.similarity)
    why = match.problem.message if match.problem else None
    return Row(match.score, similarity, path, name, match.common, match.left, match.right, why)


def _candidates(
    folder: Path, dictionaries: Sequence[Dictionary], run: Run
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of all there is in `folder`, by their paths relative to it."""
    documents = []
    for path in walk(folder, run.note):
        try:
            kind = kind_of_file(path, run.reading.max_bytes)
            if kind.startswith("fingerprint"):
                found = load_fingerprints(path, run.reading.max_bytes)
                yield from _named(_relative(path, folder), found)
            else:
                documents.append(path)
        except SdtextError as error:
            run.note(Problem("error", _category(error), str(error), str(path)))
    for path, fingerprint in fingerprints(documents, dictionaries, run):
        yield _relative(path, folder), fingerprint


def _relative(path: Path, folder: Path) -> str:
    return path.name if path == folder else path.relative_to(folder).as_posix()


def top(rows: Sequence[Row], number: int) -> list[Row]:
    """The first `number` rows of each query, in the order given."""
    counts: dict[str, int] = {}
    kept = []
    for row in rows:
        counts[row.fingerprint] = counts.get(row.fingerprint, 0) + 1
        if counts[row.fingerprint] <= number:
            kept.append(row)
    return kept
