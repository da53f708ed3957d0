"""The options of a search, and its plan: recipe, matcher and columns that answer the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sdtext.collections.collection_recipe import chain_differences
from sdtext.collections.schema import keeps_codes, keeps_places, keeps_sketches
from sdtext.errors import MismatchError, OptionError
from sdtext.model import DictionaryReference, PartSpec, RecipeSpec
from sdtext.model.calibration import Calibration, most_sensitive
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS, least_score
from sdtext.parts.indexes import Bands, ColumnIndex, Index, Scan
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build, find, names_of, normalised, parse, translated
from sdtext.parts.units.term_segments import Segment
from sdtext.search.scoring import Scorer
from sdtext.search.searchable import Derivation, Searchable

DEFAULT_TOP, DEFAULT_MINIMUM = 10, 3
"""What a query gives by default: the best documents for it from this score up.

By shingles, the best of those that share rare text (`BySets.share_rare_text`).
"""
LEAST_OF_SKETCHES = 6
"""The default minimum of sketches: a thousandth of unrelated pairs reach it (docs/sharing.md)."""
_MINIMUM = 80  # where the recipe has no index that states a similarity
_WHOLE = "deduplicate"  # the recipe whose shingles compare documents that are stored for passages


@dataclass(frozen=True)
class Question:
    """The least score, the matcher and the other options of a search.

    They are those of `Collection.pairs` and `similar`, but for these:

    - `minimum`: the least similarity in per cent, such as the score 80. Default: for pairs the
      similarity of the recipe's index; for a query the best 10 documents from 3 up, or those that
      share rare shingles; with `top` the best of all.
    - `where`: the condition that selects stored documents (of two collections: of the first).
    - `min_terms`: the least number of terms of a bit vector that is scored.
    - `segment`: the length and step of segments, by which documents are compared, too.
    - `rare`: whether documents that share no more than what many have are left out.

    >>> Question(minimum=80, matcher="jaccard").minimum
    80
    """

    minimum: float | None = None
    matcher: str | None = None
    top: int | None = None
    where: str | None = None
    recall: float | None = None
    recipe: RecipeSpec | None = None
    estimate: bool = False
    index: str | None = None
    recommended: bool = False
    min_terms: int = MIN_TERMS
    explain: int = 0
    segment: Segment | None = None
    rare: bool = False

    def __post_init__(self) -> None:
        for name, is_right, wanted in (
            ("minimum", 0 <= (self.minimum or 0) <= 100, "a score from 0 to 99"),
            ("top", self.top is None or self.top >= 1, "1 or more"),
            ("recall", self.recall is None or 0 < self.recall < 1, "above 0 and below 1"),
            ("min_terms", self.min_terms >= 0, "0 or more"),
            ("explain", self.explain >= 0, "0 or more"),
        ):
            if not is_right:
                raise OptionError.of("search", name, getattr(self, name), wanted)

    @classmethod
    def of(cls, similarity: float | None, **options: Any) -> Question:
        """The question with that least similarity, from 0 to 1. Raises OptionError."""
        if similarity is not None and not 0 <= similarity <= 1:
            raise OptionError.of("search", "similarity", similarity, "a number from 0 to 1")
        return cls(None if similarity is None else 100 * similarity, **options)

    @property
    def least(self) -> int | None:
        """The least score of the minimum."""
        return None if self.minimum is None else least_score(self.minimum / 100)


@dataclass(frozen=True)
class SearchPlan:
    """How a question is answered.

    `compares` is "shingles", "weights" (of shingles), "sketches", "bits" or "sequences".
    """

    question: Question
    stored: RecipeSpec
    recipe: RecipeSpec
    matcher: PartSpec
    compares: str
    dictionary: Dictionary | None = None
    over: DictionaryReference | None = None

    @property
    def reference(self) -> DictionaryReference:
        """The dictionary of the bit vectors, which need not be at hand."""
        if self.over:
            return self.over
        assert self.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        return self.dictionary.reference()

    def for_queries(self) -> SearchPlan:
        """The plan for queries: without a minimum they ask for the best of all documents."""
        asked = self.question
        if asked.minimum is not None:
            return self
        if asked.top is not None:
            return replace(self, question=replace(asked, minimum=1))
        if asked.estimate or asked.recall is not None or self.compares == "sequences":
            return self
        rare = self.compares == "shingles"
        minimum = 1 if rare else DEFAULT_MINIMUM
        if self.compares == "sketches":
            minimum = LEAST_OF_SKETCHES
        by_default = replace(asked, minimum=minimum, top=DEFAULT_TOP, rare=rare)
        return replace(self, question=by_default)

    @cached_property
    def derivation(self) -> Derivation:
        """The source of shingles, sketches and band keys."""
        return Derivation(self.stored, self.recipe)

    @cached_property
    def scorer(self) -> Scorer:
        """The scorer of sets; for sequences and weights, the one that selects pairs for these."""
        selects = self.compares in ("sequences", "weights")
        return Scorer(PartSpec("jaccard") if selects else self.matcher)

    @cached_property
    def stated_index(self) -> Index | None:
        """The index that the question or the recipe states."""
        stated = self.question.index
        spec = translated("indexes", parse(stated)) if stated else self.recipe.index
        return None if spec is None else build("indexes", spec)

    @cached_property
    def index(self) -> Index:
        """The stated index with the required recall; the default bands if it has none for sets."""
        stated = self.stated_index
        of_sets = stated is not None and not isinstance(stated, ColumnIndex)
        part: Index = stated if stated and of_sets else build("indexes", PartSpec("bands"))
        recall = self.question.recall
        if recall is None or not isinstance(part, Bands):
            return part
        return replace(part, recall=recall, bands=0, rows=0)

    @property
    def minimum(self) -> int:
        """The least score: that of the question, else that for which the index is made."""
        asked = self.question.least
        return max(1, self._default_minimum if asked is None else asked)

    @property
    def _default_minimum(self) -> int:
        if self.compares == "sketches":
            return LEAST_OF_SKETCHES
        return round(100 * self.index.similarity) if isinstance(self.index, Bands) else _MINIMUM

    @cached_property
    def part(self) -> Any:
        """The matcher itself."""
        return build("matchers", self.matcher)

    @property
    def calibrations(self) -> list[Calibration]:
        """That of the dictionary for the matcher, if there is one."""
        known = self.dictionary.calibration(str(self.matcher)) if self.dictionary else None
        return [known] if known else []

    @property
    def symmetric(self) -> bool:
        """Whether left and right can change places."""
        return bool(getattr(self.part, "symmetric", True))

    @property
    def least_of_sets(self) -> int:
        """The least score of the sets of shingles: for sequences that of the index."""
        return self._default_minimum if self.compares == "sequences" else self.minimum

    @cached_property
    def jaccard(self) -> float:
        """The least Jaccard similarity of the pairs searched for; 0 where there is no bound."""
        return self.scorer.part.least_jaccard(self.least_of_sets / 100)

    @property
    def allows_join(self) -> bool:
        """Whether an exact join may replace the bands where that is little work.

        Not where a recall, a layout of bands or an estimate was asked for.
        """
        laid_out = isinstance(self.index, Bands) and self.index.bands > 0
        return not (self.question.estimate or self.question.recall is not None or laid_out)

    def bands_for(self, slots: int) -> Bands | None:
        """The bands for sketches of `slots` that find such pairs; None where there are none.

        Bands that the index states itself are used unchanged.
        """
        is_bound = self.scorer.part.symmetric and self.jaccard > 0
        if not is_bound or not isinstance(self.index, Bands):
            return None
        bands = replace(self.index, similarity=self.jaccard)
        if bands.bands:
            return bands
        try:
            bands.layout(slots)
        except OptionError:
            return None
        return bands

    def check_index(self) -> None:
        """OptionError where the index of the question is not one for what is compared."""
        compared, names, index = {
            "bits": ("bit vectors", "columns or scan", ColumnIndex),
            "sketches": ("sketches", "scan", Scan),
        }.get(self.compares, ("shingles", "bands or scan", Bands))
        if not isinstance(self.stated_index, Scan | index):
            raise OptionError(
                f"index is {self.question.index!r}, but {compared} are compared; it must be {names}"
            )


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


def in_words(matcher: str, dictionaries: Iterable[Dictionary]) -> str:
    """A matcher, and that its weights are coarse where they are those of a keyed dictionary."""
    is_coarse = any(dictionary.is_keyed for dictionary in dictionaries)
    if is_coarse and build("matchers", parse(matcher)).needs_dictionary:
        return f"{matcher} with coarse weights: the dictionary is keyed"
    return matcher


def recommended_calibration(question: Question, dictionaries: Iterable[Dictionary]) -> Calibration:
    """The calibration of these dictionaries whose matcher finds most at its recommended levels.

    Raises OptionError where there is none, or none with such a level, or the question has a matcher
    or a minimum.
    """
    if question.matcher is not None or question.minimum:
        raise OptionError("recommended sets the matcher and the minimum; leave these out")
    calibrations = [item for dictionary in dictionaries for item in dictionary.calibrations]
    best = most_sensitive(calibrations)
    if best:
        return best
    why = "the dictionary is not calibrated; Calibrate measures it with documents like yours"
    if calibrations:
        why = "the sample of the calibration is too small; calibrate it with more documents"
    raise OptionError(f"no score is recommended: {why}")


def plan_search(searched: Searchable, question: Question) -> SearchPlan:
    """The plan for a collection. Raises MismatchError or OptionError where there is none."""
    stored, has_bits = searched.recipe, bool(searched.dictionaries)
    if question.recommended:
        question = as_recommended(question, searched.dictionaries[:1])
    recipe = question.recipe or stored
    _check_sketches(stored, recipe)
    if keeps_codes(recipe):  # shingles of sentences are none of documents
        recipe = RecipeSpec(recipe.tokenizer, recipe.filters)
    if keeps_places(question.recipe or stored) and not recipe.shingler and not has_bits:
        if question.recipe:
            what = "the recipe is for passages, which FindReuse finds; to compare whole documents, "
            what += "name a recipe with the same tokenizer and filters and with a shingler, or none"
            raise MismatchError(what)
        recipe = recipe_of_whole_documents(stored)
    if (stored.shingler or question.recipe) and not recipe.shingler and not has_bits:
        what = "the recipe names no shingler, by which documents of this collection are compared"
        raise MismatchError(f"{what}; add one to it, or name no recipe")
    default = "jaccard" if recipe.shingler else default_matcher(searched.dictionaries)
    named = None if question.matcher or not recipe.matcher else recipe.matcher
    matcher = named or normalised("matchers", parse(question.matcher or default))
    compares = "sketches"
    if not keeps_sketches(recipe) or has_bits:
        compares = _compared(matcher, has_shingles=recipe.shingler is not None, has_bits=has_bits)
    elif getattr(find("matchers", matcher.name), "compares", "sets") != "sets":
        raise MismatchError(f"{matcher.name} does not compare sketches; use idf-cosine or jaccard")
    dictionary = searched.dictionaries[0] if compares == "bits" else None
    plan = SearchPlan(question, stored, recipe, matcher, compares, dictionary)
    if question.index is not None:
        plan.check_index()
    if question.estimate and compares == "bits":
        raise OptionError("an estimate needs sketches of shingles; these are bit vectors")
    if question.estimate and not (compares == "shingles" and plan.scorer.part.is_of_jaccard):
        of_jaccard = [
            name
            for name in names_of("matchers")
            if getattr(find("matchers", name), "is_of_jaccard", False)
        ]
        what = f"{matcher.name} cannot be estimated from sketches; estimates are for "
        raise OptionError(f"{what}{' and '.join(of_jaccard)}")
    return plan


def _check_sketches(stored: RecipeSpec, asked: RecipeSpec) -> None:
    if keeps_sketches(stored) != keeps_sketches(asked):
        raise MismatchError(
            "only one of the two has sketches of documents; search a collection by its own recipe, "
            "or add its documents to a new one"
        )


def as_recommended(question: Question, dictionaries: Sequence[Dictionary]) -> Question:
    """The question with the matcher that is recommended, and the lowest level of 1 %."""
    if not dictionaries:
        what = "the collection has no bit vectors; add documents with a dictionary"
        raise OptionError(f"no score is recommended: {what}")
    best = recommended_calibration(question, dictionaries)
    return replace(question, matcher=best.matcher, minimum=best.lowest_level)


def recipe_of_whole_documents(stored: RecipeSpec) -> RecipeSpec:
    """The recipe that compares whole documents of a collection: `stored`, if it has shingles.

    Documents that are stored for passages alone are compared by shingles of their tokens.

    >>> str(recipe_of_whole_documents(load_recipe("reuse")).fingerprint)
    'minhash'
    """
    if not keeps_places(stored) or (stored.shingler and not keeps_codes(stored)):
        return stored
    return replace(load_recipe(_WHOLE), tokenizer=stored.tokenizer, filters=stored.filters)


def _compared(matcher: PartSpec, *, has_shingles: bool, has_bits: bool) -> str:
    part = find("matchers", matcher.name)
    compares = getattr(part, "compares", "sets")
    if compares == "codes":
        what = f"{matcher.name} compares codes of sentences, not documents"
        raise MismatchError(f"{what}; look for passages (FindReuse), or name another matcher")
    if compares == "sequences":
        if not has_shingles:
            raise MismatchError(f"{matcher.name} finds pairs by shingles, but there are none")
        return "sequences"
    if has_bits and (getattr(part, "prefers_vectors", False) or not has_shingles):
        return "bits"
    if has_shingles and getattr(part, "weighs_shingles", False):
        return "weights"
    if getattr(part, "needs_dictionary", False):
        what = f"{matcher.name} compares bit vectors, and the collection has none"
        raise MismatchError(f"{what}; add documents with a dictionary")
    if not has_shingles:
        raise MismatchError("the collection has neither shingles nor bit vectors to compare")
    return "shingles"


def plan_for_second(left: SearchPlan, right: Searchable) -> SearchPlan:
    """The plan for the second of two collections, with the options of the first."""
    if left.compares == "bits":
        assert left.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        if all(other.digest != left.dictionary.digest for other in right.dictionaries):
            raise MismatchError(
                "the second collection has no bit vectors made with the dictionary of the first: "
                f"{left.dictionary.name or left.dictionary.guid}"
            )
    _check_sketches(right.recipe, left.recipe)
    if right.recipe.canonical() != left.recipe.canonical():
        difference = next(chain_differences(right.recipe, left.recipe, "the first"))
        what = f"the second collection has other tokens than the first: {difference}; add its "
        raise MismatchError(f"{what}documents to a new collection with the recipe of the first")
    return replace(left, stored=right.recipe)
