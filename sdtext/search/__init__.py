"""Which documents resemble each other, and which resemble the ones at hand."""

from sdtext.search.clusters import Cluster, clusters
from sdtext.search.columns import Held, Searchable
from sdtext.search.links import Links
from sdtext.search.opened import OpenCollection, open  # noqa: A004 (as `gzip.open`)
from sdtext.search.pairs import between, links, named, within
from sdtext.search.question import Found, Hits, Pair, Pairs, Question
from sdtext.search.similar import similar

__all__ = [
    "Cluster",
    "Found",
    "Held",
    "Hits",
    "Links",
    "OpenCollection",
    "Pair",
    "Pairs",
    "Question",
    "Searchable",
    "between",
    "clusters",
    "links",
    "named",
    "open",
    "similar",
    "within",
]
