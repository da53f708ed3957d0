"""Recipe of a collection: completed and checked when it is created, compared when reused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from sdtext.analysis.sentence_codes import FINGERPRINT, SHINGLER, UNIT
from sdtext.collections.schema import SKETCH_COLUMNS, SKETCHED, keeps_codes, keeps_places
from sdtext.errors import MismatchError, OptionError
from sdtext.model import Origin, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build, normalised
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.collections.stored_collection import StoredCollection

_DOCUMENT = PartSpec("document")
_SHINGLES = PartSpec("shingles")
_BITS = "bitvector"
_AUTO = "auto"
_RECIPE = "the recipe"
_BY_CODES = frozenset(("groups", "sentences"))
_DEFAULT = "reuse"


@dataclass(frozen=True)
class CollectionSpec:
    """What a collection stores of each document; `origin` identifies a new one.

    The `recipe` asks for tokens, shingles and their sketch; with an aligner for the offsets of all
    words, and for codes of sentences if these are its unit. A bit vector is stored over each of the
    `dictionaries`, and with `text` the text itself.
    """

    recipe: RecipeSpec | None = None
    dictionaries: tuple[Dictionary, ...] = ()
    text: bool = False
    origin: Origin = field(default_factory=Origin)


def chosen_recipe(spec: CollectionSpec) -> tuple[RecipeSpec, str]:
    """The recipe of a new collection, and which one that is, "" if a recipe is given.

    It is that of the first dictionary, else the one for passages.
    """
    if spec.recipe:
        return spec.recipe, ""
    if spec.dictionaries:
        first = spec.dictionaries[0]
        label = shown(first.name or first.guid)
        why = f"recipe: that of the dictionary {label}, whose terms are compared"
        return RecipeSpec(first.recipe.tokenizer, first.recipe.filters), why
    return load_recipe(_DEFAULT), (
        f"recipe: {_DEFAULT}, for shared passages and for similar documents; give another recipe "
        "to change it"
    )


def complete_recipe(spec: CollectionSpec) -> RecipeSpec:
    """The complete recipe of a new collection. Raises OptionError if no collection can have it."""
    recipe = _completed(chosen_recipe(spec)[0])
    fault = _fault_of_sentences(recipe) if keeps_codes(recipe) else _fault_of_whole(recipe, spec)
    if fault:
        raise OptionError(fault)
    sketch, index = recipe.fingerprint, recipe.index
    if sketch and index and (sketch.name, index.name) == ("minhash", "bands"):
        build("indexes", index).layout(build("fingerprints", sketch).slots)
    return replace(recipe, reader=None)  # a reader may be a program


def settled_recipe(spec: CollectionSpec, longest: Callable[[], int]) -> RecipeSpec:
    """The complete recipe, with the length of shingles for texts of at most `longest`."""
    return with_shingle_length(complete_recipe(spec), longest)[0]


def _fault_of_sentences(recipe: RecipeSpec) -> str:
    """Why a collection with codes of sentences cannot have this recipe, "" if it can."""
    sketch, shingler = recipe.fingerprint, recipe.shingler
    if sketch and sketch.name != FINGERPRINT.name:
        return (
            f"fingerprint is {sketch}; sentences need codes; set fingerprint = "
            f'"{FINGERPRINT.name}" in the recipe, or omit it'
        )
    if shingler and shingler.name == "characters" and _length_of(shingler) == _AUTO:
        return (
            f"shingler is {shingler}, whose length is chosen for whole documents; name one for "
            'sentences: shingler = { name = "characters", length = 5 }'
        )
    return ""


def _fault_of_whole(recipe: RecipeSpec, spec: CollectionSpec) -> str:
    """Why a collection of whole documents cannot have this recipe, "" if it can."""
    name = recipe.fingerprint.name if recipe.fingerprint else ""
    fault = ""
    if recipe.unit is not None:
        fault = (
            f"unit is {recipe.unit}; a collection stores whole documents and codes of sentences; "
            'omit unit, or set unit = "sentence"'
        )
    elif part := _by_codes(recipe):
        fault = f"{part} compares codes of sentences, but the unit is the document; set unit = "
        fault += '"sentence"'
    elif name in (*SKETCH_COLUMNS, SKETCHED, _SHINGLES.name) and not recipe.shingler:
        fault = f'fingerprint {name} needs shingles; name a shingler: shingler = "words"'
    elif name == _BITS and not spec.dictionaries:
        fault = f"fingerprint {name} needs a dictionary; name one as dictionary"
    elif name not in ("", *SKETCH_COLUMNS, SKETCHED, _SHINGLES.name, _BITS):
        fault = (
            f"fingerprint is {name}; a collection holds {', '.join(SKETCH_COLUMNS)}, shingles and, "
            "over its dictionaries, bit vectors"
        )
    elif not (recipe.shingler or spec.dictionaries or keeps_places(recipe)):
        fault = (
            "the recipe names nothing that a collection can be searched by; add a shingler to it "
            '(shingler = "words"), give a dictionary, or omit it'
        )
    return fault


def _completed(recipe: RecipeSpec) -> RecipeSpec:
    """The recipe with the unit, shingler and fingerprint that its other parts imply."""
    if recipe.unit is None and _by_codes(recipe):
        recipe = replace(recipe, unit=UNIT)
    if recipe.unit == _DOCUMENT:
        recipe = replace(recipe, unit=None)
    if keeps_codes(recipe):
        shingler, fingerprint = recipe.shingler or SHINGLER, recipe.fingerprint or FINGERPRINT
        return replace(recipe, shingler=shingler, fingerprint=fingerprint)
    if recipe.shingler and recipe.fingerprint is None:
        return replace(recipe, fingerprint=_SHINGLES)
    return recipe


def _by_codes(recipe: RecipeSpec) -> str:
    """The part of the recipe that compares sentence codes, "" if none does."""
    parts = (part for part in (recipe.index, recipe.aligner) if part and part.name in _BY_CODES)
    return next(map(str, parts), "")


def with_shingle_length(recipe: RecipeSpec, longest: Callable[[], int]) -> tuple[RecipeSpec, str]:
    """The recipe with a number for the shingle length `auto`, and the reason for that number.

    `longest` returns the length of the longest text, as `longest_of` does. It is not called, and
    the reason is "", if the length is given.
    """
    shingler = recipe.shingler
    if shingler is None or shingler.name != "characters" or _length_of(shingler) != _AUTO:
        return recipe, ""
    from sdtext.parts.shinglers import auto_length  # slow to import

    length, why = auto_length(longest())
    return replace(recipe, shingler=_lengthened(shingler, length)), why


def _length_of(shingler: PartSpec) -> object:
    return dict(shingler.options).get("length", _AUTO)


def _lengthened(shingler: PartSpec, length: object) -> PartSpec:
    assert isinstance(length, int)  # noqa: S101 (a stored one is normalised)
    options = {**dict(shingler.options), "length": length}
    return normalised("shinglers", PartSpec.of(shingler.name, **options))


def check_same(collection: StoredCollection, spec: CollectionSpec) -> None:
    """MismatchError if the collection stores something else than `spec` asks for.

    A recipe or dictionary that is not given is not compared. Index, matcher and aligner may
    differ, because only searches use them; but an aligner needs the offsets of words.
    """
    difference = next(_differences(collection, spec.recipe, spec.dictionaries or None), "")
    if not difference and spec.text and not collection.keeps_text:
        difference = "it stores no texts"
    if difference:
        what = f"was created otherwise: {difference}; omit recipe, dictionary and keep_text"
        raise MismatchError(f"{what}, or create another one", file=collection.name)


def check_mergeable(collection: StoredCollection, other: StoredCollection) -> None:
    """MismatchError unless both collections store the same of each document.

    Index, matcher and aligner may differ, as in `check_same`.
    """
    name = other.name
    difference = next(_differences(collection, other.recipe, other.dictionaries, name), "")
    if not difference and collection.coefficients != other.coefficients:
        difference = f"the hash functions of its sketches are not those of {name}"
    mine, others = dict(collection.meta.kinds), dict(other.meta.kinds)
    if not difference and mine and others and mine != others:
        difference = f"its columns are not those of {name}"
    if difference:
        what = f"cannot take the documents of {name}: {difference}; add the files themselves"
        raise MismatchError(what, file=collection.name)


def _listed(dictionaries: Iterable[Dictionary]) -> str:
    named = (
        f"{shown(each.name or each.guid)} (digest {each.digest[:16]})" for each in dictionaries
    )
    return ", ".join(named) or "no dictionary"


def _differences(
    collection: StoredCollection,
    given: RecipeSpec | None,
    dictionaries: Sequence[Dictionary] | None,
    owner: str = _RECIPE,
) -> Iterator[str]:
    """Descriptions of the parts in which a recipe and dictionaries differ from a collection's."""
    stored, own = collection.recipe, collection.dictionaries
    if given:
        yield from chain_differences(stored, given, owner)
        given = _completed(given)
        rest = (
            ("unit", stored.unit or _DOCUMENT, given.unit or _DOCUMENT),
            ("shingler", stored.shingler, _as_stored(stored, given)),
            ("fingerprint", stored.fingerprint, given.fingerprint),
        )
        for kind, part, other in rest:
            yield from _difference(kind, part, other, owner)
        if keeps_places(given) and not keeps_places(stored):
            yield f"it stores no places of words, which the aligner of {owner} needs"
    if dictionaries is not None and {d.digest for d in own} != {d.digest for d in dictionaries}:
        yield f"its bit vectors are over {_listed(own)}, and not over {_listed(dictionaries)}"


