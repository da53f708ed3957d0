"""Repeated units: paragraphs or sentences of the same words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdtext.deduplication.repeated_passages.corpus_words import CorpusWords, Numbers
from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
from sdtext.kernels.arrays.equal_rows import equal_rows
from sdtext.kernels.arrays.ragged import Ragged


@dataclass(frozen=True, eq=False)
class Repeats:
    """What to remove, in the order of the corpus: a row for each passage.

    A passage is the units `[first, last)` of `documents`, with `words` words. The same words stand
    at `[kept_start, kept_end)`, in characters of the document `kept`.
    """

    documents: Numbers
    first: Numbers
    last: Numbers
    words: Numbers
    kept: Numbers
    kept_start: Numbers
    kept_end: Numbers

    def __len__(self) -> int:
        return len(self.first)


def repeated_units(corpus: CorpusWords, rules: PassageRules) -> Repeats:
    """The units of the corpus that repeat an earlier one, as the rules say."""
    lengths = corpus.columns["unit_words"]
    units = np.flatnonzero((lengths >= rules.least_words) & corpus.columns["whole"])
    copies = equal_rows(Ragged(corpus.words, corpus.bounds), units)
    removed = np.flatnonzero(rules.removes(copies.rank, copies.number))
    chosen, kept = units[removed], units[copies.first[removed]]
    return Repeats(
        corpus.documents_of(chosen),
        chosen,
        chosen + 1,
        lengths[chosen],
        corpus.documents_of(kept),
        corpus.columns["unit_starts"][kept].astype(np.int64),
        corpus.columns["unit_ends"][kept].astype(np.int64),
    )
