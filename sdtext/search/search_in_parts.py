"""The steps of a search by shingles in parts, on batches and tables of Arrow.

No step holds all documents. The `DOCUMENTS` of a second side have negative numbers, so that they
stand before those of the first. `LINKS` have the smaller number on the left.
"""

import gc
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa

from sdtext.collections.memory import MemoryColumns
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import SHINGLES
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem, RecipeSpec
from sdtext.parts.indexes import Bands
from sdtext.reading.inputs import in_batches
from sdtext.reading.records.arrow_frames import Batches, schema_of
from sdtext.reading.records.record import Fields, InputDocument, named_text, problem_kind
from sdtext.search.candidates.buckets import pairs_and_oversized, split
from sdtext.search.candidates.intersections import common
from sdtext.search.results import Links
from sdtext.search.scoring import least_equal_slots
from sdtext.search.search_plan import SearchPlan
from sdtext.search.searchable import SegmentView, Table
from sdtext.search.set_search import BySets

TEXTS = "number long, name string, keep string, scope string, text string, problem string"
DOCUMENTS = (
    "number long, name string, keep string, scope string, problem string, length long, size long, "
    "digest binary, shingles binary"
)
LINKS = "left long, right long, score long, similarity double"
BUCKETS = "left long, right long, part long"
KEYS = "part long, keys binary, numbers binary, sizes binary"
VALUES = "number long, size long, shingle long"
HITS = "place long, query string, document string, score long, similarity double"
_OWN = (1 << 63) - 1  # the bits of a number that do not tell the side
_VALUES = 1 << 22  # of the sets of a part of an oversized bucket


def problem_of(called: str | None, why: str, how: str = "") -> str:
    """The problem of a document, which is kept: its severity, its category and its words."""
    return "\t".join([*problem_kind(why), f"{called}: {why}; it is kept{how}"])


def encoded(batches: Batches, recipe: RecipeSpec) -> Batches:
    """The `DOCUMENTS` of `TEXTS`: shingles and a digest of these, or the problem of the text."""
    builder = RowBuilder(recipe, tokens=False, digests=False, columns=frozenset({SHINGLES}))
    gc.freeze()  # or Python looks for garbage in all modules, again and again
    for batch in batches:
        carried = batch.select(["number", "name", "keep", "scope"])
        names, problems = batch["name"].to_pylist(), batch["problem"].to_pylist()
        items, noted = list[InputDocument](), list[Problem]()
        own: dict[str, Any]
        for place, text in enumerate(batch["text"].to_pylist()):
            named = problems[place] or named_text({"text": text}, Fields(), place)
            if isinstance(named, str):
                problems[place] = problems[place] or problem_of(names[place], named)
            else:
                items.append(InputDocument(str(place), names[place], text=named[1]))
        for some in in_batches(items):
            read, arrays, _ = builder.encoded(some, noted)
            if not read:
                continue
            shingles: Any = arrays[SHINGLES]
            own = {"length": [len(each.document.clean) for each in read], "size": shingles.lengths}
            own["digest"] = [blake2b(each, digest_size=16).digest() for each in shingles]
            own["shingles"] = _octets(shingles)
            yield _with_columns(carried, [int(each.item.root) for each in read], own)
        lacking = [(place, what) for place, what in enumerate(problems) if what]
        places = {each.called: int(each.root) for each in items}
        for it in noted:
            what = f"{it.severity}\t{it.category}\t{it.message}"
            lacking.append((places.get(it.path, 0), what))
        if lacking:
            own = {"problem": [what for _, what in lacking]}
            yield _with_columns(carried, [place for place, _ in lacking], own)


def _with_columns(
    carried: pa.RecordBatch, places: Sequence[int], made: dict[str, Any]
) -> pa.RecordBatch:
    """The `DOCUMENTS` at some places of a batch, with columns that were made."""
    rows, schema = carried.take(pa.array(places, pa.int64())), schema_of(DOCUMENTS)
    known: dict[str, Any] = dict.fromkeys(schema.names, [None] * len(places)) | made
    known |= dict(zip(rows.schema.names, rows.columns, strict=True))
    return pa.record_batch(known, schema=schema)


def sets_of(column: pa.Array | pa.ChunkedArray) -> Ragged:
    """The rows of a column of bytes as numbers."""
    rows = column.cast(pa.large_binary())
    if isinstance(rows, pa.ChunkedArray):
        rows = rows.combine_chunks()
    _, offsets, octets = rows.buffers()
    offsets = np.frombuffer(offsets, np.int64)[rows.offset : rows.offset + len(rows) + 1] // 8
    values = np.frombuffer(octets or b"", np.uint64)[offsets[0] : offsets[-1]]
    return Ragged(values, offsets - offsets[0])


def _octets(sets: Ragged) -> pa.Array:
    """The column of bytes that has these rows, as `sets_of` reads it."""
    offsets = (8 * sets.offsets).astype(np.int32)
    buffers = [None, *map(pa.py_buffer, (offsets, sets.values))]
    return pa.Array.from_buffers(pa.binary(), len(sets), buffers)


def table_of(documents: pa.Table, plan: SearchPlan, *, two_sided: bool = False) -> Table:
    """The table of documents that is searched, in the order of their numbers."""
    ordered, views = documents.sort_by("number"), list[SegmentView]()
    border = int(np.searchsorted(ordered["number"].to_numpy(), 0))
    for side, rows in enumerate((ordered[:border], ordered[border:])):
        columns = {SHINGLES: sets_of(rows["shingles"])}
        segment = MemoryColumns(rows["number"].to_numpy(), columns)
        views.append(SegmentView(segment, plan.derivation, side, segment.alive))
    return Table(views, plan.derivation, two_sided)


