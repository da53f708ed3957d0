"""A decontamination: which records or documents hold items of a benchmark, batch by batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from sdtext._version import __version__
from sdtext.decontamination.benchmark_items import BenchmarkItem
from sdtext.decontamination.find_items import (
    ABSENT,
    MIN_SCORE,
    MIN_WORDS,
    Benchmark,
    ItemFinder,
    ItemMatch,
)
from sdtext.deduplication.progress_file import ProgressFile, check_local
from sdtext.deduplication.source_documents import (
    FILES,
    HELD,
    Sources,
    file_version,
)
from sdtext.errors import OptionError, UnreadableError, counted, shown
from sdtext.model import Problem
from sdtext.model.record_formats import PARQUET
from sdtext.reading.inputs import InputDocument
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import (
    Run,
    nothing_left,
    process_document,
    process_record,
    run_batches,
)
from sdtext.reading.read_document import Source
from sdtext.reading.walk import sampled
from sdtext.text.clean_texts import are_clean
from sdtext.text.document import Document, document_without_offsets

_SAMPLE = 4 << 20  # characters in which the rarity of words is measured
_SAMPLED_FILES = 8
_SAMPLED_DOCUMENTS = 100
_DOCUMENTS = 256  # whose progress is noted together
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
        hold = "holds" if 1 in (self.contaminated, self.read) else "hold"
        occur = "occurs" if 1 in (self.occurring, self.items) else "occur"
        return (
            f"{self.contaminated:,} of {counted(self.read, what)} {hold} an item; "
            f"{self.occurring:,} of {counted(self.items, 'item')} {occur}"
        )

    @property
    def occurring(self) -> int:
        """The number of items that occur."""
        return len({match.item for match in self.matches})


@dataclass
class FileMatches:
    """How much was read of a file, and its matches, each with the place of its record."""

    read: int = 0
    characters: int = 0
    matches: list[tuple[int, ItemMatch]] = field(default_factory=list)


class SearchedFiles:
    """The files that an interrupted run has searched, by a progress file with a frame for each.

    A file of the corpus counts as the same if its path, its size and its time of change are.
    """

    def __init__(self, progress: ProgressFile) -> None:
        self._progress = progress
        self._files: dict[str, FileMatches] = {}
        for _, content in progress.stored():
            row = json.loads(content)
            matches = [(place, ItemMatch(**match)) for place, match in row["matches"]]
            self._files[row["file"]] = FileMatches(row["read"], row["characters"], matches)

    def of(self, path: str | Path) -> FileMatches | None:
        """What was found in the file at `path`, if that is done and has not changed."""
        return self._files.get(file_version(path))

    def add(self, path: str | Path, file: FileMatches) -> None:
        """Store what was found in the file at `path`, at once."""
        matches = [[place, asdict(match)] for place, match in file.matches]
        row = {"file": file_version(path), "read": file.read, "characters": file.characters}
        self._progress.add(file.read, json.dumps(row | {"matches": matches}).encode())


@contextmanager
def _opened(progress: str | Path, digest: str) -> Iterator[SearchedFiles]:
    with ProgressFile(progress, "decontamination", digest) as file:
        yield SearchedFiles(file)


def find_contamination(
    sources: Sources,
    items: Sequence[BenchmarkItem],
    asked: Contamination,
    run: Run,
    progress: str | Path = "",
) -> Decontaminated:
    """The items in the documents or records of `sources`.

    With the path of a `progress` file, files that are done by it are not searched again, and those
    that get done are added to it, but for those with problems. Raises UnreadableError, and the
    errors of `ProgressFile`.
    """
    files: dict[int, FileMatches] = {}
    if progress:
        check_local(sources.paths)
    with _opened(progress, _digest(items, asked)) if progress else nullcontext() as done:
        benchmark = benchmark_of(sources, items, asked, run)
        work = RecordFinder(ItemFinder(benchmark), asked.with_answer, run.reading)
        if done:
            _search_rest(sources, work, run, files, done)
        else:
            for batch in _results(sources, work, batches_of(sources, run), run):
                _add(batch, files)
    if not any(file.read for file in files.values()):
        raise nothing_left(run, "there is nothing to decontaminate")
    return _decontaminated(sources, benchmark, files)


def _search_rest(
    sources: Sources,
    work: RecordFinder,
    run: Run,
    files: dict[int, FileMatches],
    done: SearchedFiles,
) -> None:
    """Search the files that are not done, and note each that gets done."""
    stored = {number: done.of(path) for number, path in enumerate(sources.paths)}
    files.update((number, file) for number, file in stored.items() if file)
    rest = _UnsearchedFiles(sources, [number for number, file in stored.items() if not file])

    def note_complete() -> None:
        for number in rest.taken_complete():
            path = str(sources.paths[number])
            if not any(problem.path.startswith(path) for problem in run.problems or ()):
                done.add(path, files.get(number, FileMatches()))

    try:
        for batch in _results(sources, work, rest.batches(run), run):
            _add(batch, files)
            rest.waiting[rest.group_of[batch.first]] -= 1
            note_complete()
    finally:
        note_complete()


class _UnsearchedFiles:
    """Files of a corpus by their numbers, in groups: a file of records alone, or some documents.

    `waiting` counts the batches of a group that have no result yet. A group is complete when all
    of it was read and nothing waits.
    """

    def __init__(self, sources: Sources, numbers: Sequence[int]) -> None:
        size = _DOCUMENTS if sources.kind == FILES else 1
        self._sources = sources
        self._groups = [numbers[at : at + size] for at in range(0, len(numbers), size)]
        self._read: list[int] = []
        self.waiting = [0] * len(self._groups)
        self.group_of = {number: at for at, group in enumerate(self._groups) for number in group}

    def batches(self, run: Run) -> Iterator[list[InputDocument]]:
        """The batches of all groups, one group after the other."""
        for at, group in enumerate(self._groups):
            paths = tuple(self._sources.paths[number] for number in group)
            for batch in batches_of(replace(self._sources, paths=paths), run):
                self.waiting[at] += 1
                yield [item._replace(root=str(group[int(item.root)])) for item in batch]
            self._read.append(at)

    def taken_complete(self) -> Iterator[int]:
        """The files of groups that are complete, each once."""
        for at in [at for at in self._read if not self.waiting[at]]:
            self._read.remove(at)
            yield from self._groups[at]


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


def _results(
    sources: Sources, work: RecordFinder, batches: Iterable[list[InputDocument]], run: Run
) -> Iterator[BatchMatches]:
    """The matches in each batch, in order."""
    yield from run_batches(work, batches, run, sources.expected(run))


def _add(batch: BatchMatches, files: dict[int, FileMatches]) -> None:
    """Add what a batch has to the files."""
    for number, part in batch.files.items():
        file = files.setdefault(number, FileMatches())
        file.read += part.read
        file.characters += part.characters
        file.matches += part.matches


def _digest(items: Sequence[BenchmarkItem], asked: Contamination) -> str:
    """The digest of what is searched for."""
    facts = repr((__version__, asked, items)).encode("utf-8", "surrogatepass")
    return blake2b(facts, digest_size=16).hexdigest()


def _decontaminated(
    sources: Sources, benchmark: Benchmark, files: Mapping[int, FileMatches]
) -> Decontaminated:
    """The result of what was found in each file, by its number."""
    matches: list[ItemMatch] = []
    spans: dict[int, dict[int, list[ItemMatch]]] = {}
    for number, file in sorted(files.items()):
        for place, match in file.matches:
            named = replace(match, record=sources.name_of(number, match.record))
            matches.append(named)
            spans.setdefault(number, {}).setdefault(place, []).append(named)
    return Decontaminated(
        sources,
        sum(file.read for file in files.values()),
        sum(file.characters for file in files.values()),
        tuple(matches),
        spans,
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
    if number := benchmark.short:
        have = "has" if number == 1 else "have"
        what = f"{have} fewer than {asked.min_words} words"
        run.note(Problem("warning", "too-short", _not_searched_for(number, items, what)))
    if number := benchmark.common:
        what = f"consist{'s' * (number == 1)} of common words alone"
        run.note(Problem("warning", "too-common", _not_searched_for(number, items, what)))
    if not benchmark.items:
        raise UnreadableError("the benchmark holds no item that can be searched for")
    return benchmark


def _not_searched_for(number: int, items: Sequence[BenchmarkItem], what: str) -> str:
    """The message about items that are left out."""
    whose = "it is" if number == 1 else "they are"
    return f"{counted(number, 'item')} of {len(items):,} {what}; {whose} not searched for"


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
        with suppress(UnreadableError, OptionError):  # reading it again will give the reason
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
    """What was found in a batch, by the numbers of the files; `first` is that of its first one."""

    first: int = 0
    files: dict[int, FileMatches] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def read(self) -> int:
        """The number of documents or records that were read."""
        return sum(file.read for file in self.files.values())


@dataclass(frozen=True, eq=False)
class RecordFinder:
    """Finds items in a batch of records or documents, within the limits of `reading`."""

    find: ItemFinder
    with_answer: bool
    reading: Reading

    def __call__(self, items: Sequence[InputDocument]) -> BatchMatches:
        """The matches in the batch."""
        batch = BatchMatches(int(items[0].root))
        read = self._read(items, batch.problems)
        matches, searched, errors = work_on_each(
            self._matches, read, self.reading.limits, lambda item: shown(item.called), _nothing
        )
        batch.problems.extend(Problem.of(error, item.called) for item, error in errors)
        for number, some in groupby(searched, attrgetter("root")):
            sizes = [len(item.text) for item in some]
            file = batch.files.setdefault(int(number), FileMatches())
            file.read += len(sizes)
            file.characters += sum(sizes)
        for place, in_item in (matches or {}).items():
            item = searched[place]
            name = str(item.metadata.get("name", item.name))
            batch.files[int(item.root)].matches += [
                (int(item.name), replace(match, record=name))
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
            document = document_of(item, self.reading)
            if isinstance(document, Problem):
                problems.append(document)
            else:
                problems.extend(document.problems)
                read.append(item._replace(text=document.clean, document=document))
        return read

    def _matches(self, read: Sequence[InputDocument]) -> dict[int, list[ItemMatch]]:
        def document_at(place: int) -> Document:
            item = read[place]
            return item.document or Document(item.text, item.text, source=item.name)

        return self.find([item.text for item in read], document_at)


def _nothing() -> None:
    """Nothing is kept between batches."""
