"""Similar documents in Spark: pairs, as `FindPairs` has them, and those similar to queries.

Shingles and sketches are those of the row builder of collections. Documents with equal shingles are
compared once. Pairs are LSH candidates, verified with the sketches and shingles of both. An
oversized bucket is compared in parts of bounded memory by the local search. Where bands find
nothing, candidates are those of an exact join with a prefix filter.

The documents of a second side have negative numbers, so that they stand before those of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.collections.collection_recipe import (
    CollectionSpec,
    complete_recipe,
    with_shingle_length,
)
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import SHINGLES, SKETCHES
from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.model import Problem, RecipeSpec
from sdtext.parts.indexes import Bands
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.inputs import in_batches
from sdtext.reading.records.record import Fields, InputDocument, named_text
from sdtext.search.candidates.buckets import PAIRWISE, all_pairs, is_oversized, runs, split
from sdtext.search.candidates.exact_join import LITTLE
from sdtext.search.candidates.intersections import common
from sdtext.search.derived_columns import Derivation
from sdtext.search.scoring import Scorer, least_equal_slots
from sdtext.search.search_plan import Question, SearchPlan, plan_search
from sdtext.search.searchable import Table, segment_views
from sdtext.search.set_search import BySets
from sdtext.spark.stages import Batches, Report, Work, arrow, problem_of

COMPARED = "number", "sketch", "shingles"
_DOCUMENTS = (
    "number long, name string, problem string, keep string, scope string, length long, size long, "
    "digest binary, sketch binary, shingles binary"
)
EDGES = "left long, right long, score long, similarity double"
LINKS = "left", "right", "score", "similarity"
_BUCKETS = "left long, right long, part long"
_PARTS = "part long, keys binary"
_SHINGLES = "number long, size long, shingle long"
_HITS = "query long, document string, score long, similarity double"
_OWN = (1 << 63) - 1  # the bits of a number that do not tell the side
_KEYS = 1 << 21  # of bands that are sorted at once
_VALUES = 1 << 22  # of the sets of a part of an oversized bucket
_MOST_QUERIES = 1 << 26  # bytes of their shingles, which go to every task


def find_pairs(
    documents: DataFrame,
    other: DataFrame | None = None,
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

    With `other` documents, each pair has one of both. The options are those of `Collection.pairs`;
    `similarity` is 0 to 1. `work` is a folder that
    Spark reads and writes, where stages of an earlier call for the same documents and options are
    used again. `report` is called with the name of each stage. Raises OptionError, UnreadableError.
    """
    asked = Question.of(similarity, recall=recall, matcher=matcher, recipe=recipe_from(recipe))
    job, *others = (
        Work.on("find_pairs", each, text_field, id_field, work, report)
        for each in (documents, other)
        if each is not None
    )
    return pairs_of(job, asked, *others)


def pairs_of(job: Work, question: Question, other: Work | None = None) -> DataFrame:
    """The pairs of the documents of a job, or between these and others, the most similar first."""
    if other and other.key == job.key:
        other = None
    plan = plan_of(question, job, other)
    if not (plan.symmetric or other):
        what = f"engine spark finds pairs of one input by a symmetric matcher, not {plan.matcher}"
        raise OptionError(f"{what}; use jaccard, dice or overlap")
    job = job.with_key(question, other and other.key)
    rows, _ = shingled(job, plan.recipe)
    if other:
        rows = rows.union(second_side(other.with_key(question), plan.recipe))
    members, links = links_of(job, rows, plan, two_sided=other is not None)
    pairs = _of_all_members(members, links, two_sided=other is not None)
    left, right = ("right", "left") if other else ("left", "right")
    ends = f"{left}_name as left", f"{right}_name as right"
    named = with_both(pairs, rows, "name").selectExpr(*ends, "score", "similarity")
    named = named.orderBy(F.desc("similarity"), "left", "right")
    return named if question.top is None else named.limit(question.top)


def similar(
    documents: DataFrame,
    queries: DataFrame,
    *,
    similarity: float | None = None,
    top: int | None = None,
    matcher: str | None = None,
    recipe: RecipeLike = "deduplicate",
    text_field: str = "text",
    id_field: str = "id",
    work: str | None = None,
    report: Report | None = None,
) -> DataFrame:
    """The documents similar to each query: `query`, `document`, `score`, `similarity`.

    They are those of `similarity` or more, or the `top` most similar ones, or both; one of these is
    given. `queries` have the same columns as `documents`, and fit in memory. The other options are
    as in `find_pairs`. Raises OptionError, UnreadableError.
    """
    question = Question.of(similarity, top=top, matcher=matcher, recipe=recipe_from(recipe))
    asked = Work.on("similar", queries, text_field, id_field, work)
    job = Work.on("similar", documents, text_field, id_field, work, report)
    return hits_of(job, asked, question)


