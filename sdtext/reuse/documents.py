"""The documents of one side of a search, in batches: of a collection in memory or on disk."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from sdtext.analysis.sentence_codes import CodedUnits
from sdtext.collections.document_types import NewDocument, StoredDocument
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import (
    CODE_COLUMNS,
    SPANS,
    TEXT,
    TITLES,
    TOKENS,
    WORD_ENDS,
    WORD_STARTS,
    WORDS,
    decoded_text,
)
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.word_offsets_and_codes import (
    MarkedSpans,
    check_codes,
    codes_of,
    marked_spans,
    marks_of,
    words_of,
)
from sdtext.io.remote_files import remote_address
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.terms.document_words import DocumentWords, WordOffsets
from sdtext.model import Examined, Problem
from sdtext.reading.parallel_run import Run, cut_batches
from sdtext.reading.records.record import InputDocument
from sdtext.reading.walk import is_collection
from sdtext.reuse.document_batch import DocumentBatch, DocumentInfo
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.reuse.window_finder import WindowFinder

CHAPTERS, QUOTES, REFERENCES, SENTENCES = "chapters", "quotes", "references", "sentences"
TEXTS = "texts"
"""What a search may need of documents beside their words; the first three are spans."""

MARKS = frozenset({CHAPTERS, QUOTES, REFERENCES})
_WORD_COLUMNS = TOKENS, WORDS, WORD_STARTS, WORD_ENDS
_BATCH_BYTES = 64 << 20  # size of the stored documents in a batch
_BATCH_DOCUMENTS = 20_000


def columns_for(wants: frozenset[str]) -> frozenset[str]:
    """The names of the columns of documents that a search which `wants` these needs."""
    columns = frozenset(_WORD_COLUMNS)
    if wants & MARKS:
        columns |= {SPANS, TITLES}
    if SENTENCES in wants:
        columns |= frozenset(CODE_COLUMNS)
    return columns | {TEXT} if TEXTS in wants else columns


def stored_at(item: object) -> StoredCollection | None:
    """The collection that `item` is, or that is at this path; None for other inputs."""
    if isinstance(item, str | PathLike) and is_collection(Path(item)):
        return StoredCollection.open(Path(item))
    return item if isinstance(item, StoredCollection) else None


class Documents:
    """The documents of one side of a search: those of a collection that `where` selects.

    They have what the search `wants`, by the names above. Those in the batches `in_memory`, which
    are of a collection in memory, are reported even if they share nothing. `number` counts all;
    `lengths` are the name and the number of terms of each document read so far, by its id. Raises
    MismatchError where the collection does not store what the search needs, FormatError where it is
    damaged.
    """

    def __init__(
        self,
        collection: StoredCollection | MemoryCollection,
        wants: frozenset[str],
        run: Run,
        where: str | None = None,
    ) -> None:
        self.collection = collection
        self._wants, self._run, self._where = wants, run, where
        self.lengths: dict[int, tuple[str, int]] = {}
        self.in_memory: list[DocumentBatch] = []
        if isinstance(collection, MemoryCollection):
            self.number = len(collection.names)
            for rows in collection.rows or ():
                columns: Mapping[str, Any] = rows.arrays
                words = WordOffsets(*(columns[name] for name in _WORD_COLUMNS))
                codes, marks = None, [MarkedSpans()] * len(rows.documents)
                if SENTENCES in wants:
                    codes = CodedUnits(*(columns[name] for name in CODE_COLUMNS))
                if wants & MARKS:
                    marks = [*map(marked_spans, columns[SPANS], columns[TITLES])]
                self.in_memory.append(self._batch(rows.documents, words, codes, marks))
            return
        self._ids = collection.ids(where)
        self.number = len(self._ids)
        words_of(collection, ())  # raises at once, before documents are compared
        if SENTENCES in wants:
            check_codes(collection)  # codes select candidates before documents are read

    def batches(self, first: int = 0) -> Iterator[DocumentBatch]:
        """The batches, from batch number `first` on."""
        if isinstance(self.collection, MemoryCollection):
            return iter(self.in_memory[first:])
        batches = _in_batches(self.collection.documents(self._where))
        return (self._stored(self.collection, batch) for batch in islice(batches, first, None))

    def batches_similar_to(
        self, batch: DocumentBatch, finder: WindowFinder | SentenceFinder
    ) -> Iterator[DocumentBatch]:
        """Those that may share passages with a batch: by stored sentences those with a match."""
        collection = self.collection
        if isinstance(collection, MemoryCollection) or not isinstance(finder, SentenceFinder):
            return self.batches()
        ids = distinct(finder.candidates(batch, collection))
        some = np.intersect1d(ids, self._ids, assume_unique=True)
        return (self._stored(collection, batch) for batch in _in_batches(collection.take(some)))

    def _stored(
        self, collection: StoredCollection, documents: Sequence[StoredDocument]
    ) -> DocumentBatch:
        """A batch of stored documents."""
        ids = [document.id for document in documents]
        words = words_of(collection, ids)
        codes = codes_of(collection, ids) if SENTENCES in self._wants else None
        marks = marks_of(collection, ids) if self._wants & MARKS else [MarkedSpans()] * len(ids)
        return self._batch(documents, words, codes, marks)

    def _batch(
        self,
        documents: Sequence[NewDocument | StoredDocument],
        words: WordOffsets,
        codes: CodedUnits | None,
        marks: Sequence[MarkedSpans],
    ) -> DocumentBatch:
        names = self._wants & MARKS  # only those: a quotation that is marked would not count
        infos = []
        for place, document in enumerate(documents):
            if isinstance(document, NewDocument):
                number, length = len(self.lengths) + place, document.length
                path, file = "", document.root
            else:
                number, length = document.id, 0
                path, file = str(Path(document.root, document.name)), ""
            examined = Examined(
                document.name,
                len(words.tokens[place]),
                length,
                document.digest,
                0 if codes is None else int(codes.short[place]),
                dict(document.metadata),
            )
            marked = MarkedSpans(**{name: getattr(marks[place], name) for name in names})
            infos.append(DocumentInfo(number, examined, marked, path, file))
        batch = DocumentBatch(infos, words, codes)
        for info, length in zip(infos, batch.terms.lengths.tolist(), strict=True):
            self.lengths[info.id] = info.examined.name, length
        return batch

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
        what = "the collection keeps no texts, and its file is not what was added; its passages "
        what += "are listed without text. AddDocuments with keep_text keeps texts"
        self._run.note(Problem.at("warning", "no-text", info.examined.name, what))
        return ""


def _in_batches(documents: Iterable[StoredDocument]) -> Iterator[list[StoredDocument]]:
    return cut_batches(documents, lambda item: item.size, _BATCH_BYTES, _BATCH_DOCUMENTS)
