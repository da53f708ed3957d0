"""Similar documents in Spark: pairs, as `FindPairs` has them, and those similar to queries.

Shingles are those of the row builder of collections; sketches are made where they are needed.
Documents with equal shingles are compared once. Pairs are LSH candidates, verified with the
shingles of both. An oversized bucket is compared in parts of bounded memory by the local search.
Where bands find nothing, candidates are those of an exact join with a prefix filter.

The documents of a second side have negative numbers, so that they stand before those of the first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.collections.collection_recipe import (
    CollectionSpec,
    complete_recipe,
    with_shingle_length,
)
from sdtext.collections.memory import MemoryCollection, MemoryColumns
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import SHINGLES
from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.model import Problem, RecipeSpec
from sdtext.parts.indexes import Bands
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.inputs import in_batches
from sdtext.reading.records.record import Fields, InputDocument, named_text, whole
from sdtext.search.candidates.buckets import PAIRWISE, pairs_and_oversized, split
from sdtext.search.candidates.exact_join import LITTLE
from sdtext.search.candidates.intersections import common
from sdtext.search.scoring import least_equal_slots
from sdtext.search.search_plan import Question, SearchPlan, plan_search
from sdtext.search.searchable import SegmentView, Table
from sdtext.search.set_search import BySets
from sdtext.spark.stages import Batches, Report, Work, arrow, problem_of, schema_of

COMPARED = "number", "shingles"
_DOCUMENTS = (
    "number long, name string, keep string, scope string, problem string, length long, size long, "
    "digest binary, shingles binary"
)
_CARRIED = "number", "name", "keep", "scope"  # columns of texts
EDGES = "left long, right long, score long, similarity double"
LINKS = "left", "right", "score", "similarity"
_BUCKETS = "left long, right long, part long"
_PARTS = "part long, keys binary, numbers binary, sizes binary"
_SHINGLES = "number long, size long, shingle long"
_HITS = "place long, query string, document string, score long, similarity double"
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
    `similarity` is 0 to 1. `work` is a folder that Spark reads and writes, where stages of an
    earlier call for the same documents and options are used again. `report` is called with the name
    of each stage. Raises OptionError, UnreadableError.
    """
    asked = Question.of(similarity, recall=recall, matcher=matcher, recipe=recipe_from(recipe))
    named = text_field, id_field, work, report
    second = None if other is None else Work.on("find_pairs", other, *named)
    return pairs_of(Work.on("find_pairs", documents, *named), asked, second)


def pairs_of(job: Work, question: Question, other: Work | None = None) -> DataFrame:
    """The pairs of the documents of a job, or between these and others, the most similar first."""
    if other and other.key == job.key:
        other = None
    plan = plan_of(question, job, other)
    if not (plan.symmetric or other):
        what = f"engine spark finds pairs of one input by a symmetric matcher, not {plan.matcher}"
        raise OptionError(f"{what}; use jaccard, dice or overlap")
    job, two_sided = job.with_key(question, other and other.key), other is not None
    rows = shingled(job, plan.recipe)[0]
    if other:
        rows = rows.union(second_side(other.with_key(question), plan.recipe))
    members, links = PairSearch(plan, two_sided=two_sided).links(job, rows)
    # Equal documents make pairs, too, but of a group of more than 64 by its first one alone.
    own = members.where(f"number = first and copies > 1 and not {two_sided}")
    own = own.selectExpr("first as left", "first as right", "99L as score", "1.0D as similarity")
    named = members.selectExpr("first as number", "number as own", f"copies > {PAIRWISE} as large")
    pairs = with_both(links.where("left != right").select(*LINKS).union(own), named, "own", "large")
    pairs = pairs.where("left != right or left_own < right_own")
    pairs = pairs.where("left = left_own or right = right_own or not (left_large or right_large)")
    ends = "least(left_own, right_own) as left", "greatest(left_own, right_own) as right"
    pairs = with_both(pairs.selectExpr(*ends, "score", "similarity"), rows, "name")
    left, right = ("right", "left") if other else ("left", "right")
    names = f"{left}_name as left", f"{right}_name as right"
    pairs = pairs.selectExpr(*names, "score", "similarity")
    pairs = pairs.orderBy(F.desc("similarity"), "left", "right")
    return pairs if question.top is None else pairs.limit(question.top)


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
    stored = shingled(job, plan.recipe)[0].where("size > 0")
    encoded = _shingle(iter(queries.texts.toArrow().to_batches()), plan.recipe)
    asked = pa.Table.from_batches(encoded, schema_of(_DOCUMENTS)).filter(pc.field("size") > 0)
    if asked["shingles"].nbytes > _MOST_QUERIES:
        raise OptionError("the queries are too many for one task; ask in parts", place="similar")
    find = partial(_find, queries=asked, plan=plan)
    hits = job.stage("hits", stored.select("name", *COMPARED).mapInArrow(find, _HITS))
    order = F.desc("similarity"), F.asc("document")
    if question.top is not None:
        rank = F.row_number().over(Window.partitionBy("place").orderBy(*order))
        hits = hits.withColumn("rank", rank).where(F.col("rank") <= question.top)
    return hits.orderBy("place", *order).select("query", "document", "score", "similarity")