def hits_of(job: Work, queries: Work, question: Question) -> DataFrame:
    """The documents of a job that are similar to queries: each is compared with all of these."""
    if question.minimum is None and question.top is None:
        raise OptionError("name a similarity or top", place="similar")
    job, plan = job.with_key(question, queries.key), plan_of(question, job).for_queries()
    stored, _ = shingled(job, plan.recipe)
    encoded = _shingle(iter(queries.texts.toArrow().to_batches()), plan.recipe)
    rows_of = [row for part in encoded for row in part.to_pylist() if row["shingles"]]
    sets = [row["shingles"] for row in rows_of]
    if sum(map(len, sets)) > _MOST_QUERIES:
        raise OptionError("the queries are too many for one task; ask in parts", place="similar")
    find = partial(_find, queries=sets, plan=plan)
    found = stored.where("size > 0").select("name", *COMPARED)
    hits = job.stage("hits", found.mapInArrow(find, _HITS))
    order = F.desc("similarity"), F.asc("document")
    if question.top is not None:
        rank = F.row_number().over(Window.partitionBy("query").orderBy(*order))
        hits = hits.withColumn("rank", rank).where(F.col("rank") <= question.top)
    names = F.array(*(F.lit(row["name"]) for row in rows_of))
    name = F.get(names, F.col("query").cast("int")).alias("query")
    return hits.orderBy("query", *order).select(name, "document", "score", "similarity")


def _find(batches: Batches, queries: Sequence[bytes], plan: SearchPlan) -> Batches:
    sets = [np.frombuffer(octets, np.uint64) for octets in queries]
    for batch in batches:
        documents, table = sorted_table(plan, pa.Table.from_batches([batch]))
        names, search = documents["name"].chunk(0), BySets(table, plan, exhaustive=True)
        for number, query in enumerate(sets):
            rows, scores = search.rows_like(query)
            owners = np.full(len(rows), number)
            yield arrow(_HITS, owners, names.take(pa.array(rows)), scores.score, scores.similarity)


def plan_of(question: Question, *jobs: Work | None) -> SearchPlan:
    """The plan of a search by shingles, whose length follows from the longest text by default.

    Raises OptionError for what is compared otherwise.
    """

    def longest() -> int:
        texts = [job.texts.agg(F.max(F.length("text"))).collect() for job in jobs if job]
        return max(int(rows[0][0] or 0) for rows in texts)

    spec = CollectionSpec(question.recipe or recipe_from("deduplicate"))
    recipe, _ = with_shingle_length(complete_recipe(spec), longest)
    question = replace(question, recipe=None)
    plan = plan_search(MemoryCollection(recipe, Ragged.of([]), []), question)
    if plan.compares != "shingles":
        what = f"engine spark compares shingles alone, and {plan.matcher} other things"
        raise OptionError(f"{what}; use jaccard, dice or overlap")
    return plan


def shingled(job: Work, recipe: RecipeSpec) -> tuple[DataFrame, DataFrame]:
    """A row for each document with its shingles, its sketch, and a digest of its shingles.

    Beside it are the problems of documents: `number`, `name`, `problem`.
    """
    make = partial(_shingle, recipe=recipe)
    documents = job.stage("documents", job.texts.mapInArrow(make, _DOCUMENTS))
    problems = documents.where("problem is not null").select("number", "name", "problem")
    return documents.where("problem is null"), problems


def second_side(job: Work, recipe: RecipeSpec) -> DataFrame:
    """The rows of `shingled` for the documents of a second side."""
    return shingled(job, recipe)[0].withColumn("number", F.expr("number | shiftleft(1L, 63)"))


@lru_cache(maxsize=4)
def _builder(recipe: RecipeSpec) -> RowBuilder:
    return RowBuilder(recipe, tokens=False)


