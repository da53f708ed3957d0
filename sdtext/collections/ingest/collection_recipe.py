"""What a collection keeps of each document: settled when it is made, held to later."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sdtext.analysis.sentence_codes import FINGERPRINT, SHINGLER, UNIT
from sdtext.collections.collection import Collection
from sdtext.collections.ingest.row_maker import SKETCHES
from sdtext.collections.positions import keeps_codes, keeps_places
from sdtext.errors import MismatchError, OptionError, shown
from sdtext.model import Origin, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.catalogue import build, settled
from sdtext.parts.shinglers.characters import auto_length

_DOCUMENT = PartSpec("document")
_SHINGLES = PartSpec("shingles")
_BITS = "bitvector"
_AUTO = "auto"
_BY_CODES = frozenset(("groups", "sentences"))


@dataclass(frozen=True)
class Kept:
    """What a collection keeps of each document.

    By the `recipe` its tokens, its shingles and their sketch; with an aligner the places of all
    words, and the codes of sentences if the unit is one; a bit vector over each of the
    `dictionaries`; where `text`, the text itself. Without `tokens` (for a collection that is
    soon thrown away) other shingles cannot be made of it later. `origin` is what a new one says
    of its making.
    """

    recipe: RecipeSpec | None = None
    dictionaries: tuple[Dictionary, ...] = ()
    text: bool = False
    tokens: bool = True
    origin: Origin = field(default_factory=Origin)


def begun(kept: Kept) -> RecipeSpec:
    """The recipe of a new collection; OptionError where it is not one for a collection."""
    recipe = kept.recipe
    if recipe is None:
        if not kept.dictionaries:
            raise OptionError("a new collection needs a recipe (-c) or a dictionary (-d)")
        first = kept.dictionaries[0].recipe
        recipe = RecipeSpec(first.tokenizer, first.filters)
    recipe = _completed(recipe)
    if keeps_codes(recipe):
        _check_codes(recipe)
    else:
        _check_unit(recipe)
        _check_fingerprint(recipe, kept)
        _check_index(recipe)
    if keeps_places(recipe):
        _check_white_space(recipe)
    return replace(recipe, reader=None)  # a reader may be a program


def _completed(recipe: RecipeSpec) -> RecipeSpec:
    """The recipe with what follows from it: the unit, the shingler and the fingerprint."""
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
    """The part of the recipe that compares codes of sentences, "" if none does."""
    parts = (one for one in (recipe.index, recipe.aligner) if one and one.name in _BY_CODES)
    return next(map(str, parts), "")


def _check_unit(recipe: RecipeSpec) -> None:
    """OptionError where the unit is none of a collection, or not that of the parts behind it."""
    if recipe.unit is not None:
        raise OptionError(
            f"unit is {recipe.unit}; a collection holds whole documents and codes of sentences: "
            'leave unit out, or let it say unit = "sentence"'
        )
    if part := _by_codes(recipe):
        raise OptionError(
            f"{part} compares codes of sentences, and the unit is the document; let it say "
            'unit = "sentence"'
        )


def _check_codes(recipe: RecipeSpec) -> None:
    """OptionError where no codes of sentences can be made by the recipe."""
    fingerprint, shingler = recipe.fingerprint, recipe.shingler
    if fingerprint and fingerprint.name != FINGERPRINT.name:
        raise OptionError(
            f"fingerprint is {fingerprint}; sentences have codes: let the recipe say "
            f'fingerprint = "{FINGERPRINT.name}", or leave it out'
        )
    if shingler and shingler.name == "characters" and _length_of(shingler) == _AUTO:
        raise OptionError(
            f"shingler is {shingler}, whose length is that for whole documents; name one for "
            'sentences: shingler = { name = "characters", length = 5 }'
        )


def _check_white_space(recipe: RecipeSpec) -> None:
    """OptionError where white space would have to be kept between words with places."""
    if recipe.shingler and build("shinglers", recipe.shingler).needs_white_space:
        raise OptionError(
            f"shingler is {recipe.shingler}, which needs the white space between words; where "
            'passages are looked for it is not kept: let it say white_space = "folded"'
        )


def _check_fingerprint(recipe: RecipeSpec, kept: Kept) -> None:
    """OptionError where what the recipe wants cannot be made."""
    name = recipe.fingerprint.name if recipe.fingerprint else ""
    if name in (*SKETCHES, _SHINGLES.name) and not recipe.shingler:
        raise OptionError(f'fingerprint {name} is of shingles; name them: shingler = "words"')
    if name == _BITS and not kept.dictionaries:
        raise OptionError(f"fingerprint {name} needs a dictionary; name one with -d")
    if name not in ("", *SKETCHES, _SHINGLES.name, _BITS):
        raise OptionError(
            f"fingerprint is {name}; a collection holds {', '.join(SKETCHES)}, shingles and, over "
            "the dictionaries named with -d, bit vectors"
        )
    if not (recipe.shingler or kept.dictionaries or keeps_places(recipe)):
        raise OptionError(
            "the recipe says nothing that a collection can be searched by; name a shingler and a "
            'fingerprint in it (shingler = "words", fingerprint = "minhash"), an aligner, or a '
            "dictionary with -d"
        )


def _check_index(recipe: RecipeSpec) -> None:
    """OptionError where the recipe's sketch has too few slots for its bands."""
    sketch, index = recipe.fingerprint, recipe.index
    if sketch and index and (sketch.name, index.name) == ("minhash", "bands"):
        build("indexes", index).layout(build("fingerprints", sketch).slots)


