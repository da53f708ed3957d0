"""Which documents may share passages, by keys of their windows, in parts: on batches of Arrow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sdtext.kernels.windows.window_join import WindowJoin
from sdtext.kernels.windows.window_keys import WindowKeys
from sdtext.model import RecipeSpec
from sdtext.reading.records.arrow_frames import Batches, schema_of
from sdtext.reuse.reuse_search import hashed_terms
from sdtext.reuse.window_finder import MIN_TERMS
from sdtext.text.document import Document

TERMS = "number long, count long, terms binary"
COUNTS = "term long, documents long"
KEYS = "number long, is_whole boolean, key long"


def terms_in(batches: Batches, recipe: RecipeSpec) -> Batches:
    """The `TERMS` of documents: the hashes of those that windows consist of, in their order."""
    for batch in batches:
        documents = [Document.of(row["text"], str(row["number"])) for row in batch.to_pylist()]
        made = [
            {"number": int(name), "count": len(terms), "terms": terms.tobytes()}
            for name, terms in hashed_terms(documents, recipe)
        ]
        yield pa.RecordBatch.from_pylist(made, schema_of(TERMS))


def counts_in(batches: Batches) -> Batches:
    """The `COUNTS` of documents that have each term, for the documents of each batch."""
    for batch in batches:
        terms = [np.unique(np.frombuffer(row, np.int64)) for row in batch["terms"].to_pylist()]
        columns = np.unique(np.concatenate([np.empty(0, np.int64), *terms]), return_counts=True)
        yield pa.record_batch([*columns], schema=schema_of(COUNTS))


def keys_in(batches: Batches, keys: WindowKeys, join: WindowJoin, short: Sequence[int]) -> Batches:
    """The `KEYS` of documents, by windows of a join and of the lengths of all `short` documents.

    Two documents may share passages if they have a key in common that `is_whole` for one of them:
    short documents are compared as one window of all their terms.
    """
    joins = [join, *(join.shortened(w) for w in short if MIN_TERMS <= w < join.w)]
    for batch in batches:
        for number, count, octets in zip(*(row.to_pylist() for row in batch.columns), strict=True):
            terms = np.frombuffer(octets, np.uint64)
            for each in joins:
                found = (keys(terms, each) ^ np.uint64(each.w)).view(np.int64)
                columns = (
                    np.full(len(found), number),
                    np.full(len(found), each.w in (count, join.w)),
                )
                yield pa.record_batch([*columns, found], schema=schema_of(KEYS))
