"""Deduplication of passages: read a corpus, find what repeats, and cut the texts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from sdtext.deduplication.repeated_passages.corpus_words import CorpusWords, UnitReader, read_corpus
from sdtext.deduplication.repeated_passages.removed_passages import (
    CutUnits,
    RemovedPassage,
    cut_ranges,
    digest_of,
    without_ranges,
)
from sdtext.deduplication.repeated_passages.repeated_sentences import Repeats, find_repeats
from sdtext.deduplication.rule_names import DEFAULT_RECIPE
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.source_documents import Sources
from sdtext.deduplication.temporary_collection import CORPUS, temporary_folder
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.parallel_run import Run, nothing_left, run_batches
from sdtext.wording import counted


@dataclass(frozen=True, eq=False)
class RepeatedPassages:
    """What repeats in a corpus, while its temporary files are there."""

    sources: Sources
    corpus: CorpusWords
    repeats: Repeats
    unit: str

    @property
    def counts(self) -> dict[str, int]:
        """How many documents were read, and how much of them is removed."""
        return {
            "documents": len(self.corpus),
            "changed": len(np.unique(self.repeats.documents)),
            "removed": len(self.repeats),
            "removed_words": int(self.repeats.words.sum()),
            "words": len(self.corpus.words),
        }

    def __str__(self) -> str:
        counts = self.counts
        share = f"{counts['removed_words']:,} of {counts['words']:,} words"
        removed = f"{counted(counts['removed'], self.unit)} ({share})"
        return f"{counts['documents']:,} read, {removed} removed from {counts['changed']:,}"

    @cached_property
    def documents(self) -> dict[int, dict[int, int]]:
        """The number of each document from which something is removed, by its file and place."""
        chosen: dict[int, dict[int, int]] = {}
        for document in np.unique(self.repeats.documents).tolist():
            number, place = self.corpus.origin(document)
            chosen.setdefault(number, {})[place] = document
        return chosen

    def cut(self, document: int, text: str, record: int) -> tuple[str, list[RemovedPassage]]:
        """The text of that document without what repeats, and that.

        The document is written at the position `record`.
        """
        repeats, name = self.repeats, self._name(document)
        rows = range(*np.searchsorted(repeats.documents, (document, document + 1)).tolist())
        begin, stop = self.corpus.documents[document : document + 2].tolist()
        starts = [*self.corpus.columns["unit_starts"][begin:stop].tolist(), -1]
        ends = [*self.corpus.columns["unit_ends"][begin:stop].tolist(), -1]  # before the first
        units = [(repeats.first[row] - begin, repeats.last[row] - begin) for row in rows]
        removals = [
            CutUnits(ends[first - 1], starts[first], ends[last - 1], starts[last])
            for first, last in units
        ]
        ranges = cut_ranges(text, removals)
        left = without_ranges(text, ranges)
        digest = digest_of(left)
        return left, [
            RemovedPassage(
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
            )
            for row, (start, end) in zip(rows, ranges, strict=True)
        ]

    def _name(self, document: int) -> str:
        return self.sources.name_of(self.corpus.origin(document)[0], self.corpus.name(document))


@contextmanager
def repeated_passages(
    sources: Sources, rules: Rules, run: Run, folder: str | Path | None = None
) -> Iterator[RepeatedPassages]:
    """What repeats in the documents of `sources`; temporary files are below `folder`.

    Raises OptionError, OutputError, and UnreadableError where none can be read.
    """
    recipe = rules.recipe or load_recipe(DEFAULT_RECIPE)
    unit = "sentence" if rules.unit == "passage" else rules.unit
    read = UnitReader(recipe, unit, run.reading.preferring(recipe.reader), sources.has_files)
    with temporary_folder(folder) as place:
        batches = run_batches(read, sources.batches(run), run, sources.expected)
        corpus = read_corpus(batches, place / CORPUS)
        if not len(corpus):
            raise nothing_left(run, "no document could be read")
        yield RepeatedPassages(sources, corpus, find_repeats(corpus, rules), rules.unit)
