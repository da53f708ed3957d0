"""What can be searched: collections in a store or in memory, with columns derived where they lack.

Shingles, sketches and band keys of a segment are stored ones, or ones derived from these. The table
of a search has the rows of all its segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.collection_recipe import chain_differences
from sdtext.collections.document_types import StoredDocument
from sdtext.collections.schema import BBITS, SHINGLES, SKETCHES, TOKENS, WORDS, keeps_codes
from sdtext.errors import FormatError, MismatchError
from sdtext.kernels.arrays.equal_rows import distinct, sorted_hashes
from sdtext.kernels.arrays.integer_and_byte_hashes import hashes_of
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.minhash.bbits import packed
from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.model import DictionaryReference, PartSpec, RecipeSpec
from sdtext.parts.indexes import Bands
from sdtext.parts.registry import build, normalised
from sdtext.reading.parallel_run import VERIFYING, Run
from sdtext.search.candidates.buckets import Rows
from sdtext.search.candidates.intersections import common

if TYPE_CHECKING:
    from sdtext.collections.memory import MemoryCollection, MemoryColumns
    from sdtext.collections.storage.segments import StoredSegment
    from sdtext.collections.stored_collection import StoredCollection

KeysOfRows = tuple[NDArray[np.uint64], Rows]
"""Keys of a band in ascending order, and the row of each."""

_PAIRS_AT_ONCE = 1 << 20  # of which progress is reported
_ROWS_AT_ONCE = 1 << 20
_SKETCHES_AT_ONCE = 1 << 13
_STEP = 1 << 10  # rows, of which one is in a sample
_ALONE = Run()


Searchable: TypeAlias = "StoredCollection | MemoryCollection"
"""A collection: in a store, or in memory."""


def documents_of(searched: Searchable, ids: Iterable[int]) -> dict[int, StoredDocument]:
    """The documents with these numbers, by them."""
    wanted = sorted(set(ids))
    return {document.id: document for document in searched.take(wanted)} if wanted else {}


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


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of several segments, numbered consecutively.

    It is `two_sided` where documents of one collection are compared with those of another. The
    stages of a search of pairs are reported to the `run`.
    """

    views: Sequence[SegmentView]
    derivation: Derivation
    two_sided: bool = False
    run: Run = _ALONE

    @cached_property
    def starts(self) -> Rows:
        """The number of the first row of each view, and of all rows at the end."""
        return np.cumsum([0, *(len(view.wanted) for view in self.views)])

    @cached_property
    def ids(self) -> Rows:
        """The number of the document of each row."""
        return self._joined([view.segment.ids for view in self.views])

    @cached_property
    def sizes(self) -> Rows:
        """How many shingles each row has."""
        return self._joined([view.shingles.lengths for view in self.views])

    @cached_property
    def sides(self) -> NDArray[Any]:
        """0 for the rows of the first collection, 1 for those of the second."""
        return np.repeat([view.side for view in self.views], np.diff(self.starts))

    @cached_property
    def wanted(self) -> NDArray[np.bool_]:
        """Which rows are searched: those not removed that are selected and have shingles."""
        return self._joined([view.wanted for view in self.views]).astype(bool) & (self.sizes > 0)

    @cached_property
    def slots(self) -> int:
        """How many slots a sketch has."""
        return int(self.derivation.sketcher.slots)

    def band(self, bands: Bands, number: int) -> KeysOfRows:
        """The sorted keys of all rows in one band, and their rows."""
        parts = [*self.band_parts(bands, number)]
        if len(parts) == 1:
            return parts[0]
        keys, rows = zip(*parts, strict=True)
        return self._joined(keys), self._joined(rows)

    def band_parts(self, bands: Bands, number: int) -> Iterator[KeysOfRows]:
        """The same in parts of about a million rows; equal keys are in the same one.

        So neither the memory for a band nor the time for a row grows with the table.
        """
        known = [view.keys(bands)[number] for view in self.views]
        borders = _borders([keys for keys, _ in known])
        cuts = [[0, *np.searchsorted(keys, borders).tolist(), len(keys)] for keys, _ in known]
        for part in range(len(borders) + 1):
            yield self._in_order(known, [slice(*cut[part : part + 2]) for cut in cuts])

    def _in_order(self, known: Sequence[NDArray[np.uint64]], here: Sequence[slice]) -> KeysOfRows:
        """The keys with their rows, of which each view has some in order."""
        keys, rows = [], []
        for start, view, pair, some in zip(
            self.starts[:-1].tolist(), self.views, known, here, strict=True
        ):
            keys.append(pair[0, some])
            rows.append(view.rows_at(pair[1, some]) + start)
        if len(keys) == 1:
            return keys[0], rows[0]
        together = self._joined(keys)
        order = np.argsort(together, kind="stable")  # fast, since it merges runs that are in order
        return together[order], self._joined(rows)[order]

    def oriented(
        self, left: Rows, right: Rows, *, symmetric: bool = True
    ) -> tuple[Rows, Rows, NDArray[np.bool_]]:
        """The pairs that are searched for, each with its left and right row in order.

        Beside them stands which of the given pairs they are.
        """
        keys = (self.sides[left], self.sides[right]) if self.two_sided else (left, right)
        kept = keys[0] != keys[1]
        swapped = (keys[0] > keys[1])[kept] & symmetric
        left, right = left[kept], right[kept]
        left, right = np.where(swapped, right, left), np.where(swapped, left, right)
        return left, right, kept

    def sketches(self, rows: Rows) -> NDArray[np.uint32]:
        """The sketches of some rows."""
        return self._taken(rows, [view.sketches for view in self.views])

    def estimate_sketches(self, rows: Rows) -> NDArray[Any]:
        """The sketches of some rows from which similarities are estimated."""
        return self._taken(rows, [view.estimate_sketches for view in self.views])

    def estimates(self, left: Rows, right: Rows) -> NDArray[np.float64]:
        """The Jaccard similarity of each pair of rows, estimated from the recipe's own sketches."""
        estimates = np.empty(len(left))
        for start in range(0, len(left), _SKETCHES_AT_ONCE):
            some = slice(start, start + _SKETCHES_AT_ONCE)
            ones, others = (self.estimate_sketches(side[some]) for side in (left, right))
            estimates[some] = self.derivation.estimator.estimate(ones, others)
        return estimates

    def estimates_with(self, query: Ragged) -> NDArray[np.float64]:
        """The estimates of the set in the one row of `query` with all rows."""
        part, estimates = self.derivation.estimator, [np.empty(0)]
        sketch = part(query)[0]
        for rows in (view.estimate_sketches for view in self.views):
            starts = range(0, len(rows), _SKETCHES_AT_ONCE)
            estimates += [
                part.estimate(sketch, rows[start : start + _SKETCHES_AT_ONCE]) for start in starts
            ]
        return np.concatenate(estimates)

    def _taken(self, rows: Rows, columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Some rows of a column, given view by view."""
        array = np.empty((len(rows), *columns[0].shape[1:]), columns[0].dtype) if columns else rows
        for column, (_, here, places) in zip(columns, self._located(rows), strict=True):
            array[here] = column[places]
        return array

    def shingles(self, rows: Rows) -> Ragged:
        """The shingles of some rows, which are in rising order."""
        parts = [view.shingles.take(places) for view, _, places in self._located(rows)]
        return joined(parts) if parts else Ragged.of([])

    def common(self, left: Rows, right: Rows) -> Rows:
        """The number of shingles that each pair of rows shares."""
        counts = np.zeros(len(left), np.int64)
        for start in range(0, len(left), _PAIRS_AT_ONCE):
            some = slice(start, start + _PAIRS_AT_ONCE)
            owners = [
                np.searchsorted(self.starts, side[some], "right") - 1 for side in (left, right)
            ]
            for first, second in product(range(len(self.views)), repeat=2):
                here = start + np.flatnonzero((owners[0] == first) & (owners[1] == second))
                if len(here):
                    places = left[here] - self.starts[first], right[here] - self.starts[second]
                    sets = self.views[first].shingles, self.views[second].shingles
                    counts[here] = common(*sets, places)
            self.run.step(len(counts[some]), len(left), VERIFYING)
        return counts

    def _located(self, rows: Rows) -> Iterator[tuple[SegmentView, NDArray[Any], Rows]]:
        """For each view the places in `rows` of its own rows, and these rows."""
        owners = np.searchsorted(self.starts, rows, "right") - 1
        for place, view in enumerate(self.views):
            here = np.flatnonzero(owners == place)
            yield view, here, rows[here] - self.starts[place]

    def located(self, row: int) -> tuple[int, int]:
        """The view that a row is in, and its place there."""
        view = int(np.searchsorted(self.starts, row, "right")) - 1
        return view, row - int(self.starts[view])

    @staticmethod
    def _joined(columns: Sequence[Any]) -> NDArray[Any]:
        return np.concatenate(columns) if columns else np.empty(0, np.int64)


def _borders(columns: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Keys that cut sorted columns of keys into parts of so many rows in all."""
    number = sum(map(len, columns)) // _ROWS_AT_ONCE
    if not number:
        return np.empty(0, np.uint64)
    sample = np.sort(np.concatenate([keys[::_STEP] for keys in columns]))
    return distinct(sample[np.arange(1, number + 1) * len(sample) // (number + 1)])


def segment_views(
    searched: Searchable,
    derivation: Derivation,
    where: str | None = None,
    side: int = 0,
    over: DictionaryReference | None = None,
) -> list[SegmentView]:
    """The segments of a collection, with the rows that are not removed and are selected."""
    selected = None if where is None else searched.ids(where)
    array = []
    for segment in searched.segments(over):
        wanted = np.asarray(segment.alive)
        if selected is not None:
            wanted = wanted & np.isin(segment.ids, selected)
        array.append(SegmentView(segment, derivation, side, wanted))
    return array
