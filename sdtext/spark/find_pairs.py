"""Pairs of similar documents in Spark: LSH candidates, verified exactly, as `FindPairs` has them.

Documents with equal shingles are compared once. Bands are sorted, not collected, so that a bucket
of any size streams through a task. An oversized bucket is compared in parts of bounded memory, as
in `sdtext.search.candidates.buckets`. The other candidates are pairs, which are verified with the
sketches and shingles of both.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.errors import OptionError
from sdtext.parts.indexes import Bands
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.search.candidates.buckets import PAIRWISE, Rows, all_pairs, is_oversized, runs
from sdtext.search.candidates.exact_join import LITTLE
from sdtext.search.candidates.intersections import common
from sdtext.search.candidates.lsh import MOST_WORK, Collector, ScoreBound
from sdtext.search.scoring import Scorer, least_equal_slots
from sdtext.search.search_plan import Question, SearchPlan
from sdtext.search.set_search import BySets
from sdtext.spark.documents import (
    COMPARED,
    plan_of,
    ragged_of,
    settled_recipe,
    shingled,
    sketches_of,
    table_of,
)
from sdtext.spark.stages import (
    Batches,
    Report,
    Work,
    arrays_of,
    arrow,
    concatenated,
)

EDGES = "left long, right long, score long, similarity double"
_BUCKETS = "left long, right long, bucket long, most long"
_VALUES = 1 << 22  # of the sets of an oversized bucket that are in memory at once


def find_pairs(
    documents: DataFrame | Work,
    *,
    similarity: float | None = None,
    recall: float | None = None,
    matcher: str | None = None,
    recipe: RecipeLike = "deduplicate",
    text_field: str = "text",
    id_field: str = "id",
    work: str | None = None,
    report: Report | None = None,
) -> DataFrame:
    """The pairs of similar documents: `left`, `right` (their ids as texts), `score`, `similarity`.

    The options are those of `Collection.pairs`; `similarity` is 0 to 1. `work` is a folder that
    Spark reads and writes, where stages of an earlier call for the same documents and options are
    used again. `report` is called with the name of each stage. Raises OptionError, UnreadableError.
    """
    job = Work.on("find_pairs", documents, text_field, id_field, work, report)
    settled = settled_recipe(recipe_from(recipe), job.texts)
    plan = plan_of(settled, Question.of(similarity, recall=recall, matcher=matcher))
    rows, _ = shingled(job, settled)
    members = with_first(rows.withColumn("order", F.lit(0.0)))
    links = links_of(job.with_key(settled, plan.question), rows, members, plan)
    pairs = of_all_members(members, links)
    for side in ("left", "right"):
        names = rows.select(F.col("number").alias(side), F.col("name").alias(f"{side}_name"))
        pairs = pairs.join(names, side).drop(side).withColumnRenamed(f"{side}_name", side)
    pairs = pairs.select("left", "right", "score", "similarity")
    return pairs.orderBy(F.desc("similarity"), "left", "right")


def with_first(rows: DataFrame) -> DataFrame:
    """`number`, `size` and `order` of documents with shingles, and the `first` of equal ones.

    That is the one of the least `order`, then number; `copies` is how many are equal.
    """
    slim = rows.where("size > 0").select("number", "size", "order", "digest")
    least = F.min(F.struct("order", "number")).alias("least")
    firsts = slim.groupBy("digest").agg(least, F.count("*").alias("copies"))
    first = F.col("least.number").alias("first")
    return slim.join(firsts, "digest").select("number", "size", "order", first, "copies")


def of_all_members(members: DataFrame, links: DataFrame) -> DataFrame:
    """The pairs of all documents of the groups of equal ones whose first ones are linked.

    A group of more than 64 is paired by its first one alone.
    """
    left, right = (
        members.select(
            F.col("first").alias(side),
            F.col("number").alias(f"{side}_number"),
            (F.col("copies") > PAIRWISE).alias(f"{side}_large"),
            (F.col("number") == F.col("first")).alias(f"{side}_leads"),
        )
        for side in ("left", "right")
    )
    both = links.where("left != right").join(left, "left").join(right, "right")
    both = both.where("left_leads or right_leads or not (left_large or right_large)")
    alike = left.join(right, F.col("left") == F.col("right"))
    alike = alike.where("left_number < right_number and (left_leads or not left_large)")
    pairs = both.select("left_number", "right_number", "score", "similarity").union(
        alike.selectExpr("left_number", "right_number", "99L", "1.0D")
    )
    ends = F.col("left_number"), F.col("right_number")
    return pairs.select(
        F.least(*ends).alias("left"), F.greatest(*ends).alias("right"), "score", "similarity"
    )


def links_of(work: Work, rows: DataFrame, members: DataFrame, plan: SearchPlan) -> DataFrame:
    """The links of the first ones of equal documents, with the smaller number on the left.

    A document of which links were left out, since there are too many, is also linked to itself.
    """
    firsts = members.where("number = first").select("number", "size")
    total = firsts.agg(F.sum("size")).collect()[0][0] or 0
    bands = plan.bands_for(plan.derivation.sketcher.slots)
    compared = rows.select(*COMPARED)
    if (plan.allows_join or bands is None) and total <= LITTLE.shingles:
        few = compared.join(firsts.select("number"), "number", "left_semi").select(*COMPARED)
        few = few.repartition(1).sortWithinPartitions("number")
        return work.stage("pairs", lambda: few.mapInArrow(partial(_all_pairs, plan=plan), EDGES))
    if bands is None:
        raise OptionError(
            f"engine spark finds candidates by bands, and there are none for {plan.matcher} of "
            f"{plan.least_of_sets}; use a higher similarity"
        )
    keys = partial(_keys, bands=bands)
    keyed = rows.where("size > 0").select("number", "size", "sketch")
    keyed = keyed.mapInArrow(keys, "number long, size long, keys array<long>")
    others = members.where("number != first").select("number")
    banded = keyed.join(others, "number", "left_anti")
    banded = banded.select(F.explode("keys").alias("key"), "number", "size")
    in_order = banded.repartition("key").sortWithinPartitions("key", "number")
    find = partial(_buckets, scorer=plan.scorer, minimum=plan.least_of_sets)
    buckets = work.stage("buckets", lambda: in_order.mapInArrow(find, _BUCKETS))
    ends = buckets.select(F.col("left").alias("number")).union(buckets.select("right"))
    semi = compared.join(ends.where("number is not null").distinct(), "number", "left_semi")
    needed = work.stage("candidates", lambda: semi)
    pairs = buckets.where("right is not null").select("left", "right").distinct()
    verified = scored(pairs, needed, plan, plan.least_of_sets, bands.similarity)
    large = buckets.where("right is null").select(F.col("left").alias("number"), "bucket", "most")
    large = large.distinct().join(needed, "number").select("bucket", "most", *COMPARED)
    large = large.repartition("bucket").sortWithinPartitions("bucket", "number")
    find_all = partial(_oversized, plan=plan, jaccard=bands.similarity)
    every = verified.union(large.mapInArrow(find_all, EDGES)).distinct()
    return work.stage("pairs", lambda: every)


def scored(
    pairs: DataFrame, needed: DataFrame, plan: SearchPlan, minimum: int, jaccard: float = 0
) -> DataFrame:
    """The pairs that score `minimum`, and of whose sketches so much is equal as for `jaccard`."""
    for side in ("left", "right"):
        own = (F.col(name).alias(f"{side}_{name}") for name in ("sketch", "shingles"))
        pairs = pairs.join(needed.select(F.col("number").alias(side), *own), side)
    names = (f"{side}_{name}" for name in ("sketch", "shingles") for side in ("left", "right"))
    score = partial(_score, plan=plan, minimum=minimum, jaccard=jaccard)
    return pairs.select("left", "right", *names).mapInArrow(score, EDGES)


def _linked(left: Rows, right: Rows, score: Rows, similarity: Any) -> pa.RecordBatch:
    return arrow(EDGES, np.minimum(left, right), np.maximum(left, right), score, similarity)


def _all_pairs(batches: Batches, plan: SearchPlan) -> Batches:
    """The links of all documents of the one partition, by the local search."""
    if parts := [*batches]:
        rows = pa.Table.from_batches(parts).combine_chunks()
        numbers, sketches, shingles = (rows.column(name).chunk(0) for name in COMPARED)
        found = BySets(table_of(plan, sketches, shingles), plan).pairs_of_rows()
        found = found.numbered(numbers.to_numpy(), ordered=True)
        yield _linked(found.left, found.right, found.score, found.similarity)


def _keys(batches: Batches, bands: Bands) -> Batches:
    for batch in batches:
        keys = bands.keys(sketches_of(batch.column("sketch"))).view(np.int64)
        offsets = np.arange(0, keys.size + 1, max(1, keys.shape[1]), dtype=np.int32)
        lists = pa.ListArray.from_arrays(offsets, keys.ravel())
        yield arrow("number long, size long, keys array<long>", *batch.columns[:2], lists)


def _buckets(batches: Batches, scorer: Scorer, minimum: int) -> Batches:
    """Candidate pairs of small buckets, and the members of oversized ones; keys are in order."""
    for keys, numbers, sizes in _whole(map(arrays_of, batches)):
        begins, lengths = runs(keys)
        large = is_oversized(lengths)
        for left, right in all_pairs(np.arange(len(keys)), begins[~large], lengths[~large]):
            near = scorer.can_reach(minimum, sizes[left], sizes[right])
            none = pa.nulls(int(near.sum()), pa.int64())
            yield arrow(_BUCKETS, numbers[left[near]], numbers[right[near]], none, none)
        for begin, length in zip(begins[large].tolist(), lengths[large].tolist(), strict=True):
            rows, size = numbers[begin : begin + length], sizes[begin : begin + length].mean()
            digest = blake2b(rows.tobytes(), digest_size=8).digest()  # often equal in all bands
            bucket = int.from_bytes(digest, "little", signed=True)
            most = max(4, min(length, int(_VALUES // size)))
            numbered = np.full(length, bucket), np.full(length, most)
            yield arrow(_BUCKETS, rows, pa.nulls(length, pa.int64()), *numbered)


def _whole(parts: Iterator[list[NDArray[Any]]]) -> Iterator[list[NDArray[Any]]]:
    """The columns, cut where the first one changes: no run of equal values is in two parts."""
    waiting: list[list[NDArray[Any]]] = []
    for columns in parts:
        if len(columns[0]):
            last = int(np.searchsorted(columns[0], columns[0][-1]))
            if last or (waiting and waiting[-1][0][-1] != columns[0][0]):
                yield concatenated([*waiting, [column[:last] for column in columns]])
                waiting = []
            waiting.append([column[last:] for column in columns])
    if waiting:
        yield concatenated(waiting)


def _score(batches: Batches, plan: SearchPlan, minimum: int, jaccard: float) -> Batches:
    least = least_equal_slots(plan.derivation.sketcher.slots, jaccard)
    for batch in batches:
        left, right = (batch.column(name).to_numpy() for name in ("left", "right"))
        sketches, others = (sketches_of(batch.column(place)) for place in (2, 3))
        near = np.flatnonzero(np.count_nonzero(sketches == others, axis=1) >= least)
        ones, twos = (ragged_of(batch.column(place)) for place in (4, 5))
        shared = common(ones, twos, (near, near))
        scores = plan.scorer(shared, ones.lengths[near], twos.lengths[near])
        enough = scores.score >= minimum
        scores, near = scores.take(enough), near[enough]
        yield _linked(left[near], right[near], scores.score, scores.similarity)


def _oversized(batches: Batches, plan: SearchPlan, jaccard: float) -> Batches:
    """The links in parts of oversized buckets, whose members are in order."""
    bound = ScoreBound(plan.scorer, plan.least_of_sets, jaccard)
    for part in _parts(batches):
        numbers, *arrays = (pa.array(column) for column in list(zip(*part, strict=True))[2:])
        table, places = table_of(plan, *arrays), np.arange(len(part))
        collector = Collector(table, bound, groups=places.copy())
        collector.add_oversized([places], places.astype(np.uint64), MOST_WORK)
        found, ids = collector.candidates, numbers.to_numpy()
        sizes = table.sizes[found.left], table.sizes[found.right]
        scores = plan.scorer(np.asarray(found.common), *sizes)
        yield _linked(ids[found.left], ids[found.right], scores.score, scores.similarity)
        some = ids[found.incomplete]
        yield _linked(some, some, np.zeros_like(some), np.zeros(len(some)))


def _parts(batches: Batches) -> Iterator[list[tuple[Any, ...]]]:
    """The parts of buckets; up to 64 members are common to all of them, as in `buckets.split`."""
    columns = ([column.to_pylist() for column in batch.columns] for batch in batches)
    rows = (row for each in columns for row in zip(*each, strict=True))
    for _, members in groupby(rows, key=itemgetter(0)):
        part, leading = list[tuple[Any, ...]](), 0
        for row in members:
            part.append(row)
            if len(part) >= row[1]:
                yield part
                leading = min(PAIRWISE, row[1] // 4)
                part = part[:leading]
        if len(part) > leading:
            yield part