def _shingle(batches: Batches, recipe: RecipeSpec) -> Batches:
    """The rows of `shingled` for the texts of a job, in order."""
    sketcher, nothing = Derivation(recipe, recipe).sketcher, (None, None, 0, 0, None, None, None)
    for batch in batches:
        problems, items = list[tuple[Any, ...]](), list[InputDocument]()
        rows = {str(row["number"]): row for row in batch.to_pylist()}
        for number, row in rows.items():
            named = named_text(row, Fields(), 0)
            if why := row["problem"] or (isinstance(named, str) and problem_of(row["name"], named)):
                problems.append((row["number"], row["name"], why))
            else:
                items.append(InputDocument(number, row["name"], text=named[1], place=row["name"]))
        for some in in_batches(items):
            noted, known = list[Problem](), {each.called: each for each in some}
            built = _builder(recipe)(some, noted)
            for it in noted:
                item = known.get(it.path, some[0])
                what = f"{it.severity}\t{it.category}\t{it.message}"
                problems.append((int(item.root), item.name, what))
            if built.rows:
                sets: Any = built.rows.arrays[SHINGLES]
                sketches = built.rows.arrays.get(SKETCHES)
                octets = [values.tobytes() for values in sets]
                own = [rows[each.root] for each in built.rows.documents]
                names = "number", "name", "problem", "keep", "scope"
                yield arrow(
                    _DOCUMENTS,
                    *([row[name] for row in own] for name in names),
                    built.lengths,
                    sets.lengths,
                    [blake2b(each, digest_size=16).digest() for each in octets],
                    [each.tobytes() for each in (sketcher(sets) if sketches is None else sketches)],
                    octets,
                )
        yield arrow(_DOCUMENTS, *zip(*((*each, *nothing) for each in problems), strict=True))


def _ragged(column: pa.Array, kind: str = "uint64") -> Ragged:
    """The rows of a column of bytes as numbers."""
    octets = [np.frombuffer(value, kind) for value in column.to_pylist()]
    values = np.concatenate(octets) if octets else np.empty(0, kind)
    return Ragged(values, offsets_of([len(each) for each in octets]))


def _sketches(column: pa.Array) -> NDArray[np.uint32]:
    """The sketches in a column of bytes, a row each."""
    rows = _ragged(column, "uint32")
    return rows.values.reshape(len(rows), -1)


def sorted_table(plan: SearchPlan, rows: pa.Table) -> tuple[pa.Table, Table]:
    """The rows of documents in the order of their numbers, and the table that is searched."""
    ordered = rows.sort_by("number").combine_chunks()
    sets, sketches = _ragged(ordered["shingles"]), _sketches(ordered["sketch"])
    memory = MemoryCollection(plan.recipe, sets, [""] * len(sets), {SKETCHES: sketches})
    return ordered, Table(segment_views(memory, plan.derivation), plan.derivation)


def with_both(pairs: DataFrame, documents: DataFrame, *columns: str) -> DataFrame:
    """The pairs with columns of the documents on both sides, such as `left_name`."""
    for side in ("left", "right"):
        own = (F.col(name).alias(f"{side}_{name}") for name in columns)
        pairs = pairs.join(documents.select(F.col("number").alias(side), *own), side)
    return pairs


def _of_all_members(members: DataFrame, links: DataFrame, *, two_sided: bool) -> DataFrame:
    """The pairs of all documents of the groups of equal ones whose first ones are linked.

    A group of more than 64 is paired by its first one alone.
    """
    own = members.where(f"number = first and copies > 1 and not {two_sided}")
    own = own.selectExpr("first as left", "first as right", "99L as score", "1.0D as similarity")
    named = members.selectExpr("first as number", "number as own", f"copies > {PAIRWISE} as large")
    pairs = with_both(links.where("left != right").select(*LINKS).union(own), named, "own", "large")
    ends = "left_own, right_own"
    return (
        pairs.where("left != right or left_own < right_own")
        .where("left = left_own or right = right_own or not (left_large or right_large)")
        .selectExpr(f"least({ends}) as left", f"greatest({ends}) as right", "score", "similarity")
    )


