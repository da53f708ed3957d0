"""Text reuse: the passages that documents share, and how much of each document is reused.

`reuse_search` runs a search. The `reuse_options` become a `reuse_plan`; `reuse_documents` reads
files and collections in batches; `window_finder` and `sentence_finder` find the passages of two
batches; `evidence_builder` decides which passages count (`exclusions`), adds shares (`coverage`)
and titles (`metadata_similarity`), and gathers the evidence.
"""

from sdtext.reuse.reuse_options import ReuseQuestion
from sdtext.reuse.reuse_search import ReuseInput, find_reuse

__all__ = ["ReuseInput", "ReuseQuestion", "find_reuse"]
