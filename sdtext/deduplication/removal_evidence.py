"""Evidence for removals: what both documents share, and where the least similar pairs differ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sdtext.deduplication.linked_documents import Removal
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.model import PartSpec
from sdtext.reading.parallel_run import EXPLAINING, Run
from sdtext.search.compare_texts import TextComparer, shortened
from sdtext.search.shared_pieces import SharedPieces
from sdtext.text.document import Document

_CACHED = 64  # texts of kept documents
_CONTEXT = 4  # words before the first difference


Shared = tuple[int, str]
Differing = tuple[str | None, str | None]


def evidence_of(
    documents: Workspace, removals: Sequence[Removal], rules: Rules, run: Run
) -> tuple[dict[int, Shared], list[tuple[int, Differing]]]:
    """What is shared with the documents kept instead, and the removals that are to be reviewed.

    For removed documents, if that is explained, the number of shared shingles, and the longest
    shared passage. The least similar removals come with the passages where they differ.
    """
    recipe, against = documents.collection.recipe, rules.against
    pieces = SharedPieces(against, against, recipe, 1, run.reading) if against else None

    @lru_cache(maxsize=_CACHED)
    def text_of(number: int) -> str:
        return Document.of(documents.collection.text_with_id(number)).clean

    def kept_text(removal: Removal) -> str | None:
        if removal.cluster or against is None or pieces is None:
            return text_of(removal.other)
        return pieces.stored_text(against, removal.other)

    shared: dict[int, Shared] = {}
    if rules.explain:
        compare = TextComparer(recipe, PartSpec("jaccard"))
        for removal in removals:
            if (other := kept_text(removal)) is not None:
                texts = text_of(removal.number), other
                terms = compare.shared(*texts)
                passage = shortened(" ".join(terms[0].term.split())) if terms else ""
                shared[removal.number] = compare.match(*texts).common, passage
            run.step(1, len(removals), EXPLAINING)
    reviewed: list[tuple[int, Differing]] = []
    least = sorted(removals, key=lambda row: (row.similarity, row.number))[: rules.review]
    for removal in least:
        other = kept_text(removal)
        both = (None, None) if other is None else differing(text_of(removal.number), other)
        reviewed.append((removal.number, both))
    return shared, reviewed


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
