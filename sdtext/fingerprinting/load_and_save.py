"""Load and save what is shared: recipes, dictionaries, fingerprints and evidence."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

from sdtext.errors import (
    FormatError,
    OptionError,
    PackingError,
    UnreadableError,
    brief,
    check_path,
    memory_for,
    naming_arguments,
    printable,
    shown,
)
from sdtext.formats.csv_lines import csv_lines, harmless
from sdtext.formats.dictionary_xml import read_dictionary, write_dictionary
from sdtext.formats.evidence_xml import read_evidence, write_evidence
from sdtext.formats.fingerprint_xml import read_container, write_fingerprint, write_fingerprints
from sdtext.formats.hardened_xml import KEY_COLUMNS, kind_of_own_file
from sdtext.io.decompressed_content import MAX_BYTES, Content
from sdtext.io.output import MayReplace, written
from sdtext.model import Evidence, Fingerprint, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.model.record_formats import BINARY_ENDINGS, TEXT_ENDINGS
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
    OutputKind,
    check_outputs,
)
from sdtext.reading.walk import is_collection

_GZIP_LEVEL = 6

OneOrMore = Dictionary | str | Path | Sequence[Dictionary | str | Path] | None
"""Dictionaries, or the names of their files."""

_Item = Fingerprint | Dictionary
Artefact = Dictionary | Fingerprint | list[Fingerprint] | Evidence | RecipeSpec


def kind_of_file(path: str | Path | Content, max_bytes: int = MAX_BYTES) -> str:
    """The kind of a file of sdtext: the name of its root element, or "key"; "" for other files.

    Raises UnreadableError.
    """
    return kind_of_own_file(_opened(path, max_bytes).head)


def holds_fingerprints(path: str | Path, max_bytes: int = MAX_BYTES) -> bool:
    """Whether a file holds fingerprints; a file that cannot be read does not.

    A pipe is a document, since it can be read only once.
    """
    try:
        is_pipe = Path(path).is_fifo()
        return not is_pipe and kind_of_file(path, max_bytes).startswith("fingerprint")
    except UnreadableError:  # reported when it is read as a document
        return False


def _opened(path: str | Path | Content, max_bytes: int) -> Content:
    return path if isinstance(path, Content) else content_at(path, max_bytes)


@naming_arguments
def load(path: str | Path, max_bytes: int = MAX_BYTES) -> Artefact:
    """Load a file of sdtext: a dictionary, a fingerprint or a list of them, evidence or a recipe.

    A dictionary that comes with sdtext may be given by its name: "english". A recipe may not:
    `load_recipe` loads it. A fingerprint keeps the dictionary that its file contains for `score`
    and `compare`. A compressed file unpacks to at most `max_bytes`.

    Raises UnreadableError if the file is missing, FormatError if it is damaged or something else.

    >>> load("configs/english.toml").tokenizer.name
    'words'
    """
    check_path("load", "path", path)
    path = DICTIONARIES.resolve(path)
    kind = kind_of_file(path, max_bytes)
    if kind == "dictionary":
        return load_dictionary(path, max_bytes)
    if kind == "fingerprint":
        return _with_dictionaries(path, max_bytes)[0]
    if kind == "fingerprints":
        return _with_dictionaries(path, max_bytes)
    if kind == "evidence":
        return load_evidence(path, max_bytes)
    try:
        return load_recipe(path)
    except FormatError as error:
        if kind == "tokenizers" or Path(path).suffix == ".toml":
            raise
        what = "is no dictionary, fingerprint, evidence or recipe"
        raise FormatError(what, file=path) from error


def _with_dictionaries(path: str | Path, max_bytes: int) -> list[Fingerprint]:
    """The fingerprints in a file, each with those of its dictionaries that the file contains.

    A dictionary with parts that this sdtext does not know is left out: it is of no use here.
    """
    fingerprints: list[Fingerprint] = []
    known: dict[str, Dictionary] = {}
    for item in _items(path, max_bytes):
        if isinstance(item, Fingerprint):
            fingerprints.append(item)
        else:
            with suppress(FormatError):
                known[item.digest] = _settled(item, str(path))
    if not known:
        return fingerprints
    result = []
    for item in fingerprints:
        own = (known.get(reference.digest) for reference in item.dictionaries)
        result.append(replace(item, with_dictionaries=tuple(filter(None, own))))
    return result


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


def dictionaries_of(given: OneOrMore) -> list[Dictionary]:
    """The given dictionaries, loaded where a file is given. Raises as `load` does."""
    if given is None or isinstance(given, Dictionary | str | Path):
        given = [] if given is None else [given]
    items = [*given] if isinstance(given, Iterable) else [given]
    for item in items:
        if not isinstance(item, Dictionary | str | PathLike):
            wanted = "a dictionary, the name of one, or the path of its file"
            raise OptionError(f"dictionary is {brief(item)}; it must be {wanted}")
    return [item if isinstance(item, Dictionary) else load_dictionary(item) for item in items]


def load_fingerprints(
    path: str | Path | Content, max_bytes: int = MAX_BYTES
) -> Iterator[Fingerprint]:
    """The fingerprints in the file at `path`, one by one. Raises as `load` does."""
    for item in _items(path, max_bytes):
        if isinstance(item, Fingerprint):
            yield item


def read_fingerprint_file(
    content: Content, name: str
) -> Iterator[tuple[str, Fingerprint] | Dictionary]:
    """The named fingerprints in a file and its dictionaries, one by one.

    Names are those of `named_fingerprints`; the dictionaries of a container stand before its
    first fingerprint. Raises as `load` does, after what is intact.
    """
    names = _FingerprintNames(name, alone=_is_alone(content))
    for item in _items(content):
        if isinstance(item, Fingerprint):
            yield names.next(item), item
        elif names.alone or not names.position:
            yield _settled(item, content.name)


def named_fingerprints(
    path: str | Path | Content, name: str, max_bytes: int = MAX_BYTES
) -> Iterator[tuple[str, Fingerprint]]:
    """The fingerprints of a file by name: `name`, in a container with what tells them apart.

    That is #FILENAME of the document, if the file has it and for the first of that name; otherwise
    #GUID, or #POSITION.
    """
    content = _opened(path, max_bytes)
    names = _FingerprintNames(name, alone=_is_alone(content))
    for item in load_fingerprints(content):
        yield names.next(item), item


def _is_alone(content: Content) -> bool:
    with _damage(content.name):
        return kind_of_file(content) == "fingerprint"


class _FingerprintNames:
    """The names of the fingerprints in a file, each different from those before."""

    def __init__(self, file: str, *, alone: bool) -> None:
        self.file, self.alone = file, alone
        self.position = 0
        self._filenames: set[str] = set()

    def next(self, fingerprint: Fingerprint) -> str:
        """The name of the next fingerprint."""
        self.position += 1
        if self.alone:
            return self.file
        filename = fingerprint.source.filename if fingerprint.source else ""
        if filename and filename not in self._filenames:
            self._filenames.add(filename)
            return f"{self.file}#{filename}"
        return f"{self.file}#{fingerprint.origin.guid or self.position}"


@naming_arguments
def embedded_dictionaries(path: str | Path, max_bytes: int = MAX_BYTES) -> list[Dictionary]:
    """The dictionaries inside a fingerprint file. Raises as `load` does.

    >>> dictionary = create_dictionary(samples, "english")
    >>> save(fingerprint(samples / "union.txt", dictionary), folder / "union.xml", dictionary)
    >>> embedded_dictionaries(folder / "union.xml")[0].digest == dictionary.digest
    True
    """
    check_path("embedded_dictionaries", "path", path)
    content = content_at(path, max_bytes)
    return [_settled(item, content.name) for item in _dictionaries_in(content)]


def _dictionaries_in(content: Content) -> Iterator[Dictionary]:
    for item in _items(content):
        if isinstance(item, Dictionary):
            yield item
        elif not _is_alone(content):  # a container has its dictionaries in front
            break


def _items(path: str | Path | Content, max_bytes: int = MAX_BYTES) -> Iterator[_Item]:
    content = _opened(path, max_bytes)
    with _known(content, ("fingerprint", "fingerprints"), "fingerprint"):
        yield from map(_with_own_name, read_container(content.file(), content.name))


def _with_own_name(item: _Item) -> _Item:
    """`item`, in which the original sdtext's name of a fingerprinter is replaced by ours."""
    if isinstance(item, Fingerprint) and item.kind in ORIGINAL_NAMES["fingerprints"]:
        return replace(item, kind=translated("fingerprints", PartSpec(item.kind)).name)
    return item


