"""Compare two fingerprints: vectors, matchers, shared terms by weight, reasons for no score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from heapq import nsmallest
from itertools import product
from pathlib import Path
from typing import Any

from sdtext.errors import MismatchError, OptionError, counted, shown
from sdtext.fingerprinting.load_and_save import read_fingerprint_file
from sdtext.fingerprinting.most_similar_vectors import PackedVectors, most_similar
from sdtext.io.decompressed_content import MAX_BYTES
from sdtext.kernels.arrays.packed_bits import Weights, both, places_in
from sdtext.model import (
    DictionaryReference,
    Fingerprint,
    Match,
    Problem,
    SharedTerm,
    Similarity,
    Vector,
)
from sdtext.model.calibration import (
    BORDERS,
    DOCUMENTS,
    SEGMENTS,
    Calibration,
    Chance,
    most_sensitive,
)
from sdtext.model.dictionary import Dictionary
from sdtext.model.displayed_results import html_table
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.matchers import SetMatcher, VectorComparison, VectorMatcher
from sdtext.parts.registry import build, parse, translated
from sdtext.reading.archive_members import content_at

COLUMNS, SCAN = INDEXES = ("columns", "scan")
"""How similar fingerprints, and the most similar segments of two, are found."""

OTHER_DICTIONARIES = "made with different dictionaries"
"""How the reason begins for vectors over different dictionaries."""
_TOTALS = 1 << 10  # vectors of each dictionary whose sums of weights are cached
_MANY = 1 << 10  # pairs of vectors from which on columns are faster
_OTHERS = {
    "sequences": "sequences of tokens, which a bit vector does not contain; use another "
    "matcher, or search a collection (FindPairs, FindSimilar)",
    "codes": "codes of sentences, which a bit vector does not contain; use another matcher, or "
    "look for passages by sentences with FindReuse",
}
"""What matchers compare that bit vectors are not."""


@dataclass(frozen=True)
class Comparer:
    """Compares fingerprints with a matcher, given as `name` or `name(option=…)`.

    `dictionaries` are the available ones: a matcher that weights terms needs the one that the
    vectors were made with. Two vectors are not comparable if they come from different
    fingerprinters or dictionaries, or if one has fewer than `min_terms` set bits; the problem of
    the Match says so. Equal vectors have similarity 1 under any symmetric matcher. `explain` is the
    number of shared terms that each row of a comparison with a folder lists. With the `index`
    "scan" every pair of segments is scored, with "columns" those that may be the most similar ones;
    both give the same matches.
    """

    matcher: str = "cosine"
    dictionaries: tuple[Dictionary, ...] = ()
    min_terms: int = MIN_TERMS
    explain: int = 0
    index: str = COLUMNS

    def __post_init__(self) -> None:
        if self.index not in INDEXES:
            wanted = " or ".join(INDEXES)
            raise OptionError.of("comparison", "index", self.index, wanted)

    @cached_property
    def part(self) -> SetMatcher | VectorMatcher:
        """The matcher itself. OptionError where it is not one of sets or vectors."""
        spec = parse(self.matcher)
        part: SetMatcher | VectorMatcher = build("matchers", spec)
        if part.compares not in ("sets", "vectors"):
            raise OptionError(f"{spec.name} compares {_OTHERS[part.compares]}")
        return part

    def best(self, left: Fingerprint, right: Fingerprint) -> Match:
        """The match of the most similar pair of vectors; a problem if none are comparable.

        Of equally similar pairs, the first one.
        """
        number = len(left.vectors) * len(right.vectors)
        if number == 1:
            return self._match(left, right, (0, 0), {})
        if number >= _MANY and self.index != SCAN and self._has_bounds(left, right):
            return self._best_by_columns(left, right)
        return max(self.pairs(left, right), key=_rank)

    def _has_bounds(self, left: Fingerprint, right: Fingerprint) -> bool:
        """Whether all vectors are of one dictionary and the matcher is one of sets."""
        digests = {item.digest for side in (left, right) for item in side.dictionaries}
        if isinstance(self.part, VectorMatcher) or left.kind != right.kind or len(digests) != 1:
            return False
        return not self.part.needs_dictionary or self._dictionary(digests.pop()) is not None

    def _best_by_columns(self, left: Fingerprint, right: Fingerprint) -> Match:
        """`best` of many vectors: only those that may be the most similar ones are compared."""
        assert isinstance(self.part, SetMatcher)  # noqa: S101 (as `_has_bounds` says)
        weights = self.weights_of(left.reference(left.vectors[0]).digest)
        first, second = (
            PackedVectors.of(side.vectors, weights, self.min_terms) for side in (left, right)
        )
        pairs = [*most_similar(first, second, self.part), *self._equal(left, right)]
        totals: dict[int, int] = {}
        matches = (self._match(left, right, pair, totals) for pair in sorted(set(pairs)))
        best = _first_best(matches)
        if best is None or best.similarity is None:  # no pair is similar
            scored = (match for match in self.pairs(left, right) if match.similarity is not None)
            best = next(scored, None)
        return best or max(self.pairs(left, right), key=_rank)

    def _equal(self, left: Fingerprint, right: Fingerprint) -> Iterator[tuple[int, int]]:
        """The first pair of equal vectors that has a similarity, if the matcher is symmetric."""
        if not self.part.symmetric:
            return
        places: dict[bytes, list[int]] = {}
        for place, vector in enumerate(right.vectors):
            places.setdefault(vector.packed, []).append(place)
        for place, vector in enumerate(left.vectors):
            for other in places.get(vector.packed, ()):
                if self._enough(vector, right.vectors[other]):
                    yield place, other
                    return

    def pairs(self, left: Fingerprint, right: Fingerprint) -> Iterator[Match]:
        """The match of each vector of one fingerprint with each of the other."""
        places = product(range(len(left.vectors)), range(len(right.vectors)))
        totals: dict[int, int] = {}
        return (self._match(left, right, pair, totals) for pair in places)

    def shared_terms(
        self, left: Fingerprint, right: Fingerprint, match: Match, top: int | None = None
    ) -> tuple[SharedTerm, ...] | None:
        """The terms that the vectors of a match share, at most `top`, the heaviest first.

        None where the two are not comparable, or their dictionary is not available.
        """
        first, second = match.vectors
        vector, other = left.vectors[first], right.vectors[second]
        known = self._dictionary(left.reference(vector).digest)
        if known is None or match.similarity is None:
            return None
        if known.digest not in self._terms:
            self._terms[known.digest] = TermWeights.of(known, self.part)
        return self._terms[known.digest].heaviest(both(vector.packed, other.packed), top)

    @cached_property
    def calibrations(self) -> list[Calibration]:
        """Those of the dictionaries that are for the matcher."""
        known = (dictionary.calibration(self._canonical) for dictionary in self.dictionaries)
        return [calibration for calibration in known if calibration]

    def comparisons(self, left: Fingerprint, right: Fingerprint) -> Counter[int]:
        """How many pairs of vectors are comparable in each size class."""
        if len(left.vectors) == len(right.vectors) == 1:
            return self._comparison(left, right)
        borders = (0, *BORDERS)
        numbers = [self._pairs_from(bits, left, right) for bits in borders]
        rest = zip(borders, numbers, [*numbers[1:], 0], strict=True)
        return +Counter({bits: number - larger for bits, number, larger in rest})

    def _comparison(self, left: Fingerprint, right: Fingerprint) -> Counter[int]:
        """The same for two fingerprints of one vector."""
        [vector], [other] = left.vectors, right.vectors
        bits = min(vector.count, other.count)
        same = left.reference(vector).digest == right.reference(other).digest
        if bits < self.min_terms or not same:
            return Counter()
        return Counter((max(border for border in (0, *BORDERS) if border <= bits),))

    def _pairs_from(self, bits: int, left: Fingerprint, right: Fingerprint) -> int:
        """The number of comparable pairs of vectors of which both have so many bits."""
        least = max(bits, self.min_terms)
        first, second = (
            Counter(
                side.reference(vector).digest for vector in side.vectors if vector.count >= least
            )
            for side in (left, right)
        )
        return sum(number * second[digest] for digest, number in first.items())

    def chance(
        self, left: Fingerprint, match: Match, compared: Mapping[int, int], unit: str = DOCUMENTS
    ) -> Chance | None:
        """How often chance gives the score of the best match of a fingerprint with another one.

        `compared` has the numbers of all comparisons with it, as `comparisons` gives them. None
        without a score or a calibration of the dictionary.
        """
        if match.score is None:
            return None
        known = self._dictionary(left.reference(left.vectors[match.vectors[0]]).digest)
        calibration = known.calibration(self._canonical) if known else None
        if calibration is None:
            return None
        return calibration.chance(match.score, (match.left, match.right), compared, unit)

    @cached_property
    def _canonical(self) -> str:
        """The matcher as calibrations name it."""
        return str(translated("matchers", parse(self.matcher)))

    def _dictionary(self, digest: str) -> Dictionary | None:
        return next((item for item in self.dictionaries if item.digest == digest), None)

    def _match(
        self, left: Fingerprint, right: Fingerprint, pair: tuple[int, int], totals: dict[int, int]
    ) -> Match:
        vector, other = left.vectors[pair[0]], right.vectors[pair[1]]
        problem = _mismatch(left, vector, right, other)
        if problem:
            return Match(None, 0, vector.count, other.count, problem, pair)
        common = (vector.number & other.number).bit_count()
        counts = (common, vector.count, other.count)
        if vector.packed == other.packed and self._enough(vector, other) and self.part.symmetric:
            return Match(Similarity(1, 1), *counts, vectors=pair)
        if problem := self._few_terms(min(vector.count, other.count)):
            return Match(None, *counts, problem=problem, vectors=pair)
        reference = left.reference(vector)
        digest = reference.digest
        try:
            sums = self._sums(digest, vector, other, totals) or counts
        except MismatchError as error:
            problem = Problem(
                "error", "no-dictionary", self._missing_dictionary(reference) or str(error)
            )
            return Match(None, *counts, problem=problem, vectors=pair)
        if not sums[1] or not sums[2]:
            problem = Problem("warning", "no-weight", "all terms of one side have weight 0")
            return Match(None, *counts, problem=problem, vectors=pair)
        over = self._over(digest)
        similarity = (
            over.similarity(sums[0], vector.packed, other.packed) if over else self.part(*sums)
        )
        return Match(similarity, *counts, vectors=pair)

    def _missing_dictionary(self, reference: DictionaryReference) -> str:
        """Which dictionary is needed in place of those that are given; "" where none is."""
        given = " and ".join(shown(item.name) or item.guid for item in self.dictionaries)
        needed = f"made with dictionary {called(reference)}, not with {given}"
        return f"{needed}; name that one, or use the matcher cosine" if given else ""

    def _few_terms(self, number: int) -> Problem | None:
        """Why a vector of `number` set bits is not comparable; None if it is."""
        least = max(self.min_terms, getattr(self.part, "least_terms", 0))
        if number >= least:
            return None
        how = f"{least} are needed"
        how += " (min_terms)" if least == self.min_terms else f" for {self.matcher}"
        message = f"only {counted(number, 'term')} of the dictionary on one side; at least {how}"
        return Problem("warning", "too-few-terms", message)

    def _over(self, digest: str) -> VectorComparison | None:
        """The comparison of vectors of a dictionary; None for a matcher of sets."""
        if not isinstance(self.part, VectorMatcher):
            return None
        if digest not in self._vectors:
            self._vectors[digest] = self.part.over(self._dictionary(digest))
        return self._vectors[digest]

    def _enough(self, vector: Vector, other: Vector) -> bool:
        """Whether equal bits mean equal content: those of a short last segment do not."""
        return vector.count >= (self.min_terms if vector.place or other.place else 1)

    def _sums(
        self, digest: str, vector: Vector, other: Vector, totals: dict[int, int]
    ) -> tuple[int, int, int] | None:
        """Sums of weights over the common terms and each side's; None for unweighted matchers.

        `totals` caches the sums of vectors by identity.
        """
        weights = self.weights_of(digest)
        if weights is None:
            return None
        for side in (vector, other):
            if id(side) not in totals:
                totals[id(side)] = self._totals[digest](side.packed)
        common = weights.total(both(vector.packed, other.packed))
        return common, totals[id(vector)], totals[id(other)]

    def weights_of(self, digest: str) -> Weights | None:
        """The weights of the terms of a dictionary; None for an unweighted matcher."""
        if digest not in self._weights:
            numbers = self.part.weights(self._dictionary(digest))
            self._weights[digest] = weights = Weights.of(numbers) if numbers is not None else None
            if weights is not None:
                self._totals[digest] = lru_cache(_TOTALS)(weights.total)
        return self._weights[digest]

    @cached_property
    def _weights(self) -> dict[str, Weights | None]:
        """A cache: the weights of each dictionary by its digest."""
        return {}

    @cached_property
    def _totals(self) -> dict[str, Callable[[bytes], int]]:
        """The sum of the weights of a vector by the digest of its dictionary, cached for some."""
        return {}

    @cached_property
    def _vectors(self) -> dict[str, VectorComparison]:
        """A cache: what compares the vectors of each dictionary by its digest."""
        return {}

    @cached_property
    def _terms(self) -> dict[str, TermWeights]:
        """A cache: the terms of each dictionary by its digest."""
        return {}


def _first_best(matches: Iterable[Match]) -> Match | None:
    """The first of the most similar ones."""
    best: Match | None = None
    for match in matches:
        if best is None or _rank(match) > _rank(best):
            best = match
            if _rank(best) >= 1:  # none is more similar
                break
    return best


def _rank(match: Match) -> float:
    """The similarity; below it problems, and below these that of different dictionaries."""
    if match.similarity is not None:
        return float(match.similarity)
    return -2.0 if match.problem and match.problem.category == "other-dictionary" else -1.0


def _mismatch(
    left: Fingerprint, vector: Vector, right: Fingerprint, other: Vector
) -> Problem | None:
    """Why two vectors cannot be compared at all; None if they can."""
    if left.kind != right.kind:
        message = f"made by different fingerprinters: {left.kind} and {right.kind}"
        return Problem("error", "other-fingerprinter", message)
    dictionary, other_dictionary = left.reference(vector), right.reference(other)
    if dictionary.digest == other_dictionary.digest:
        return None
    message = (
        f"{OTHER_DICTIONARIES}: {called(dictionary)} and {called(other_dictionary)}; "
        "fingerprint both with the same dictionary"
    )
    return Problem("error", "other-dictionary", message)


def other_engine(left: Fingerprint, right: Fingerprint) -> Problem | None:
    """A warning if two texts were extracted by different engines, or versions of one engine.

    Two formats with a reader each are no reason for it.
    """
    if left.libraries == right.libraries or not _one_format(left, right):
        return None
    engine, other = (", ".join(map(" ".join, side.libraries)) for side in (left, right))
    message = f"texts read by {engine} are compared with texts read by {other}: scores may be lower"
    return Problem("warning", "other-engine", message)


def _one_format(left: Fingerprint, right: Fingerprint) -> bool:
    """Whether both texts come from files of one format, judging by their engines."""
    names, others = ({name for name, _ in side.libraries} for side in (left, right))
    from sdtext.parts.readers.pdf import ENGINES

    pdf = {engine.library for engine in ENGINES.values()}
    return bool(names & others or (names & pdf and others & pdf))


def called(reference: DictionaryReference) -> str:
    """The name and GUID of a dictionary, as messages give them; the GUID alone without a name."""
    return f"{reference.name} (GUID {reference.guid})" if reference.name else reference.guid


def default_matcher(dictionaries: Iterable[Dictionary]) -> str:
    """The matcher that finds most with these dictionaries.

    idf-cosine if one of them has IDF weights, otherwise cosine. With whole dictionaries rare terms
    count more (power 2); trimmed ones, such as those that come with sdtext, have few of these.
    """
    weighted = [dictionary for dictionary in dictionaries if dictionary.max_idf > 0]
    if not weighted:
        return "cosine"
    whole = all(dictionary.trimmed is None for dictionary in weighted)
    return "idf-cosine(power=2)" if whole else "idf-cosine"


def recommended_calibration(dictionaries: Iterable[Dictionary]) -> Calibration:
    """The calibration of these dictionaries whose matcher finds most at its recommended levels.

    Raises OptionError where there is none, or none with such a level.
    """
    calibrations = [item for dictionary in dictionaries for item in dictionary.calibrations]
    best = most_sensitive(calibrations)
    if best:
        return best
    if calibrations:
        raise OptionError(
            "no score is recommended: the sample of the calibration is too small; calibrate the "
            "dictionary with more documents"
        )
    raise OptionError(
        "no score is recommended: the dictionary is not calibrated; calibrate it with unrelated "
        "documents like yours with Calibrate, and name it"
    )


@dataclass(frozen=True)
class Score:
    """The similarity of two fingerprints: the match of their best pair, and that of every pair."""

    matcher: str
    best: Match
    pairs: tuple[Match, ...]
    chance: Chance | None = None
    """How often chance gives this score, if the dictionary is calibrated."""
    explain: Callable[[], tuple[SharedTerm, ...] | None] | None = field(
        default=None, repr=False, compare=False
    )
    """What works out the shared terms."""

    def __getstate__(self) -> dict[str, Any]:
        """The state for pickle: shared terms that were worked out, not what they are worked out of.

        That is a whole dictionary, or the texts.
        """
        return {**vars(self), "explain": None}

    def __repr__(self) -> str:
        if self.similarity is None:
            return f"<not comparable by {self.matcher}>"
        return f"<score {self.score} by {self.matcher}, similarity {self.similarity:.4f}>"

    def _repr_html_(self) -> str:
        """The score as a table, for notebooks."""
        columns = ["matcher", "score", "similarity", "common", "left", "right"]
        match = self.best
        row = [self.matcher, self.score, self.similarity, match.common, match.left, match.right]
        return html_table("score", columns, [row])

    @property
    def score(self) -> int | None:
        """The score of the best pair, 0 to 99; None if no pair is comparable."""
        return self.best.score

    @property
    def similarity(self) -> float | None:
        """The similarity of the best pair, 0 to 1; None if no pair is comparable."""
        return None if self.best.similarity is None else float(self.best.similarity)

    @cached_property
    def shared_terms(self) -> tuple[SharedTerm, ...] | None:
        """What the best pair shares: terms, those that weigh most first, or runs of shingles.

        None if the dictionary is not available. They are worked out when they are asked for; a
        result that was pickled before has none.

        >>> dictionary = create_dictionary(samples, "english")
        >>> left = fingerprint(samples / "union.txt", dictionary)
        >>> right = fingerprint(samples / "union-edited.txt", dictionary)
        >>> shared = score(left, right, dictionary=dictionary).shared_terms
        >>> [(item.term, round(item.share, 3)) for item in shared[:2]]
        [('anyon', 0.016), ('argu', 0.016)]
        """
        shared = self.explain() if self.explain else None
        return None if shared is None else tuple(shared)


def score_by(
    comparer: Comparer, left: Fingerprint, right: Fingerprint, names: Sequence[str] = ()
) -> Score:
    """The score of two fingerprints.

    Raises MismatchError if they are not comparable; it has the `names` of their files.
    """
    pairs = tuple(comparer.pairs(left, right))
    best = max(pairs, key=_rank)
    if best.problem:
        given = " and ".join(map(shown, filter(None, names)))
        begins = f"{given} are not comparable" if all(names) and given else "not comparable"
        raise MismatchError(f"{begins}: {best.problem.message}")
    chance = comparer.chance(left, best, comparer.comparisons(left, right), SEGMENTS)
    explain = partial(comparer.shared_terms, left, right, best)
    return Score(comparer.matcher, best, pairs, chance, explain)


def only(path: str | Path, max_bytes: int = MAX_BYTES) -> tuple[Fingerprint, list[Dictionary]]:
    """The only fingerprint in a file, and the dictionaries embedded in the file.

    Raises OptionError if it holds none or several.
    """
    fingerprints: list[Fingerprint] = []
    dictionaries: list[Dictionary] = []
    for item in read_fingerprint_file(content_at(path, max_bytes), shown(path)):
        if isinstance(item, Dictionary):
            dictionaries.append(item)
        else:
            fingerprints.append(item[1])
    if len(fingerprints) != 1:
        raise OptionError(
            f"holds {counted(len(fingerprints), 'fingerprint')}; name a file with a single one, or "
            "use CompareDirectory",
            file=path,
        )
    return fingerprints[0], dictionaries


@dataclass(frozen=True, eq=False)
class TermWeights:
    """The terms of a dictionary with the weights that a matcher gives them.

    Without weights all terms count the same.
    """

    dictionary: Dictionary
    weights: Sequence[int] | None = None

    @classmethod
    def of(cls, dictionary: Dictionary, matcher: SetMatcher | VectorMatcher) -> TermWeights:
        """The weights by `matcher`; none where it has none for this dictionary.

        Equal fingerprints are similar even if the dictionary is too small for IDF weights.
        """
        try:
            return cls(dictionary, matcher.weights(dictionary))
        except (MismatchError, OptionError):
            return cls(dictionary)

    def heaviest(self, common: bytes, top: int | None = None) -> tuple[SharedTerm, ...]:
        r"""The terms of a packed vector, at most `top`: those that weigh most come first.

        Of equal weights the rarer terms come first.

        >>> from sdtext.model import PartSpec, RecipeSpec
        >>> counts = {"bee": 2, "dance": 1, "the": 8}
        >>> dictionary = Dictionary.of(counts, 8, RecipeSpec(PartSpec("words")))
        >>> terms = TermWeights(dictionary, [1, 3, 0]).heaviest(b"\x07")
        >>> [(term.term, term.share) for term in terms]
        [('dance', 0.75), ('bee', 0.25), ('the', 0.0)]
        """
        places = places_in(common)
        weights = self.weights
        counts, terms = self.dictionary.counts, self.dictionary.terms
        total = len(places) if weights is None else sum(weights[place] for place in places)
        order = [
            (-1 if weights is None else -weights[place], counts[place], place) for place in places
        ]
        return tuple(
            SharedTerm(terms[place], self.dictionary.idf(count), -weight / total if total else 0.0)
            for weight, count, place in nsmallest(len(order) if top is None else top, order)
        )
