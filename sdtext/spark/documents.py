"""Documents in Spark: their shingles and sketches, by the row builder of collections."""

from __future__ import annotations

from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
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
from sdtext.reading.inputs import in_batches
from sdtext.reading.records.record import Fields, InputDocument, NoText, named_text
from sdtext.search.derived_columns import Derivation
from sdtext.search.search_plan import Question, SearchPlan, plan_search
from sdtext.search.searchable import Table, segment_views
from sdtext.spark.stages import Batches, Work, arrow, arrow_rows

FATAL = "fatal"
COMPARED = "number", "sketch", "shingles"
_DOCUMENTS = (
    "number long, name string, problem string, length long, size long, digest binary, "
    "sketch binary, shingles binary"
)


def shingled(work: Work, recipe: RecipeSpec) -> tuple[DataFrame, DataFrame]:
    """A row for each document with its shingles, its sketch, and a digest of its shingles.

    Beside it are the problems of documents: `number`, `name`, `problem`. Raises UnreadableError if
    a name is missing, or repeats where names are unique.
    """
    make = partial(shingle, recipe=recipe, unique=work.unique)
    work = work.with_key(recipe)
    documents = work.stage("documents", lambda: work.texts.mapInArrow(make, _DOCUMENTS))
    wrong = documents.where(F.col("problem").startswith(FATAL)).select("problem").head(1)
    if wrong:
        raise UnreadableError(wrong[0][0].rpartition("\t")[2])
    problems = documents.where("problem is not null").select("number", "name", "problem")
    return documents.where("problem is null"), problems.orderBy("number")


def settled_recipe(recipe: RecipeSpec, texts: DataFrame) -> RecipeSpec:
    """The complete recipe, with the length of shingles that follows from the longest text."""

    def longest() -> int:
        return int(texts.agg(F.max(F.length("text"))).collect()[0][0] or 0)

    return with_shingle_length(complete_recipe(CollectionSpec(recipe)), longest)[0]


def plan_of(recipe: RecipeSpec, question: Question) -> SearchPlan:
    """The plan of a search by shingles. Raises OptionError for what is compared otherwise."""
    plan = plan_search(MemoryCollection(recipe, Ragged.of([]), []), question)
    if plan.compares != "shingles" or not plan.symmetric:
        raise OptionError(
            f"engine spark compares shingles by a symmetric matcher, and {plan.matcher} is none; "
            "use jaccard or dice"
        )
    return plan


@lru_cache(maxsize=4)
def _builder(recipe: RecipeSpec) -> RowBuilder:
    return RowBuilder(recipe, tokens=False)


def shingle(batches: Batches, recipe: RecipeSpec, *, unique: bool = True) -> Batches:
    """The rows of `shingled` for the texts of a job, in order."""
    last, sketcher = None, Derivation(recipe, recipe).sketcher
    for batch in batches:
        problems, items = list[tuple[Any, ...]](), list[InputDocument]()
        columns = (each.to_pylist() for each in batch.columns)
        for number, name, text, problem in zip(*columns, strict=True):
            named = problem or named_text({"text": text}, Fields(), number)
            if unique and (name is None or name == last):
                what = f"a document has the id {name}" + " of another" * (name == last)
                problems.append((number, name, f"{FATAL}\t\t{what}; give each an id of its own"))
            elif problem:
                problems.append((number, name, problem))
            elif isinstance(named, str):
                kind = "warning\tempty" if isinstance(named, NoText) else "error\tunreadable"
                problems.append((number, name, f"{kind}\t{name}: {named}; it is kept"))
            else:
                items.append(InputDocument(str(number), name, text=named[1], place=name))
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
                    pa.nulls(len(sets), pa.string()),
                    built.lengths,
                    sets.lengths,
                    pa.array([blake2b(each, digest_size=16).digest() for each in octets]),
                    pa.array([row.tobytes() for row in np.asarray(sketches)]),
                    pa.array(octets, pa.binary()),
                )
        yield arrow_rows(_DOCUMENTS, [(*each, 0, 0, None, None, None) for each in problems])


def ragged_of(column: pa.Array, kind: str = "uint64") -> Ragged:
    """The rows of a column of bytes as numbers."""
    octets = [np.frombuffer(value, kind) for value in column.to_pylist()]
    values = np.concatenate(octets) if octets else np.empty(0, kind)
    return Ragged(values, offsets_of([len(each) for each in octets]))


def sketches_of(column: pa.Array) -> NDArray[np.uint32]:
    """The sketches in a column of bytes, a row each."""
    rows = ragged_of(column, "uint32")
    return rows.values.reshape(len(rows), -1)


def table_of(plan: SearchPlan, sketches: pa.Array, shingles: pa.Array) -> Table:
    """The table of some documents, as searches of a collection have it."""
    sets, arrays = ragged_of(shingles), {SKETCHES: sketches_of(sketches)}
    memory = MemoryCollection(plan.recipe, sets, [""] * len(sets), arrays)
    return Table(segment_views(memory, plan.derivation), plan.derivation)