def links_of(
    job: Work,
    rows: DataFrame,
    plan: SearchPlan,
    *,
    is_across: bool = False,
    two_sided: bool = False,
) -> tuple[DataFrame, DataFrame]:
    """The documents with the `first` of equal ones in a scope, and the links of first ones.

    They are links within a scope; with `is_across` all, of which those across two scopes `counts`.
    Of two sides, they are between these. The matcher is symmetric, or documents come before those
    that they may contain. `copies` is how many are equal. The smaller number is on the left. A
    document of which links were left out, since there are too many, is also linked to itself.
    """
    apart = F.lit("") if is_across else F.col("scope")
    slim = rows.where("size > 0")
    slim = slim.selectExpr("number", "size", "digest", "scope", "number < 0 as side")
    equal = Window.partitionBy("digest", "scope", "side")
    first, copies = F.min("number").over(equal), F.count("*").over(equal)
    members = job.stage("members", slim.withColumns({"first": first, "copies": copies}))
    firsts, bands = members.where("number = first"), plan.bands_for(plan.derivation.sketcher.slots)
    total = firsts.dropDuplicates(["digest", "side"]).agg(F.sum("size")).collect()[0][0] or 0
    # A `partial` with annotations is none of the functions that Spark Connect 4.3 takes here.
    search = lambda some: _all_pairs(some, plan, two_sided=two_sided)  # noqa: E731
    if plan.symmetric and (plan.allows_join or bands is None) and total <= LITTLE.shingles:
        few = rows.join(firsts.select("number"), "number", "left_semi").groupBy(apart)
        found = few.applyInArrow(search, EDGES)
    else:
        others = members.where("number != first").select("number")
        compared = rows.where("size > 0").join(others, "number", "left_anti")
        compared = compared.select("size", F.xxhash64(apart).alias("apart"), *COMPARED)
        if bands:
            made = _in_bands(compared, firsts.count(), plan, bands, two_sided=two_sided)
        else:
            made = _sharing_rare(compared, plan, two_sided=two_sided)
        buckets = job.stage("buckets", made)
        ends = buckets.select(F.explode(F.array("left", "right")).alias("number"))
        ends = ends.where("number is not null").distinct()
        needed = job.stage("candidates", rows.select(*COMPARED).join(ends, "number", "left_semi"))
        pairs = buckets.where("right is not null").select("left", "right").distinct()
        large = buckets.where("right is null").selectExpr("left as number", "part").distinct()
        parts = large.join(needed, "number").groupBy("part")
        found = scored(pairs, needed, plan, plan.least_of_sets, bands.similarity if bands else 0)
        found = found.union(parts.applyInArrow(search, EDGES)).distinct()
    links = job.stage("pairs", found)
    links = with_both(links, rows, "scope") if is_across else links
    counts = "left_scope != right_scope" if is_across else "true"
    return members, links.selectExpr(*LINKS, f"{counts} as counts")


def _in_bands(
    rows: DataFrame, number: int, plan: SearchPlan, bands: Bands, *, two_sided: bool
) -> DataFrame:
    """Pairs of so many documents that are equal in a band, and parts of oversized buckets."""
    parts = 64 + number * bands.layout(plan.derivation.sketcher.slots)[0] // _KEYS
    keyed = rows.drop("shingles").mapInArrow(partial(_keys, bands=bands, parts=parts), _PARTS)
    keyed = keyed.repartition("part").sortWithinPartitions("part")
    find = partial(_buckets, scorer=plan.scorer, minimum=plan.least_of_sets, two_sided=two_sided)
    return keyed.mapInArrow(find, _BUCKETS)


def _sharing_rare(rows: DataFrame, plan: SearchPlan, *, two_sided: bool) -> DataFrame:
    """The pairs of which one document has a rare shingle of the other, as in `exact_join`.

    That other document is the smaller one, or if the matcher is not symmetric, the later one.
    """
    share = plan.scorer.part.least_share(plan.least_of_sets / 100)
    values = rows.drop("sketch").mapInArrow(_explode, _SHINGLES)
    often = F.count("*").over(Window.partitionBy("shingle")).alias("often")
    rank = F.row_number().over(Window.partitionBy("number").orderBy("often", "shingle"))
    ranked = values.select("*", often).select("*", rank.alias("rank"))
    fewest = f"greatest(1, ceil({share}D * size - 1e-9D))"
    rarest = ranked.where(f"often > 1 and rank <= size - {fewest} + 1")
    pairs = rarest.join(values.toDF("other", "other_size", "shingle"), "shingle")
    crosses = "(number < 0) != (other < 0)" if two_sided else "number != other"
    follows = "size <= other_size" if plan.symmetric else "other < number"
    ends = "least(number, other) as left", "greatest(number, other) as right"
    return pairs.where(crosses).where(follows).selectExpr(*ends, "bigint(null) as part")


def scored(
    pairs: DataFrame, documents: DataFrame, plan: SearchPlan, minimum: int, jaccard: float = 0
) -> DataFrame:
    """The pairs that score `minimum`, and of whose sketches so much is equal as for `jaccard`."""
    score = partial(_score, plan=plan, minimum=minimum, jaccard=jaccard)
    return with_both(pairs, documents, "sketch", "shingles").mapInArrow(score, EDGES)