def _find(batches: Batches, queries: pa.Table, plan: SearchPlan) -> Batches:
    asked = [*zip(queries["name"].to_pylist(), _numbers(queries["shingles"]), strict=True)]
    for batch in batches:
        documents = pa.Table.from_batches([batch]).sort_by("number")
        search = BySets(table_of(documents, plan), plan, exhaustive=True)
        for place, (query, shingles) in enumerate(asked):
            rows, scores = search.rows_like(shingles)
            names = documents["name"].take(pa.array(rows)).combine_chunks()
            own = [place] * len(rows), [query] * len(rows)
            yield arrow(_HITS, *own, names, scores.score, scores.similarity)


def plan_of(question: Question, *jobs: Work | None) -> SearchPlan:
    """The plan of a search by shingles, whose length follows from the longest text by default.

    Raises OptionError for what is compared otherwise.
    """
    lengths = [job.texts.select(F.max(F.length("text"))) for job in jobs if job]
    spec = CollectionSpec(question.recipe or recipe_from("deduplicate"))
    recipe, _ = with_shingle_length(
        complete_recipe(spec), lambda: max(rows.collect()[0][0] or 0 for rows in lengths)
    )
    question = replace(question, recipe=None)
    plan = plan_search(MemoryCollection(recipe, Ragged.of([]), []), question)
    if plan.compares != "shingles":
        what = f"engine spark compares shingles alone, and {plan.matcher} other things"
        raise OptionError(f"{what}; use jaccard, dice or overlap")
    return plan


def shingled(job: Work, recipe: RecipeSpec) -> tuple[DataFrame, DataFrame]:
    """A row for each document with its shingles, and a digest of these.

    Beside it are the `number`, the `name` and the `problem` of all, of those that have none, too.
    """
    make = partial(_shingle, recipe=recipe)
    documents = job.stage("documents", job.of_texts(make, _DOCUMENTS))
    return documents.where("problem is null"), documents.select("number", "name", "problem")


def second_side(job: Work, recipe: RecipeSpec) -> DataFrame:
    """The rows of `shingled` for the documents of a second side."""
    return shingled(job, recipe)[0].withColumn("number", F.expr("number | shiftleft(1L, 63)"))


