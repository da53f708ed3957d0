"""The similarity of two texts, without a dictionary and without a collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.collection_recipe import with_shingle_length
from sdtext.errors import MismatchError, OptionError, naming_arguments
from sdtext.fingerprinting.compare_fingerprints import Score
from sdtext.model import Match, PartSpec, RecipeSpec, SharedTerm, Similarity
from sdtext.parts.bundled_dictionaries_and_recipes import RECIPES
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.parts.matchers import with_defaults
from sdtext.parts.registry import build, parse, translated
from sdtext.reading.options import Reading
from sdtext.reading.text_arguments import TextOrFile, document_of_text
from sdtext.search.search_plan import recipe_of_whole_documents

DEFAULT_RECIPE = "short-texts"
"""The recipe that comes with sdtext under this name."""

_SIDES = ("left", "right")
_JACCARD = PartSpec("jaccard")


@naming_arguments
def similarity(
    left: TextOrFile,
    right: TextOrFile,
    matcher: str | None = None,
    recipe: RecipeLike = DEFAULT_RECIPE,
    reading: Reading | None = None,
) -> Score:
    """The similarity of two texts: `score` from 0 to 99, `similarity` from 0 to 1.

    A string is a text, a `Path` a file; either may be a `Document`. They are compared as documents
    of a collection by that recipe are: by their shingles, or where the recipe names no shingler by
    their terms. The default is shingles of 4 characters (up to 9 of long texts). `matcher` is
    `name` or `name(option=value)`; by default that of the recipe. `reading` says how to read files,
    within which limits. Raises OptionError, UnreadableError, and MismatchError where a side has
    nothing to compare.

    >>> result = similarity("The bees dance in the hive.", "The bees danced in the hive!")
    >>> result.score, round(result.similarity, 3), result.matcher
    (73, 0.731, 'jaccard')
    >>> [item.term for item in result.shared_terms]
    ['the bees dance', ' in the hive']
    >>> similarity("to be or not to be", "not to be", matcher="edit", recipe="deduplicate").score
    50
    """
    _check_options(matcher, recipe)
    given = zip(_SIDES, (left, right), strict=True)
    how = reading or Reading()
    texts = [document_of_text("similarity", name, side, how).clean for name, side in given]
    whole = recipe_of_whole_documents(_recipe(recipe))
    settled, _ = with_shingle_length(whole, lambda: max(map(len, texts)))
    return _comparer(settled, matcher)(*texts)


def _check_options(matcher: object, recipe: object) -> None:
    """OptionError for an option of another type."""
    if not isinstance(matcher, str | None):
        wanted = "the name of a matcher, such as jaccard"
        raise OptionError.of("similarity", "matcher", matcher, wanted)
    if not isinstance(recipe, str | Path | RecipeSpec):
        wanted = "a recipe, the name of one, or the path of its file"
        raise OptionError.of("similarity", "recipe", recipe, wanted)


def _recipe(given: RecipeLike) -> RecipeSpec:
    """The recipe; one that comes with sdtext is loaded once."""
    bundled = _bundled(given) if isinstance(given, str) else None
    return bundled or recipe_from(given)


@lru_cache(maxsize=16)
def _bundled(name: str) -> RecipeSpec | None:
    return recipe_from(name) if RECIPES.path(name) else None


@lru_cache(maxsize=16)
def _comparer(recipe: RecipeSpec, matcher: str | None) -> TextComparer:
    spec = parse(matcher) if matcher else recipe.matcher or _JACCARD
    return TextComparer(recipe, translated("matchers", spec))


@dataclass(frozen=True)
class TextComparer:
    """Compares clean texts by the shingles or terms of a recipe."""

    recipe: RecipeSpec
    matcher: PartSpec

    def __call__(self, *texts: str) -> Score:
        """The score of two texts. Raises MismatchError where one has nothing to compare."""
        match = self._of_sequences(texts) if self._compares == "sequences" else self._of_sets(texts)
        return Score(str(self.matcher), match, (match,), explain=partial(self.shared, *texts))

    def shared(self, left: str, right: str) -> tuple[SharedTerm, ...]:
        """What two texts share: runs of shingles, the longest first, or terms."""
        if self._compares == "sequences" or not self.recipe.shingler:
            terms, others = map(Counter, self._terms((left, right)))
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

    def _of_sets(self, texts: Sequence[str]) -> Match:
        left, right = self._sets(texts)
        _check(left, right)
        common = len(left & right)
        similarity = with_defaults(self._part)(common, len(left), len(right))
        return Match(similarity, common, len(left), len(right))

    def _sets(self, texts: Sequence[str]) -> list[set[Any]]:
        """The shingles of each text, or its terms where the recipe names no shingler."""
        if self.recipe.shingler:
            rows = self._encoder.sets(self._encoder.block(texts))
            return [set(rows[place].tolist()) for place in range(len(texts))]
        return [set(terms) for terms in self._terms(texts)]

    def _terms(self, texts: Sequence[str]) -> list[list[str]]:
        block = self._encoder.tokens(texts)
        return [block.terms_of(place) for place in range(len(texts))]

    def _of_sequences(self, texts: Sequence[str]) -> Match:
        left, right = self._terms(texts)
        _check(left, right)
        common = (Counter(left) & Counter(right)).total()
        similarity: Similarity = self._part.of_sequences(left, right)
        return Match(similarity, common, len(left), len(right))


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


def _check(*sides: Sized) -> None:
    for name, side in zip(_SIDES, sides, strict=True):
        if not side:
            raise MismatchError(
                f"{name} has no terms by the recipe, so it is similar to nothing",
                place="similarity",
            )
