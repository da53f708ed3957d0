"""A decontamination: which records or documents hold items of a benchmark, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sdtext.decontamination.benchmark_items import BenchmarkItem
from sdtext.decontamination.find_items import (
    ABSENT,
    MIN_SCORE,
    MIN_WORDS,
    Benchmark,
    ItemFinder,
    ItemMatch,
)
from sdtext.deduplication.source_documents import FILES, HELD, Sources
from sdtext.errors import counted, shown
from sdtext.model import Problem
from sdtext.model.record_formats import PARQUET
from sdtext.reading.inputs import InputDocument
from sdtext.reading.options import Reading
from sdtext.reading.own_process_limits import work_on_each
from sdtext.reading.parallel_run import (
    Run,
    nothing_left,
    process_document,
    process_record,
    run_batches,
)
from sdtext.reading.read_document import Source
from sdtext.reading.walk import sampled
from sdtext.text.document import Document, are_clean, document_without_offsets

_SAMPLE = 4 << 20  # characters in which the rarity of words is measured
_SAMPLED_FILES = 8
_SAMPLED_DOCUMENTS = 100
_TOGETHER = 32  # texts that are looked at together: mostly all of them are clean, or few are


@dataclass(frozen=True)
class Contamination:
    """What counts: items of `min_words` words or more, with a score of `minimum` or more.

    With `with_answer`, of items that have answers only those count that stand near an answer.
    """

    minimum: int = MIN_SCORE
    min_words: int = MIN_WORDS
    with_answer: bool = False


@dataclass(frozen=True)
class Decontaminated:
    """The result: `read` documents of `characters` in all, and the `matches` in them.

    `spans` has, by the number of the file, the places of its documents that hold items (0 for the
    file itself), each with its matches. `items` were searched for; of the others `short` have too
    few words, and `common` only words that are too frequent.
    """

    sources: Sources
    read: int
    characters: int
    matches: tuple[ItemMatch, ...]
    spans: Mapping[int, Mapping[int, Sequence[ItemMatch]]]
    items: int
    short: int
    common: int

    @property
    def places(self) -> Mapping[int, frozenset[int]]:
        """By the number of the file, the places of its documents that hold items."""
        return {number: frozenset(places) for number, places in self.spans.items()}

    @property
    def contaminated(self) -> int:
        """The number of records or documents that hold items."""
        return sum(map(len, self.spans.values()))

    def __str__(self) -> str:
        what = "document" if self.sources.kind == FILES else "record"
        hold = "holds" if self.contaminated == 1 else "hold"
        occur = "occurs" if self.occurring == 1 else "occur"
        return (
            f"{self.contaminated:,} of {counted(self.read, what)} {hold} an item; "
            f"{self.occurring:,} of {counted(self.items, 'item')} {occur}"
        )

    @property
    def occurring(self) -> int:
        """The number of items that occur."""
        return len({match.item for match in self.matches})


def find_contamination(
    sources: Sources, items: Sequence[BenchmarkItem], asked: Contamination, run: Run
) -> Decontaminated:
    """The items in the documents or records of `sources`. Raises UnreadableError."""
    benchmark = benchmark_of(sources, items, asked, run)
    found = _Found()
    total = len(sources.paths) if sources.kind == FILES else lambda: found.read
    work = RecordFinder(ItemFinder(benchmark), asked.with_answer, run.reading)
    for batch in run_batches(work, sources.batches(run), run, total):
        found.add(batch, sources)
    if not found.read:
        raise nothing_left(run, "there is nothing to decontaminate")
    return Decontaminated(
        sources,
        found.read,
        found.characters,
        tuple(found.matches),
        found.spans,
        len(benchmark.items),
        benchmark.short,
        benchmark.common,
    )


def benchmark_of(
    sources: Sources, items: Sequence[BenchmarkItem], asked: Contamination, run: Run
) -> Benchmark:
    """The benchmark to search for; items that are not searched for give a warning of the run."""
    texts = sample_of(sources, run.reading)
    benchmark = Benchmark.of(items, texts, asked.minimum, asked.min_words)
    left_out = (
        (benchmark.short, f"has fewer than {asked.min_words} words", "too-short"),
        (benchmark.common, "consists of common words alone", "too-common"),
    )
    for number, why, category in left_out:
        if number:
            many = why.replace("has", "have").replace("consists", "consist")
            message = f"{counted(number, 'item')} of {len(items):,} {why if number == 1 else many}"
            whose = "it is" if number == 1 else "they are"
            run.note(Problem("warning", category, f"{message}; {whose} not searched for"))
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
        yield from _beginning(part, _SAMPLE // len(parts), quiet)


def _beginning(sources: Sources, most: int, run: Run) -> Iterator[str]:
    """The first clean texts, of about so many characters in all."""
    size = 0
    for batch in sources.batches(run):
        for item in batch:
            document = document_of(item, run.reading)
            if isinstance(document, Document):
                yield document.clean[: most - size]
                size += len(document.clean)
            if size >= most:
                return


def _documents(
    items: Sequence[InputDocument], reading: Reading
) -> Iterator[tuple[InputDocument, Document | Problem]]:
    """The documents of a batch, those of clean texts in less time."""
    for some in (items[at : at + _TOGETHER] for at in range(0, len(items), _TOGETHER)):
        plain = are_clean([item.text for item in some if item.text.isascii()])
        for item in some:
            if plain and item.text and item.text.isascii():
                yield item, Document(item.text, item.text, source=item.name)
            else:
                yield item, document_of(item, reading)


def document_of(item: InputDocument, reading: Reading) -> Document | Problem:
    """The document of an input; that of a record is without an offset map."""
    if item.document:
        return item.document
    if item.path is None:
        name = item.name
        return process_record(item.text, name, item.called, reading, document_without_offsets)
    return process_document(item.path, reading, Source.document)


@dataclass
class BatchMatches:
    """The matches in a batch, each with its document, and how much was read."""

    matches: list[tuple[InputDocument, ItemMatch]] = field(default_factory=list)
    read: int = 0
    characters: int = 0
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class RecordFinder:
    """Finds items in a batch of records or documents, within the limits of `reading`."""

    find: ItemFinder
    with_answer: bool
    reading: Reading

    def __call__(self, items: Sequence[InputDocument]) -> BatchMatches:
        """The matches in the batch."""
        batch = BatchMatches()
        read: list[tuple[InputDocument, Document]] = []
        for item, document in _documents(items, self.reading):
            if isinstance(document, Problem):
                batch.problems.append(document)
                continue
            batch.problems.extend(document.problems)
            read.append((item, document))
        matches, searched, errors = work_on_each(
            self._matches, read, self.reading.limits, lambda row: shown(row[0].called), _nothing
        )
        batch.problems.extend(Problem.of(error, row[0].called) for row, error in errors)
        batch.read = len(searched)
        batch.characters = sum(len(document.clean) for _, document in searched)
        for (item, _), in_item in zip(searched, matches or (), strict=True):
            batch.matches += [
                (replace(item, text="", document=None), match)
                for match in in_item
                if not (self.with_answer and match.answer == ABSENT)
            ]
        return batch

    def _matches(self, read: Sequence[tuple[InputDocument, Document]]) -> list[list[ItemMatch]]:
        return self.find([document for _, document in read])


def _nothing() -> None:
    """Nothing is kept between batches."""


@dataclass
class _Found:
    """The matches of all batches so far."""

    read: int = 0
    characters: int = 0
    matches: list[ItemMatch] = field(default_factory=list)
    spans: dict[int, dict[int, list[ItemMatch]]] = field(default_factory=dict)

    def add(self, batch: BatchMatches, sources: Sources) -> None:
        self.read += batch.read
        self.characters += batch.characters
        for item, match in batch.matches:
            number, place = int(item.root), int(item.name)
            name = sources.name_of(number, item.metadata.get("name", item.name))
            named = replace(match, record=name)
            self.matches.append(named)
            self.spans.setdefault(number, {}).setdefault(place, []).append(named)
