"""Documents similar to queries, in Spark: each is compared with all queries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.errors import OptionError
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.search.search_plan import Question, SearchPlan
from sdtext.search.set_search import BySets
from sdtext.spark.documents import (
    COMPARED,
    plan_of,
    settled_recipe,
    shingle,
    shingled,
    table_of,
)
from sdtext.spark.stages import Batches, Report, Work, arrow

_HITS = "query long, document string, score long, similarity double"
_MOST_QUERIES = 1 << 26  # bytes of their shingles, which go to every task


def similar(
    documents: DataFrame | Work,
    queries: DataFrame | Work,
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
    asked = Work.on("similar", queries, text_field, id_field).texts
    job = Work.on("similar", documents, text_field, id_field, work, report)
    if similarity is None and top is None:
        raise OptionError("name a similarity or top", place="similar")
    settled = settled_recipe(recipe_from(recipe), job.texts)
    question = Question.of(similarity, top=top, matcher=matcher)
    plan = plan_of(settled, question).for_queries()
    stored, _ = shingled(job, settled)
    encoded = shingle(iter(asked.toArrow().to_batches()), settled, unique=False)
    rows_of = [row for part in encoded for row in part.to_pylist() if row["shingles"]]
    sets = [row["shingles"] for row in rows_of]
    if sum(map(len, sets)) > _MOST_QUERIES:
        raise OptionError("the queries are too many for one task; ask in parts", place="similar")
    compared = stored.where("size > 0").select("name", *COMPARED)
    find = partial(_find, queries=sets, plan=plan)
    job = job.with_key(settled, plan.question, sets)
    hits = job.stage("hits", lambda: compared.mapInArrow(find, _HITS), is_last=True)
    order = F.desc("similarity"), F.asc("document")
    if top is not None:
        rank = F.row_number().over(Window.partitionBy("query").orderBy(*order))
        hits = hits.withColumn("rank", rank).where(F.col("rank") <= top)
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
