"""Integrity of a collection: checksums of all files, and consistency of all columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sdtext.collections.storage.collection_meta import (
    REMEDY,
    DamagedCollectionError,
    coefficients_of,
    dictionary_file,
    dictionary_in,
)
from sdtext.collections.storage.derived_cache import damaged_in
from sdtext.collections.storage.segments import SEGMENTS, faults_of_files
from sdtext.errors import SdtextError
from sdtext.model import Problem
from sdtext.reading.walk import CATALOG
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.collections.storage.catalog import Catalog
    from sdtext.collections.storage.segments import StoredSegment
    from sdtext.collections.stored_collection import StoredCollection

DAMAGED = "damaged"
_IDS = "SELECT id FROM documents ORDER BY id"


def faults_in(collection: StoredCollection) -> Iterator[Problem]:
    """The faults of a collection that is open without verification and with damaged segments."""
    for path, words in _faults(collection):
        what = f"is damaged: {words}; {REMEDY}"
        yield Problem("error", DAMAGED, f"{shown(path)}: {what}", os.fspath(path), what)
    for segment in collection.segments():
        for path, words in damaged_in(segment.folder):
            what = f"is damaged: {words}"
            yield Problem("error", DAMAGED, f"{shown(path)}: {what}", os.fspath(path), what)


def _faults(collection: StoredCollection) -> Iterator[tuple[str | Path, str]]:
    catalog, meta = collection.catalog, collection.meta
    if catalog is None:
        return
    home, name, segments = collection.home, collection.name, collection.segments()
    yield from ((home / CATALOG, words) for words in _faults_of_catalog(catalog, segments))
    for segment in segments:
        yield from faults_of_files(segment.folder, segment.entry.files)
    for entry, error in collection.skipped:  # its damaged files, else why it cannot be used
        path = home / SEGMENTS / str(entry.number)
        faults = list(faults_of_files(path, entry.files))
        yield from faults or [(path, getattr(error, "fault", error.what))]
    listed = np.array([row[0] for batch in catalog.batches(_IDS) for row in batch], np.int64)
    rows = np.concatenate([listed[:0], *(segment.ids for segment in segments)])
    if not (collection.skipped or np.array_equal(listed, rows)):
        yield name, "its catalog and its segments list different documents"
    if len(listed) and listed[-1] >= meta.next_document:
        yield name, "it would reuse the number of a document"
    for digest in meta.dictionaries:
        try:
            dictionary_in(home, digest)
        except SdtextError as error:
            yield dictionary_file(home, digest), str(error)
    if meta.coefficients != coefficients_of(meta.recipe.fingerprint):
        yield name, "its coefficients do not belong to its recipe"


def _faults_of_catalog(catalog: Catalog, segments: Sequence[StoredSegment]) -> Iterator[str]:
    try:
        catalog.check_digest()
    except DamagedCollectionError as error:
        yield error.fault
    yield from catalog.integrity_faults()
    for segment in segments:
        for block in range(len(segment.entry.documents)):
            try:
                catalog.check_block(segment, block)
            except DamagedCollectionError as error:
                yield error.fault
