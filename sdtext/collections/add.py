"""Adding documents to a collection: new and changed ones are read, others are left as stored.

Rows may also come from what has them already: other collections, and fingerprints in XML files.
Then no document is read: what is stored there is stored here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from hashlib import blake2b
from itertools import compress, groupby, islice
from operator import attrgetter, or_
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Protocol

import numpy as np

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.collection_recipe import (
    CollectionSpec,
    check_mergeable,
    check_same,
    chosen_recipe,
    complete_recipe,
    with_purpose,
    with_shingle_length,
)
from sdtext.collections.document_types import (
    OF_FINGERPRINT,
    DocumentRows,
    NewDocument,
    StoredDocument,
)
from sdtext.collections.row_builder import BuiltRows, RowBuilder
from sdtext.collections.schema import bits_column, columns_of
from sdtext.collections.storage.segments import RowSource
from sdtext.collections.stored_collection import (
    Checks,
    CollectionWriter,
    StoredCollection,
)
from sdtext.errors import (
    FormatError,
    MismatchError,
    OptionError,
    SdtextError,
    UnreadableError,
    counted,
    shown,
)
from sdtext.fingerprinting.dictionaries_by_digest import called, dictionaries_by_digest, folder_of
from sdtext.fingerprinting.load_and_save import (
    embedded_dictionaries,
    holds_fingerprints,
    load_fingerprints,
    read_fingerprint_file,
)
from sdtext.model import DictionaryReference, Fingerprint, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.model.displayed_results import html_table
from sdtext.reading.archive_members import content_at, display_name
from sdtext.reading.inputs import (
    HeldInputs,
    InputBatches,
    InputDocument,
    InputFile,
    Inputs,
    MetadataTable,
    input_files,
    longest_of,
)
from sdtext.reading.parallel_run import Run, nothing_left, run_batches
from sdtext.reading.walk import Paths, is_collection, path_list

_DOCUMENTS_AT_ONCE = 1 << 12  # documents
_KIND = "bitvector"
_FINGERPRINTS_AT_ONCE = 1000  # fingerprints
_DIGEST = 16  # bytes
__all__ = ["AddedDocuments", "CollectionSpec", "Inputs", "add_documents"]

_COMMIT_SECONDS = 30


@dataclass(frozen=True, eq=False)
class OtherCollection:
    """A collection whose documents are added to another one, with all that is stored of them.

    It is verified whatever it was opened with: a copy would give damaged bytes a valid checksum.
    """

    collection: StoredCollection

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.collection.path

    def rows(self, collection: StoredCollection) -> Iterator[DocumentRows]:
        """The rows of its documents that are not removed, some at a time.

        Raises OptionError if it is the collection itself, MismatchError if that stores something
        else of each document, FormatError if it is damaged.
        """
        if self.path.resolve() == collection.path.resolve():
            what = "is the collection itself; name another one to add its documents"
            raise OptionError(what, file=shown(self.path))
        check_mergeable(collection, self.collection)
        segments = {segment.number: segment for segment in self.collection.segments()}
        for number, documents in groupby(self.collection, key=attrgetter("segment")):
            segment = segments[number]
            segment.check_all()
            arrays = RowSource.of(segment, self.collection.columns).arrays
            while batch := list(islice(documents, _DOCUMENTS_AT_ONCE)):
                places = np.array([document.row for document in batch], np.int64)
                yield DocumentRows([*map(_as_new, batch)], arrays, places)


def _as_new(stored: StoredDocument) -> NewDocument:
    return NewDocument(stored.name, stored.root, stored.size, stored.digest, stored.metadata)


class _NamedVectors(NamedTuple):
    """The packed vectors of one fingerprint, one over each dictionary of the collection."""

    name: str
    packed: tuple[bytes, ...]

    def document(self, root: str) -> NewDocument:
        """The document that is stored for it: of its text nothing is known, nor of its size."""
        digest = blake2b(b"\0".join(self.packed), digest_size=_DIGEST).hexdigest()
        return NewDocument(self.name, root, digest=f"{OF_FINGERPRINT}{digest}")


@dataclass(frozen=True)
class FingerprintFile:
    """The fingerprints in the file at `path`, each to be stored as a document.

    A document is called by the file name in its fingerprint, if that has one and it is the first
    of that name; otherwise FILE#GUID or FILE#NUMBER. Its root is the file of the fingerprints.
    """

    path: Path
    max_bytes: int

    def rows(self, collection: StoredCollection) -> Iterator[DocumentRows]:
        """The rows that the collection stores of all fingerprints, some at a time.

        Raises MismatchError for a fingerprint over other dictionaries, and if the collection
        stores more than bit vectors; FormatError if the file is damaged, UnreadableError.
        """
        self._check_columns(collection)
        names = [bits_column(dictionary).name for dictionary in collection.dictionaries]
        root = "-" if str(self.path) == "-" else os.path.abspath(self.path)  # noqa: PTH100 (links stay)
        vectors = self._vectors(collection)
        while batch := list(islice(vectors, _FINGERPRINTS_AT_ONCE)):
            columns = zip(*(item.packed for item in batch), strict=True)
            arrays = {
                name: np.frombuffer(b"".join(packed), np.uint8).reshape(len(batch), -1)
                for name, packed in zip(names, columns, strict=True)
            }
            yield DocumentRows([item.document(root) for item in batch], arrays)

    def _check_columns(self, collection: StoredCollection) -> None:
        """MismatchError unless the collection stores bit vectors alone."""
        bits = {bits_column(dictionary).name for dictionary in collection.dictionaries}
        contents = RowBuilder(
            collection.recipe, collection.dictionaries, texts=collection.keeps_text
        )
        columns = collection.columns or [column.name for column in columns_of(contents)]
        others = [name for name in columns if name not in bits]
        if others or not bits:
            some = f"{', '.join(others[:3])}{', …' if len(others) > 3 else ''}"
            what = f"stores more of documents ({some})" if others else "has no dictionary"
            raise MismatchError(
                f"{what}, and a fingerprint has bit vectors alone; add {shown(self.path)} to a "
                "collection of its own",
                file=shown(collection.path),
            )

    def _vectors(self, collection: StoredCollection) -> Iterator[_NamedVectors]:
        """The vectors of each fingerprint over the dictionaries of the collection."""
        content = content_at(self.path, self.max_bytes)
        short = display_name(self.path)
        guids: set[str] = set()
        number = 0
        for item in read_fingerprint_file(content, short):
            if isinstance(item, Dictionary):
                continue
            number += 1
            name, fingerprint = item
            where = f"{shown(self.path)}: fingerprint {number}"
            if fingerprint.origin.guid in guids:
                raise FormatError("is damaged: an earlier one has the same GUID", file=where)
            guids.update(filter(None, [fingerprint.origin.guid]))
            packed = tuple(
                _packed(fingerprint, dictionary, where) for dictionary in collection.dictionaries
            )
            yield _NamedVectors(_name_of(fingerprint, name, short), packed)
        if not number:
            raise UnreadableError("contains no fingerprint", file=shown(self.path))


def _name_of(fingerprint: Fingerprint, name: str, short: str) -> str:
    """The name of a document; `name` is that of its fingerprint in the file called `short`."""
    filename = fingerprint.source.filename if fingerprint.source else ""
    return filename if filename and name in (short, f"{short}#{filename}") else name


def _packed(fingerprint: Fingerprint, dictionary: Dictionary, where: str) -> bytes:
    """The packed vector over a dictionary; of a document in segments, that of all together."""
    if fingerprint.kind != _KIND:
        raise MismatchError(
            f"is a {shown(fingerprint.kind)}, and a collection stores {_KIND}s", file=where
        )
    vectors = [
        vector
        for vector in fingerprint.vectors
        if fingerprint.reference(vector).digest == dictionary.digest
    ]
    if not vectors:
        raise MismatchError(_of_others(fingerprint, dictionary), file=where)
    terms = len(dictionary.terms)
    for vector in vectors:
        if vector.length != terms:
            raise FormatError(
                f"is damaged: it has {vector.length} bits over dictionary "
                f"{called(dictionary.reference())}, which has {terms} terms",
                file=where,
            )
    whole = [vector for vector in vectors if vector.place is None] or vectors
    if len(whole) > 1 and whole is not vectors:
        raise FormatError(f"is damaged: it has {len(whole)} vectors of the document", file=where)
    if len(whole) == 1:
        return whole[0].packed
    union = reduce(or_, (vector.number for vector in whole))
    return union.to_bytes((terms + 7) // 8, "little")


def _of_others(fingerprint: Fingerprint, dictionary: Dictionary) -> str:
    theirs, own = fingerprint.dictionaries, dictionary.reference()
    named = " and ".join(f"{called(item)}, digest {item.digest[:16]}" for item in theirs)
    return (
        f"was made with dictionary {named}; the collection has {called(own)}, digest "
        f"{own.digest[:16]}: add it to a collection with that dictionary"
    )


def dictionaries_for(files: Sequence[FingerprintFile]) -> tuple[Dictionary, ...]:
    """The dictionaries of a new collection for the fingerprints in files.

    Those of the first file that can be read: embedded in it, or those of its first fingerprint if
    they come with sdtext or stand in the folder of the file. Raises MismatchError if there are
    none, and the first error if no file can be read.
    """
    errors: list[SdtextError] = []
    for file in files:
        try:
            if embedded := embedded_dictionaries(file.path, max_bytes=file.max_bytes):
                return tuple(embedded)
            first = next(load_fingerprints(file.path, file.max_bytes), None)
        except SdtextError as error:
            errors.append(error)
        else:
            return _located(first.dictionaries if first else (), file)
    raise errors[0]


def _located(
    references: Sequence[DictionaryReference], file: FingerprintFile
) -> tuple[Dictionary, ...]:
    """The dictionaries that the fingerprints of a file refer to, as far as they are found."""
    digests = [item.digest for item in references]
    located = dictionaries_by_digest(digests, folder_of(file.path), file.max_bytes)
    if known := {item.digest: item for item, _ in located}:
        return tuple(known[digest] for digest in dict.fromkeys(digests) if digest in known)
    names = " and ".join(map(called, references)) or "none"
    what = f"does not contain its dictionary, {names}; give the file of that dictionary, too"
    raise MismatchError(what, file=shown(file.path))


@dataclass(repr=False)
class AddedDocuments:
    """The result of adding: numbers of documents added, replaced, and so on.

    `documents` counts those in the collection now. Of a new collection, `recipe_choice` tells which
    recipe it has, if none was given, and `length_reason` why the shingles have their length, if
    that was `auto`.
    """

    collection: Path
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    unreadable: int = 0
    documents: int = 0
    recipe_choice: str = ""
    length_reason: str = ""
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        return f"<added documents: {self}>"

    def _repr_html_(self) -> str:
        """The numbers as a table, for notebooks."""
        columns = ["added", "replaced", "unchanged", "unreadable", "documents"]
        return html_table(str(self), columns, [[getattr(self, name) for name in columns]])

    def __str__(self) -> str:
        kinds = ("added", "unchanged", "replaced", "unreadable")
        counts = [f"{number:,} {kind}" for kind in kinds if (number := getattr(self, kind))]
        whole = f"{counted(self.documents, 'document')} in {shown(self.collection)}"
        return f"{', '.join(counts) or 'nothing added'}; {whole}"

    def count(self, built: BuiltRows | ChangedRows) -> None:
        """Count the documents of a batch."""
        self.added += built.added
        self.replaced += built.replaced
        self.unchanged += built.unchanged

    def count_repeated(self, number: int) -> None:
        """Count so many documents, if any, that replaced one of this call from another source."""
        repeated = max(0, number)
        self.added -= repeated
        self.replaced += repeated


def add_documents(
    path: str | Path,
    inputs: Inputs | Paths,
    spec: CollectionSpec | None = None,
    run: Run | None = None,
    checks: Checks | None = None,
) -> AddedDocuments:
    """Add documents to the collection at `path`, which is created if there is none.

    A document stored with the same content is not read again; a changed one replaces the stored
    one. After an interruption the same call continues. By default what is read of an existing
    collection is verified. A new collection without a recipe has `reuse`. Raises
    OptionError, MismatchError (if the collection has another `spec`), FormatError, OutputError,
    and UnreadableError if nothing can be added to a new collection.

    >>> spec = CollectionSpec(load_recipe("near-duplicate"))
    >>> print(add_documents(folder / "x.sdx", samples, spec).documents)
    8
    """
    spec = with_purpose(spec or CollectionSpec())
    inputs = inputs if isinstance(inputs, Inputs) else Inputs(inputs)
    run = _reading_as(spec, run or Run())
    before = _errors(run)
    collection = _opened(Path(path), spec, checks)
    sources = DividedInputs.of(inputs, run)
    if collection is None:
        spec = _spec_for(spec, sources, run)
        recipe = _complete_recipe(Path(path), spec)
    added = AddedDocuments(Path(path), unreadable=_errors(run) - before)
    if collection is None:
        added.recipe_choice = "" if sources.collections else chosen_recipe(spec)[1]
        longest = partial(longest_of, sources.files, inputs.fields, run.reading)
        recipe, added.length_reason = with_shingle_length(recipe, longest)
        collection = _created(Path(path), replace(spec, recipe=recipe), run)
    table = _table(inputs, sources.files, run)
    work = _Adding(collection, _builder(collection, spec, run), table)
    work(sources, InputBatches(sources.files, inputs.fields, run), added)
    added.documents = len(collection)
    return added


def add_to(
    collection: StoredCollection, inputs: Inputs, documents: HeldInputs, run: Run
) -> AddedDocuments:
    """Add documents in memory, then those at the inputs, to an open collection: all or none.

    They replace stored ones of their names, as in `add_documents`. Raises as it does.
    """
    before = _errors(run)
    sources = DividedInputs.of(inputs, run)
    added = AddedDocuments(collection.path, unreadable=_errors(run) - before)
    table = _table(inputs, sources.files, run)
    work = _Adding(collection, _builder(collection, CollectionSpec(), run), table)
    work(sources, InputBatches(sources.files, inputs.fields, run, documents), added)
    added.documents = len(collection)
    added.problems = tuple(run.problems or ())
    return added


class RowsToAdd(Protocol):
    """A source of rows that are added as they are, all of them or none."""

    @property
    def path(self) -> Path: ...

    def rows(self, collection: StoredCollection, /) -> Iterator[DocumentRows]: ...


@dataclass(frozen=True, eq=False)
class DividedInputs:
    """What is added: other collections, files of fingerprints, and files of documents."""

    collections: Sequence[OtherCollection]
    fingerprints: Sequence[FingerprintFile]
    files: Sequence[InputFile]

    @classmethod
    def of(cls, inputs: Inputs, run: Run) -> DividedInputs:
        """The sources at the inputs.

        A collection is one where it is named itself. A file in a folder may hold fingerprints if
        it is called .xml or .xml.gz, as those are that sdtext writes; only these are opened.
        """
        paths = path_list(inputs.paths)
        named = {str(path) for path in paths}
        collections = [path for path in paths if is_collection(path)]
        rest = [path for path in paths if path not in collections]
        others = replace(inputs, paths=rest)
        prints, files = [], []
        for file in input_files(others, run):
            may_be = str(file.path) in named or file.name.endswith((".xml", ".xml.gz"))
            limit = run.reading.max_bytes
            if may_be and not file.records and holds_fingerprints(file.path, limit):
                prints.append(FingerprintFile(file.path, limit))
            else:
                files.append(file)
        opened = []
        for path in dict.fromkeys(collections):
            try:
                opened.append(OtherCollection(StoredCollection.open(path)))
            except (FormatError, UnreadableError) as error:
                if len(paths) == 1 or run.problems is None:
                    raise
                run.note(Problem.of(error, path))
        return cls(opened, prints, files)

    @property
    def ready(self) -> Sequence[RowsToAdd]:
        """Those whose rows are known."""
        return (*self.collections, *self.fingerprints)


def _spec_for(spec: CollectionSpec, sources: DividedInputs, run: Run) -> CollectionSpec:
    """The spec of a new collection: if it leaves that open, it is that of what is added.

    Fingerprints without a known dictionary do not stop the documents beside them.
    """
    if spec.recipe or spec.dictionaries:
        return spec
    for source in sources.collections:
        other = source.collection
        text = spec.text or other.keeps_text
        return replace(spec, recipe=other.recipe, dictionaries=other.dictionaries, text=text)
    if sources.fingerprints:
        try:
            return replace(spec, dictionaries=dictionaries_for(sources.fingerprints))
        except SdtextError:
            if run.problems is None or not sources.files:
                raise
    return spec


def _reading_as(spec: CollectionSpec, run: Run) -> Run:
    """The run, with the reader that the recipe names."""
    reader = spec.recipe.reader if spec.recipe else None
    return replace(run, reading=run.reading.preferring(reader))


def _errors(run: Run) -> int:
    """The number of inputs with errors, such as files and lines of records."""
    return sum(item.inputs for item in run.problems or () if item.severity == "error")


def _opened(path: Path, spec: CollectionSpec, checks: Checks | None) -> StoredCollection | None:
    """The collection at `path`, checked against `spec`; None if nothing is there."""
    if not os.path.lexists(path):
        return None
    collection = StoredCollection.open(path, checks)
    check_same(collection, spec)
    return collection


def _complete_recipe(path: Path, spec: CollectionSpec) -> RecipeSpec:
    """The recipe of a new collection. Raises OptionError."""
    try:
        return complete_recipe(spec)
    except OptionError as error:
        raise OptionError(f"cannot be created: {error}", file=path) from error


def _created(path: Path, spec: CollectionSpec, run: Run) -> StoredCollection:
    """A new collection; weaknesses of its hash function are noted."""
    recipe = spec.recipe
    assert recipe is not None  # noqa: S101 (it is completed)
    for caution in Encoder(recipe).cautions if recipe.shingler else ():
        run.note(Problem("warning", "recipe", f"{shown(path)}: {caution}", str(path)))
    return StoredCollection.create(
        path, recipe, spec.dictionaries, spec.origin, keeps_text=spec.text
    )


def _builder(collection: StoredCollection, spec: CollectionSpec, run: Run) -> RowBuilder:
    dictionaries = tuple(collection.dictionaries)
    return RowBuilder(
        collection.recipe, dictionaries, run.reading, spec.tokens, collection.keeps_text
    )


def _table(inputs: Inputs, files: Sequence[InputFile], run: Run) -> MetadataTable | None:
    """The file of metadata, if one is named."""
    if inputs.metadata is None:
        return None
    return MetadataTable(inputs.metadata, (file.name for file in files), run)


@dataclass(frozen=True)
class _Adding:
    """Builds and writes the rows of batches of documents."""

    collection: StoredCollection
    builder: RowBuilder
    table: MetadataTable | None

    def __call__(
        self, sources: DividedInputs, batches: InputBatches, added: AddedDocuments
    ) -> None:
        """Add the documents of all sources and batches; `added` counts them."""
        new = not os.path.lexists(self.collection.path)
        before, stored = _errors(batches.run), len(self.collection)
        with self.collection.writing() as writer:
            for source in sources.ready:
                alone = len(sources.ready) + batches.total == 1
                self._add_ready(source, writer, added, batches.run, alone=alone)
            foreign = self._add_documents(batches, writer, added)
            if new and not added.added:
                raise self._nothing_added(batches.run)
        added.count_repeated(added.added - (len(self.collection) - stored))
        added.unreadable += _errors(batches.run) - before
        for problem in in_other_languages(foreign):
            batches.run.note(problem)
        for problem in self.table.unused() if self.table else ():
            batches.run.note(problem)

    def _add_documents(
        self, batches: InputBatches, writer: CollectionWriter, added: AddedDocuments
    ) -> list[tuple[Path, str]]:
        """Add the documents of all batches; those in another language than a dictionary."""
        foreign: list[tuple[Path, str]] = []
        items = (list(with_stored_state(batch, self.collection, self.table)) for batch in batches)
        committed = monotonic()
        for built in run_batches(self.builder, items, batches.run, batches.expected):
            if built.rows:
                writer.add(built.rows)
            added.count(built)
            foreign += built.foreign
            if monotonic() - committed > _COMMIT_SECONDS:
                writer.commit()
                committed = monotonic()
        return foreign

    def _add_ready(
        self,
        source: RowsToAdd,
        writer: CollectionWriter,
        added: AddedDocuments,
        run: Run,
        *,
        alone: bool,
    ) -> None:
        """Add all rows of a source, or none: its error is a problem, unless it is `alone`."""
        keeps_metadata = isinstance(source, FingerprintFile)
        changed = ChangedRows(self.collection, self.table, keeps_metadata)

        def reported() -> Iterator[DocumentRows]:
            done = 0
            for rows in source.rows(self.collection):
                yield changed(rows)
                done += len(rows)
                run.step(len(rows), done)

        try:
            writer.add_whole(reported())
        except (FormatError, MismatchError, OptionError, UnreadableError) as error:
            if alone or run.problems is None:
                raise
            run.note(Problem.of(error, source.path))
        else:
            added.count(changed)

    def _nothing_added(self, run: Run) -> UnreadableError:
        error = nothing_left(run, "no document could be read")
        whole = UnreadableError(f"is not created: {error}", file=self.collection.name)
        whole.reasons = error.reasons
        return whole


def with_stored_state(
    batch: Sequence[InputDocument], collection: StoredCollection, table: MetadataTable | None
) -> Iterator[InputDocument]:
    """The documents of a batch with their metadata, and with the digests of those stored.

    Where a document's metadata have changed it gets no digest, so that its row is built anew.
    """
    stored = _stored(batch, collection)
    for item in batch:
        old = stored.get((item.root, item.name))
        metadata = {**item.metadata, **(table.of(item.name) if table else {})}
        if old and (item.path or item.document) and not metadata:
            metadata = old.metadata  # the call gives none for it
        if old is None:
            yield item._replace(metadata=metadata)
        else:
            digest = old.digest if metadata == old.metadata else ""
            yield item._replace(metadata=metadata, stored=True, digest=digest)


@dataclass
class ChangedRows:
    """The rows to add of documents whose columns are known: those that are not stored so already.

    It counts the documents that are `added`, `replaced` or `unchanged`. With `keeps_metadata`,
    stored metadata stay where a document has none.
    """

    collection: StoredCollection
    table: MetadataTable | None
    keeps_metadata: bool
    added: int = 0
    replaced: int = 0
    unchanged: int = 0

    def __call__(self, rows: DocumentRows) -> DocumentRows:
        """The rows of documents that are new or changed."""
        path = Path() if self.keeps_metadata else None
        items = [
            InputDocument(document.root, document.name, path, metadata=document.metadata)
            for document in rows.documents
        ]
        states = [*with_stored_state(items, self.collection, self.table)]
        pairs = zip(states, rows.documents, strict=True)
        changed = [not state.stored or state.digest != new.digest for state, new in pairs]
        self.unchanged += changed.count(False)
        self.replaced += sum(state.stored for state in compress(states, changed))
        self.added += sum(not state.stored for state in states)
        documents = [
            replace(document, metadata=dict(state.metadata))
            for document, state in compress(zip(rows.documents, states, strict=True), changed)
        ]
        places = np.arange(len(rows)) if rows.places is None else rows.places
        return DocumentRows(documents, rows.arrays, places[np.array(changed, bool)])


def _stored(
    batch: Sequence[InputDocument], collection: StoredCollection
) -> dict[tuple[str, str], StoredDocument]:
    """The stored documents with the names in a batch, by root and name."""
    names: dict[str, list[str]] = {}
    for item in batch:
        names.setdefault(item.root, []).append(item.name)
    stored = (collection.named(below, root) for root, below in names.items())
    return {
        (document.root, document.name): document for documents in stored for document in documents
    }
