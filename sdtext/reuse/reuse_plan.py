"""What is asked in a search for text reuse, and the plan of the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from math import ceil
from numbers import Integral, Real

from sdtext._version import __version__
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.collections.schema import keeps_codes, keeps_places
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.stored_word_offsets_and_codes import without
from sdtext.errors import MismatchError, OptionError, shown
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.displayed_results import ShortFields
from sdtext.parts.indexes import Windows
from sdtext.parts.load_recipe import RecipeLike, load_recipe, recipe_from
from sdtext.parts.registry import build
from sdtext.reading.walk import Paths, path_list
from sdtext.reuse.passage_finder import PassageFinder
from sdtext.reuse.reuse_documents import CHAPTERS, QUOTES, REFERENCES, SENTENCES, TEXTS
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.reuse.window_finder import WindowFinder

METHODS = ("windows", "sentences")
_PART = "find_reuse"
WINDOWS = "windows"
_METHODS = {"windows": WINDOWS, "sentences": SENTENCES, "groups": SENTENCES}
_ROUNDING = 1e-9
_NAMED_WINDOWS: Mapping[str, tuple[int, int]] = {"short": (20, 9), "verbatim": (100, 5)}
"""The window length and the distance, in terms, that an option stands for."""

_RECIPES = {WINDOWS: "reuse", SENTENCES: "evidence"}


@dataclass(frozen=True, repr=False)
class ReuseQuestion(ShortFields):
    """How to search for text reuse; the recipe decides what is not given.

    - `method`: "windows" (of `w` terms, of which `distance` may differ) or "sentences" (whose codes
      differ in at most `distance` bits).
    - `short`: also find short quotations, by windows of 20 terms of which 9 may differ. `verbatim`:
      find nearly equal passages, by windows of 100 terms of which 5 may differ.
    - `similarity`, above 0 and at most 1, in place of the distance: how similar windows or
      sentences must be. `recall`, above 0 and below 1: the required probability that a pair of
      sentences of just this similarity is found.
    - `ordered`: the terms must come in the same order.
    - `min_passage`: minimum length of a passage in terms.
    - `where`: a condition that selects stored documents (of two collections, of the first), such as
      "year >= 2019".
    - `recipe` (or its name, or its path) replaces that of the collection; its chain must be the
      same.
    - `unit`: "chapter" reports the share of each chapter, too. `edits`: report the edits inside of
      passages.
    - `texts`: the documents of the evidence that share passages have their texts.
    - `exclude_quotes`, `exclude_references`, `exclude`: passages within quotations, within
      reference lists and in the text of these files do not count.

    >>> ReuseQuestion(w=20, distance=9).w
    20
    >>> question = ReuseQuestion(short=True).with_window
    >>> question.w, question.distance
    (20, 9)
    """

    method: str = ""
    w: int | None = None
    distance: int | None = None
    similarity: float | None = None
    recall: float | None = None
    ordered: bool = False
    min_passage: int | None = None
    where: str | None = None
    recipe: RecipeLike | None = None
    unit: str | None = None
    edits: bool = True
    texts: bool = False
    exclude_quotes: bool = False
    exclude_references: bool = False
    exclude: Paths = ()
    short: bool = False
    verbatim: bool = False

    def __post_init__(self) -> None:
        if self.method not in ("", *METHODS):
            raise OptionError.of(_PART, "method", self.method, " or ".join(METHODS))
        for name, least in (("w", 1), ("distance", 0), ("min_passage", 1)):
            _check_integer(name, getattr(self, name), least)
        if self.unit not in (None, "chapter"):
            raise OptionError.of(_PART, "unit", self.unit, '"chapter" or None')
        _check_fraction("similarity", self.similarity, "above 0 and at most 1")
        _check_fraction("recall", self.recall, "above 0 and below 1")
        self._check_window()
        if self.distance is not None and (self.similarity, self.recall) != (None, None):
            raise OptionError(
                "distance and similarity set the same limit; give one of them, and recall only "
                "with similarity",
                place=_PART,
            )

    def _check_window(self) -> None:
        """Raise OptionError where options set the same window."""
        named = [name for name in _NAMED_WINDOWS if getattr(self, name)]
        names = ("w", "distance", "similarity")
        given = [*named, *(name for name in names if getattr(self, name) is not None)]
        if named and len(given) > 1:
            what = f"{named[0]} sets w and distance; leave {' and '.join(given[1:])} out"
            raise OptionError(what, place=_PART)

    @property
    def with_window(self) -> ReuseQuestion:
        """The same with the window and the distance that `short` or `verbatim` stands for."""
        for name, (w, distance) in _NAMED_WINDOWS.items():
            if getattr(self, name):
                return replace(self, w=w, distance=distance, short=False, verbatim=False)
        return self


def _check_integer(name: str, given: object, least: int) -> None:
    if given is None:
        return
    if not isinstance(given, Integral) or isinstance(given, bool) or given < least:
        raise OptionError.of(_PART, name, given, f"{least} or more")


def _check_fraction(name: str, given: object, wanted: str) -> None:
    if given is None:
        return
    in_range = isinstance(given, Real) and 0 < float(given) <= 1
    if not in_range or (name == "recall" and given == 1):
        raise OptionError.of(_PART, name, given, wanted)


@cache
def default_recipe(method: str) -> RecipeSpec:
    """The recipe for "windows" or "sentences" that comes with sdtext.

    >>> default_recipe("windows").aligner
    PartSpec(name='windows', options=())
    """
    return load_recipe(_RECIPES[method])


@dataclass(frozen=True)
class ReusePlan:
    """The recipe that turns documents into words, and the finder of passages."""

    question: ReuseQuestion
    recipe: RecipeSpec
    finder: PassageFinder
    collections: Sequence[StoredCollection] = ()

    @property
    def wants(self) -> frozenset[str]:
        """What the search needs of documents beside their words."""
        question = self.question
        wanted = {
            CHAPTERS: bool(question.unit),
            QUOTES: question.exclude_quotes,
            REFERENCES: question.exclude_references,
            SENTENCES: isinstance(self.finder, SentenceFinder),
            TEXTS: self.question.texts,
        }
        return frozenset(name for name, needed in wanted.items() if needed)

    @property
    def parameters(self) -> dict[str, str]:
        """Everything that determines the result, as text."""
        question, chain = self.question, self.recipe
        left_out = {QUOTES: question.exclude_quotes, REFERENCES: question.exclude_references}
        values = {
            **self.finder.parameters,
            "tokenizer": str(chain.tokenizer),
            "filters": " ".join(map(str, chain.filters)),
            "chain SHA-256": sha256(chain.canonical().encode("utf-8")).hexdigest(),
            "collections": ", ".join(map(_path_and_guid, self.collections)),
            "left out": ", ".join(name for name, out in left_out.items() if out),
            "templates": ", ".join(map(shown, path_list(question.exclude))),
            "where": question.where or "",
            "program": f"sdtext {__version__}",
        }
        return {name: value for name, value in values.items() if value}


def plan_reuse(question: ReuseQuestion, collections: Sequence[StoredCollection] = ()) -> ReusePlan:
    """The plan for a question about some collections, or about files alone.

    Raises OptionError, and MismatchError where the collections and the recipe do not match.
    """
    question = question.with_window
    if question.where and not collections:
        raise OptionError("where selects stored documents, but there is no collection")
    given = (
        recipe_from(question.recipe) if question.recipe is not None else _stored_recipe(collections)
    )
    if question.recipe is not None and not question.method:
        _check_purpose(given)
    method = question.method or _method_of(given)
    recipe = given or default_recipe(method)
    for collection in collections:
        if method == WINDOWS and not keeps_places(collection.recipe):
            raise without(collection.name, "places of words", "reuse")
        _check_chain(collection, recipe, collections[0] if question.recipe is None else None)
    if method == WINDOWS:
        return ReusePlan(question, recipe, _window_finder(question, recipe), collections)
    for collection in collections:
        recipe = _with_stored_sentences(collection, recipe)
    return ReusePlan(question, recipe, _sentence_finder(question, recipe), collections)


def _path_and_guid(collection: StoredCollection) -> str:
    """The path of a collection, and its GUID, which its copies share."""
    guid = f" ({collection.guid})" if collection.guid else ""
    return f"{collection.name}{guid}"


def _with_stored_sentences(collection: StoredCollection, recipe: RecipeSpec) -> RecipeSpec:
    """The recipe with the parts that make the collection's sentence codes. Raises MismatchError."""
    stored = collection.recipe
    if not keeps_codes(stored):
        raise MismatchError(
            "has no sentence codes; create it again with a recipe that makes them, such as "
            "evidence, or compare windows",
            file=collection.name,
        )
    parts = {key: getattr(stored, key) for key in ("unit", "shingler", "fingerprint")}
    for key, part in parts.items():
        if (given := getattr(recipe, key)) not in (None, part):
            raise MismatchError(
                f"its {key} is {part or 'not named'}, that of the recipe is {given}; sentence "
                "codes made in different ways cannot be compared",
                file=collection.name,
            )
    return replace(recipe, **parts)


