"""Load and save what is shared: recipes, dictionaries, fingerprints and evidence."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdtext.errors import FormatError, MismatchError, OptionError, PackingError, UnreadableError
from sdtext.formats.csv_lines import csv_lines, harmless
from sdtext.formats.dictionary_xml import read_dictionary, write_dictionary
from sdtext.formats.fingerprint_xml import read_container, write_fingerprint, write_fingerprints
from sdtext.formats.hardened_xml import KEY_COLUMNS, kind_of_own_file
from sdtext.io.decompressed_content import MAX_BYTES, Content, memory_for, packed
from sdtext.io.output import MayReplace, written
from sdtext.model import Fingerprint, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.model.record_formats import names_other_format
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from sdtext.parts.load_recipe import carried_recipe, load_recipe
from sdtext.parts.original_names import ORIGINAL_NAMES
from sdtext.parts.registry import translated
from sdtext.reading.archive_members import content_at
from sdtext.reading.overwrite_guard import (
    DICTIONARY,
    EVIDENCE,
    FINGERPRINTS,
    PLAIN,
    Output,
    check_outputs,
)
from sdtext.reading.walk import is_collection
from sdtext.wording import printable

if TYPE_CHECKING:
    from sdtext.model import Evidence

OneOrMore = Dictionary | str | Path | Sequence[Dictionary | str | Path] | None
"""Dictionaries, or the names of their files."""

_Item = Fingerprint | Dictionary


def kind_of_file(path: str | Path | Content, max_bytes: int = MAX_BYTES) -> str:
    """The kind of a file of sdtext: the name of its root element, or "key"; "" for other files.

    Raises UnreadableError.
    """
    return kind_of_own_file(_opened(path, max_bytes).head)


def holds_fingerprints(path: str | Path, max_bytes: int = MAX_BYTES) -> bool:
    """Whether a file holds fingerprints; a folder does not, nor a file that cannot be read.

    A pipe is a document, since it can be read only once.
    """
    if os.path.isdir(path) or Path(path).is_fifo():  # noqa: PTH112 (it never raises)
        return False
    try:
        return kind_of_own_file(content_at(path, max_bytes).head).startswith("fingerprint")
    except UnreadableError:  # reported when it is read as a document
        return False


def _opened(path: str | Path | Content, max_bytes: int) -> Content:
    return path if isinstance(path, Content) else content_at(path, max_bytes)


def load(
    path: str | Path, *, max_bytes: int = MAX_BYTES
) -> Dictionary | Fingerprint | list[Fingerprint] | Evidence | RecipeSpec:
    """Load a file of sdtext: a dictionary, a fingerprint or a list of them, evidence or a recipe.

    A dictionary that comes with sdtext may be given by its name: "english". A recipe may not:
    `load_recipe` loads it. A fingerprint keeps the dictionary that its file contains for `score`
    and `compare`. A compressed file unpacks to at most `max_bytes`.

    Raises UnreadableError if the file is missing, FormatError if it is damaged or something else.

    >>> load("configs/english.toml").tokenizer.name
    'words'
    """
    path = DICTIONARIES.resolve(path)
    kind = kind_of_file(path, max_bytes)
    if kind == "dictionary":
        return load_dictionary(path, max_bytes)
    if kind.startswith("fingerprint"):
        fingerprints: list[Fingerprint] = []
        known: dict[str, Dictionary] = {}
        for item in _items(path, max_bytes):
            if isinstance(item, Fingerprint):
                fingerprints.append(item)
            else:
                with suppress(FormatError):  # with unknown parts it is of no use here
                    known[item.digest] = _settled(item, str(path))
        for place, item in enumerate(fingerprints if known else ()):
            own = filter(None, (known.get(each.digest) for each in item.dictionaries))
            fingerprints[place] = replace(item, with_dictionaries=tuple(own))
        return fingerprints[0] if kind == "fingerprint" else fingerprints
    if kind == "evidence":
        return load_evidence(path, max_bytes)
    try:
        return load_recipe(path)
    except FormatError as error:
        if kind == "tokenizers" or Path(path).suffix == ".toml":
            raise
        what = "is no dictionary, fingerprint, evidence or recipe"
        raise FormatError(what, file=path) from error


def load_dictionary(path: str | Path | Content, max_bytes: int = MAX_BYTES) -> Dictionary:
    """The dictionary in the file at `path`, or the one of that name that comes with sdtext.

    A compressed file unpacks to at most `max_bytes`; one that comes with sdtext is trusted.
    Raises UnreadableError, FormatError, OptionError.

    >>> load_dictionary("english").name
    'english'
    """
    file = path if isinstance(path, Content) else DICTIONARIES.resolve(path)
    content = _opened(file, max_bytes)
    if is_collection(content.path):
        what = "is a collection of sdtext, not a dictionary; name the file of a dictionary"
        raise UnreadableError(what, file=content.name)
    if content.max_bytes < MAX_BYTES and DICTIONARIES.holds(content.path):
        content = replace(content, max_bytes=MAX_BYTES)
    with _known(content, ("dictionary",), "dictionary"):
        return _settled(read_dictionary(content.file(), content.name), content.name)


def dictionaries_of(given: OneOrMore, max_bytes: int = MAX_BYTES) -> list[Dictionary]:
    """The given dictionaries, loaded where a file is given. Raises as `load` does."""
    if given is None or isinstance(given, Dictionary | str | Path):
        given = [] if given is None else [given]
    return [
        item if isinstance(item, Dictionary) else load_dictionary(item, max_bytes) for item in given
    ]


def load_fingerprints(
    path: str | Path | Content, max_bytes: int = MAX_BYTES
) -> Iterator[Fingerprint]:
    """The fingerprints in the file at `path`, one by one. Raises as `load` does."""
    for item in _items(path, max_bytes):
        if isinstance(item, Fingerprint):
            yield item


def read_fingerprint_file(
    content: Content, name: str, *, codes: bool = False
) -> Iterator[tuple[str, Fingerprint] | Dictionary]:
    """The named fingerprints in a file and its dictionaries, one by one.

    The only fingerprint of a file is called `name`; one of a container `name` with #FILENAME of its
    document, if the file has that and for the first of that name, otherwise #GUID or #POSITION. The
    dictionaries of a container stand before its first fingerprint. Raises as `load` does, after
    what is intact; MismatchError for sentence codes, unless these are wanted.
    """
    alone, position = _is_alone(content), 0
    filenames: set[str] = set()
    for item in _items(content):
        if isinstance(item, Dictionary):
            if alone or not position:
                yield _settled(item, content.name)
            continue
        if item.codes and not codes:
            what = "holds sentence codes, which have no terms; FindReuse compares them"
            raise MismatchError(what, file=content.name)
        position += 1
        filename = item.source.filename if item.source else ""
        if alone:
            yield name, item
        elif filename and filename not in filenames:
            filenames.add(filename)
            yield f"{name}#{filename}", item
        else:
            yield f"{name}#{item.origin.guid or position}", item


def _is_alone(content: Content) -> bool:
    with _damage(content.name):
        return kind_of_file(content) == "fingerprint"


def embedded_dictionaries(path: str | Path, *, max_bytes: int = MAX_BYTES) -> list[Dictionary]:
    """The dictionaries inside a fingerprint file. Raises as `load` does.

    >>> dictionary = create_dictionary(samples, "english")
    >>> made = fingerprint(samples / "union.txt", dictionary)
    >>> save(made, folder / "union.xml", dictionary=dictionary)
    >>> embedded_dictionaries(folder / "union.xml")[0].digest == dictionary.digest
    True
    """
    content = content_at(path, max_bytes)
    dictionaries = []
    for item in _items(content):
        if isinstance(item, Dictionary):
            dictionaries.append(_settled(item, content.name))
        elif not _is_alone(content):  # a container has its dictionaries in front
            break
    return dictionaries


def save_embedded_dictionaries(
    path: str | Path, output: str | None = None, *, force: bool = False
) -> list[tuple[Dictionary, str]]:
    """Write each dictionary inside a fingerprint file; return them with their files.

    `output` is for a single one. By default files in this folder have the names of dictionaries,
    numbered where two share one, and none is replaced. Raises OptionError, OutputError,
    UnreadableError if there is none.
    """
    dictionaries = embedded_dictionaries(path)
    if not dictionaries:
        what = "contains no dictionary; only fingerprints of profile full do"
        raise UnreadableError(what, file=path)
    if output and len(dictionaries) > 1:
        what = f"contains {len(dictionaries)} dictionaries; omit -d to write each to its own file"
        raise OptionError(what, file=path)
    kind = DICTIONARY if output else PLAIN
    names, targets = list[str](), list[str]()
    for dictionary in dictionaries:
        name = re.sub(r"[^\w.-]+", "_", dictionary.name).lstrip(".-_")[:60] or "dictionary"
        names.append(name)
        number = names.count(name)
        targets.append(output or (f"{name}-{number}.xml" if number > 1 else f"{name}.xml"))
    outputs = [Output(target, kind, force) for target in targets]
    check_outputs(outputs, [path])
    for dictionary, target in zip(dictionaries, outputs, strict=True):
        save(dictionary, target.path, may_replace=target.check_replaced)
    return list(zip(dictionaries, targets, strict=True))


def _items(path: str | Path | Content, max_bytes: int = MAX_BYTES) -> Iterator[_Item]:
    content = _opened(path, max_bytes)
    with _known(content, ("fingerprint", "fingerprints"), "fingerprint"):
        for item in read_container(content.file(), content.name):
            if isinstance(item, Fingerprint) and item.kind in ORIGINAL_NAMES["fingerprints"]:
                kind = translated("fingerprints", PartSpec(item.kind)).name
                yield replace(item, kind=kind)  # the original sdtext called it otherwise
            else:
                yield item


def load_evidence(path: str | Path, max_bytes: int = MAX_BYTES) -> Evidence:
    """The evidence of reused text in the file at `path`. Raises as `load` does."""
    from sdtext.formats.evidence_xml import read_evidence

    content = _opened(path, max_bytes)
    with _known(content, ("evidence",), "file of evidence"):
        return read_evidence(content.file(), content.name)


@contextmanager
def _damage(name: str) -> Iterator[None]:
    """A file of sdtext that cannot be decompressed is damaged; one too large is unreadable."""
    try:
        with memory_for(name):
            yield
    except PackingError as error:
        raise FormatError(error.what, file=error.file, place=error.place) from error


def save(
    item: Dictionary | Fingerprint | Iterable[Fingerprint] | Evidence,
    path: str | Path,
    *,
    dictionary: OneOrMore = None,
    names: str | Path | None = None,
    replaces: bool = False,
    may_replace: MayReplace | None = None,
) -> None:
    """Write a dictionary, one or several fingerprints, or evidence as XML; gzip for `*.gz`.

    `dictionary`, or several in a list, are embedded in fingerprints. `names` is the path of a key,
    for you alone: a CSV file that states which number is which document, for fingerprints that do
    not name theirs (`PROFILES["minimal"]`). The file appears whole or not at all. An existing file
    is replaced if it is empty or one of the same kind, or if `replaces` allows any; `may_replace`
    stands for this rule, as for `written`. Raises OutputError, and OptionError for a path that ends
    as files of another format do, such as .json.

    >>> dictionary = create_dictionary(samples, "english")
    >>> output = folder / "union.xml"
    >>> save(fingerprint(samples / "union.txt", dictionary), output, dictionary=dictionary)
    >>> load(output).kind
    'bitvector'
    """
    from sdtext.model import Evidence  # with its parts slow to import

    embedded = dictionaries_of(dictionary)
    documents: list[str] = []
    if names is not None:
        if isinstance(item, Dictionary | Evidence):
            raise OptionError("names is for fingerprints; omit it", place="save")
        check_outputs([Output(path, FINGERPRINTS, replaces), Output(names, PLAIN, replaces)], ())
    if may_replace is None:
        if names_other_format(path, [".xml"]):
            raise OptionError.of("save", "path", str(path), "the name of an XML file")
        kind = EVIDENCE if isinstance(item, Evidence) else FINGERPRINTS
        kind = DICTIONARY if isinstance(item, Dictionary) else kind
        may_replace = Output(path, kind, replaces).check_replaced
        may_replace()
    with written(path, may_replace) as plain, packed(plain, path) as file:
        if isinstance(item, Dictionary):
            write_dictionary(file, item)
        elif isinstance(item, Evidence):
            from sdtext.formats.evidence_xml import write_evidence

            write_evidence(file, item)
        elif isinstance(item, Fingerprint):
            write_fingerprint(file, next(_keyed([item], names, documents)), embedded)
        else:
            write_fingerprints(file, _keyed(item, names, documents), embedded)
    if names is not None:
        write_key(names, ((number, path, name) for number, name in enumerate(documents, 1)))


def _keyed(
    items: Iterable[Fingerprint], names: str | Path | None, documents: list[str]
) -> Iterator[Fingerprint]:
    """The fingerprints; adds their documents to a key. OptionError if one names its document."""
    for place, item in enumerate(items):
        if names is not None:
            if item.source or item.origin.guid:
                what = "has some; omit them by PROFILES['minimal'].of(…)"
                what = f"names is for fingerprints without names, and item[{place}] {what}"
                raise OptionError(what, place="save")
            if not item.document:
                what = f"names: the document of item[{place}] is not known; name it by Document.of"
                raise OptionError(what, place="save")
            documents.append(item.document)
        yield item


def write_key(path: str | Path, rows: Iterable[tuple[int, str | Path, str]]) -> None:
    """Write a key, which its owner alone can read: number, file and document of each row."""
    with written(path, private=True) as file:
        spelled = printable if file.isatty() else str
        cells = ([spelled(harmless(str(cell))) for cell in row] for row in (KEY_COLUMNS, *rows))
        file.writelines(line.encode("utf-8", "backslashreplace") for line in csv_lines(cells))


_MAKERS = {
    "dictionary": "CreateDictionary makes one, ExtractDictionary takes it from a fingerprint",
    "fingerprint": "Fingerprint makes one",
    "file of evidence": "FindReuse with the format xml makes one",
}
"""What makes each kind of file."""


@contextmanager
def _known(content: Content, kinds: tuple[str, ...], wanted: str) -> Iterator[None]:
    """A context to read a file in, opened once; FormatError if it is none of those kinds."""
    with content.kept_open(), _damage(content.name):
        kind = kind_of_own_file(content.head)
        if kind not in kinds:
            what = f"a <{kind}> file" if kind else "not an sdtext file" if content.head else "empty"
            raise FormatError(
                f"is {what}; expected a {wanted}; {_MAKERS[wanted]}", file=content.name
            )
        yield


def _settled(dictionary: Dictionary, name: str) -> Dictionary:
    """The dictionary, if this sdtext knows all parts of its chain."""
    recipe = carried_recipe(dictionary.recipe.chain(), name)
    return dictionary if recipe == dictionary.recipe else replace(dictionary, recipe=recipe)
