"""Shingles, sketches and band keys of a segment: stored ones, or ones derived from these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.collection_recipe import chain_differences
from sdtext.collections.schema import BBITS, SHINGLES, SKETCHES, TOKENS, WORDS, keeps_codes
from sdtext.errors import FormatError, MismatchError
from sdtext.kernels.arrays.equal_rows import sorted_hashes
from sdtext.kernels.arrays.integer_and_byte_hashes import hashes_of
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.minhash.bbits import packed
from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.indexes import Bands
from sdtext.parts.registry import build, normalised

if TYPE_CHECKING:
    from sdtext.collections.memory import MemoryColumns
    from sdtext.collections.storage.segments import StoredSegment

WORDLESS = "the tokens of the collection do not fit its words; run Doctor to find the damage"
"""The message where a token stands for no word."""

_MINHASH, _BBIT = "minhash", "bbit"
_BLOCK = 500  # documents at once


Columns: TypeAlias = "StoredSegment | MemoryColumns"
"""Some documents, a row each: a segment of a collection, or arrays in memory."""


@dataclass(frozen=True)
class Derivation:
    """The columns by the recipe `asked` of segments `stored` by the same recipe or another one.

    The two have the same chain. Columns that are not stored are derived and cached with the
    segment: shingles from tokens, sketches from shingles, sorted band keys from sketches.
    """

    stored: RecipeSpec
    asked: RecipeSpec

    def __post_init__(self) -> None:
        if self.asked != self.stored and self.stored.canonical() != self.asked.canonical():
            difference = next(chain_differences(self.stored, self.asked))
            what = f"the recipe makes other tokens than the collection has: {difference}"
            raise MismatchError(f"{what}; add the documents to a new one with this recipe")

    @cached_property
    def sketcher(self) -> Any:
        """The MinHash that sketches for the bands: the recipe's, else the default."""
        return build("fingerprints", _sketch(self.asked))

    @cached_property
    def estimator(self) -> Any:
        """What sketches for estimates: packed sketches if the recipe's are."""
        own = self.asked.fingerprint
        return build("fingerprints", own) if own and own.name == _BBIT else self.sketcher


