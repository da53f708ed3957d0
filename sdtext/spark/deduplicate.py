"""Deduplicate documents in Spark: what the rules `direct` and `cluster` remove."""

from __future__ import annotations

from dataclasses import replace
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
from sdtext.deduplication.order_and_scope import (
    lacking,
    no_values,
    number_in,
    time_in,
)
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.errors import OptionError
from sdtext.model import Problem
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.search.results import Links
from sdtext.search.search_plan import SearchPlan
from sdtext.search.set_search import BySets
from sdtext.spark.components import FEW, components
from sdtext.spark.search import (
    COMPARED,
    links_of,
    plan_of,
    scored,
    shingled,
    sorted_table,
    with_first,
)
from sdtext.spark.stages import Batches, Report, Work, arrow, columns_of

_ORDERS = {"longest": "-length", "shortest": "length"}
_RULES, _KEEP = ("direct", "cluster"), ("first", *_ORDERS, "newest", "best")
_REMOVED = "number long, other long, score long, similarity double"
_VALUES = "number long, keep string, value double, date double"
_LINKS = "left", "right", "score", "similarity"


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
    scope: str = "",
    recall: float | None = None,
    recipe: RecipeLike | None = None,
    text_field: str = "text",
    id_field: str = "id",
    work: str | None = None,
    report: Report | None = None,
) -> Deduplicated:
    """Keep one of similar documents, as `sdtext.deduplicate` does of them in the order of ids.

    `rule` is "direct" or "cluster", `keep` all but "none", `scope` "within:FIELD"; `work` and
    `report` are as in `find_pairs`, the other options as in `sdtext.deduplicate`. Each id stands
    once. `removed` has the columns `document`, `kept`, `score`, `similarity` and `cluster`. Raises
    OptionError, UnreadableError.
    """
    chosen = None if recipe is None else recipe_from(recipe)
    least = None if similarity is None else score_of("deduplicate", similarity)
    rules = Rules(chosen, least, recall, keep, rule=rule, scope=scope)
    job = Work.on(
        "deduplicate", documents, text_field, id_field, work, report, fields=fields_of(rules)
    )
    removed, problems = removed_of(job, rules)
    gone = removed.select("document")
    kept = documents.join(gone, F.col(id_field).cast("string") == gone["document"], "left_anti")
    message = F.element_at(F.split("problem", "\t"), -1).alias("problem")
    problems = problems.orderBy("number").select(F.col("name").alias("document"), message)
    return Deduplicated(kept, removed.orderBy("number").drop("number"), problems)


def fields_of(rules: Rules) -> dict[str, str]:
    """The fields that `keep` and `scope` name. Raises OptionError for rules that Spark lacks."""
    is_within = not rules.pairs_in or rules.pairs_in.name == "within"
    if rules.rule not in _RULES or rules.order.name not in _KEEP or not is_within:
        raise OptionError(
            f"engine spark has the rules {' and '.join(_RULES)}, keeps {', '.join(_KEEP)}, and has "
            "the scope within:FIELD"
        )
    return {name: choice.field for name, choice in rules.choices.items()}


def removed_of(job: Work, rules: Rules) -> tuple[DataFrame, DataFrame]:
    """What is removed of documents in the order of their numbers, and the problems of others."""
    plan = plan_of(job, replace(rules.question, recipe=recipe_for(rules)))
    documents, problems = shingled(job, plan.recipe)
    job = job.with_key(plan.recipe, rules.keep, rules.scope)
    rows, warnings = _in_order(job, documents, rules)
    members = with_first(rows)
    links = links_of(job, rows, members, plan)
    job = job.with_key(plan.question, rules.rule)
    choose = _by_cluster if rules.rule == "cluster" else _directly
    removed = job.stage("removed", partial(choose, job, rows, members, links, plan))
    names = rows.select("number", "origin", "name")
    named = removed.join(names.toDF("number", "origin", "document"), "number")
    named = named.join(names.toDF("other", "first", "kept"), "other")
    least = named.groupBy("other").agg(F.least(F.min("first"), F.min("origin")).alias("least"))
    cluster = F.row_number().over(Window.orderBy("least")).cast("long").alias("cluster")
    named = named.join(least.select("other", cluster), "other").selectExpr(
        "origin as number", "document", "kept", "score", "similarity", "cluster"
    )
    if not warnings:
        return named, problems
    noted = [(None, None, f"{it.severity}\t{it.category}\t{it.message}") for it in warnings]
    columns = "number long, name string, problem string"
    return named, problems.union(job.texts.sparkSession.createDataFrame(noted, columns))


