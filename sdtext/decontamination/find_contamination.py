"""A decontamination: which records or documents hold items of a benchmark, batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

from sdtext.decontamination.benchmark_items import BenchmarkItem, Contamination
from sdtext.decontamination.find_items import ABSENT, Benchmark, ItemMatch
from sdtext.deduplication.source_documents import FILES, HELD, Sources
from sdtext.errors import OptionError, UnreadableError
from sdtext.model import Problem
from sdtext.model.displayed_results import ArrowRows, html_table
from sdtext.model.record_formats import PARQUET
from sdtext.reading.inputs import read_batch
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, cut_batches, nothing_left, run_batches
from sdtext.reading.records.record import InputDocument
from sdtext.reading.walk import sampled
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
    occurring = len({match.item for match in matches})
    hold = "holds" if 1 in (contaminated, read) else "hold"
    occur = "occurs" if 1 in (occurring, searched) else "occur"
    summary = (
        f"{contaminated:,} of {counted(read, 'document' if sources.kind == FILES else 'record')} "
        f"{hold} an item; {occurring:,} of {counted(searched, 'item')} {occur}"
    )
    if number := sum(bool(match.differs) for match in matches):
        lack = f"{number:,} of {counted(len(matches), 'passage')}"
        summary += f"; {lack} without a number, a name or the rarest word of the item"
    rows = ArrowRows(ItemMatch, (*matches,))
    counts = (read, contaminated, searched, benchmark.short, benchmark.common)
    return Decontamination(rows, *counts, summary), spans


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
