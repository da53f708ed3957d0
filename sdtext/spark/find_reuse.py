"""Passages that documents share, in Spark, as `sdtext.find_reuse` finds them.

The documents are cut into parts of bounded size. Windows of the terms of each two parts select the
candidates. Those documents of two parts that are candidates are compared by the exact local search,
which gives the passages of their pairs.

Boilerplate is text of a document that shares passages with many others. One task marks it for all
such documents that passages connect, with the versions of their texts; all other passages stay as
they are.
"""

from __future__ import annotations

from itertools import groupby
from math import isqrt
from operator import itemgetter

import pyarrow as pa
from pyspark.sql import DataFrame, GroupedData
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.model import RecipeSpec
from sdtext.parts.load_recipe import RecipeLike
from sdtext.reading.records.arrow_frames import schema_of
from sdtext.reports.reuse_report import SIDES, passage_rows
from sdtext.reuse.candidates_in_parts import CANDIDATES, TERMS, candidates_in, terms_in
from sdtext.reuse.choose_finder import recipe_and_finder
from sdtext.reuse.excluded_text import PassageFinder
from sdtext.reuse.mark_boilerplate_passages import VERSION, most_documents
from sdtext.reuse.reuse_search import evidence_of_parts
from sdtext.reuse.window_finder import WindowFinder
from sdtext.spark.components import components
from sdtext.spark.stages import Report, Work
from sdtext.text.document import Document

_PART = 1 << 24  # characters of a part, less where Spark has many partitions
_PASSAGES = (
    "left string, right string, score long, similarity double, verbatim long, left_offset long, "
    "left_length long, right_offset long, right_length long, left_share double, "
    "right_share double, excluded string, documents long, weak boolean"
)


def find_reuse(
    documents: DataFrame,
    *,
    w: int | None = None,
    distance: int | None = None,
    min_passage: int | None = None,
    recipe: RecipeLike | None = None,
    text_field: str = "text",
    id_field: str = "id",
    work: str | None = None,
    report: Report | None = None,
) -> DataFrame:
    """A row for each passage that two documents share, as `FindReuse --all` lists them.

    `work` and `report` are as in `find_pairs`, the other options as in `sdtext.find_reuse`. The
    rows are in the order of documents and of places. Raises OptionError.
    """
    job = Work.on("find_reuse", documents, text_field, id_field, work, report)
    spec, finder = recipe_and_finder(w=w, distance=distance, min_passage=min_passage, recipe=recipe)
    job = job.with_key(spec, finder.parameters)
    texts = job.stage("texts", job.texts.where("text is not null"))
    texts = texts.select("number", "name", "text")
    lengths = texts.selectExpr("number", "length(text) as length")
    totals = "count(*)", "ifnull(sum(length), 0)", "count(distinct number >> 33)"
    compared, characters, partitions = lengths.selectExpr(*totals).collect()[0]
    size = _PART
    if isinstance(finder, WindowFinder):
        # As many pairs of parts as partitions. Parts of sentences are whole: which pairs of a
        # frequent one are listed depends on all there.
        size = min(_PART, characters // isqrt(2 * partitions or 1) + 1)
    before = "(sum(length) over (order by number) - length)"
    parts = lengths.selectExpr("number", f"{before} div {size} as part")
    others = parts.selectExpr("part as other").distinct()
    if isinstance(finder, WindowFinder):
        made = texts.mapInArrow(lambda rows: terms_in(rows, spec), TERMS)
        cells = _cells(job.stage("terms", made).join(parts, "number").crossJoin(others))
        near = cells.applyInArrow(lambda rows: candidates_in(rows, finder), CANDIDATES)
        near = job.stage("candidates", near.distinct())
        near = near.union(near.select("other", "number")).toDF("number", "end")
        others = near.join(parts.toDF("end", "other"), "end").select("number", "other").distinct()
        cells = _cells(texts.join(parts, "number").join(others, "number"))
    else:
        cells = _cells(texts.join(parts, "number").crossJoin(others))
    shared = cells.applyInArrow(lambda rows: _passages(rows, spec, finder), _PASSAGES)
    shared = job.stage("shared", shared)
    share = F.max(F.greatest("left_share", "right_share")).alias("share")
    pairs = shared.groupBy(*SIDES).agg(share)
    ends = pairs.withColumn("name", F.explode(F.array(*SIDES)))
    many = ends.groupBy("name").count().where(f"count >= {most_documents(compared)[0]}")
    many = job.stage("many", many.select("name"))
    if many.head(1):
        # Their boilerplate follows from all pairs of theirs, and from the versions of all texts.
        theirs = ends.join(many, "name", "left_semi").select(*SIDES).distinct()
        links = theirs.union(pairs.where(f"share > {VERSION}").select(*SIDES))
        # By hashes of names: equal ones of two would but join their components.
        roots = components(job, links.select(*(F.xxhash64(side).alias(side) for side in SIDES)))
        hashes = many.select(F.xxhash64("name").alias("number"))
        roots = roots.join(roots.join(hashes, "number").select("root"), "root", "left_semi")
        hashed = texts.withColumn("hash", F.xxhash64("name"))
        groups = hashed.join(roots.toDF("part", "hash"), "hash").groupBy("part")
        mark = lambda rows: _passages(rows, spec, finder, compared)  # noqa: E731
        marked = groups.applyInArrow(mark, _PASSAGES).join(theirs, [*SIDES], "left_semi")
        shared = shared.join(theirs, [*SIDES], "left_anti").union(marked)
    return job.stage("passages", shared).orderBy("left", "right", "left_offset", "right_offset")


def _cells(parted: DataFrame) -> GroupedData:
    """The rows of each two parts together; each row has its `part` and an `other`."""
    return parted.groupBy(F.least("part", "other"), F.greatest("part", "other"))


def _passages(
    rows: pa.Table, recipe: RecipeSpec, finder: PassageFinder, compared: int = 0
) -> pa.Table:
    """The passages of the documents of two parts, or of one with each other."""
    ordered = rows.sort_by([("part", "ascending"), ("number", "ascending")])
    parts = [
        [Document.of(row["text"], row["name"]) for row in part]
        for _, part in groupby(ordered.to_pylist(), itemgetter("part"))
    ]
    found = passage_rows(evidence_of_parts(parts, recipe, finder, compared), unfolded=True)
    return pa.Table.from_pylist([*found], schema_of(_PASSAGES))