def load_evidence(path: str | Path, max_bytes: int = MAX_BYTES) -> Evidence:
    """The evidence of reused text in the file at `path`. Raises as `load` does."""
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


@naming_arguments
def save(
    item: Dictionary | Fingerprint | Iterable[Fingerprint] | Evidence,
    path: str | Path,
    *dictionaries: Dictionary | str | Path,
    replaces: bool = False,
    may_replace: MayReplace | None = None,
    names: str | Path | None = None,
) -> None:
    """Write a dictionary, one or several fingerprints, or evidence as XML; gzip for `*.gz`.

    `dictionaries`, or the files named, are embedded in fingerprints. `names` is the path of a key,
    for you alone: a CSV file that states which number is which document, for fingerprints that do
    not name theirs (`PROFILES["minimal"]`). The file appears whole or
    not at all. An existing file is replaced if it is empty or one of the same kind, or if
    `replaces` allows any; `may_replace` stands for this rule, as for `written`. Raises OutputError,
    and OptionError for a path that ends as files of another format do, such as .json.

    >>> dictionary = create_dictionary(samples, "english")
    >>> save(fingerprint(samples / "union.txt", dictionary), folder / "union.xml", dictionary)
    >>> load(folder / "union.xml").kind
    'bitvector'
    """
    check_path("save", "path", path)
    items = [item] if isinstance(item, Dictionary | Fingerprint | Evidence) else item
    if not isinstance(items, Iterable) or isinstance(items, str | bytes | Mapping):
        raise _not_saved("item", items)
    embedded = dictionaries_of(dictionaries)
    key = _Key.of(names, item, Output(path, FINGERPRINTS, replaces))
    if may_replace is None:
        _check_ending(path)
        may_replace = Output(path, _kind_of(item), replaces).check_replaced
        may_replace()
    with written(path, may_replace) as plain, _packed(plain, path) as file:
        if isinstance(item, Dictionary):
            write_dictionary(file, item)
        elif isinstance(item, Evidence):
            write_evidence(file, item)
        else:
            made = _fingerprints(items, key)
            if isinstance(item, Fingerprint):
                write_fingerprint(file, next(made), embedded)
            else:
                write_fingerprints(file, made, embedded)
    if key:
        key.write()


