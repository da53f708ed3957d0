"""The documents of one side of a search, in batches: of a collection in memory or on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path

import numpy as np

from sdtext.collections.document_types import StoredDocument
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import (
    CODE_COLUMNS,
    PLACE_COLUMNS,
    SPANS,
    TEXT,
    TITLES,
    WORD_ENDS,
    WORD_STARTS,
    decoded_text,
)
from sdtext.collections.stored_collection import StoredCollection, stored_in
from sdtext.collections.word_offsets_and_codes import (
    Collected,
    MarkedSpans,
    check_codes,
    codes_of,
    marks_of,
    words_of,
)
from sdtext.io.remote_files import remote_address
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Examined, Problem
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.record import InputDocument
from sdtext.reading.walk import is_collection
from sdtext.reuse.document_batch import DocumentBatch, DocumentInfo
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.reuse.window_finder import WindowFinder

CHAPTERS, QUOTES, REFERENCES, SENTENCES = "chapters", "quotes", "references", "sentences"
TEXTS = "texts"
"""What a search may need of documents beside their words; the first three are spans."""

MARKS = frozenset({CHAPTERS, QUOTES, REFERENCES})
_WORDS = frozenset(PLACE_COLUMNS) - {SPANS, TITLES}
_BATCH_BYTES = 64 << 20  # size of the stored documents in a batch
_BATCH_DOCUMENTS = 20_000


def columns_for(wants: frozenset[str]) -> frozenset[str]:
    """The names of the columns of documents that a search which `wants` these needs."""
    columns = _WORDS
    if wants & MARKS:
        columns |= {SPANS, TITLES}
    if SENTENCES in wants:
        columns |= frozenset(CODE_COLUMNS)
    return columns | {TEXT} if TEXTS in wants else columns


def stored_at(item: object) -> StoredCollection | None:
    """The collection that `item` is, or that is at this path; None for other inputs."""
    stored = stored_in(item)
    if stored is None and isinstance(item, str | PathLike) and is_collection(Path(item)):
        return StoredCollection.open(Path(item))
    return stored


class Documents:
    """The documents of one side of a search: those of a collection that `where` selects.

    They have what the search `wants`, by the names above. Those in the batches `in_memory`, which
    are of a collection in memory, are reported even if they share nothing. `lengths` are the name
    and the number of terms of each document read so far, by its id. Raises MismatchError where the
    collection does not store what the search needs, FormatError where it is damaged.
    """

    def __init__(
        self,
        collection: Collected,
        wants: frozenset[str],
        run: Run,
        where: str | None = None,
    ) -> None:
        self.collection = collection
        self._wants, self._run, self._where = wants, run, where
        self._ids = collection.ids(where)
        self.lengths: dict[int, tuple[str, int]] = {}
        self.in_memory: Sequence[DocumentBatch] = ()
        if isinstance(collection, MemoryCollection):
            segments = collection.segments()
            self.in_memory = [self._batch(collection.take(part.ids)) for part in segments]
            return
        words_of(collection, ())  # raises at once, before documents are compared
        if SENTENCES in wants:
            check_codes(collection)  # codes select candidates before documents are read

    def __len__(self) -> int:
        return len(self._ids)

    def batches(self, first: int = 0) -> Iterator[DocumentBatch]:
        """The batches, from batch number `first` on."""
        if isinstance(self.collection, MemoryCollection):
            return iter(self.in_memory[first:])
        batches = _in_batches(self.collection.documents(self._where))
        return map(self._batch, islice(batches, first, None))

    def batches_similar_to(
        self, batch: DocumentBatch, finder: WindowFinder | SentenceFinder
    ) -> Iterator[DocumentBatch]:
        """Those that may share passages with a batch: by stored sentences those with a match."""
        collection = self.collection
        if isinstance(collection, MemoryCollection) or not isinstance(finder, SentenceFinder):
            return self.batches()
        ids = distinct(finder.candidates(batch, collection))
        some = np.intersect1d(ids, self._ids, assume_unique=True)
        return map(self._batch, _in_batches(collection.take(some)))

    def _batch(self, documents: Sequence[StoredDocument]) -> DocumentBatch:
        ids = [document.id for document in documents]
        words = words_of(self.collection, ids)
        codes = codes_of(self.collection, ids) if SENTENCES in self._wants else None
        names = self._wants & MARKS  # only those: a quotation that is marked would not count
        marks = marks_of(self.collection, ids) if names else [MarkedSpans()] * len(ids)
        read = self.collection if isinstance(self.collection, MemoryCollection) else None
        infos = []
        for place, (document, marked) in enumerate(zip(documents, marks, strict=True)):
            examined = Examined(
                document.name,
                len(words.tokens[place]),
                read.lengths[document.id] if read else 0,
                document.digest,
                0 if codes is None else int(codes.short[place]),
                document.metadata,
            )
            wanted = MarkedSpans(**{name: getattr(marked, name) for name in names})
            path = "" if read else str(Path(document.root, document.name))
            file = document.root if read else ""
            infos.append(DocumentInfo(document.id, examined, wanted, path, file))
        made = DocumentBatch(infos, words, codes)
        for info, length in zip(infos, made.terms.lengths.tolist(), strict=True):
            self.lengths[info.id] = info.examined.name, length
        return made

    def text(self, info: DocumentInfo, words: DocumentWords) -> str:
        """The text that the collection keeps, or that of the unchanged file; else a warning."""
        if self.collection.keeps_text:
            return self.collection.text_with_id(info.id)
        if not remote_address(info.path):  # only the user names what is fetched, no collection does
            columns = columns_for(frozenset({TEXTS}))
            build = RowBuilder(self.collection.recipe, reading=self._run.reading, columns=columns)
            rows = build([InputDocument("", "", Path(info.path))], []).rows
            if rows and rows.documents[0].digest == info.examined.digest:
                starts, ends = (rows.arrays[name][0] for name in (WORD_STARTS, WORD_ENDS))
                if np.array_equal(words.starts, starts) and np.array_equal(words.ends, ends):
                    return decoded_text(rows.arrays[TEXT][0])
        what = (
            "the collection keeps no texts, and its file is not there, or is not what was added; "
            "its passages are listed without text. AddDocuments with keep_text keeps texts"
        )
        self._run.note(Problem.at("warning", "no-text", info.examined.name, what))
        return ""


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
