"""Files, records and documents in memory as batches of documents of a search for text reuse."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sdtext.analysis.dictionary_language_fit import RecipeFit
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.stored_word_offsets_and_codes import MarkedSpans
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Examined, Problem, RecipeSpec, Span
from sdtext.reading.inputs import (
    InputBatches,
    InputDocument,
    Inputs,
    MetadataTable,
    ReadInput,
    input_files,
    read_batch,
    work_on_inputs,
)
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, run_batches
from sdtext.reading.read_document import BEGINNING
from sdtext.reuse.documents import (
    CHAPTERS,
    QUOTES,
    REFERENCES,
    SENTENCES,
    TEXTS,
    DocumentBatch,
    DocumentInfo,
    join_batches,
)
from sdtext.text.document import Document

if TYPE_CHECKING:
    from sdtext.reuse.excluded_text import PassageFinder

_BATCH_WORDS = 1 << 21  # words of the files in a batch


@dataclass
class ReadBatch:
    """The documents of a batch that could be read.

    `foreign` are those in another language than the recipe, each with how.
    """

    documents: DocumentBatch | None = None
    foreign: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True)
class DocumentReader:
    """Reads documents and extracts what a search by `recipe` needs of them.

    `wants` names what it needs beside words.
    """

    recipe: RecipeSpec
    reading: Reading = field(default_factory=Reading)
    wants: frozenset[str] = frozenset()

    def __call__(self, batch: Sequence[InputDocument], problems: list[Problem]) -> ReadBatch:
        rows = [*read_batch(batch, self.reading, problems, digests=True)]
        documents, _ = work_on_inputs(self._encoded, rows, self.reading, problems, self._reset)
        result = ReadBatch(documents)
        for item, document, *_ in rows:
            if what := self._fit.foreign(document.clean[:BEGINNING]):
                result.foreign.append((Path(item.called), what))
        return result

    def _encoded(self, rows: Sequence[ReadInput]) -> DocumentBatch:
        """The documents of some rows, encoded."""
        documents = [document for _, document, *_ in rows]
        words = self._encoder.words(documents)
        codes = self._codes(documents) if SENTENCES in self.wants else None
        infos = []
        for place, (item, document, _, digest) in enumerate(rows):
            examined = Examined(
                item.name,
                len(words.tokens[place]),
                len(document.text),
                digest,
                0 if codes is None else int(codes.short[place]),
                dict(item.metadata),
                document.text if TEXTS in self.wants else "",
            )
            marked = MarkedSpans(**{name: find(document) for name, find in self._finders.items()})
            file = os.path.realpath(item.path) if item.path else item.place
            infos.append(DocumentInfo(0, examined, marked, file=file))
        return DocumentBatch(infos, words, codes)

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.recipe)

    @cached_property
    def _codes(self) -> UnitCodes:
        return UnitCodes(self.recipe)

    @cached_property
    def _fit(self) -> RecipeFit:
        return RecipeFit(self.recipe)

    @cached_property
    def _finders(self) -> dict[str, Callable[[Document], Sequence[Span]]]:
        """The finders of the spans that the search needs."""
        from sdtext.parts.units.pages_chapters_paragraphs import Chapter
        from sdtext.parts.units.quotes import quotes_in
        from sdtext.parts.units.reference_lists import references_in

        finders: dict[str, Callable[[Document], Sequence[Span]]]
        finders = {CHAPTERS: Chapter(), QUOTES: quotes_in, REFERENCES: references_in}
        return {name: find for name, find in finders.items() if name in self.wants}

    def _reset(self) -> None:
        """Drop caches that may be half written."""
        for name in ("_encoder", "_codes"):
            self.__dict__.pop(name, None)


@dataclass(eq=False)
class MemoryDocuments:
    """Documents and records that were read, in batches: a collection in memory, by words.

    `foreign` are those in another language than the recipe, each with how. `unmatched` is the table
    of metadata, if no row of it names a document.
    """

    listed: Sequence[DocumentBatch] = ()
    foreign: list[tuple[Path, str]] = field(default_factory=list)
    unmatched: MetadataTable | None = None
    name = ""

    @classmethod
    def read(
        cls, inputs: Inputs, documents: Sequence[Document], reader: DocumentReader, run: Run
    ) -> MemoryDocuments:
        """All that is at the inputs, and the `documents` that a program has in memory.

        What cannot be read becomes a problem of the `run`. Raises FormatError or UnreadableError
        where the table of metadata is damaged or missing.
        """
        result = cls()
        files = input_files(inputs, run)
        if inputs.metadata is not None:
            result.unmatched = MetadataTable(inputs.metadata, (file.name for file in files), run)
        table = result.unmatched
        of_records = {file.root: str(file.path) for file in files if file.records}

        def named(item: InputDocument) -> InputDocument:
            """The document with its name in the evidence and its row of the table."""
            row = table.of(item.name) if table else {}
            if row:
                result.unmatched = None
            name = item.name
            if item.path is not None:
                name = str(item.path)
            elif item.document is None and len(files) > 1:
                name = f"{of_records[item.root]}#{item.name}"
            return item._replace(name=name, metadata={**item.metadata, **row})

        held = [InputDocument("", item.source, document=item) for item in documents]
        batches = InputBatches(files, inputs.fields, run, held)
        items = ([*map(named, batch)] for batch in batches)
        pieces: list[DocumentBatch] = []
        for batch in run_batches(reader, items, run, batches.expected):
            result.foreign += batch.foreign
            if batch.documents is not None:
                pieces.append(batch.documents)
            if sum(len(piece.words.tokens.values) for piece in pieces) > _BATCH_WORDS:
                result._add(pieces)
                pieces = []
        if pieces:
            result._add(pieces)
        return result

    def _add(self, pieces: Sequence[DocumentBatch]) -> None:
        whole = join_batches(pieces)
        infos = [replace(info, id=number) for number, info in enumerate(whole.infos, len(self))]
        self.listed = (*self.listed, replace(whole, infos=infos))

    def __len__(self) -> int:
        return sum(map(len, self.listed))

    def batches(self, first: int = 0) -> Iterator[DocumentBatch]:
        """The batches, from batch number `first` on."""
        return iter(self.listed[first:])

    def similar(self, batch: DocumentBatch, finder: PassageFinder) -> Iterator[DocumentBatch]:  # noqa: ARG002
        """All batches."""
        return iter(self.listed)

    def text(self, info: DocumentInfo, words: DocumentWords) -> str:  # noqa: ARG002
        """The text of a document, if the search wants texts."""
        return info.examined.text
