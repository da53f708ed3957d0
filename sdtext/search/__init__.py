"""Search: pairs of similar documents, and documents similar to a query.

`find` finds pairs within and between collections, `similar_documents` what is similar to queries.
Both ask `search_plan`, which chooses a `find.Strategy` by the question and what is stored:
`set_search` (also with weights and for sequences), `bit_vector_search`; `candidates` has the exact
join and LSH. `results` are rows, `search_explanations` says how they were found.

`compare` lists the files of a folder and the queries (`collections.memory.Listing`), chooses one
of the two ways of `shingles_or_bits`, and takes the rows of each part of the folder, which comes
as a collection in memory. `score` is the same for two documents; `fingerprint_scores` has the
score of a pair of fingerprints, `compare_texts` that of a pair of texts.
"""

from sdtext.collections.memory import MemoryCollection
from sdtext.search.clusters import Cluster, clusters
from sdtext.search.find import between, links, with_names, within
from sdtext.search.results import Found, Hits, Links, Pair, Pairs, SearchResult
from sdtext.search.search_plan import Question
from sdtext.search.searchable import Searchable
from sdtext.search.similar_documents import similar

__all__ = [
    "Cluster",
    "Found",
    "Hits",
    "Links",
    "MemoryCollection",
    "Pair",
    "Pairs",
    "Question",
    "SearchResult",
    "Searchable",
    "between",
    "clusters",
    "links",
    "similar",
    "with_names",
    "within",
]