def _fingerprints(items: Iterable[object], key: _Key | None) -> Iterator[Fingerprint]:
    """The items, which must be fingerprints; adds them to the key. Raises OptionError."""
    for place, item in enumerate(items):
        if not isinstance(item, Fingerprint):
            raise _not_saved(f"item[{place}]", item)
        if key:
            key.add(place, item)
        yield item


@dataclass
class _Key:
    """The key of a file of fingerprints: which number is which document."""

    path: str | Path
    file: str | Path
    documents: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, path: str | Path | None, item: object, file: Output) -> _Key | None:
        """An empty one, if there is a path. Raises OptionError, OutputError for a file there."""
        if path is None:
            return None
        check_path("save", "names", path)
        if isinstance(item, Dictionary | Evidence):
            raise OptionError("names is for fingerprints; leave it out", place="save")
        check_outputs([file, Output(path, PLAIN, file.replaces)], ())
        return cls(path, file.path)

    def add(self, place: int, item: Fingerprint) -> None:
        """Add the document of a fingerprint. Raises OptionError if the fingerprint names it."""
        if item.source or item.origin.guid:
            what = f"names is for fingerprints without names, and item[{place}] has some; leave "
            raise OptionError(f"{what}them out by PROFILES['minimal'].of(…)", place="save")
        if not item.document:
            what = f"the document of item[{place}] is not known; give Document.of(…, name='a')"
            raise OptionError(f"names: {what}", place="save")
        self.documents.append(item.document)

    def write(self) -> None:
        """Write it, for its owner alone."""
        write_key(
            self.path,
            ((number, self.file, name) for number, name in enumerate(self.documents, 1)),
        )


