"""Why two fingerprints are similar: the terms that they share, by their weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from sdtext.errors import MismatchError, OptionError
from sdtext.kernels.arrays.packed_bits import places_in
from sdtext.model import SharedTerm
from sdtext.model.dictionary import Dictionary
from sdtext.parts.matchers import SetMatcher, VectorMatcher


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
