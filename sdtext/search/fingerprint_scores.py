"""Exact scores of two fingerprints or documents, and what they share."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from heapq import nsmallest
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import MismatchError, OptionError
from sdtext.fingerprinting.dictionaries_by_digest import called
from sdtext.kernels.arrays.packed_bits import both, places_in
from sdtext.model import Fingerprint, Match, Problem, SharedTerm
from sdtext.model.calibration import BORDERS, DOCUMENTS, Calibration, Chance
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.matchers import SetMatcher
from sdtext.parts.matchers.surprise import Surprise
from sdtext.parts.registry import build, normalised, parse, translated
from sdtext.search.bit_vector_scoring import Vectors, Weighting, rows_at_once, similar_vectors
from sdtext.wording import shown

Sizes = Mapping[str, NDArray[np.int64]]
"""The numbers of bits of vectors, by the digest of their dictionary."""

_MANY = 64  # pairs of vectors from which on arrays are faster
_NEAR = 1e-8  # of a similarity; floats are exact to more digits
_OTHERS = {
    "sequences": "sequences of tokens, which a bit vector does not contain; use another "
    "matcher, or search a collection (FindPairs, FindSimilar)",
    "codes": "codes of sentences, which a bit vector does not contain; use another matcher, or "
    "FindReuse with the method sentences",
}
"""What matchers compare that bit vectors are not."""


@dataclass(frozen=True)
class FingerprintScorer:
    """Scores two fingerprints by a matcher, given as `name` or `name(option=…)`.

    `dictionaries` are the available ones: a matcher that weights terms needs the one that the
    vectors were made with. Two vectors are not comparable if they come from different
    fingerprinters or dictionaries, or if one has fewer than `min_terms` set bits; the problem of
    the Match says so. Equal vectors have similarity 1 under any symmetric matcher.
    """

    matcher: str = "cosine"
    dictionaries: tuple[Dictionary, ...] = ()
    min_terms: int = MIN_TERMS

    @cached_property
    def part(self) -> SetMatcher | Surprise:
        """The matcher itself. OptionError where it is not one of sets or vectors."""
        spec = parse(self.matcher)
        part: SetMatcher | Surprise = build("matchers", spec)
        if part.compares not in ("sets", "vectors"):
            raise OptionError(f"{spec.name} compares {_OTHERS[part.compares]}")
        return part

    @cached_property
    def weighting(self) -> Callable[[str], Weighting]:
        """The weights of terms of a dictionary. MismatchError if it is needed and not at hand."""
        spec = translated("matchers", parse(self.matcher))
        return cache(lambda digest: Weighting.of(spec, self.dictionary(digest), self.min_terms))

    def dictionary(self, digest: str) -> Dictionary | None:
        """The dictionary with that digest, if it is at hand."""
        return next((item for item in self.dictionaries if item.digest == digest), None)

    def match(self, left: Fingerprint, right: Fingerprint, pair: tuple[int, int]) -> Match:
        """The match of two vectors, by their places."""
        vector, other = left.vectors[pair[0]], right.vectors[pair[1]]
        reference, second = left.reference(vector), right.reference(other)
        problem = None
        if left.kind != right.kind:
            kinds = f"{left.kind} and {right.kind}"
            message = f"made by different fingerprinters: {kinds}"
            problem = Problem("error", "other-fingerprinter", message)
        elif reference.digest != second.digest:
            message = f"made with different dictionaries: {called(reference)} and {called(second)}"
            message += "; fingerprint both with the same dictionary"
            problem = Problem("error", "other-dictionary", message)
        if problem:
            places = vector.place, other.place
            return Match(None, 0, vector.count, other.count, problem, pair, places)
        try:
            return self.weighting(reference.digest).match(vector, other, pair)
        except (MismatchError, OptionError) as error:
            match = self._unweighted.match(vector, other, pair)
            if match.problem or (vector.packed == other.packed and self.part.symmetric):
                return match  # weights decide nothing
            if isinstance(error, OptionError):
                raise
            given = " and ".join(shown(item.name) or item.guid for item in self.dictionaries)
            message = f"made with dictionary {called(reference)}, not with {given}; name that one, "
            message = f"{message}or use the matcher cosine" if given else str(error)
            problem = Problem("error", "no-dictionary", message)
            return replace(match, similarity=None, problem=problem)

    @cached_property
    def _unweighted(self) -> Weighting:
        return Weighting.of(translated("matchers", parse("cosine")), None, self.min_terms)

    @cached_property
    def few_terms(self) -> Problem:
        """Why vectors of few set bits are not comparable."""
        least = max(self.min_terms, getattr(self.part, "least_terms", 0))
        return replace(self._unweighted, least=least).few_terms()

    def pairs(self, left: Fingerprint, right: Fingerprint) -> Iterator[Match]:
        """The match of each vector of one fingerprint with each of the other."""
        places = product(range(len(left.vectors)), range(len(right.vectors)))
        return (self.match(left, right, pair) for pair in places)

    def best(self, left: Fingerprint, right: Fingerprint) -> Match:
        """The match of the most similar pair of vectors; a problem if none are comparable.

        Of equally similar pairs, the first one.
        """
        if len(left.vectors) == len(right.vectors) == 1:
            return self.match(left, right, (0, 0))
        if len(left.vectors) * len(right.vectors) < _MANY or left.kind != right.kind:
            return max(self.pairs(left, right), key=rank)
        near = sorted(self._most_similar(left, right))
        if near:
            return max((self.match(left, right, pair) for pair in near), key=rank)
        scored = (match for match in self.pairs(left, right) if match.similarity is not None)
        return next(scored, None) or max(self.pairs(left, right), key=rank)

    def _most_similar(self, left: Fingerprint, right: Fingerprint) -> Iterator[tuple[int, int]]:
        """The pairs among which the most similar ones are, of those that share something."""
        found: list[tuple[float, tuple[int, int]]] = []
        for reference in left.dictionaries:
            sides = [
                [place for place, item in enumerate(side.vectors)
                 if side.reference(item).digest == reference.digest]
                for side in (left, right)
            ]  # fmt: skip
            try:
                weighting = self.weighting(reference.digest)
            except MismatchError:
                continue
            if not all(sides):
                continue
            first, second = (
                Vectors.of_fingerprint([side.vectors[place] for place in places], weighting)
                for side, places in zip((left, right), sides, strict=True)
            )
            for start in range(0, len(first), rows_at_once(first.packed)):
                some = first.take(slice(start, start + rows_at_once(first.packed)))
                rows, columns, scores = similar_vectors(some, second, weighting, 0)
                near = scores.similarity >= scores.similarity.max(initial=0.0) - _NEAR
                near &= scores.similarity > 0
                lefts = np.array(sides[0])[rows[near] + start].tolist()
                rights = np.array(sides[1])[columns[near]].tolist()
                pairs = zip(lefts, rights, strict=True)
                found += zip(scores.similarity[near].tolist(), pairs, strict=True)
        best = max((similarity for similarity, _ in found), default=0.0)
        return (pair for similarity, pair in found if similarity >= best - _NEAR)

    def shared_terms(
        self, left: Fingerprint, right: Fingerprint, match: Match, top: int | None = None
    ) -> tuple[SharedTerm, ...] | None:
        """The terms that the vectors of a match share, at most `top`, the heaviest first.

        None where the two are not comparable, or their dictionary is not available.
        """
        first, second = match.vectors
        vector, other = left.vectors[first], right.vectors[second]
        known = self.dictionary(left.reference(vector).digest)
        if known is None or match.similarity is None:
            return None
        try:
            weights = self.weighting(known.digest).numbers
        except (MismatchError, OptionError):  # equal ones are similar whatever the weights
            weights = None
        return heaviest_terms(known, weights, both(vector.packed, other.packed), top)

    @cached_property
    def calibrations(self) -> list[Calibration]:
        """Those of the dictionaries that are for the matcher."""
        known = (self.calibration(dictionary.digest) for dictionary in self.dictionaries)
        return [calibration for calibration in known if calibration]

    def calibration(self, digest: str) -> Calibration | None:
        """That of a dictionary for the matcher."""
        known = self.dictionary(digest)
        spec = normalised("matchers", parse(self.matcher))
        return known.calibration(str(spec)) if known else None

    def comparisons(self, left: Sizes, right: Sizes) -> Counter[int]:
        """How many pairs of vectors of these sizes are comparable in each size class."""
        borders, numbers = (0, *BORDERS), []
        for border in borders:
            least = max(border, self.min_terms)
            numbers.append(
                sum(
                    int((left[digest] >= least).sum()) * int((right[digest] >= least).sum())
                    for digest in left.keys() & right.keys()
                )
            )
        rest = zip(borders, numbers, [*numbers[1:], 0], strict=True)
        return Counter({border: number - larger for border, number, larger in rest})

    def chance(
        self, left: Fingerprint, match: Match, compared: Mapping[int, int], unit: str = DOCUMENTS
    ) -> Chance | None:
        """How often chance gives the score of the best match of a fingerprint with another one.

        `compared` has the numbers of all comparisons with it, as `comparisons` gives them. None
        without a score or a calibration of the dictionary.
        """
        digest = left.reference(left.vectors[match.vectors[0]]).digest
        calibration = self.calibration(digest)
        if match.score is None or calibration is None:
            return None
        return calibration.chance(match.score, (match.left, match.right), compared, unit)


def rank(match: Match) -> float:
    """The similarity; below it problems, and below these that of different dictionaries."""
    if match.similarity is not None:
        return float(match.similarity)
    return -2.0 if match.problem and match.problem.category == "other-dictionary" else -1.0


def other_engine(left: Fingerprint, right: Fingerprint) -> Problem | None:
    """A warning if two texts were extracted by different engines, or versions of one engine.

    Two formats with a reader each are no reason for it.
    """
    if left.libraries == right.libraries:
        return None
    from sdtext.parts.readers.pdf import ENGINES

    names, others = ({name for name, _ in side.libraries} for side in (left, right))
    pdf = {engine.library for engine in ENGINES.values()}
    if not (names & others or (names & pdf and others & pdf)):
        return None
    engine, other = (", ".join(map(" ".join, side.libraries)) for side in (left, right))
    message = f"texts read by {engine} are compared with texts read by {other}: scores may be lower"
    return Problem("warning", "other-engine", message)


def heaviest_terms(
    dictionary: Dictionary, weights: Sequence[int] | None, common: bytes, top: int | None = None
) -> tuple[SharedTerm, ...]:
    r"""The terms of a packed vector, at most `top`: those that weigh most come first.

    Of equal weights the rarer terms come first. Without `weights` all count the same.

    >>> from sdtext.model import PartSpec, RecipeSpec
    >>> counts = {"bee": 2, "dance": 1, "the": 8}
    >>> dictionary = Dictionary.of(counts, 8, RecipeSpec(PartSpec("words")))
    >>> terms = heaviest_terms(dictionary, [1, 3, 0], b"\x07")
    >>> [(term.term, term.share) for term in terms]
    [('dance', 0.75), ('bee', 0.25), ('the', 0.0)]
    """
    places = places_in(common)
    counts, terms = dictionary.counts, dictionary.terms
    total = len(places) if weights is None else sum(weights[place] for place in places)
    order = [(-1 if weights is None else -weights[place], counts[place], place) for place in places]
    return tuple(
        SharedTerm(terms[place], dictionary.idf(count), -weight / total if total else 0.0)
        for weight, count, place in nsmallest(len(order) if top is None else top, order)
    )
