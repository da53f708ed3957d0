"""Which documents share windows, in parts: on batches and tables of Arrow."""

import numpy as np
import pyarrow as pa

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import RecipeSpec
from sdtext.reading.records.arrow_frames import Batches, schema_of
from sdtext.reuse.reuse_search import hashed_terms
from sdtext.reuse.window_finder import WindowFinder
from sdtext.search.search_in_parts import sets_of
from sdtext.text.document import Document

TERMS = "number long, terms binary"
CANDIDATES = "number long, other long"


def terms_in(batches: Batches, recipe: RecipeSpec) -> Batches:
    """The `TERMS` of documents: the hashes of those that windows consist of, in their order."""
    for batch in batches:
        documents = [Document.of(row["text"], str(row["number"])) for row in batch.to_pylist()]
        made = [
            {"number": int(name), "terms": terms.tobytes()}
            for name, terms in hashed_terms(documents, recipe)
        ]
        yield pa.RecordBatch.from_pylist(made, schema_of(TERMS))


def candidates_in(rows: pa.Table, finder: WindowFinder) -> pa.Table:
    """The `CANDIDATES` in `TERMS` of two parts, or of one: pairs that share windows."""
    ordered = rows.sort_by([("part", "ascending"), ("number", "ascending")])
    parts, documents = (ordered[name].to_numpy() for name in ("part", "number"))
    hashed = sets_of(ordered["terms"])
    terms = Ragged(np.unique(hashed.values, return_inverse=True)[1], hashed.offsets)
    first, second = (np.flatnonzero((parts == parts[0]) == is_first) for is_first in (True, False))
    right = terms.take(second) if len(second) else None
    pairs = np.array([*finder.pairs(terms.take(first), right)], np.int64).reshape(-1, 2)
    others = first if right is None else second
    found = documents[first[pairs[:, 0]]], documents[others[pairs[:, 1]]]
    return pa.table([*found], schema=schema_of(CANDIDATES))
