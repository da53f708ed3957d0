"""The dry run: time and memory of a decontamination, estimated from a sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdtext.decontamination.benchmark_items import BenchmarkItem
from sdtext.decontamination.find_contamination import (
    Contamination,
    RecordFinder,
    batches_of,
    benchmark_of,
)
from sdtext.decontamination.find_items import Benchmark, ItemFinder
from sdtext.deduplication.source_documents import FILES, Sources
from sdtext.reading.inputs import size_at
from sdtext.reading.parallel_run import Run, nothing_left

_SAMPLE = 8 << 20  # characters
_MEGABYTE = 1 << 20
# Measured with 1 to 40,000 items of 8 to 150 words.
_BEGIN = 92 * _MEGABYTE  # memory of a process, with a batch
_WORD = 100  # bytes of a word of an item, beside the index
_MATCH = 700  # bytes of an item that occurs


@dataclass(frozen=True)
class DecontaminationEstimate:
    """The size of a corpus and of a benchmark, and the estimated time and space.

    - `bytes`: the size of the files; of compressed ones, unpacked.
    - `items`: the items that are searched for, and `words` their words.
    - `sampled`: the documents or records from which the time is estimated.
    - `memory`: bytes of all processes together.
    """

    files: int
    bytes: int
    items: int
    words: int
    sampled: int
    memory: int
    seconds: float


def estimate_decontamination(
    sources: Sources,
    items: Sequence[BenchmarkItem],
    asked: Contamination,
    run: Run,
    clock: Callable[[], float],
) -> DecontaminationEstimate:
    """The cost of a decontamination, from a sample that is read now; `clock` counts seconds.

    Raises UnreadableError where nothing of the sample can be read.
    """
    start = clock()
    benchmark = benchmark_of(sources, items, asked, run)
    prepared = clock() - start
    find = RecordFinder(ItemFinder(benchmark), asked.with_answer, run.reading)
    read = characters = matches = 0
    start = clock()
    for batch in map(find, batches_of(sources, run)):
        for problem in batch.problems:
            run.note(problem)
        read += batch.read
        characters += sum(file.characters for file in batch.files.values())
        matches += sum(len(file.matches) for file in batch.files.values())
        if characters > _SAMPLE:
            break
    if not characters:
        raise nothing_left(run, "no document of the sample could be read")
    seconds = clock() - start
    size = sum(_size(sources, number, run) for number in range(len(sources.paths)))
    words = sum(map(len, benchmark.words))
    memory = (_BEGIN + _items(benchmark, words)) * (run.jobs + 1 if run.jobs > 1 else 1)
    memory += _MATCH * matches * size // characters
    seconds = prepared + seconds * size / characters / run.jobs
    return DecontaminationEstimate(
        len(sources.paths), size, len(benchmark.items), words, read, memory, seconds
    )


def _items(benchmark: Benchmark, words: int) -> int:
    """The bytes of the items in a process."""
    return benchmark.index.bytes + _WORD * words


def _size(sources: Sources, number: int, run: Run) -> int:
    """The bytes of a file, unpacked."""
    if sources.kind == FILES:
        return size_at(sources.paths[number], run.reading)
    return sum(map(len, sources.file(number, run).content.blocks()))
