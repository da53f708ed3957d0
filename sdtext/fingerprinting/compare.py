"""How alike two fingerprints are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

from sdtext.errors import MismatchError, OptionError, counted, shown
from sdtext.fingerprinting.load_and_save import FingerprintFile, OneOrMore, dictionaries_of
from sdtext.io.content import MAX_BYTES
from sdtext.kernels.arrays.packed_bits import Weights, both
from sdtext.model import DictionaryReference, Fingerprint, Match, Problem, Similarity, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.catalogue import build, parse
from sdtext.parts.matchers import SetMatcher, with_defaults
from sdtext.parts.readers.pdf.pdf_engines import ENGINES
from sdtext.reading.archive_paths import content_at

_OTHERS = {
    "sequences": "sequences of tokens, which a bit vector does not contain; use another "
    "matcher, or search a collection (FindPairs, FindSimilar)",
    "codes": "codes of sentences, which a bit vector does not contain; use another matcher, or "
    "look for passages (FindReuse --method sentences)",
}
"""What matchers compare that bit vectors are not."""


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
    def part(self) -> SetMatcher:
        """The matcher itself. OptionError where it is not one of sets."""
        spec = parse(self.matcher)
        part = build("matchers", spec)
        if getattr(part, "compares", "sets") != "sets":
            raise OptionError(f"{spec.name} compares {_OTHERS[part.compares]}")
        return with_defaults(part)

    def best(self, left: Fingerprint, right: Fingerprint) -> Match:
        """The match of the pair of vectors that are most alike; a problem if none compare."""
        return max(self.pairs(left, right), key=_likeness)

    def pairs(self, left: Fingerprint, right: Fingerprint) -> Iterator[Match]:
        """The match of each vector of the one with each of the other."""
        places = product(range(len(left.vectors)), range(len(right.vectors)))
        totals: dict[int, int] = {}
        return (self._match(left, right, pair, totals) for pair in places)

    def _match(
        self, left: Fingerprint, right: Fingerprint, pair: tuple[int, int], totals: dict[int, int]
    ) -> Match:
        one, other = left.vectors[pair[0]], right.vectors[pair[1]]
        problem = _unlike(left, one, right, other)
        if problem:
            return Match(None, 0, one.count, other.count, problem, pair)
        common = (one.number & other.number).bit_count()
        counts = (common, one.count, other.count)
        if one.packed == other.packed and self._enough(one, other) and self.part.symmetric:
            return Match(Similarity(1, 1), *counts, vectors=pair)
        if min(one.count, other.count) < self.min_terms:
            problem = Problem(
                "warning",
                "too-few-terms",
                f"only {counted(min(one.count, other.count), 'term')} of the dictionary on one "
                f"side; at least {self.min_terms} are needed (--min-terms)",
            )
            return Match(None, *counts, problem=problem, vectors=pair)
        try:
            sums = self._sums(left.reference(one).digest, one, other, totals) or counts
        except MismatchError as error:
            problem = Problem("error", "no-dictionary", str(error))
            return Match(None, *counts, problem=problem, vectors=pair)
        if not sums[1] or not sums[2]:
            problem = Problem("warning", "no-weight", "all terms of one side have weight 0")
            return Match(None, *counts, problem=problem, vectors=pair)
        return Match(self.part(*sums), *counts, vectors=pair)

    def _enough(self, one: Vector, other: Vector) -> bool:
        """Whether equal bits mean equal content: the few terms at a document's end do not."""
        return one.count >= (self.min_terms if one.place or other.place else 1)

    def _sums(
        self, digest: str, one: Vector, other: Vector, totals: dict[int, int]
    ) -> tuple[int, int, int] | None:
        """The weights summed over the common terms and each side's; None where each counts 1.

        `totals` are those of the vectors met so far, by their identity.
        """
        if digest not in self._weights:
            known = next((item for item in self.dictionaries if item.digest == digest), None)
            numbers = self.part.weights(known)
            self._weights[digest] = Weights.of(numbers) if numbers is not None else None
        weights = self._weights[digest]
        if weights is None:
            return None
        for vector in (one, other):
            if id(vector) not in totals:
                totals[id(vector)] = weights.total(vector.packed)
        return weights.total(both(one.packed, other.packed)), totals[id(one)], totals[id(other)]

    @cached_property
    def _weights(self) -> dict[str, Weights | None]:
        """The weights of each dictionary met so far, by its digest."""
        return {}


