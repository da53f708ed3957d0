"""Decontaminate records and documents in memory, or those in files, from Python, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

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
from sdtext.decontamination.find_items import ABSENT, Benchmark, ItemMatch
from sdtext.deduplication.deduplicate import score_of
from sdtext.deduplication.outputs import kept_format, kept_output
from sdtext.deduplication.repeated_passages.removed_passages import without_ranges
from sdtext.deduplication.source_documents import FILES, HELD, PATH, WANTED, Sources, sources_of
from sdtext.errors import OptionError, UnreadableError
from sdtext.model import Problem
from sdtext.model.displayed_results import ArrowRows, html_table
from sdtext.model.record_formats import PARQUET
from sdtext.reading.inputs import read_batch
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.overwrite_guard import PLAIN, Output
from sdtext.reading.parallel_run import Run, cut_batches, nothing_left, run_batches
from sdtext.reading.records.arrow_frames import ArrowStream, Frame, is_frame
from sdtext.reading.records.json_records import Row
from sdtext.reading.records.record import Fields, InputDocument, check_cuts
from sdtext.reading.walk import sampled
from sdtext.text.document import Document
from sdtext.wording import counted

SAMPLE = 4 << 20  # characters in which the rarity of words is measured
_SAMPLED_FILES = 8
_SAMPLED_DOCUMENTS = 100
_RECORDS = 2000  # that are searched together, or fewer of so many characters in all
_CHARACTERS = 1 << 19


Spans = Mapping[int, Mapping[int, Sequence[ItemMatch]]]
"""By the number of a file, the places of its documents that hold items, each with its matches.

