"""The dry run: time and space of a deduplication, of documents or passages, from a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sdtext.collections.row_builder import BuiltRows, RowBuilder
from sdtext.collections.schema import SHINGLES
from sdtext.deduplication.order_of_keeping import no_values, with_fields
from sdtext.deduplication.repeated_passages.corpus_words import (
    BYTES_OF_DOCUMENT,
    BYTES_OF_UNIT,
    BYTES_OF_WORD,
    ReadUnits,
)
from sdtext.deduplication.repeated_passages.find_repeats import unit_reader
from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.run import recipe_for
from sdtext.deduplication.source_documents import CARRIED, FILES, Sources
from sdtext.deduplication.temporary_collection import maker_for
from sdtext.errors import brief
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.passages.repeated_windows import WINDOWS_AT_ONCE
from sdtext.model import Problem, RecipeSpec
from sdtext.model.record_formats import JSON_LINES, PARQUET
from sdtext.parts.indexes import Banding
from sdtext.reading.inputs import InputDocument
from sdtext.reading.parallel_run import Run, nothing_left
from sdtext.reading.walk import sampled, size_of
from sdtext.search.candidates.buckets import PAIRWISE, runs
from sdtext.search.candidates.exact_join import LITTLE
from sdtext.search.candidates.identical_set_groups import duplicates_in
from sdtext.search.search_plan import SearchPlan, plan_search
from sdtext.search.searchable import InMemoryCollection, Table, segment_views

_SAMPLE = 1000  # documents
_LEAST = 8  # documents of a sample in a bucket: fewer may be there by chance, as copies in a file
_SAMPLED_FILES = 100
# Measured with 25,000 to 1,000,000 texts of 1 to 200 words on one busy core.
_CATALOG = 150  # bytes of a document
_KEY = 16  # bytes of a band's key and of the row it belongs to
_BEGIN = 160 << 20  # bytes of memory of a process without documents
_MEMORY = 1200  # bytes of a document, with the part of its files that is in memory
_JOINED = 100  # bytes of a shingle in an exact join
_PAIRING = 50e-6  # seconds of a document, after it is read
# Of a removed document, in addition: its row and that of its cluster. Their share is not known.
_REMOVED = 0.2
_REMOVED_MEMORY = 1800  # bytes
_REMOVED_TIME = 70e-6  # seconds
# Measured with 600 to 8,000 texts of 20 to 3,000 words, half of them removed.
_EXPLAINED = 1.35e-3  # seconds of a removed document whose evidence is listed
_EXPLAINED_SHINGLE = 7e-6  # seconds of each of its shingles, in addition
# Measured with 5,000 to 60,000 texts of 50 to 2,000 words that are all similar.
_OVERSIZED = 500e-6  # seconds of a document in an oversized bucket
_OVERSIZED_SHINGLE = 4e-6  # seconds of each of its shingles, in addition
# Measured with 10 to 400 MB of prose, without mapped files.
_BEGIN_OF_PASSAGES = 116 << 20  # bytes of memory of a process
_WORD = 150  # bytes of a distinct word
_DOCUMENT = 100  # bytes
_UNIT = 90  # bytes of a paragraph or sentence that is compared
_SENTENCE = 30  # bytes of one in which passages are searched for
_WINDOW = 16  # bytes of each of the windows that are sorted at once
_SHORT_WINDOW = 20  # of those with a distance, of which more are repeated
_MARK = 8  # bytes of a word on the disk, for passages
_SECONDS_OF_WINDOW = 0.3e-6
_SECONDS_OF_PART = 0.03e-6  # of a window, for each part in which they are sorted
_SECONDS_OF_UNIT = 1e-6
_SECONDS_OF_NEAR_WORD = 0.7e-6  # with a distance


@dataclass(frozen=True)
class Estimate:
    """The input of a deduplication, its plan, and the estimated time and space.

    - `bytes`: the size of the files; of records, decompressed.
    - `shingles`: the estimated number of shingles.
    - `oversized`: the estimated number of documents in oversized buckets, which take longer.
    - `disk`, `memory`: bytes in the temporary folder, and of all processes together, with the part
      of the temporary files that is mapped.
    """

    documents: int
    files: int
    bytes: int
    plan: SearchPlan
    sampled: int
    shingles: int
    oversized: int
    disk: int
    memory: int
    seconds: float

    @property
    def slots(self) -> int:
        """The number of slots of the sketches."""
        return int(self.plan.derivation.sketcher.slots)

    @property
    def bands(self) -> Any:
        """The LSH bands; None where all pairs are compared, as of few documents."""
        few = self.plan.compares == "shingles" and self.shingles <= LITTLE.shingles
        return None if few and self.plan.allows_join else self.plan.bands_for(self.slots)


def estimate_cost(sources: Sources, rules: Rules, run: Run, clock: Callable[[], float]) -> Estimate:
    """The cost of deduplicating `sources`, from a sample that is read now; `clock` counts seconds.

    A fifth of the documents is assumed to be removed, since the share is not known before. Raises
    UnreadableError where nothing of the sample can be read, OptionError as the run itself for a
    field that no record has. That no record of the sample has it is noted.
    """
    sources = with_fields(sources, rules, run)
    maker = replace(maker_for(sources, recipe_for(rules), run), texts=rules.needs_texts)
    documents, size = corpus_size(sources, run)
    times, batches = [clock()], list[BuiltRows]()
    for batch in _read(sample_of_sources(sources), maker, run):
        batches.append(batch)
        times.append(clock())
    count = sum(batch.added for batch in batches)
    if not count:
        raise nothing_left(run, "no document of the sample could be read")
    _check_fields(sources, rules, batches, run, is_whole=documents <= _SAMPLE)
    plan = plan_search(InMemoryCollection(maker.recipe, Ragged.of([]), ()), rules.question)
    shingles = documents * sum(map(_shingles, batches)) // count
    estimate = Estimate(documents, len(sources.paths), size, plan, count, shingles, 0, 0, 0, 0.0)
    oversized = _oversized(estimate, batches)
    return replace(
        estimate,
        oversized=round(oversized * documents),
        disk=documents * (sum(map(_bytes, batches)) // count + _beside(estimate)),
        memory=_BEGIN * (run.jobs + 1 if run.jobs > 1 else 1) + _kept_in_memory(estimate),
        seconds=documents * (_rate(batches, times) / run.jobs + _PAIRING + _REMOVED * _REMOVED_TIME)
        + oversized * (_OVERSIZED * documents + _OVERSIZED_SHINGLE * shingles)
        + (_seconds_of_evidence(documents, shingles) if rules.explains else 0),
    )


def _check_fields(
    sources: Sources, rules: Rules, batches: Sequence[BuiltRows], run: Run, *, is_whole: bool
) -> None:
    """Note each field of the rules that no record of the sample has; of all records OptionError."""
    documents = [item for batch in batches if batch.rows for item in batch.rows.documents]
    for option, choice in rules.choices:
        if sources.kind == FILES or any(
            CARRIED + choice.field in item.metadata for item in documents
        ):
            continue
        if is_whole:
            raise no_values(option, choice, sources)
        none = f"none of the {len(documents):,} records of the sample has a field"
        what = (
            f"{choice}: {none} {brief(choice.field)}; check its name, or the records that have it"
        )
        run.note(Problem("warning", "missing-value", what))


def _seconds_of_evidence(documents: int, shingles: int) -> float:
    """The seconds that listing what removed documents share with the kept ones takes."""
    return _REMOVED * (_EXPLAINED * documents + _EXPLAINED_SHINGLE * shingles)


def _oversized(estimate: Estimate, batches: Sequence[BuiltRows]) -> float:
    """The share of the documents that will be in oversized buckets."""
    plan = estimate.plan
    bands = plan.bands_for(estimate.slots)  # then bands are used even where the join is small
    if not bands:
        return 0.0
    return oversized_share(_in_memory(batches, plan.recipe), plan, bands, estimate.documents)


def _in_memory(batches: Sequence[BuiltRows], recipe: RecipeSpec) -> InMemoryCollection:
    """The documents of a sample by their shingles."""
    columns = [batch.rows.arrays[SHINGLES] for batch in batches if batch.rows]
    shingles = joined([column for column in columns if isinstance(column, Ragged)])
    return InMemoryCollection(recipe, shingles, [""] * len(shingles))


def oversized_share(
    sample: InMemoryCollection, plan: SearchPlan, bands: Banding, documents: int
) -> float:
    """The share of a sample that will be in oversized buckets among all `documents`.

    These are documents without duplicates that have a band in common with so many others that,
    with as many among the rest, the bucket will be oversized.
    """
    table = Table(segment_views(sample, plan.derivation), plan.derivation)
    searched = table.wanted & duplicates_in(table).are_first
    inside = np.zeros(len(searched), bool)
    least = max(_LEAST, PAIRWISE * len(inside) // documents + 1)
    for band in range(bands.layout(table.slots)[0]):
        keys, rows = table.band(bands, band)
        rows, keys = rows[searched[rows]], keys[searched[rows]]
        for begin, length in zip(*(part.tolist() for part in runs(keys)), strict=True):
            inside[rows[begin : begin + length]] |= length >= least
    return float(inside.mean())


def corpus_size(sources: Sources, run: Run) -> tuple[int, int]:
    """The number of documents and their bytes; each line of JSON lines is a document."""
    if sources.kind == FILES:
        return len(sources.paths), sum(map(size_of, sources.paths))
    documents = size = 0
    for number in range(len(sources.paths)):
        file = sources.file(number, run)
        if file.form not in (JSON_LINES, PARQUET):
            documents += sum(1 for _ in sources.rows(number, run))
            size += sum(map(len, file.content.blocks()))
            continue
        last = b"\n"
        for block in file.content.blocks():
            documents, size, last = documents + block.count(b"\n"), size + len(block), block[-1:]
        documents += last != b"\n"
    return documents, size


def sample_of_sources(sources: Sources) -> Sources:
    """Some of the files where they are documents; all files of records."""
    if sources.kind != FILES:
        return sources
    return replace(sources, paths=tuple(sampled(sources.paths, _SAMPLED_FILES)))


def _read(sample: Sources, maker: RowBuilder, run: Run) -> Iterator[BuiltRows]:
    """The rows of the sample in a collection."""
    for items in first_documents(sample.batches(run)):
        batch = maker(items)
        for problem in batch.problems:
            run.note(problem)
        yield batch


def first_documents(
    batches: Iterator[list[InputDocument]], number: int = _SAMPLE
) -> Iterator[Sequence[InputDocument]]:
    """Batches of at most `number` documents together."""
    while number and (batch := next(batches, None)):
        yield batch[:number]
        number -= len(batch[:number])


def _rate(batches: Sequence[BuiltRows], times: Sequence[float]) -> float:
    """The seconds that a document takes.

    Of several batches the first is left out: it loads everything, and no word is cached yet.
    """
    first = int(sum(batch.added for batch in batches[1:]) > 0)
    return (times[-1] - times[first]) / sum(batch.added for batch in batches[first:])


def _shingles(batch: BuiltRows) -> int:
    shingles = batch.rows.arrays[SHINGLES] if batch.rows else ()
    return len(shingles.values) if isinstance(shingles, Ragged) else 0


def _bytes(batch: BuiltRows) -> int:
    arrays = batch.rows.arrays.values() if batch.rows else ()
    return sum(
        array.values.nbytes + array.offsets.nbytes if isinstance(array, Ragged) else array.nbytes
        for array in arrays
    )


def _kept_in_memory(estimate: Estimate) -> int:
    """The bytes in memory while pairs are searched for and rows written."""
    shingles = 0 if estimate.bands else _JOINED * estimate.shingles
    return shingles + estimate.documents * (_MEMORY + round(_REMOVED * _REMOVED_MEMORY))


def _beside(estimate: Estimate) -> int:
    """The bytes on disk of a document, without its shingles and its sketch."""
    bands = estimate.bands.layout(estimate.slots)[0] if estimate.bands else 0
    return _CATALOG + _KEY * (bands + 1)  # one for equal documents


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
    memory = _BEGIN_OF_PASSAGES * (run.jobs + 1 if run.jobs > 1 else 1)
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