def _all_pairs(rows: pa.Table, plan: SearchPlan, *, two_sided: bool) -> pa.Table:
    """The links by the local search; documents of which some are left out, linked to themselves."""
    sides = [rows]
    if two_sided:
        sides = [rows.filter(pc.field("number") < 0), rows.filter(pc.field("number") >= 0)]
        if not all(map(len, sides)):
            return pa.Table.from_batches([arrow(EDGES)])
    ordered, tables = zip(*(sorted_table(plan, side) for side in sides), strict=True)
    numbers = np.concatenate([side["number"].to_numpy() for side in ordered])
    views = [replace(view, side=side) for side, own in enumerate(tables) for view in own.views]
    table = Table(views, plan.derivation, two_sided)
    found = BySets(table, plan).pairs_of_rows().numbered(numbers, ordered=True)
    links = arrow(EDGES, found.left, found.right, found.score, found.similarity)
    nothing = [0] * len(found.incomplete)
    marks = arrow(EDGES, found.incomplete, found.incomplete, nothing, nothing)
    return pa.Table.from_batches([links, marks])


def _explode(batches: Batches) -> Batches:
    """A row for each shingle of a document, others for documents that are apart."""
    for batch in batches:
        sizes, apart, numbers = (column.to_numpy() for column in batch.columns[:3])
        sets = _ragged(batch.column("shingles"))
        shingles = (sets.values ^ apart.view(np.uint64)[sets.owners]).view(np.int64)
        yield arrow(_SHINGLES, numbers[sets.owners], sizes[sets.owners], shingles)


def _keys(batches: Batches, bands: Bands, parts: int) -> Batches:
    """The keys of bands, other ones for documents that are apart, with their numbers and sizes.

    A row holds all keys of some documents that are in one of the `parts`.
    """
    for batch in batches:
        sizes, apart, numbers = (column.to_numpy() for column in batch.columns[:3])
        keys = bands.keys(_sketches(batch.column("sketch"))) ^ apart.view(np.uint64)[:, None]
        owners, keys = np.repeat(np.arange(len(keys)), keys.shape[1]), keys.ravel()
        part = keys % np.uint64(parts)
        order = np.argsort(part, kind="stable")
        columns = np.stack([keys.view(np.int64), numbers[owners], sizes[owners]])[:, order]
        present, begins = np.unique(part[order], return_index=True)
        octets = [each.tobytes() for each in np.split(columns, begins[1:], axis=1)]
        yield arrow(_PARTS, present.astype(np.int64), octets[: len(present)])


def _buckets(batches: Batches, scorer: Scorer, minimum: int, *, two_sided: bool) -> Batches:
    """Candidate pairs of small buckets, and members of parts of oversized ones.

    An oversized bucket is often the same in all bands; then so are its parts.
    """
    rows = (row for batch in batches for row in batch.to_pylist())
    for _, some in groupby(rows, key=itemgetter("part")):
        columns = [np.frombuffer(row["keys"], np.int64).reshape(3, -1) for row in some]
        keys, numbers, sizes = np.concatenate(columns, axis=1)
        order = np.lexsort([numbers & _OWN, keys])  # parts have documents of both sides
        keys, numbers, sizes = keys[order], numbers[order], sizes[order]
        begins, lengths = runs(keys)
        large = is_oversized(lengths)
        for left, right in all_pairs(np.arange(len(keys)), begins[~large], lengths[~large]):
            near = scorer.can_reach(minimum, sizes[left], sizes[right])
            ends = np.sort(numbers[[left[near], right[near]]], axis=0)
            if two_sided:
                ends = ends[:, (ends[0] < 0) & (ends[1] >= 0)]
            yield arrow(_BUCKETS, *ends, pa.nulls(ends.shape[1], pa.int64()))
        for begin, length in zip(begins[large].tolist(), lengths[large].tolist(), strict=True):
            size = sizes[begin : begin + length].mean()
            most = max(4, min(length, int(_VALUES // size)))
            for part in split(numbers[begin : begin + length], most):
                digest = blake2b(part.tobytes(), digest_size=8).digest()
                same = np.full(len(part), int.from_bytes(digest, "little", signed=True))
                yield arrow(_BUCKETS, part, pa.nulls(len(part), pa.int64()), same)


def _score(batches: Batches, plan: SearchPlan, minimum: int, jaccard: float) -> Batches:
    least = least_equal_slots(plan.derivation.sketcher.slots, jaccard)
    for batch in batches:
        ends = [batch.column(side).to_numpy() for side in ("left", "right")]
        sketches, others = (_sketches(batch.column(f"{side}_sketch")) for side in ("left", "right"))
        near = np.flatnonzero(np.count_nonzero(sketches == others, axis=1) >= least)
        ones, twos = (_ragged(batch.column(f"{side}_shingles")) for side in ("left", "right"))
        shared = common(ones, twos, (near, near))
        # What another document may contain is on the right.
        scores = plan.scorer(shared, twos.lengths[near], ones.lengths[near])
        enough = scores.score >= minimum
        scores, near = scores.take(enough), near[enough]
        yield arrow(EDGES, *(side[near] for side in ends), scores.score, scores.similarity)
