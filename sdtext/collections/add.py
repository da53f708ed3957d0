"""Adding documents to a collection: new and changed ones are read, others are left as stored.

Rows may also come from what has them already: other collections, and fingerprints in XML files.
Then no document is read: what is stored there is stored here.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from hashlib import blake2b
from itertools import compress, groupby, islice
from operator import attrgetter, or_
from pathlib import Path
from time import monotonic

import numpy as np

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.collection_recipe import (
    CollectionSpec,
    check_mergeable,
    check_same,
    chosen_recipe,
    complete_recipe,
    with_shingle_length,
)
from sdtext.collections.document_types import (
    OF_FINGERPRINT,
    DocumentRows,
    NewDocument,
    StoredDocument,
)
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import SHINGLES, columns_of, keeps_sketches, vectors_column
from sdtext.collections.storage.segments import RowSource
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.wordless_fingerprints import digest_of, row_of, sketch_recipe
from sdtext.errors import FormatError, MismatchError, OptionError, SdtextError, UnreadableError
from sdtext.fingerprinting.dictionaries_by_digest import called, dictionaries_by_digest, folder_of
from sdtext.fingerprinting.load_and_save import (
    embedded_dictionaries,
    holds_fingerprints,
    load_fingerprints,
    read_fingerprint_file,
)
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Fingerprint, Problem
from sdtext.model.dictionary import Dictionary
from sdtext.model.displayed_results import html_table
from sdtext.reading.archive_members import content_at, display_name
from sdtext.reading.inputs import InputFile, Inputs, input_batches, input_files, longest_of
from sdtext.reading.parallel_run import Run, nothing_left, run_batches
from sdtext.reading.records.metadata_files import MetadataTable
from sdtext.reading.records.record import InputDocument
from sdtext.reading.walk import Paths, is_collection, path_list
from sdtext.wording import counted, shown

_DOCUMENTS_AT_ONCE = 1 << 12  # documents
_KIND = "bitvector"
_FINGERPRINTS_AT_ONCE = 1000  # fingerprints
_DIGEST = 16  # bytes

_COMMIT_SECONDS = 30


def rows_of_collection(
    other: StoredCollection, collection: StoredCollection
) -> Iterator[DocumentRows]:
    """The rows of another collection's documents that are not removed, some at a time.

    It is verified whatever it was opened with: a copy would give damaged bytes a valid checksum.
    Raises OptionError if it is the collection itself, MismatchError if that stores something else
    of each document, FormatError if it is damaged.
    """
    if other.path.resolve() == collection.path.resolve():
        what = "is the collection itself; name another one to add its documents"
        raise OptionError(what, file=shown(other.path))
    check_mergeable(collection, other)
    segments = {segment.number: segment for segment in other.segments()}
    for number, documents in groupby(other, key=attrgetter("segment")):
        segment = segments[number]
        segment.check_consistent()
        arrays = RowSource.of(segment, other.meta.kinds).arrays
        while batch := list(islice(documents, _DOCUMENTS_AT_ONCE)):
            places = np.array([document.row for document in batch], np.int64)
            yield DocumentRows(batch, arrays, places)


def rows_of_fingerprints(
    path: Path, max_bytes: int, collection: StoredCollection
) -> Iterator[DocumentRows]:
    """The rows that a collection stores of all fingerprints in a file, some at a time.

    A document is called by the file name in its fingerprint, if that has one and it is the first
    of that name; otherwise FILE#GUID or FILE#NUMBER. Its root is the file of the fingerprints.
    Raises MismatchError for a fingerprint over other dictionaries, or a sketch by another recipe,
    and if the collection stores more than these; FormatError if the file is damaged,
    UnreadableError.
    """
    root = "-" if str(path) == "-" else os.path.abspath(path)  # noqa: PTH100 (links stay)
    if keeps_sketches(collection.recipe):
        digest, sketches = digest_of(collection.recipe), _prints_in(path, max_bytes)
        while held := list(islice(sketches, _FINGERPRINTS_AT_ONCE)):
            rows = [row_of(item, digest, where) for _, item, where in held]
            pairs = zip(held, rows, strict=True)
            new = [_new(item[0], root, row.tobytes()) for item, row in pairs]
            yield DocumentRows(new, {SHINGLES: Ragged.of(rows)})
        return
    names = [vectors_column(dictionary.digest) for dictionary in collection.dictionaries]
    contents = RowBuilder(collection.recipe, collection.dictionaries, texts=collection.keeps_text)
    columns = collection.meta.kinds or [column.name for column in columns_of(contents)]
    others = [name for name in columns if name not in names]
    if others or not names:
        some = f"{', '.join(others[:3])}{', …' if len(others) > 3 else ''}"
        what = f"stores more of documents ({some})" if others else "has no dictionary"
        what += f", and a fingerprint has bit vectors alone; add {shown(path)} to another one"
        raise MismatchError(what, file=shown(collection.path))
    vectors = (
        (name, tuple(_packed(item, one, where) for one in collection.dictionaries))
        for name, item, where in _prints_in(path, max_bytes)
    )
    while batch := list(islice(vectors, _FINGERPRINTS_AT_ONCE)):
        arrays = {
            name: np.frombuffer(b"".join(packed), np.uint8).reshape(len(batch), -1)
            for name, packed in zip(
                names, zip(*(item for _, item in batch), strict=True), strict=True
            )
        }
        yield DocumentRows([_new(name, root, b"\0".join(item)) for name, item in batch], arrays)


def _new(name: str, root: str, content: bytes) -> NewDocument:
    digest = blake2b(content, digest_size=_DIGEST).hexdigest()
    return NewDocument(name, root, digest=f"{OF_FINGERPRINT}{digest}")


def _prints_in(path: Path, max_bytes: int) -> Iterator[tuple[str, Fingerprint, str]]:
    """The fingerprints of a file with their names, and what messages call each."""
    short = display_name(path)
    guids: set[str] = set()
    number = 0
    for item in read_fingerprint_file(content_at(path, max_bytes), short):
        if isinstance(item, Dictionary):
            continue
        number += 1
        name, fingerprint = item
        where = f"{shown(path)}: fingerprint {number}"
        if fingerprint.origin.guid in guids:
            raise FormatError("is damaged: an earlier one has the same GUID", file=where)
        guids.update(filter(None, [fingerprint.origin.guid]))
        filename = fingerprint.source.filename if fingerprint.source else ""
        if filename and name in (short, f"{short}#{filename}"):
            name = filename
        yield name, fingerprint, where
    if not number:
        raise UnreadableError("contains no fingerprint", file=shown(path))


def _packed(fingerprint: Fingerprint, dictionary: Dictionary, where: str) -> bytes:
    """The packed vector over a dictionary; of a document in segments, that of all together."""
    if fingerprint.kind != _KIND:
        what = f"is a {shown(fingerprint.kind)}, and a collection stores {_KIND}s"
        raise MismatchError(what, file=where)
    vectors = fingerprint.vectors_over(dictionary.digest)
    if not vectors:
        named, own = (
            " and ".join(f"{called(item)}, digest {item.digest[:16]}" for item in items)
            for items in (fingerprint.dictionaries, [dictionary.reference()])
        )
        what = f"was made with dictionary {named}; the collection has {own}"
        raise MismatchError(f"{what}: add it to one with that dictionary", file=where)
    terms = len(dictionary.terms)
    if lengths := {vector.length for vector in vectors} - {terms}:
        own = called(dictionary.reference())
        what = f"it has {lengths.pop()} bits over dictionary {own}, which has {terms} terms"
        raise FormatError(f"is damaged: {what}", file=where)
    whole = [vector for vector in vectors if vector.place is None] or vectors
    if len(whole) > 1 and whole is not vectors:
        raise FormatError(f"is damaged: it has {len(whole)} vectors of the document", file=where)
    if len(whole) == 1:
        return whole[0].packed
    union = reduce(or_, (vector.number for vector in whole))
    return union.to_bytes((terms + 7) // 8, "little")


def dictionaries_for(paths: Sequence[Path], max_bytes: int) -> tuple[Dictionary, ...]:
    """The dictionaries of a new collection for the fingerprints in files.

    Those of the first file that can be read: embedded in it, or those of its first fingerprint if
    they come with sdtext or stand in the folder of the file. A sketch
    needs none. Raises MismatchError if they are not found, and the first error if no file can be
    read.
    """
    errors: list[SdtextError] = []
    for path in paths:
        try:
            first = next(load_fingerprints(path, max_bytes), None)
            if first and first.sketch:
                return ()
            if embedded := embedded_dictionaries(path, max_bytes=max_bytes):
                return tuple(embedded)
        except SdtextError as error:
            errors.append(error)
            continue
        references = first.dictionaries if first else ()
        digests = [item.digest for item in references]
        located = dictionaries_by_digest(digests, folder_of(path), max_bytes)
        if known := {item.digest: item for item, _ in located}:
            return tuple(known[digest] for digest in dict.fromkeys(digests) if digest in known)
        names = " and ".join(map(called, references)) or "none"
        what = f"does not contain its dictionary, {names}; give the file of that dictionary, too"
        raise MismatchError(what, file=shown(path))
    raise errors[0]


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

    def __repr__(self) -> str:
        return f"<added documents: {self}>"

    def _repr_html_(self) -> str:
        columns = ["added", "replaced", "unchanged", "unreadable", "documents"]
        return html_table(str(self), columns, [[getattr(self, name) for name in columns]])

    def __str__(self) -> str:
        kinds = ("added", "unchanged", "replaced", "unreadable")
        counts = [f"{number:,} {kind}" for kind in kinds if (number := getattr(self, kind))]
        whole = f"{counted(self.documents, 'document')} in {shown(self.collection)}"
        return f"{', '.join(counts) or 'nothing added'}; {whole}"


def add_documents(
    path: str | Path,
    inputs: Inputs | Paths,
    spec: CollectionSpec | None = None,
    run: Run | None = None,
) -> AddedDocuments:
    """Add documents to the collection at `path`, which is created if there is none.

    A document stored with the same content is not read again; a changed one replaces the stored
    one. After an interruption the same call continues. A new collection without a recipe has
    `reuse`. Raises OptionError, MismatchError (if the collection has another `spec`), FormatError,
    OutputError, and UnreadableError if nothing can be added to a new collection.

    >>> spec = CollectionSpec(load_recipe("near-duplicate"))
    >>> print(add_documents(folder / "x.sdx", samples, spec).documents)
    8
    """
    spec, run = spec or CollectionSpec(), run or Run()
    inputs = inputs if isinstance(inputs, Inputs) else Inputs(inputs)
    reader = spec.recipe.reader if spec.recipe else None
    run = replace(run, reading=run.reading.preferring(reader))
    collection = StoredCollection.open(path) if os.path.lexists(path) else None
    if collection is not None:
        check_same(collection, spec)
    target = (Path(path), spec) if collection is None else collection
    return add_to(target, inputs, (0, ()), run)


def add_to(
    target: StoredCollection | tuple[Path, CollectionSpec],
    inputs: Inputs,
    held: tuple[int, Iterable[InputDocument]],
    run: Run,
) -> AddedDocuments:
    """Add documents held in memory, then those at the inputs, to an open collection: all or none.

    `held` says their number, too. The collection may also be a new one, at a path. Documents
    replace stored ones of their names. Raises as `add_documents`.
    """
    before = _errors(run)
    others, prints, files = _sources(inputs, run)
    collection, recipe_choice, length_reason = (
        (target, "", "")
        if isinstance(target, StoredCollection)
        else _created(*target, (others, prints, files), inputs, run)
    )
    table = None
    if inputs.metadata is not None:
        table = MetadataTable(inputs.metadata, (file.name for file in files), run.note, run.reading)
    builder = RowBuilder(
        collection.recipe, collection.dictionaries, run.reading, texts=collection.keeps_text
    )
    has_records = any(file.records for file in files)  # which have to be read to know their number
    number = None if has_records else len(files) + held[0]
    is_new, stored = not os.path.lexists(collection.path), len(collection)
    foreign: list[tuple[Path, str]] = []
    counts: Counter[str] = Counter()
    with collection.writing() as writer:
        alone = len(others) + len(prints) == 1 and number == 0
        for path, rows in (
            *((other.path, rows_of_collection(other, collection)) for other in others),
            *((it, rows_of_fingerprints(it, run.reading.max_bytes, collection)) for it in prints),
        ):
            changed: Counter[str] = Counter()
            new = _changed(rows, collection, table, run, changed, keeps_metadata=path in prints)
            try:
                writer.add_whole(new)  # all rows of a source, or none
            except (FormatError, MismatchError, OptionError, UnreadableError) as error:
                if alone or run.problems is None:
                    raise
                run.note(Problem.of(error, path))
            else:
                counts += changed
        batches = input_batches(files, inputs.fields, run, held[1])
        items = (list(_with_stored_state(batch, collection, table)) for batch in batches)
        committed = monotonic()
        for built in run_batches(builder, items, run, number):
            if built.rows:
                writer.add(built.rows)
            counts += built.counts
            foreign += built.foreign
            if monotonic() - committed > _COMMIT_SECONDS:
                writer.commit()
                committed = monotonic()
        if is_new and not counts["added"]:
            none = nothing_left(run, "no document could be read")
            raise UnreadableError(f"is not created: {none}", file=collection.name)
    # Of one name, of two sources, the second replaces the first.
    repeated = max(0, counts["added"] - (len(collection) - stored))
    for problem in (*in_other_languages(foreign), *(table.unused() if table else ())):
        run.note(problem)
    return AddedDocuments(
        collection.path,
        counts["added"] - repeated,
        counts["replaced"] + repeated,
        counts["unchanged"],
        _errors(run) - before,
        len(collection),
        recipe_choice,
        length_reason,
    )


_Sources = tuple[list[StoredCollection], list[Path], list[InputFile]]


def _sources(inputs: Inputs, run: Run) -> _Sources:
    """What is added: other collections, files of fingerprints, and files of documents.

    A collection is one where it is named itself. A file in a folder may hold fingerprints if it is
    called .xml or .xml.gz, as those are that sdtext writes; only these are opened.
    """
    paths = path_list(inputs.paths)
    named = {str(path) for path in paths}
    collections = [path for path in paths if is_collection(path)]
    prints, files = [], []
    rest = replace(inputs, paths=[path for path in paths if path not in collections])
    for file in input_files(rest, run):
        may_be = str(file.path) in named or file.name.endswith((".xml", ".xml.gz"))
        if may_be and not file.records and holds_fingerprints(file.path, run.reading.max_bytes):
            prints.append(file.path)
        else:
            files.append(file)
    opened = []
    for path in dict.fromkeys(collections):
        try:
            opened.append(StoredCollection.open(path))
        except (FormatError, UnreadableError) as error:
            if len(paths) == 1 or run.problems is None:
                raise
            run.note(Problem.of(error, path))
    return opened, prints, files


def _created(
    path: Path, spec: CollectionSpec, sources: _Sources, inputs: Inputs, run: Run
) -> tuple[StoredCollection, str, str]:
    """A new collection, which recipe was chosen, and why its shingles have their length."""
    others, prints, files = sources
    if others and not (spec.recipe or spec.dictionaries):
        first = others[0]
        text = spec.text or first.keeps_text
        spec = replace(spec, recipe=first.recipe, dictionaries=first.dictionaries, text=text)
    elif prints and not (spec.recipe or spec.dictionaries):
        try:
            known = dictionaries_for(prints, run.reading.max_bytes)
            recipe = None if known else sketch_recipe()
            spec = replace(spec, recipe=recipe, dictionaries=known)
        except SdtextError:
            if run.problems is None or not files:
                raise
    try:
        recipe = complete_recipe(spec)
    except OptionError as error:
        raise OptionError(f"cannot be created: {error}", file=path) from error
    longest = partial(longest_of, files, inputs.fields, run.reading)
    recipe, reason = with_shingle_length(recipe, longest)
    collection = StoredCollection.create(
        path, recipe, spec.dictionaries, spec.origin, keeps_text=spec.text
    )
    return collection, "" if others else chosen_recipe(spec)[1], reason


def _errors(run: Run) -> int:
    """The number of inputs with errors, such as files and lines of records."""
    return sum(item.inputs for item in run.problems or () if item.severity == "error")


def _with_stored_state(
    batch: Sequence[InputDocument], collection: StoredCollection, table: MetadataTable | None
) -> Iterator[InputDocument]:
    """The documents of a batch with their metadata, and with the digests of those stored.

    Where a document's metadata have changed it gets no digest, so that its row is built anew.
    """
    names: dict[str, list[str]] = {}
    for item in batch:
        names.setdefault(item.root, []).append(item.name)
    stored = {
        (document.root, document.name): document
        for root, below in names.items()
        for document in collection.named(below, root)
    }
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


def _changed(
    rows: Iterator[DocumentRows],
    collection: StoredCollection,
    table: MetadataTable | None,
    run: Run,
    counts: Counter[str],
    *,
    keeps_metadata: bool,
) -> Iterator[DocumentRows]:
    """The rows of documents that are not stored so already, some at a time; `counts` gets all.

    With `keeps_metadata`, stored metadata stay where a document has none.
    """
    done, path = 0, Path() if keeps_metadata else None
    for batch in rows:
        items = [
            InputDocument(each.root, each.name, path, metadata=each.metadata)
            for each in batch.documents
        ]
        pairs = [*zip(_with_stored_state(items, collection, table), batch.documents, strict=True)]
        changed = np.array([not it.stored or it.digest != new.digest for it, new in pairs], bool)
        documents: list[NewDocument | StoredDocument] = []
        for state, document in compress(pairs, changed):
            counts["replaced" if state.stored else "added"] += 1
            documents.append(replace(document, metadata=dict(state.metadata)))
        counts["unchanged"] += len(batch) - len(documents)
        places = np.arange(len(batch)) if batch.places is None else batch.places
        yield DocumentRows(documents, batch.arrays, places[changed])
        done += len(batch)
        run.step(len(batch), done)
