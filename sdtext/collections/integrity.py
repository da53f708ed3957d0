"""Integrity of a collection: checksums of all files, and consistency of all columns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from sdtext.collections.snapshot import Checks, Snapshot
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
from sdtext.wording import reason, shown

DAMAGED = "damaged"
_MOST = 20  # reported faults of one catalog
_IDS = "SELECT id FROM documents ORDER BY id"
_Fault = tuple[str | Path, str]


def faults_at(home: Path, name: str) -> Iterator[Problem]:
    """The faults of the collection called `name` in the folder `home`, none if it is whole.

    Every byte is read, also of what this process has verified before.
    """
    try:
        snapshot = Snapshot.unverified(home, name, Checks(verify=False, skip_damaged=True))
        for path, words in _faults(snapshot, home, name):
            what = f"is damaged: {words}"
            yield Problem("error", DAMAGED, f"{shown(path)}: {what}", os.fspath(path), what)
    except SdtextError as error:
        yield Problem.of(error, name)
    except OSError as error:
        yield Problem.at("error", "unreadable", name, f"cannot be read: {reason(error)}")


def _faults(snapshot: Snapshot, home: Path, name: str) -> Iterator[_Fault]:
    for path, words in _stored_faults(snapshot, home, name):
        yield path, f"{words}; {REMEDY}"
    for segment in snapshot.segments:
        yield from damaged_in(segment.folder)


def _stored_faults(snapshot: Snapshot, home: Path, name: str) -> Iterator[_Fault]:
    catalog = snapshot.catalog
    try:
        catalog.check_digest()
    except FormatError as error:
        yield home / CATALOG, _fault(error)
    for words in islice(catalog.document_faults(catalog.sums()), _MOST):
        yield home / CATALOG, words
    for segment in snapshot.segments:
        yield from faults_of_files(segment.folder, segment.entry.files)
    for skipped in snapshot.skipped:  # its damaged files, else why it cannot be used
        faults = list(faults_of_files(skipped.path, skipped.entry.files))
        yield from faults or [(skipped.path, _fault(skipped.error))]
    listed = np.array([row[0] for batch in catalog.batches(_IDS) for row in batch], np.int64)
    rows = np.concatenate([listed[:0], *(segment.ids for segment in snapshot.segments)])
    if not (snapshot.skipped or np.array_equal(listed, rows)):
        yield name, "its catalog and its segments list different documents"
    if len(listed) and listed[-1] >= snapshot.meta.next_document:
        yield name, "it would reuse the number of a document"
    for digest in snapshot.meta.dictionaries:
        try:
            dictionary_in(home, digest)
        except SdtextError as error:
            yield dictionary_file(home, digest), str(error)
    if snapshot.meta.coefficients != coefficients_of(snapshot.meta.recipe.fingerprint):
        yield name, "its coefficients do not belong to its recipe"


def _fault(error: SdtextError) -> str:
    """The fault that an error about damage states."""
    return error.fault if isinstance(error, DamagedCollectionError) else error.what
