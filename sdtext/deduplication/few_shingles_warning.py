"""A warning where most documents have hardly any shingles by the recipe, as if without blanks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sdtext.collections.schema import SHINGLES
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import counted
from sdtext.model import Problem

_LONG = 80  # characters of a document from which on it should have some shingles
_CHARACTERS = 20  # for a shingle; prose has one every 4 to 10 characters


def few_shingles(documents: Workspace) -> Iterator[Problem]:
    """The warning, if more than half of the documents that are not very short are concerned."""
    segments = documents.collection.segments()
    ids = np.concatenate([segment.ids for segment in segments])
    sizes = np.concatenate([segment.ragged(SHINGLES).lengths for segment in segments])
    lengths = np.array(documents.origins.lengths, np.int64)[np.searchsorted(documents.ids, ids)]
    long = lengths >= _LONG
    few = int((sizes[long] * _CHARACTERS < lengths[long]).sum())
    if few * 2 > int(long.sum()):
        yield Problem(
            "warning",
            "few-shingles",
            f"{few:,} of {counted(len(documents), 'document')} "
            f"{'has' if few == 1 else 'have'} less than one shingle per {_CHARACTERS} characters "
            "by this recipe, so only nearly equal ones are found; for scripts without blanks "
            "between words, use the recipe deduplicate, the default, or the tokenizer "
            "words-or-characters",
        )
