"""Integrity of a collection: checksums of all files, and consistency of all columns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from sdtext.collections.document_records import row_checksum
from sdtext.collections.schema import fault_in
from sdtext.collections.snapshot import Snapshot
from sdtext.collections.storage.collection_meta import (
    REMEDY,
    coefficients_of,
    dictionary_file,
    dictionary_in,
)
from sdtext.collections.storage.derived_cache import damaged_in
from sdtext.collections.storage.segments import StoredSegment
from sdtext.errors import SdtextError, printable, shown
from sdtext.model import Problem
from sdtext.reading.walk import CATALOG

DAMAGED = "damaged"
_MOST = 20  # reported faults of one catalog
_ROWS = "SELECT id, root, name, size, digest, metadata, checksum FROM documents ORDER BY id"


def faults_of(snapshot: Snapshot, home: Path, name: str) -> Iterator[Problem]:
    """The faults of a collection, none if it is whole."""
    for path, words in _faults(snapshot, home, name):
        message = f"{shown(path)}: is damaged: {words}; {REMEDY}"
        yield Problem("error", DAMAGED, message, os.fspath(path))


def _faults(snapshot: Snapshot, home: Path, name: str) -> Iterator[tuple[str | Path, str]]:
    for (words,) in snapshot.catalog.rows(f"PRAGMA quick_check({_MOST})"):
        if words != "ok":
            yield home / CATALOG, printable(" ".join(str(words).split()))[:200]
    yield from _in_segments(snapshot)
    for words in islice(_in_documents(snapshot), _MOST):
        yield name, words
    for digest in snapshot.meta.dictionaries:
        try:
            dictionary_in(home, digest)
        except SdtextError as error:
            yield dictionary_file(home, digest), str(error)
    if snapshot.meta.coefficients != coefficients_of(snapshot.meta.recipe.fingerprint):
        yield name, "its coefficients do not belong to its recipe"


def _in_segments(snapshot: Snapshot) -> Iterator[tuple[Path, str]]:
    for segment in snapshot.segments:
        yield from _in_files(segment)
        if words := _in_rows(segment):
            yield segment.folder, words


def _in_files(segment: StoredSegment) -> Iterator[tuple[Path, str]]:
    for file in segment.entry.files:
        if words := segment.file_fault(file):
            yield segment.path_of(file), words
    yield from damaged_in(segment.folder)


def _in_rows(segment: StoredSegment) -> str:
    """The first inconsistency between the arrays of a segment, "" if there is none."""
    if segment.ids[0] < 1 or (segment.ids[1:] <= segment.ids[:-1]).any():
        return "its ids are not in ascending order"
    ragged = [file.removesuffix(".offsets") for file in segment.arrays if file.endswith(".offsets")]
    try:
        for name in ragged:
            segment.ragged(name)
    except SdtextError as error:
        return str(error)
    return fault_in(segment)


def _in_documents(snapshot: Snapshot) -> Iterator[str]:
    """Faults of the list of documents, and of its agreement with the rows."""
    ids = [np.empty(0, np.int64)]
    for batch in snapshot.catalog.batches(_ROWS, number=1 << 14):
        ids.append(np.array([row[0] for row in batch], np.int64))
        for *values, checksum in batch:
            if row_checksum(values) != checksum:
                yield f"the catalog row of document {values[0]} does not match its checksum"
    listed = np.concatenate(ids)
    if not np.array_equal(listed, np.concatenate([ids[0], *(s.ids for s in snapshot.segments)])):
        yield "its catalog and its segments list different documents"
    if len(listed) and listed[-1] >= snapshot.meta.next_document:
        yield "it would reuse the number of a document"
