"""The steps of a choice of documents in parts, on tables of Arrow; `links` are `LINKS`."""

from typing import Any

import numpy as np
import pyarrow as pa

from sdtext.deduplication.choose_documents import MissingEdges, greedy_choice
from sdtext.deduplication.order_and_scope import number_in, time_in
from sdtext.kernels.arrays.connected_components import linked
from sdtext.search.results import Links
from sdtext.search.search_in_parts import link_table, table_of
from sdtext.search.search_plan import SearchPlan
from sdtext.search.set_search import BySets

ROOTS = "number long, root long"
REMOVED = "right long"


def _linked(links: pa.Table) -> Any:
    return linked(links["left"].to_numpy(), links["right"].to_numpy())


def roots_of(links: pa.Table) -> pa.Table:
    """The `ROOTS` of linked documents: the least number that each is connected with."""
    numbers, first, _ = _linked(links)
    return pa.table({"number": numbers, "root": numbers[first]})


def removed_by(links: pa.Table) -> pa.Table:
    """What the greedy choice removes by links from earlier documents to later ones."""
    numbers, _, (left, right) = _linked(links)
    kept, _ = greedy_choice(len(numbers), Links(left, right, left, np.zeros(len(left))))
    return pa.table({"right": numbers[~kept]})


def missing_links(
    links: pa.Table, documents: pa.Table, plan: SearchPlan, *, is_across: bool, is_greedy: bool
) -> pa.Table:
    """The links from kept to removed documents in a connected component, those left out, too.

    If the choice is not greedy, as many links that count as connect all that any of them do. The
    `links` tell whether each `counts`; those of the `documents` may have been left out.
    """
    if not documents.num_rows:
        return link_table()
    numbers, _, (left, right) = _linked(links)
    edges = Links(left, right, *(links[name].to_numpy() for name in ("score", "similarity")))
    table, scopes = table_of(documents, plan), np.empty(len(numbers), object)
    here = np.searchsorted(numbers, table.ids)
    scopes[here] = documents.sort_by("number")["scope"].to_pylist()

    def counting(edges: Links) -> Links:
        return edges.take(scopes[edges.left] != scopes[edges.right]) if is_across else edges

    lacking = MissingEdges(numbers, BySets(table, plan), counting, here)
    if not is_greedy:
        found = lacking.connecting(edges)
        return link_table(*(each.numbered(numbers, ordered=False) for each in found))
    known = edges.take(links["counts"].to_numpy())
    named = greedy_choice(len(numbers), known, lacking, edges)[1]
    return link_table(named.numbered(numbers, ordered=False))


def order_values(keep: pa.Array) -> pa.Array:
    """The values that documents are kept by, as numbers and as dates; NaN for what is none."""
    numbers = [*map(number_in, values := keep.to_pylist())]
    columns = numbers, [*map(time_in, values, numbers)]
    arrays = [pa.array(column, pa.float64()) for column in columns]
    return pa.StructArray.from_arrays(arrays, ["value", "date"])
