"""Columns of a collection: name, type, contents, when stored, and consistency check of each.

A column is an array with one row for each document of a segment. To add a column, add its name
and its row in `COLUMNS`; everything that builds, stores, verifies or reads columns uses this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.terms.document_words import encoded_texts
from sdtext.kernels.terms.token_blocks import LINE_END
from sdtext.model import RecipeSpec

if TYPE_CHECKING:  # opening a collection encodes nothing
    from sdtext.collections.row_builder import EncodedBatch, RowBuilder
    from sdtext.collections.storage.segments import StoredSegment

IDS = "ids"
"""The document ids of a segment: stored in every segment, beside the columns."""

TOKENS, WORDS = "tokens", "words"
WORD_STARTS, WORD_ENDS = "word-starts", "word-ends"
SPANS, TITLES = "spans", "titles"
UNIT_STARTS, UNIT_ENDS, CODES, SHORT = "unit-starts", "unit-ends", "codes", "short"
SHINGLES, SKETCHES, BBITS = "shingles", "sketches", "bbits"
TEXT = "text"
PLACED = "placed"
"""In memory: which vectors are of segments of documents."""
_BITS = "bits-"

SKETCH_COLUMNS = {"minhash": SKETCHES, "bbit": BBITS}
"""The column that holds the sketches of each fingerprint made of shingles."""

SKETCHED = "bottom-k"
"""The fingerprint of which the column `shingles` holds the rows in place of shingles."""

_PASSAGE_INDEXES = frozenset(("windows", "groups"))
_SENTENCE = "sentence"
_CHECKED_AT_ONCE = 1 << 20  # tokens

Array = NDArray[Any] | Ragged


def keeps_places(recipe: RecipeSpec) -> bool:
    """Whether collections by `recipe` store the offsets of words, which passages need.

    >>> from sdtext.model import PartSpec
    >>> keeps_places(RecipeSpec(PartSpec("words"), index=PartSpec("windows")))
    True
    """
    index = recipe.index.name if recipe.index else ""
    return recipe.aligner is not None or index in _PASSAGE_INDEXES or keeps_codes(recipe)


def keeps_codes(recipe: RecipeSpec) -> bool:
    """Whether collections by `recipe` store a code for each sentence: its unit is the sentence."""
    return recipe.unit is not None and recipe.unit.name == _SENTENCE


def keeps_sketches(recipe: RecipeSpec) -> bool:
    """Whether collections by `recipe` store a bottom-k sketch for each document, and no tokens."""
    is_named = recipe.fingerprint is not None and recipe.fingerprint.name == SKETCHED
    return is_named and recipe.shingler is not None


def _unknown_tokens(segment: StoredSegment) -> str:
    tokens, most = segment.ragged(TOKENS).values, len(segment.ragged(WORDS))
    starts = range(0, len(tokens), _CHECKED_AT_ONCE)
    if any(tokens[start : start + _CHECKED_AT_ONCE].max() > most for start in starts):
        return "it has tokens that are not in its vocabulary"
    return ""


def _misplaced_words(segment: StoredSegment) -> str:
    tokens, starts, ends = map(segment.ragged, (TOKENS, WORD_STARTS, WORD_ENDS))
    offsets = np.append(0, np.cumsum(tokens.values != LINE_END))[tokens.offsets]
    if any(not np.array_equal(offsets, column.offsets) for column in (starts, ends)):
        return "word offsets do not match the words"
    return "word offsets are not in order" if _disordered(starts, ends) else ""


def _endless_spans(segment: StoredSegment) -> str:
    spans = segment.ragged(SPANS)
    if (spans.lengths % 3).any() or (spans.values[1::3] > spans.values[2::3]).any():
        return "spans have no end"
    return ""


def _misplaced_units(segment: StoredSegment) -> str:
    starts, ends, codes = map(segment.ragged, (UNIT_STARTS, UNIT_ENDS, CODES))
    if any(not np.array_equal(codes.offsets, column.offsets) for column in (starts, ends)):
        return "codes do not match their sentences"
    if _disordered(starts, ends) or (segment.arrays[SHORT] < 0).any():
        return "sentences are not in order"
    return ""


def _disordered(starts: Ragged, ends: Ragged) -> bool:
    """Whether a span ends before it starts, or starts before the preceding one of its document."""
    falls = np.flatnonzero(starts.values[1:] < starts.values[:-1]) + 1
    first = np.isin(falls, starts.offsets)
    return not first.all() or bool((ends.values < starts.values).any())


@dataclass(frozen=True)
class Column:
    """One column: `dtype` as NumPy spells it, `stored` with what, `fill` gives its rows.

    Rows of `ragged` columns have different lengths; `axes` counts the axes of one row, of ragged
    columns those of one value. `fault` describes what is inconsistent in a segment, "" if nothing;
    it is asked where this column and those it also `reads` are present.
    """

    name: str
    dtype: str
    stored: str
    fill: Callable[[EncodedBatch], Array]
    fault: Callable[[StoredSegment], str] = lambda _: ""
    reads: tuple[str, ...] = ()
    ragged: bool = True
    axes: int = 0


COLUMNS = (
    Column(TOKENS, "<u4", "tokens", lambda batch: batch.block.tokens, _unknown_tokens, (WORDS,)),
    Column(WORDS, "|u1", "tokens", lambda batch: batch.block.words),
    Column(
        WORD_STARTS,
        "<u4",
        "places",
        lambda batch: batch.placed_with_lines[0].starts,
        _misplaced_words,
        (TOKENS, WORD_ENDS),
    ),
    Column(WORD_ENDS, "<u4", "places", lambda batch: batch.placed_with_lines[0].ends),
    Column(SPANS, "<u4", "places", lambda batch: batch.marked[0], _endless_spans),
    Column(TITLES, "|u1", "places", lambda batch: batch.marked[1]),
    Column(
        UNIT_STARTS,
        "<u4",
        "codes",
        lambda batch: batch.units.starts,
        _misplaced_units,
        (UNIT_ENDS, CODES, SHORT),
    ),
    Column(UNIT_ENDS, "<u4", "codes", lambda batch: batch.units.ends),
    Column(CODES, "|u1", "codes", lambda batch: batch.units.codes, axes=1),
    Column(SHORT, "<i8", "codes", lambda batch: batch.units.short, ragged=False),
    Column(SHINGLES, "<u8", "shingles", lambda batch: batch.shingles_or_sketches),
    Column(SKETCHES, "<u4", "minhash", lambda batch: batch.sketches, ragged=False, axes=1),
    Column(BBITS, "|u1", "bbit", lambda batch: batch.sketches, ragged=False, axes=1),
)
"""All columns but the bit vectors and the texts, in the order in which they are stored."""

_TEXT_COLUMN = Column(
    TEXT, "|u1", "texts", lambda batch: encoded_texts(item.text for item in batch.documents)
)

_BY_NAME = {column.name: column for column in COLUMNS}

PLACE_COLUMNS = (TOKENS, WORDS, WORD_STARTS, WORD_ENDS, SPANS, TITLES)
"""The columns that words with their offsets and marked spans are read from."""

CODE_COLUMNS = (UNIT_STARTS, UNIT_ENDS, CODES, SHORT)
"""The columns that sentence codes are read from."""


def vectors_column(digest: str) -> str:
    """The name of the column of packed bit vectors over the dictionary with that digest."""
    return f"{_BITS}{digest[:16]}"


def columns_of(contents: RowBuilder) -> Iterator[Column]:
    """The columns that a collection with these contents stores, in their order on disk.

    A column of bit vectors has a row of bytes for each document.
    """
    if contents.columns:
        every = (*COLUMNS, _TEXT_COLUMN)
        yield from (column for column in every if column.name in contents.columns)
        return
    recipe = contents.recipe
    places, codes = keeps_places(recipe), keeps_codes(recipe)
    shingles = recipe.shingler is not None and not codes
    sketch = recipe.fingerprint.name if shingles and recipe.fingerprint else ""
    stored = {
        "tokens": places
        or (contents.tokens and recipe.shingler is not None and not keeps_sketches(recipe)),
        "places": places,
        "codes": codes,
        "shingles": shingles,
        sketch: True,
        "texts": contents.texts,
    }
    yield from (column for column in COLUMNS if stored.get(column.stored))
    for dictionary in contents.dictionaries:
        name, fill = vectors_column(dictionary.digest), methodcaller("bits", dictionary)
        yield Column(name, "|u1", "bits", fill, ragged=False, axes=1)
    if stored["texts"]:
        yield _TEXT_COLUMN


def decoded_text(row: NDArray[np.uint8]) -> str:
    """The text of one row of the column `text`. Raises UnicodeDecodeError if it is damaged."""
    return bytes(row).decode("utf-8", "surrogatepass")


def complete(segment: StoredSegment, names: Iterable[str]) -> bool:
    """Whether a segment has all columns of these names, with values of their types."""
    arrays = segment.arrays
    for column in map(_BY_NAME.__getitem__, names):
        if column.name not in arrays or (column.ragged and f"{column.name}.offsets" not in arrays):
            return False
        values = arrays[column.name]
        if (values.dtype.str, values.ndim) != (column.dtype, column.axes + 1):
            return False
    return True


def fault_in(segment: StoredSegment, names: Iterable[str]) -> str:
    """The first inconsistency in columns of these names that a segment has, "" if none."""
    for column in filter(None, map(_BY_NAME.get, names)):
        fault = complete(segment, (column.name, *column.reads)) and column.fault(segment)
        if fault:
            return fault
    return ""
