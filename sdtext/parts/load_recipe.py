"""Recipes in TOML files and in the XML of dictionaries: read, checked and normalised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NewType

from sdtext.errors import FormatError, OptionError, UnreadableError
from sdtext.formats.configuration_xml import chain_from
from sdtext.formats.hardened_xml import check_version, events, kind_of_own_file, local
from sdtext.formats.toml_reader import table_in
from sdtext.io.decompressed_content import Content, memory_for
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.bundled_dictionaries_and_recipes import RECIPES
from sdtext.parts.filters.stopwords_and_length import shipped_list
from sdtext.parts.original_names import ORIGINAL_CHAINS, settled_mode
from sdtext.parts.registry import build, kind_of, normalised, translated
from sdtext.text.language import AUTO
from sdtext.text.normal_form import clean
from sdtext.wording import brief, reason, shown

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


CheckedRecipe = NewType("CheckedRecipe", RecipeSpec)
"""A recipe whose parts all exist under sdtext's own names, with valid options.

The functions of this module are the only ones that make one. They check what comes from outside
(files, callers) once; whatever takes a `CheckedRecipe` need not check it again.
"""
RecipeLike = RecipeSpec | str | Path
"""A recipe, the name of one that comes with sdtext, or the path of its file."""

_KINDS = ("tokenizer", "fingerprint", "matcher", "reader", "unit", "shingler", "index", "aligner")
_KEYS = {key: "indexes" if key == "index" else f"{key}s" for key in _KINDS}
_OUTSIDE_IN = "OutsideInFileTokenizer"
_MAX_BYTES = 16 << 20
_MAX_WORD_LIST = 1 << 20  # bytes


def load_recipe(path: str | Path) -> CheckedRecipe:
    """Load the recipe in the file at `path`, or the one of that name that comes with sdtext.

    The file is TOML, `<tokenizers>` XML, or a dictionary. Word lists it names are read, relative to
    its folder, and stand in the result. A `Path` is always a file. Raises UnreadableError,
    FormatError or OptionError.

    >>> [part.name for part in load_recipe("english").chain()][:2]
    ['words', 'lowercase']
    """
    return _load(path)[0]


def files_of_recipe(path: str | Path | None) -> list[Path]:
    """The files that `load_recipe` reads: that of the recipe, and the word lists it names.

    There are none without a recipe. Raises as `load_recipe` does.
    """
    if path is None:
        return []
    path = Path(RECIPES.resolve(path))
    options = [dict(translated("filters", part).options) for part in _load(path)[1]]
    return [path, *(path.parent / str(given["file"]) for given in options if "file" in given)]


def _load(path: str | Path) -> tuple[CheckedRecipe, Sequence[PartSpec]]:
    """The recipe, and its tokenizer and filters as they stand in the file."""
    path = RECIPES.resolve(path)
    content = Content(path, _MAX_BYTES)
    name, folder = content.name, Path(path).parent
    chain: Sequence[PartSpec]
    try:
        with memory_for(name):
            if content.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
                chain = _chain_in(content, name)
                if kind_of_own_file(content.head) == "dictionary":
                    return carried_recipe(chain, name), chain
                return recipe_of(chain, folder), chain
            table = table_in(content.whole(), name, "a recipe")
        if unknown := [key for key in table if key not in _KEYS and key != "filters"]:
            keys = ", ".join(["filters", *_KEYS])
            raise OptionError(f"a recipe has no key {brief(unknown[0])}; its keys are {keys}")
        if "tokenizer" not in table:
            raise OptionError("key tokenizer is missing; it names a tokenizer")
        listed = table.get("filters", [])
        if not isinstance(listed, list):
            raise OptionError.of("recipe", "filters", listed, "a list of filters")
        parts = {key: part_in(table[key], key) for key in _KEYS if key in table}
        filters = [part_in(row, f"filter {place}") for place, row in enumerate(listed, 1)]
        chain = parts["tokenizer"], *filters
        return _with_parts(recipe_of(chain, folder), parts), chain
    except OptionError as error:
        if error.file:
            raise
        raise OptionError(str(error), file=name) from error


def recipe_from(given: RecipeLike) -> RecipeSpec:
    """The recipe that is given, or the one of this name or in this file. Raises as `load_recipe`.

    >>> recipe_from("english") == recipe_from(Path("configs/english.toml"))
    True
    """
    return given if isinstance(given, RecipeSpec) else load_recipe(given)


def recipe_of(chain: Sequence[PartSpec], folder: Path | None = None) -> CheckedRecipe:
    """The checked recipe of a tokenizer and filters; `folder` is that of the word lists.

    Without a folder no file but a bundled recipe is read: whoever made a dictionary must not choose
    what is opened.

    >>> chain = [PartSpec("FileTokenizer"), PartSpec.of("MinimumLengthTokenizer", length=3)]
    >>> recipe_of(chain).canonical()
    '[["words",{}],["min-length",{"length":3}]]'
    """
    for place, part in enumerate(chain, 1):
        kind = kind_of(part.name)
        if place == 1 and kind != "tokenizers":
            raise OptionError(f"part 1 ({part.name}) is a filter; the first must be a tokenizer")
        if place > 1 and kind == "tokenizers":
            what = f"part {place} ({part.name}) is a second tokenizer; only one is allowed"
            raise OptionError(what)
    if not chain:
        raise OptionError("the recipe names no tokenizer; it must name one")
    source, reader = chain[0], None
    options = dict(source.options)
    if source.name == _OUTSIDE_IN and "argv" in options:  # the program that reads the files
        if folder is None:
            what = "argv names a program; only your own recipe files may"
            raise OptionError(what, file=source.name)
        reader = normalised("readers", PartSpec.of("command", argv=options.pop("argv")))
        source = PartSpec.of(source.name, **options)
    listed = chain[1:]
    if chains := ORIGINAL_CHAINS.get(source.name):  # the filters listed come after its own
        source, *leading = load_recipe(chains[settled_mode(source, chains)]).chain()
        listed = (*leading, *listed)
    filters, fold = list[PartSpec](), None
    for part in listed:
        checked = normalised("filters", _with_words(part, folder))
        words = dict(checked.options).get("words")
        if fold and checked.name == "stop-words" and isinstance(words, tuple):  # as behind `fold`
            folded = tuple(sorted({*map(fold, words)} - {""}))
            checked = PartSpec.of("stop-words", words=folded)
        elif checked.name == "fold":
            fold = build("filters", checked)
        filters.append(checked)
    return CheckedRecipe(RecipeSpec(normalised("tokenizers", source), (*filters,), reader=reader))


def checked_recipe(recipe: RecipeSpec) -> CheckedRecipe:
    """`recipe` with every part checked and normalised. Raises OptionError.

    >>> checked_recipe(RecipeSpec(PartSpec("FileTokenizer"))).canonical()
    '[["words",{}]]'
    """
    return _with_parts(recipe_of(recipe.chain()), {key: getattr(recipe, key) for key in _KEYS})


def _with_parts(recipe: CheckedRecipe, parts: Mapping[str, PartSpec | None]) -> CheckedRecipe:
    """The recipe with those of its parts that are no tokenizer and no filter."""
    checked: dict[str, Any] = {
        key: normalised(_KEYS[key], part)
        for key, part in parts.items()
        if part and key != "tokenizer"
    }
    return replace(recipe, **checked)


def carried_recipe(chain: Sequence[PartSpec], name: str) -> CheckedRecipe:
    """The checked recipe of the chain in a dictionary. Raises FormatError."""
    try:
        return recipe_of(chain)
    except OptionError as error:
        raise FormatError(f"its chain cannot be used here: {error}", file=name) from error


def _chain_in(content: Content, name: str) -> tuple[PartSpec, ...]:
    """The chain in XML: a `<tokenizers>` file's, or a dictionary's."""
    root: Element | None = None
    for event, element in events(content.file(), name):
        if root is None:
            root = element
            check_version(root.get("version"), name)
        # A chain is the file itself, or stands right below a dictionary.
        home = root if local(root) == "dictionary" else None
        if event == "end" and local(element) == "tokenizers" and element.getparent() is home:
            return chain_from(element, name)
    raise FormatError("has no <tokenizers>; a recipe in XML begins with it", file=name)


def part_in(given: object, place: str) -> PartSpec:
    """The part that a TOML value names: a text, or a table with a name and options.

    >>> part_in({"name": "min-length", "length": 3}, "filter 1")
    PartSpec(name='min-length', options=(('length', 3),))
    """
    if isinstance(given, str):
        return PartSpec(given)
    if isinstance(given, dict) and isinstance(given.get("name"), str):
        options: dict[str, Any] = {
            key: tuple(value)
            if isinstance(value, list) and all(isinstance(item, str) for item in value)
            else value
            for key, value in given.items()
        }
        name: str = options.pop("name")
        return PartSpec.of(name, **options)
    raise OptionError(f'{place} is {brief(given)}; it must be a name, or {{ name = "…", … }}')


def _with_words(part: PartSpec, folder: Path | None) -> PartSpec:
    """`part` with its words in place of the list it names, if it is a list of stop words."""
    part = translated("filters", part)
    options = dict(part.options)
    short = options.pop("short", False) if "language" in options else False
    if part.name != "stop-words" or len(options) != 1:
        return part
    ((key, value),) = options.items()
    if key == "language" and isinstance(value, str) and value != AUTO and isinstance(short, bool):
        return PartSpec.of("stop-words", words=shipped_list(value, short=short))
    if key == "words" and isinstance(value, tuple):
        return PartSpec.of("stop-words", words=_as_terms(value))
    if key == "file" and isinstance(value, str):
        if folder is None:
            what = "stop-words: file names a list, but the words themselves are required here"
            raise OptionError(what)
        return PartSpec.of("stop-words", words=_read_words(folder, value))
    return part


def _read_words(folder: Path, name: str) -> tuple[str, ...]:
    """The words of a list, one a line, in a file below the folder of a recipe.

    Recipes come from others, too, so that they cannot name a device or a file elsewhere.
    """
    path, wanted, fault = folder / name, "", ""
    try:
        size = path.stat().st_size
        if not path.resolve().is_relative_to(folder.resolve()):
            wanted = "below the folder of the recipe"
        elif not path.is_file() or size > _MAX_WORD_LIST:
            wanted = f"a regular file of at most {_MAX_WORD_LIST:,} bytes"
        elif words := _as_terms(path.read_text("utf-8-sig").splitlines()):
            return words
        else:
            fault = "holds no words"
    except OSError as error:
        fault = reason(error)
    except UnicodeDecodeError:
        fault = "is not UTF-8"
    except ValueError:
        fault = "invalid file name"
    if wanted:
        raise OptionError.of("stop-words", "file", name, wanted)
    raise UnreadableError(f"stop-words: {shown(path)}: {fault}")


def _as_terms(words: Iterable[str]) -> tuple[str, ...]:
    """Words as they reach a filter: distinct, in code-point order."""
    return tuple(sorted({clean(word).strip() for word in words} - {""}))
