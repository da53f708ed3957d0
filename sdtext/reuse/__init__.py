"""Text reuse: the passages that documents share, and how much of each document is reused.

`reuse_search` runs a search. The `reuse_options` become a `reuse_plan`; `reuse_documents` reads
files and collections in batches. `evidence_builder` has each two batches compared and gathers the
evidence, with titles (`metadata_similarity`). `compare_batches` compares two batches:
`window_finder` or `sentence_finder` finds the passages. `excluded_text` cuts them where text that
does not count begins or ends, and marks those that do not count. `verbatim` counts the words in
equal runs, `passage_gaps` finds what corresponds to nothing, and `coverage` gives the shares. At
the end of a search `mark_boilerplate_passages` cuts and marks what stands in many documents.
`texts_of_evidence` has the texts of the files that evidence names.
"""

from sdtext.reuse.reuse_options import ReuseQuestion
from sdtext.reuse.reuse_search import ReuseInput, find_reuse
from sdtext.reuse.texts_of_evidence import with_texts

__all__ = ["ReuseInput", "ReuseQuestion", "find_reuse", "with_texts"]
