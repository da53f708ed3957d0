"""A question made definite for a collection: which recipe, matcher and columns answer it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sdtext.collections.schema import keeps_codes, keeps_places
from sdtext.errors import MismatchError, OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.catalogue import build, find, names_of, parse, translated
from sdtext.parts.indexes import Banding, Index
from sdtext.search.columns import Searchable
from sdtext.search.derivation import Making
from sdtext.search.question import Question
from sdtext.search.scoring import Scorer

_USUAL = 80  # where no index says which similarity is looked for


@dataclass(frozen=True)
class Plan:
    """How a question is answered: `compares` is "shingles", "bits" or "sequences"."""

    question: Question
    stored: RecipeSpec
    recipe: RecipeSpec
    matcher: PartSpec
    compares: str
    dictionary: Dictionary | None = None

    @cached_property
    def making(self) -> Making:
        """What makes the shingles and sketches."""
        return Making(self.stored, self.recipe)

    @cached_property
    def scorer(self) -> Scorer:
        """What scores pairs of sets; for sequences, what finds the pairs that are looked at."""
        return Scorer(PartSpec("jaccard") if self.compares == "sequences" else self.matcher)

    @cached_property
    def index(self) -> Index:
        """The index of the recipe, with the recall that is asked for; the usual bands if none."""
        part: Index = build("indexes", self.recipe.index or PartSpec("bands"))
        recall = self.question.recall
        if recall is None or not isinstance(part, Banding):
            return part
        return replace(part, recall=recall, bands=0, rows=0)

    @property
    def minimum(self) -> int:
        """The least score that counts: what is asked for, else what the index is made for."""
        asked = self.question.minimum
        return max(1, self._usual if asked is None else asked)

    @property
    def _usual(self) -> int:
        return round(100 * self.index.similarity) if isinstance(self.index, Banding) else _USUAL

    @cached_property
    def part(self) -> Any:
        """The matcher itself."""
        return build("matchers", self.matcher)

    @property
    def symmetric(self) -> bool:
        """Whether left and right can change places."""
        return bool(getattr(self.part, "symmetric", True))

    @property
    def least_of_sets(self) -> int:
        """The least score of the sets of shingles: for sequences that of the index."""
        return self._usual if self.compares == "sequences" else self.minimum

    @cached_property
    def jaccard(self) -> float:
        """The least Jaccard similarity of the pairs looked for, 0 where there is no bound."""
        return self.scorer.part.least_jaccard(self.least_of_sets / 100)

    @property
    def lets_join(self) -> bool:
        """Whether pairs may be found by their shingles alone, where that is soon done.

        Not where a recall or a layout of bands was asked for, or an estimate.
        """
        laid_out = isinstance(self.index, Banding) and self.index.bands > 0
        return not (self.question.estimate or self.question.recall is not None or laid_out)

    def bands_for(self, slots: int) -> Banding | None:
        """The bands of sketches of `slots` that find such pairs, None where none do.

        Where the index names its bands itself, these are taken as they are.
        """
        if not self.jaccard or not isinstance(self.index, Banding):
            return None
        bands = replace(self.index, similarity=self.jaccard)
        if bands.bands:
            return bands
        try:
            bands.layout(slots)
        except OptionError:
            return None
        return bands

    @property
    def share(self) -> float:
        """The least share of its own shingles that one of the two has in common with the other.

        Of the left one where the matcher is not symmetric, else of the smaller.
        """
        return self.scorer.part.least_share(self.least_of_sets / 100)

    def check_estimate(self) -> None:
        """OptionError where sketches alone cannot give scores by the matcher."""
        if not (self.compares == "shingles" and self.scorer.part.is_of_jaccard):
            raise OptionError(
                f"{self.matcher.name} cannot be estimated from sketches; estimates are for "
                f"{' and '.join(_estimated())}"
            )


def _estimated() -> list[str]:
    """The matchers that sketches can estimate."""
    return [
        name
        for name in names_of("matchers")
        if getattr(find("matchers", name), "is_of_jaccard", False)
    ]


def planned(searched: Searchable, question: Question) -> Plan:
    """How that collection answers. Raises MismatchError or OptionError where it cannot."""
    stored = searched.recipe
    recipe = _of_documents(question.recipe or stored, has_bits=bool(searched.dictionaries))
    has_shingles = recipe.shingler is not None
    matcher = _matcher(question, recipe, has_shingles=has_shingles, searched=searched)
    if not has_shingles and stored.shingler and not searched.dictionaries:
        raise MismatchError(
            "the recipe names no shingler, and the collection has only shingles to compare; add "
            "shingler = 'words' to the recipe, or leave it out"
        )
    compares = _compared(matcher, has_shingles=has_shingles, has_bits=bool(searched.dictionaries))
    dictionary = searched.dictionaries[0] if compares == "bits" else None
    plan = Plan(question, stored, recipe, matcher, compares, dictionary)
    build("matchers", matcher)
    if question.estimate:
        if compares == "bits":
            raise OptionError("an estimate needs sketches of shingles; these are bit vectors")
        plan.check_estimate()
    return plan


def _of_documents(recipe: RecipeSpec, *, has_bits: bool) -> RecipeSpec:
    """The recipe without what it says of sentences; MismatchError where nothing else is left."""
    found = RecipeSpec(recipe.tokenizer, recipe.filters) if keeps_codes(recipe) else recipe
    if keeps_places(recipe) and found.shingler is None and not has_bits:
        raise MismatchError(
            "the recipe is for passages, which FindReuse finds; to compare whole documents, name "
            "a recipe with the same tokenizer and filters and with a shingler (-c)"
        )
    return found


def _matcher(
    question: Question, recipe: RecipeSpec, *, has_shingles: bool, searched: Searchable
) -> PartSpec:
    """The matcher that is asked for, else the recipe's, else the one that suits what there is."""
    if question.matcher:
        return translated("matchers", parse(question.matcher))
    if recipe.matcher:
        return recipe.matcher
    if has_shingles:
        return PartSpec("jaccard")
    weighs = any(one.max_idf > 0 for one in searched.dictionaries)
    return PartSpec("idf-cosine" if weighs else "cosine")


def _compared(matcher: PartSpec, *, has_shingles: bool, has_bits: bool) -> str:
    """What the matcher compares of a collection."""
    part = find("matchers", matcher.name)
    compares = getattr(part, "compares", "sets")
    if compares == "codes":
        raise MismatchError(
            f"{matcher.name} compares codes of sentences, not documents; look for passages "
            "(FindReuse), or name another matcher, such as jaccard"
        )
    if compares == "sequences":
        if not has_shingles:
            raise MismatchError(f"{matcher.name} finds pairs by shingles, but there are none")
        return "sequences"
    if has_bits and (getattr(part, "prefers_vectors", False) or not has_shingles):
        return "bits"
    if getattr(part, "needs_dictionary", False):
        raise MismatchError(
            f"{matcher.name} compares bit vectors, and the collection has none; add documents "
            "with -d"
        )
    if not has_shingles:
        raise MismatchError("the collection has neither shingles nor bit vectors to compare")
    return "shingles"


def together(left: Plan, right: Searchable) -> Plan:
    """The plan for the second of two collections, which is searched as the first."""
    if left.compares == "bits":
        assert left.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        if all(one.digest != left.dictionary.digest for one in right.dictionaries):
            raise MismatchError(
                "the second collection has no bit vectors made with the dictionary of the first: "
                f"{left.dictionary.name or left.dictionary.guid}"
            )
    return replace(left, stored=right.recipe)
