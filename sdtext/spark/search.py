"""Similar documents in Spark: pairs, as `FindPairs` has them, and those similar to queries.

Shingles and sketches are those of the row builder of collections. Pairs are LSH candidates,
verified exactly. Documents with equal shingles are compared once. An oversized
bucket is compared in parts of bounded memory, as in `sdtext.search.candidates.buckets`. The other
candidates are pairs, which are verified with the sketches and shingles of both.
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
from sdtext.errors import OptionError, UnreadableError
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.model import Problem, RecipeSpec
from sdtext.parts.indexes import Bands
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.inputs import in_batches
from sdtext.reading.records.record import Fields, InputDocument, named_text
from sdtext.search.candidates.buckets import PAIRWISE, Rows, all_pairs, is_oversized, runs, split
from sdtext.search.candidates.exact_join import LITTLE
from sdtext.search.candidates.intersections import common
from sdtext.search.candidates.lsh import MOST_WORK, Collector, ScoreBound
from sdtext.search.derived_columns import Derivation
from sdtext.search.results import Links
from sdtext.search.scoring import Scorer, Scores, least_equal_slots
from sdtext.search.search_plan import Question, SearchPlan, plan_search
from sdtext.search.searchable import Table, segment_views
from sdtext.search.set_search import BySets
from sdtext.spark.stages import (
    Batches,
    Report,
    Work,
    arrow,
    problem_of,
)

COMPARED = "number", "sketch", "shingles"
_DOCUMENTS = (
    "number long, name string, problem string, keep string, scope string, length long, size long, "
    "digest binary, sketch binary, shingles binary"
)
_EDGES = "left long, right long, score long, similarity double"
_BUCKETS = "left long, right long, part long"
_PARTS = "part long, keys binary"
_HITS = "query long, document string, score long, similarity double"
_FATAL = "fatal"
_KEYS = 1 << 21  # of bands that are sorted at once
_VALUES = 1 << 22  # of the sets of a part of an oversized bucket
_MOST_QUERIES = 1 << 26  # bytes of their shingles, which go to every task


def find_pairs(
    documents: DataFrame,
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
    asked = Question.of(similarity, recall=recall, matcher=matcher, recipe=recipe_from(recipe))
    return pairs_of(job, asked)


def pairs_of(job: Work, question: Question) -> DataFrame:
    """The pairs of the documents of a job, the most similar first."""
    plan = plan_of(job, question)
    rows, _ = shingled(job, plan.recipe)
    members = with_first(rows)
    pairs = _of_all_members(members, links_of(job, rows, members, plan))
    for side in ("left", "right"):
        names = rows.select(F.col("number").alias(side), F.col("name").alias(f"{side}_name"))
        pairs = pairs.join(names, side).drop(side).withColumnRenamed(f"{side}_name", side)
    pairs = pairs.select("left", "right", "score", "similarity")
    return pairs.orderBy(F.desc("similarity"), "left", "right")


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
    asked = Work.on("similar", queries, text_field, id_field, work)
    job = Work.on("similar", documents, text_field, id_field, work, report)
    question = Question.of(similarity, top=top, matcher=matcher, recipe=recipe_from(recipe))
    return hits_of(job, asked, question)


def hits_of(job: Work, queries: Work, question: Question) -> DataFrame:
    """The documents of a job that are similar to queries: each is compared with all of these."""
    if question.minimum is None and question.top is None:
        raise OptionError("name a similarity or top", place="similar")
    plan = plan_of(job, question).for_queries()
    stored, _ = shingled(job, plan.recipe)
    encoded = _shingle(iter(queries.texts.toArrow().to_batches()), plan.recipe, unique=False)
    rows_of = [row for part in encoded for row in part.to_pylist() if row["shingles"]]
    sets = [row["shingles"] for row in rows_of]
    if sum(map(len, sets)) > _MOST_QUERIES:
        raise OptionError("the queries are too many for one task; ask in parts", place="similar")
    find = partial(_find, queries=sets, plan=plan)
    found = stored.where("size > 0").select("name", *COMPARED).mapInArrow(find, _HITS)
    hits = job.with_key(plan.recipe, plan.question, sets).stage("hits", lambda: found, is_last=True)
    order = F.desc("similarity"), F.asc("document")
    if question.top is not None:
        rank = F.row_number().over(Window.partitionBy("query").orderBy(*order))
        hits = hits.withColumn("rank", rank).where(F.col("rank") <= question.top)
    names = F.array(*(F.lit(row["name"]) for row in rows_of))
    name = F.get(names, F.col("query").cast("int")).alias("query")
    return hits.orderBy("query", *order).select(name, "document", "score", "similarity")


def _find(batches: Batches, queries: Sequence[bytes], plan: SearchPlan) -> Batches:
    sets: list[Any] = [np.frombuffer(octets, np.uint64) for octets in queries]
    for batch in batches:
        names, _, *arrays = batch.columns
        search = BySets(table_of(plan, *arrays), plan, exhaustive=True)
        for number, query in enumerate(sets):
            rows, scores = search.rows_like(query)
            owners = np.full(len(rows), number)
            yield arrow(_HITS, owners, names.take(pa.array(rows)), scores.score, scores.similarity)


def plan_of(job: Work, question: Question) -> SearchPlan:
    """The plan of a search by shingles, whose length follows from the longest text by default.

    Raises OptionError for what is compared otherwise.
    """

    def longest() -> int:
        return int(job.texts.agg(F.max(F.length("text"))).collect()[0][0] or 0)

    spec = CollectionSpec(question.recipe or recipe_from("deduplicate"))
    recipe, _ = with_shingle_length(complete_recipe(spec), longest)
    question = replace(question, recipe=None)
    plan = plan_search(MemoryCollection(recipe, Ragged.of([]), []), question)
    if plan.compares != "shingles" or not plan.symmetric:
        raise OptionError(
            f"engine spark compares shingles by a symmetric matcher, and {plan.matcher} is none; "
            "use jaccard or dice"
        )
    return plan


def shingled(job: Work, recipe: RecipeSpec) -> tuple[DataFrame, DataFrame]:
    """A row for each document with its shingles, its sketch, and a digest of its shingles.

    Beside it are the problems of documents: `number`, `name`, `problem`. Raises UnreadableError if
    a name is missing, or repeats where names are unique.
    """
    make, work = partial(_shingle, recipe=recipe, unique=job.unique), job.with_key(recipe)
    documents = work.stage("documents", lambda: job.texts.mapInArrow(make, _DOCUMENTS))
    wrong = documents.where(F.col("problem").startswith(_FATAL)).select("problem").head(1)
    if wrong:
        raise UnreadableError(wrong[0][0].rpartition("\t")[2])
    problems = documents.where("problem is not null").select("number", "name", "problem")
    return documents.where("problem is null"), problems


@lru_cache(maxsize=4)
def _builder(recipe: RecipeSpec) -> RowBuilder:
    return RowBuilder(recipe, tokens=False)


def _shingle(batches: Batches, recipe: RecipeSpec, *, unique: bool) -> Batches:
    """The rows of `shingled` for the texts of a job, in order."""
    last, sketcher = None, Derivation(recipe, recipe).sketcher
    for batch in batches:
        problems, items = list[tuple[Any, ...]](), list[InputDocument]()
        values = dict[str, tuple[Any, Any]]()
        columns = (each.to_pylist() for each in batch.columns)
        for number, name, text, problem, *carried in zip(*columns, strict=True):
            named = named_text({"text": text}, Fields(), number)
            if unique and (name is None or name == last):
                what = f"a document has the id {name}" + " of another" * (name == last)
                problems.append((number, name, f"{_FATAL}\t\t{what}; give each an id of its own"))
            elif problem or isinstance(named, str):
                problems.append((number, name, problem or problem_of(name, named)))
            else:
                items.append(InputDocument(str(number), name, text=named[1], place=name))
                values[str(number)] = (*carried,)
            last = name
        for some in in_batches(items):
            noted, known = list[Problem](), {each.called: each for each in some}
            built = _builder(recipe)(some, noted)
            for problem in noted:
                item = known.get(problem.path, some[0])
                what = f"{problem.severity}\t{problem.category}\t{problem.message}"
                problems.append((int(item.root), item.name, what))
            if rows := built.rows:
                sets: Any = rows.arrays[SHINGLES]
                sketches = rows.arrays[SKETCHES] if SKETCHES in rows.arrays else sketcher(sets)
                octets = [values.tobytes() for values in sets]
                yield arrow(
                    _DOCUMENTS,
                    [int(each.root) for each in rows.documents],
                    [each.name for each in rows.documents],
                    [None] * len(sets),
                    *zip(*(values[each.root] for each in rows.documents), strict=True),
                    built.lengths,
                    sets.lengths,
                    [blake2b(each, digest_size=16).digest() for each in octets],
                    [row.tobytes() for row in np.asarray(sketches)],
                    octets,
                )
        nothing = (None, None, 0, 0, None, None, None)
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


def table_of(plan: SearchPlan, sketches: pa.Array, shingles: pa.Array) -> Table:
    """The table of some documents, as searches of a collection have it."""
    sets, arrays = _ragged(shingles), {SKETCHES: _sketches(sketches)}
    memory = MemoryCollection(plan.recipe, sets, [""] * len(sets), arrays)
    return Table(segment_views(memory, plan.derivation), plan.derivation)


def sorted_table(plan: SearchPlan, rows: pa.Table) -> tuple[Rows, Table]:
    """The numbers of documents in order, and their table."""
    ordered = rows.select(COMPARED).sort_by("number").combine_chunks()
    numbers, *arrays = (column.chunk(0) for column in ordered.columns)
    return numbers.to_numpy(), table_of(plan, *arrays)


def with_first(rows: DataFrame) -> DataFrame:
    """`number` and `size` of documents with shingles, and the `first` of equal ones in a scope.

    `copies` is how many are equal.
    """
    slim = rows.where("size > 0").select("number", "size", "digest", "scope")
    least = F.min("number").alias("first"), F.count("*").alias("copies")
    return slim.join(slim.groupBy("digest", "scope").agg(*least), ["digest", "scope"])


def _of_all_members(members: DataFrame, links: DataFrame) -> DataFrame:
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
    ends = "left_number, right_number"
    return pairs.selectExpr(
        f"least({ends}) as left", f"greatest({ends}) as right", "score", "similarity"
    )


def links_of(job: Work, rows: DataFrame, members: DataFrame, plan: SearchPlan) -> DataFrame:
    """The links of first ones of equal documents in a scope, with the smaller number on the left.

    A document of which links were left out, since there are too many, is also linked to itself.
    """
    work = job.with_key(plan.recipe, plan.question)
    firsts = members.where("number = first")
    total = firsts.dropDuplicates(["digest"]).agg(F.sum("size")).collect()[0][0] or 0
    bands = plan.bands_for(plan.derivation.sketcher.slots)
    if (plan.allows_join or bands is None) and total <= LITTLE.shingles:
        few = rows.join(firsts.select("number"), "number", "left_semi").groupBy("scope")
        # A `partial` with annotations is none of the functions that Spark Connect 4.3 takes here.
        find = lambda some: _all_pairs(some, plan)  # noqa: E731
        return work.stage("pairs", lambda: few.applyInArrow(find, _EDGES))
    if bands is None:
        raise OptionError(
            f"engine spark finds candidates by bands, and there are none for {plan.matcher} of "
            f"{plan.least_of_sets}; use a higher similarity"
        )
    sketches = rows.where("size > 0").select("number", "size", "scope", "sketch")
    others = members.where("number != first").select("number")
    parts = 64 + firsts.count() * bands.layout(plan.derivation.sketcher.slots)[0] // _KEYS
    keys = partial(_keys, bands=bands, parts=parts)
    keyed = sketches.join(others, "number", "left_anti").mapInArrow(keys, _PARTS)
    in_order = keyed.repartition("part").sortWithinPartitions("part")
    find = partial(_buckets, scorer=plan.scorer, minimum=plan.least_of_sets)
    buckets = work.stage("buckets", lambda: in_order.mapInArrow(find, _BUCKETS))
    ends = buckets.select(F.col("left").alias("number")).union(buckets.select("right"))
    ends = ends.where("number is not null").distinct()
    semi = rows.select(*COMPARED).join(ends, "number", "left_semi")
    needed = work.stage("candidates", lambda: semi)
    pairs = buckets.where("right is not null").select("left", "right").distinct()
    verified = scored(pairs, needed, plan, plan.least_of_sets, bands.similarity)
    large = buckets.where("right is null").select(F.col("left").alias("number"), "part")
    parts = large.distinct().join(needed, "number").groupBy("part")
    find_all = lambda part: _oversized(part, plan, bands.similarity)  # noqa: E731
    every = verified.union(parts.applyInArrow(find_all, _EDGES)).distinct()
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
    return pairs.select("left", "right", *names).mapInArrow(score, _EDGES)


def _all_pairs(rows: pa.Table, plan: SearchPlan) -> pa.Table:
    """The links of all documents of a scope, by the local search."""
    numbers, table = sorted_table(plan, rows)
    found = BySets(table, plan).pairs_of_rows().numbered(numbers, ordered=True)
    return _links(found.left, found.right, found, found.incomplete)


def _links(left: Rows, right: Rows, scores: Links | Scores, incomplete: Rows) -> pa.Table:
    """The links of pairs, and of documents of which some are left out to themselves."""
    links = arrow(_EDGES, left, right, scores.score, scores.similarity)
    nothing = np.zeros(len(incomplete))
    marks = arrow(_EDGES, incomplete, incomplete, nothing.astype(np.int64), nothing)
    return pa.Table.from_batches([links, marks])


@lru_cache
def _hash_of(scope: str) -> int:
    return int.from_bytes(blake2b(scope.encode(), digest_size=8).digest(), "little")


def _keys(batches: Batches, bands: Bands, parts: int) -> Batches:
    """The keys of bands, which differ in two scopes, with the numbers and sizes of documents.

    A row holds all keys of some documents that are in one of the `parts`.
    """
    for batch in batches:
        numbers, sizes = (batch.column(name).to_numpy() for name in ("number", "size"))
        scopes = [_hash_of(scope) for scope in batch.column("scope").to_pylist()]
        keys = bands.keys(_sketches(batch.column("sketch"))) ^ np.array(scopes, np.uint64)[:, None]
        owners, keys = np.repeat(np.arange(len(keys)), keys.shape[1]), keys.ravel()
        part = keys % np.uint64(parts)
        order = np.argsort(part, kind="stable")
        columns = np.stack([keys.view(np.int64), numbers[owners], sizes[owners]])[:, order]
        present, begins = np.unique(part[order], return_index=True)
        octets = [each.tobytes() for each in np.split(columns, begins[1:], axis=1)]
        yield arrow(_PARTS, present.astype(np.int64), octets[: len(present)])


def _buckets(batches: Batches, scorer: Scorer, minimum: int) -> Batches:
    """Candidate pairs of small buckets, and members of parts of oversized ones.

    An oversized bucket is often the same in all bands; then so are its parts.
    """
    rows = (row for batch in batches for row in batch.to_pylist())
    for _, some in groupby(rows, key=itemgetter("part")):
        columns = [np.frombuffer(row["keys"], np.int64).reshape(3, -1) for row in some]
        keys, numbers, sizes = np.concatenate(columns, axis=1)
        order = np.lexsort([numbers, keys])
        keys, numbers, sizes = keys[order], numbers[order], sizes[order]
        begins, lengths = runs(keys)
        large = is_oversized(lengths)
        for left, right in all_pairs(np.arange(len(keys)), begins[~large], lengths[~large]):
            near = scorer.can_reach(minimum, sizes[left], sizes[right])
            none = pa.nulls(int(near.sum()), pa.int64())
            yield arrow(_BUCKETS, numbers[left[near]], numbers[right[near]], none)
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
        left, right = (batch.column(name).to_numpy() for name in ("left", "right"))
        sketches, others = (_sketches(batch.column(place)) for place in (2, 3))
        near = np.flatnonzero(np.count_nonzero(sketches == others, axis=1) >= least)
        ones, twos = (_ragged(batch.column(place)) for place in (4, 5))
        shared = common(ones, twos, (near, near))
        scores = plan.scorer(shared, ones.lengths[near], twos.lengths[near])
        enough = scores.score >= minimum
        scores, near = scores.take(enough), near[enough]
        yield arrow(_EDGES, left[near], right[near], scores.score, scores.similarity)


def _oversized(part: pa.Table, plan: SearchPlan, jaccard: float) -> pa.Table:
    """The links in a part of an oversized bucket, and the documents of which some are left out."""
    ids, table = sorted_table(plan, part)
    bound, places = ScoreBound(plan.scorer, plan.least_of_sets, jaccard), np.arange(len(ids))
    collector = Collector(table, bound, groups=places.copy())
    collector.add_oversized([places], places.astype(np.uint64), MOST_WORK)
    found = collector.candidates
    sizes = table.sizes[found.left], table.sizes[found.right]
    scores = plan.scorer(np.asarray(found.common), *sizes)
    return _links(ids[found.left], ids[found.right], scores, ids[found.incomplete])
