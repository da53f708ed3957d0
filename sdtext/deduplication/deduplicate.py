"""Deduplicate records, documents and the passages in them, in memory or in files, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from math import isclose
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.find_duplicates import Places, find_duplicates
from sdtext.deduplication.outputs import (
    converts,
    kept_format,
    temporary_place,
    write_kept,
    write_marked,
    written_packed,
)
from sdtext.deduplication.repeated_passages.find_repeats import (
    RemovedLog,
    RepeatedPassages,
    repeated_passages,
    write_cut,
)
from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage, restored
from sdtext.deduplication.rule_names import DOCUMENT, KEEP, RULES
from sdtext.deduplication.rules_and_removals import Deduplication, RemovedDocument, Rules
from sdtext.deduplication.source_documents import PATH, Sources, sources_of
from sdtext.errors import OptionError
from sdtext.io.remote_files import forget_fetched
from sdtext.model.displayed_results import ArrowRows
from sdtext.model.record_formats import JSON_LINES, TSV, RecordFormat
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.overwrite_guard import PLAIN, Output
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import ArrowStream, Frame, is_frame
from sdtext.reading.records.record import Fields, check_cuts
from sdtext.text.document import Document

if TYPE_CHECKING:
    import pyarrow as pa

Item = TypeVar("Item")
Documents = str | Path | Document | ArrowStream | Iterable[Any]


def deduplicate(  # noqa: PLR0913 (options are spelled out)
    documents: Documents,
    *,
    similarity: float | None = None,
    unit: str = DOCUMENT,
    rule: str = RULES[0],
    keep: str = KEEP[0],
    scope: str = "",
    recipe: RecipeLike | None = None,
    recall: float | None = None,
    against: StoredCollection | str | Path | None = None,
    explain: bool = False,
    review: int = 0,
    min_tokens: int | None = None,
    text_field: str = "text",
    id_field: str = "",
    output: str | Path = "",
    mark: bool = False,
    force: bool = False,
    run: Run | None = None,
) -> Deduplication:
    """Keep one of similar documents or records, as the verb Deduplicate does.

    `documents` is the path of a file, folder, archive or file of records, or several of them, or
    records (mappings with a text) and Documents in memory, among which paths of documents may
    stand, or a frame: whatever gives an Arrow stream (pyarrow, polars, DuckDB, pandas), or a
    dataset of Hugging Face. A string is a path; a text is given as `Document.of(text)`. Of no
    documents, such as an empty list, nothing is kept and nothing is removed.

    - `unit`: what is compared and removed: "document", or with what is left of the texts kept,
      repeated parts of them: "paragraph", "sentence" or "passage" (sentences within words that
      stand elsewhere, too).
    - `recipe`: a recipe with a shingler, its name, or its file; the default is `deduplicate`.
    - `text_field`, `id_field`: the fields of records; the id is by default "id", or the position.
    - `output`: a file for what is kept of documents and records in files, such as "kept.jsonl.gz";
      "-" is the standard output. Of parts of documents nothing is `kept` in memory then. `force`:
      it replaces an existing file, but never an input.
    - `run`: processes, limits and progress.

    For documents:

    - `similarity`: what scores this much is a duplicate: 0 to 0.99; the default is the recipe's.
    - `rule`: "direct" removes what is similar to a kept document, "cluster" all but one of each
      cluster of links, "contained" what is in a kept document (`similarity` is then the share of
      its shingles, by default 0.99).
    - `keep`: which of similar documents is kept: "first", "longest", "shortest", "newest" (files by
      their times, records by the field `date`), "newest:FIELD", "best:FIELD" (the largest number)
      or "none".
    - `scope`: "within:FIELD" for pairs of records with the same value in a field alone, or
      "across:FIELD" for pairs with different values.
    - `recall`: the required probability of finding a pair of that similarity.
    - `against`: a collection, or its path; what is similar to one of its documents is removed, too.
    - `explain`: whether removed documents have the number of shingles that they share with those
      kept instead, and the longest shared passage.
    - `review`: the number of removals, the least similar first, to list with their texts.

    - `mark`: all documents are written to `output`, with the number of their cluster in a column
      (of records, a field) called cluster.

    For parts of documents:

    - `min_tokens`: the fewest words of a passage that is removed; 50 by default for "passage",
      else 1.

    Raises OptionError, UnreadableError where nothing can be read, MismatchError or OutputError.

    >>> records = [{"id": 1, "text": "The bees dance in the hive, and the others follow."}]
    >>> records += [{"id": 2, "text": "The bees dance in the hive; and the others follow!"}]
    >>> result = deduplicate(records, similarity=0.8)
    >>> [record["id"] for record in result.kept]
    [1]
    >>> [(row.document, row.kept, row.score) for row in result.removed]
    [('2', '1', 99)]
    """
    stored = StoredCollection.open(against) if isinstance(against, PATH) else against
    searched = None if recipe is None else recipe_from(recipe)
    least = None if similarity is None else score_of("deduplicate", similarity)
    rules = Rules(
        searched, least, recall, keep, stored, rule, scope, unit, min_tokens, mark, explain, review
    )
    run = (run or Run()).anew()
    run = run if run.problems is not None else replace(run, problems=[])
    named = Fields(text_field, id_field)
    forget_fetched()  # what is remote may have changed
    if is_frame(documents):
        items: Any = Frame.of("deduplicate", documents, named)
    else:
        is_one = isinstance(documents, (*PATH, Document))
        items = [documents] if is_one else [*documents]  # type: ignore[misc] # a frame is above
    if not items:
        row_type = RemovedDocument if unit == DOCUMENT else RemovedPassage
        nothing = items.table if isinstance(items, Frame) else ()
        return Deduplication(ArrowRows[Any](row_type, ()), _kept=lambda: nothing)
    target = Output(output, PLAIN, force) if output else None
    if target:
        target.check(str(item) for item in items if isinstance(item, PATH))
    sources, form = sources_of(items, named, run), None
    if target:
        of_files = JSON_LINES if unit != DOCUMENT else TSV if mark else None  # else their paths
        form = kept_format(sources, target.path, of_files)
        sources = replace(sources, converted=mark or converts(sources, form))
    if unit != DOCUMENT:
        done = _without_passages(sources, rules, run, target, form or JSON_LINES)
    else:
        done, places, marks = find_duplicates(sources, rules, run, temporary_place(str(output)))
        if target:
            with written_packed(target) as file:
                if mark:
                    write_marked(sources, marks, form or TSV, file, run)
                else:
                    write_kept(sources, places, form, file, run)
        done = replace(done, _kept=partial(_kept, sources, Run(reading=run.reading), places))
    return replace(done, problems=tuple(run.problems or ()))


def _kept(sources: Sources, run: Run, removed: Places) -> Any:
    """The items but for the removed ones."""
    if sources.frame is not None:
        return sources.frame.without(removed.get(0, frozenset()))
    placed = sources.placed(run)
    return tuple(item for file, place, item in placed if place not in removed.get(file, ()))


def _without_passages(
    sources: Sources, rules: Rules, run: Run, target: Output | None, form: RecordFormat
) -> Deduplication:
    """The items with what is left of their texts; paths that were read become Documents."""
    folder = temporary_place(str(target.path)) if target else None
    with repeated_passages(sources, rules, run, folder) as repeated:
        removed: Sequence[RemovedPassage]
        if target:
            kept, removed = (), RemovedLog(folder)
            with written_packed(target) as file:
                write_cut(repeated, removed, form, file, run)
        else:
            kept, removed = _cut_items(sources, repeated, run)
        rows = ArrowRows(RemovedPassage, removed)
        summary, counts = str(repeated), repeated.counts
    return Deduplication(rows, summary=summary, counts=counts, _kept=lambda: kept)


def _cut_items(
    sources: Sources, repeated: RepeatedPassages, run: Run
) -> tuple[Any, tuple[RemovedPassage, ...]]:
    """The items with what is left of their texts, and what is removed."""
    removed: list[RemovedPassage] = []
    kept: list[Any] = []
    texts: dict[int, str] = {}
    field, corpus = sources.fields.text, repeated.corpus
    numbers = range(len(corpus)) if sources.has_files else ()
    read = {corpus.origin(document): document for document in numbers}
    for position, (file, place, given) in enumerate(sources.placed(run)):
        item = given
        if (file, place) in read and isinstance(item, PATH):
            item = Document.of(corpus.text(read[file, place]), sources.name_of(file, item))
        if (document := repeated.documents.get(file, {}).get(place)) is not None:
            if not isinstance(item, Document):
                check_cuts(item, field)
            text = item.text if isinstance(item, Document) else item[field]
            texts[position], passages = repeated.cut(document, text, position + 1)
            removed += passages
            item = _with_text(item, field, texts[position])
        if sources.frame is None:
            kept.append(item)
    whole = sources.frame.with_texts(field, texts) if sources.frame is not None else tuple(kept)
    return whole, tuple(removed)


def _with_text(item: Any, field: str, text: str) -> Any:
    if isinstance(item, Document):
        return Document.of(text, item.source)
    return {**item, field: text}


@overload
def restore(
    documents: ArrowStream, removed: Iterable[RemovedPassage], *, text_field: str = ...
) -> pa.Table: ...
@overload
def restore(
    documents: Iterable[Item], removed: Iterable[RemovedPassage], *, text_field: str = ...
) -> list[Item]: ...
def restore(
    documents: Iterable[Item] | ArrowStream,
    removed: Iterable[RemovedPassage],
    *,
    text_field: str = "text",
) -> list[Item] | ArrowStream:
    r"""The records or Documents from which the passages were `removed`, with their original texts.

    `documents` are those that one result of `deduplicate` keeps; of a frame it is a table of Arrow.
    Rows of a file of `--removed` are passages as `RemovedPassage(**row)`. Raises FormatError where
    they do not fit.

    >>> from sdtext import deduplicate
    >>> records = [{"text": "Bees dance.\n\nBuy now!"}, {"text": "Buy now!\n\nThey sing."}]
    >>> result = deduplicate(records, unit="paragraph")
    >>> result.kept[1]["text"], restore(result.kept, result.removed) == records
    ('They sing.', True)
    """
    rows = sorted(removed, key=attrgetter("record"))
    by_record = {record: list(group) for record, group in groupby(rows, attrgetter("record"))}
    if is_frame(documents):
        frame = Frame.of("restore", documents, Fields(text=text_field))
        column = frame.table[text_field]
        places = [record - 1 for record in by_record if record <= len(frame)]
        kept = {place: column[place].as_py() for place in places}
        texts = {place: restored(text, by_record[place + 1]) for place, text in kept.items()}
        restored_table: ArrowStream = frame.with_texts(text_field, texts)
        return restored_table
    originals = list[Any]()
    for record, item in enumerate(documents, 1):  # type: ignore[arg-type] # a frame is above
        if record in by_record:
            text = item.text if isinstance(item, Document) else item[text_field]  # type: ignore[index]
            originals.append(_with_text(item, text_field, restored(text, by_record[record])))
        else:
            originals.append(item)
    return originals


def score_of(caller: str, similarity: float) -> int:
    """The score of a similarity that was given as an argument. Raises OptionError.

    >>> score_of("deduplicate", 0.8)
    80
    """
    for score in range(100):
        if isclose(100 * similarity, score, abs_tol=1e-9):
            return score
    raise OptionError.of(caller, "similarity", similarity, "from 0 to 0.99, in hundredths")
