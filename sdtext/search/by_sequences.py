"""What is like a document by the tokens of both in their order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sdtext.errors import shown
from sdtext.model import Document, Problem
from sdtext.search.buckets import Rows
from sdtext.search.by_shingles import ByShingles
from sdtext.search.columns import Searchable, called
from sdtext.search.question import Curve
from sdtext.search.scoring import Scores
from sdtext.search.sequences import Sequences
from sdtext.search.telling import HOW_ALL_TEXTS


@dataclass(eq=False)
class BySequences:
    """Looks at all texts where that is little work for each query, else at what shingles find."""

    searched: Searchable
    shingles: ByShingles
    all_texts: bool = True

    @property
    def how(self) -> str:
        """How it looked, in a sentence: the weaker way if it was by both."""
        return HOW_ALL_TEXTS if self.all_texts else self.shingles.how

    @property
    def curve(self) -> Curve:
        """That of the bands, where these found what was looked at."""
        return () if self.all_texts else self.shingles.curve

    @property
    def problems(self) -> list[Problem]:
        """What a person should know."""
        return self.shingles.problems

    def __call__(self, document: Document) -> tuple[Rows, Scores]:
        plan, table = self.shingles.plan, self.shingles.table
        terms = self.shingles.terms(document)
        rows = self._sequences.all_with(terms)
        if rows is None or not terms:
            self.all_texts &= rows is not None
            rows, _ = self.shingles.alike(document, plan.least_of_sets)
        compared = self._sequences.with_query(terms, rows, plan.minimum)

        def name(place: int) -> str:
            number = int(table.ids[rows[place]])
            stored = called(self.searched, [number])[number]
            return f"{shown(document.source)} and {shown(stored.name)}"

        self.problems.extend(compared.problems(name))
        kept = compared.scores.score >= plan.minimum
        return table.ids[rows[kept]], compared.scores.taken(kept)

    @cached_property
    def _sequences(self) -> Sequences:
        return Sequences(self.shingles.plan.part, self.shingles.table)