def _stored_recipe(collections: Sequence[StoredCollection]) -> RecipeSpec | None:
    return collections[0].recipe if collections else None


def _method_of(recipe: RecipeSpec | None) -> str:
    """The method that the aligner or the index of a recipe implies, else windows."""
    parts = (recipe.aligner, recipe.index) if recipe else ()
    return next((_METHODS[part.name] for part in parts if part and part.name in _METHODS), WINDOWS)


def _check_purpose(recipe: RecipeSpec | None) -> None:
    """OptionError for a recipe whose index finds similar documents, and not passages.

    Such recipes mostly keep stop words, of which unrelated windows share many.
    """
    index = recipe.index if recipe else None
    if recipe and index and not recipe.aligner and index.name not in _METHODS:
        raise OptionError(
            f"the recipe finds similar documents (index {index.name}), not passages; leave it out, "
            "or name one for passages, such as reuse"
        )


def _check_chain(
    collection: StoredCollection, recipe: RecipeSpec, first: StoredCollection | None
) -> None:
    """MismatchError unless a collection has the words of a recipe: that of the first, if given."""
    if collection.recipe.canonical() == recipe.canonical():
        return
    what = "its words were made with another tokenizer or other filters"
    if first is None:
        remedy = "than the recipe names; use the recipe of the collection, or create it again"
    else:
        remedy = f"than those of {first.name}; create one of the two again with the same recipe"
    raise MismatchError(f"{what} {remedy}", file=collection.name)