def _shingle(batches: Batches, recipe: RecipeSpec) -> Batches:
    """The rows of `shingled` for the texts of a job, in order."""
    builder = RowBuilder(recipe, tokens=False, digests=False, columns=frozenset({SHINGLES}))
    for batch in batches:
        items, places, problems = list[InputDocument](), list[int](), list[str]()
        columns = (batch.column(name).to_pylist() for name in ("name", "text", "problem"))
        for place, (name, text, problem) in enumerate(zip(*columns, strict=True)):
            if problem or not text or text.isspace():
                why = problem or problem_of(name, named_text({"text": text}, Fields(), 0))
                places.append(place)
                problems.append(why)
            else:
                items.append(InputDocument(str(place), name, text=whole(text), place=name))
        carried, noted = batch.select(_CARRIED), list[Problem]()
        for some in in_batches(items):
            documents, arrays, _ = builder.encoded(some, noted)
            if documents:
                sets: Any = arrays[SHINGLES]
                octets = [each.tobytes() for each in sets]
                yield arrow(
                    _DOCUMENTS,
                    *carried.take(pa.array([int(each.item.root) for each in documents])),
                    pa.nulls(len(documents), pa.string()),
                    [len(each.document.clean) for each in documents],
                    sets.lengths,
                    [blake2b(each, digest_size=16).digest() for each in octets],
                    octets,
                )
        place_of = {each.called: int(each.root) for each in items}
        places += [place_of.get(it.path, 0) for it in noted]
        problems += [f"{it.severity}\t{it.category}\t{it.message}" for it in noted]
        nothing = [[None] * len(places)] * 4
        yield arrow(_DOCUMENTS, *carried.take(pa.array(places, pa.int64())), problems, *nothing)


