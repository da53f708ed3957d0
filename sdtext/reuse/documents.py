"""Documents of a search for text reuse: in memory or in a collection, with the same columns.

A document has its words with their offsets, the spans that may not count, and sentence codes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import RecipeFit
from sdtext.analysis.sentence_codes import CodedUnits, UnitCodes
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.document_types import StoredDocument
from sdtext.collections.storage.merge_vocabularies import together
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.stored_word_offsets_and_codes import (
    MarkedSpans,
    check_codes,
    stored_codes,
    stored_marks,
    stored_words,
)
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.terms.document_words import DocumentWords, WordOffsets
from sdtext.model import Examined, Passage, Problem, RecipeSpec, Span
from sdtext.parts.units.pages_chapters_paragraphs import Chapter
from sdtext.reading.inputs import InputBatches, InputDocument, Inputs, MetadataTable, input_files
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, run_batches
from sdtext.reading.read_document import BEGINNING
from sdtext.reading.read_inputs import ReadInput, read_inputs, work_on_inputs
from sdtext.text.document import Document

CHAPTERS, QUOTES, REFERENCES, SENTENCES = "chapters", "quotes", "references", "sentences"
TEXTS = "texts"
"""What a search may need of documents beside their words; the first three are spans."""

_BATCH_WORDS = 1 << 21  # words of the files in a batch
_BATCH_BYTES = 64 << 20  # size of the stored documents in a batch
_BATCH_DOCUMENTS = 20_000


@dataclass(frozen=True, eq=False)
class DocumentInfo:
    """What is known of a document beside its words.

    `id` is its id in the collection, or its position among the documents that were read. `marked`
    holds the spans that the search needs. Where several documents of a collection have the same
    name, `path` replaces it. `file` is the file that the document was read from, by its real path.
    """

    id: int
    examined: Examined
    marked: MarkedSpans = field(default_factory=MarkedSpans)
    path: str = ""
    file: str = ""

    def is_same_file(self, other: DocumentInfo) -> bool:
        """Whether both were read from one file, or stored from one and unchanged since."""
        if self.file and other.file:
            return self.file == other.file
        is_same_content = (
            bool(self.examined.digest) and self.examined.digest == other.examined.digest
        )
        return is_same_content and bool(self.origin) and self.origin == other.origin

    @property
    def origin(self) -> str:
        """The real path of the file it was read from, or stored from; "" if there is none."""
        return self.file or (os.path.realpath(self.path) if self.path else "")


@dataclass(frozen=True, eq=False)
class DocumentBatch:
    """Some documents: a row of `words` for each, and their sentence codes if the search needs them.

    The numbers of words follow from the vocabulary of the batch.
    """

    infos: Sequence[DocumentInfo]
    words: WordOffsets
    codes: CodedUnits | None = None

    def __len__(self) -> int:
        return len(self.infos)

    @cached_property
    def numbers(self) -> dict[bytes, int]:
        """The number of each word."""
        return {word.tobytes(): number for number, word in enumerate(self.words.words, 1)}

    @cached_property
    def terms(self) -> Ragged:
        r"""The terms of each document: its words without those that the chain drops.

        >>> words = WordOffsets.of([[("bees", 0, 4), ("\rare", 5, 8), ("old", 9, 12)]])
        >>> DocumentBatch([], words).terms[0].tolist()
        [1, 3]
        """
        tokens = self.words.tokens
        kept = self.words.is_term[tokens.values]
        before = np.zeros(len(kept) + 1, np.int64)
        np.cumsum(kept, out=before[1:])
        return Ragged(tokens.values[kept], before[tokens.offsets])

    def renumbered_as(self, other: DocumentBatch) -> DocumentBatch:
        """The same documents, with the word numbers of `other`; further words get new numbers.

        >>> one = DocumentBatch([], WordOffsets.of([[("bees", 0, 4), ("wax", 5, 8)]]))
        >>> other = DocumentBatch([], WordOffsets.of([[("wax", 0, 3)]]))
        >>> one.renumbered_as(other).words.tokens[0].tolist()
        [2, 1]
        """
        if self.words.words is other.words.words:
            return self
        known = other.numbers
        own = self.words.words
        spelled = [word.tobytes() for word in own]
        new = [place for place, word in enumerate(spelled) if word not in known]
        further = {spelled[place]: len(known) + rank for rank, place in enumerate(new, 1)}
        numbers = [known.get(word) or further[word] for word in spelled]
        tokens = np.array([0, *numbers], np.uint32)[self.words.tokens.values]
        vocabulary = joined([other.words.words, own.taken(new)])
        tokens_of_rows = Ragged(tokens, self.words.tokens.offsets)
        return replace(self, words=replace(self.words, tokens=tokens_of_rows, words=vocabulary))

    def take(self, places: Sequence[int]) -> DocumentBatch:
        """The documents at `places`, in that order."""
        columns = (self.words.tokens, self.words.starts, self.words.ends)
        tokens, starts, ends = (column.taken(places) for column in columns)
        words = WordOffsets(tokens, self.words.words, starts, ends)
        codes = _take_codes(self.codes, places) if self.codes is not None else None
        return DocumentBatch([self.infos[place] for place in places], words, codes)

    def words_of(self, place: int) -> DocumentWords:
        """The words of the document at `place`, the same object for every pair it is part of."""
        if place not in self._words:
            self._words[place] = self.words.document(place)
        return self._words[place]

    @cached_property
    def _words(self) -> dict[int, DocumentWords]:
        return {}


def words_of_both(
    left: tuple[DocumentBatch, int], right: tuple[DocumentBatch, int]
) -> tuple[DocumentWords, DocumentWords]:
    """The words of two documents, each by its batch and its place, numbered by one vocabulary.

    >>> one = DocumentBatch([], WordOffsets.of([[("bees", 0, 4), ("wax", 5, 8)]]))
    >>> other = DocumentBatch([], WordOffsets.of([[("wax", 0, 3)]]))
    >>> [worded.words.tolist() for worded in words_of_both((one, 0), (other, 0))]
    [[1, 2], [2]]
    """
    sides = [batch.words_of(place) for batch, place in (left, right)]
    vocabularies = left[0].words.words, right[0].words.words
    if vocabularies[0] is vocabularies[1]:
        return sides[0], sides[1]
    numbers: dict[bytes, int] = {}
    for side, vocabulary in enumerate(vocabularies):
        known, places = np.unique(sides[side].words, return_inverse=True)
        spelled = (vocabulary[number - 1].tobytes() for number in known.tolist())
        new = [numbers.setdefault(word, len(numbers) + 1) for word in spelled]
        sides[side] = replace(sides[side], words=np.array(new, np.uint32)[places])
    return sides[0], sides[1]


@dataclass(frozen=True)
class PairPassages:
    """The passages that two documents share, as a finder of passages gives them.

    `left` and `right` are the positions of the documents in their batches, `sides` their words,
    numbered by one vocabulary.
    """

    left: int
    right: int
    passages: Sequence[Passage]
    sides: tuple[DocumentWords, DocumentWords]


def join_batches(batches: Sequence[DocumentBatch]) -> DocumentBatch:
    """The documents of one or more batches as one batch with one vocabulary."""
    if len(batches) == 1:
        return batches[0]
    infos = [info for batch in batches for info in batch.infos]
    words = together([batch.words for batch in batches], canonical=False)
    codes = [batch.codes for batch in batches if batch.codes is not None]
    return DocumentBatch(infos, words, _join_codes(codes) if codes else None)


def _join_codes(pieces: Sequence[CodedUnits]) -> CodedUnits:
    names = ("starts", "ends", "codes")
    columns = {name: joined([getattr(piece, name) for piece in pieces]) for name in names}
    return replace(pieces[0], **columns, short=np.concatenate([piece.short for piece in pieces]))


def _take_codes(units: CodedUnits, places: Sequence[int]) -> CodedUnits:
    columns = (units.starts, units.ends, units.codes)
    starts, ends, codes = (column.taken(places) for column in columns)
    return replace(units, starts=starts, ends=ends, codes=codes, short=units.short[list(places)])


@dataclass
class ReadBatch:
    """The documents of a batch that could be read, and problems with the others.

    `foreign` are those in another language than the recipe, each with how.
    """

    documents: DocumentBatch | None = None
    problems: list[Problem] = field(default_factory=list)
    foreign: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True)
class DocumentReader:
    """Reads documents and extracts what a search by `recipe` needs of them.

    `wants` names what it needs beside words.
    """

    recipe: RecipeSpec
    reading: Reading = field(default_factory=Reading)
    wants: frozenset[str] = frozenset()

    def __call__(self, batch: Sequence[InputDocument]) -> ReadBatch:
        result = ReadBatch()
        rows = [*read_inputs(batch, self.reading, result.problems, digests=True)]
        result.documents, _ = work_on_inputs(
            self._columns, rows, self.reading, result.problems, self._reset
        )
        for item, document, *_ in rows:
            if what := self._fit.foreign(document.clean[:BEGINNING]):
                result.foreign.append((Path(item.called), what))
        return result

    def _columns(self, rows: Sequence[ReadInput]) -> DocumentBatch:
        """The documents of some rows, encoded."""
        documents = [document for _, document, *_ in rows]
        words = self._encoder.words(documents)
        codes = self._codes(documents) if SENTENCES in self.wants else None
        infos = []
        for (item, document, _, digest), number, short in zip(
            rows, words.tokens.lengths.tolist(), _short(codes, len(rows)), strict=True
        ):
            text = document.text if TEXTS in self.wants else ""
            length, facts = len(document.text), dict(item.metadata)
            examined = Examined(item.name, number, length, digest, short, facts, text)
            file = os.path.realpath(item.path) if item.path else item.place
            infos.append(DocumentInfo(0, examined, self._marked(document), file=file))
        return DocumentBatch(infos, words, codes)

    def _marked(self, document: Document) -> MarkedSpans:
        """The spans of a document that the search needs."""
        from sdtext.parts.units.quotes import quotes_in
        from sdtext.parts.units.reference_lists import references_in

        finders: dict[str, Callable[[Document], Sequence[Span]]] = {
            CHAPTERS: Chapter(),
            QUOTES: quotes_in,
            REFERENCES: references_in,
        }
        return MarkedSpans(
            **{name: finders[name](document) for name in finders.keys() & self.wants}
        )

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.recipe)

    @cached_property
    def _codes(self) -> UnitCodes:
        return UnitCodes(self.recipe)

    @cached_property
    def _fit(self) -> RecipeFit:
        return RecipeFit(self.recipe)

    def _reset(self) -> None:
        """Drop caches that may be half written."""
        for name in ("_encoder", "_codes"):
            self.__dict__.pop(name, None)


def _short(codes: CodedUnits | None, documents: int) -> Sequence[int]:
    """The number of short sentences of each document."""
    return [0] * documents if codes is None else codes.short.tolist()


class MemoryDocuments:
    """Documents and records that were read, in batches.

    `inputs` and the `documents` that a program has in memory are read by `reader`; what cannot be
    read becomes a problem of the `run`. Raises FormatError or UnreadableError where the metadata
    table is damaged or missing.
    """

    def __init__(
        self, inputs: Inputs, documents: Sequence[Document], reader: DocumentReader, run: Run
    ) -> None:
        self.paths = inputs.paths
        self.has_metadata = False
        self.foreign: list[tuple[Path, str]] = []
        self._batches: list[DocumentBatch] = []
        files = input_files(inputs, run)
        self.table = (
            None
            if inputs.metadata is None
            else MetadataTable(inputs.metadata, (file.name for file in files), run)
        )
        self._files = {file.root: str(file.path) for file in files if file.records}
        self._alone = len(files) == 1
        held = [InputDocument("", item.source, document=item) for item in documents]
        batches = InputBatches(files, inputs.fields, run, held)
        named = ([self._named(item) for item in batch] for batch in batches)
        pieces: list[DocumentBatch] = []
        for result in run_batches(reader, named, run, batches.expected):
            self.foreign += result.foreign
            if result.documents is not None:
                pieces.append(result.documents)
            if sum(len(piece.words.tokens.values) for piece in pieces) > _BATCH_WORDS:
                self._add(pieces)
                pieces = []
        if pieces:
            self._add(pieces)

    def __len__(self) -> int:
        return sum(map(len, self._batches))

    def batches(self, first: int = 0) -> Iterator[DocumentBatch]:
        """The batches, from batch number `first` on."""
        return iter(self._batches[first:])

    def _named(self, item: InputDocument) -> InputDocument:
        """The document with its name in the evidence and its row of the metadata table."""
        row = self.table.of(item.name) if self.table else {}
        self.has_metadata = self.has_metadata or bool(row)
        name = item.name
        if item.path is not None:
            name = str(item.path)
        elif item.document is None and not self._alone:
            name = f"{self._files[item.root]}#{item.name}"
        return item._replace(name=name, metadata={**item.metadata, **row})

    def _add(self, pieces: Sequence[DocumentBatch]) -> None:
        whole = join_batches(pieces)
        infos = [replace(info, id=number) for number, info in enumerate(whole.infos, len(self))]
        self._batches.append(replace(whole, infos=infos))


class StoredDocuments:
    """The documents of a collection in the order of their ids, in batches.

    `wants` is that of `DocumentReader`. Raises MismatchError where the collection does not store
    what the search needs, FormatError where it is damaged.
    """

    def __init__(
        self, collection: StoredCollection, wants: frozenset[str], where: str | None = None
    ) -> None:
        self.collection = collection
        self._wants = wants
        self._where = where
        self._ids = collection.ids(where)
        stored_words(collection, ())  # raises at once, before documents are compared
        if SENTENCES in wants:
            check_codes(collection)  # codes select candidates before documents are read

    def __len__(self) -> int:
        return len(self._ids)

    def batches(self, first: int = 0) -> Iterator[DocumentBatch]:
        """The batches, from batch number `first` on."""
        batches = _in_batches(self.collection.documents(self._where))
        return map(self._batch, islice(batches, first, None))

    def among(self, ids: NDArray[np.int64]) -> Iterator[DocumentBatch]:
        """The selected documents with these ids, in batches."""
        some = np.intersect1d(distinct(ids), self._ids, assume_unique=True)
        return map(self._batch, _in_batches(self.collection.taken(some)))

    def _batch(self, documents: Sequence[StoredDocument]) -> DocumentBatch:
        wants, ids = self._wants, [document.id for document in documents]
        words = stored_words(self.collection, ids)
        codes = stored_codes(self.collection, ids) if SENTENCES in wants else None
        marks = [MarkedSpans()] * len(ids)
        if wants - {SENTENCES, TEXTS}:
            # Only those: a quotation that is marked would not count.
            names = [item.name for item in fields(MarkedSpans) if item.name in wants]
            marks = [
                MarkedSpans(**{name: getattr(marked, name) for name in names})
                for marked in stored_marks(self.collection, ids)
            ]
        infos = []
        for document, number, short, marked in zip(
            documents, words.tokens.lengths.tolist(), _short(codes, len(ids)), marks, strict=True
        ):
            facts = document.metadata
            examined = Examined(document.name, number, 0, document.digest, short, facts)
            path = str(Path(document.root, document.name))
            infos.append(DocumentInfo(document.id, examined, marked, path))
        return DocumentBatch(infos, words, codes)


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
