"""Text reuse: the passages that documents share, and how much of each document is reused.

`reuse_search` runs a search. The `reuse_options` become a `reuse_plan`; `reuse_documents` reads
files and collections in batches; `batch_comparer` compares two of them: `window_finder` or
`sentence_finder` finds the passages, `exclusions` says which of them count, `coverage` gives the
shares. `evidence_builder` adds titles (`metadata_similarity`) and gathers the evidence.
"""

from sdtext.reuse.reuse_options import ReuseQuestion
from sdtext.reuse.reuse_search import ReuseInput, find_reuse

__all__ = ["ReuseInput", "ReuseQuestion", "find_reuse"]
