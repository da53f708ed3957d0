"""The dry run: time, disk and memory of a deduplication of passages, estimated from a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sdtext.deduplication.cost_estimate import corpus_size, first_documents, sample_of_sources
from sdtext.deduplication.repeated_passages.corpus_words import (
    BYTES_OF_DOCUMENT,
    BYTES_OF_UNIT,
    BYTES_OF_WORD,
    ReadUnits,
)
from sdtext.deduplication.repeated_passages.find_repeats import unit_reader
from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
from sdtext.deduplication.source_documents import Sources
from sdtext.kernels.passages.repeated_windows import WINDOWS_AT_ONCE
from sdtext.reading.parallel_run import Run, nothing_left

# Measured with 10 to 400 MB of prose, without mapped files.
_BEGIN = 110 << 20  # bytes of memory of a process
_WORD = 150  # bytes of a distinct word
_DOCUMENT = 100  # bytes
_UNIT = 90  # bytes of a paragraph or sentence that is compared
_SENTENCE = 30  # bytes of one in which passages are searched for
_WINDOW = 24  # bytes of each of the windows that are sorted at once
_SHORT_WINDOW = 30  # of those with a distance, of which more are repeated
_MARK = 8  # bytes of a word on the disk, for passages
_SECONDS_OF_WINDOW = 0.3e-6
_SECONDS_OF_PART = 0.03e-6  # of a window, for each part in which they are sorted
_SECONDS_OF_UNIT = 1e-6
_SECONDS_OF_NEAR_WORD = 1.7e-6  # with a distance


@dataclass(frozen=True)
class PassageEstimate:
    """The input of a deduplication of passages, and the estimated time and space.

    `words`, `units` (paragraphs or sentences) and `distinct` words are estimated from the `sampled`
    documents. `disk` and `memory` are bytes in the temporary folder, and of all processes together
    without mapped files.
    """

    documents: int
    files: int
    bytes: int
    unit: str
    min_tokens: int
    sampled: int
    words: int
    distinct: int
    units: int
    disk: int
    memory: int
    seconds: float


def estimate_passages(
    sources: Sources, rules: PassageRules, run: Run, clock: Callable[[], float]
) -> PassageEstimate:
    """The cost of removing passages from `sources`; `clock` counts seconds.

    Raises UnreadableError where nothing of a sample, which is read now, can be read.
    """
    documents, size = corpus_size(sources, run)
    sample = _sampled(sources, rules, run, clock)
    share = documents / sample.documents
    words, units, texts = (
        round(share * each) for each in (sample.words, sample.units, sample.texts)
    )
    estimate = PassageEstimate(
        documents,
        len(sources.paths),
        size,
        rules.unit,
        rules.least_words,
        sample.documents,
        words,
        round(sample.distinct * max(share, 1) ** 0.5),
        units,
        BYTES_OF_WORD * words + BYTES_OF_UNIT * units + BYTES_OF_DOCUMENT * documents + texts,
        0,
        share * sample.seconds / run.jobs + _SECONDS_OF_UNIT * units,
    )
    memory = _BEGIN * (run.jobs + 1 if run.jobs > 1 else 1)
    memory += _WORD * estimate.distinct + _DOCUMENT * documents
    return (
        _with_windows(estimate, memory, is_exact=not rules.distance)
        if rules.unit == "passage"
        else replace(estimate, memory=memory + _UNIT * units)
    )


def _with_windows(estimate: PassageEstimate, memory: int, *, is_exact: bool) -> PassageEstimate:
    """The estimate with the search for windows, for which a process needs `memory` besides."""
    words = estimate.words
    windows = min(words, WINDOWS_AT_ONCE)
    of_window = _SECONDS_OF_WINDOW + words // WINDOWS_AT_ONCE * _SECONDS_OF_PART
    marks = _MARK if is_exact else 4 * _MARK
    return replace(
        estimate,
        disk=estimate.disk + marks * words,
        memory=memory
        + _SENTENCE * estimate.units
        + (_WINDOW if is_exact else _SHORT_WINDOW) * windows,
        seconds=estimate.seconds + words * (of_window + (0 if is_exact else _SECONDS_OF_NEAR_WORD)),
    )


@dataclass(frozen=True)
class _SampleSizes:
    """How much the documents of a sample hold, and the seconds that reading them takes."""

    documents: int
    words: int
    units: int
    texts: int
    distinct: int
    seconds: float


def _sampled(
    sources: Sources, rules: PassageRules, run: Run, clock: Callable[[], float]
) -> _SampleSizes:
    reader = unit_reader(sources, rules, run)
    reads, times = list[ReadUnits](), [clock()]
    for items in first_documents(sample_of_sources(sources).batches(run)):
        reads.append(reader(items))
        for problem in reads[-1].problems:
            run.note(problem)
        times.append(clock())

    def total(column: str) -> int:
        return sum(len(read.columns.get(column, ())) for read in reads)

    if not total("units"):
        raise nothing_left(run, "no document of the sample could be read")
    distinct = len({word for read in reads for word in read.vocabulary})
    units, texts = total("unit_starts"), total("texts")
    return _SampleSizes(
        total("units"), total("starts"), units, texts, distinct, _seconds(reads, times)
    )


def _seconds(reads: list[ReadUnits], times: list[float]) -> float:
    """The seconds that the sample takes, at the rate of the batches after the first one."""
    sizes = [len(read.words) for read in reads]
    rest = sum(sizes[1:])
    return (times[-1] - times[1]) * sum(sizes) / rest if rest else times[-1] - times[0]
