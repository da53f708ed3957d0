"""Decontaminate records and documents in memory, or those in files, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdtext.decontamination.benchmark_items import (
    CUT,
    MIN_SCORE,
    MIN_WORDS,
    REMOVE,
    BenchmarkItem,
    Contamination,
    item_of,
    load_items,
    paragraph_items,
)
from sdtext.decontamination.find_contamination import Decontamination, Spans, find_contamination
from sdtext.decontamination.find_items import ItemMatch
from sdtext.deduplication.deduplicate import score_of
from sdtext.deduplication.outputs import kept_format, write_changed, write_kept, written_packed
from sdtext.deduplication.repeated_passages.removed_passages import without_ranges
from sdtext.deduplication.source_documents import PATH, WANTED, Sources, sources_of
from sdtext.errors import OptionError
from sdtext.reading.overwrite_guard import PLAIN, Output
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import ArrowStream, Frame, is_frame
from sdtext.reading.records.json_records import Row
from sdtext.reading.records.record import Fields, check_cuts
from sdtext.text.document import Document

if TYPE_CHECKING:
    pass

_BENCHMARK = (
    "the path of a file of items, or several, records such as {'question': '…'}, or "
    "sdtext.Documents"
)


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
    output: str | Path = "",
    force: bool = False,
    run: Run | None = None,
) -> Decontamination:
    """Find the items of a benchmark in documents or records, as the verb Decontaminate does.

    `documents` is the path of a file, folder, archive or file of records, or several of them, or
    records (mappings with a text) and Documents in memory, or a frame; `benchmark` likewise is the
    path of a file of items, or several, or records with a question, or a frame of them, or
    Documents, of which each paragraph is an item, as of a file.

    - `similarity`: the least score of an item that counts, from 0 to 0.99.
    - `min_words`: the least words of an item that is searched for, 8 or more.
    - `with_answer`: count only items that stand near one of their answers, if they have any.
    - `question_field`: the field, or fields, of an item with its question.
    - `answer_field`: the field of an item with its answers.
    - `text_field`, `id_field`: the fields of records of the corpus.
    - `action`: what is done with records that hold items: "remove", "cut" or "mark"; documents
      that hold items are always removed.
    - `output`: a file for the corpus without the items, if it is read from files, such as
      "clean.jsonl.gz"; "-" is the standard output. `force`: it replaces an existing file, but never
      an input.
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
    questions = (question_field,) if isinstance(question_field, str) else tuple(question_field)
    minimum = score_of("decontaminate", similarity)
    asked = Contamination(minimum, min_words, with_answer, questions, answer_field, action)
    run = run or Run()
    run = run if run.problems is not None else replace(run, problems=[])
    named = Fields(text_field, id_field)
    given: Any = (
        Frame.of("decontaminate", documents, named)
        if is_frame(documents)
        else _listed(documents, "documents", WANTED)
    )
    if is_frame(benchmark):
        benchmark = Frame.unchecked("decontaminate", benchmark, "benchmark").table.to_pylist()
    parts = _listed(benchmark, "benchmark", _BENCHMARK)
    target = Output(output, PLAIN, force) if output else None
    if target:
        inputs = parts if isinstance(given, Frame) else [*given, *parts]
        target.check(str(item) for item in inputs if isinstance(item, PATH))
    items = items_of(parts, asked, run)
    sources = sources_of(given, named, run)
    form = kept_format(sources, target.path) if target else None
    if target and not form and action != REMOVE:
        what = f"the action {action} is for records, but the corpus is of documents; use {REMOVE}"
        raise OptionError(what)
    done, spans = find_contamination(sources, items, asked, run)

    def changed(number: int, place: int, _position: int, row: Row) -> Row:
        return changed_row(row, text_field, spans[number][place], action)

    if target:
        with written_packed(target) as file:
            if form and action != REMOVE:  # records without items stay byte for byte in JSON lines
                write_changed(sources, spans, changed, form, file, run)
            else:
                places = {number: frozenset(own) for number, own in spans.items()}
                write_kept(sources, places, form, file, run)
    kept = partial(_kept, sources, spans, action, Run(reading=run.reading))
    return replace(done, problems=tuple(run.problems or ()), _kept=kept)


def _listed(given: Any, argument: str, wanted: str) -> list[Any]:
    """What an argument names or holds, as a list. Raises OptionError for an empty one."""
    items = [given] if isinstance(given, (*PATH, Document)) else [*given]
    if not items:
        raise OptionError.of("decontaminate", argument, items, wanted)
    return items


def items_of(given: list[Any], asked: Contamination, run: Run) -> list[BenchmarkItem]:
    """The items of a benchmark. Raises OptionError for one without a question."""
    if all(isinstance(item, PATH) for item in given):
        return load_items(given, asked, run)
    items: list[BenchmarkItem] = []
    for place, part in enumerate(given):
        if isinstance(part, (*PATH, Document)):
            if isinstance(part, Document):
                name, own = part.source or str(place), [*paragraph_items(part)]
            else:
                name, own = str(part), load_items([str(part)], asked, run)
            prefix = f"{name}#" if len(given) > 1 else ""
            items += (replace(item, name=f"{prefix}{item.name}") for item in own)
            continue
        item = item_of(part, asked, str(part.get("id", place)))
        if isinstance(item, str):
            raise OptionError(f"benchmark[{place}] {item}", place="decontaminate")
        items.append(item)
    return items


def _kept(sources: Sources, spans: Spans, action: str, run: Run) -> Any:
    """What was given without the items, or with them marked."""
    field, frame = sources.fields.text, sources.frame
    if frame is not None:
        in_frame = spans.get(0, {})
        if action == REMOVE:
            return frame.without(in_frame.keys())
        if action != CUT:
            return frame.with_marks(MARKS, {place: _marks(own) for place, own in in_frame.items()})
        rows = ((place, row) for place, row in enumerate(frame.rows(field)) if place in in_frame)
        return frame.with_texts(field, {at: cut_text(row[field], in_frame[at]) for at, row in rows})
    kept: list[Any] = []
    for number, place, item in sources.placed(run):
        own = spans.get(number, {})
        if place not in own:
            kept.append(item)
        elif action != REMOVE and isinstance(item, Mapping):
            kept.append(changed_row(item, field, own[place], action))
    return tuple(kept)


MARKS = "benchmark_items"
"""The field that marks the items in a record."""


def changed_row(
    row: Mapping[str, Any], field: str, matches: Sequence[ItemMatch], action: str
) -> Row:
    """A record whose text is without the spans of items, or in which they are marked.

    >>> match = ItemMatch("page", "7", 99, 1.0, 8, 6, 11, "")
    >>> changed_row({"text": "Quiz: items. End"}, "text", [match], "cut")
    {'text': 'Quiz: . End'}
    >>> changed_row({"text": "Quiz: items. End"}, "text", [match], "mark")["benchmark_items"]
    [{'item': '7', 'score': 99, 'start': 6, 'end': 11}]
    """
    if action == CUT:
        check_cuts(row, field)
        return {**row, field: cut_text(row[field], matches)}
    return {**row, MARKS: _marks(matches)}


def _marks(matches: Sequence[ItemMatch]) -> list[dict[str, Any]]:
    """The items in a text, as the value of a field."""
    return [
        {"item": match.item, "score": match.score, "start": match.start, "end": match.end}
        for match in matches
    ]


def cut_text(text: str, matches: Sequence[ItemMatch]) -> str:
    """The text without the spans of matches, which may overlap."""
    return without_ranges(text, sorted((match.start, match.end) for match in matches))
