"""Text reuse: the passages that documents share, and how much of each document is reused.

`reuse_search` reads all files of a side into a collection in memory or opens a stored one; the
`documents` of both have the same columns. It compares their batches, as the `question` says:
`window_finder` or `sentence_finder` finds the passages, and `evidence_builder` gathers the
evidence, with titles (`metadata_similarity`). `excluded_text` cuts passages where text that does
not count begins or ends, and marks those that do not count. `verbatim_and_gaps` counts words in
equal runs and finds what corresponds to nothing, and `coverage` gives the shares. At the end of a
search `mark_boilerplate_passages` cuts and marks what stands in many documents.
`texts_of_evidence` has the texts of the files that evidence names.
"""

from sdtext.reuse.reuse_search import ReuseInput, find_reuse
from sdtext.reuse.texts_of_evidence import with_texts

__all__ = ["ReuseInput", "find_reuse", "with_texts"]
