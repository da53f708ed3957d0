"""Collections in memory: files, documents and fingerprints, with the columns of stored ones.

A `Listing` has what stands at paths and in memory, by kind, before documents are read. These become
shingles or fingerprints, and those `MemoryCollection`s, some at a time.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.document_types import DocumentRows, NewDocument, StoredDocument
from sdtext.collections.schema import PLACED, SHINGLES, TEXT, WORDS, decoded_text, vectors_column
from sdtext.errors import OptionError, SdtextError, UnreadableError
from sdtext.fingerprinting.dictionaries_by_digest import (
    LocatedDictionary,
    described,
    dictionaries_by_digest,
    folder_of,
)
from sdtext.fingerprinting.fingerprint_documents import (
    FingerprintOptions,
    Foreign,
    fingerprints,
    fingerprints_of_documents,
)
from sdtext.fingerprinting.load_and_save import (
    kind_of_file,
    load_dictionary,
    read_fingerprint_file,
)
from sdtext.io.decompressed_content import Content
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import (
    DictionaryReference,
    Fingerprint,
    PartSpec,
    Problem,
    RecipeSpec,
    Vector,
)
from sdtext.model.dictionary import Dictionary
from sdtext.reading.archive_members import expanded_files
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import (
    Run,
    Unread,
    batched,
    path_of,
    process_each,
    run_batches,
    skipped_artefact,
)
from sdtext.reading.read_document import Source
from sdtext.reading.recognise_file import PLAIN, name_of_reader
from sdtext.reading.walk import ShortFiles, files_in
from sdtext.text.document import Document

Given = str | Path | Content | tuple[str, Document | Fingerprint]
"""A path, an open file, or a document or fingerprint in memory with its name."""

Item = TypeVar("Item")
Known = Callable[[str], Any]
"""What is known of the document with a name, None where it has to be read."""


_WORDS = RecipeSpec(PartSpec("words"), shingler=PartSpec("words"))
_PART = 1 << 24  # bytes of vectors or shingles in a collection, which is compared at once


@dataclass(frozen=True, eq=False)
class MemoryCollection:
    """Documents in memory, in place of a stored collection: by shingles, or fingerprints.

    `shingles` has the sorted distinct shingles of each document, `names` its name; its number is
    its place. `arrays` are further columns, such as `sketches`. `fingerprints`, all of one kind,
    may have vectors over several dictionaries, and one for each segment. Or `rows` have the columns
    that were built of the documents, some in each segment.

    >>> texts = MemoryCollection.of([[1, 2], [2]], names=["a", "b"])
    >>> [document.name for document in texts.taken([1])]
    ['b']
    """

    recipe: RecipeSpec
    shingles: Ragged
    names: Sequence[str]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    dictionaries: tuple[Dictionary, ...] = ()
    problems: tuple[Problem, ...] = ()
    fingerprints: Sequence[Fingerprint] = ()
    texts: Sequence[str] = ()
    name = ""
    rows: Sequence[DocumentRows] | None = None

    @classmethod
    def of(
        cls, rows: Sequence[Sequence[int]], names: Sequence[str] = (), recipe: RecipeSpec = _WORDS
    ) -> MemoryCollection:
        """The documents with these sets of shingles, named by their places by default."""
        distinct = Ragged.of([sorted(set(row)) for row in rows])
        return cls(recipe, distinct, names or [str(place) for place in range(len(rows))])

    @classmethod
    def of_vectors(
        cls, names: Sequence[str], packed: NDArray[np.uint8], dictionary: Dictionary
    ) -> MemoryCollection:
        """The documents of these packed vectors over a dictionary, a row each."""
        column = {vectors_column(dictionary.digest): packed}
        return cls(dictionary.recipe, Ragged.of([]), names, column, (dictionary,))

    @classmethod
    def of_fingerprints(
        cls, named: Sequence[tuple[str, Fingerprint]], dictionaries: Sequence[Dictionary] = ()
    ) -> MemoryCollection:
        """The documents of these fingerprints, with their names."""
        names, prints = [name for name, _ in named], [item for _, item in named]
        none = Ragged.of([])
        return cls(_WORDS, none, names, {}, tuple(dictionaries), fingerprints=prints)

    @classmethod
    def of_rows(cls, recipe: RecipeSpec, rows: Sequence[DocumentRows]) -> MemoryCollection:
        """The documents of rows with the columns that a `RowBuilder` by the recipe made of them."""
        names = [document.name for part in rows for document in part.documents]
        return cls(recipe, Ragged.of([]), names, rows=rows)

    def segments(self, over: DictionaryReference | None = None) -> Sequence[MemoryColumns]:
        """One for the vectors over each dictionary, or over one; without fingerprints, one."""
        if over is None:
            return [*self._segments.values()]
        key = over.digest, (over.terms + 7) // 8
        return [self._segments[key]] if key in self._segments else []

    @cached_property
    def _segments(self) -> Mapping[tuple[str, int], MemoryColumns]:
        if self.rows is not None:
            ends = np.cumsum([len(part) for part in self.rows]).tolist()
            return {
                ("", end): MemoryColumns(np.arange(end - len(part), end), part.arrays)
                for end, part in zip(ends, self.rows, strict=True)
            }
        if not self.fingerprints:
            ids = np.arange(len(self.names))
            return {("", 0): MemoryColumns(ids, {SHINGLES: self.shingles, **self.arrays})}
        vectors: dict[tuple[str, int], list[tuple[int, Vector]]] = {}
        for place, item in enumerate(self.fingerprints):
            for vector in item.vectors:
                key = item.reference(vector).digest, len(vector.packed)
                vectors.setdefault(key, []).append((place, vector))
        return {key: _columns(*key, rows) for key, rows in vectors.items()}

    @cached_property
    def references(self) -> dict[str, DictionaryReference]:
        """The dictionaries that the vectors were made with, by their digests."""
        return {
            reference.digest: reference
            for item in self.fingerprints
            for reference in item.dictionaries
        }

    @cached_property
    def sizes(self) -> Mapping[str, NDArray[np.int64]]:
        """The numbers of bits of all vectors, by the digest of their dictionary."""
        sizes: dict[str, list[int]] = {}
        for item in self.fingerprints:
            for vector in item.vectors:
                sizes.setdefault(item.reference(vector).digest, []).append(vector.count)
        return {digest: np.array(numbers) for digest, numbers in sizes.items()}

    def ids(self, where: str | None = None) -> NDArray[np.int64]:
        """The places of all documents; OptionError for a condition, for there is no metadata."""
        if where is not None:
            raise OptionError("documents in memory have no metadata to filter by; store them first")
        return np.arange(len(self.names))

    def taken(self, ids: Iterable[int]) -> Sequence[StoredDocument]:
        """The documents at these places."""
        return [self._documents[place] for place in ids]

    @cached_property
    def _documents(self) -> Sequence[StoredDocument]:
        new: Iterable[Any] = map(NewDocument, self.names)
        if self.rows is not None:
            new = chain.from_iterable(part.documents for part in self.rows)
        return [
            StoredDocument(place, it.name, it.root, it.size, it.digest, 0, place, dict(it.metadata))
            for place, it in enumerate(new)
        ]

    @cached_property
    def lengths(self) -> Sequence[int]:
        """How many characters the text of each document has."""
        return [document.length for part in self.rows or () for document in part.documents]  # type: ignore[union-attr] # new ones

    def with_roots(self, names: Mapping[str, str]) -> MemoryCollection | None:
        """The documents that have these roots, with other names; None if some are not there."""
        numbers = {document.root: document.id for document in self._documents}
        if not numbers.keys() >= names.keys():
            return None
        parts = []
        for columns, rows in zip(self.segments(), self.rows or (), strict=True):
            first, last = int(columns.ids[0]), int(columns.ids[-1])
            roots = [root for root in names if first <= numbers[root] <= last]
            places = [numbers[root] - first for root in roots]
            arrays = {
                name: column
                if name == WORDS
                else (column.taken(places) if isinstance(column, Ragged) else column[places])
                for name, column in columns.arrays.items()
            }
            documents: list[Any] = [rows.documents[place] for place in places]
            pairs = zip(documents, roots, strict=True)
            renamed = [replace(document, name=names[root]) for document, root in pairs]
            parts += [DocumentRows(renamed, arrays)] if renamed else []
        return MemoryCollection.of_rows(self.recipe, parts)

    @property
    def keeps_text(self) -> bool:
        """Whether the texts are among its rows."""
        return any(TEXT in part.arrays for part in self.rows or ())

    def text_with_id(self, number: int) -> str:
        """The text of the document with this number."""
        columns = next(part for part in self.segments() if number <= part.ids[-1])
        return decoded_text(columns.ragged(TEXT)[number - columns.ids[0]])


def _columns(digest: str, width: int, rows: Sequence[tuple[int, Vector]]) -> MemoryColumns:
    packed = np.frombuffer(b"".join(vector.packed for _, vector in rows), np.uint8)
    placed = np.array([vector.place is not None for _, vector in rows], bool)
    arrays: dict[str, Any] = {vectors_column(digest): packed.reshape(len(rows), width)}
    if placed.any():
        arrays[PLACED] = placed
    return MemoryColumns(np.array([owner for owner, _ in rows], np.int64), arrays)


@dataclass(frozen=True, eq=False)
class MemoryColumns:
    """The columns of documents in memory: `ids` has the number of the document of each row.

    A document with several vectors over a dictionary has several rows.
    """

    ids: NDArray[np.int64]
    arrays: Mapping[str, Any]
    name: str = ""

    @property
    def alive(self) -> NDArray[np.bool_]:
        return np.ones(len(self.ids), bool)

    def ragged(self, name: str) -> Ragged:
        column: Ragged = self.arrays[name]
        return column

    @cached_property
    def _cache(self) -> dict[str, NDArray[Any]]:
        return {}

    def derived(
        self,
        key: str,
        make: Callable[[], NDArray[Any]],
        _like: tuple[str, tuple[int, ...]] | None = None,
    ) -> NDArray[Any]:
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]


@dataclass
class Listing:
    """What stands at some paths and in memory, by kind; problems go to the run.

    Documents are not read yet, and files of fingerprints only for `fingerprints`. `name` gives the
    name of what is in a file. `dictionaries` are those inside the files that were read so far, and
    `made_with` has the digests that their fingerprints name, by the folder of the file; `errors`
    are about what could not be used.
    """

    run: Run
    name: Callable[[Path], str] = str
    documents: list[Unread] = field(default_factory=list)
    in_memory: list[tuple[str, Document]] = field(default_factory=list)
    prints: list[tuple[str, Fingerprint]] = field(default_factory=list)
    files: list[tuple[Unread, Path | None]] = field(default_factory=list)
    beside: list[Unread] = field(default_factory=list)
    dictionaries: dict[str, Dictionary] = field(default_factory=dict)
    made_with: dict[Path | None, set[str]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    errors: list[SdtextError] = field(default_factory=list)

    @classmethod
    def of(
        cls, items: Iterable[Given], run: Run, name: Callable[[Path], str] = str, *, queries: bool
    ) -> Listing:
        """What stands at paths, in folders and archives, and what is in memory, each once.

        Files of sdtext that are neither are left out, with a warning; a dictionary in a folder of
        `queries` may be that of fingerprints there. A file that is a query itself must be usable.
        """
        listing = cls(run, name)
        paths: dict[object, Any] = {}
        for item in items:
            if not isinstance(item, tuple):
                key = item if isinstance(item, Content) else os.path.realpath(str(item))
                paths.setdefault(key, item)
            elif isinstance(item[1], Fingerprint):
                listing.prints.append((item[0], item[1]))
            else:
                listing.in_memory.append((item[0], item[1]))
        folders = [*paths.values()]
        single: list[Any] = []
        if queries:
            single = [
                path
                for path in folders
                if isinstance(path, Content) or not os.path.isdir(path)  # noqa: PTH112 (Path.is_dir raises for some names)
            ]
            folders = [path for path in folders if path not in single]
        short = ShortFiles()
        for content in files_in(folders, run.reading, run.note) if folders else ():
            listing._add(content, short, queries=queries, single=False)
        for content in expanded_files(single, run.reading, run.note):
            listing._add(content, short, queries=queries, single=True)
        return listing

    def _add(self, content: Content, short: ShortFiles, *, queries: bool, single: bool) -> None:
        path = Path(content.path)
        try:
            kind = kind_of_file(content)
            is_xml = not kind and queries and single and content.head.lstrip().startswith(b"<")
            if is_xml and name_of_reader(content, self.run.reading) in ("xml", PLAIN):
                kind = "fingerprint"  # a damaged one, more likely than a document
            if not kind:
                self.documents.append(short.kept(content).portable)
            elif kind.startswith("fingerprint"):
                file = short.kept(content).portable
                self.files.append((file, folder_of(path) if single else None))
            elif kind == "dictionary" and queries and not single:
                self.beside.append(short.kept(content).portable)
            elif single:
                what = f"is a <{kind}> file, not a fingerprint; name a dictionary as dictionary"
                raise UnreadableError(what, file=path)
            else:
                self.run.note(skipped_artefact(path, kind))
        except SdtextError as error:
            self._note(error, path)

    def _note(self, error: SdtextError, path: Path) -> None:
        self.run.note(Problem.of(error, path))
        self.errors.append(error)

    @property
    def has_fingerprints(self) -> bool:
        """Whether there are any, in memory or in files."""
        return bool(self.prints or self.files)

    @property
    def number_of_documents(self) -> int:
        """How many documents there are, in files and in memory."""
        return len(self.documents) + len(self.in_memory)

    def fingerprints(self) -> Iterator[tuple[str, Fingerprint]]:
        """The fingerprints in files and in memory, by name. A damaged file gives those before."""
        for file, folder in self.files:
            embedded: list[Dictionary] = []
            path = path_of(file)
            digests = self.made_with.setdefault(folder, set())
            content = Source.at(file, self.run.reading).content
            try:
                with content.kept_open():
                    for item in read_fingerprint_file(content, self.name(path)):
                        if isinstance(item, Dictionary):
                            embedded.append(item)
                        else:
                            digests.update(each.digest for each in item[1].dictionaries)
                            self.named.add(item[0])
                            yield item
                # A damaged file gives its intact fingerprints, but no dictionary.
                for dictionary in embedded:
                    self.dictionaries.setdefault(dictionary.digest, dictionary)
            except SdtextError as error:
                self._note(error, path)
        for name, fingerprint in self.prints:
            for dictionary in fingerprint.with_dictionaries:
                self.dictionaries.setdefault(dictionary.digest, dictionary)
            yield name, fingerprint

    def located(self) -> Iterator[LocatedDictionary]:
        """The dictionaries of the fingerprints read so far that no file contains.

        They stand in the folders of the fingerprints, or come with sdtext.
        """
        used = set().union(*self.made_with.values()) if self.made_with else set()
        for file in self.beside:
            path = path_of(file)
            try:
                dictionary = load_dictionary(Source.at(file, self.run.reading).content)
            except SdtextError as error:
                self._note(error, path)
                continue
            if dictionary.digest not in used:
                self.run.note(skipped_artefact(path, "dictionary"))
            elif dictionary.digest not in self.dictionaries:
                self.dictionaries[dictionary.digest] = dictionary
                yield LocatedDictionary(dictionary, described(dictionary, path))
        for folder, digests in self.made_with.items():
            missing = digests - self.dictionaries.keys()
            for located in dictionaries_by_digest(missing, folder, self.run.reading.max_bytes):
                self.dictionaries[located.dictionary.digest] = located.dictionary
                yield located

    def fingerprinted(
        self,
        dictionaries: Sequence[Dictionary],
        options: FingerprintOptions,
        foreign: Foreign,
        known: Known | None = None,
    ) -> Iterator[tuple[str, Fingerprint]]:
        """The fingerprints of the documents, by name; unreadable ones are problems of the run.

        Documents in another language than a dictionary are added to `foreign`. Those that are
        `known` by their names are not read again.
        """
        documents = [document for _, document in self.in_memory]
        made = fingerprints_of_documents(documents, dictionaries, options)
        yield from zip((name for name, _ in self.in_memory), made, strict=True)
        files: list[Unread] = []
        yield from self._known(known, files)
        for path, item in fingerprints(files, dictionaries, self.run, options, foreign):
            self.named.add(self.name(path))
            yield self.name(path), item

    def shingled(
        self, recipe: RecipeSpec, *, keep_text: bool, known: Known | None = None
    ) -> Iterator[ShingledDocument]:
        """The shingles of the documents, by name; unreadable ones are problems of the run.

        Documents that are `known` by their names are not read again.
        """
        work = _Shingling(Encoder(recipe), self.run.reading, keep_text)
        for name, document in self.in_memory:
            yield work.shingled([(name, document.clean)])[0]
        files: list[Unread] = []
        for name, item in self._known(known, files):
            yield item._replace(name=name)
        batches = batched(files, self.run.jobs)
        for rows in run_batches(work, batches, self.run, len(files)):
            for item in rows:
                name = self.name(Path(item.name))
                self.named.add(name)
                yield item._replace(name=name)

    def _known(self, known: Known | None, others: list[Unread]) -> Iterator[tuple[str, Any]]:
        """What is known of documents in files, by name; the files of the others go to `others`."""
        for file in self.documents:
            name = self.name(path_of(file))
            if item := known and known(name):
                yield name, item
            else:
                others.append(file)


class ShingledDocument(NamedTuple):
    """The sorted distinct shingles of a document, and its clean text if that is kept."""

    name: str
    shingles: NDArray[np.uint64]
    text: str = ""


@dataclass(frozen=True)
class _Shingling:
    """Reads and shingles a batch of files."""

    encoder: Encoder
    reading: Reading
    keep_text: bool

    def __call__(self, files: Sequence[Unread], problems: list[Problem]) -> list[ShingledDocument]:
        def text_of(source: Source) -> tuple[str, Sequence[Problem]]:
            return "".join(source.clean_pieces(" \n")), source.problems

        texts = [
            (str(path), text) for path, text in process_each(files, self.reading, text_of, problems)
        ]
        rows, _ = work_on_each(
            self.shingled, texts, self.reading.limits, lambda item: item[0], problems.append
        )
        return rows or []

    def shingled(self, texts: Sequence[tuple[str, str]]) -> list[ShingledDocument]:
        """The shingles of texts with names."""
        sets = self.encoder.sets(self.encoder.block([text for _, text in texts]))
        return [
            ShingledDocument(name, np.asarray(sets[place]), text if self.keep_text else "")
            for place, (name, text) in enumerate(texts)
        ]


def collections_of_fingerprints(
    named: Iterable[tuple[str, Fingerprint]], dictionaries: Sequence[Dictionary]
) -> Iterator[MemoryCollection]:
    """Collections of fingerprints, each of one kind and of some 16 MB at most."""
    parts = _in_parts(
        named,
        lambda pair: pair[1].kind,
        lambda pair: sum(len(vector.packed) for vector in pair[1].vectors),
    )
    return (MemoryCollection.of_fingerprints(part, dictionaries) for part in parts)


def collections_of_shingles(
    documents: Iterable[ShingledDocument], recipe: RecipeSpec
) -> Iterator[MemoryCollection]:
    """Collections of documents by their shingles, each of some 16 MB at most."""
    for rows in _in_parts(documents, lambda _: "", lambda document: document.shingles.nbytes):
        shingles, names = Ragged.of([row.shingles for row in rows]), [row.name for row in rows]
        yield MemoryCollection(recipe, shingles, names, texts=[row.text for row in rows])


def _in_parts(
    items: Iterable[Item], kind_of: Callable[[Item], str], size_of: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """The items of each kind in lists of some 16 MB."""
    waiting: dict[str, list[Item]] = {}
    sizes: Counter[str] = Counter()
    for item in items:
        kind = kind_of(item)
        waiting.setdefault(kind, []).append(item)
        sizes[kind] += size_of(item)
        if sizes[kind] >= _PART:
            yield waiting.pop(kind)
            sizes[kind] = 0
    yield from waiting.values()
