"""What is asked in a search for text reuse, and the finder of passages that answers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256

from sdtext._version import __version__
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.collections.schema import keeps_codes, keeps_places
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.word_offsets_and_codes import without
from sdtext.errors import MismatchError, OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.indexes import Windows
from sdtext.parts.load_recipe import RecipeLike, load_recipe, recipe_from
from sdtext.parts.registry import build
from sdtext.reading.walk import Paths, path_list
from sdtext.reuse.documents import CHAPTERS, QUOTES, REFERENCES, SENTENCES, TEXTS
from sdtext.reuse.excluded_text import PassageFinder
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.reuse.window_finder import WindowFinder
from sdtext.wording import shown

WINDOWS = "windows"
METHODS = (WINDOWS, SENTENCES)
_PART = "find_reuse"
_METHOD_OF_PART = {"windows": WINDOWS, "sentences": SENTENCES, "groups": SENTENCES}
_SHORT_WINDOW = {"w": 20, "distance": 9}
_RECIPES = {WINDOWS: "reuse", SENTENCES: "evidence"}


@cache
def default_recipe(method: str) -> RecipeSpec:
    """The recipe for "windows" or "sentences" that comes with sdtext.

    >>> default_recipe("windows").aligner
    PartSpec(name='windows', options=())
    """
    return load_recipe(_RECIPES[method])


@dataclass(frozen=True)
class ReuseQuestion:
    """The options of `find_reuse`; the recipe decides what is not given."""

    method: str = ""
    w: int | None = None
    distance: int | None = None
    short: bool = False
    min_passage: int | None = None
    where: str | None = None
    recipe: RecipeLike | None = None
    unit: str | None = None
    texts: bool = False
    exclude_quotes: bool = False
    exclude_references: bool = False
    template: Paths = ()

    def __post_init__(self) -> None:
        if self.method not in ("", *METHODS):
            raise OptionError.of(_PART, "method", self.method, " or ".join(METHODS))
        for name, least in (("w", 1), ("distance", 0), ("min_passage", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise OptionError.of(_PART, name, value, f"{least} or more")
        if self.unit not in (None, "chapter"):
            raise OptionError.of(_PART, "unit", self.unit, '"chapter" or None')
        if self.short:
            for name, value in _SHORT_WINDOW.items():
                if getattr(self, name) is not None:
                    raise OptionError(f"short sets w and distance; leave {name} out", place=_PART)
                object.__setattr__(self, name, value)

    def wants(self, finder: PassageFinder) -> frozenset[str]:
        """What the search needs of documents beside their words."""
        wanted = {
            CHAPTERS: self.unit,
            QUOTES: self.exclude_quotes,
            REFERENCES: self.exclude_references,
            SENTENCES: isinstance(finder, SentenceFinder),
            TEXTS: self.texts,
        }
        return frozenset(name for name, needed in wanted.items() if needed)

    def recipe_and_finder(
        self, collections: Sequence[StoredCollection] = ()
    ) -> tuple[RecipeSpec, PassageFinder]:
        """The recipe that turns documents into words, and the finder of passages.

        Raises OptionError, and MismatchError where the collections and the recipe do not match.
        """
        if self.where and not collections:
            raise OptionError("where selects stored documents, but there is no collection")
        given: RecipeSpec | None = collections[0].recipe if collections else None
        if self.recipe is not None:
            given = recipe_from(self.recipe)
            part = None if self.method else given.aligner or given.index
            # Recipes for similar documents mostly keep stop words, which unrelated windows share.
            if part and part.name not in _METHOD_OF_PART:
                raise OptionError(
                    f"the recipe ({part.name}) is for other things than passages that documents "
                    "share; leave it out, or name one for passages, such as reuse"
                )
        parts = (given.aligner, given.index) if given else ()
        implied = (_METHOD_OF_PART.get(part.name) for part in parts if part)
        method = self.method or next(filter(None, implied), WINDOWS)
        recipe = given or default_recipe(method)
        for collection in collections:
            if method == WINDOWS and not keeps_places(collection.recipe):
                raise without(collection.name, "places of words", "reuse")
            if collection.recipe.canonical() != recipe.canonical():
                others = "the recipe; use the recipe of the collection, or create it again"
                if self.recipe is None:
                    first = collections[0].name
                    others = f"{first}; create one of the two again with the same recipe"
                what = "its words were made with another tokenizer or other filters than those of"
                raise MismatchError(f"{what} {others}", file=collection.name)
        if method == WINDOWS:
            return recipe, self._window_finder(recipe)
        for collection in collections:
            recipe = _with_stored_sentences(collection, recipe)
        return recipe, self._sentence_finder(recipe)

    def _window_finder(self, recipe: RecipeSpec) -> WindowFinder:
        """The windows that are asked for, else those of the recipe, with the recipe's aligner."""
        index = window_index(recipe)
        aligner = build("aligners", _part_or_default(recipe.aligner, WINDOWS))
        w = int(self.w or index.w)  # an integer of NumPy might overflow below
        tau = index.tau * w // index.w if self.distance is None else int(self.distance)
        if tau >= w:
            raise OptionError.of(_PART, "distance", tau, f"below the window length w, which is {w}")
        # If w is given, half a window is long enough for a passage.
        default = aligner.shortest if self.w is None else min(aligner.shortest, max(1, w // 2))
        index = replace(index, w=w, tau=tau)  # which checks them
        aligner = replace(aligner, shortest=self.min_passage or default)
        return WindowFinder(w, tau, aligner, self.min_passage or 0)

    def _sentence_finder(self, recipe: RecipeSpec) -> SentenceFinder:
        """The distance that is asked for, else that of the recipe, with the recipe's aligner."""
        distance = self.distance
        if self.w:
            raise OptionError("w is for windows, but sentences are compared; leave it out")
        groups = build("indexes", _part_or_default(recipe.index, "groups"))
        if distance is not None:
            groups = replace(groups, radius=distance)
        aligner = build("aligners", _part_or_default(recipe.aligner, SENTENCES))
        part = UnitCodes(recipe).part
        if (distance or 0) >= (size := part.slots * part.bits):
            raise OptionError.of(_PART, "distance", distance, f"below the {size} bits of a code")
        groups.way(part.slots, part.bits)  # which checks them
        return SentenceFinder(groups, aligner, part, self.min_passage or 0)

    def parameters(
        self, recipe: RecipeSpec, finder: PassageFinder, collections: Sequence[StoredCollection]
    ) -> dict[str, str]:
        """Everything that determines the result, as text."""
        left_out = {QUOTES: self.exclude_quotes, REFERENCES: self.exclude_references}
        stored = (
            f"{item.name} ({item.guid})" if item.guid else str(item.name) for item in collections
        )
        values = {
            **finder.parameters,
            "tokenizer": str(recipe.tokenizer),
            "filters": " ".join(map(str, recipe.filters)),
            "chain SHA-256": sha256(recipe.canonical().encode("utf-8")).hexdigest(),
            "collections": ", ".join(stored),
            "left out": ", ".join(name for name, out in left_out.items() if out),
            "templates": ", ".join(map(shown, path_list(self.template))),
            "where": self.where or "",
            "program": f"sdtext {__version__}",
        }
        return {name: value for name, value in values.items() if value}


def window_index(recipe: RecipeSpec) -> Windows:
    """The windows that a recipe asks for, or those with the default options.

    >>> window_index(default_recipe("windows"))
    Windows(w=30, tau=15)
    """
    index: Windows = build("indexes", _part_or_default(recipe.index, WINDOWS))
    return index


def _part_or_default(spec: PartSpec | None, name: str) -> PartSpec:
    """The part of a recipe if it has this name, else the part of this name with its defaults."""
    return spec if spec and spec.name == name else PartSpec(name)


def _with_stored_sentences(collection: StoredCollection, recipe: RecipeSpec) -> RecipeSpec:
    """The recipe with the parts that make the collection's sentence codes. Raises MismatchError."""
    if not keeps_codes(collection.recipe):
        raise without(collection.name, "codes of sentences", "evidence")
    parts = {key: getattr(collection.recipe, key) for key in ("unit", "shingler", "fingerprint")}
    for key, part in parts.items():
        if (given := getattr(recipe, key)) not in (None, part):
            raise MismatchError(
                f"its {key} is {part or 'not named'}, that of the recipe is {given}; sentence "
                "codes made in different ways cannot be compared",
                file=collection.name,
            )
    return replace(recipe, **parts)
