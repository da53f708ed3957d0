"""The match of two texts by a recipe, and what they share."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.errors import MismatchError, OptionError
from sdtext.model import Match, PartSpec, RecipeSpec, SharedTerm
from sdtext.parts.registry import build

_LONGEST = 80
"""Characters of a run that are shown."""


@dataclass(frozen=True)
class TextComparer:
    """Compares clean texts by the shingles or terms of a recipe."""

    recipe: RecipeSpec
    matcher: PartSpec

    def match(self, *texts: str) -> Match:
        """The match of two texts. Raises MismatchError where one has nothing to compare."""
        by_sequences = self._compares == "sequences"
        sides: Sequence[Any]
        if by_sequences or not self.recipe.shingler:
            sides = self._encoder.terms(texts)
        else:
            rows = self._encoder.sets(self._encoder.block(texts))
            sides = [rows[place].tolist() for place in range(len(texts))]
        left: Any
        right: Any
        left, right = sides if by_sequences else map(set, sides)
        for name, side in (("left", left), ("right", right)):
            if not side:
                what = f"{name} has no terms by the recipe, so it is similar to nothing"
                raise MismatchError(what, place="similarity")
        if by_sequences:
            common = (Counter(left) & Counter(right)).total()
            similarity = self._part.of_sequences(left, right)
        else:
            common = len(left & right)
            similarity = self._part(common, len(left), len(right))
        return Match(similarity, common, len(left), len(right))

    def shared(self, left: str, right: str) -> tuple[SharedTerm, ...]:
        """What two texts share: runs of shingles, the longest first, or terms."""
        if self._compares == "sequences" or not self.recipe.shingler:
            terms, others = map(Counter, self._encoder.terms((left, right)))
            is_set = self._compares == "sets"
            common = Counter(terms.keys() & others.keys()) if is_set else terms & others
            runs = {term: common[term] for term in terms if term in common}
        else:
            keys = {key for key, _ in self._encoder.spelled(right)}
            runs = _shared_runs(self._encoder.spelled(left), keys)
        total = sum(runs.values())
        ranked = sorted(runs.items(), key=lambda item: -item[1])
        return tuple(SharedTerm(run, None, weight / total) for run, weight in ranked)

    @cached_property
    def _compares(self) -> str:
        """What the matcher compares. Raises OptionError where texts alone do not have it."""
        compares: str = getattr(self._part, "compares", "sets")
        wrong = ""
        if compares == "codes":
            wrong = "compares codes of sentences, not texts"
        elif getattr(self._part, "needs_dictionary", False):
            wrong = "weights terms by a dictionary; score(fingerprint(…), fingerprint(…)) has one"
        if wrong:
            raise OptionError(f"matcher {self.matcher.name} {wrong}", place="similarity")
        return compares

    @cached_property
    def _part(self) -> Any:
        return build("matchers", self.matcher)

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.recipe)


def _shared_runs(shingles: Iterable[tuple[int, str]], others: set[int]) -> dict[str, int]:
    """The runs of shingles that are among `others`, with the number of those that are new in each.

    >>> _shared_runs([(1, "be"), (2, "ee"), (3, "es"), (4, "s "), (1, "be")], {1, 2, 4})
    {'bee': 2, 's ': 1}
    """
    runs: list[tuple[str, int]] = []
    seen: set[int] = set()
    last = ""  # the shingle before, if it is shared
    for key, shingle in shingles:
        if key not in others:
            last = ""
            continue
        tail = _continuation(last, shingle)
        if last and tail is not None:
            runs[-1] = (runs[-1][0] + tail, runs[-1][1] + (key not in seen))
        else:
            runs.append((shingle, int(key not in seen)))
        last = shingle
        seen.add(key)
    counts: dict[str, int] = {}
    for run, number in runs:
        counts[run] = counts.get(run, 0) + number
    return {run: number for run, number in counts.items() if number}


def _continuation(last: str, shingle: str) -> str | None:
    """What a shingle adds to the one before: a character or a word; None if it adds more."""
    if last[1:] == shingle[:-1]:
        return shingle[-1:]
    *start, word = shingle.split(" ")
    return f" {word}" if start and last.split(" ")[1:] == start else None


def shortened(run: str) -> str:
    """The beginning of a long run, with an ellipsis."""
    return run if len(run) <= _LONGEST else f"{run[: _LONGEST - 1]}…"
