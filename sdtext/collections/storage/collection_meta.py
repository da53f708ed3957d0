"""Facts of a collection as a whole: its recipe, dictionaries, columns and counters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sdtext.collections.storage.arrays import NAME, ArrayKind, Kinds, plain_file
from sdtext.errors import FormatError, OptionError
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.model import Option, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import CheckedRecipe, checked_recipe
from sdtext.parts.registry import build
from sdtext.wording import reason

VERSION = "1.2"
DICTIONARIES = "dictionaries"
REMEDY = "restore it from a backup or create the collection again"
REMEDY_OF_SEGMENT = f"{REMEDY}, or search the rest of it with skip_damaged"
_DIGEST = re.compile("[0-9a-f]{64}")
_VERSION = re.compile("([0-9]{1,4})[.][0-9]{1,4}")
UNKNOWN_VERSION = ""
_BEFORE_1_2 = f'["{UNKNOWN_VERSION}"]'
_RELEASE = re.compile("[0-9A-Za-z.+!-]{0,40}")  # of sdtext; "" where it is not known

Coefficients = tuple[tuple[int, ...], tuple[int, ...]]
_KEYS = ("tokenizer", "unit", "shingler", "fingerprint", "index", "matcher", "aligner")


@dataclass(frozen=True)
class CollectionMeta:
    """What applies to a whole collection: the table `meta` of its catalog.

    `dictionaries` are named by their content digests. `coefficients` are the pairs (a, b) of
    the recipe's sketch, None if it has none. `kinds` are the types of its columns, empty before
    the first document. `next_document` and `next_segment` are the next free numbers.
    `sdtext_versions` are those of the sdtext that computed its rows, "" for one not known.
    """

    recipe: CheckedRecipe
    guid: str = ""
    created: str = ""
    dictionaries: tuple[str, ...] = ()
    keeps_text: bool = False
    coefficients: Coefficients | None = None
    kinds: Kinds = field(default_factory=dict)
    next_document: int = 1
    next_segment: int = 1
    sdtext_versions: tuple[str, ...] = ()

    @property
    def sdtext_version(self) -> str:
        """The version of the sdtext that computed all rows, "" if it is not known or not one."""
        return self.sdtext_versions[0] if len(self.sdtext_versions) == 1 else UNKNOWN_VERSION

    def same_collection(self, other: CollectionMeta) -> bool:
        """Whether both belong to one collection, perhaps at different times."""
        later = ("kinds", "next_document", "next_segment", "sdtext_versions")
        return replace(self, **{key: getattr(other, key) for key in later}) == other

    def as_rows(self) -> dict[str, str]:
        """The rows of the table `meta`: values as text, by key."""
        return {
            "version": VERSION,
            "guid": self.guid,
            "created": self.created,
            "recipe": recipe_as_json(self.recipe),
            "dictionaries": json.dumps(self.dictionaries),
            "keeps_text": json.dumps(self.keeps_text),
            "coefficients": json.dumps(self.coefficients),
            "arrays": json.dumps({name: kind.as_json() for name, kind in self.kinds.items()}),
            "next_document": json.dumps(self.next_document),
            "next_segment": json.dumps(self.next_segment),
            "sdtext_versions": json.dumps(self.sdtext_versions),
        }

    @classmethod
    def read(cls, rows: Mapping[str, str], name: str) -> CollectionMeta:
        """What the table `meta` of the collection `name` says. Raises FormatError."""
        check_version(rows.get("version", ""), name)
        try:
            return cls(
                _checked(recipe_from_json(rows["recipe"], name), name),
                rows["guid"],
                rows["created"],
                tuple(map(_digest, json.loads(rows["dictionaries"]))),
                json.loads(rows["keeps_text"]) is True,
                _pairs(json.loads(rows["coefficients"])),
                dict(map(_kind, json.loads(rows["arrays"]).items())),
                _number(rows["next_document"]),
                _number(rows["next_segment"]),
                _releases(json.loads(rows.get("sdtext_versions", _BEFORE_1_2))),
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise damage(name, "its table meta is incomplete") from error


class DamagedCollectionError(FormatError):
    """A collection, or a file of it, is damaged; `fault` says in which way."""

    def __init__(self, file: str | Path, fault: str, remedy: str) -> None:
        super().__init__(f"is damaged: {fault}; {remedy}", file=file)
        self.fault = fault


def damage(file: str | Path, fault: str, remedy: str = REMEDY) -> DamagedCollectionError:
    """The error for a damaged collection, or for a damaged file of it."""
    return DamagedCollectionError(file, fault, remedy)


def check_version(version: str, name: str) -> None:
    """FormatError unless this sdtext reads that version of the format."""
    match = _VERSION.fullmatch(version)
    if not match:
        raise damage(name, "it names no version of the format")
    if int(match[1]) > int(VERSION.partition(".")[0]):
        raise FormatError(
            f"is in version {version} of the format and this sdtext reads {VERSION}; "
            "update sdtext to read it",
            file=name,
        )


def has_digest(version: str) -> bool:
    """Whether catalogs of that version of the format have a digest: those from 1.1 on.

    >>> has_digest("1.0"), has_digest("1.1"), has_digest("1.10")
    (False, True, True)
    """
    match = _VERSION.fullmatch(version)
    return bool(match) and tuple(map(int, version.split("."))) >= (1, 1)


def coefficients_of(sketch: PartSpec | None) -> Coefficients | None:
    """The pairs (a, b) of the hash functions of a sketch, None if it has none."""
    part: Any = build("fingerprints", sketch) if sketch else None
    pairs = getattr(part, "coefficients", None)
    return None if pairs is None else (_whole(pairs[0]), _whole(pairs[1]))


def _whole(numbers: NDArray[Any]) -> tuple[int, ...]:
    return tuple(map(int, numbers))


def _checked(recipe: RecipeSpec, name: str) -> CheckedRecipe:
    """The stored recipe of the collection `name`; FormatError if it cannot be used here."""
    try:
        return checked_recipe(replace(recipe, reader=None))  # a reader may be a program
    except OptionError as error:
        raise FormatError(f"its recipe cannot be used here: {error}", file=name) from error


def _digest(value: object) -> str:
    if isinstance(value, str) and _DIGEST.fullmatch(value):
        return value
    raise ValueError(value)


def _pairs(value: object) -> Coefficients | None:
    match value:
        case None:
            return None
        case [list(first), list(second)] if all(type(number) is int for number in first + second):
            return tuple(first), tuple(second)
    raise ValueError(value)


def _kind(row: tuple[str, object]) -> tuple[str, ArrayKind]:
    name, value = row
    kind = ArrayKind.from_json(value)
    if kind is None or not NAME.fullmatch(name):
        raise ValueError(name)
    return name, kind


def _releases(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(
        isinstance(name, str) and _RELEASE.fullmatch(name) for name in value
    ):
        return tuple(value)
    raise ValueError(value)


def _number(text: str) -> int:
    number = json.loads(text)
    if type(number) is int and 0 < number < 1 << 62:
        return number
    raise ValueError(text)


def dictionary_file(home: Path, digest: str) -> Path:
    """The file of a dictionary in the folder of a collection, by its content digest."""
    return home / DICTIONARIES / f"{digest[:16]}.xml.gz"


def dictionary_in(home: Path, digest: str) -> Dictionary:
    """The dictionary of that content digest in the folder of a collection.

    Raises FormatError, and as `load_dictionary` does; the message follows "is damaged: ".
    """
    path = dictionary_file(home, digest)
    try:
        plain_file(path).close()
    except ValueError as error:  # a pipe would never end, nor would a device
        raise FormatError(str(error)) from error
    except OSError as error:
        raise FormatError(reason(error)) from error
    dictionary = load_dictionary(path)
    if dictionary.digest != digest:
        raise FormatError("is another dictionary")
    return dictionary


def recipe_as_json(recipe: RecipeSpec) -> str:
    """All parts of a recipe except the reader, which may be a program and is not passed on.

    >>> recipe_as_json(RecipeSpec(PartSpec("words"), matcher=PartSpec.of("idf-cosine", power=2.0)))
    '{"filters": [], "matcher": ["idf-cosine", {"power": 2.0}], "tokenizer": ["words", {}]}'
    """
    fields: dict[str, Any] = {"filters": [_row(part) for part in recipe.filters]}
    for key in _KEYS:
        if part := getattr(recipe, key):
            fields[key] = _row(part)
    return json.dumps(fields, ensure_ascii=False, sort_keys=True)


def _row(part: PartSpec) -> list[object]:
    return [part.name, dict(part.options)]


def recipe_from_json(text: str, name: str) -> RecipeSpec:
    """The recipe in JSON, its parts not looked up yet; `name` is that of the file.

    Raises FormatError.

    >>> recipe_from_json('{"tokenizer": ["words", {}], "filters": []}', "x.sdx").tokenizer.name
    'words'
    """
    try:
        fields = json.loads(text)
        parts = {key: _part(fields[key]) for key in _KEYS if key in fields}
        filters = tuple(_part(row) for row in fields["filters"])
        return RecipeSpec(filters=filters, **parts)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FormatError("is damaged: its recipe cannot be read", file=name) from error


def _part(row: object) -> PartSpec:
    """The part given as `[name, {option: value, …}]`. Raises ValueError."""
    match row:
        case [str(name), dict(options)]:
            return PartSpec(name, tuple(sorted((key, _option(options[key])) for key in options)))
    raise ValueError(row)


def _option(value: object) -> Option:
    match value:
        case str() | int() | float():
            return value
        case list() if all(isinstance(item, str) for item in value):
            return tuple(value)
    raise ValueError(value)
