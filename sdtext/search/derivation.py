"""Shingles, sketches and band keys of a segment: as they are stored, or made of what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.encoder import Encoder
from sdtext.collections.collection_recipe import chain_differences
from sdtext.collections.schema import BBITS, SHINGLES, SKETCHES, TOKENS, WORDS, keeps_codes
from sdtext.errors import FormatError, MismatchError
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.arrays.row_hashes import hashes_of
from sdtext.kernels.minhash.bbits import packed
from sdtext.kernels.terms.tokens import TokenBlock
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.catalogue import build, settled
from sdtext.parts.indexes import Banding
from sdtext.search.columns import Columns

WORDLESS = "the tokens of the collection do not fit its words; run Doctor to find the damage"
"""What is said where a token stands for no word."""

_MINHASH, _BBIT = "minhash", "bbit"
_BLOCK = 500  # documents at once


@dataclass(frozen=True)
class Making:
    """What the recipe `asked` makes of segments that were `stored` by another, or by the same.

    The two have one chain. What is not stored is made of what is, and kept with the segment:
    shingles of the tokens, sketches of the shingles, sorted band keys of the sketches.
    """

    stored: RecipeSpec
    asked: RecipeSpec

    def __post_init__(self) -> None:
        if self.stored.canonical() != self.asked.canonical():
            raise MismatchError(
                "the collection was made by another chain: "
                f"{next(chain_differences(self.stored, self.asked))}; other tokens need the files: "
                "add the documents to a new collection"
            )
        wanted, kept = (Encoder(one).needs_white_space for one in (self.asked, self.stored))
        if wanted and not kept:
            raise MismatchError(
                "the recipe's shingler keeps white space, but the collection does not store it; "
                "add the documents to a new collection"
            )

    @cached_property
    def sketcher(self) -> Any:
        """The MinHash that sketches for the bands: the recipe's, else the usual one."""
        return build("fingerprints", _sketch(self.asked))

    @cached_property
    def own_sketcher(self) -> Any:
        """What makes the sketches that estimates are had from: packed ones if the recipe's are."""
        own = self.asked.fingerprint
        return build("fingerprints", own) if own and own.name == _BBIT else self.sketcher

    def own_sketches(self, segment: Columns) -> NDArray[Any]:
        """The sketch of each document as `own_sketcher` makes it."""
        if self.own_sketcher is self.sketcher:
            return self.sketches(segment)
        own = self.asked.fingerprint
        same = (self.stored.shingler, self.stored.fingerprint) == (self.asked.shingler, own)
        if same and BBITS in segment.arrays:
            return segment.arrays[BBITS]
        key = f"bbits-{_mark(self.asked.shingler, own)}"
        bits = self.own_sketcher.bits
        like = "|u1", (len(segment.ids), self.own_sketcher.width)
        return segment.derived(key, lambda: packed(self.sketches(segment), bits), like)

    def shingles(self, segment: Columns) -> Ragged:
        """The sorted distinct shingles of each document."""
        if self._has_shingles:
            return segment.ragged(SHINGLES)
        key = f"shingles-{_mark(self.asked.shingler)}"
        made: list[Ragged] = []

        def whole() -> Ragged:
            if not made:
                made.append(_reshingled(segment, self.asked))
            return made[0]

        many = len(segment.ids) + 1
        values = segment.derived(key, lambda: whole().values, ("<u8", (-1,)))
        offsets = segment.derived(f"{key}-offsets", lambda: whole().offsets, ("<i8", (many,)))
        fits = (
            offsets[0] == 0 and offsets[-1] == len(values) and (offsets[1:] >= offsets[:-1]).all()
        )
        return Ragged(values, offsets) if fits else whole()  # two files, of which one may be bad

    @property
    def _has_shingles(self) -> bool:
        """Whether the shingles of documents are stored: those of sentences are in their codes."""
        stored = self.stored.shingler
        same = stored is not None and stored == self.asked.shingler
        return same and not keeps_codes(self.stored)

    def sketches(self, segment: Columns) -> NDArray[np.uint32]:
        """The sketch of each document, a row of slots."""
        same = self.stored.shingler == self.asked.shingler
        stored = self.stored.fingerprint
        if same and stored == _sketch(self.asked) and SKETCHES in segment.arrays:
            return segment.arrays[SKETCHES]
        key = f"sketches-{_mark(self.asked.shingler, _sketch(self.asked))}"
        like = "<u4", (len(segment.ids), self.sketcher.slots)
        return segment.derived(key, lambda: self._sketched(self.shingles(segment)), like)

    def _sketched(self, shingles: Ragged) -> NDArray[np.uint32]:
        made = [self.sketcher(block) for block in blocks(shingles)]
        return np.concatenate(made or [np.empty((0, self.sketcher.slots), np.uint32)])

    def keys(self, segment: Columns, bands: Banding) -> NDArray[np.uint64]:
        """The keys of each band in order, and whose they are: of shape (bands, 2, documents)."""
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
    """Keys of shape (documents, bands) band by band in order, each with its row."""
    made = np.empty((keys.shape[1], 2, keys.shape[0]), np.uint64)
    for band in range(keys.shape[1]):
        order = np.argsort(keys[:, band], kind="stable")
        made[band] = keys[order, band], order
    return made


def _reshingled(segment: Columns, recipe: RecipeSpec) -> Ragged:
    """The shingles of the stored tokens by the shingler of `recipe`."""
    try:
        tokens, words = segment.ragged(TOKENS), segment.ragged(WORDS)
    except KeyError:
        raise MismatchError(
            "the collection stores no tokens, so other shingles cannot be made; add the "
            "documents to a new collection"
        ) from None
    shingling, hashes = Encoder(recipe), hashes_of(words)
    try:
        made = [shingling.sets(TokenBlock.known(block, words, hashes)) for block in blocks(tokens)]
    except (IndexError, UnicodeDecodeError) as error:
        raise FormatError(WORDLESS) from error
    return joined(made) if made else Ragged.of([])


def _sketch(recipe: RecipeSpec) -> PartSpec:
    """The sketch that the bands are cut from; of packed ones that which was packed."""
    own = recipe.fingerprint
    if own is None or own.name not in (_MINHASH, _BBIT):
        return PartSpec(_MINHASH)
    if own.name == _MINHASH:
        return own
    part = build("fingerprints", own)
    options = {"slots": part.slots, "seed": part.seed, "scheme": part.scheme}
    return settled("fingerprints", PartSpec.of(_MINHASH, **options))


def _mark(*parts: PartSpec | str | None) -> str:
    """A short name for parts with their options, different for different ones."""
    return blake2b(repr(parts).encode(), digest_size=6).hexdigest()