def hits_in(batches: Batches, queries: pa.Table, plan: SearchPlan, total: int) -> Batches:
    """The `HITS` of all queries, of which each has its `place`.

    `total` is the number of shingles of all documents.
    """
    ranking = plan.for_queries()
    exhaustive = ranking.question != plan.question
    asked = [*zip(queries["name"].to_pylist(), sets_of(queries["shingles"]), strict=True)]
    for batch in batches:
        documents = pa.Table.from_batches([batch]).sort_by("number")
        search = BySets(table_of(documents, ranking), ranking, exhaustive, total)
        for place, (query, shingles) in enumerate(asked):
            rows, scores = search.rows_like(shingles)
            names = documents["name"].take(pa.array(rows)).combine_chunks()
            own = [place] * len(rows), [query] * len(rows), names, scores.score, scores.similarity
            yield pa.record_batch([*own], schema=schema_of(HITS))


def link_table(*parts: Links) -> pa.Table:
    """The `LINKS` in all parts."""
    found = Links.joined(parts)
    columns = found.left, found.right, found.score, found.similarity
    return pa.table([*columns], schema=schema_of(LINKS))


def all_pairs(documents: pa.Table, plan: SearchPlan, *, two_sided: bool) -> pa.Table:
    """The `LINKS` of documents; those that lack some are linked to themselves."""
    found = BySets(table_of(documents, plan, two_sided=two_sided), plan).pairs()
    lacking = found.incomplete
    return link_table(found, Links(lacking, lacking, 0 * lacking, np.zeros(len(lacking))))


def band_keys(batches: Batches, plan: SearchPlan, bands: Bands, parts: int) -> Batches:
    """The `KEYS` of documents, other ones for those that are apart, with numbers and sizes.

    A row holds all keys of some documents that are in one of the `parts`.
    """
    for batch in batches:
        sizes, apart, numbers = (column.to_numpy() for column in batch.columns[:3])
        keys = bands.keys(plan.derivation.sketcher(sets_of(batch["shingles"])))
        keys ^= apart.view(np.uint64)[:, None]
        part = (keys.ravel() % np.uint64(parts)).astype(np.min_scalar_type(parts))
        order = np.argsort(part, kind="stable")  # fast for small numbers
        present, begins = np.unique(part[order], return_index=True)
        owners = order // keys.shape[1]
        held = keys.ravel()[order], numbers[owners], sizes[owners].astype(np.uint32)
        columns = ([*map(bytes, np.split(each, begins[1:]))] for each in held)
        yield pa.record_batch([present.astype(np.int64), *columns], schema=schema_of(KEYS))


def bucketed(rows: pa.Table, plan: SearchPlan, *, two_sided: bool) -> pa.Table:
    """The `BUCKETS` of `KEYS`: pairs of small ones, and members of parts of oversized ones.

    An oversized bucket is often the same in all bands; then so are its parts.
    """
    held = map(b"".join, (column.to_pylist() for column in rows.columns[1:]))
    keys, numbers, sizes = map(np.frombuffer, held, (np.uint64, np.int64, np.uint32))
    order, sizes, made = np.argsort(keys), sizes.astype(np.int64), [np.empty((3, 0), np.int64)]
    pairs, oversized = pairs_and_oversized(keys[order], order)
    for left, right in pairs:
        near = plan.scorer.can_reach(plan.least_of_sets, sizes[left], sizes[right])
        ends = np.sort(numbers[[left[near], right[near]]], axis=0)
        if two_sided:
            ends = ends[:, (ends[0] < 0) & (ends[1] >= 0)]
        made.append(np.stack([*ends, 0 * ends[0]]))
    for bucket in oversized:
        most = max(4, min(len(bucket), int(_VALUES // sizes[bucket].mean())))
        own = numbers[bucket]
        # Parts have documents of both sides.
        for part in split(own[np.argsort(own & _OWN)], most):
            digest = blake2b(part.tobytes(), digest_size=8).digest()
            same = np.full(len(part), int.from_bytes(digest, "little", signed=True))
            made.append(np.stack([part, part, same]))
    return pa.table([*np.concatenate(made, axis=1)], schema=schema_of(BUCKETS))


def exploded(batches: Batches) -> Batches:
    """The `VALUES` of documents: each shingle, another one for documents that are apart."""
    for batch in batches:
        sizes, apart, numbers = (column.to_numpy() for column in batch.columns[:3])
        sets = sets_of(batch["shingles"])
        shingles = (sets.values ^ apart.view(np.uint64)[sets.owners]).view(np.int64)
        columns = numbers[sets.owners], sizes[sets.owners], shingles
        yield pa.record_batch([*columns], schema=schema_of(VALUES))


def scored_pairs(batches: Batches, plan: SearchPlan, minimum: int, jaccard: float) -> Batches:
    """The `LINKS` of pairs that score `minimum`, with sketches as equal as for `jaccard`."""
    sketcher, sides = plan.derivation.sketcher, ("left", "right")
    for batch in batches:
        ones, others = sets = [sets_of(batch[f"{side}_shingles"]) for side in sides]
        # What another document may contain is on the right.
        shared = common(ones, others, (np.arange(len(ones)),) * 2)
        scores = plan.scorer(shared, others.lengths, ones.lengths)
        enough = np.flatnonzero(scores.score >= minimum)
        one, other = (sketcher(each.take(enough)) for each in sets)
        equal = np.count_nonzero(one == other, axis=1)
        enough = enough[equal >= least_equal_slots(sketcher.slots, jaccard)]
        left, right = (batch[side].to_numpy()[enough] for side in sides)
        scores = scores.take(enough)
        yield from link_table(Links(left, right, scores.score, scores.similarity)).to_batches()
