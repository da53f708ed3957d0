"""Deduplication of passages: read a corpus, find what repeats, and cut the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from sdtext.deduplication.repeated_passages.corpus_words import (
    CorpusWords,
    ReadUnits,
    UnitReader,
    read_corpus,
)
from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
from sdtext.deduplication.repeated_passages.removed_passages import (
    Removal,
    RemovedPassage,
    cut_ranges,
    digest_of,
    without_ranges,
)
from sdtext.deduplication.repeated_passages.repeated_sentences import (
    Repeats,
    repeated_passages_in,
    repeated_units,
)
from sdtext.deduplication.resumable_reading import ResumableReader, units_reader
from sdtext.deduplication.rule_names import DEFAULT_RECIPE
from sdtext.deduplication.source_documents import Sources, note_unread_records
from sdtext.deduplication.temporary_collection import CORPUS, temporary_folder
from sdtext.errors import counted
from sdtext.model.reuse_evidence import score_of_share
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.parallel_run import Run, nothing_left

_SEARCHES: Mapping[str, Callable[[CorpusWords, PassageRules], Repeats]] = {
    "paragraph": repeated_units,
    "sentence": repeated_units,
    "passage": repeated_passages_in,
}
_READ_AS = {"passage": "sentence"}


@dataclass(frozen=True)
class PassageCounts:
    """The documents read and those that are changed, the passages removed and their words."""

    documents: int
    changed: int
    removed: int
    removed_words: int
    words: int


@dataclass(frozen=True, eq=False)
class RepeatedPassages:
    """What repeats in a corpus, while its temporary files are there."""

    sources: Sources
    rules: PassageRules
    corpus: CorpusWords
    repeats: Repeats

    @property
    def counts(self) -> PassageCounts:
        """How many documents were read, and how much of them is removed."""
        changed = len(np.unique(self.repeats.documents))
        words = int(self.repeats.words.sum())
        return PassageCounts(
            len(self.corpus), changed, len(self.repeats), words, len(self.corpus.words)
        )

    def __str__(self) -> str:
        counts = self.counts
        share = f"{counts.removed_words:,} of {counts.words:,} words"
        removed = f"{counted(counts.removed, self.rules.unit)} ({share})"
        return f"{counts.documents:,} read, {removed} removed from {counts.changed:,}"

    @cached_property
    def documents(self) -> dict[tuple[int, int], int]:
        """The number of each document from which something is removed, by its file and place."""
        chosen = np.unique(self.repeats.documents).tolist()
        return {self.corpus.origin(document): document for document in chosen}

    def ranges(self, document: int, text: str) -> list[tuple[int, int]]:
        """The ranges to cut from the text of that document, one for each of its `rows`."""
        return cut_ranges(text, [*self._removals(document)])

    def passages(self, document: int, text: str, record: int) -> Iterator[RemovedPassage]:
        """What is removed from that document, which is written at the position `record`."""
        repeats, name, ranges = self.repeats, self._name(document), self.ranges(document, text)
        digest = digest_of(without_ranges(text, ranges))
        for row, (start, end) in zip(self._rows(document), ranges, strict=True):
            yield RemovedPassage(
                name,
                record,
                start,
                end,
                self._name(int(repeats.kept[row])),
                int(repeats.kept_start[row]),
                int(repeats.kept_end[row]),
                int(repeats.words[row]),
                text[start:end],
                digest,
                score_of_share(float(repeats.similarity[row])),
                float(repeats.similarity[row]),
            )

    def _rows(self, document: int) -> range:
        return range(*np.searchsorted(self.repeats.documents, (document, document + 1)).tolist())

    def _removals(self, document: int) -> Iterator[Removal]:
        columns = self.corpus.columns
        begin, stop = self.corpus.documents[document : document + 2].tolist()
        starts = columns["unit_starts"][begin:stop].tolist()
        ends = columns["unit_ends"][begin:stop].tolist()
        for row in self._rows(document):
            first, last = self.repeats.first[row] - begin, self.repeats.last[row] - begin
            yield Removal(
                ends[first - 1] if first else -1,
                starts[first],
                ends[last - 1],
                starts[last] if last < len(starts) else -1,
            )

    def _name(self, document: int) -> str:
        return self.sources.name_of(self.corpus.origin(document)[0], self.corpus.name(document))


@contextmanager
def repeated_passages(
    sources: Sources,
    rules: PassageRules,
    run: Run,
    folder: str | Path | None = None,
    progress: str | Path = "",
) -> Iterator[RepeatedPassages]:
    """What repeats in the documents of `sources`; temporary files are below `folder`.

    What was read is kept in the file `progress`, if one is named.

    Raises OptionError, OutputError, and UnreadableError where none can be read.
    """
    note_unread_records(sources, run)
    with temporary_folder(folder) as place:
        reader = units_reader(unit_reader(sources, rules, run), progress)
        corpus = _read(sources, reader, run, place)
        if not len(corpus):
            raise nothing_left(run, "no document could be read")
        yield RepeatedPassages(sources, rules, corpus, _SEARCHES[rules.unit](corpus, rules))


def unit_reader(sources: Sources, rules: PassageRules, run: Run) -> UnitReader:
    """The reader of the words and units that are compared by the rules."""
    recipe = rules.recipe or load_recipe(DEFAULT_RECIPE)
    reading = run.reading.preferring(recipe.reader)
    return UnitReader(recipe, _READ_AS.get(rules.unit, rules.unit), reading, sources.has_files)


def _read(
    sources: Sources, reader: ResumableReader[ReadUnits], run: Run, place: Path
) -> CorpusWords:
    return read_corpus(reader.batches(sources, run), place / CORPUS)
