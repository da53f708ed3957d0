"""Rows of a collection, built from a batch of documents at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import LanguageFit, RecipeFit
from sdtext.analysis.sentence_codes import CodedUnits, UnitCodes
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.schema import Array, columns_of, encoded_texts, keeps_places
from sdtext.collections.stored_word_offsets_and_codes import MarkedSpans, span_rows
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.document_words import WordOffsets
from sdtext.kernels.terms.token_blocks import TokenBlock, with_line_ends
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import build
from sdtext.parts.units.pages_chapters_paragraphs import Chapter
from sdtext.parts.units.quotes import quotes_in
from sdtext.parts.units.reference_lists import references_in
from sdtext.reading.inputs import InputDocument
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import process_document, process_record
from sdtext.reading.read_document import BEGINNING, Source
from sdtext.text.cut_text import cut_at
from sdtext.text.document import Document, document_without_offsets
from sdtext.text.language import sample_of
from sdtext.wording import shown

_PIECE = 1 << 20  # characters of a text that go through a chain at once
_DIGEST = 16  # bytes


@dataclass
class BuiltRows:
    """The rows of a batch, and how many of its documents are new, replaced or unchanged.

    `lengths` has the characters of each document in the rows, in normal form; `foreign` the
    documents that are in another language than a dictionary or the recipe, each with how.
    """

    rows: DocumentRows | None = None
    lengths: list[int] = field(default_factory=list)
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)
    foreign: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True)
class _ReadDocument:
    """A document that has been read: its text in normal form.

    Its text as it was read is there only where offsets or texts are stored.
    """

    item: InputDocument
    size: int
    digest: str
    document: Document


@dataclass(frozen=True)
class RowBuilder:
    """Builds the rows that a collection by `recipe` stores of a batch of documents.

    A bit vector over each of the `dictionaries` is stored; `tokens` and `texts` tell whether these
    are.
    """

    recipe: RecipeSpec
    dictionaries: tuple[Dictionary, ...] = ()
    reading: Reading = field(default_factory=Reading)
    tokens: bool = True
    texts: bool = False

    def __call__(self, items: Sequence[InputDocument]) -> BuiltRows:
        built = BuiltRows()
        read = [document for item in items if (document := self._read(item, built))]
        arrays, documents, errors = work_on_each(
            self._arrays, read, self.reading.limits, lambda row: shown(row.item.called), self._reset
        )
        built.problems.extend(Problem.of(error, row.item.called) for row, error in errors)
        built.replaced = sum(read.item.stored for read in documents)
        built.added = len(documents) - built.replaced
        if documents and arrays:
            new = [
                NewDocument(
                    read.item.name,
                    read.item.root,
                    read.size,
                    read.digest,
                    dict(read.item.metadata),
                )
                for read in documents
            ]
            built.rows = DocumentRows(new, arrays)
            built.lengths = [len(read.document.clean) for read in documents]
            built.foreign = [misfit for read in documents for misfit in self._misfits(read)]
        return built

    def _reset(self) -> None:
        """Drop caches that may be half written."""
        for name in ("encoder", "unit_codes", "chains"):
            self.__dict__.pop(name, None)

    def _misfits(self, read: _ReadDocument) -> Iterator[tuple[Path, str]]:
        """How the language of a document is not that of a dictionary or, without, the recipe."""
        for fit in self._fits:
            if what := fit.foreign(read.document.clean[:BEGINNING]):
                yield Path(read.item.called), what

    @cached_property
    def _fits(self) -> Sequence[LanguageFit | RecipeFit]:
        fits = [LanguageFit(dictionary) for dictionary in self.dictionaries]
        return fits or [RecipeFit(self.recipe)]

    def _arrays(self, documents: Sequence[_ReadDocument]) -> dict[str, Array]:
        """The columns by name, with a row for each document."""
        batch = EncodedBatch(self, [read.document for read in documents])
        return {column.name: column.fill(batch) for column in columns_of(self)}

    def _read(self, item: InputDocument, built: BuiltRows) -> _ReadDocument | None:
        """The document of `item`; None if it is unchanged, or unreadable, which is noted."""

        def document_of(source: Source) -> _ReadDocument | None:
            size, digest = _size_and_digest(source)
            if digest == item.digest:
                return None
            document = source.document()
            built.problems.extend(source.problems)
            return _ReadDocument(item, size, digest, self._slim(document))

        if item.path is None:
            document = self._record(item, built)
        else:
            document = process_document(item.path, self.reading, document_of)
        if isinstance(document, Problem):
            built.problems.append(document)
            return None
        built.unchanged += document is None
        return document

    def _record(self, item: InputDocument, built: BuiltRows) -> _ReadDocument | Problem | None:
        """The document of a record, or the one in memory."""
        text = item.document.text if item.document else item.text
        data = text.encode("utf-8", "surrogatepass")
        if (digest := blake2b(data, digest_size=_DIGEST).hexdigest()) == item.digest:
            return None
        make = Document.of if keeps_places(self.recipe) else document_without_offsets
        document = item.document or process_record(text, item.name, item.called, self.reading, make)
        if isinstance(document, Problem):
            return document
        built.problems.extend(document.problems)
        return _ReadDocument(item, len(data), digest, self._slim(document))

    def _slim(self, document: Document) -> Document:
        """The document without its text as it was read, unless that is stored."""
        if keeps_places(self.recipe):
            return document
        return Document(document.text if self.texts else "", document.clean)

    # What encodes documents is built when it is first used, and remembers words between batches.

    @cached_property
    def encoder(self) -> Encoder:
        return Encoder(self.recipe)

    @cached_property
    def unit_codes(self) -> UnitCodes:
        return UnitCodes(self.recipe)

    @cached_property
    def chains(self) -> dict[str, Chain]:
        """The chains of the dictionaries, by the digests of these."""
        return {dictionary.digest: Chain(dictionary.recipe) for dictionary in self.dictionaries}

    @cached_property
    def sketch(self) -> Any:
        return build("fingerprints", self.recipe.fingerprint or PartSpec("shingles"))

    @cached_property
    def vector(self) -> Any:
        return build("fingerprints", PartSpec("bitvector"))


@dataclass(frozen=True, eq=False)
class EncodedBatch:
    """A batch of documents in the encodings that columns are filled with."""

    builder: RowBuilder
    documents: Sequence[Document]

    @cached_property
    def block(self) -> TokenBlock:
        """All tokens with line ends; with words that filters drop, if word offsets are stored."""
        if keeps_places(self.builder.recipe):
            placed, lines = self._placed_with_lines
            return TokenBlock(with_line_ends(placed.tokens, lines), placed.words)
        return self.builder.encoder.tokens(self._clean)

    @property
    def placed(self) -> WordOffsets:
        return self._placed_with_lines[0]

    @cached_property
    def _placed_with_lines(self) -> tuple[WordOffsets, Ragged]:
        return self.builder.encoder.words_with_lines(self.documents)

    @property
    def spans(self) -> Ragged:
        return self._span_rows[0]

    @property
    def titles(self) -> Ragged:
        return self._span_rows[1]

    @cached_property
    def _span_rows(self) -> tuple[Ragged, Ragged]:
        marks = (
            MarkedSpans(tuple(Chapter()(item)), quotes_in(item), references_in(item))
            for item in self.documents
        )
        return span_rows([*marks])

    @cached_property
    def units(self) -> CodedUnits:
        return self.builder.unit_codes(self.documents)

    @cached_property
    def shingles(self) -> Ragged:
        encoder = self.builder.encoder
        if self.builder.tokens or keeps_places(self.builder.recipe):
            return encoder.sets(self.block)
        return encoder.sets(encoder.block(self._clean))  # faster, without token ids

    @property
    def sketches(self) -> NDArray[Any]:
        sketches: NDArray[Any] = self.builder.sketch(self.shingles)
        return sketches

    def bits(self, dictionary: Dictionary) -> NDArray[np.uint8]:
        """The packed bit vectors over `dictionary`, of shape (documents, bytes)."""
        chain, packed = self.builder.chains[dictionary.digest], []
        for text in self._clean:
            suited = chain.suited_to(sample_of([text])) if chain.is_automatic else chain
            pieces = (text[place : place + _PIECE] for place in range(0, len(text), _PIECE))
            terms = suited.distinct(cut_at(pieces, suited.tokenizer.cuts))
            packed.append(self.builder.vector(terms, dictionary).packed)
        return np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), -1)

    @property
    def texts(self) -> Ragged:
        return encoded_texts([document.text for document in self.documents])

    @property
    def _clean(self) -> list[str]:
        return [document.clean for document in self.documents]


def digest_of_file(path: Path, reading: Reading) -> str:
    """The digest of a file as it stands in a collection. Raises UnreadableError."""
    return _size_and_digest(Source.at(path, reading))[1]


def _size_and_digest(source: Source) -> tuple[int, str]:
    """The size of a file and the digest of its bytes, unpacked."""
    digest = blake2b(digest_size=_DIGEST)
    size = 0
    for block in source.content.blocks():
        digest.update(block)
        size += len(block)
    return size, digest.hexdigest()
