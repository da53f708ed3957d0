"""Deduplicate documents in Spark: what the rules `direct` and `cluster` remove."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.deduplication.choose_documents import greedy_choice
from sdtext.deduplication.deduplicate import score_of
from sdtext.deduplication.find_duplicates import recipe_for
from sdtext.deduplication.linked_documents import EqualDocuments, MissingEdges
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.errors import OptionError
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.search.results import Links
from sdtext.search.search_plan import SearchPlan
from sdtext.search.set_search import BySets
from sdtext.spark.components import FEW, components
from sdtext.spark.documents import COMPARED, plan_of, settled_recipe, shingled, table_of
from sdtext.spark.find_pairs import links_of, scored, with_first
from sdtext.spark.stages import Batches, Report, Work, arrays_of, arrow, concatenated

_ORDERS = {"first": "0", "longest": "-length", "shortest": "length"}
_RULES = ("direct", "cluster")
_REMOVED = "number long, other long, score long, similarity double"
_EARLY = "early", "late", "score", "similarity", "early_order", "late_order"


class Deduplicated(NamedTuple):
    """The documents that are `kept`, and those `removed`, each with the one kept instead.

    `problems` has the documents that could not be compared, which are kept.
    """

    kept: DataFrame
    removed: DataFrame
    problems: DataFrame


def deduplicate(
    documents: DataFrame,
    *,
    similarity: float | None = None,
    rule: str = "direct",
    keep: str = "first",
    recall: float | None = None,
    recipe: RecipeLike | None = None,
    text_field: str = "text",
    id_field: str = "id",
    work: str | None = None,
    report: Report | None = None,
) -> Deduplicated:
    """Keep one of similar documents, as `sdtext.deduplicate` does of them in the order of ids.

    `rule` is "direct" or "cluster", `keep` "first", "longest" or "shortest"; `work` and `report`
    are as in `find_pairs`, the other options as in `sdtext.deduplicate`. Each id stands once.
    `removed` has the columns `document`, `kept`, `score`, `similarity` and `cluster`. Raises
    OptionError, UnreadableError.
    """
    job = Work.on("deduplicate", documents, text_field, id_field, work, report)
    chosen = None if recipe is None else recipe_from(recipe)
    least = None if similarity is None else score_of("deduplicate", similarity)
    removed, problems = removed_of(job, Rules(chosen, least, recall, keep, rule=rule))
    gone = removed.select("document")
    kept = documents.join(gone, F.col(id_field).cast("string") == gone["document"], "left_anti")
    message = F.element_at(F.split("problem", "\t"), -1).alias("problem")
    problems = problems.select(F.col("name").alias("document"), message)
    return Deduplicated(kept, removed.orderBy("number").drop("number"), problems)


def removed_of(job: Work, rules: Rules) -> tuple[DataFrame, DataFrame]:
    """What is removed of documents in the order of their numbers, and the problems of others."""
    if rules.rule not in _RULES or rules.keep not in _ORDERS:
        raise OptionError(
            f"engine spark has the rules {' and '.join(_RULES)}, and keeps {', '.join(_ORDERS)}"
        )
    recipe = settled_recipe(recipe_for(rules), job.texts)
    plan = plan_of(recipe, rules.question)
    rows, problems = shingled(job, recipe)
    members = with_first(rows.withColumn("order", F.expr(_ORDERS[rules.keep]).cast("double")))
    job = job.with_key(recipe, plan.question, rules.rule, rules.keep)
    links = links_of(job, rows, members, plan)
    choose = _by_cluster if rules.rule == "cluster" else _directly
    removed = job.stage("removed", partial(choose, job, rows, members, links, plan))
    first = F.least("other", F.min("number")).alias("first")
    clusters = removed.groupBy("other").agg(first)
    clusters = clusters.select(
        "other", F.row_number().over(Window.orderBy("first")).alias("cluster")
    )
    named = removed.join(clusters.withColumn("cluster", F.col("cluster").cast("long")), "other")
    for side, name in (("number", "document"), ("other", "kept")):
        names = rows.select(F.col("number").alias(side), F.col("name").alias(name))
        named = named.join(names, side)
    return named.select("number", "document", "kept", "score", "similarity", "cluster"), problems


def _directly(
    work: Work, rows: DataFrame, members: DataFrame, links: DataFrame, plan: SearchPlan
) -> DataFrame:
    """What is similar to a kept document, and what is equal to one."""
    incomplete = links.where("left = right").select(F.col("left").alias("number")).distinct()
    directed = links.where("left != right")
    for side in ("left", "right"):
        end = F.struct("order", "number").alias(f"{side}_end")
        directed = directed.join(members.select(F.col("number").alias(side), end), side)
    directed = directed.selectExpr(
        "least(left_end, right_end) as a", "greatest(left_end, right_end) as b", "*"
    ).selectExpr("a.number", "b.number", "score", "similarity", "a.order", "b.order")
    directed = work.stage("links", partial(directed.toDF, *_EARLY))
    missing = None
    if incomplete.head(1):
        directed, missing = _incomplete(work, rows, directed, incomplete, plan)
    removed = greedy(work, directed)
    removed = removed.union(missing) if missing else removed
    copies = members.where("number != first").select("number", "first")
    gone = removed.withColumnRenamed("number", "first")
    return removed.union(_scored_as_equal(copies.join(gone, "first", "left"), "first"))


def _scored_as_equal(rows: DataFrame, other: str) -> DataFrame:
    """The removals; those without a score are equal to the document in the column `other`."""
    return rows.selectExpr(
        "number",
        f"coalesce(other, {other}) as other",
        "coalesce(score, 99L) as score",
        "coalesce(similarity, 1.0D) as similarity",
    )


def greedy(work: Work, links: DataFrame, few: int = FEW) -> DataFrame:
    """What the greedy choice removes by links from an `early` document to a `late` one.

    Each round keeps the documents that are late in no link of undecided ones, and removes what is
    linked to these. The last links are decided by one task.
    """
    rest, gone = links, list[DataFrame]()
    for number in count(1):
        if rest.count() <= few:
            break
        late = rest.select(F.col("late").alias("early")).distinct()
        kept = rest.select("early").distinct().join(late, "early", "left_anti")
        hit = rest.join(kept, "early").select("late").distinct()
        gone.append(work.stage(f"removed-{number}", partial(hit.toDF, "early")))
        left = rest.join(gone[-1], "early", "left_anti")
        left = left.join(gone[-1].toDF("late"), "late", "left_anti").select(*_EARLY)
        rest = work.stage(f"undecided-{number}", partial(left.toDF, *_EARLY))
    last = work.stage("chosen", lambda: rest.repartition(1).mapInArrow(_choose, _REMOVED))
    if not gone:
        return last
    every = last.select("number").toDF("early")
    for some in gone:
        every = every.union(some)
    by_kept = links.join(every, "early", "left_anti").groupBy(F.col("late").alias("number"))
    first = F.struct(-F.col("similarity"), "early_order", "early", "score", "similarity")
    best = by_kept.agg(F.min(first).alias("best"))
    return best.selectExpr("number", "best.early as other", "best.score", "best.similarity")


def _choose(batches: Batches) -> Batches:
    """The greedy choice among all links of one partition."""
    if parts := [arrays_of(batch) for batch in batches]:
        yield _chosen(_Placed(*concatenated(parts)), None)


class _Placed:
    """Links between the places of documents in the order of keeping, with their numbers."""

    def __init__(self, early: Any, late: Any, score: Any, similarity: Any, *orders: Any) -> None:
        self.numbers, first, ends = np.unique(
            np.concatenate([early, late]), return_index=True, return_inverse=True
        )
        by_place = np.lexsort((self.numbers, np.concatenate(orders)[first]))
        self.places = np.argsort(by_place)
        self.by_place = self.numbers[by_place]
        left, right = self.places[ends].reshape(2, -1)
        self.links = Links(left, right, score, similarity)


def _chosen(placed: _Placed, missing: MissingEdges | None) -> pa.RecordBatch:
    _, named = greedy_choice(len(placed.numbers), placed.links, missing)
    sides = placed.by_place[named.right], placed.by_place[named.left]
    return arrow(_REMOVED, *sides, named.score, named.similarity)


def _incomplete(
    work: Work, rows: DataFrame, links: DataFrame, incomplete: DataFrame, plan: SearchPlan
) -> tuple[DataFrame, DataFrame]:
    """The links of complete components, and what is removed in the others: one task each.

    Of very many similar documents, links were left out; these are found as in `MissingEdges`.
    """
    roots = components(work, links.select("early", "late").toDF("left", "right"))
    partly = incomplete.join(roots, "number")
    rooted = links.join(roots.withColumnRenamed("number", "early"), "early")
    others = partly.select("root").distinct()
    here = rooted.join(others, "root").select("root", *_EARLY).groupBy("root")
    asked = partly.join(rows.select(*COMPARED), "number").groupBy("root")
    choose = partial(_choose_missing, plan=plan)
    missing = work.stage("missing", lambda: here.cogroup(asked).applyInArrow(choose, _REMOVED))
    return rooted.join(others, "root", "left_anti").select(*_EARLY), missing


def _choose_missing(links: pa.Table, documents: pa.Table, plan: SearchPlan) -> pa.Table:
    """The greedy choice in one component, with the links that were left out."""
    placed = _Placed(*(links.column(name).to_numpy() for name in _EARLY))
    ordered = documents.sort_by("number").combine_chunks()
    numbers, sketches, shingles = (ordered.column(name).chunk(0) for name in COMPARED)
    here = np.searchsorted(placed.numbers, numbers.to_numpy())
    # The documents of which links are missing, the rows of the table, have the first numbers.
    others = np.setdiff1d(np.arange(len(placed.numbers)), here)
    places = placed.places[np.concatenate([here, others])]
    groups = EqualDocuments(np.arange(len(places)), places, places)
    comparison = BySets(table_of(plan, sketches, shingles), plan)
    asked = np.sort(placed.places[here])
    missing = MissingEdges(groups, comparison, lambda edges: edges, asked)
    return pa.Table.from_batches([_chosen(placed, missing)])


def _by_cluster(
    work: Work, rows: DataFrame, members: DataFrame, links: DataFrame, plan: SearchPlan
) -> DataFrame:
    """All but the first of each connected component, with its score with the first."""
    roots = components(work, links.where("left != right")).toDF("first", "root")
    rooted = members.join(roots, "first", "left").withColumn("root", F.coalesce("root", "first"))
    least = F.min(F.struct("order", "number", "first")).alias("kept")
    kept = rooted.groupBy("root").agg(least)
    ends = ("number", "kept.number as other", "kept.first as kept_first", "first")
    others = rooted.join(kept, "root").where("number != kept.number").selectExpr(*ends)
    sides = ("least(first, kept_first) as left", "greatest(first, kept_first) as right")
    others = others.selectExpr("number", "other", *sides)
    pairs = others.where("left != right").select("left", "right").distinct()
    needed = rows.select(*COMPARED).join(roots.toDF("number", "_"), "number", "left_semi")
    return _scored_as_equal(
        others.join(scored(pairs, needed, plan, 0), ["left", "right"], "left"), "other"
    )
