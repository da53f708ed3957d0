"""Reused text: which passages documents share, and how much of each is found elsewhere.

The way of a search: a `question` is settled by a recipe (`usual` if none is named) into a `plan`;
a `search` takes documents at hand (`queries`) or `stored` ones as `texts`, a batch beside another;
`by_windows` or `by_sentences` (through `by_codes` and `crowds`) finds passages; `pairs` says which
of them count (`exclusions`) and which share of each document they are (`coverage`); all of it
becomes `evidence`, with likeness of `metadata` and a word about `short_texts`.
"""

from sdtext.reuse.finding import Sought, find_reuse
from sdtext.reuse.question import ReuseQuestion

__all__ = ["ReuseQuestion", "Sought", "find_reuse"]
