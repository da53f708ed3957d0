"""Shingles, sketches and band keys of a segment: stored ones, or ones derived from these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
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

    def estimate_sketches(self, segment: Columns) -> NDArray[Any]:
        """The sketch of each document as `estimator` makes it."""
        if self.estimator is self.sketcher:
            return self.sketches(segment)
        own = self.asked.fingerprint
        same = (self.stored.shingler, self.stored.fingerprint) == (self.asked.shingler, own)
        if same and BBITS in segment.arrays:
            return segment.arrays[BBITS]
        key = f"bbits-{_mark(self.asked.shingler, own)}"
        bits = self.estimator.bits
        like = "|u1", (len(segment.ids), self.estimator.width)
        return segment.derived(key, lambda: packed(self.sketches(segment), bits), like)

    def shingles(self, segment: Columns) -> Ragged:
        """The sorted distinct shingles of each document."""
        stored = self.stored.shingler  # shingles of sentences are in their codes
        if stored and stored == self.asked.shingler and not keeps_codes(self.stored):
            return segment.ragged(SHINGLES)
        key = f"shingles-{_mark(self.asked.shingler)}"
        cached: list[Ragged] = []

        def whole() -> Ragged:
            if not cached:
                cached.append(_reshingled(segment, self.asked))
            return cached[0]

        many = len(segment.ids) + 1
        values = segment.derived(key, lambda: whole().values, ("<u8", (-1,)))
        offsets = segment.derived(f"{key}-offsets", lambda: whole().offsets, ("<i8", (many,)))
        fits = (
            offsets[0] == 0 and offsets[-1] == len(values) and (offsets[1:] >= offsets[:-1]).all()
        )
        return Ragged(values, offsets) if fits else whole()  # two files, of which one may be bad

    def sketches(self, segment: Columns) -> NDArray[np.uint32]:
        """The sketch of each document, a row of slots."""
        same = self.stored.shingler == self.asked.shingler
        stored = self.stored.fingerprint
        if same and stored == _sketch(self.asked) and SKETCHES in segment.arrays:
            return segment.arrays[SKETCHES]
        key = f"sketches-{_mark(self.asked.shingler, _sketch(self.asked))}"
        like = "<u4", (len(segment.ids), self.sketcher.slots)

        def make() -> NDArray[np.uint32]:
            sketches = [self.sketcher(block) for block in blocks(self.shingles(segment))]
            return np.concatenate(sketches or [np.empty((0, self.sketcher.slots), np.uint32)])

        return segment.derived(key, make, like)

    def keys(self, segment: Columns, bands: Bands) -> NDArray[np.uint64]:
        """The sorted keys of each band with their rows, of shape (bands, 2, documents)."""
        number, rows = bands.layout(self.sketcher.slots)
        layout = f"{number}x{rows}"
        family = f"{bands.hash} {bands.modulus}"
        key = f"bands-{layout}-{_mark(self.asked.shingler, _sketch(self.asked), family)}"
        like = "<u8", (number, 2, len(segment.ids))
        return segment.derived(key, lambda: _sorted(bands.keys(self.sketches(segment))), like)


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