def _likeness(match: Match) -> float:
    """How alike a pair is; that two dictionaries are not the same says least."""
    if match.similarity is not None:
        return float(match.similarity)
    return -2.0 if match.problem and match.problem.category == "other-dictionary" else -1.0


def _unlike(left: Fingerprint, one: Vector, right: Fingerprint, other: Vector) -> Problem | None:
    """Why two vectors cannot be compared at all, None if they can."""
    if left.kind != right.kind:
        message = f"made by different fingerprinters: {left.kind} and {right.kind}"
        return Problem("error", "other-fingerprinter", message)
    made, other_made = left.reference(one), right.reference(other)
    if made.digest == other_made.digest:
        return None
    message = (
        f"made with different dictionaries: {_called(made)} and {_called(other_made)}; "
        "fingerprint both with the same dictionary"
    )
    return Problem("error", "other-dictionary", message)


def other_engine(left: Fingerprint, right: Fingerprint) -> Problem | None:
    """A caution where two texts were extracted by other engines, or versions of one.

    That two formats have readers of their own is no cause for it.
    """
    if left.libraries == right.libraries or not _one_format(left, right):
        return None
    one, other = (", ".join(map(" ".join, side.libraries)) for side in (left, right))
    message = f"texts read by {one} are compared with texts read by {other}: scores may be lower"
    return Problem("warning", "other-engine", message)


def _one_format(left: Fingerprint, right: Fingerprint) -> bool:
    """Whether the texts came out of files of one format, as far as their engines tell."""
    names, others = ({name for name, _ in side.libraries} for side in (left, right))
    pdf = {engine.library for engine in ENGINES.values()}
    return bool(names & others or (names & pdf and others & pdf))


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
    dictionary: OneOrMore = None,
    min_terms: int = MIN_TERMS,
) -> Score:
    """How alike two fingerprints (or the ones in two files) are.

    The dictionary for weights is the one given (or several), or one inside a file. Raises
    MismatchError where the two cannot be compared.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> left = fingerprint(samples / "union.txt", dictionary)
    >>> score(left, left, matcher="cosine").score
    99
    """
    known = dictionaries_of(dictionary)
    embedded: list[Dictionary] = []
    sides = [_single(side, embedded) for side in (left, right)]
    known = known or embedded
    comparer = Comparer(matcher or default_matcher(known), tuple(known), min_terms)
    pairs = tuple(comparer.pairs(*sides))
    best = max(pairs, key=_likeness)
    if best.problem:
        raise MismatchError(f"not comparable: {best.problem.message}")
    return Score(comparer.matcher, best, pairs)


def _single(side: Fingerprint | str | Path, embedded: list[Dictionary]) -> Fingerprint:
    """The fingerprint, or the only one in a file, whose dictionaries go into `embedded`."""
    if isinstance(side, Fingerprint):
        return side
    fingerprint, dictionaries = only(side)
    embedded += dictionaries
    return fingerprint


def only(
    path: str | Path, max_bytes: int = MAX_BYTES
) -> tuple[Fingerprint, tuple[Dictionary, ...]]:
    """The only fingerprint in a file, and the dictionaries embedded in the file.

    Raises OptionError if it holds none or several.
    """
    file = FingerprintFile.read(content_at(path, max_bytes), shown(path))
    if len(file.fingerprints) != 1:
        raise OptionError(
            f"holds {len(file.fingerprints)} fingerprints; name a file with a single one, or use "
            "CompareDirectory",
            file=path,
        )
    return file.fingerprints[0][1], file.dictionaries
