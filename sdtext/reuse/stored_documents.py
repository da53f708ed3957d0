"""Documents of a collection on disk as batches of documents of a search for text reuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from sdtext.collections.document_types import StoredDocument
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.stored_word_offsets_and_codes import (
    MarkedSpans,
    check_codes,
    stored_codes,
    stored_marks,
    stored_words,
)
from sdtext.io.remote_files import remote_address
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Examined, Problem
from sdtext.reading.inputs import InputDocument
from sdtext.reuse.documents import MARKS, SENTENCES, TEXTS, DocumentBatch, DocumentInfo
from sdtext.reuse.excluded_text import PassageFinder
from sdtext.reuse.read_documents import DocumentReader
from sdtext.reuse.sentence_finder import SentenceFinder

_BATCH_BYTES = 64 << 20  # size of the stored documents in a batch
_BATCH_DOCUMENTS = 20_000


class StoredDocuments:
    """The documents of a collection that meet the condition `where`, in the order of their ids.

    They have what the `reader` wants, which reads files again whose texts the collection does not
    keep. Raises MismatchError where it does not store what the search needs, FormatError where it
    is damaged.
    """

    listed: Sequence[DocumentBatch] = ()

    def __init__(
        self, collection: StoredCollection, reader: DocumentReader, where: str | None = None
    ) -> None:
        self.name = collection.name
        self._collection = collection
        self._wants = reader.wants
        self._reader = replace(reader, wants=frozenset({TEXTS}))
        self._where = where
        self._ids = collection.ids(where)
        stored_words(collection, ())  # raises at once, before documents are compared
        if SENTENCES in reader.wants:
            check_codes(collection)  # codes select candidates before documents are read

    def __len__(self) -> int:
        return len(self._ids)

    def batches(self, first: int = 0) -> Iterator[DocumentBatch]:
        """The batches, from batch number `first` on."""
        batches = _in_batches(self._collection.documents(self._where))
        return map(self._batch, islice(batches, first, None))

    def similar(self, batch: DocumentBatch, finder: PassageFinder) -> Iterator[DocumentBatch]:
        """The documents that may share passages with a batch: by sentences those with a match."""
        if not isinstance(finder, SentenceFinder):
            return self.batches()
        ids = distinct(finder.candidates(batch, self._collection))
        some = np.intersect1d(ids, self._ids, assume_unique=True)
        return map(self._batch, _in_batches(self._collection.taken(some)))

    def _batch(self, documents: Sequence[StoredDocument]) -> DocumentBatch:
        ids = [document.id for document in documents]
        words = stored_words(self._collection, ids)
        codes = stored_codes(self._collection, ids) if SENTENCES in self._wants else None
        names = self._wants & MARKS  # only those: a quotation that is marked would not count
        marks = stored_marks(self._collection, ids) if names else [MarkedSpans()] * len(ids)
        infos = []
        for place, (document, marked) in enumerate(zip(documents, marks, strict=True)):
            number = len(words.tokens[place])
            short = 0 if codes is None else int(codes.short[place])
            examined = Examined(document.name, number, 0, document.digest, short, document.metadata)
            wanted = MarkedSpans(**{name: getattr(marked, name) for name in names})
            path = str(Path(document.root, document.name))
            infos.append(DocumentInfo(document.id, examined, wanted, path))
        return DocumentBatch(infos, words, codes)

    def text(self, info: DocumentInfo, words: DocumentWords) -> str | Problem:
        """The text that the collection keeps, or that of the unchanged file; else a warning."""
        if self._collection.keeps_text:
            return self._collection.text_with_id(info.id)
        if not remote_address(info.path):  # only the user names what is fetched, no collection does
            batch = self._reader([InputDocument("", "", Path(info.path))], []).documents
            if batch and batch.infos[0].examined.digest == info.examined.digest:
                read = batch.words_of(0)
                columns = ((words.starts, read.starts), (words.ends, read.ends))
                if all(np.array_equal(column, other) for column, other in columns):
                    return batch.infos[0].examined.text
        what = (
            "the collection keeps no texts, and its file is not there, or is not what was added; "
            "its passages are listed without text. AddDocuments with keep_text keeps texts"
        )
        return Problem.at("warning", "no-text", info.examined.name, what)


def _in_batches(documents: Iterable[StoredDocument]) -> Iterator[list[StoredDocument]]:
    batch: list[StoredDocument] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += document.size
        if size > _BATCH_BYTES or len(batch) == _BATCH_DOCUMENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
