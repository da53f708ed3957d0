"""Rows of a collection, built from a batch of documents at once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import LanguageFit, RecipeFit
from sdtext.analysis.sentence_codes import CodedUnits, UnitCodes
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.schema import WORD_STARTS, Array, columns_of, keeps_places, keeps_sketches
from sdtext.collections.word_offsets_and_codes import MarkedSpans, span_rows
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.document_words import WordOffsets
from sdtext.kernels.terms.token_blocks import TokenBlock, with_line_ends
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import build
from sdtext.reading.inputs import ReadInput, read_batch
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.read_document import BEGINNING
from sdtext.reading.records.record import InputDocument
from sdtext.text.cut_text import cut_at
from sdtext.text.document import Document
from sdtext.text.language import sample_of

_PIECE = 1 << 20  # characters of a text that go through a chain at once


@dataclass
class BuiltRows:
    """The rows of a batch; `counts` tells how many documents are added, replaced, unchanged.

    `foreign` are the documents in another language than a dictionary or the recipe, each with how.
    """

    rows: DocumentRows | None = None
    counts: Counter[str] = field(default_factory=Counter)
    foreign: list[tuple[Path, str]] = field(default_factory=list)


@dataclass(frozen=True)
class RowBuilder:
    """Builds the rows that a collection by `recipe` stores of a batch of documents.

    A bit vector over each of the `dictionaries` is stored; `tokens`, `texts` and `digests` tell
    whether these are. With `columns`, the names of some, these are built and no others, tokens
    without line ends.
    """

    recipe: RecipeSpec
    dictionaries: tuple[Dictionary, ...] = ()
    reading: Reading = field(default_factory=Reading)
    tokens: bool = True
    texts: bool = False
    digests: bool = True
    columns: frozenset[str] = frozenset()

    @property
    def has_places(self) -> bool:
        """Whether it builds the offsets of words."""
        return WORD_STARTS in self.columns if self.columns else keeps_places(self.recipe)

    def __call__(self, items: Sequence[InputDocument], problems: list[Problem]) -> BuiltRows:
        documents, arrays, unchanged = self.encoded(items, problems)
        replaced = sum(read.item.stored for read in documents)
        counts = {"replaced": replaced, "added": len(documents) - replaced, "unchanged": unchanged}
        built = BuiltRows(counts=Counter(counts), foreign=self.foreign(documents))
        has_texts = self.has_places or self.texts
        if documents and arrays:
            new = [
                NewDocument(
                    read.item.name,
                    read.item.root,
                    read.size,
                    read.digest,
                    dict(read.item.metadata),
                    len(read.document.text) if has_texts else 0,
                )
                for read in documents
            ]
            built.rows = DocumentRows(new, arrays)
        return built

    def encoded(
        self, items: Sequence[InputDocument], problems: list[Problem]
    ) -> tuple[Sequence[ReadInput], Mapping[str, Array], int]:
        """The documents that were read, their columns, and the number of the unchanged ones."""
        read: list[ReadInput] = []
        unchanged, has_places = 0, self.has_places
        options = {"offsets": has_places, "digests": self.digests}
        for row in read_batch(items, self.reading, problems, **options):
            if row.is_unchanged:
                unchanged += 1
                continue
            document = row.document
            if not (has_places or document.text is document.clean):
                # A text as it was read is needed only where it is stored.
                text = document.text if self.texts else ""
                row = row._replace(document=Document(text, document.clean))  # noqa: PLW2901
            read.append(row)
        called, note = attrgetter("item.called"), problems.append
        arrays, documents = work_on_each(
            self._arrays, read, self.reading.limits, called, note, self._reset
        )
        return documents, arrays or {}, unchanged

    def foreign(self, documents: Sequence[ReadInput]) -> list[tuple[Path, str]]:
        """The documents in another language than a dictionary or the recipe, each with how."""
        return [
            (Path(item.called), what)
            for fit in self._fits
            for item, document, *_ in documents
            if (what := fit.foreign(document.clean[:BEGINNING]))
        ]

    def _reset(self) -> None:
        """Drop caches that may be half written."""
        for name in ("encoder", "unit_codes", "chains"):
            self.__dict__.pop(name, None)

    @cached_property
    def _fits(self) -> Sequence[LanguageFit | RecipeFit]:
        """What documents must fit; without a dictionary the recipe, if it is for a language."""
        fits = [LanguageFit(dictionary) for dictionary in self.dictionaries]
        own = RecipeFit(self.recipe)
        return fits or ([own] if own.languages else [])

    def _arrays(self, documents: Sequence[ReadInput]) -> dict[str, Array]:
        """The columns by name, with a row for each document."""
        batch = EncodedBatch(self, [read.document for read in documents])
        return {column.name: column.fill(batch) for column in columns_of(self)}

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


@dataclass(frozen=True, eq=False)
class EncodedBatch:
    """A batch of documents in the encodings that columns are filled with."""

    builder: RowBuilder
    documents: Sequence[Document]

    @cached_property
    def block(self) -> TokenBlock:
        """All tokens with line ends; with words that filters drop, if word offsets are stored."""
        if self.builder.has_places:
            placed, lines = self.placed_with_lines
            named = self.builder.columns
            tokens = placed.tokens if named else with_line_ends(placed.tokens, lines)
            return TokenBlock(tokens, placed.words)
        return self.builder.encoder.tokens(self._clean)

    @cached_property
    def placed_with_lines(self) -> tuple[WordOffsets, Ragged]:
        return self.builder.encoder.words_with_lines(self.documents)

    @cached_property
    def marked(self) -> tuple[Ragged, Ragged]:
        from sdtext.parts.units.pages_chapters_paragraphs import Chapter
        from sdtext.parts.units.quotes import quotes_in
        from sdtext.parts.units.reference_lists import references_in

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
        of_tokens = self.builder.tokens and not keeps_sketches(self.builder.recipe)
        if of_tokens or self.builder.has_places:
            return encoder.sets(self.block)
        return encoder.sets(encoder.block(self._clean))  # faster, without token ids

    @property
    def shingles_or_sketches(self) -> Ragged:
        return self.sketches if keeps_sketches(self.builder.recipe) else self.shingles

    @property
    def sketches(self) -> Any:
        return self.builder.sketch(self.shingles)

    def bits(self, dictionary: Dictionary) -> NDArray[np.uint8]:
        """The packed bit vectors over `dictionary`, of shape (documents, bytes)."""
        chain, packed = self.builder.chains[dictionary.digest], []
        for text in self._clean:
            suited = chain.suited_to(sample_of([text])) if chain.is_automatic else chain
            pieces = (text[place : place + _PIECE] for place in range(0, len(text), _PIECE))
            cut = cut_at(pieces, suited.tokenizer.cuts)
            places = suited.distinct_places(cut, dictionary.places)
            packed.append(pack(places[places >= 0], len(dictionary.terms)))
        return np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), -1)

    @property
    def _clean(self) -> list[str]:
        return [document.clean for document in self.documents]
