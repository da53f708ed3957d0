"""The documents of a collection, as a search of reused text needs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.sentence_codes import CodedUnits
from sdtext.collections.collection import Collection
from sdtext.collections.document_rows import StoredDocument
from sdtext.collections.filters import Condition
from sdtext.collections.positions import (
    Marked,
    check_codes,
    stored_codes,
    stored_marks,
    stored_words,
)
from sdtext.model.passages import Examined
from sdtext.reuse.texts import SENTENCES, Text, Texts

_BYTES = 64 << 20  # of documents that are looked at together
_MOST = 20_000


class Stored:
    """The documents of a collection in the order of their numbers, in batches.

    `wants` is as in `queries.Maker`. Raises MismatchError where the collection does not keep what
    is needed, FormatError where it is damaged.
    """

    def __init__(
        self, collection: Collection, wants: frozenset[str], where: Condition | None = None
    ) -> None:
        self.collection = collection
        self._wants = wants
        self._where = where
        self._ids = collection.ids(where)
        stored_words(collection, ())  # which says at once what is wrong
        if SENTENCES in wants:
            check_codes(collection)  # they are asked before their documents are read

    @property
    def documents(self) -> int:
        """How many documents are looked at."""
        return len(self._ids)

    def texts(self, first: int = 0) -> Iterator[Texts]:
        """The batches, from the one of that number on."""
        batches = _batches(self.collection.documents(self._where))
        return map(self._texts, islice(batches, first, None))

    def among(self, ids: NDArray[np.int64]) -> Iterator[Texts]:
        """The documents with these numbers, as far as they are looked at, in batches."""
        return map(self._texts, _batches(self.collection.taken(np.intersect1d(ids, self._ids))))

    def _texts(self, batch: Sequence[StoredDocument]) -> Texts:
        wants, ids = self._wants, [one.id for one in batch]
        words = stored_words(self.collection, ids)
        units = _units(self.collection, ids) if SENTENCES in wants else None
        marks = [Marked()] * len(ids)
        if wants - {SENTENCES}:
            marks = [_wanted(one, wants) for one in stored_marks(self.collection, ids)]
        short = [0] * len(ids) if units is None else units.short.tolist()
        counts = zip(words.tokens.lengths.tolist(), short, strict=True)
        known = [
            Text(one.id, _examined(one, *count), marked, str(Path(one.root, one.name)))
            for one, count, marked in zip(batch, counts, marks, strict=True)
        ]
        return Texts(known, words, units)


def _batches(documents: Iterable[StoredDocument]) -> Iterator[list[StoredDocument]]:
    batch: list[StoredDocument] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += document.size
        if size > _BYTES or len(batch) == _MOST:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _wanted(marked: Marked, wants: frozenset[str]) -> Marked:
    """Only what is asked for: what is marked as a quotation would not count."""
    kept = (field.name for field in fields(marked) if field.name in wants)
    return Marked(**{name: getattr(marked, name) for name in kept})


def _units(collection: Collection, ids: Sequence[int]) -> CodedUnits:
    codes = stored_codes(collection, ids)
    return CodedUnits(codes.starts, codes.ends, codes.codes, codes.short)


def _examined(document: StoredDocument, words: int, short: int) -> Examined:
    return Examined(document.name, words, 0, document.digest, short, document.metadata)
