"""Integrity of a collection: checksums of all files, and consistency of all columns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
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
from sdtext.collections.storage.segments import faults_of_files
from sdtext.errors import FormatError, SdtextError
from sdtext.model import Problem
from sdtext.reading.walk import CATALOG
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.collections.stored_collection import StoredCollection

DAMAGED = "damaged"
_MOST = 20  # reported faults of one catalog
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
    home, name = collection.home, collection.name
    try:
        catalog.check_digest()
    except FormatError as error:
        yield home / CATALOG, _fault(error)
    for words in islice(catalog.document_faults(catalog.sums()), _MOST):
        yield home / CATALOG, words
    for segment in collection.segments():
        yield from faults_of_files(segment.folder, segment.entry.files)
    for skipped in collection.skipped:  # its damaged files, else why it cannot be used
        faults = list(faults_of_files(skipped.path, skipped.entry.files))
        yield from faults or [(skipped.path, _fault(skipped.error))]
    listed = np.array([row[0] for batch in catalog.batches(_IDS) for row in batch], np.int64)
    rows = np.concatenate([listed[:0], *(segment.ids for segment in collection.segments())])
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


def _fault(error: SdtextError) -> str:
    """The fault that an error about damage states."""
    return error.fault if isinstance(error, DamagedCollectionError) else error.what
