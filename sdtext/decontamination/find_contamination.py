"""A decontamination: which records or documents hold items of a benchmark, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain

from sdtext.decontamination.benchmark_items import BenchmarkItem
from sdtext.decontamination.find_items import (
    ABSENT,
    MIN_SCORE,
    MIN_WORDS,
    Benchmark,
    ItemMatch,
)
from sdtext.deduplication.source_documents import FILES, HELD, Sources
from sdtext.errors import OptionError, UnreadableError
from sdtext.model import Problem
from sdtext.model.record_formats import PARQUET
from sdtext.reading.inputs import InputDocument, read_batch
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, nothing_left, run_batches
from sdtext.reading.walk import sampled
from sdtext.text.clean_texts import are_clean
from sdtext.text.document import Document
from sdtext.wording import counted, shown

_SAMPLE = 4 << 20  # characters in which the rarity of words is measured
_SAMPLED_FILES = 8
_SAMPLED_DOCUMENTS = 100
_RECORDS = 2000  # that are searched together, or fewer of so many characters in all
_CHARACTERS = 1 << 19


@dataclass(frozen=True)
class Contamination:
    """What counts: items of `min_words` words or more, with a score of `minimum` or more.

    With `with_answer`, of items that have answers only those count that stand near an answer.
    """

    minimum: int = MIN_SCORE
    min_words: int = MIN_WORDS
    with_answer: bool = False

    def __post_init__(self) -> None:
        if self.min_words < MIN_WORDS:
            wanted = f"{MIN_WORDS} or more"
            raise OptionError.of("decontaminate", "min_words", self.min_words, wanted)


@dataclass(frozen=True)
class Decontaminated:
    """The result: `read` documents, and the `matches` in them.

    `spans` has, by the number of the file, the places of its documents that hold items (0 for the
    file itself), each with its matches. `items` were searched for; of the others `short` have too
    few words, and `common` only words that are too frequent.
    """

    sources: Sources
    read: int
    matches: tuple[ItemMatch, ...]
    spans: Mapping[int, Mapping[int, Sequence[ItemMatch]]]
    items: int
    short: int
    common: int

    @property
    def contaminated(self) -> int:
        """The number of records or documents that hold items."""
        return sum(map(len, self.spans.values()))

    @property
    def occurring(self) -> int:
        """The number of items that occur."""
        return len({match.item for match in self.matches})

    def __str__(self) -> str:
        what = "document" if self.sources.kind == FILES else "record"
        hold = "holds" if 1 in (self.contaminated, self.read) else "hold"
        occur = "occurs" if 1 in (self.occurring, self.items) else "occur"
        return (
            f"{self.contaminated:,} of {counted(self.read, what)} {hold} an item; "
            f"{self.occurring:,} of {counted(self.items, 'item')} {occur}"
        )


def find_contamination(
    sources: Sources, items: Sequence[BenchmarkItem], asked: Contamination, run: Run
) -> Decontaminated:
    """The items in the documents or records of `sources`. Raises UnreadableError."""
    benchmark = benchmark_of(sources, items, asked, run)
    find = RecordFinder(benchmark, asked.with_answer, run.reading)
    read = 0
    matches: list[ItemMatch] = []
    spans: dict[int, dict[int, list[ItemMatch]]] = {}
    for batch in run_batches(find, batches_of(sources, run), run, sources.expected):
        read += batch.read
        for number, place, match in batch.matches:
            named = replace(match, record=sources.name_of(number, match.record))
            matches.append(named)
            spans.setdefault(number, {}).setdefault(place, []).append(named)
    if not read:
        raise nothing_left(run, "there is nothing to decontaminate")
    return Decontaminated(
        sources,
        read,
        tuple(matches),
        spans,
        len(benchmark.items),
        benchmark.short,
        benchmark.common,
    )


def batches_of(sources: Sources, run: Run) -> Iterator[list[InputDocument]]:
    """The documents, some at a time; of short records more than their reader gives.

    500 records of 300 characters take a fifth longer each than 2,000 of them.
    """
    if sources.kind == FILES:
        yield from sources.batches(run)
        return
    held: list[InputDocument] = []
    size = 0
    for batch in sources.batches(run):
        held += batch
        size += sum(len((item.document or item).text) for item in batch)
        if len(held) >= _RECORDS or size > _CHARACTERS:
            yield held
            held, size = [], 0
    if held:
        yield held


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
        left = _SAMPLE // len(parts)
        with suppress(UnreadableError, OptionError):  # reading it again will give the reason
            for item in chain.from_iterable(part.batches(quiet)):
                for row in read_batch([item], reading, [], offsets=False):
                    yield row.document.clean[: max(0, left)]
                    left -= len(row.document.clean)
                if left <= 0:
                    break


@dataclass
class BatchMatches:
    """What was found in a batch: the file, the place in it, and the match; how much was read."""

    read: int = 0
    matches: list[tuple[int, int, ItemMatch]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class RecordFinder:
    """Finds items in a batch of records or documents, within the limits of `reading`."""

    benchmark: Benchmark
    with_answer: bool
    reading: Reading

    def __call__(self, items: Sequence[InputDocument], problems: list[Problem]) -> BatchMatches:
        batch = BatchMatches()
        matches, searched, errors = work_on_each(
            lambda read: self.benchmark.find(
                [item.text for item in read], lambda place: _document_of(read[place])
            ),
            self._read(items, problems),
            self.reading.limits,
            lambda item: shown(item.called),
            lambda: None,
        )
        problems += (Problem.of(error, item.called) for item, error in errors)
        batch.read = len(searched)
        for place, in_item in (matches or {}).items():
            item = searched[place]
            name = str(item.metadata.get("name", item.name))
            batch.matches += [
                (int(item.root), int(item.name), replace(match, record=name))
                for match in in_item
                if not (self.with_answer and match.answer == ABSENT)
            ]
        return batch

    def _read(self, items: Sequence[InputDocument], problems: list[Problem]) -> list[InputDocument]:
        """What can be read, with clean texts; a document only where that is not the text itself."""
        read = []
        for item, is_clean in zip(items, are_clean([item.text for item in items]), strict=True):
            if is_clean and item.text:
                read.append(item)
                continue
            read += [
                item._replace(text=row.document.clean, document=row.document)
                for row in read_batch([item], self.reading, problems, offsets=False)
            ]
        return read


def _document_of(item: InputDocument) -> Document:
    return item.document or Document(item.text, item.text, source=item.name)
