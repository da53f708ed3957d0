"""Fingerprints of documents, or of those of a collection, from its bit vectors alone."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from sdtext.collections.document_types import StoredDocument
from sdtext.collections.schema import vectors_column
from sdtext.collections.storage.collection_meta import dictionary_file
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.wordless_fingerprints import (
    code_fingerprints,
    fingerprints_by_codes,
    sketch_fingerprints,
    sketch_recipe,
    stored_sketches,
)
from sdtext.errors import MismatchError, OptionError, UnreadableError
from sdtext.fingerprinting.dictionaries_by_digest import called
from sdtext.fingerprinting.load_and_save import write_key
from sdtext.fingerprinting.save_fingerprints import (
    FingerprintOutput,
    SavedFingerprints,
    load_homes,
    save_fingerprints,
    save_named,
)
from sdtext.model import Fingerprint, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.reading.parallel_run import Run
from sdtext.reading.walk import documents_in, is_collection
from sdtext.wording import shown

_KIND = "bitvector"


def stored_fingerprints(
    collection: StoredCollection,
    dictionaries: Sequence[Dictionary] | None = None,
    where: str | None = None,
) -> Iterator[tuple[StoredDocument, Fingerprint]]:
    """The documents that `where` selects, in the order of their ids, with their fingerprints.

    These have a vector over each of the dictionaries, by default over all of the collection.
    Raises MismatchError if it has no vectors over one of them, or none at all.
    """
    wanted = collection.dictionaries if dictionaries is None else dictionaries
    own = {dictionary.digest: dictionary.reference() for dictionary in collection.dictionaries}
    for dictionary in wanted:
        if dictionary.digest not in own:
            others = " and ".join(map(called, own.values())) or "none"
            what = f"has no bit vectors over dictionary {called(dictionary.reference())}"
            raise MismatchError(f"{what}, but over {others}", file=collection.name)
    if not wanted:
        what = "has no bit vectors; add the documents to a new collection with a dictionary"
        raise MismatchError(what, file=collection.name)
    references = tuple(dictionary.reference() for dictionary in wanted)
    columns = [vectors_column(dictionary.digest) for dictionary in wanted]
    segments = {segment.number: segment for segment in collection.segments()}
    version = collection.meta.sdtext_version

    def fingerprint(document: StoredDocument) -> Fingerprint:
        arrays = segments[document.segment].arrays
        vectors = tuple(
            Vector(arrays[name][document.row].tobytes(), len(item.terms), item.guid)
            for name, item in zip(columns, wanted, strict=True)
        )
        return Fingerprint(_KIND, vectors, references, sdtext_version=version)

    return ((document, fingerprint(document)) for document in collection.documents(where))


def save_all_fingerprints(
    files: Sequence[str], dictionaries: Sequence[str | Path], output: FingerprintOutput, run: Run
) -> SavedFingerprints:
    """Write the fingerprints of documents to `output`, and the key, if it has one.

    `files` are files and folders over `dictionaries`, or a collection alone, of whose bit vectors
    all are written, without dictionaries those over each of its own. Raises OptionError,
    OutputError, before any work if a file cannot be replaced, MismatchError as
    `stored_fingerprints`, UnreadableError for a collection without documents.
    """
    path = next(filter(is_collection, files), None)
    if output.codes or output.sketch:
        return _save_without_terms(files, path, dictionaries, output, run)
    if path is None and not dictionaries:
        raise OptionError("no dictionary is given; name one, such as english")
    if path is not None and (len(files) > 1 or output.segment or output.path is None):
        what = "is a collection: name it alone, with an output and without segment"
        raise OptionError(what, file=path)
    homes = load_homes(dictionaries, run.reading.max_bytes)
    if path is None:
        saved = save_fingerprints(files, homes, output, run)
    else:
        # The order of terms is not stored.
        output = replace(output, disclosure=replace(output.disclosure, digest=None))
        with StoredCollection.open(path) as collection:
            homes = homes or [
                (dictionary, dictionary_file(collection.path, dictionary.digest))
                for dictionary in collection.dictionaries
            ]
            if not len(collection):
                raise UnreadableError("has no documents", file=collection.name)
            stored = stored_fingerprints(collection, [dictionary for dictionary, _ in homes])

            def named() -> Iterator[tuple[str, Fingerprint]]:
                for document, fingerprint in stored:
                    yield document.name, fingerprint
                    run.step(1, len(collection))

            names = [document.name for document in collection] if output.is_folder else None
            inputs = (collection.path, *(path for _, path in homes))
            saved = save_named(named(), names, inputs, homes, output)
    if not saved.counts:
        return saved
    if output.names is not None:
        write_key(output.names, saved.key())
    made_over = [dictionary for dictionary, _ in homes]
    return replace(saved, disclosed=output.disclosure.description(saved.counts, made_over))


def _save_without_terms(
    files: Sequence[str],
    collection: str | None,
    dictionaries: Sequence[str | Path],
    output: FingerprintOutput,
    run: Run,
) -> SavedFingerprints:
    """Write codes of sentences or sketches, under the keys of the dictionaries if there are any."""
    if output.segment or (output.codes and output.sketch):
        what = "codes and sketches are of whole documents, and one excludes the other"
        raise OptionError(what, place="fingerprint")
    if collection is not None and (len(files) > 1 or dictionaries or output.path is None):
        what = "is a collection: name it alone, with an output and without a dictionary"
        raise OptionError(what, file=collection)
    keyed = [dictionary for dictionary, _ in load_homes(dictionaries, run.reading.max_bytes)]
    names: Sequence[Path | str] | None
    size = output.sketch
    with ExitStack() as opened:
        if collection is not None:
            stored = opened.enter_context(StoredCollection.open(collection))
            names = [document.name for document in stored] if output.is_folder else None
            made = stored_sketches(stored, size) if size else fingerprints_by_codes(stored)
        else:
            names = [*documents_in(files, run.reading, run.note)]
            paths = [*map(str, names)]
            made = (
                sketch_fingerprints(paths, sketch_recipe(size, keyed), run)
                if size
                else code_fingerprints(paths, run, keyed)
            )
        saved = save_named(made, names, [*map(Path, files)], (), output)
    if output.names is not None and saved.counts:
        write_key(output.names, saved.key())
    who = "whoever has this file"
    if keyed:
        names_of_keyed = (shown(each.name) or each.guid for each in keyed)
        who += f" and the key of dictionary {' and '.join(names_of_keyed)}"
    what = "is similar to a text" if output.sketch else "has a sentence"
    return replace(saved, disclosed=f"{who} can test whether it {what} that they know")
