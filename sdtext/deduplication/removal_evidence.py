"""Evidence for removals: what both documents share, and where the least similar pairs differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.linked_documents import Removal
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.model import PartSpec
from sdtext.reading.parallel_run import EXPLAINING, Run
from sdtext.search.compare_texts import TextComparer, shortened
from sdtext.search.shared_pieces import SharedPieces
from sdtext.text.document import Document

_CACHED = 64  # texts of kept documents
_CONTEXT = 4  # words before the first difference


@dataclass(frozen=True, eq=False)
class RemovalEvidence:
    """The texts of documents, for as long as their workspace is there, and those of stored ones."""

    documents: Workspace
    against: StoredCollection | None
    run: Run

    def shared(self, removals: Sequence[Removal]) -> Iterator[tuple[int, tuple[int, str]]]:
        """For removed documents the number of shared shingles, and the longest shared passage."""
        compare = TextComparer(self.documents.collection.recipe, PartSpec("jaccard"))
        for removal in removals:
            other = self._other(removal)
            if other is not None:
                score = compare(self._text(removal.number), other)
                terms = score.shared_terms
                passage = shortened(" ".join(terms[0].term.split())) if terms else ""
                yield removal.number, (score.best.common, passage)
            self.run.step(1, len(removals), EXPLAINING)

    def differing(
        self, removals: Sequence[Removal], number: int
    ) -> list[tuple[int, tuple[str | None, str | None]]]:
        """So many removals, the least similar first, with the passages where they differ."""
        rows: list[tuple[int, tuple[str | None, str | None]]] = []
        for removal in sorted(removals, key=lambda row: (row.similarity, row.number))[:number]:
            other = self._other(removal)
            both = (None, None) if other is None else differing(self._text(removal.number), other)
            rows.append((removal.number, both))
        return rows

    def _other(self, removal: Removal) -> str | None:
        """The text of the document that is kept instead."""
        if removal.cluster:
            return self._text(removal.other)
        assert self.against is not None  # noqa: S101 (else nothing is removed for it)
        return self._pieces.stored_text(self.against, removal.other)

    @cached_property
    def _pieces(self) -> SharedPieces:
        assert self.against is not None  # noqa: S101 (as above)
        recipe = self.documents.collection.recipe
        return SharedPieces(self.against, self.against, recipe, 1, self.run.reading)

    @cached_property
    def _text(self) -> Callable[[int], str]:
        return lru_cache(maxsize=_CACHED)(
            lambda number: Document.of(self.documents.collection.text_with_id(number)).clean
        )


def differing(left: str, right: str) -> tuple[str, str]:
    """The passages of two texts from their first different words on, with some words before.

    >>> differing("In the old hive the bees dance at noon.", "In the old hive the bees sleep.")
    ('… old hive the bees dance at noon.', '… old hive the bees sleep.')
    """
    words, others = left.split(), right.split()
    pairs = enumerate(zip(words, others, strict=False))
    first = next((place for place, pair in pairs if pair[0] != pair[1]), None)
    start = max(0, (min(len(words), len(others)) if first is None else first) - _CONTEXT)
    sign = "… " if start else ""
    passages = (shortened(sign + " ".join(side[start:])) for side in (words, others))
    return next(passages), next(passages)
