"""Similar documents in Spark: pairs, as `FindPairs` has them, and those similar to queries.

Pairs are LSH candidates, or those of an exact join with a prefix filter, verified with the shingles
of both. An oversized bucket is compared in parts of bounded memory by the local search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.collections.collection_recipe import CollectionSpec, settled_recipe
from sdtext.collections.memory import MemoryCollection
from sdtext.errors import OptionError
from sdtext.model import RecipeSpec
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.search import search_in_parts as in_parts
from sdtext.search.candidates.buckets import PAIRWISE
from sdtext.search.candidates.exact_join import LITTLE
from sdtext.search.search_plan import Question, SearchPlan, plan_search
from sdtext.spark.components import with_both
from sdtext.spark.stages import Report, Work

COMPARED = "number", "shingles"
LINK = "left", "right", "score", "similarity"
_KEYS = 1 << 21  # of bands that are sorted at once
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

    With `other` documents, each pair has one of both. The options are those of `Collection.pairs`.
    `work` is a folder that Spark reads and writes, where stages of an earlier such call are used
    again. `report` is called with the name of each stage. Raises OptionError, UnreadableError.
    """
    asked = Question.of(similarity, recall=recall, matcher=matcher, recipe=recipe_from(recipe))
    named = text_field, id_field, work, report
    second = None if other is None else Work.on("find_pairs", other, *named)
    return pairs_of(Work.on("find_pairs", documents, *named), asked, second)[0]


