"""Search: pairs of similar documents, and documents similar to a query."""

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