def chain_differences(stored: RecipeSpec, given: RecipeSpec, owner: str = _RECIPE) -> Iterator[str]:
    """Descriptions of the parts in which the chain of a recipe differs from a collection's.

    >>> words = RecipeSpec(PartSpec("words"))
    >>> [*chain_differences(words, RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),)))]
    ['its filter 1 is none, and that of the recipe lowercase']
    """
    parts = zip_longest(stored.chain(), given.chain())
    for place, (own, other) in enumerate(parts):
        kind = f"filter {place}" if place else "tokenizer"
        yield from _difference(kind, own, other, owner)


def _as_stored(stored: RecipeSpec, given: RecipeSpec) -> PartSpec | None:
    """The given shingler, with the collection's length if its own is `auto`."""
    own, other = stored.shingler, given.shingler
    same = own and other and own.name == other.name == "characters"
    if own and other and same and _length_of(other) == _AUTO:
        return _lengthened(other, _length_of(own))
    return other


def _difference(
    kind: str, own: PartSpec | None, other: PartSpec | None, owner: str
) -> Iterator[str]:
    if own != other:
        left, right = (str(part) if part else "none" for part in (own, other))
        if left == right:  # word lists are shown by their size alone
            right += " of others"
        yield f"its {kind} is {left}, and that of {owner} {right}"
