"""What a collection carries beside its documents: how it was made."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from sdtext.collections.storage.arrays import NAME, ArrayKind, Kinds
from sdtext.errors import FormatError, OptionError
from sdtext.formats.recipe_json import recipe_as_json, recipe_from_json
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.catalogue import build, settled
from sdtext.parts.recipe import recipe_of

VERSION = "1.0"
REMEDY = "restore it from a backup or make the collection again"
_OTHERS = {
    "unit": "units",
    "shingler": "shinglers",
    "fingerprint": "fingerprints",
    "index": "indexes",
    "matcher": "matchers",
    "aligner": "aligners",
}
_DIGEST = re.compile("[0-9a-f]{64}")
_VERSION = re.compile("([0-9]{1,4})[.][0-9]{1,4}")

Coefficients = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Carried:
    """What holds for all of a collection.

    `dictionaries` are named by their content digests. `coefficients` are the pairs (a, b) of
    the recipe's sketch, None where it has none. `kinds` tells what its arrays are like; there
    are none before the first document. `next_document` and `next_segment` are the numbers
    that are given next.
    """

    recipe: RecipeSpec
    guid: str = ""
    created: str = ""
    dictionaries: tuple[str, ...] = ()
    keeps_text: bool = False
    coefficients: Coefficients | None = None
    kinds: Kinds = field(default_factory=dict)
    next_document: int = 1
    next_segment: int = 1

    def like(self, other: Carried) -> bool:
        """Whether both are those of one collection, at whatever time."""
        later = ("kinds", "next_document", "next_segment")
        return replace(self, **{key: getattr(other, key) for key in later}) == other

    def told(self) -> dict[str, str]:
        """All of it as texts by name: the table `meta` of the catalog."""
        return {
            "version": VERSION,
            "guid": self.guid,
            "created": self.created,
            "recipe": recipe_as_json(self.recipe),
            "dictionaries": json.dumps(self.dictionaries),
            "keeps_text": json.dumps(self.keeps_text),
            "coefficients": json.dumps(self.coefficients),
            "arrays": json.dumps({name: kind.told() for name, kind in self.kinds.items()}),
            "next_document": json.dumps(self.next_document),
            "next_segment": json.dumps(self.next_segment),
        }

    @classmethod
    def read(cls, told: Mapping[str, str], name: str) -> Carried:
        """What the table `meta` tells; `name` is the collection's. Raises FormatError."""
        check_version(told.get("version", ""), name)
        try:
            return cls(
                _settled(recipe_from_json(told["recipe"], name), name),
                told["guid"],
                told["created"],
                tuple(map(_digest, json.loads(told["dictionaries"]))),
                json.loads(told["keeps_text"]) is True,
                _pairs(json.loads(told["coefficients"])),
                dict(map(_kind, json.loads(told["arrays"]).items())),
                _number(told["next_document"]),
                _number(told["next_segment"]),
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise FormatError(
                f"{name}: is damaged: its table meta is incomplete; {REMEDY}"
            ) from error


def check_version(version: str, name: str) -> None:
    """FormatError where a collection is in a later version of the format, or in none."""
    match = _VERSION.fullmatch(version)
    if not match:
        raise FormatError(f"{name}: is damaged: it names no version of the format; {REMEDY}")
    if int(match[1]) > int(VERSION.partition(".")[0]):
        raise FormatError(
            f"{name}: is in version {version} of the format and this sdtext reads {VERSION}; "
            "update sdtext to read it"
        )


def coefficients_of(sketch: PartSpec | None) -> Coefficients | None:
    """The pairs (a, b) that a sketch is made with, None where it is made without any."""
    part: Any = build("fingerprints", sketch) if sketch else None
    found = getattr(part, "coefficients", None)
    return None if found is None else (_whole(found[0]), _whole(found[1]))


def _whole(numbers: NDArray[Any]) -> tuple[int, ...]:
    return tuple(map(int, numbers))


def settled_recipe(recipe: RecipeSpec) -> RecipeSpec:
    """The recipe with all its parts settled. Raises OptionError."""
    others: dict[str, Any] = {
        key: settled(kind, part) for key, kind in _OTHERS.items() if (part := getattr(recipe, key))
    }
    return replace(recipe_of(recipe.chain()), **others)


def _settled(recipe: RecipeSpec, name: str) -> RecipeSpec:
    """The recipe, if this sdtext knows all its parts."""
    try:
        return settled_recipe(recipe)
    except OptionError as error:
        raise FormatError(f"{name}: its recipe cannot be used here: {error}") from error


def _digest(told: object) -> str:
    if isinstance(told, str) and _DIGEST.fullmatch(told):
        return told
    raise ValueError(told)


def _pairs(told: object) -> Coefficients | None:
    match told:
        case None:
            return None
        case [list(first), list(second)] if all(type(one) is int for one in first + second):
            return tuple(first), tuple(second)
    raise ValueError(told)


def _kind(row: tuple[str, object]) -> tuple[str, ArrayKind]:
    name, told = row
    kind = ArrayKind.read(told)
    if kind is None or not NAME.fullmatch(name):
        raise ValueError(name)
    return name, kind


def _number(text: str) -> int:
    number = json.loads(text)
    if type(number) is int and 0 < number < 1 << 62:
        return number
    raise ValueError(text)
