"""What is shared: recipes, dictionaries, fingerprints and evidence, loaded and saved."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

from sdtext.errors import FormatError, PackingError, shown
from sdtext.formats.container_reader import read_container
from sdtext.formats.dictionary_xml import read_dictionary, write_dictionary
from sdtext.formats.evidence_reader import read_evidence
from sdtext.formats.evidence_xml import write_evidence
from sdtext.formats.fingerprint_writer import write_fingerprint, write_fingerprints
from sdtext.formats.hardened_xml import root_name
from sdtext.io.atomic import written
from sdtext.io.content import MAX_BYTES, Content
from sdtext.model import Evidence, Fingerprint, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.bundled import home_of, ready
from sdtext.parts.recipe import carried_recipe, load_recipe
from sdtext.reading.archive_paths import content_at

OneOrMore = Dictionary | str | Path | Sequence[Dictionary | str | Path] | None
"""Dictionaries, themselves or by the names of their files."""

Artefact = Dictionary | Fingerprint | list[Fingerprint] | Evidence | RecipeSpec


def kind_of_file(path: str | Path, max_bytes: int = MAX_BYTES) -> str:
    """What the file is of sdtext's own: the name of its first element, "" for other files.

    Raises UnreadableError.
    """
    return root_name(content_at(path, max_bytes).head)


def load(path: str | Path) -> Artefact:
    """What the file at `path` holds: a dictionary, fingerprint or list of them, evidence, a recipe.

    A ready dictionary may be named as such: "english".

    Raises UnreadableError where it is missing, FormatError where it is damaged or something
    else.

    >>> load("configs/english.toml").tokenizer.name
    'words'
    """
    path = ready(path) or path
    kind = kind_of_file(path)
    if kind == "dictionary":
        return load_dictionary(path)
    if kind == "fingerprint":
        return next(iter(load_fingerprints(path)))
    if kind == "fingerprints":
        return list(load_fingerprints(path))
    return load_evidence(path) if kind == "evidence" else load_recipe(path)


def load_dictionary(path: str | Path, max_bytes: int = MAX_BYTES) -> Dictionary:
    """The dictionary in the file at `path`, or the ready one of that name.

    Raises UnreadableError, FormatError, OptionError.

    >>> load_dictionary("english").name
    'english'
    """
    content = _known(home_of(path), ("dictionary",), "dictionary", max_bytes)
    with _damage():
        return _settled(read_dictionary(content.file(), content.name), content.name)


def dictionaries_of(given: OneOrMore) -> list[Dictionary]:
    """The dictionaries that are given, or that the files named hold. Raises as `load` does."""
    if given is None or isinstance(given, Dictionary | str | Path):
        given = [] if given is None else [given]
    return [one if isinstance(one, Dictionary) else load_dictionary(one) for one in given]


def load_fingerprints(path: str | Path, max_bytes: int = MAX_BYTES) -> Iterator[Fingerprint]:
    """The fingerprints in the file at `path`, one by one. Raises as `load` does."""
    for item in _fingerprints(path, max_bytes):
        if isinstance(item, Fingerprint):
            yield item


def named_fingerprints(
    path: str | Path, name: str, max_bytes: int = MAX_BYTES
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of a file called `name`, by name: #GUID or #place behind in a container."""
    alone = kind_of_file(path, max_bytes) == "fingerprint"
    for place, item in enumerate(load_fingerprints(path, max_bytes), 1):
        yield (name if alone else f"{name}#{item.origin.guid or place}"), item


def embedded_dictionaries(path: str | Path, max_bytes: int = MAX_BYTES) -> list[Dictionary]:
    """The dictionaries inside a fingerprint file. Raises as `load` does.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> save(fingerprint(samples / "union.txt", dictionary), folder / "union.xml", dictionary)
    >>> embedded_dictionaries(folder / "union.xml")[0].digest == dictionary.digest
    True
    """
    at_head = kind_of_file(path, max_bytes) == "fingerprints"
    found = []
    for item in _fingerprints(path, max_bytes):
        if isinstance(item, Dictionary):
            found.append(_settled(item, shown(path)))
        elif at_head:
            break
    return found


def _fingerprints(path: str | Path, max_bytes: int) -> Iterator[Fingerprint | Dictionary]:
    content = _known(path, ("fingerprint", "fingerprints"), "fingerprint", max_bytes)
    with _damage():
        yield from read_container(content.file(), content.name)


def load_evidence(path: str | Path, max_bytes: int = MAX_BYTES) -> Evidence:
    """The evidence of reused text in the file at `path`. Raises as `load` does."""
    content = _known(path, ("evidence",), "file of evidence", max_bytes)
    with _damage():
        return read_evidence(content.file(), content.name)


@contextmanager
def _damage() -> Iterator[None]:
    """What cannot be unpacked where a file of ours is wanted is such a file, damaged."""
    try:
        yield
    except PackingError as error:
        raise FormatError(str(error)) from error


def save(
    item: Dictionary | Fingerprint | Iterable[Fingerprint] | Evidence,
    path: str | Path,
    *dictionaries: Dictionary | str | Path,
) -> None:
    """Write a dictionary, a fingerprint, several, or evidence as XML; packed if it ends in .gz.

    `dictionaries` are embedded into fingerprints; they may be named by their files. The file
    appears whole or not at all. Raises OutputError.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> save(fingerprint(samples / "union.txt", dictionary), folder / "union.xml", dictionary)
    >>> load(folder / "union.xml").kind
    'bitvector'
    """
    embedded = dictionaries_of(dictionaries)
    with written(path) as plain, _packed(plain, path) as file:
        if isinstance(item, Dictionary):
            write_dictionary(file, item)
        elif isinstance(item, Fingerprint):
            write_fingerprint(file, item, embedded)
        elif isinstance(item, Evidence):
            write_evidence(file, item)
        else:
            write_fingerprints(file, item, embedded)


@contextmanager
def _packed(file: BinaryIO, path: str | Path) -> Iterator[BinaryIO]:
    if not str(path).endswith(".gz"):
        yield file
        return
    # Neither the time nor the name goes into the file, so equal content gives equal bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        yield cast("BinaryIO", packed)


def _known(path: str | Path, kinds: tuple[str, ...], wanted: str, max_bytes: int) -> Content:
    content = content_at(path, max_bytes)
    with _damage():
        found = root_name(content.head)
    if found not in kinds:
        what = f"a <{found}> file" if found else "not an sdtext file" if content.head else "empty"
        raise FormatError(f"{content.name}: is {what}; a {wanted} is wanted here")
    return content


def _settled(dictionary: Dictionary, name: str) -> Dictionary:
    """The dictionary, if this sdtext knows all parts of its chain."""
    recipe = carried_recipe(dictionary.recipe.chain(), name)
    return dictionary if recipe == dictionary.recipe else replace(dictionary, recipe=recipe)
