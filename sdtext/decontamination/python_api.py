"""Decontaminate records and documents in memory, or those in files, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, cast

from sdtext.decontamination.benchmark_items import (
    BenchmarkItem,
    ItemFields,
    item_of,
    load_items,
    paragraph_items,
)
from sdtext.decontamination.clean_corpus import ACTIONS, REMOVE, changed_row, clean_frame
from sdtext.decontamination.find_contamination import (
    Contamination,
    Decontaminated,
    find_contamination,
)
from sdtext.decontamination.find_items import MIN_SCORE, MIN_WORDS, ItemMatch
from sdtext.deduplication.deduplicate import score_of
from sdtext.deduplication.source_documents import FILES, HELD, WANTED, sources_of
from sdtext.errors import OptionError
from sdtext.model import Problem
from sdtext.model.displayed_results import ArrowRows, html_table
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import ArrowStream, Frame, is_frame
from sdtext.reading.records.record import Fields
from sdtext.text.document import Document
from sdtext.wording import counted

_PATH = (str, PathLike)
_BENCHMARK = (
    "the path of a file of items, or several, records such as {'question': '…'}, or "
    "sdtext.Documents"
)


@dataclass(frozen=True)
class Decontamination:
    """The result of a decontamination.

    `matches` are the items that occur in the corpus; they are a frame, too, for pyarrow, polars,
    DuckDB and pandas. `kept` is the corpus without them: a tuple of the records and documents that
    were given, the paths of files, or the records in files; or a table of the rows of a frame.
    `read` counts what could be read, and `contaminated` those that hold items; `items` were
    searched for. What could not be read is kept, and stands in `problems`.
    """

    matches: ArrowRows[ItemMatch]
    kept: Any
    read: int
    contaminated: int
    items: int
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        counts = f"{self.contaminated:,} of {self.read:,} contaminated"
        return f"<decontamination: {counts}, {counted(self.items, 'item')} searched for>"

    def _repr_html_(self) -> str:
        """The items that occur as a table, for notebooks."""
        columns = [column.name for column in fields(ItemMatch)]
        rows = [[getattr(row, name) for name in columns] for row in self.matches]
        return html_table(repr(self).strip("<>"), columns, rows)


def decontaminate(  # noqa: PLR0913 (options are spelled out)
    documents: str | Path | Document | Iterable[Any] | ArrowStream,
    benchmark: str | Path | Document | Iterable[Any] | ArrowStream,
    *,
    similarity: float = MIN_SCORE / 100,
    min_words: int = MIN_WORDS,
    with_answer: bool = False,
    question_field: str | Sequence[str] = (),
    answer_field: str = "",
    text_field: str = "text",
    id_field: str = "",
    action: str = REMOVE,
    run: Run | None = None,
) -> Decontamination:
    """Find the items of a benchmark in documents or records, as the verb Decontaminate does.

    `documents` is the path of a file, folder, archive or file of records, or several of them, or
    records (mappings with a text) and Documents in memory, or a frame; `benchmark` likewise is the
    path of a file of items, or several, or records with a question, or a frame of them, or
    Documents, of which each paragraph is an item, as of a file.

    - `similarity`: the least score of an item that counts, from 0.01 to 0.99.
    - `min_words`: the least words of an item that is searched for, 8 or more.
    - `with_answer`: count only items that stand near one of their answers, if they have any.
    - `question_field`: the field, or fields, of an item with its question.
    - `answer_field`: the field of an item with its answers.
    - `text_field`, `id_field`: the fields of records of the corpus.
    - `action`: what is done with records that hold items: "remove", "cut" or "mark"; documents
      that hold items are always removed.
    - `run`: processes, limits and progress.

    Raises OptionError, or UnreadableError where nothing can be read.

    >>> page = {"id": 1, "text": "Quiz: how do bees show the way to a distant meadow? They dance."}
    >>> items = [{"question": "How do bees show the way to a distant meadow?", "answer": "dance"}]
    >>> result = decontaminate([page, {"id": 2, "text": "Bees dance."}], items)
    >>> [(match.record, match.score, match.answer) for match in result.matches]
    [('1', 99, 'near')]
    >>> [record["id"] for record in result.kept]
    [2]
    """
    if action not in ACTIONS:
        raise OptionError.of("decontaminate", "action", action, "remove, cut or mark")
    asked = Contamination(score_of("decontaminate", similarity), min_words, with_answer)
    questions = (question_field,) if isinstance(question_field, str) else tuple(question_field)
    run = run or Run()
    run = run if run.problems is not None else replace(run, problems=[])
    items = _items(benchmark, ItemFields(questions, answer_field), run)
    named = Fields(text_field, id_field)
    if is_frame(documents):
        frame = Frame.of("decontaminate", documents, named)
        done = find_contamination(sources_of(frame, named, run), items, asked, run)
        kept: Any = clean_frame(frame, named.text, done.spans.get(0, {}), action)
    else:
        given = _listed(documents, "documents", WANTED)
        done = find_contamination(sources_of(given, named, run), items, asked, run)
        kept = tuple(_kept(given, done, action, run))
    matches = ArrowRows(ItemMatch, done.matches)
    return Decontamination(
        matches, kept, done.read, done.contaminated, done.items, tuple(run.problems or ())
    )


def _listed(given: Any, argument: str, wanted: str) -> list[Any]:
    """What an argument names or holds, as a list. Raises OptionError for an empty one."""
    items = [given] if isinstance(given, (*_PATH, Document)) else [*given]
    if not items:
        raise OptionError.of("decontaminate", argument, items, wanted)
    return items


def _items(benchmark: Any, item_fields: ItemFields, run: Run) -> list[BenchmarkItem]:
    """The items of a benchmark. Raises OptionError for one without a question."""
    if is_frame(benchmark):
        benchmark = Frame.unchecked("decontaminate", benchmark, "benchmark").table.to_pylist()
    given = _listed(benchmark, "benchmark", _BENCHMARK)
    if all(isinstance(item, _PATH) for item in given):
        return load_items(cast("list[str]", given), item_fields, run)
    items: list[BenchmarkItem] = []
    for place, part in enumerate(given):
        if isinstance(part, (str, PathLike, Document)):
            if isinstance(part, Document):
                name, own = part.source or str(place), [*paragraph_items(part)]
            else:
                name, own = str(part), load_items([str(part)], item_fields, run)
            prefix = f"{name}#" if len(given) > 1 else ""
            items += (replace(item, name=f"{prefix}{item.name}") for item in own)
            continue
        item = item_of(part, item_fields, str(part.get("id", place)))
        if isinstance(item, str):
            raise OptionError(f"benchmark[{place}] {item}", place="decontaminate")
        items.append(item)
    return items


def _kept(given: list[Any], done: Decontaminated, action: str, run: Run) -> Iterator[Any]:
    """What was given without the items."""
    sources = done.sources
    if sources.kind == FILES:
        yield from (path for number, path in enumerate(sources.paths) if number not in done.spans)
        return
    for number in range(len(sources.paths) or 1):
        rows = enumerate(given) if sources.kind == HELD else sources.rows(number, run)
        spans = done.spans.get(number, {})
        for place, row in rows:
            if place not in spans:
                yield row
            elif action != REMOVE and isinstance(row, Mapping):
                yield changed_row(row, sources.fields.text, spans[place], action)
