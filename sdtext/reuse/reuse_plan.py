"""How a question about text reuse is answered: the recipe, the method and its settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from math import ceil

from sdtext._version import __version__
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.collections.collection import Collection
from sdtext.collections.schema import keeps_codes
from sdtext.errors import MismatchError, OptionError, shown
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.indexes.windows import Windows
from sdtext.parts.load_recipe import load_recipe, recipe_from
from sdtext.parts.registry import build
from sdtext.reading.walk import path_list
from sdtext.reuse.finder_protocol import PassageFinder
from sdtext.reuse.reuse_documents import CHAPTERS, QUOTES, REFERENCES, SENTENCES, TEXTS
from sdtext.reuse.reuse_options import ReuseQuestion
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.reuse.window_finder import WindowFinder

WINDOWS = "windows"
_METHODS = {"windows": WINDOWS, "sentences": SENTENCES, "groups": SENTENCES}
_ROUNDING = 1e-9

_RECIPES = {WINDOWS: "reuse", SENTENCES: "evidence"}


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
    collections: Sequence[Collection] = ()

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
            "where": question.condition.text if question.condition else "",
            "program": f"sdtext {__version__}",
        }
        return {name: value for name, value in values.items() if value}


def plan_reuse(question: ReuseQuestion, collections: Sequence[Collection] = ()) -> ReusePlan:
    """The plan for a question about some collections, or about files alone.

    Raises OptionError, and MismatchError where the collections and the recipe do not match.
    """
    if question.condition and not collections:
        raise OptionError("where selects stored documents, but there is no collection")
    given = (
        recipe_from(question.recipe) if question.recipe is not None else _stored_recipe(collections)
    )
    method = question.method or _method_of(given)
    recipe = given or default_recipe(method)
    for collection in collections:
        _check_chain(collection, recipe)
    if method == WINDOWS:
        return ReusePlan(question, recipe, _window_finder(question, recipe), collections)
    for collection in collections:
        recipe = _with_stored_sentences(collection, recipe)
    return ReusePlan(question, recipe, _sentence_finder(question, recipe), collections)


def _path_and_guid(collection: Collection) -> str:
    """The path of a collection, and its GUID, which its copies share."""
    guid = f" ({collection.guid})" if collection.guid else ""
    return f"{shown(collection.path)}{guid}"


def _with_stored_sentences(collection: Collection, recipe: RecipeSpec) -> RecipeSpec:
    """The recipe with the parts that make the collection's sentence codes. Raises MismatchError."""
    stored = collection.recipe
    if not keeps_codes(stored):
        raise MismatchError(
            "has no sentence codes; create it again with a recipe that makes them, such as "
            "evidence, or compare windows",
            file=collection.path,
        )
    parts = {key: getattr(stored, key) for key in ("unit", "shingler", "fingerprint")}
    for key, part in parts.items():
        if (given := getattr(recipe, key)) not in (None, part):
            raise MismatchError(
                f"its {key} is {part or 'not named'}, that of the recipe is {given}; sentence "
                "codes made in different ways cannot be compared",
                file=collection.path,
            )
    return replace(recipe, **parts)


def _stored_recipe(collections: Sequence[Collection]) -> RecipeSpec | None:
    return collections[0].recipe if collections else None


def _method_of(recipe: RecipeSpec | None) -> str:
    """The method that the aligner or the index of a recipe implies, else windows."""
    parts = (recipe.aligner, recipe.index) if recipe else ()
    return next((_METHODS[part.name] for part in parts if part and part.name in _METHODS), WINDOWS)


def _check_chain(collection: Collection, recipe: RecipeSpec) -> None:
    if collection.recipe.canonical() != recipe.canonical():
        raise MismatchError(
            "its words were made with another tokenizer or other filters; use the recipe of the "
            "collection, or create it again",
            file=collection.path,
        )


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
    return WindowFinder(w, tau, aligner, question.min_passage or 0, k=index.k)


def window_index(recipe: RecipeSpec) -> Windows:
    """The windows that a recipe asks for, or those with the default options.

    >>> window_index(default_recipe("windows"))
    Windows(w=30, tau=15, k='auto')
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
