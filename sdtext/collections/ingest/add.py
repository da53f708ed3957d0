"""Adding documents to a collection: new and changed ones are read, others are left as stored."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from pathlib import Path
from time import monotonic
from typing import Protocol

import numpy as np

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.collection import (
    Checks,
    Collection,
    CollectionWriter,
    DocumentRows,
    is_collection,
)
from sdtext.collections.collection_recipe import (
    CollectionSpec,
    check_same,
    chosen_recipe,
    complete_recipe,
    with_purpose,
    with_shingle_length,
)
from sdtext.collections.conditions import HasName
from sdtext.collections.document_types import StoredDocument
from sdtext.collections.ingest.row_builder import BuiltRows, RowBuilder
from sdtext.collections.ingest.rows_of_collections_and_fingerprints import (
    FingerprintFile,
    OtherCollection,
    dictionaries_for,
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
from sdtext.fingerprinting.load_and_save import holds_fingerprints
from sdtext.model import Problem, RecipeSpec
from sdtext.reading.inputs import (
    HeldInputs,
    InputBatches,
    InputDocument,
    InputFile,
    Inputs,
    MetadataTable,
    input_files,
    size_at,
)
from sdtext.reading.parallel_run import Run, nothing_left, run_batches
from sdtext.reading.walk import Paths, path_list

__all__ = ["AddedDocuments", "CollectionSpec", "Inputs", "add_documents"]

_COMMIT_SECONDS = 30


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
        longest = partial(_longest, sources.files, run)
        recipe, added.length_reason = with_shingle_length(recipe, longest)
        collection = _created(Path(path), replace(spec, recipe=recipe), run)
    table = _table(inputs, sources.files, run)
    work = _Adding(collection, _builder(collection, spec, run), table)
    work(sources, InputBatches(sources.files, inputs.fields, run), added)
    added.documents = len(collection)
    return added


def add_to(
    collection: Collection, inputs: Inputs, documents: HeldInputs, run: Run
) -> AddedDocuments:
    """Add documents in memory, then those at the inputs, to an open collection: all or none.

    They replace stored ones of their names, as in `add_documents`. Raises as it does.
    """
    before = _errors(run)
    sources = DividedInputs.of(inputs, run)
    added = AddedDocuments(collection.path, unreadable=_errors(run) - before)
    work = _Adding(collection, _builder(collection, CollectionSpec(), run), None)
    work(sources, InputBatches(sources.files, inputs.fields, run, documents), added)
    added.documents = len(collection)
    added.problems = tuple(run.problems or ())
    return added


class RowsToAdd(Protocol):
    """A source of rows that are added as they are, all of them or none."""

    @property
    def path(self) -> Path: ...

    def rows(self, collection: Collection, /) -> Iterator[DocumentRows]: ...


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
        others = replace(inputs, paths=[path for path in paths if path not in collections])
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
                opened.append(OtherCollection(Collection.open(path)))
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


def _opened(path: Path, spec: CollectionSpec, checks: Checks | None) -> Collection | None:
    """The collection at `path`, checked against `spec`; None if nothing is there."""
    if not os.path.lexists(path):
        return None
    collection = Collection.open(path, checks)
    check_same(collection, spec)
    return collection


def _complete_recipe(path: Path, spec: CollectionSpec) -> RecipeSpec:
    """The recipe of a new collection. Raises OptionError."""
    try:
        return complete_recipe(spec)
    except OptionError as error:
        raise OptionError(f"cannot be created: {error}", file=path) from error


def _created(path: Path, spec: CollectionSpec, run: Run) -> Collection:
    """A new collection; weaknesses of its hash function are noted."""
    recipe = spec.recipe
    assert recipe is not None  # noqa: S101 (it is completed)
    for caution in Encoder(recipe).cautions if recipe.shingler else ():
        run.note(Problem("warning", "recipe", f"{shown(path)}: {caution}", str(path)))
    return Collection.create(path, recipe, spec.dictionaries, spec.origin, keeps_text=spec.text)


def _longest(files: Sequence[InputFile], run: Run) -> int:
    """The size in bytes of the longest file, 0 if there is none."""
    return max((size_at(file.path, run.reading) for file in files), default=0)


def _builder(collection: Collection, spec: CollectionSpec, run: Run) -> RowBuilder:
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

    collection: Collection
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
        for built in run_batches(self.builder, items, batches.run, lambda: batches.total):
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
        whole = UnreadableError(f"is not created: {error}", file=self.collection.path)
        whole.reasons = error.reasons
        return whole


def with_stored_state(
    batch: Sequence[InputDocument], collection: Collection, table: MetadataTable | None
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
            yield replace(item, metadata=metadata)
        else:
            digest = old.digest if metadata == old.metadata else ""
            yield replace(item, metadata=metadata, stored=True, digest=digest)


@dataclass
class ChangedRows:
    """The rows to add of documents whose columns are known: those that are not stored so already.

    It counts the documents that are `added`, `replaced` or `unchanged`. With `keeps_metadata`,
    stored metadata stay where a document has none.
    """

    collection: Collection
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
    batch: Sequence[InputDocument], collection: Collection
) -> dict[tuple[str, str], StoredDocument]:
    """The stored documents with the names in a batch, by root and name."""
    names: dict[str, list[str]] = {}
    for item in batch:
        names.setdefault(item.root, []).append(item.name)
    stored = (collection.documents(HasName(below, root)) for root, below in names.items())
    return {
        (document.root, document.name): document for documents in stored for document in documents
    }
