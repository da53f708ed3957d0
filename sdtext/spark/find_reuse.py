"""Passages that documents share, in Spark, as `sdtext.find_reuse` finds them.

The documents are cut into parts, and each part is compared with each by the exact local search.
One task then makes the evidence of documents that are connected by passages, since boilerplate is
what many of them have.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.collections.read_into_memory import read_into_memory
from sdtext.collections.row_builder import RowBuilder
from sdtext.model import RecipeSpec
from sdtext.parts.load_recipe import RecipeLike
from sdtext.reading.parallel_run import Run
from sdtext.reports.reuse_report import passage_rows
from sdtext.reuse.choose_finder import recipe_and_finder
from sdtext.reuse.documents import SENTENCES, Documents, columns_for
from sdtext.reuse.evidence_builder import EvidenceBuilder
from sdtext.reuse.excluded_text import PassageFinder
from sdtext.reuse.reuse_search import batches_to_compare
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.spark.components import components
from sdtext.spark.stages import Report, Work, arrow, schema_of
from sdtext.text.document import Document

_PAIRS = "left long, right long"
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
    texts = job.texts.where("trim(text) != ''").drop("problem")
    # What `repartitionByRange` made a partition is a part.
    parted = job.stage("texts", texts.selectExpr("*", "shiftright(number, 33) as part"))
    parts = [row[0] for row in parted.select("part").distinct().orderBy("part").collect()]
    others = parted.select("*", F.explode(F.lit(parts)).alias("other"))
    cells = others.groupBy(F.least("part", "other"), F.greatest("part", "other"))
    # A `partial` with annotations is none of the functions that Spark Connect 4.3 takes here.
    found = cells.applyInArrow(lambda rows: _compare(rows, spec, finder), _PAIRS)
    pairs = job.stage("pairs", found)
    compared = pairs.where("left = right").count()
    roots = components(job, pairs.where("left != right"))
    connected = parted.join(roots, "number").groupBy("root")
    made = connected.applyInArrow(lambda rows: _passages(rows, spec, finder, compared), _PASSAGES)
    return job.stage("passages", made).orderBy("left", "right", "left_offset", "right_offset")


def _documents(rows: pa.Table, name: str, recipe: RecipeSpec, finder: PassageFinder) -> Documents:
    """The documents in rows, in the order of their numbers, named by a column."""
    texts = rows.sort_by("number").select([name, "text"]).to_pylist()
    held = [Document.of(row["text"], str(row[name])) for row in texts]
    wants = frozenset({SENTENCES} if isinstance(finder, SentenceFinder) else ())
    run = Run(problems=[])
    builder = RowBuilder(recipe, columns=columns_for(wants))
    return Documents(read_into_memory((), held, builder, run, [])[0], wants, run)


def _compare(rows: pa.Table, recipe: RecipeSpec, finder: PassageFinder) -> pa.Table:
    """The pairs of documents of two parts that share passages.

    Of one part, they are those of two of its documents, and each of its documents with itself.
    """
    sides = [
        _documents(rows.filter(pc.field("part") == part), "number", recipe, finder)
        for part in sorted(set(rows.column("part").to_pylist()))
    ]
    alone = sides[0].batches() if len(sides) == 1 else ()
    pairs = [(info.examined.name,) * 2 for batch in alone for info in batch.infos]
    for left, right, progress in batches_to_compare(sides, finder, Run()):
        others = left if right is None else right
        for found in finder(left, right, progress):
            infos = left.infos[found.left], others.infos[found.right]
            pairs.append((infos[0].examined.name, infos[1].examined.name))
    numbers = (map(int, side) for side in zip(*pairs, strict=True))
    return pa.Table.from_batches([arrow(_PAIRS, *map(list, numbers))])


def _passages(rows: pa.Table, recipe: RecipeSpec, finder: PassageFinder, compared: int) -> pa.Table:
    """The passages of connected documents, of so many that are compared."""
    run, side = Run(problems=[]), _documents(rows, "name", recipe, finder)
    builder = EvidenceBuilder(finder, (), [side], run, edits=False)
    for left, right, progress in batches_to_compare([side], finder, run):
        builder.add_passages(left, right, finder(left, right, progress))
    builder.mark_boilerplate(compared)
    found = passage_rows(builder.evidence(texts=False), unfolded=True)
    return pa.Table.from_pylist([*found], schema_of(_PASSAGES))
