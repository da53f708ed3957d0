"""Deduplicate documents in Spark: removals are links from a kept document to a removed one (right).

What is similar to one of other documents is removed first, and the rest by the rule.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from typing import NamedTuple

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.deduplication.choice_in_parts import REMOVED, missing_links, order_values, removed_by
from sdtext.deduplication.deduplicate import recipe_for, score_of
from sdtext.deduplication.order_and_scope import lacking, no_values
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.errors import OptionError
from sdtext.model import Problem
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.search.search_in_parts import LINKS
from sdtext.spark.components import FEW, components, with_both
from sdtext.spark.search import COMPARED, LINK, PairSearch, plan_of, second_side, shingled
from sdtext.spark.stages import Report, Work

_ORDERS = {"longest": "-length", "shortest": "length"}


class Deduplicated(NamedTuple):
    """The documents `kept` and `removed`; `problems` are those kept that could not be compared."""

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
    against: DataFrame | None = None,
    text_field: str = "text",
    id_field: str = "id",
    work: str | None = None,
    report: Report | None = None,
) -> Deduplicated:
    """Keep one of similar documents, as `sdtext.deduplicate` does of them in the order of ids.

    `against` are other documents; what is similar to one of them is removed, too. `work` and
    `report` are as in `find_pairs`, the others as in `sdtext.deduplicate`. Each id stands once, in
    either. `removed` has the columns `document`, `kept`, `score`, `similarity` and `cluster`; with
    keep "none", also `duplicate`. Raises OptionError, UnreadableError.
    """
    chosen = None if recipe is None else recipe_from(recipe)
    least = None if similarity is None else score_of("deduplicate", similarity)
    rules = Rules(chosen, least, recall, keep, rule=rule, scope=scope)
    fields = {name: each.field for name, each in rules.choices.items()}
    named = text_field, id_field, work, report
    job, others = Work.on("deduplicate", documents, *named, fields=fields), None
    if against is not None:
        fields.pop("keep", None)
        others = Work.on("deduplicate", against, *named, fields=fields)
    removed, known = removed_of(job, rules, others)
    gone = removed.select("document")
    kept = documents.join(gone, F.col(id_field).cast("string") == gone["document"], "left_anti")
    columns = "name as document", "element_at(split(problem, '\t'), -1) as problem"
    problems = known.where("problem is not null").orderBy("number").selectExpr(*columns)
    return Deduplicated(kept, removed.orderBy("number").drop("number"), problems)


def removed_of(job: Work, rules: Rules, others: Work | None = None) -> tuple[DataFrame, DataFrame]:
    """What is removed of documents, and the `number`, `name` and `problem` of all."""
    plan = plan_of(replace(rules.question, recipe=recipe_for(rules)), job, others)
    if not (plan.symmetric or rules.is_contained):
        what = f"documents cannot be deduplicated by {plan.matcher}, which is not symmetric"
        raise OptionError(f"{what}; use jaccard, dice, or the rule contained")
    job = job.with_key(rules, others and others.key)
    documents, known = shingled(job, plan.recipe)
    every, warnings = _in_order(job, documents, rules)
    rows, stored, is_none = every, None, rules.keep == "none"
    search = PairSearch(plan, rules.pairs_in is not None and rules.pairs_in.name == "across")
    if others:
        second = second_side(others, plan.recipe).where("scope is not null")
        every = every.unionByName(second.withColumn("origin", F.col("number")))
        of_stored = job.with_key("stored")
        members, links = replace(search, two_sided=True).links(of_stored, every)
        best = _most_similar(links.where("left != right and counts").select(*LINK))
        similar = members.where("number >= 0").join(best.toDF("left", "first", *LINK[2:]), "first")
        similar = similar.selectExpr("left", "number as right", *LINK[2:])
        stored = of_stored.stage("similar", similar)
        if not is_none:
            rows = rows.join(stored.selectExpr("right as number"), "number", "left_anti")
    removals = _removals(job, rows, rules, search)
    named = job.stage("named", with_both(removals, rows, "origin", "name"))
    least = F.least(F.min("left_origin"), F.min("right_origin")).alias("least")
    cluster = F.row_number().over(Window.orderBy("least")).cast("long").alias("cluster")
    named = named.join(named.groupBy("root").agg(least).select("root", cluster), "root")
    if stored is not None:
        own = with_both(stored, every, "origin", "name").selectExpr("*", "bigint(null) as cluster")
        named = named.drop("root").join(stored.select("right"), "right", "left_anti")
        named = named.unionByName(own)
    kept = "if(cluster is null, left_name, '')" if is_none else "left_name"
    columns = ["right_origin as number", "right_name as document", f"{kept} as kept"]
    columns += ["score", "similarity", "cluster", *(["left_name as duplicate"] * is_none)]
    removed = job.stage("removed", named.selectExpr(*columns))
    if warnings:
        noted = [(None, None, f"{it.severity}\t{it.category}\t{it.message}") for it in warnings]
        known = known.union(job.rows.sparkSession.createDataFrame(noted, known.schema))
    return removed, known


def _removals(job: Work, rows: DataFrame, rules: Rules, search: PairSearch) -> DataFrame:
    """What the rules remove of documents in order, and the `root` of its cluster."""
    is_none, (members, links) = rules.keep == "none", search.links(job, rows)
    is_greedy = not is_none and rules.rule != "cluster"
    known = links.where("left != right and counts").select(*LINK)
    if is_greedy or search.is_across:  # else the links of large buckets connect all that they have
        known = _completed(job, rows, links, search, is_greedy=is_greedy)
    if is_none:
        if not search.is_across:
            copies = members.where("number != first")
            known = known.union(copies.selectExpr("first", "number", "99L", "1.0D"))
        removed = _most_similar(known.union(known.select("right", "left", *LINK[2:])))
    elif rules.rule == "cluster":
        roots = components(job, known)
        pairs = roots.selectExpr("root as left", "number as right")
        removed = search.scored(pairs, rows.join(roots, "number", "left_semi"), 0)
    else:
        removed = greedy(job, known)
    if search.is_across or not is_none:  # with those equal to a removed document, or to a kept one
        firsts = removed.withColumnRenamed("right", "first")
        every = members.join(firsts, "first", "inner" if search.is_across else "left")
        scores = "coalesce(score, 99L) as score", "coalesce(similarity, 1.0D) as similarity"
        removed = every.selectExpr("coalesce(left, first) as left", "number as right", *scores)
    removed = removed.where("left != right").withColumn("root", F.col("left"))
    if is_none:
        removed = removed.drop("root").join(components(job, known).toDF("left", "root"), "left")
    return removed


def _in_order(job: Work, rows: DataFrame, rules: Rules) -> tuple[DataFrame, list[Problem]]:
    """The documents that are compared, by their places in the order of keeping, and warnings.

    `origin` is the number that they had. Raises OptionError where none has a value of a field.
    """
    order, warnings = _ORDERS.get(rules.order.name), list[Problem]()
    placed, keyed = rows.withColumn("origin", F.col("number")), rows
    if rules.choices:
        own = F.arrow_udf(order_values, "value double, date double")("keep")
        keyed = rows.withColumn("own", own).select("*", "own.*")
        counted = "number", "scope", "keep", "nanvl(value, null)", "nanvl(date, null)"
        counts = [f"count({name})" for name in counted]
        every, scopes, keeps, numbers, dates = keyed.selectExpr(*counts).collect()[0]
        is_number = rules.order.name == "best" or numbers == keeps
        known = {"scope": (scopes, scopes), "keep": (keeps, numbers if is_number else dates)}
        for option, choice in rules.choices.items():
            if not known[option][0]:
                raise no_values(option, choice)
            warnings += lacking(choice, every - known[option][1], every)
        if rules.order.field:
            order = "-value" if is_number else "-date"
    if order or rules.is_contained:
        keys = "-size" if rules.is_contained else "", order, "number"
        ordered = keyed.orderBy(*(F.expr(key) for key in keys if key))
        numbers = "number as origin", "monotonically_increasing_id() as number"
        places = job.stage("places", ordered.selectExpr(*numbers))
        placed = rows.withColumnRenamed("number", "origin").join(places, "origin")
    return placed.where("scope is not null"), warnings


def greedy(work: Work, links: DataFrame, few: int = FEW) -> DataFrame:
    """What the greedy choice removes by links from earlier documents to later ones.

    Each round keeps what is later in no undecided link. One task decides the last links.
    """
    rest, gone = links.select("left", "right"), list[DataFrame]()
    while rest.count() > few:
        later = rest.selectExpr("right as left")
        hit = rest.join(later, "left", "left_anti").select("right").distinct()
        gone.append(work.stage(f"removed-{len(gone)}", hit))
        rest = rest.join(gone[-1], "right", "left_anti").select("left", "right")
        rest = rest.join(gone[-1].toDF("left"), "left", "left_anti")
        rest = work.stage(f"undecided-{len(gone)}", rest)
    last = work.stage("chosen", rest.groupBy().applyInArrow(removed_by, REMOVED))
    removed = reduce(DataFrame.union, gone, last).toDF("left")
    return _most_similar(links.join(removed, "left", "left_anti"))


def _most_similar(links: DataFrame) -> DataFrame:
    """For each document on the right its most similar link, of equally similar ones the first."""
    first = F.struct(-F.col("similarity"), "left", "score", "similarity")
    best = links.groupBy("right").agg(F.min(first).alias("best"))
    return best.select("best.left", "right", "best.score", "best.similarity")


def _completed(
    work: Work, rows: DataFrame, links: DataFrame, search: PairSearch, *, is_greedy: bool
) -> DataFrame:
    """The links that count, and those left out, found by one task for each component."""
    incomplete = links.where("left = right").select("left").distinct()
    links = links.where("left != right")
    known = links.where("counts").select(*LINK)
    if not incomplete.head(1):
        return known
    # Both sides of the cogroup need columns of their own, by which Spark tells them apart.
    roots, own_roots = components(work, links), components(work, links)
    asked = incomplete.toDF("number").join(own_roots, "number")
    asked = asked.join(rows.select(*COMPARED, "scope"), "number").groupBy("root")
    here = links.join(roots.toDF("left", "root"), "left").groupBy("root")
    find = partial(missing_links, plan=search.plan, is_across=search.is_across, is_greedy=is_greedy)
    found = here.cogroup(asked).applyInArrow(find, LINKS)
    return known.union(work.stage("missing", found))