def write_key(path: str | Path, rows: Iterable[tuple[int, str | Path, str]]) -> None:
    """Write a key, which its owner alone can read: number, file and document of each row."""
    with written(path, private=True) as file:
        spelled = printable if file.isatty() else str
        cells = ([spelled(harmless(str(cell))) for cell in row] for row in (KEY_COLUMNS, *rows))
        file.writelines(line.encode("utf-8", "backslashreplace") for line in csv_lines(cells))


def _not_saved(argument: str, item: object) -> OptionError:
    """The error about an item that is not saved, with what to do for a result and its records."""
    error = OptionError.of("save", argument, item, "a dictionary, fingerprints or evidence")
    if isinstance(item, Mapping) or hasattr(item, "kept"):
        error.append("; write the records of result.kept as JSON lines, with json.dumps(record)")
    return error


def _check_ending(path: str | Path) -> None:
    """OptionError for the name of a file in another format than XML."""
    if Path(path).suffix.lower() in {*BINARY_ENDINGS, *TEXT_ENDINGS} - {".xml"}:
        name = Path(path).with_suffix(".xml").name
        wanted = (
            f"the name of an XML file, the one format that save() writes, such as {shown(name)}"
        )
        raise OptionError.of("save", "path", str(path), wanted)


def _kind_of(item: object) -> OutputKind:
    """The kind of file that an item is saved as."""
    if isinstance(item, Dictionary):
        return DICTIONARY
    return EVIDENCE if isinstance(item, Evidence) else FINGERPRINTS


@contextmanager
def _packed(file: BinaryIO, path: str | Path) -> Iterator[BinaryIO]:
    if not str(path).endswith(".gz"):
        yield file
        return
    # The file holds neither the time nor the name, so equal content gives equal bytes. Sparse
    # vectors take thirteen times as long at level 9, for 6 % fewer bytes.
    with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, 0) as packed:
        yield cast("BinaryIO", packed)


_MAKERS = {
    "dictionary": "CreateDictionary makes one",
    "fingerprint": "Fingerprint makes one",
    "file of evidence": "FindReuse makes one (format xml)",
}
"""What makes each kind of file; the command line shows verbs in place of the functions."""


def _remedy(content: Content, kind: str, wanted: str) -> str:
    """What makes the wanted kind of file from one of that kind."""
    if wanted != "dictionary" or not kind.startswith("fingerprint"):
        return "" if kind else f"; {_MAKERS[wanted]}"
    with suppress(FormatError, UnreadableError):
        if not any(_dictionaries_in(content)):
            return "; it contains none, so name the file of the dictionary that it was made with"
    return "; ExtractDictionary writes the one in the file"


@contextmanager
def _known(content: Content, kinds: tuple[str, ...], wanted: str) -> Iterator[None]:
    """A context to read a file in, opened once; FormatError if it is none of those kinds."""
    with content.kept_open(), _damage(content.name):
        kind = kind_of_own_file(content.head)
        if kind not in kinds:
            what = f"a <{kind}> file" if kind else "not an sdtext file" if content.head else "empty"
            raise FormatError(
                f"is {what}; expected a {wanted}{_remedy(content, kind, wanted)}", file=content.name
            )
        yield


def _settled(dictionary: Dictionary, name: str) -> Dictionary:
    """The dictionary, if this sdtext knows all parts of its chain."""
    recipe = carried_recipe(dictionary.recipe.chain(), name)
    return dictionary if recipe == dictionary.recipe else replace(dictionary, recipe=recipe)