def _numbers(column: pa.Array | pa.ChunkedArray) -> Ragged:
    """The rows of a column of bytes as numbers."""
    values = np.frombuffer(b"".join(column.to_pylist()), np.uint64)
    return Ragged(values, offsets_of(pc.binary_length(column).to_numpy() // 8))


def table_of(documents: pa.Table, plan: SearchPlan, *, two_sided: bool = False) -> Table:
    """The table of documents that is searched, in the order of their numbers."""
    ordered, views = documents.sort_by("number"), list[SegmentView]()
    border = int(np.searchsorted(ordered["number"].to_numpy(), 0))
    for side, rows in enumerate((ordered[:border], ordered[border:])):
        columns = {SHINGLES: _numbers(rows["shingles"])}
        segment = MemoryColumns(rows["number"].to_numpy(), columns)
        views.append(SegmentView(segment, plan.derivation, side, segment.alive))
    return Table(views, plan.derivation, two_sided)


def with_both(pairs: DataFrame, documents: DataFrame, *columns: str) -> DataFrame:
    """The pairs with columns of the documents on both sides, such as `left_name`."""
    for side in ("left", "right"):
        own = (F.col(name).alias(f"{side}_{name}") for name in columns)
        pairs = pairs.join(documents.select(F.col("number").alias(side), *own), side)
    return pairs


@dataclass(frozen=True)
class PairSearch:
    """A search of pairs of documents within a scope, or with `is_across` of all.

    If it is `two_sided`, pairs have a document of each side. The matcher is symmetric, or documents
    come before those that they may contain.
    """

    plan: SearchPlan
    is_across: bool = False
    two_sided: bool = False

    def links(self, job: Work, rows: DataFrame) -> tuple[DataFrame, DataFrame]:
        """The documents with the `first` of equal ones in a scope, and the links of first ones.

        `copies` is how many are equal. The smaller number is on the left. Across scopes, links
        within one do not count, as `counts` tells. A document of which links were left out, since
        there are too many, is also linked to itself.
        """
        plan, apart = self.plan, F.lit("") if self.is_across else F.col("scope")
        bands = plan.bands_for(plan.derivation.sketcher.slots)
        documents = rows.where("size > 0")
        slim = documents.selectExpr("number", "size", "digest", "scope", "number < 0 as side")
        ordered = slim.repartition("digest").sortWithinPartitions("digest", "side", "scope")
        equal, same = (f"over (partition by digest, side{own})" for own in (", scope", ""))
        groups = f"min(number) {equal} as first", f"count(*) {equal} as copies"
        is_new = f"number = min(number) {same} as is_new"
        members = job.stage("members", ordered.selectExpr("number", "size", *groups, is_new))
        counted = "count_if(number = first)", "sum(if(is_new, size, 0))"
        number, total = members.selectExpr(*counted).collect()[0]
        others = members.where("number != first").select("number")
        compared = documents.join(others, "number", "left_anti")
        compared = compared.select("size", F.xxhash64(apart).alias("apart"), *COMPARED)
        # Spark Connect 4.3 takes no method with annotations here.
        search = lambda some: self._all_pairs(some)  # noqa: E731, PLW0108
        is_little = (total or 0) <= LITTLE.shingles and (plan.allows_join or bands is None)
        if plan.symmetric and is_little:
            found = compared.groupBy("apart").applyInArrow(search, EDGES)
        else:
            made = self._sharing_rare(compared)
            if bands:
                parts = 64 + number * bands.layout(plan.derivation.sketcher.slots)[0] // _KEYS
                keys = partial(self._keys, bands=bands, parts=parts)
                keyed = compared.mapInArrow(keys, _PARTS).groupBy("part")
                made = keyed.applyInArrow(lambda part: self._buckets(part), _BUCKETS)  # noqa: PLW0108
            buckets = job.stage("buckets", made.distinct())
            ends = buckets.select(F.explode(F.array("left", "right")).alias("number"))
            needed = rows.select(*COMPARED).join(ends, "number", "left_semi")
            needed = job.stage("candidates", needed)
            pairs = buckets.where("right is not null").select("left", "right")
            large = buckets.where("right is null").selectExpr("left as number", "part")
            in_parts = large.join(needed, "number").groupBy("part").applyInArrow(search, EDGES)
            found = self.scored(pairs, needed, plan.least_of_sets, bands.similarity if bands else 0)
            found = found.union(in_parts).distinct()
        links, counts = job.stage("pairs", found), "true"
        if self.is_across:
            links, counts = with_both(links, rows, "scope"), "left_scope != right_scope"
        return members, links.selectExpr(*LINKS, f"{counts} as counts")

    def scored(
        self, pairs: DataFrame, documents: DataFrame, minimum: int, jaccard: float = 0
    ) -> DataFrame:
        """The pairs that score `minimum`, whose sketches are as equal as for `jaccard`."""
        score = partial(self._score, minimum=minimum, jaccard=jaccard)
        return with_both(pairs, documents, "shingles").mapInArrow(score, EDGES)

    def _sharing_rare(self, rows: DataFrame) -> DataFrame:
        """The pairs of which one document has a rare shingle of the other, as in `exact_join`.

        That other document is the smaller one, or if the matcher is not symmetric, the later one.
        """
        share = self.plan.scorer.part.least_share(self.plan.least_of_sets / 100)
        values = rows.mapInArrow(_explode, _SHINGLES)
        often = F.count("*").over(Window.partitionBy("shingle")).alias("often")
        rank = F.row_number().over(Window.partitionBy("number").orderBy("often", "shingle"))
        ranked = values.select("*", often).select("*", rank.alias("rank"))
        fewest = f"greatest(1, ceil({share}D * size - 1e-9D))"
        rarest = ranked.where(f"often > 1 and rank <= size - {fewest} + 1")
        pairs = rarest.join(values.toDF("other", "other_size", "shingle"), "shingle")
        crosses = "(number < 0) != (other < 0)" if self.two_sided else "number != other"
        follows = "size <= other_size" if self.plan.symmetric else "other < number"
        ends = "least(number, other) as left", "greatest(number, other) as right"
        return pairs.where(crosses).where(follows).selectExpr(*ends, "bigint(null) as part")

    # What tasks do, on batches of Arrow.

    def _all_pairs(self, rows: pa.Table) -> pa.Table:
        """The links by the local search; documents that lack some are linked to themselves."""
        found = BySets(table_of(rows, self.plan, two_sided=self.two_sided), self.plan).pairs()
        links = arrow(EDGES, found.left, found.right, found.score, found.similarity)
        nothing = [0] * len(found.incomplete)
        marks = arrow(EDGES, found.incomplete, found.incomplete, nothing, nothing)
        return pa.Table.from_batches([links, marks])

    def _keys(self, batches: Batches, bands: Bands, parts: int) -> Batches:
        """The keys of bands, other ones for documents that are apart, with their numbers and sizes.

        A row holds all keys of some documents that are in one of the `parts`.
        """
        for batch in batches:
            sizes, apart, numbers = (column.to_numpy() for column in batch.columns[:3])
            keys = bands.keys(self.plan.derivation.sketcher(_numbers(batch.column("shingles"))))
            keys ^= apart.view(np.uint64)[:, None]
            part = (keys.ravel() % np.uint64(parts)).astype(np.min_scalar_type(parts))
            order = np.argsort(part, kind="stable")  # fast for small numbers
            present, begins = np.unique(part[order], return_index=True)
            owners = order // keys.shape[1]
            held = keys.ravel()[order], numbers[owners], sizes[owners].astype(np.uint32)
            columns = ([*map(bytes, np.split(each, begins[1:]))] for each in held)
            yield arrow(_PARTS, present.astype(np.int64), *columns)

    def _buckets(self, rows: pa.Table) -> pa.Table:
        """Candidate pairs of small buckets, and members of parts of oversized ones.

        An oversized bucket is often the same in all bands; then so are its parts.
        """
        minimum, can_reach = self.plan.least_of_sets, self.plan.scorer.can_reach
        held = map(b"".join, (column.to_pylist() for column in rows.columns[1:]))
        keys, numbers, sizes = map(np.frombuffer, held, (np.uint64, np.int64, np.uint32))
        order, sizes, made = np.argsort(keys), sizes.astype(np.int64), [arrow(_BUCKETS)]
        pairs, oversized = pairs_and_oversized(keys[order], order)
        for left, right in pairs:
            near = can_reach(minimum, sizes[left], sizes[right])
            ends = np.sort(numbers[[left[near], right[near]]], axis=0)
            if self.two_sided:
                ends = ends[:, (ends[0] < 0) & (ends[1] >= 0)]
            made.append(arrow(_BUCKETS, *ends, pa.nulls(ends.shape[1], pa.int64())))
        for bucket in oversized:
            most = max(4, min(len(bucket), int(_VALUES // sizes[bucket].mean())))
            own = numbers[bucket]
            # Parts have documents of both sides.
            for part in split(own[np.argsort(own & _OWN)], most):
                digest = blake2b(part.tobytes(), digest_size=8).digest()
                same = np.full(len(part), int.from_bytes(digest, "little", signed=True))
                made.append(arrow(_BUCKETS, part, pa.nulls(len(part), pa.int64()), same))
        return pa.Table.from_batches(made)

    def _score(self, batches: Batches, minimum: int, jaccard: float) -> Batches:
        sketcher, sides = self.plan.derivation.sketcher, ("left", "right")
        for batch in batches:
            ones, others = sets = [_numbers(batch.column(f"{side}_shingles")) for side in sides]
            # What another document may contain is on the right.
            shared = common(ones, others, (np.arange(len(ones)),) * 2)
            scores = self.plan.scorer(shared, others.lengths, ones.lengths)
            enough = np.flatnonzero(scores.score >= minimum)
            one, other = (sketcher(each.take(enough)) for each in sets)
            equal = np.count_nonzero(one == other, axis=1)
            enough = enough[equal >= least_equal_slots(sketcher.slots, jaccard)]
            scores = scores.take(enough)
            ends = (batch.column(side).to_numpy()[enough] for side in sides)
            yield arrow(EDGES, *ends, scores.score, scores.similarity)


def _explode(batches: Batches) -> Batches:
    """A row for each shingle of a document, others for documents that are apart."""
    for batch in batches:
        sizes, apart, numbers = (column.to_numpy() for column in batch.columns[:3])
        sets = _numbers(batch.column("shingles"))
        shingles = (sets.values ^ apart.view(np.uint64)[sets.owners]).view(np.int64)
        yield arrow(_SHINGLES, numbers[sets.owners], sizes[sets.owners], shingles)
