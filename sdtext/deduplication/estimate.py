"""What a deduplication will take: reckoned from a sample, measured on the spot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sdtext.collections.ingest.inputs import InputDocument
from sdtext.collections.ingest.row_builder import BuiltRows, RowBuilder
from sdtext.collections.schema import SHINGLES
from sdtext.deduplication.crowding import crowded, held
from sdtext.deduplication.judged import maker_for
from sdtext.deduplication.run import Rules, recipe_for
from sdtext.deduplication.sources import FILES, Sources
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.reading.batches import Run, nothing_left
from sdtext.reading.walk import sampled, size_of
from sdtext.search.columns import Held
from sdtext.search.contained import LITTLE
from sdtext.search.plan import Plan, planned

_SAMPLE = 1000  # documents
_SAMPLED_FILES = 100
# Measured with 25,000 to 1,000,000 texts of 1 to 200 words on one busy core.
_CATALOG = 150  # bytes of a document
_KEY = 16  # bytes of a band's key and of the row it belongs to
_BEGIN = 160 << 20  # bytes of memory of a process without documents
_MEMORY = 1200  # bytes of a document, with the part of its files that is in memory
_MET = 100  # bytes of a shingle where all are compared
_PAIRING = 50e-6  # seconds of a document, after it is read
# Of a document that goes, beside: its row and that of its cluster. How many go is not known.
_GOING = 0.2
_GONE_MEMORY = 1800  # bytes
_GONE = 70e-6  # seconds
# Measured with 5,000 to 60,000 texts of 50 to 2,000 words that are all alike.
_CROWDED = 500e-6  # seconds of a document in a crowd
_CROWDED_SHINGLE = 4e-6  # seconds of each of its shingles, beside


@dataclass(frozen=True)
class Estimate:
    """What is there, how it will be compared, and what that takes.

    `bytes` are those of the texts' files, unpacked where they hold records; `shingles` is how
    many they have about, and `crowded` how many documents about are like very many others, so
    that to compare them takes longer; `disk` is what the temporary folder will hold, `memory`
    what all processes take together; both in bytes.
    """

    documents: int
    files: int
    bytes: int
    plan: Plan
    sampled: int
    shingles: int
    crowded: int
    disk: int
    memory: int
    seconds: float

    @property
    def slots(self) -> int:
        """How many slots the sketches have."""
        return int(self.plan.making.sketcher.slots)

    @property
    def bands(self) -> Any:
        """The bands by which pairs are found; None where all are compared, as of few."""
        few = self.plan.compares == "shingles" and self.shingles <= LITTLE.shingles
        return None if few and self.plan.lets_join else self.plan.bands_for(self.slots)


def estimated(sources: Sources, rules: Rules, run: Run, clock: Callable[[], float]) -> Estimate:
    """What deduplicating `sources` takes, from a sample that is read now; `clock` counts seconds.

    A fifth of the documents is taken to go: how many are alike is not known before. Raises
    UnreadableError where nothing of the sample can be read.
    """
    maker = maker_for(sources, recipe_for(rules), run)
    documents, size = _size(sources, run)
    times, made = [clock()], []
    for one in _made(_sample(sources), maker, run):
        made.append(one)
        times.append(clock())
    count = sum(one.added for one in made)
    if not count:
        raise nothing_left(run, "no document of the sample could be read")
    plan = planned(Held(maker.recipe, Ragged.of([]), ()), rules.question)
    shingles = documents * sum(map(_shingles, made)) // count
    estimate = Estimate(documents, len(sources.paths), size, plan, count, shingles, 0, 0, 0, 0.0)
    crowds = _crowded(estimate, made)
    return replace(
        estimate,
        crowded=round(crowds * documents),
        disk=documents * (sum(map(_bytes, made)) // count + _beside(estimate)),
        memory=_BEGIN * (run.jobs + 1 if run.jobs > 1 else 1) + _kept_in_memory(estimate),
        seconds=documents * (_rate(made, times) / run.jobs + _PAIRING + _GOING * _GONE)
        + crowds * (_CROWDED * documents + _CROWDED_SHINGLE * shingles),
    )


def _crowded(estimate: Estimate, made: Sequence[BuiltRows]) -> float:
    """The share of the documents that will stand in crowds."""
    plan = estimate.plan
    bands = plan.bands_for(estimate.slots)  # among crowds they are taken even where there is little
    return crowded(held(made, plan.recipe), plan, bands, estimate.documents) if bands else 0.0


def _size(sources: Sources, run: Run) -> tuple[int, int]:
    """How many documents there are, and their bytes: each line of a file of records is one."""
    if sources.kind == FILES:
        return len(sources.paths), sum(map(size_of, sources.paths))
    lines = size = 0
    for path in sources.paths:
        last = b"\n"
        for block in sources.content(path, run).blocks():
            lines, size, last = lines + block.count(b"\n"), size + len(block), block[-1:]
        lines += last != b"\n"
    return lines, size


def _sample(sources: Sources) -> Sources:
    """Some of the files where they are documents; of records the first are taken."""
    if sources.kind != FILES:
        return sources
    return replace(sources, paths=tuple(sampled(sources.paths, _SAMPLED_FILES)))


def _made(sample: Sources, maker: RowBuilder, run: Run) -> Iterator[BuiltRows]:
    """What a collection would keep of the sample."""
    for batch in _first(sample.batches(run), _SAMPLE):
        made = maker(batch)
        for problem in made.problems:
            run.note(problem)
        yield made


def _first(
    batches: Iterator[list[InputDocument]], number: int
) -> Iterator[Sequence[InputDocument]]:
    """Batches of `number` documents together at the most."""
    while number and (batch := next(batches, None)):
        yield batch[:number]
        number -= len(batch[:number])


def _rate(made: Sequence[BuiltRows], times: Sequence[float]) -> float:
    """The seconds that a document takes.

    Where there are several batches, without the first, in which all is loaded and no word known.
    """
    first = int(sum(one.added for one in made[1:]) > 0)
    return (times[-1] - times[first]) / sum(one.added for one in made[first:])


def _shingles(made: BuiltRows) -> int:
    found = made.rows.arrays[SHINGLES] if made.rows else ()
    return len(found.values) if isinstance(found, Ragged) else 0


def _bytes(made: BuiltRows) -> int:
    arrays = made.rows.arrays.values() if made.rows else ()
    return sum(
        one.values.nbytes + one.offsets.nbytes if isinstance(one, Ragged) else one.nbytes
        for one in arrays
    )


def _kept_in_memory(estimate: Estimate) -> int:
    """The bytes in memory while pairs are found and rows written."""
    shingles = 0 if estimate.bands else _MET * estimate.shingles
    return shingles + estimate.documents * (_MEMORY + round(_GOING * _GONE_MEMORY))


def _beside(estimate: Estimate) -> int:
    """The bytes that are kept of a document beside its shingles and its sketch."""
    bands = estimate.bands.layout(estimate.slots)[0] if estimate.bands else 0
    return _CATALOG + _KEY * (bands + 1)  # one for documents that are equal
