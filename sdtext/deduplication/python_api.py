"""Deduplicate records, documents and the passages in them, in memory or in files, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from math import isclose
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from sdtext.collections.stored_collection import OpenCollection, StoredCollection, stored_in
from sdtext.deduplication.repeated_passages.find_repeats import repeated_passages
from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage, restored
from sdtext.deduplication.repeated_passages.repeated_sentences import PassageRules
from sdtext.deduplication.rule_names import DOCUMENT, KEEP, RULES, check_unit
from sdtext.deduplication.rules_and_removals import (
    DuplicateCluster,
    RemovedDocument,
    ReviewedPair,
    Rules,
)
from sdtext.deduplication.run import deduplicate as run_deduplication
from sdtext.deduplication.source_documents import FILES, HELD, Sources, sources_of
from sdtext.errors import OptionError
from sdtext.io.remote_files import forget_fetched
from sdtext.model import Problem
from sdtext.model.displayed_results import ArrowRows, html_table
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import ArrowStream, Frame, is_frame
from sdtext.reading.records.record import Fields
from sdtext.text.document import Document
from sdtext.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa

Item = TypeVar("Item")
Documents = str | Path | Document | ArrowStream | Iterable[Any]

_PATH = (str, PathLike)
_NO_CLUSTERS = ArrowRows(DuplicateCluster, ())
_NONE_REVIEWED = ArrowRows(ReviewedPair, ())


@dataclass(frozen=True)
class Deduplication:
    """The result of a deduplication.

    `kept` are the items that are kept, in their order: a tuple of the records and documents that
    were given, the paths of files, or the records in files; of a frame it is a table of Arrow with
    its columns, which `polars.DataFrame(result.kept)`, `pandas.DataFrame.from_arrow(result.kept)`
    and DuckDB read without a copy of the texts in Python; so they do `removed` and `clusters`.
    `removed` says for each other item which `document` it is, which one is `kept` instead, and
    their `score` (0 to 99) and `similarity` (0 to 1). `clusters` has the duplicates of each kept
    document. What could not be read is kept, and stands in `problems`. `reviewed` has the
    least similar removals, with the passages where they differ. `cluster_numbers` has the number of
    the cluster of each item, those that are removed included; 0 for one that is similar to a
    document of `against`, None for one in no cluster.

    With another unit than documents all items are in `kept`, those from which something is removed
    with what is left of their texts, and Documents in place of paths. `removed` are then the
    passages, each with its place in the original text and the place that is kept: `restore(kept,
    removed)` gives the original texts.
    """

    kept: Any
    removed: ArrowRows[Any]
    clusters: ArrowRows[DuplicateCluster] = _NO_CLUSTERS
    problems: tuple[Problem, ...] = ()
    how: str = ""
    reviewed: ArrowRows[ReviewedPair] = _NONE_REVIEWED
    cluster_numbers: tuple[int | None, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        passages = " passages" if self.removed.row_type is RemovedPassage else ""
        counts = f"{len(self.kept):,} kept, {len(self.removed):,}{passages} removed"
        noted = f", {counted(len(self.problems), 'problem')}" if self.problems else ""
        return f"<deduplication: {counts}{noted}>"

    def _repr_html_(self) -> str:
        """What is removed as a table, for notebooks."""
        columns = [column.name for column in fields(self.removed.row_type)]
        for name in {"duplicate", "shared", "passage"}.intersection(columns):
            if all(getattr(row, name) is None for row in self.removed):
                columns.remove(name)
        rows = [[getattr(row, name) for name in columns] for row in self.removed]
        return html_table(repr(self).strip("<>"), columns, rows)


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
    against: OpenCollection | StoredCollection | str | Path | None = None,
    explain: bool = False,
    review: int = 0,
    min_tokens: int | None = None,
    text_field: str = "text",
    id_field: str = "",
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
    - `run`: processes, limits and progress.

    For documents:

    - `similarity`: what scores this much is a duplicate: 0.01 to 0.99; the default is the recipe's.
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
    given = {
        "similarity": similarity is not None,
        "rule": rule != RULES[0],
        "keep": keep != KEEP[0],
        "scope": bool(scope),
        "recall": recall is not None,
        "against": against is not None,
        "explain": explain,
        "review": bool(review),
        "min_tokens": min_tokens is not None,
    }
    check_unit(unit, [name for name, is_given in given.items() if is_given])
    if review < 0:
        raise OptionError.of("deduplicate", "review", review, "0 or more")
    spec = None if recipe is None else recipe_from(recipe)
    run = run or Run()
    run = run if run.problems is not None else replace(run, problems=[])
    named = Fields(text_field, id_field)
    forget_fetched()  # what is remote may have changed
    if is_frame(documents):
        items: Frame | list[Any] = Frame.of("deduplicate", documents, named)
    else:
        is_one = isinstance(documents, (*_PATH, Document))
        items = [documents] if is_one else [*documents]  # type: ignore[misc] # a frame is above
    nothing = items.table if isinstance(items, Frame) else ()
    if unit != DOCUMENT:
        passage_rules = PassageRules(unit, min_tokens, spec)
        if not items:
            return Deduplication(nothing, ArrowRows(RemovedPassage, ()))
        return _without_passages(items, named, passage_rules, run)
    stored = StoredCollection.open(against) if isinstance(against, _PATH) else stored_in(against)
    minimum = None if similarity is None else score_of("deduplicate", similarity)
    rules = Rules(spec, minimum, recall, keep, stored, rule, scope)
    if not items:
        return Deduplication(nothing, ArrowRows(RemovedDocument, ()))
    sources = sources_of(items, named, run)
    done = run_deduplication(sources, rules, run, explain=explain, review=review)
    if isinstance(items, Frame):
        keys = [(0, place) for place in range(len(items))]
        kept: Any = items.without(done.places.get(0, frozenset()))
    else:
        placed = [*_placed(items, done.sources, run)]
        keys = [(file, place) for file, place, _ in placed]
        kept = tuple(item for file, place, item in placed if place not in done.places.get(file, ()))
    return Deduplication(
        kept,
        ArrowRows(RemovedDocument, done.removed),
        ArrowRows(DuplicateCluster, done.clusters),
        tuple(run.problems or ()),
        done.how,
        ArrowRows(ReviewedPair, done.reviewed),
        tuple(done.marks.get(file, {}).get(place) for file, place in keys),
    )


def _placed(
    items: Frame | Sequence[Any], sources: Sources, run: Run
) -> Iterator[tuple[int, int, Any]]:
    """The items, the paths of files, or the records in files, with their files and places."""
    if sources.kind == HELD:
        rows = items.rows([sources.fields.text]) if isinstance(items, Frame) else items
        yield from ((0, place, item) for place, item in enumerate(rows))
    elif sources.kind == FILES:
        yield from ((number, 0, path) for number, path in enumerate(sources.paths))
    else:
        yield from sources.all_rows(run)


def _without_passages(
    items: Frame | list[Any], named: Fields, rules: PassageRules, run: Run
) -> Deduplication:
    """The items with what is left of their texts; paths that were read become Documents."""
    removed: list[RemovedPassage] = []
    kept: list[Any] = []
    texts: dict[int, str] = {}
    sources = sources_of(items, named, run)
    with repeated_passages(sources, rules, run) as repeated:
        corpus = repeated.corpus
        numbers = range(len(corpus)) if sources.has_files else ()
        read = {corpus.origin(document): document for document in numbers}
        for position, (file, place, given) in enumerate(_placed(items, sources, run)):
            item, origin = given, (file, place)
            if origin in read and isinstance(item, _PATH):
                item = Document.of(corpus.text(read[origin]), sources.name_of(file, item))
            if origin in repeated.documents:
                text = item.text if isinstance(item, Document) else item[named.text]
                document = repeated.documents[origin]
                texts[position], passages = repeated.cut(document, text, position + 1)
                removed += passages
                item = _with_text(item, named.text, texts[position])
            if not isinstance(items, Frame):
                kept.append(item)
    whole = items.with_texts(named.text, texts) if isinstance(items, Frame) else tuple(kept)
    rows = ArrowRows(RemovedPassage, tuple(removed))
    return Deduplication(whole, rows, problems=tuple(run.problems or ()))


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
    for score in range(1, 100):
        if isclose(100 * similarity, score, abs_tol=1e-9):
            return score
    raise OptionError.of(caller, "similarity", similarity, "from 0.01 to 0.99, in hundredths")
