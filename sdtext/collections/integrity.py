"""Whether a collection is whole: every byte that was committed, and how it fits together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from sdtext.collections.document_rows import row_checksum
from sdtext.collections.positions import misfit
from sdtext.collections.snapshot import Snapshot
from sdtext.collections.storage.arrays import Stored, checksum_of
from sdtext.collections.storage.derived_cache import damaged_in
from sdtext.collections.storage.meta import REMEDY, coefficients_of
from sdtext.collections.storage.place import dictionary_file, dictionary_in
from sdtext.collections.storage.segments import IDS, Segment
from sdtext.collections.storage.vocabulary import TOKENS, WORDS
from sdtext.errors import FormatError, SdtextError, printable, reason, shown
from sdtext.model import Problem
from sdtext.reading.walk import CATALOG

DAMAGED = "damaged"
_MOST = 20  # faults that are told of one catalog
_PIECE = 1 << 20
_ROWS = "SELECT id, root, name, size, digest, metadata, checksum FROM documents ORDER BY id"


def faults_of(snapshot: Snapshot, home: Path, name: str) -> Iterator[Problem]:
    """What is wrong with a collection; nothing where all is well."""
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
    for digest in snapshot.carried.dictionaries:
        try:
            dictionary_in(home, digest)
        except SdtextError as error:
            yield dictionary_file(home, digest), str(error)
    if snapshot.carried.coefficients != coefficients_of(snapshot.carried.recipe.fingerprint):
        yield name, "its coefficients are not those of its recipe"


def _in_segments(snapshot: Snapshot) -> Iterator[tuple[Path, str]]:
    for segment in snapshot.segments:
        yield from _in_files(segment)
        if words := _in_rows(segment):
            yield segment.folder, words


def _in_files(segment: Segment) -> Iterator[tuple[Path, str]]:
    for file, stored in segment.listed.files.items():
        if words := _in_file(segment, file, stored):
            yield _path_of(segment, file), words
    yield from damaged_in(segment.folder)


def _in_file(segment: Segment, file: str, stored: Stored) -> str:
    """What is wrong with a file of a segment; "" where nothing is. Raises OSError."""
    try:
        found = checksum_of(_path_of(segment, file), stored.size)
    except ValueError as error:
        return str(error)
    return "" if found == stored.checksum else "its content does not give its checksum"


def _path_of(segment: Segment, file: str) -> Path:
    return segment.folder / f"{file}.npy"


def check_whole(segment: Segment) -> None:
    """FormatError where a segment is not as it was written, as far as it matters for a copy.

    Of one whose documents are all removed that is their numbers alone: damage may be removed.
    """
    files = segment.listed.files
    for file in files if segment.alive.any() else [IDS]:
        try:
            words = _in_file(segment, file, files[file])
        except OSError as error:
            words = reason(error)
        if words:
            path = shown(_path_of(segment, file))
            raise FormatError(f"{path}: is damaged: {words}; {REMEDY}")


def _in_rows(segment: Segment) -> str:
    """What is wrong with how the arrays of a segment fit together; "" where nothing is."""
    if segment.ids[0] < 1 or (segment.ids[1:] <= segment.ids[:-1]).any():
        return "the ids in it do not rise"
    ragged = [file.removesuffix(".offsets") for file in segment.arrays if file.endswith(".offsets")]
    try:
        rows = {name: segment.ragged(name) for name in ragged}
    except SdtextError as error:
        return str(error)
    if TOKENS not in rows or WORDS not in rows:
        return ""
    tokens, most = rows[TOKENS].values, len(rows[WORDS])
    pieces = (tokens[place : place + _PIECE] for place in range(0, len(tokens), _PIECE))
    if any(one.max() > most for one in pieces):
        return "tokens in it are no words of it"
    return misfit(segment)


def _in_documents(snapshot: Snapshot) -> Iterator[str]:
    """What is wrong with the list of documents, and how it fits to the rows."""
    ids = [np.empty(0, np.int64)]
    for batch in snapshot.catalog.batches(_ROWS, number=1 << 14):
        ids.append(np.array([row[0] for row in batch], np.int64))
        for *told, checksum in batch:
            if row_checksum(told) != checksum:
                yield f"what its catalog tells of document {told[0]} does not give its checksum"
    listed = np.concatenate(ids)
    if not np.array_equal(listed, np.concatenate([ids[0], *(s.ids for s in snapshot.segments)])):
        yield "the documents in its catalog are not those in its segments"
    if len(listed) and listed[-1] >= snapshot.carried.next_document:
        yield "it would give the number of a document again"