def with_length(recipe: RecipeSpec, longest: Callable[[], int]) -> tuple[RecipeSpec, str]:
    """The recipe with a number for the length `auto` of shingles, and the reason for it.

    `longest` tells the size of the longest document in bytes; it is not asked, and the reason
    is "", where the length is known.
    """
    shingler = recipe.shingler
    if shingler is None or shingler.name != "characters" or _length_of(shingler) != _AUTO:
        return recipe, ""
    length, why = auto_length(longest())
    return replace(recipe, shingler=_lengthened(shingler, length)), why


def _length_of(shingler: PartSpec) -> object:
    return dict(shingler.options).get("length", _AUTO)


def _lengthened(shingler: PartSpec, length: object) -> PartSpec:
    """`shingler` with that length."""
    assert isinstance(length, int)  # noqa: S101 (a stored one is settled)
    options = {**dict(shingler.options), "length": length}
    return settled("shinglers", PartSpec.of(shingler.name, **options))


def check_alike(collection: Collection, kept: Kept) -> None:
    """MismatchError where the collection was made to keep something else than `kept`.

    What is not named is not asked for: the collection's own recipe and dictionaries hold. Index,
    matcher and aligner may differ, for they matter in searches alone; but an aligner needs the
    places of words.
    """
    name = shown(collection.path)
    other = next(_differences(collection.recipe, kept.recipe), None) if kept.recipe else None
    if other:
        raise MismatchError(
            f"{name}: {other}; leave out -c, or make another collection by that recipe"
        )
    stored = {one.digest: one.name or one.guid for one in collection.dictionaries}
    given = {one.digest: one.name or one.guid for one in kept.dictionaries}
    if given and stored.keys() != given.keys():
        raise MismatchError(
            f"{name}: has bit vectors over {_listed(stored)}, and -d names {_listed(given)}; leave "
            "out -d, or make another collection"
        )
    if kept.text and not collection.keeps_text:
        raise MismatchError(
            f"{name}: was made without the texts; leave out --keep-text, or make another collection"
        )


def _listed(dictionaries: Mapping[str, str]) -> str:
    return ", ".join(map(shown, dictionaries.values())) or "no dictionary"


def _differences(stored: RecipeSpec, given: RecipeSpec) -> Iterator[str]:
    """Each part in which two recipes differ, in words."""
    ours, theirs = stored.chain(), given.chain()
    for place in range(max(len(ours), len(theirs))):
        own, other = (chain[place] if place < len(chain) else None for chain in (ours, theirs))
        kind = f"filter {place}" if place else "tokenizer"
        yield from _difference(kind, own, other)
    given = _completed(given)
    yield from _difference("unit", stored.unit or _DOCUMENT, given.unit or _DOCUMENT)
    yield from _difference("shingler", stored.shingler, _as_stored(stored, given))
    yield from _difference("fingerprint", stored.fingerprint, given.fingerprint)
    if keeps_places(given) and not keeps_places(stored):
        yield "it keeps no places of words, which the aligner of the recipe needs"


def _as_stored(stored: RecipeSpec, given: RecipeSpec) -> PartSpec | None:
    """The shingler given, its length settled as it was when the collection was made."""
    own, other = stored.shingler, given.shingler
    same = own and other and own.name == other.name == "characters"
    if own and other and same and _length_of(other) == _AUTO:
        return _lengthened(other, _length_of(own))
    return other


def _difference(kind: str, own: PartSpec | None, other: PartSpec | None) -> Iterator[str]:
    if own != other:
        told = [str(one) if one else "none" for one in (own, other)]
        if told[0] == told[1]:  # lists of words are counted, not shown
            told[1] += " of others"
        yield f"its {kind} is {told[0]}, and that of the recipe {told[1]}"
