"""Dictionaries: document frequencies, IDF, normalized IDF, trimming, identity.

The idea is I-Match's (Chowdhury, Frieder, Grossman, McCabe, "Collection statistics for fast
duplicate document detection", TOIS 20(2), 2002) as sdtext took it up: terms that are neither in
nearly all documents nor in hardly any tell documents apart and survive small edits.

Drift is how far a document is from those that a dictionary was built from. For a document in
another language, on another subject, or of an unusual length, it knows few terms or sets unusual
numbers of bits, and scores mean less. To recognize this, also after a trim, a dictionary keeps the
counts of a sample of its documents.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import repeat
from operator import mul
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from sdtext.errors import OptionError
from sdtext.model import DictionaryReference, Origin, RecipeSpec
from sdtext.model.calibration import Calibration
from sdtext.model.displayed_results import ShortFields
from sdtext.wording import counted

LOWEST, HIGHEST = 0.3, 0.7
"""The range of normalized IDF that sdtext's authors found best for English."""
SAMPLE = 200
"""The size of the sample in documents."""

_LEAST = 30  # documents; a smaller sample says little
# Tolerances, since the distribution of counts within an octave is not known.
_BITS_MORE, _UNKNOWN_MORE = 0.1, 0.05


@dataclass(frozen=True)
class Dictionary:
    """The terms of a collection of documents, with the number of documents that hold each.

    `terms` are in code-point order: the place of a term is its bit in a fingerprint. `counts`
    has the document frequency of each. `documents` (N) and `rarest` (the smallest document
    frequency) are those of the dictionary as it was made: they survive every trim.
    `trimmed` is the range of normalized IDF that is left, None if all is; `parent` the GUID of
    the dictionary it was trimmed from; `libraries` the versions of what its chain depends on.
    `seen` is a sample of the documents as counts, by which unusual documents are recognized.
    `calibrations` tell how often unrelated documents reach a score, one for each matcher.
    `unknown` holds elements of later versions of the format as XML, which are written unchanged.
    """

    terms: tuple[str, ...]
    counts: Sequence[int]
    documents: int
    rarest: int
    recipe: RecipeSpec
    name: str = ""
    origin: Origin = field(default_factory=Origin)
    trimmed: tuple[float, float] | None = None
    parent: str = ""
    libraries: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()
    seen: Seen | None = None
    calibrations: tuple[Calibration, ...] = ()

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        terms = counted(len(self.terms), "term")
        return f"<dictionary{name} of {terms} from {counted(self.documents, 'document')}>"

    @classmethod
    def of(cls, frequencies: Mapping[str, int], documents: int, recipe: RecipeSpec) -> Dictionary:
        """The dictionary of `frequencies` (term → document frequency) over `documents`.

        >>> from sdtext.model import PartSpec
        >>> recipe = RecipeSpec(PartSpec("words"))
        >>> dictionary = Dictionary.of({"the": 8, "union": 3, "faction": 1}, 8, recipe)
        >>> dictionary.terms, round(dictionary.nidf(3), 3)
        (('faction', 'the', 'union'), 0.5)
        """
        terms = tuple(sorted(frequencies))
        counts = array("L", (frequencies[term] for term in terms))
        return cls(terms, counts, documents, min(counts, default=1), recipe)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each term: its bit."""
        return {term: place for place, term in enumerate(self.terms)}

    @cached_property
    def digest(self) -> str:
        """The content digest: two dictionaries are the same when theirs are equal.

        SHA-256, in hexadecimal, over UTF-8 text: a line with the canonical recipe, a line with
        N, then for each term in order the term, a tab, its document frequency and a line end.
        """
        lines = [self.recipe.canonical(), str(self.documents)]
        lines += map("{}\t{}".format, self.terms, self.counts)
        return sha256(("\n".join(lines) + "\n").encode("utf-8")).hexdigest()

    @cached_property
    def expected(self) -> Expected | None:
        """The counts expected of similar documents, None if the sample is too small."""
        return self.seen.expected(self.counts) if self.seen else None

    @property
    def guid(self) -> str:
        """The GUID given at its making; without one, a UUID that follows from the content."""
        return self.origin.guid or str(uuid5(NAMESPACE_OID, self.digest))

    @property
    def is_keyed(self) -> bool:
        """Whether its terms are digests under a key, and its document frequencies coarse."""
        return any(part.name == "keyed" for part in self.recipe.filters)

    def idf(self, count: int) -> float:
        """ln(N / (1 + count)) for a term in `count` documents; negative for terms in all."""
        return math.log(self.documents / (1 + count))

    @property
    def max_idf(self) -> float:
        """The IDF of the rarest term of the dictionary as it was made."""
        return self.idf(self.rarest)

    def nidf(self, count: int) -> float:
        """IDF as a share of the maximum: 1 for the rarest term.

        Raises OptionError where the maximum is not above zero.
        """
        self.need_idf("normalized IDF")
        return self.idf(count) / self.max_idf

    def need_idf(self, what: str) -> None:
        """Raise OptionError if this dictionary is too small for `what`, which needs IDF."""
        if self.max_idf <= 0:
            why = (
                f"its maximum IDF is {self.max_idf:.3g} (N = {self.documents}); make one from more"
            )
            raise OptionError(f"dictionary {self.name or self.guid} has no {what}: {why} documents")

    def count_range(self, minimum: float, maximum: float) -> tuple[int, int]:
        """The least and greatest document frequency with minimum ≤ nidf ≤ maximum.

        The first is above the second where there is none.
        """
        falling = range(1, self.documents + 1)
        low = bisect_left(falling, -maximum, key=lambda count: -self.nidf(count))
        high = bisect_right(falling, -minimum, key=lambda count: -self.nidf(count))
        return falling[low] if low < len(falling) else self.documents + 1, high

    def trim(
        self, min_idf: float = LOWEST, max_idf: float = HIGHEST, *, origin: Origin | None = None
    ) -> Dictionary:
        """The dictionary of the terms with min_idf ≤ nidf ≤ max_idf, both inclusive.

        The range refers to N and the maximum IDF of the dictionary as made, however often it
        was trimmed. A normalized IDF is 0 to 1, and between -1 and 0 for terms in all documents.
        Raises OptionError for another bound, and for a range that is none or leaves no term.

        >>> from sdtext.model import PartSpec
        >>> counts = {"the": 8, "union": 3, "faction": 1}
        >>> Dictionary.of(counts, 8, RecipeSpec(PartSpec("words"))).trim(0.3, 0.8).terms
        ('union',)
        """
        for option, given in (("min_idf", min_idf), ("max_idf", max_idf)):
            if not -1 <= given <= 1:
                wanted = "a normalized IDF from 0 to 1, or below 0 for terms in all documents"
                raise OptionError.of("trim", option, given, wanted)
        if max_idf < min_idf:
            wanted = f"at least min_idf, {min_idf:g}"
            raise OptionError.of("trim", "max_idf", max_idf, wanted)
        low, high = self.count_range(min_idf, max_idf)
        kept = [place for place, count in enumerate(self.counts) if low <= count <= high]
        if not kept:
            what = f"no term of dictionary {self.name or self.guid} has a normalized IDF from "
            raise OptionError(f"{what}{min_idf:g} to {max_idf:g}; choose a wider range")
        before = self.trimmed or (-math.inf, math.inf)
        return replace(
            self,
            terms=tuple(self.terms[place] for place in kept),
            counts=array("L", (self.counts[place] for place in kept)),
            origin=origin or Origin(),
            trimmed=(max(min_idf, before[0]), min(max_idf, before[1])),
            parent=self.guid,
            calibrations=(),  # with fewer terms scores are others
            unknown=(),  # what it says need not hold of fewer terms
        )

    def calibration(self, matcher: str) -> Calibration | None:
        """The calibration of a matcher, given as in `Calibration.matcher`; None without one."""
        return next((item for item in self.calibrations if item.matcher == matcher), None)

    def with_calibrations(self, calibrations: Iterable[Calibration]) -> Dictionary:
        """The same with further calibrations, in place of those of the same matchers."""
        newer = {item.matcher: item for item in (*self.calibrations, *calibrations)}
        return replace(self, calibrations=tuple(newer[name] for name in sorted(newer)))

    def weights(self, power: float = 1.0) -> list[int]:
        """For each term idf**power as a whole number of 2**-20ths, 0 where idf is negative.

        Raises OptionError where the maximum IDF is not above zero.
        """
        self.need_idf("IDF weights")
        known = {
            count: max(0, round(max(0.0, self.idf(count)) ** power * 2**20))
            for count in set(self.counts)
        }
        return [known[count] for count in self.counts]

    def reference(self, directory: str = "") -> DictionaryReference:
        """The reference to this dictionary in a fingerprint; its file is in `directory`."""
        return DictionaryReference(
            self.guid, self.digest, len(self.terms), name=self.name, directory=directory
        )

    def statistics(self) -> dict[str, Any]:
        """Content and provenance of the dictionary as JSON values.

        >>> from sdtext.model import PartSpec
        >>> recipe = RecipeSpec(PartSpec("words"))
        >>> Dictionary.of({"union": 3, "faction": 1}, 8, recipe).statistics()["terms"]
        2
        """
        return {
            "name": self.name,
            "documents": self.documents,
            "terms": len(self.terms),
            "max_idf": self.max_idf,
            "tokenizers": [
                {"name": part.name, **dict(part.options)} for part in self.recipe.chain()
            ],
            "trimmed": self.trimmed,
            "guid": self.guid,
            "parent": self.parent or None,
            "digest": self.digest,
            "created": self.origin.created or None,
            "libraries": dict(self.libraries),
            "calibrations": [item.as_record() for item in self.calibrations],
        }


@dataclass(frozen=True, repr=False)
class Seen(ShortFields):
    """The documents of a sample, each as the numbers of its distinct terms in each octave.

    Octave 0 holds the terms that the dictionary does not know, octave k those in 2^(k-1) to
    2^k - 1 of the documents. `totals` adds up the document frequencies in each octave, of the
    dictionary as it was made.
    """

    rows: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]

    @classmethod
    def of(cls, documents: Iterable[Iterable[str]], frequencies: Mapping[str, int]) -> Seen:
        """The sample of `documents`, which come as their distinct terms.

        >>> Seen.of([["a", "b", "x"], ["a"]], {"a": 2, "b": 1})
        Seen(rows=((0, 0, 1), (1, 1, 1)), totals=(0, 1, 2))
        """
        known = {term: count.bit_length() for term, count in frequencies.items()}
        width = 1 + max(known.values(), default=0)
        numbers = (Counter(map(known.get, document, repeat(0))) for document in documents)
        rows = (tuple(counter[octave] for octave in range(width)) for counter in numbers)
        return cls(tuple(sorted(rows)), octaves(frequencies.values(), width))

    def expected(self, counts: Sequence[int]) -> Expected | None:
        """What the documents would give with a dictionary of terms with these frequencies.

        None where the sample is too small to tell. A term in one document alone was unknown
        before that document came, so that it counts both as known and as unknown.
        """
        if len(self.rows) < _LEAST:
            return None
        kept = octaves(counts, len(self.totals))
        shares = [
            part / whole if whole else 0.0 for part, whole in zip(kept, self.totals, strict=True)
        ]
        without = [0.0 if octave == 1 else share for octave, share in enumerate(shares)]
        most, least = (
            [sum(map(mul, row, each)) for row in self.rows] for each in (shares, without)
        )
        sizes = [max(1, sum(row)) for row in self.rows]
        fewest, greatest = (
            [1 - known / size for known, size in zip(each, sizes, strict=True)]
            for each in (most, least)
        )
        return Expected(
            (_spread(least)[0], _spread(most)[1]), (_spread(fewest)[0], _spread(greatest)[1])
        )


@dataclass(frozen=True)
class Expected:
    """The typical ranges of the number of set bits and of the share of unknown terms."""

    bits: tuple[float, float]
    unknown: tuple[float, float]

    def departure(self, terms: int, bits: int) -> str:
        """How a document of `terms` terms, `bits` of them known, is untypical; "" if it is typical.

        >>> expected = Expected(bits=(40, 400), unknown=(0.2, 0.5))
        >>> expected.departure(terms=100, bits=60), expected.departure(terms=50, bits=30)
        ('', '30 bits are set (typical: 40 to 400)')
        """
        unknown = 1 - bits / terms if terms else 1.0
        departures = []
        least, most = self.bits
        if not least * (1 - _BITS_MORE) <= bits <= most * (1 + _BITS_MORE):
            are_set = "bit is set" if bits == 1 else "bits are set"
            departures.append(f"{bits} {are_set} (typical: {least:.0f} to {most:.0f})")
        low, high = self.unknown
        if not low - _UNKNOWN_MORE <= unknown <= high + _UNKNOWN_MORE:
            departures.append(
                f"{100 * unknown:.0f} % of its terms are unknown (typical: {100 * low:.0f} to "
                f"{100 * high:.0f} %)"
            )
        return " and ".join(departures)


def octaves(counts: Iterable[int], width: int) -> tuple[int, ...]:
    """The sum of the document frequencies in each of `width` octaves."""
    sums = [0] * width
    for count, terms in Counter(counts).items():  # few are different
        if count.bit_length() < width:
            sums[count.bit_length()] += count * terms
    return tuple(sums)


def _spread(values: Iterable[float]) -> tuple[float, float]:
    """The least and the greatest value without the outermost 1 % on each side."""
    ranked = sorted(values)
    odd = len(ranked) // 100
    return ranked[odd], ranked[-1 - odd]
