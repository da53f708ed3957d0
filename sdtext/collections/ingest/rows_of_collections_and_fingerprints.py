"""Rows of a collection from what has them already: other collections, fingerprints in XML files.

No document is read: what is stored there is stored here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import blake2b
from itertools import groupby, islice
from operator import attrgetter, or_
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sdtext.collections.collection import Collection
from sdtext.collections.collection_recipe import check_mergeable
from sdtext.collections.document_types import (
    OF_FINGERPRINT,
    DocumentRows,
    NewDocument,
    StoredDocument,
)
from sdtext.collections.ingest.row_builder import RowBuilder
from sdtext.collections.schema import bits_column, columns_of
from sdtext.collections.storage.segments import RowSource
from sdtext.errors import (
    FormatError,
    MismatchError,
    OptionError,
    SdtextError,
    UnreadableError,
    shown,
)
from sdtext.fingerprinting.compare_fingerprints import called
from sdtext.fingerprinting.load_and_save import (
    embedded_dictionaries,
    load_dictionary,
    load_fingerprints,
    read_fingerprint_file,
)
from sdtext.model import DictionaryReference, Fingerprint
from sdtext.model.dictionary import Dictionary
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from sdtext.reading.archive_members import content_at, display_name

_DOCUMENTS_AT_ONCE = 1 << 12  # documents
_KIND = "bitvector"
_FINGERPRINTS_AT_ONCE = 1000  # fingerprints
_DIGEST = 16  # bytes


@dataclass(frozen=True, eq=False)
class OtherCollection:
    """A collection whose documents are added to another one, with all that is stored of them.

    It is verified whatever it was opened with: a copy would give damaged bytes a valid checksum.
    """

    collection: Collection

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.collection.path

    def rows(self, collection: Collection) -> Iterator[DocumentRows]:
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

    def rows(self, collection: Collection) -> Iterator[DocumentRows]:
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

    def _check_columns(self, collection: Collection) -> None:
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

    def _vectors(self, collection: Collection) -> Iterator[_NamedVectors]:
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
    they come with sdtext. Raises MismatchError if there are none, and the first error if no file
    can be read.
    """
    errors: list[SdtextError] = []
    for file in files:
        try:
            if embedded := embedded_dictionaries(file.path, file.max_bytes):
                return tuple(embedded)
            first = next(load_fingerprints(file.path, file.max_bytes), None)
        except SdtextError as error:
            errors.append(error)
        else:
            return _bundled(first.dictionaries if first else (), shown(file.path))
    raise errors[0]


def _bundled(references: Sequence[DictionaryReference], file: str) -> tuple[Dictionary, ...]:
    """The dictionaries that come with sdtext among those that fingerprints refer to."""
    loaded = map(load_dictionary, DICTIONARIES.names() if references else ())
    by_digest = {dictionary.digest: dictionary for dictionary in loaded}
    if known := [item for item in references if item.digest in by_digest]:
        return tuple(by_digest[item.digest] for item in known)
    names = " and ".join(map(called, references)) or "none"
    what = f"does not contain its dictionary, {names}; give the file of that dictionary, too"
    raise MismatchError(what, file=file)
