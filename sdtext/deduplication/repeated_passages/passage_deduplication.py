"""Deduplicate the passages of records and documents in memory, or in files, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar

from sdtext.deduplication.repeated_passages.find_repeats import (
    RepeatedPassages,
    repeated_passages,
)
from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
from sdtext.deduplication.repeated_passages.removed_passages import (
    RemovedPassage,
    restored,
    without_ranges,
)
from sdtext.deduplication.source_documents import FILES, HELD, Sources
from sdtext.errors import OptionError, naming_arguments
from sdtext.model import Problem
from sdtext.model.displayed_results import ArrowRows, html_table
from sdtext.parts.load_recipe import RecipeLike
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import Frame
from sdtext.text.document import Document

if TYPE_CHECKING:
    import pyarrow as pa

Item = TypeVar("Item")


class PassageOptions(TypedDict, total=False):
    """Options of `deduplicate` with a unit, with the names of those of the verb Deduplicate.

    - `min_tokens`: the fewest words of a passage that is removed; 50 by default for
      `unit="passage"`, else 1.
    - `min_copies`: how many copies of a passage stay, 1 by default.
    - `min_frequency`: what stands fewer times than this stays everywhere; 2 by default.
    - `distance`: how many of `min_tokens` words may be changed in a passage that is removed, for
      `unit="passage"`; 0 by default.
    - `recipe`: how words are normalized: a recipe, its name, or its file.
    - `text_field`, `id_field`: the fields of records; the id is by default "id", or the position.
    - `run`: processes, limits and progress.
    """

    min_tokens: int | None
    min_copies: int
    min_frequency: int
    distance: int
    recipe: RecipeLike | None
    text_field: str
    id_field: str
    run: Run


@dataclass(frozen=True)
class PassageDeduplication(Generic[Item]):
    """The result of a deduplication of passages.

    `kept` are all items in their order, those from which something is removed with what is left of
    their texts: records, and Documents in place of paths. `removed` are the passages, each with its
    place in the original text and the place that is kept. `restore(kept, removed)` gives the
    original texts. What could not be read stays as it is, and stands in `problems`.
    """

    kept: tuple[Item, ...]
    removed: ArrowRows[RemovedPassage]
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        counts = f"{len(self.kept):,} kept, {len(self.removed):,} passages removed"
        noted = f", {len(self.problems):,} problems" if self.problems else ""
        return f"<deduplication: {counts}{noted}>"

    def _repr_html_(self) -> str:
        """What is removed as a table, for notebooks."""
        columns = [column.name for column in fields(RemovedPassage)]
        rows = [[getattr(row, name) for name in columns] for row in self.removed]
        return html_table(repr(self).strip("<>"), columns, rows)


@dataclass(frozen=True, repr=False)
class FramePassageDeduplication(PassageDeduplication[Any]):
    """The result for a frame: `kept` is a table of Arrow with its columns."""

    kept: pa.Table


def deduplicate_passages(
    sources: Sources, items: Frame | Sequence[Any], rules: PassageRules, field: str, run: Run
) -> PassageDeduplication[Any]:
    """The `items` of which `sources` are made, without what repeats."""
    removed: list[RemovedPassage] = []
    with repeated_passages(sources, rules, run) as repeated:
        if isinstance(items, Frame):
            table = items.with_texts(field, _cut_texts(repeated, items, field, removed))
        else:
            kept = tuple(_kept(repeated, items, field, run, removed))
    rows, problems = ArrowRows(RemovedPassage, tuple(removed)), tuple(run.problems or ())
    if isinstance(items, Frame):
        return FramePassageDeduplication(table, rows, problems)
    return PassageDeduplication(kept, rows, problems)


def _cut_texts(
    repeated: RepeatedPassages, frame: Frame, field: str, removed: list[RemovedPassage]
) -> dict[int, str]:
    """What is left of the texts of a frame from which something is removed, by their places."""
    texts = dict[int, str]()
    for place, row in enumerate(frame.rows([field])):
        document = repeated.documents.get((0, place))
        if document is not None:
            text = row[field]
            removed += repeated.passages(document, text, place + 1)
            texts[place] = without_ranges(text, repeated.ranges(document, text))
    return texts


def _kept(
    repeated: RepeatedPassages,
    items: Sequence[Any],
    field: str,
    run: Run,
    removed: list[RemovedPassage],
) -> Iterator[Any]:
    """The items with what is left of their texts; what is removed is appended to `removed`."""
    for record, (origin, item) in enumerate(_items(repeated, items, run), 1):
        document = repeated.documents.get(origin)
        if document is None:
            yield item
            continue
        text = item.text if isinstance(item, Document) else item[field]
        removed += repeated.passages(document, text, record)
        yield _with_text(item, field, without_ranges(text, repeated.ranges(document, text)))


def _items(
    repeated: RepeatedPassages, items: Sequence[Any], run: Run
) -> Iterator[tuple[tuple[int, int], Any]]:
    """The items with the numbers of their files and their places there."""
    sources, corpus = repeated.sources, repeated.corpus
    if sources.kind == HELD:
        yield from (((0, place), item) for place, item in enumerate(items))
    elif sources.kind == FILES:
        for document in range(len(corpus)):
            name = sources.name_of(corpus.origin(document)[0], "")
            yield corpus.origin(document), Document.of(corpus.text(document), name)
    else:
        for number in range(len(sources.paths)):
            yield from (((number, place), row) for place, row in sources.rows(number, run))


def _with_text(item: Any, field: str, text: str) -> Any:
    if isinstance(item, Document):
        return Document.of(text, item.source)
    return {**item, field: text}


@naming_arguments
def restore(
    documents: Iterable[Item], removed: Iterable[RemovedPassage], *, text_field: str = "text"
) -> list[Item]:
    r"""The records or Documents from which the passages were `removed`, with their original texts.

    `documents` are those that one result of `deduplicate` keeps. Raises FormatError where they do
    not fit.

    >>> from sdtext.deduplication.python_api import deduplicate
    >>> records = [{"text": "Bees dance.\n\nBuy now!"}, {"text": "Buy now!\n\nThey sing."}]
    >>> result = deduplicate(records, unit="paragraph")
    >>> result.kept[1]["text"], restore(result.kept, result.removed) == records
    ('They sing.', True)
    """
    rows = sorted(removed, key=attrgetter("record"))
    by_record = {record: list(group) for record, group in groupby(rows, attrgetter("record"))}
    originals = []
    for record, item in enumerate(documents, 1):
        if record not in by_record:
            originals.append(item)
            continue
        if not isinstance(item, Document | Mapping):
            wanted = "the records or Documents of a result of deduplicate"
            raise OptionError.of("restore", f"documents[{record - 1}]", item, wanted)
        text = item.text if isinstance(item, Document) else item[text_field]
        originals.append(_with_text(item, text_field, restored(text, by_record[record])))
    return originals