The place is 0 for the file itself.
"""


@dataclass(frozen=True, repr=False)
class Decontamination:
    """The result of a decontamination.

    `matches` are the items that occur in the corpus; they are a frame, too, for pyarrow, polars,
    DuckDB and pandas. `read` counts what could be read, and `contaminated` those that hold items;
    `items` were searched for. Of the others `too_short` have too few words, and `too_common` only
    words that are too frequent. What could not be read is kept, and stands in `problems`. `summary`
    says how much of it is contaminated.
    """

    matches: ArrowRows[ItemMatch]
    read: int
    contaminated: int
    items: int
    too_short: int
    too_common: int
    summary: str
    problems: tuple[Problem, ...] = ()
    _kept: Callable[[], Any] = field(default=tuple, compare=False)

    @cached_property
    def kept(self) -> Any:
        """The corpus without the items.

        It is a tuple of the records and documents that were given, the paths of files, or the
        records in files, which are read once more; or a table of the rows of a frame.
        """
        return self._kept()

    @property
    def occurring(self) -> int:
        """The number of items that occur."""
        return len({match.item for match in self.matches})

    @property
    def counts(self) -> dict[str, Any]:
        """All numbers, by their names."""
        names = ("read", "contaminated", "items", "occurring", "too_short", "too_common")
        return {name: getattr(self, name) for name in names}

    def strongest(self, most: int) -> list[ItemMatch]:
        """So many of the items that occur, the strongest first.

        Those that differ from their item in what matters come last. A second one of an item is
        chosen after the first of all others, so that a common item does not hide the others.
        """

        def weakness(match: ItemMatch) -> tuple[bool, int, float, int]:
            return bool(match.differs), -match.score, -match.share, -match.words

        number_of_item: Counter[str] = Counter()
        ranked: list[tuple[int, ItemMatch]] = []
        for match in sorted(self.matches, key=weakness):
            ranked.append((number_of_item[match.item], match))
            number_of_item[match.item] += 1
        chosen = [match for _, match in sorted(ranked, key=lambda entry: entry[0])[:most]]
        return sorted(chosen, key=weakness)

    def __str__(self) -> str:
        return self.summary

    def __repr__(self) -> str:
        counts = f"{self.contaminated:,} of {self.read:,} contaminated"
        return f"<decontamination: {counts}, {counted(self.items, 'item')} searched for>"

    def _repr_html_(self) -> str:
        columns = self.matches.columns
        rows = [[getattr(row, name) for name in columns] for row in self.matches]
        return html_table(repr(self).strip("<>"), columns, rows)


def find_contamination(
    sources: Sources, items: Sequence[BenchmarkItem], asked: Contamination, run: Run
) -> tuple[Decontamination, Spans]:
    """The items in the documents or records of `sources`, and where. Raises UnreadableError."""
    benchmark = benchmark_of(sources, items, asked, run)
    find = RecordFinder(benchmark, asked.with_answer, run.reading)
    read = 0
    matches: list[ItemMatch] = []
    spans: dict[int, dict[int, list[ItemMatch]]] = {}
    for number_read, found in run_batches(find, batches_of(sources, run), run, sources.expected):
        read += number_read
        for number, place, match in found:
            named = replace(match, record=sources.name_of(number, match.record))
            matches.append(named)
            spans.setdefault(number, {}).setdefault(place, []).append(named)
    if not read:
        raise nothing_left(run, "there is nothing to decontaminate")
    contaminated, searched = sum(map(len, spans.values())), benchmark.searched
    passages = len(matches), sum(bool(match.differs) for match in matches)
    rows = ArrowRows(ItemMatch, (*matches,))
    counts = (read, contaminated, searched, benchmark.short, benchmark.common)
    done = Decontamination(rows, *counts, "")
    noun = "document" if sources.kind == FILES else "record"
    return replace(done, summary=summary_of(done.counts, passages, noun)), spans


def summary_of(counts: Mapping[str, int], passages: tuple[int, int], noun: str) -> str:
    """The result of a decontamination in words: so many `passages`, and how many of them differ."""
    names = "read", "contaminated", "items", "occurring"
    read, contaminated, items, occurring = (counts[name] for name in names)
    hold = "holds" if 1 in (contaminated, read) else "hold"
    occur = "occurs" if 1 in (occurring, items) else "occur"
    found = f"{contaminated:,} of {counted(read, noun)} {hold} an item"
    summary = f"{found}; {occurring:,} of {counted(items, 'item')} {occur}"
    every, differing = passages
    if differing:
        lacks = "lacks" if 1 in passages else "lack"
        summary += (
            f"; {differing:,} of {counted(every, 'passage')} {lacks} a number, a name or the "
        )
        summary += "rarest word of the item"
    return summary


def batches_of(sources: Sources, run: Run) -> Iterator[list[InputDocument]]:
    """The documents, some at a time; of short records more than their reader gives.

    500 records of 300 characters take a fifth longer each than 2,000 of them.
    """
    batches = sources.batches(run)
    if sources.kind == FILES:
        return batches

    def size(item: InputDocument) -> int:
        return len((item.document or item).text)

    return cut_batches(chain.from_iterable(batches), size, _CHARACTERS, _RECORDS)


def benchmark_of(
    sources: Sources, items: Sequence[BenchmarkItem], asked: Contamination, run: Run
) -> Benchmark:
    """The benchmark to search for; items that are not searched for give a warning of the run."""
    texts = sample_of(sources, run.reading)
    benchmark = Benchmark.of(items, texts, asked.minimum, asked.min_words)
    if number := benchmark.short:
        what = f"{counted(number, 'item')} of {len(items):,}, of fewer than {asked.min_words} words"
        run.note(Problem("warning", "too-short", f"not searched for: {what}"))
    if number := benchmark.common:
        what = f"{counted(number, 'item')} of {len(items):,}, of common words alone"
        run.note(Problem("warning", "too-common", f"not searched for: {what}"))
    if not benchmark.items:
        raise UnreadableError("the benchmark holds no item that can be searched for")
    return benchmark


def sample_of(sources: Sources, reading: Reading) -> Iterator[str]:
    """Texts from the beginnings of some of the files, for the rarity of words."""
    quiet = Run(reading=reading, problems=[])
    if sources.kind == FILES:
        files = sampled(sources.paths, _SAMPLED_DOCUMENTS)
        parts: list[Sources] = [replace(sources, paths=tuple(files))]
    elif sources.kind == HELD:
        parts = [sources]
    else:
        most = 1 if PARQUET in sources.formats else _SAMPLED_FILES  # which is read as a whole
        parts = [replace(sources, paths=(path,)) for path in sampled(sources.paths, most)]
    for part in parts:
        left = SAMPLE // len(parts)
        with suppress(UnreadableError, OptionError):  # reading it again will give the reason
            for item in chain.from_iterable(part.batches(quiet)):
                for row in read_batch([item], reading, [], offsets=False):
                    yield row.document.clean[: max(0, left)]
                    left -= len(row.document.clean)
                if left <= 0:
                    break


@dataclass(frozen=True, eq=False)
class RecordFinder:
    """Finds items in a batch of records or documents, within the limits of `reading`."""

    benchmark: Benchmark
    with_answer: bool
    reading: Reading

    def __call__(
        self, items: Sequence[InputDocument], problems: list[Problem]
    ) -> tuple[int, list[tuple[int, int, ItemMatch]]]:
        """How much was read, and for each match the number of its file, and the place there."""
        found: list[tuple[int, int, ItemMatch]] = []
        matches, searched = work_on_each(
            lambda read: self.benchmark.find(
                [row.document.clean for row in read], lambda place: read[place].document
            ),
            [*read_batch(items, self.reading, problems, offsets=False)],
            self.reading.limits,
            lambda row: row.item.called,
            problems.append,
        )
        for place, in_item in (matches or {}).items():
            item = searched[place].item
            name = str(item.metadata.get("name", item.name))
            found += [
                (int(item.root), int(item.name), replace(match, record=name))
                for match in in_item
                if not (self.with_answer and match.answer == ABSENT)
            ]
        return len(searched), found

    def rows(self, texts: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """The matches in rows with a `number`, a `name` and a `text`, with the `number`."""
        items = [
            InputDocument("0", str(row["number"]), text=row["text"], metadata={"name": row["name"]})
            for row in texts
        ]
        for place, (_, number, match) in enumerate(self(items, [])[1]):
            yield vars(match) | {"number": number, "place": place}


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
        with kept_output(target, sources, form, run) as kept:
            if form and action != REMOVE:  # records without items stay byte for byte in JSON lines
                kept.write_changed(spans, changed)
            else:
                kept.write_kept({number: frozenset(own) for number, own in spans.items()})
    rest = partial(_kept, sources, spans, action, Run(reading=run.reading))
    return replace(done, problems=tuple(run.problems or ()), _kept=rest)


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
    if action == REMOVE:
        return sources.kept({number: own.keys() for number, own in spans.items()}, run)
    field, frame = sources.fields.text, sources.frame
    if frame is not None:
        in_frame = spans.get(0, {})
        if action != CUT:
            return frame.with_marks(MARKS, {place: _marks(own) for place, own in in_frame.items()})
        rows = ((place, row) for place, row in enumerate(frame.rows(field)) if place in in_frame)
        return frame.with_texts(field, {at: cut_text(row[field], in_frame[at]) for at, row in rows})
    kept: list[Any] = []
    for number, place, item in sources.placed(run):
        own = spans.get(number, {}).get(place, ())
        if not own or isinstance(item, Mapping):
            kept.append(changed_row(item, field, own, action) if own else item)
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