def _window_finder(question: ReuseQuestion, recipe: RecipeSpec) -> WindowFinder:
    """The windows of the question, else those of the recipe, with the recipe's aligner."""
    if question.recall is not None:
        raise OptionError(
            "recall is for sentences, and the search for windows is exact; leave it out, or "
            "compare sentences"
        )
    index = window_index(recipe)
    aligner = build("aligners", _part_or_default(recipe.aligner, WINDOWS))
    w = int(question.w or index.w)  # an integer of NumPy might overflow below
    tau = _window_distance(question, w, index.tau * w // index.w)
    # If the question sets w, half a window is long enough for a passage.
    default = aligner.shortest if question.w is None else min(aligner.shortest, max(1, w // 2))
    shortest = question.min_passage or default
    ordered = question.ordered or aligner.ordered
    index = replace(index, w=w, tau=tau)  # which checks them
    aligner = replace(aligner, shortest=shortest, ordered=ordered)
    return WindowFinder(w, tau, aligner, question.min_passage or 0)


def window_index(recipe: RecipeSpec) -> Windows:
    """The windows that a recipe asks for, or those with the default options.

    >>> window_index(default_recipe("windows"))
    Windows(w=30, tau=15)
    """
    index: Windows = build("indexes", _part_or_default(recipe.index, WINDOWS))
    return index


def _sentence_finder(question: ReuseQuestion, recipe: RecipeSpec) -> SentenceFinder:
    """The distance of the question, else that of the recipe, with the recipe's aligner."""
    for name, given in (("w", question.w), ("ordered", question.ordered)):
        if given:
            raise OptionError(f"{name} is for windows, but sentences are compared; leave it out")
    groups = build("indexes", _part_or_default(recipe.index, "groups"))
    if question.distance is not None:
        groups = replace(groups, radius=question.distance)
    elif question.similarity is not None or question.recall is not None:
        similarity = question.similarity or groups.similarity
        groups = replace(
            groups, similarity=similarity, recall=question.recall or groups.recall, radius=-1
        )
    aligner = build("aligners", _part_or_default(recipe.aligner, SENTENCES))
    part = UnitCodes(recipe).part
    if (question.distance or 0) >= (size := part.slots * part.bits):
        wanted = f"below the {size} bits of a code"
        raise OptionError.of("find_reuse", "distance", question.distance, wanted)
    groups.way(part.slots, part.bits)  # which checks them
    return SentenceFinder(groups, aligner, part, question.min_passage or 0)


def _part_or_default(spec: PartSpec | None, name: str) -> PartSpec:
    """The part of a recipe if it has this name, else the part of this name with its defaults."""
    return spec if spec and spec.name == name else PartSpec(name)


def _window_distance(question: ReuseQuestion, w: int, default: int) -> int:
    """How many terms of a window may differ."""
    if question.distance is not None:
        if question.distance >= w:
            wanted = f"below the window length w, which is {w}"
            raise OptionError.of("find_reuse", "distance", question.distance, wanted)
        return int(question.distance)
    if question.similarity is not None:
        return w - ceil(w * question.similarity - _ROUNDING)
    return default
