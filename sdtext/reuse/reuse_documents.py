"""Documents of a search for text reuse, in batches: read from files or from a collection."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import blake2b
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
from sdtext.errors import shown
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.terms.document_words import DocumentWords, WordOffsets
from sdtext.model import Examined, Metadata, Problem, RecipeSpec, Span
from sdtext.parts.units.pages_chapters_paragraphs import Chapter
from sdtext.reading.inputs import InputBatches, InputDocument, Inputs, MetadataTable, input_files
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, process_document, process_record, run_batches
from sdtext.reading.read_document import BEGINNING, Source
from sdtext.text.document import Document

CHAPTERS, QUOTES, REFERENCES, SENTENCES = "chapters", "quotes", "references", "sentences"
TEXTS = "texts"
"""What a search may need of documents beside their words."""

_DIGEST_BYTES = 16
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

    @property
    def sentence_codes(self) -> CodedUnits:
        """The sentence codes, which the search must have asked for."""
        assert self.codes is not None  # noqa: S101 (a search by sentences needs them)
        return self.codes

    @cached_property
    def numbers(self) -> dict[bytes, int]:
        """The number of each word."""
        return {word.tobytes(): number for number, word in enumerate(self.words.words, 1)}

    @cached_property
    def terms(self) -> Ragged:
        """The terms of each document."""
        return terms_of(self.words)

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


def terms_of(words: WordOffsets) -> Ragged:
    r"""The terms of each document: its words without those that the chain drops.

    >>> terms_of(WordOffsets.of([[("bees", 0, 4), ("\rare", 5, 8), ("old", 9, 12)]]))[0].tolist()
    [1, 3]
    """
    tokens = words.tokens
    kept = words.is_term[tokens.values]
    before = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    return Ragged(tokens.values[kept], before[tokens.offsets])


@dataclass(frozen=True)
class ReuseFiles:
    """Files to read, and documents that a program has in memory."""

    inputs: Inputs
    documents: tuple[Document, ...] = ()


@dataclass(frozen=True)
class UnreadDocument:
    """The name and the metadata of a document, and its text.

    That is in the file at `path`, in `document`, or the `text` of a record at `place`.
    """

    name: str
    path: Path | None = None
    document: Document | None = None
    facts: Metadata = field(default_factory=dict)
    text: str = ""
    place: str = ""


_Row = tuple[UnreadDocument, Document, str]  # with the digest of its content


def _path(unread: UnreadDocument) -> str:
    """The file of a document, the place of a record, or the name."""
    return str(unread.path or unread.place or unread.name)


def _real_path(unread: UnreadDocument) -> str:
    """The file of a document, or the place of a record in one."""
    return os.path.realpath(unread.path) if unread.path else unread.place


@dataclass
class ReadBatch:
    """The documents of a batch that could be read, and problems with the others.

    `foreign` are those in another language than the recipe, each with how.
    """

    documents: DocumentBatch | None = None
    problems: list[Problem] = field(default_factory=list)
    foreign: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True)
class BatchReader:
    """Reads documents and extracts what a search by `recipe` needs of them.

    `wants` names what it needs beside words.
    """

    recipe: RecipeSpec
    reading: Reading = field(default_factory=Reading)
    wants: frozenset[str] = frozenset()

    def __call__(self, batch: Sequence[UnreadDocument]) -> ReadBatch:
        result = ReadBatch()
        rows = [row for unread in batch if (row := self._read(unread, result))]
        result.documents, _, errors = work_on_each(
            self._batch, rows, self.reading.limits, lambda row: shown(_path(row[0])), self._reset
        )
        result.problems.extend(Problem.of(error, _path(row[0])) for row, error in errors)
        for unread, document, _ in rows:
            if what := self._fit.foreign(document.clean[:BEGINNING]):
                result.foreign.append((Path(_path(unread)), what))
        return result

    def _batch(self, rows: Sequence[_Row]) -> DocumentBatch:
        """The documents of some rows, encoded."""
        documents = [document for _, document, _ in rows]
        words = self._encoder.words(documents)
        codes = self._codes(documents) if SENTENCES in self.wants else None
        infos = [
            DocumentInfo(0, examined, self._marked(row[1]), file=_real_path(row[0]))
            for row, examined in zip(rows, self._examined(rows, words, codes), strict=True)
        ]
        return DocumentBatch(infos, words, codes)

    def _examined(
        self, rows: Sequence[_Row], words: WordOffsets, codes: CodedUnits | None
    ) -> Iterator[Examined]:
        """The documents with the numbers of their words and of their short sentences."""
        for row, (number, short) in zip(rows, _counts(words, codes), strict=True):
            unread, document, digest = row
            text = document.text if TEXTS in self.wants else ""
            length, facts = len(document.text), dict(unread.facts)
            yield Examined(unread.name, number, length, digest, short, facts, text)

    def _reset(self) -> None:
        """Drop caches that may be half written."""
        for name in ("_encoder", "_codes"):
            self.__dict__.pop(name, None)

    def _read(self, unread: UnreadDocument, result: ReadBatch) -> _Row | None:
        """A document and the digest of its content; None where it cannot be read."""
        if unread.path is None:
            document = unread.document or self._record(unread, result)
            if document is None:
                return None
            result.problems.extend(document.problems)
            digest = digest_of_text(document.text)
            return unread, document, digest
        content = process_document(unread.path, self.reading, lambda source: _read(source, result))
        if isinstance(content, Problem):
            result.problems.append(content)
            return None
        return unread, *content

    def _record(self, unread: UnreadDocument, result: ReadBatch) -> Document | None:
        """The document of a record; None where it exceeds the limits."""
        document = process_record(unread.text, unread.name, unread.place, self.reading)
        if isinstance(document, Problem):
            result.problems.append(document)
            return None
        return document

    def _marked(self, document: Document) -> MarkedSpans:
        """The spans of a document that the search needs."""
        from sdtext.parts.units.quotes import quotes_in
        from sdtext.parts.units.reference_lists import references_in

        finders: dict[str, Callable[[Document], Sequence[Span]]] = {
            CHAPTERS: Chapter(),
            QUOTES: quotes_in,
            REFERENCES: references_in,
        }
        spans = {name: find(document) for name, find in finders.items() if name in self.wants}
        return MarkedSpans(**spans)

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.recipe)

    @cached_property
    def _codes(self) -> UnitCodes:
        return UnitCodes(self.recipe)

    @cached_property
    def _fit(self) -> RecipeFit:
        return RecipeFit(self.recipe)


def _read(source: Source, result: ReadBatch) -> tuple[Document, str]:
    digest = _digest_of(source.content.blocks())
    document = source.document()
    result.problems.extend(source.problems)
    return document, digest


def read_with_digest(source: Source) -> tuple[str, str]:
    """The text of a file and the digest of its content."""
    document, digest = _read(source, ReadBatch())
    return document.text, digest


def digest_of_text(text: str) -> str:
    """The digest of a document in memory: that of its text in UTF-8."""
    return _digest_of([text.encode("utf-8", "surrogatepass")])


def _digest_of(blocks: Iterable[bytes]) -> str:
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def _counts(words: WordOffsets, codes: CodedUnits | None) -> Iterator[tuple[int, int]]:
    """The number of words and of short sentences of each document."""
    lengths = words.tokens.lengths.tolist()
    short = [0] * len(lengths) if codes is None else codes.short.tolist()
    return zip(lengths, short, strict=True)


class FileBatches:
    """Documents read from files, in batches; each file is read once.

    A file that cannot be read becomes a problem of the `run`. Raises FormatError or
    UnreadableError where the metadata table is damaged or missing.
    """

    def __init__(self, files: ReuseFiles, reader: BatchReader, run: Run) -> None:
        self.paths = files.inputs.paths
        self._read: list[DocumentBatch] = []
        self.foreign: list[tuple[Path, str]] = []
        """The documents read so far that are in another language than the recipe, with how."""
        self._unread = _UnreadBatches(files, run)
        self._rest = self._reading(self._unread, reader, run)

    @property
    def documents(self) -> int:
        """The number of documents read so far."""
        return sum(map(len, self._read))

    @property
    def has_metadata(self) -> bool:
        """Whether the metadata table, if there is one, has a row for any document read so far."""
        return self._unread.has_metadata

    def unused(self) -> Iterator[Problem]:
        """A warning about rows of the metadata table that belong to no document."""
        return self._unread.unused()

    def read(self) -> None:
        """Read all files at once."""
        while self._read_more():
            pass

    def batches(self, first: int = 0) -> Iterator[DocumentBatch]:
        """The batches, from batch number `first` on."""
        place = first
        while place < len(self._read) or self._read_more():
            yield self._read[place]
            place += 1

    def _read_more(self) -> bool:
        """Read a further batch, if there is one."""
        pieces: list[DocumentBatch] = []
        for batch in self._rest:
            pieces.append(batch)
            if sum(len(piece.words.tokens.values) for piece in pieces) > _BATCH_WORDS:
                break
        if not pieces:
            return False
        first, whole = self.documents, join_batches(pieces)
        infos = [replace(info, id=number) for number, info in enumerate(whole.infos, first)]
        self._read.append(replace(whole, infos=infos))
        return True

    def _reading(
        self, unread: _UnreadBatches, reader: BatchReader, run: Run
    ) -> Iterator[DocumentBatch]:
        for result in run_batches(reader, unread, run, unread.expected):
            self.foreign += result.foreign
            if result.documents is not None:
                yield result.documents


class _UnreadBatches:
    """Documents to read, in batches, with their rows of the metadata table."""

    def __init__(self, files: ReuseFiles, run: Run) -> None:
        inputs = files.inputs
        named = input_files(inputs, run)
        self._documents = files.documents
        self._batches = InputBatches(named, inputs.fields, run)
        self._files = {file.root: str(file.path) for file in named if file.records}
        self._alone = len(named) == 1
        self.has_metadata = False
        self._table: MetadataTable | None = None
        if inputs.metadata is not None:
            self._table = MetadataTable(inputs.metadata, (file.name for file in named), run)

    @property
    def expected(self) -> int | None:
        """About how many documents there are; None where that is not known at little cost."""
        expected = self._batches.expected
        return None if expected is None else expected + len(self._documents)

    def __iter__(self) -> Iterator[list[UnreadDocument]]:
        if self._documents:
            yield [
                UnreadDocument(text.source, document=text, facts=self._facts(text.source))
                for text in self._documents
            ]
        for batch in self._batches:
            yield [self._unread(item) for item in batch]

    def _unread(self, item: InputDocument) -> UnreadDocument:
        facts = {**item.metadata, **self._facts(item.name)}
        if item.path is not None:
            return UnreadDocument(str(item.path), item.path, facts=facts)
        name = item.name if self._alone else f"{self._files[item.root]}#{item.name}"
        return UnreadDocument(name, facts=facts, text=item.text, place=item.place)

    def _facts(self, name: str) -> Metadata:
        """The row of the metadata table for a document."""
        row = self._table.of(name) if self._table else {}
        self.has_metadata = self.has_metadata or bool(row)
        return row

    def unused(self) -> Iterator[Problem]:
        """A warning about rows of the metadata table that belong to no document."""
        return self._table.unused() if self._table else iter(())


class CollectionBatches:
    """The documents of a collection in the order of their ids, in batches.

    `wants` is that of `BatchReader`. Raises MismatchError where the collection does not store what
    the search needs, FormatError where it is damaged.
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

    @property
    def documents(self) -> int:
        """The number of documents that the condition selects."""
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
            marks = [_wanted(marked, wants) for marked in stored_marks(self.collection, ids)]
        infos = [
            DocumentInfo(
                document.id,
                _stored_examined(document, *counts),
                marked,
                str(Path(document.root, document.name)),
            )
            for document, counts, marked in zip(
                documents, _counts(words, codes), marks, strict=True
            )
        ]
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


def _wanted(marked: MarkedSpans, wants: frozenset[str]) -> MarkedSpans:
    """Only the spans that the search needs: a quotation that is marked would not count."""
    names = (field.name for field in fields(marked) if field.name in wants)
    return MarkedSpans(**{name: getattr(marked, name) for name in names})


def _stored_examined(document: StoredDocument, words: int, short: int) -> Examined:
    return Examined(document.name, words, 0, document.digest, short, document.metadata)
