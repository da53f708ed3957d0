"""Codes of the units of documents, mostly sentences: a few bits each, which tell similar ones."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain as chained
from itertools import islice
from typing import Any
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.model import PartSpec, RecipeSpec, Span
from sdtext.parts.fingerprints.minhash import BBit
from sdtext.parts.registry import build
from sdtext.parts.units import SpanColumns
from sdtext.text.document import Document

UNIT = PartSpec.of("sentence", length=150)
SHINGLER = PartSpec.of("words", length=2)
FINGERPRINT = PartSpec.of("bbit", slots=128)

SHORTEST = 60
"""A sentence that is a paragraph of its own is compared from this width on.

In columns, as on a terminal: a Chinese character takes two.
"""

LEAST_SHINGLES = 4
"""A unit with fewer distinct shingles is not compared: many others would have its code."""

_BATCH = 1 << 12  # units


@dataclass(frozen=True, eq=False)
class CodedUnits:
    """The units of documents that are compared: rows of one length for each document.

    `starts` and `ends` (uint32) are offsets in `Document.text`, `codes` rows of bytes (uint8, of
    shape (units, bytes)); `short` counts the units of each document that are left out.
    """

    starts: Ragged
    ends: Ragged
    codes: Ragged
    short: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True)
class UnitCodes:
    """The units, the chain, the shingler and the fingerprint of a recipe as one function.

    The defaults are sentences of about 150 characters, shingles of two words and codes of 128
    bits. A paragraph of a single sentence that is not `SHORTEST` columns wide is left out, since
    many documents have the same; so is a unit with fewer than `LEAST_SHINGLES`.

    >>> text = "The whole number of bees in the hive was counted again on the first day of May."
    >>> recipe = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))
    >>> coded = UnitCodes(recipe)([Document(text, text), Document("Page 1", "Page 1")])
    >>> coded.codes[0].shape, coded.starts[0].tolist(), coded.ends[0].tolist()
    ((1, 16), [0], [79])
    >>> len(coded.codes[1]), coded.short.tolist()
    (0, [0, 1])
    """

    recipe: RecipeSpec
    _suited: dict[RecipeSpec, Encoder] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __reduce__(self) -> tuple[type[UnitCodes], tuple[RecipeSpec]]:
        return UnitCodes, (self.recipe,)

    def __call__(self, documents: Sequence[Document]) -> CodedUnits:
        """The units of each document with their codes, in the order of the text."""
        spans = [SpanColumns.of(self.unit(document)) for document in documents]
        unit_offsets = offsets_of([len(row) for row in spans])
        codes, compared = self._codes(documents, spans, unit_offsets)
        left_out = (_short(*pair) for pair in zip(documents, spans, strict=True))
        compared &= ~np.fromiter((unit for row in left_out for unit in row), bool, unit_offsets[-1])
        offsets = np.append(0, np.cumsum(compared))[unit_offsets]
        none = np.empty(0, np.uint32)
        starts = np.concatenate([none, *(np.asarray(row.starts, np.uint32) for row in spans)])
        ends = np.concatenate([none, *(np.asarray(row.ends, np.uint32) for row in spans)])
        short = np.diff(unit_offsets) - np.diff(offsets)
        rows = [Ragged(column[compared], offsets) for column in (starts, ends, codes)]
        return CodedUnits(rows[0], rows[1], rows[2], short)

    @cached_property
    def unit(self) -> Any:
        """The part that finds the units."""
        return build("units", self.recipe.unit or UNIT)

    @cached_property
    def part(self) -> BBit:
        """The part that computes the codes. OptionError for a fingerprint other than `bbit`."""
        spec = self.recipe.fingerprint or FINGERPRINT
        if spec.name != FINGERPRINT.name:
            what = f'{spec.name} makes no codes of sentences; set fingerprint = "bbit" in the '
            raise OptionError(f"{what}recipe, or omit fingerprint")
        part: BBit = build("fingerprints", spec)
        return part

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder that gives the shingles of clean texts."""
        return Encoder(replace(self.recipe, shingler=self.recipe.shingler or SHINGLER))

    def _codes(
        self, documents: Sequence[Document], spans: Sequence[Sequence[Span]], first: NDArray[Any]
    ) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """The code of each unit, and whether it has shingles enough."""
        codes = np.empty((first[-1], self.part.width), np.uint8)
        enough = np.zeros(first[-1], bool)
        cleaned = [document.clean for document in documents]
        for chain, places in self.encoder.chain.by_language(cleaned):
            encoder = self.encoder
            if chain is not encoder.chain:
                recipe = replace(encoder.recipe, filters=chain.recipe.filters)
                encoder = self._suited.setdefault(recipe, Encoder(recipe))
            units = Ragged(np.arange(first[-1]), first).take(places).values
            texts = chained.from_iterable(
                texts_of(documents[place], spans[place]) for place in places
            )
            for start in range(0, len(units), _BATCH):
                some = slice(start, start + _BATCH)
                sets = encoder.sets(encoder.block([*islice(texts, _BATCH)]))
                codes[units[some]] = self.part(sets)
                enough[units[some]] = sets.lengths >= LEAST_SHINGLES
        return codes, enough


def texts_of(document: Document, spans: Sequence[Span]) -> Iterator[str]:
    """The clean text of each span of `document.text`.

    >>> [*texts_of(Document("to be or not", "to be or not"), [Span(3, 5), Span(9, 12)])]
    ['be', 'not']
    """
    back = document.offset_map
    if back is None:
        yield from (document.clean[span.start : span.end] for span in spans)
        return
    places, low = range(len(document.clean)), 0
    for span in spans:
        low = bisect_left(places, span.start, low, key=back.start)
        end = bisect_left(places, span.end, low, key=back.start)
        yield document.clean[low:end]


def _short(document: Document, spans: Iterable[Span]) -> Iterator[bool]:
    """Whether each unit, in order, is a paragraph of a single short sentence."""
    from sdtext.parts.units.pages_chapters_paragraphs import Paragraph

    paragraphs = ((unit.start, unit.end) for unit in Paragraph().each(document))
    paragraph = next(paragraphs, None)
    for span in spans:
        while paragraph and paragraph < (span.start, span.end):
            paragraph = next(paragraphs, None)
        yield (
            paragraph == (span.start, span.end)
            and span.end - span.start < SHORTEST
            and _is_short(document.text[span.start : span.end])
        )


@lru_cache(1024)  # page numbers and the like are repeated
def _is_short(text: str) -> bool:
    """Whether a short paragraph is one sentence, and not wide."""
    from sdtext.parts.units.sentence import Sentence

    columns = len(text) + sum(east_asian_width(letter) in "WF" for letter in text)
    return columns < SHORTEST and len(Sentence()(Document(text, text))) == 1
