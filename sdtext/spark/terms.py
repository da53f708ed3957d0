"""Dictionaries and fingerprints in Spark, by the terms of documents as they are counted locally."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as all know it)

from sdtext.errors import UnreadableError
from sdtext.fingerprinting.build_dictionary import CountTerms, TermCounts, dictionary_of
from sdtext.fingerprinting.fingerprint_documents import each_once, fingerprints_of_documents
from sdtext.fingerprinting.load_and_save import OneOrMore
from sdtext.model import RecipeSpec
from sdtext.model.dictionary import SAMPLE, Dictionary
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Amount, AmountLike
from sdtext.reading.records.arrow_frames import in_rows
from sdtext.spark.stages import Work
from sdtext.text.document import Document

_COUNTS = "kind string, term string, number long"
_BITS = "document string, dictionary string, bits binary, terms long, language string"


def create_dictionary(
    documents: DataFrame,
    recipe: RecipeLike,
    *,
    max_terms: AmountLike | None = None,
    name: str = "",
    text_field: str = "text",
    id_field: str = "id",
    work: str | None = None,
) -> Dictionary:
    """The dictionary of documents, in memory, as `sdtext.create_dictionary` makes it.

    Raises OptionError, UnreadableError.
    """
    job = Work.on("create_dictionary", documents, text_field, id_field, work)
    return dictionary_of_texts(job, recipe, max_terms, name)


def dictionary_of_texts(
    job: Work, recipe: RecipeLike, max_terms: AmountLike | None, name: str
) -> Dictionary:
    """The dictionary of the texts of a job, in memory."""
    chosen = recipe_from(recipe)
    chain = RecipeSpec(chosen.tokenizer, chosen.filters)
    kept = None if max_terms is None else Amount.parse(max_terms, "max_terms")
    texts = job.texts.where("text is not null")
    count = CountTerms(chain, Reading(), frozenset())
    made = texts.select("text").mapInArrow(in_rows(count.rows, _COUNTS), _COUNTS)
    summed = made.groupBy("kind", "term").agg(F.sum("number"))
    counts = defaultdict[str, Counter[str]](Counter)
    for kind, term, number in job.with_key(chain).stage("terms", summed).collect():
        counts[kind][term] = number
    if not (read := counts["document"][""]):
        raise UnreadableError("there is nothing to read", place="create_dictionary")
    first = texts.orderBy("number").limit(2 * SAMPLE).select("text").collect()
    samples = count.in_memory([Document.of(row[0]) for row in first], 0).samples
    total = TermCounts(counts["term"], read, samples=samples, languages={*counts["language"]})
    return dictionary_of(total, chain, kept, name)


def fingerprint(
    documents: DataFrame,
    dictionary: OneOrMore,
    *,
    text_field: str = "text",
    id_field: str = "id",
    work: str | None = None,
) -> DataFrame:
    """The bit vectors of documents, a row for each `document` and `dictionary` (its digest).

    `bits` are the packed bits of `sdtext.fingerprint`, `terms` how many are set. Documents without
    text have no row. Raises OptionError.
    """
    known = each_once(dictionary)
    return bits_of(Work.on("fingerprint", documents, text_field, id_field, work), known)


def bits_of(job: Work, known: tuple[Dictionary, ...]) -> DataFrame:
    """The bit vectors of the texts of a job over distinct dictionaries."""
    texts = job.texts.where("text is not null").select("name", "text")
    job = job.with_key(*(item.digest for item in known))

    def rows(texts: Sequence[dict[str, str]]) -> Iterator[dict[str, Any]]:
        documents = (Document.of(row["text"], row["name"]) for row in texts)
        for row, made in zip(texts, fingerprints_of_documents(documents, known), strict=True):
            for one in made.vectors:
                own = {"bits": one.packed, "terms": one.count, "language": one.language or None}
                yield {"document": row["name"], "dictionary": made.reference(one).digest, **own}

    return job.stage("bits", texts.mapInArrow(in_rows(rows, _BITS), _BITS))
