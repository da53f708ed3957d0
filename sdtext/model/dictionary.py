"""Dictionaries: document frequencies, IDF, normalized IDF, trimming, identity.

The idea is I-Match's (Chowdhury, Frieder, Grossman, McCabe, "Collection statistics for fast
duplicate document detection", TOIS 20(2), 2002) as sdtext took it up: terms that are neither in
nearly all documents nor in hardly any tell documents apart and survive small edits.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from sdtext.errors import OptionError, counted
from sdtext.model import DictionaryReference, Origin, RecipeSpec
from sdtext.model.calibration import Calibration
from sdtext.model.drift import Expected, Seen

_RANGE = "normalized IDF goes from 0 to 1: for 30 %, write 0.3"

LOWEST, HIGHEST = 0.3, 0.7
"""The range of normalized IDF that sdtext's authors found best for English."""


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

    def labelled(
        self,
        name: str | None = None,
        origin: Origin | None = None,
        libraries: tuple[tuple[str, str], ...] | None = None,
    ) -> Dictionary:
        """The same dictionary under another name, origin or with other library versions.

        OptionError for a name that is not printable.
        """
        if not (name or "").isprintable():
            raise OptionError.of("dictionary", "name", name, "printable text")
        return replace(
            self,
            name=self.name if name is None else name,
            origin=origin or self.origin,
            libraries=self.libraries if libraries is None else libraries,
        )

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
            raise OptionError(
                f"dictionary {self.name or self.guid} has no {what}, because its maximum IDF is "
                f"{self.max_idf:.3g} (N = {self.documents}, rarest term in {self.rarest}); make "
                "one from more documents (at least 3)"
            )

    def count_range(self, minimum: float, maximum: float) -> tuple[int, int]:
        """The least and greatest document frequency with minimum ≤ nidf ≤ maximum.

        The first is above the second where there is none.
        """
        falling = range(1, self.documents + 1)
        low = bisect_left(falling, -maximum, key=lambda count: -self.nidf(count))
        high = bisect_right(falling, -minimum, key=lambda count: -self.nidf(count))
        return falling[low] if low < len(falling) else self.documents + 1, high

    def trim(
        self, min_idf: float = LOWEST, max_idf: float = HIGHEST, origin: Origin | None = None
    ) -> Dictionary:
        """The dictionary of the terms with min_idf ≤ nidf ≤ max_idf, both inclusive.

        The range refers to N and the maximum IDF of the dictionary as made, however often it
        was trimmed. Raises OptionError for a range that is none or that leaves no term.

        >>> from sdtext.model import PartSpec
        >>> counts = {"the": 8, "union": 3, "faction": 1}
        >>> Dictionary.of(counts, 8, RecipeSpec(PartSpec("words"))).trim(0.3, 0.8).terms
        ('union',)
        """
        if max_idf < min_idf:
            remedy = "exchange the two" if min_idf <= 1 else _RANGE
            raise OptionError(
                f"the minimum, {min_idf:g}, is above the maximum, {max_idf:g}; {remedy}"
            )
        if not -math.inf < min_idf <= max_idf < math.inf:
            raise OptionError(
                f"the range is {min_idf:g} to {max_idf:g}; it must be two finite numbers in "
                "increasing order"
            )
        low, high = self.count_range(min_idf, max_idf)
        kept = [place for place, count in enumerate(self.counts) if low <= count <= high]
        if not kept:
            hint = "choose a wider range" if min_idf <= 1 else _RANGE
            raise OptionError(
                f"no term of dictionary {self.name or self.guid} has a normalized IDF from "
                f"{min_idf:g} to {max_idf:g}; {hint}"
            )
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