def pairs_of(
    job: Work, question: Question, other: Work | None = None
) -> tuple[DataFrame, DataFrame]:
    """The pairs of the documents of a job, or between these and others, the most similar first.

    Also the documents with more pairs than are listed.
    """
    if other and other.key == job.key:
        other = None
    plan = plan_of(question, job, other)
    if not (plan.symmetric or other):
        what = f"engine spark finds pairs of one input by a symmetric matcher, not {plan.matcher}"
        raise OptionError(f"{what}; use jaccard, dice or overlap")
    job, two_sided = job.with_key(question, other and other.key), other is not None
    rows = shingled(job, plan.recipe)[0]
    if other:
        rows = rows.union(second_side(other, plan.recipe))
    members, links = PairSearch(plan, two_sided=two_sided).links(job, rows)
    lacking = members.where(f"number = first and copies > {PAIRWISE}").select("number")
    lacking = lacking.union(links.where("left = right").select("left")).distinct()
    # Equal documents make pairs, too, but of a group of more than 64 by its first one alone.
    own = members.where(f"number = first and copies > 1 and not {two_sided}")
    own = own.selectExpr("first as left", "first as right", "99L as score", "1.0D as similarity")
    named = members.selectExpr("first as number", "number as own", f"copies > {PAIRWISE} as large")
    pairs = with_both(links.where("left != right").select(*LINK).union(own), named, "own", "large")
    pairs = pairs.where("left != right or left_own < right_own")
    pairs = pairs.where("left = left_own or right = right_own or not (left_large or right_large)")
    ends = "least(left_own, right_own) as left", "greatest(left_own, right_own) as right"
    pairs = with_both(pairs.selectExpr(*ends, "score", "similarity"), rows, "name")
    left, right = ("right", "left") if other else ("left", "right")
    columns = f"{left}_name as left", f"{right}_name as right", "score", "similarity"
    pairs = pairs.selectExpr(*columns).orderBy(F.desc("similarity"), "left", "right")
    return pairs if question.top is None else pairs.limit(question.top), lacking


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

    They are those of `similarity` or more, or the `top` most similar ones; one of these is given.
    `queries` have the columns of `documents`, and fit in memory. The other options are as in
    `find_pairs`. Raises OptionError, UnreadableError.
    """
    if similarity is None and top is None:
        raise OptionError("name a similarity or top", place="similar")
    question = Question.of(similarity, top=top, matcher=matcher, recipe=recipe_from(recipe))
    asked = Work.on("similar", queries, text_field, id_field, work)
    job = Work.on("similar", documents, text_field, id_field, work, report)
    return hits_of(job, asked, question)


def hits_of(job: Work, queries: Work, question: Question) -> DataFrame:
    """The documents of a job that are similar to queries."""
    job, plan = job.with_key(question, queries.key), plan_of(question, job)
    stored = shingled(job, plan.recipe)[0].where("size > 0")
    encoded = shingled(queries, plan.recipe)[0].where("size > 0")
    asked = encoded.orderBy("number").toArrow()
    if asked["shingles"].nbytes > _MOST_QUERIES:
        raise OptionError("the queries are too many for one task; ask in parts", place="similar")
    total = stored.agg(F.sum("size")).collect()[0][0] or 0
    find = partial(in_parts.hits_in, queries=asked, plan=plan, total=total)
    hits = job.stage("hits", stored.select("name", *COMPARED).mapInArrow(find, in_parts.HITS))
    order = F.desc("similarity"), F.asc("document")
    if question.top is not None:
        rank = F.row_number().over(Window.partitionBy("place").orderBy(*order))
        hits = hits.withColumn("rank", rank).where(F.col("rank") <= question.top)
    return hits.orderBy("place", *order).select("query", "document", "score", "similarity")


def plan_of(question: Question, *jobs: Work | None) -> SearchPlan:
    """The plan of a search by shingles; their length may follow from the longest text."""
    lengths = [job.texts.select(F.max(F.length("text"))) for job in jobs if job]
    spec = CollectionSpec(question.recipe or recipe_from("deduplicate"))
    recipe = settled_recipe(spec, lambda: max(rows.collect()[0][0] or 0 for rows in lengths))
    question = replace(question, recipe=None)
    plan = plan_search(MemoryCollection.of_rows(recipe, []), question)
    if plan.compares != "shingles":
        what = f"engine spark compares shingles alone, and {plan.matcher} other things"
        raise OptionError(f"{what}; use jaccard, dice or overlap")
    return plan


def shingled(job: Work, recipe: RecipeSpec) -> tuple[DataFrame, DataFrame]:
    """Documents with shingles and their digest; and the number, the name and the problem of all."""
    parse, encode = job.parse or iter, partial(in_parts.encoded, recipe=recipe)
    # The task that parses texts encodes them.
    documents = job.rows.mapInArrow(lambda rows: encode(parse(rows)), in_parts.DOCUMENTS)
    documents = job.with_key(recipe).stage("documents", documents)
    return documents.where("problem is null"), documents.select("number", "name", "problem")


def second_side(job: Work, recipe: RecipeSpec) -> DataFrame:
    """The rows of `shingled` for the documents of a second side."""
    return shingled(job, recipe)[0].withColumn("number", F.expr("number | shiftleft(1L, 63)"))


@dataclass(frozen=True)
class PairSearch:
    """A search of pairs of documents within a scope, or with `is_across` of all.

    If it is `two_sided`, pairs have a document of each side. Unless the matcher is symmetric,
    documents come before those that they may contain.
    """

    plan: SearchPlan
    is_across: bool = False
    two_sided: bool = False

    def links(self, job: Work, rows: DataFrame) -> tuple[DataFrame, DataFrame]:
        """The documents with the `first` of equal ones in a scope, and the links of first ones.

        `copies` is how many are equal. Across scopes, links within one do not count, as `counts`
        tells. A document of which links were left out, as too many, is also linked to itself.
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
        # A `partial` with annotations is none of the functions that Spark Connect 4.3 takes here.
        search = lambda rows: in_parts.all_pairs(rows, plan, two_sided=self.two_sided)  # noqa: E731
        bucket = lambda rows: in_parts.bucketed(rows, plan, two_sided=self.two_sided)  # noqa: E731
        is_little = (total or 0) <= LITTLE.shingles and (plan.allows_join or bands is None)
        if plan.symmetric and is_little:
            found = compared.groupBy("apart").applyInArrow(search, in_parts.LINKS)
        else:
            made = self._sharing_rare(compared)
            if bands:
                parts = 64 + number * bands.layout(plan.derivation.sketcher.slots)[0] // _KEYS
                keys = partial(in_parts.band_keys, plan=plan, bands=bands, parts=parts)
                keyed = compared.mapInArrow(keys, in_parts.KEYS).groupBy("part")
                made = keyed.applyInArrow(bucket, in_parts.BUCKETS)
            buckets = job.stage("buckets", made.distinct())
            ends = buckets.select(F.explode(F.array("left", "right")).alias("number"))
            needed = rows.select(*COMPARED).join(ends, "number", "left_semi")
            needed = job.stage("candidates", needed)
            pairs = buckets.where("left != right").select("left", "right")
            large = buckets.where("left = right").selectExpr("left as number", "part")
            grouped = large.join(needed, "number").groupBy("part")
            found = self.scored(pairs, needed, plan.least_of_sets, bands.similarity if bands else 0)
            found = found.union(grouped.applyInArrow(search, in_parts.LINKS)).distinct()
        links, counts = job.stage("pairs", found), "true"
        if self.is_across:
            links, counts = with_both(links, rows, "scope"), "left_scope != right_scope"
        return members, links.selectExpr(*LINK, f"{counts} as counts")

    def scored(
        self, pairs: DataFrame, documents: DataFrame, minimum: int, jaccard: float = 0
    ) -> DataFrame:
        """The pairs that score `minimum`, whose sketches are as equal as for `jaccard`."""
        score = partial(in_parts.scored_pairs, plan=self.plan, minimum=minimum, jaccard=jaccard)
        return with_both(pairs, documents, "shingles").mapInArrow(score, in_parts.LINKS)

    def _sharing_rare(self, rows: DataFrame) -> DataFrame:
        """The pairs with a rare shingle of the smaller or, if not symmetric, the later document."""
        share = self.plan.scorer.part.least_share(self.plan.least_of_sets / 100)
        values = rows.mapInArrow(in_parts.exploded, in_parts.VALUES)
        often = F.count("*").over(Window.partitionBy("shingle")).alias("often")
        rank = F.row_number().over(Window.partitionBy("number").orderBy("often", "shingle"))
        ranked = values.select("*", often).select("*", rank.alias("rank"))
        fewest = f"greatest(1, ceil({share}D * size - 1e-9D))"
        rarest = ranked.where(f"often > 1 and rank <= size - {fewest} + 1")
        pairs = rarest.join(values.toDF("other", "other_size", "shingle"), "shingle")
        crosses = "(number < 0) != (other < 0)" if self.two_sided else "number != other"
        follows = "size <= other_size" if self.plan.symmetric else "other < number"
        ends = "least(number, other) as left", "greatest(number, other) as right"
        return pairs.where(crosses).where(follows).selectExpr(*ends, "0L as part")
