"""What a collection keeps of documents for passages: words with places, chapters, codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.analysis.wording import Wording
from sdtext.collections.positions import (
    CHAPTER,
    CODES,
    QUOTE,
    REFERENCES,
    SHORT,
    SPANS,
    TITLES,
    UNIT_ENDS,
    UNIT_STARTS,
    WORD_ENDS,
    WORD_STARTS,
    keeps_codes,
)
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.tokens import TokenBlock, with_line_ends
from sdtext.model import Document, RecipeSpec, Span
from sdtext.parts.units.chapter import Chapter
from sdtext.parts.units.quotes import quotes_in
from sdtext.parts.units.references import references_in

Arrays = Iterator[tuple[str, "NDArray[Any] | Ragged"]]


@dataclass(frozen=True)
class Places:
    """The words of documents with their places, and what else a recipe with an aligner asks for."""

    recipe: RecipeSpec

    def words(self, documents: Sequence[Document]) -> tuple[TokenBlock, Arrays]:
        """All words, those left out too, with line ends between; and the arrays of their places."""
        placed, lines = self._wording.with_lines(documents)
        block = TokenBlock(with_line_ends(placed.tokens, lines), placed.words)
        return block, iter(((WORD_STARTS, placed.starts), (WORD_ENDS, placed.ends)))

    def others(self, documents: Sequence[Document]) -> Arrays:
        """Chapters, quotes and references; where the unit is a sentence, the codes of sentences."""
        chapters = [[*Chapter()(one)] for one in documents]
        kinds = zip(chapters, map(quotes_in, documents), map(references_in, documents), strict=True)
        yield SPANS, Ragged.of([_triples(*one) for one in kinds], "uint32")
        yield TITLES, Ragged.of([_titles(spans) for spans in chapters], "uint8")
        if keeps_codes(self.recipe):
            coded = self._codes(documents)
            yield UNIT_STARTS, coded.starts
            yield UNIT_ENDS, coded.ends
            yield CODES, coded.codes
            yield SHORT, coded.short

    @cached_property
    def _wording(self) -> Wording:
        return Wording(self.recipe)

    @cached_property
    def _codes(self) -> UnitCodes:
        return UnitCodes(self.recipe)


def _triples(
    chapters: Sequence[Span], quotes: Sequence[Span], references: Sequence[Span]
) -> list[int]:
    """Kind, start and end of each span."""
    kinds = ((CHAPTER, chapters), (QUOTE, quotes), (REFERENCES, references))
    return [
        number for kind, spans in kinds for span in spans for number in (kind, span.start, span.end)
    ]


def _titles(chapters: Sequence[Span]) -> list[int]:
    """The titles of chapters in UTF-8, each on a line."""
    titles = "\n".join(" ".join(span.title.split()) for span in chapters)
    return list(titles.encode("utf-8", "replace"))