@dataclass(frozen=True, eq=False)
class SegmentView:
    """A segment with its columns; `side` is 1 if it is of the second collection.

    `wanted` says which of its documents are searched. FormatError for a column that does not fit.
    """

    segment: Columns
    derivation: Derivation
    side: int
    wanted: NDArray[np.bool_]

    def without(self, ids: Collection[int]) -> SegmentView:
        """The same without the documents that have these numbers."""
        return replace(self, wanted=self.wanted & ~np.isin(self.segment.ids, list(ids)))

    @cached_property
    def shingles(self) -> Ragged:
        """The sorted distinct shingles of each document.

        They are plain arrays: memory-mapped ones are slow to slice.
        """
        segment, stored, asked = self.segment, self.derivation.stored, self.derivation.asked
        if stored.shingler and stored.shingler == asked.shingler and not keeps_codes(stored):
            rows = segment.ragged(SHINGLES)  # those of sentences are in their codes
        else:
            key, many = f"shingles-{_mark(asked.shingler)}", len(segment.ids) + 1
            whole = cache(lambda: _reshingled(segment, asked))
            values = segment.derived(key, lambda: whole().values, ("<u8", (-1,)))
            offsets = segment.derived(f"{key}-offsets", lambda: whole().offsets, ("<i8", (many,)))
            rises = offsets[0] == 0 and (offsets[1:] >= offsets[:-1]).all()
            fits = rises and offsets[-1] == len(values)  # two files, of which one may be bad
            rows = Ragged(values, offsets) if fits else whole()
        if rows.values.dtype != np.uint64 or rows.values.ndim != 1:
            raise self._damaged("shingles")
        return Ragged(np.asarray(rows.values), np.asarray(rows.offsets))

    @cached_property
    def sketches(self) -> NDArray[np.uint32]:
        """The sketch of each document, a row of slots."""
        stored, asked = self.derivation.stored, self.derivation.asked
        sketcher, spec = self.derivation.sketcher, _sketch(asked)
        same = (stored.shingler, stored.fingerprint) == (asked.shingler, spec)

        def make() -> NDArray[np.uint32]:
            sketches = [sketcher(block) for block in blocks(self.shingles)]
            return np.concatenate(sketches or [np.empty((0, sketcher.slots), np.uint32)])

        key, shape = f"sketches-{_mark(asked.shingler, spec)}", (len(self.wanted), sketcher.slots)
        return self._column("sketches", SKETCHES if same else "", key, make, ("<u4", shape))

    @cached_property
    def estimate_sketches(self) -> NDArray[Any]:
        """The sketch of each document from which similarities are estimated."""
        stored, asked = self.derivation.stored, self.derivation.asked
        part, own = self.derivation.estimator, asked.fingerprint
        if part is self.derivation.sketcher:
            return self.sketches
        same = (stored.shingler, stored.fingerprint) == (asked.shingler, own)
        return self._column(
            "packed sketches",
            BBITS if same else "",
            f"bbits-{_mark(asked.shingler, own)}",
            lambda: packed(self.sketches, part.bits),
            ("|u1", (len(self.wanted), part.width)),
        )

    def keys(self, bands: Bands) -> NDArray[np.uint64]:
        """The sorted keys of each band with their rows, of shape (bands, 2, documents)."""
        number, rows = bands.layout(self.derivation.sketcher.slots)
        family = f"{bands.hash} {bands.modulus}"
        asked = self.derivation.asked
        key = f"bands-{number}x{rows}-{_mark(asked.shingler, _sketch(asked), family)}"
        layout = "<u8", (number, 2, len(self.wanted))
        return self._column(
            "band keys", "", key, lambda: _sorted(bands.keys(self.sketches)), layout
        )

    def rows_at(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The rows of band keys as places; FormatError for one that is not there."""
        if len(rows) and rows.max() >= len(self.wanted):
            raise self._damaged("band keys")
        return rows.astype(np.int64)

    def _column(
        self,
        what: str,
        stored: str,
        key: str,
        make: Callable[[], NDArray[Any]],
        layout: tuple[str, tuple[int, ...]],
    ) -> NDArray[Any]:
        """The `stored` column if there is one, else the derived one, of that type and shape."""
        arrays = self.segment.arrays
        array = arrays[stored] if stored in arrays else self.segment.derived(key, make, layout)
        if (array.dtype.str, array.shape) != layout:
            raise self._damaged(what)
        return np.asarray(array)

    def _damaged(self, what: str) -> FormatError:
        return FormatError(
            f"the {what} of the collection do not fit its recipe; run Doctor to find the damage",
            file=self.segment.name,
        )


def blocks(rows: Ragged) -> Iterator[Ragged]:
    """The rows in blocks of 500."""
    for start in range(0, len(rows), _BLOCK):
        offsets = rows.offsets[start : start + _BLOCK + 1]
        yield Ragged(rows.values[offsets[0] : offsets[-1]], offsets - offsets[0])


def _sorted(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Keys of shape (documents, bands), sorted band by band, each with its row."""
    ordered = np.empty((keys.shape[1], 2, keys.shape[0]), np.uint64)
    for band in range(keys.shape[1]):
        ordered[band, 1], ordered[band, 0] = sorted_hashes(keys[:, band])
    return ordered


def _reshingled(segment: Columns, recipe: RecipeSpec) -> Ragged:
    try:
        tokens, words = segment.ragged(TOKENS), segment.ragged(WORDS)
    except KeyError:
        what = "the collection stores no tokens, so other shingles cannot be made; add the "
        raise MismatchError(f"{what}documents to a new collection") from None
    shingling, hashes = Encoder(recipe), hashes_of(words)
    try:
        sets = [shingling.sets(TokenBlock(block, words, hashes)) for block in blocks(tokens)]
    except (IndexError, UnicodeDecodeError) as error:
        raise FormatError(WORDLESS, file=segment.name) from error
    return joined(sets) if sets else Ragged.of([])


def _sketch(recipe: RecipeSpec) -> PartSpec:
    """The sketch that is cut into bands; for packed sketches, the one that was packed."""
    own = recipe.fingerprint
    if own is None or own.name not in (_MINHASH, _BBIT):
        return PartSpec(_MINHASH)
    if own.name == _MINHASH:
        return own
    part = build("fingerprints", own)
    options = {"slots": part.slots, "seed": part.seed, "scheme": part.scheme}
    return normalised("fingerprints", PartSpec.of(_MINHASH, **options))


def _mark(*parts: PartSpec | str | None) -> str:
    """A short name for parts with their options, different for different ones."""
    plain = [(part.name, part.options) if isinstance(part, PartSpec) else part for part in parts]
    return blake2b(repr(plain).encode(), digest_size=6).hexdigest()