def _in_order(job: Work, rows: DataFrame, rules: Rules) -> tuple[DataFrame, list[Problem]]:
    """The documents that are compared, by their places in the order of keeping.

    `origin` is the number that they had. Beside them are warnings about values that are missing.
    Raises OptionError where no document has a value of a field.
    """
    keep, order, every = rules.order, _ORDERS.get(rules.keep), rows.count() if rules.choices else 0
    warnings, placed = list[Problem](), rows.withColumn("origin", F.col("number"))
    if keep.field:
        keyed = rows.select("number", "keep").mapInArrow(_values, _VALUES)
        given, numbers, dates = keyed.agg(*map(F.count, ("keep", "value", "date"))).collect()[0]
        if not given:
            raise no_values("keep", keep)
        is_number = keep.name == "best" or numbers == given
        warnings += lacking(keep, every - (numbers if is_number else dates), every)
        order = f"coalesce(-{'value' if is_number else 'date'}, double('NaN'))"
    if order:
        ordered = (keyed if keep.field else rows).select("number", F.expr(order).alias("order"))
        ordered = ordered.repartitionByRange("order", "number")
        ordered = ordered.sortWithinPartitions("order", "number")
        place = F.monotonically_increasing_id().alias("number")
        places = ordered.select(F.col("number").alias("origin"), place)
        places = job.stage("places", lambda: places)
        placed = rows.withColumnRenamed("number", "origin").join(places, "origin")
    if scope := rules.pairs_in:
        given = rows.agg(F.count("scope")).collect()[0][0]
        if not given:
            raise no_values("scope", scope)
        warnings += lacking(scope, every - given, every)
    return placed.where("scope is not null"), warnings


def _values(batches: Batches) -> Batches:
    """The values that documents are kept by, as numbers and as dates; null for what is none."""
    for batch in batches:
        values = batch.column("keep").to_pylist()
        numbers = [number_in(each) for each in values]
        dates = [time_in(*each) for each in zip(values, numbers, strict=True)]
        columns = (pa.array(each, pa.float64(), from_pandas=True) for each in (numbers, dates))
        yield arrow(_VALUES, *batch.columns, *columns)


def _directly(
    work: Work, rows: DataFrame, members: DataFrame, links: DataFrame, plan: SearchPlan
) -> DataFrame:
    """What is similar to a kept document, and what is equal to one."""
    incomplete = links.where("left = right").select(F.col("left").alias("number")).distinct()
    links, missing = links.where("left != right"), None
    if incomplete.head(1):
        links, missing = _incomplete(work, rows, links, incomplete, plan)
    removed = greedy(work, links)
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
    """What the greedy choice removes by links from an earlier document to a later one.

    Each round keeps the documents that are later in no link of undecided ones, and removes what is
    linked to these. The last links are decided by one task.
    """
    rest, gone = links, list[DataFrame]()
    for number in count(1):
        if rest.count() <= few:
            break
        later = rest.select(F.col("right").alias("left")).distinct()
        kept = rest.select("left").distinct().join(later, "left", "left_anti")
        hit = rest.join(kept, "left").select("right").distinct()
        gone.append(work.stage(f"removed-{number}", partial(hit.toDF, "left")))
        left = rest.join(gone[-1], "left", "left_anti")
        left = left.join(gone[-1].toDF("right"), "right", "left_anti").select(*_LINKS)
        rest = work.stage(f"undecided-{number}", partial(left.toDF, *_LINKS))
    last = work.stage("chosen", lambda: rest.repartition(1).mapInArrow(_choose, _REMOVED))
    if not gone:
        return last
    every = last.select("number").toDF("left")
    for some in gone:
        every = every.union(some)
    by_kept = links.join(every, "left", "left_anti").groupBy(F.col("right").alias("number"))
    first = F.struct(-F.col("similarity"), "left", "score", "similarity")
    best = by_kept.agg(F.min(first).alias("best"))
    return best.selectExpr("number", "best.left as other", "best.score", "best.similarity")


