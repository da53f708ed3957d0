"""Choose the finder of passages, by windows or by sentences, and the recipe that it works by."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.collections.schema import keeps_codes, keeps_places
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.word_offsets_and_codes import without
from sdtext.errors import MismatchError, OptionError
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.parts.load_recipe import RecipeLike, load_recipe, recipe_from
from sdtext.parts.registry import build
from sdtext.reuse.documents import SENTENCES
from sdtext.reuse.excluded_text import PassageFinder
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.reuse.window_finder import WindowFinder

WINDOWS = "windows"
METHODS = (WINDOWS, SENTENCES)
_PART = "find_reuse"
_METHOD_OF_PART = {"windows": WINDOWS, "sentences": SENTENCES, "groups": SENTENCES}
_RECIPES = {WINDOWS: "reuse", SENTENCES: "evidence"}


def recipe_and_finder(
    collections: Sequence[StoredCollection] = (),
    *,
    method: str = "",
    w: int | None = None,
    distance: int | None = None,
    min_passage: int | None = None,
    recipe: RecipeLike | None = None,
    note: Callable[[Problem], None] = lambda _: None,
    jobs: int = 1,
) -> tuple[RecipeSpec, PassageFinder]:
    """The recipe that turns documents into words, and the finder of passages.

    The recipe decides what is not given. `note` gets the problems that are found in a search,
    in `jobs` threads.
    Raises OptionError, and MismatchError where the collections and the recipe do not match.
    """
    for name, value, least in (
        ("w", w, 1),
        ("distance", distance, 0),
        ("min_passage", min_passage, 1),
    ):
        if value is not None and value < least:
            raise OptionError.of(_PART, name, value, f"{least} or more")
    method, spec = _method_and_recipe(collections, method, recipe)
    for collection in collections:
        if method == WINDOWS and not keeps_places(collection.recipe):
            raise without(collection.name, "places of words", "reuse")
        if collection.recipe.canonical() != spec.canonical():
            others = "the recipe; use the recipe of the collection, or create it again"
            if recipe is None:
                first = collections[0].name
                others = f"{first}; create one of the two again with the same recipe"
            what = "its words were made with another tokenizer or other filters than those of"
            raise MismatchError(f"{what} {others}", file=collection.name)
    if method == SENTENCES:
        if w:
            raise OptionError("w is for windows, but sentences are compared; leave it out")
        for collection in collections:
            spec = _with_stored_sentences(collection, spec)
        return spec, _sentence_finder(spec, distance, min_passage, note)
    # The windows that are asked for, else those of the recipe, with the recipe's aligner.
    index = part_or_default("indexes", spec.index, WINDOWS)
    aligner = part_or_default("aligners", spec.aligner, WINDOWS)
    length = int(w or index.w)  # an integer of NumPy might overflow below
    tau = index.tau * length // index.w if distance is None else int(distance)
    if tau >= length:
        below = f"below the window length w, which is {length}"
        raise OptionError.of(_PART, "distance", tau, below)
    replace(index, w=length, tau=tau)  # which checks them
    # If w is given, half a window is long enough for a passage.
    default = aligner.shortest if w is None else min(aligner.shortest, max(1, length // 2))
    aligner = replace(aligner, shortest=min_passage or default)
    return spec, WindowFinder(length, tau, aligner, min_passage or 0, jobs)


def _method_and_recipe(
    collections: Sequence[StoredCollection], method: str, recipe: RecipeLike | None
) -> tuple[str, RecipeSpec]:
    """The method, which parts of the recipe may imply, and the recipe, given or stored."""
    if method not in ("", *METHODS):
        raise OptionError.of(_PART, "method", method, " or ".join(METHODS))
    given: RecipeSpec | None = collections[0].recipe if collections else None
    if recipe is not None:
        given = recipe_from(recipe)
        part = None if method else given.aligner or given.index
        # Recipes for similar documents mostly keep stop words, which unrelated windows share.
        if part and part.name not in _METHOD_OF_PART:
            what = f"the recipe ({part.name}) is for other things than passages that documents "
            raise OptionError(f"{what}share; leave it out, or name one for passages, such as reuse")
    parts = (given.aligner, given.index) if given else ()
    implied = (_METHOD_OF_PART.get(part.name) for part in parts if part)
    method = method or next(filter(None, implied), WINDOWS)
    return method, given or load_recipe(_RECIPES[method])


def _sentence_finder(
    recipe: RecipeSpec,
    distance: int | None,
    min_passage: int | None,
    note: Callable[[Problem], None],
) -> SentenceFinder:
    """The distance that is asked for, else that of the recipe, with the recipe's aligner."""
    groups = part_or_default("indexes", recipe.index, "groups")
    if distance is not None:
        groups = replace(groups, radius=distance)
    part = UnitCodes(recipe).part
    if (distance or 0) >= (size := part.slots * part.bits):
        raise OptionError.of(_PART, "distance", distance, f"below the {size} bits of a code")
    groups.way(part.slots, part.bits)  # which checks them
    aligner = part_or_default("aligners", recipe.aligner, SENTENCES)
    return SentenceFinder(groups, aligner, part, min_passage or 0, note)


def part_or_default(kind: str, spec: PartSpec | None, name: str) -> Any:
    """The part of a recipe if it has this name, else the part of this name with its defaults.

    >>> part_or_default("indexes", load_recipe("reuse").index, WINDOWS)
    Windows(w=30, tau=15)
    """
    return build(kind, spec if spec and spec.name == name else PartSpec(name))


def _with_stored_sentences(collection: StoredCollection, recipe: RecipeSpec) -> RecipeSpec:
    """The recipe with the parts that make the collection's sentence codes. Raises MismatchError."""
    if not keeps_codes(collection.recipe):
        raise without(collection.name, "codes of sentences", "evidence")
    parts = {key: getattr(collection.recipe, key) for key in ("unit", "shingler", "fingerprint")}
    for key, part in parts.items():
        if (given := getattr(recipe, key)) not in (None, part):
            what = f"its {key} is {part or 'not named'}, but that of the recipe is {given}"
            raise MismatchError(what, file=collection.name)
    return replace(recipe, **parts)
