"""Facts of a collection as a whole: its recipe, dictionaries, columns and counters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sdtext.collections.storage.arrays import NAME, ArrayKind, Kinds, plain_file
from sdtext.errors import FormatError, OptionError, SdtextError
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.model import Option, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import CheckedRecipe, checked_recipe
from sdtext.parts.registry import build
from sdtext.wording import reason

VERSION = "1.3"
DICTIONARIES = "dictionaries"
REMEDY = "restore it from a backup or create the collection again"
REMEDY_OF_SEGMENT = f"{REMEDY}, or search the rest of it with skip_damaged"
_DIGEST = re.compile("[0-9a-f]{64}")
_VERSION = re.compile("([0-9]{1,4})[.]([0-9]{1,4})")
UNKNOWN_VERSION = ""
_RELEASE = re.compile("[0-9A-Za-z.+!-]{0,40}")  # of sdtext; "" where it is not known
Coefficients = tuple[tuple[int, ...], tuple[int, ...]]
_KEYS = ("tokenizer", "unit", "shingler", "fingerprint", "index", "matcher", "aligner")
LATER = ("kinds", "next_document", "next_segment", "sdtext_versions")
"""The fields that differ between states of one collection."""


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
            "arrays": json.dumps({name: asdict(kind) for name, kind in self.kinds.items()}),
            "next_document": json.dumps(self.next_document),
            "next_segment": json.dumps(self.next_segment),
            "sdtext_versions": json.dumps(self.sdtext_versions),
        }

    @classmethod
    def read(cls, rows: Mapping[str, str], name: str) -> CollectionMeta:
        """What the table `meta` of the collection `name` says. Raises FormatError."""
        check_version(rows.get("version", ""), name)
        recipe = replace(recipe_from_json(rows.get("recipe", ""), name), reader=None)
        try:
            checked = checked_recipe(recipe)
        except OptionError as error:
            raise FormatError(f"its recipe cannot be used here: {error}", file=name) from error
        try:
            kinds = {
                key: ArrayKind.from_json(value) for key, value in json.loads(rows["arrays"]).items()
            }
            coefficients = json.loads(rows["coefficients"])
            if coefficients is not None:
                first, second = map(tuple, coefficients)
                coefficients = first, second
            meta = cls(
                checked,
                rows["guid"],
                rows["created"],
                tuple(json.loads(rows["dictionaries"])),
                json.loads(rows["keeps_text"]) is True,
                coefficients,
                {key: kind for key, kind in kinds.items() if kind},
                json.loads(rows["next_document"]),
                json.loads(rows["next_segment"]),
                tuple(json.loads(rows["sdtext_versions"])),
            )
            whole = (
                all(map(_DIGEST.fullmatch, meta.dictionaries))
                and all(map(_RELEASE.fullmatch, meta.sdtext_versions))
                and all(type(number) is int for pair in coefficients or () for number in pair)
                and all(kind and NAME.fullmatch(key) for key, kind in kinds.items())
                and all(
                    type(number) is int and 0 < number < 1 << 62
                    for number in (meta.next_document, meta.next_segment)
                )
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise damage(name, "its table meta is incomplete") from error
        if not whole:
            raise damage(name, "its table meta is incomplete")
        return meta


class DamagedCollectionError(FormatError):
    """A collection, or a file of it, is damaged; `fault` says in which way."""

    def __init__(self, file: str | Path, fault: str, remedy: str) -> None:
        super().__init__(f"is damaged: {fault}; {remedy}", file=file)
        self.fault = fault


def damage(file: str | Path, fault: str, remedy: str = REMEDY) -> DamagedCollectionError:
    """The error for a damaged collection, or for a damaged file of it."""
    return DamagedCollectionError(file, fault, remedy)


def fault_of(error: SdtextError) -> str:
    """What is damaged, and how, without advice."""
    if isinstance(error, DamagedCollectionError):
        return f"{error.file}: is damaged: {error.fault}"
    return str(error)


def check_version(version: str, name: str) -> None:
    """FormatError unless this sdtext reads that version of the format."""
    match = _VERSION.fullmatch(version)
    if not match:
        raise damage(name, "it names no version of the format")
    major, minor = map(int, VERSION.split("."))
    if int(match[1]) != major or int(match[2]) < minor:
        what = f"is in version {version} of the format and this sdtext reads {VERSION}"
        raise FormatError(f"{what}; use the sdtext that wrote it, or create it again", file=name)


def coefficients_of(sketch: PartSpec | None) -> Coefficients | None:
    """The pairs (a, b) of the hash functions of a sketch, None if it has none."""
    part: Any = build("fingerprints", sketch) if sketch else None
    pairs = getattr(part, "coefficients", None)
    return None if pairs is None else (tuple(map(int, pairs[0])), tuple(map(int, pairs[1])))


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
    parts = {key: part for key in _KEYS if (part := getattr(recipe, key))}
    fields: dict[str, Any] = {key: [part.name, dict(part.options)] for key, part in parts.items()}
    fields["filters"] = [[part.name, dict(part.options)] for part in recipe.filters]
    return json.dumps(fields, ensure_ascii=False, sort_keys=True)


def recipe_from_json(text: str, name: str) -> RecipeSpec:
    """The recipe in JSON, its parts not looked up yet; `name` is that of the file.

    Raises FormatError.

    >>> recipe_from_json('{"tokenizer": ["words", {}], "filters": []}', "x.sdx").tokenizer.name
    'words'
    """
    try:
        fields = json.loads(text)
        parts = {key: _part(fields[key]) for key in _KEYS if key in fields}
        return RecipeSpec(filters=tuple(map(_part, fields["filters"])), **parts)
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