def _choose(batches: Batches) -> Batches:
    """The greedy choice among all links of one partition."""
    if columns := columns_of(batches):
        numbers, links = _renumbered(*columns)
        yield _removals(numbers, greedy_choice(len(numbers), links)[1])


def _renumbered(left: Any, right: Any, *scores: Any) -> tuple[Any, Links]:
    """The numbers of linked documents, and the links between their places there."""
    numbers, ends = np.unique(np.concatenate([left, right]), return_inverse=True)
    return numbers, Links(*ends.reshape(2, -1), *scores)


def _removals(numbers: Any, named: Links) -> pa.RecordBatch:
    sides = numbers[named.right], numbers[named.left]
    return arrow(_REMOVED, *sides, named.score, named.similarity)


def _incomplete(
    work: Work, rows: DataFrame, links: DataFrame, incomplete: DataFrame, plan: SearchPlan
) -> tuple[DataFrame, DataFrame]:
    """The links of complete components, and what is removed in the others: one task each.

    Of very many similar documents, links were left out; these are found as in `MissingEdges`.
    """
    # Both sides of the cogroup need columns of their own, by which Spark tells them apart.
    roots, own_roots = components(work, links), components(work, links)
    partly = incomplete.join(own_roots, "number")
    rooted = links.join(roots.withColumnRenamed("number", "left"), "left")
    others = partly.select("root").distinct()
    here = rooted.join(others, "root").select("root", *_LINKS).groupBy("root")
    asked = partly.join(rows.select(*COMPARED), "number").groupBy("root")
    choose = partial(_choose_missing, plan=plan)
    missing = work.stage("missing", lambda: here.cogroup(asked).applyInArrow(choose, _REMOVED))
    return rooted.join(others, "root", "left_anti").select(*_LINKS), missing


def _choose_missing(links: pa.Table, documents: pa.Table, plan: SearchPlan) -> pa.Table:
    """The greedy choice in one component, with the links that were left out."""
    numbers, edges = _renumbered(*(links.column(name).to_numpy() for name in _LINKS))
    ids, table = sorted_table(plan, documents)
    here = np.searchsorted(numbers, ids)
    # The documents of which links are missing, the rows of the table, have the first numbers.
    places = np.concatenate([here, np.setdiff1d(np.arange(len(numbers)), here)])
    groups = EqualDocuments(np.arange(len(places)), places, places)
    missing = MissingEdges(groups, BySets(table, plan), lambda edges: edges, here)
    named = greedy_choice(len(numbers), edges, missing)[1]
    return pa.Table.from_batches([_removals(numbers, named)])


def _by_cluster(
    work: Work, rows: DataFrame, members: DataFrame, links: DataFrame, plan: SearchPlan
) -> DataFrame:
    """All but the first of each connected component, with its score with the first."""
    roots = components(work, links.where("left != right"))
    rooted = members.join(roots.toDF("first", "root"), "first", "left")
    rooted = rooted.selectExpr("number", "first as right", "coalesce(root, first) as left")
    others = rooted.where("number != left").withColumn("other", F.col("left"))
    pairs = others.where("left != right").select("left", "right").distinct()
    needed = rows.select(*COMPARED).join(roots, "number", "left_semi")
    return _scored_as_equal(
        others.join(scored(pairs, needed, plan, 0), ["left", "right"], "left"), "left"
    )
