"""The overview: what is similar to what among many documents, as a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

from sdtext.model import Problem
from sdtext.reports.charts import (
    MOST_DOCUMENTS,
    Link,
    LinkedGroup,
    cluster_graph,
    groups_of,
    heat_map,
    histogram_of,
)
from sdtext.reports.html.report_page import PageProvenance, ReportPage
from sdtext.wording import printable

MOST_PAIRS = 20_000
"""Pairs that the table of a page has, mostly the best ones."""

_SHOWN = 100
"""Rows of the table before a script takes it over, and of each further step."""

_NUMBERED = 1000  # queries that have the first numbers, those of their file, also without a pair


class Card(NamedTuple):
    """A number at the top of the page; scripts find those that follow the cut by their `key`.

    The note is a text, or the number that the value is a part of.
    """

    label: str
    value: int | str
    note: int | str = ""
    key: str = ""


class Listed(NamedTuple):
    """A document: its name in the page, its file or its name in a collection, and its number."""

    name: str
    path: str = ""
    collection: int | None = None
    id: int = 0


class PairColumn(NamedTuple):
    """A further column of the table of pairs; `kind` is `count`, `share`, `text` or `quote`."""

    label: str
    kind: str
    values: Sequence[Any]


@dataclass(frozen=True)
class Overview:
    """What a comparison of many documents gave.

    `pairs` are two documents and their score, which stand in `columns` in the same order. The
    documents in `first` are numbered first. With `queries`, the first so many of these were
    compared with the others; without, all with each other. `scores` are those of all pairs that
    were compared, where they are known. At the score `cut` the histogram has a line, and
    `cut_notes` say more about it; from there on, or from `linked` on, pairs make clusters.
    `sides` are the headings of the two documents, `how` says what was searched. `notes` have the
    names of the documents that they are about. Of very many pairs the page has the best,
    or the `lowest` ones. `targets` are the addresses of what pairs share. Where the pairs are
    `live`, their scores are shares in per cent, and a script changes them: `first` has all names.
    """

    title: str
    lead: str
    cards: Sequence[Card]
    pairs: Sequence[tuple[Listed, Listed, int]]
    columns: Sequence[PairColumn] = ()
    first: Sequence[Listed] = ()
    queries: int = 0
    scores: Sequence[int] | None = None
    cut: int | None = None
    cut_notes: Sequence[str] = ()
    linked: int | None = None
    sides: tuple[str, str] = ("Document", "Similar document")
    how: str = ""
    notes: Sequence[tuple[str, Sequence[str]]] = ()
    lowest: bool = False
    targets: Sequence[str] = ()
    live: bool = False


def page_of(
    overview: Overview, provenance: PageProvenance, problems: Sequence[Problem] = ()
) -> ReportPage:
    """The page of an overview.

    A row of its table has the places of two names, the score, the values of further columns and
    the address of what the two share. Columns of texts that are all empty are left out.
    """
    columns = [c for c in overview.columns if c.kind in ("count", "share") or any(c.values)]
    values = (column.values for column in columns)
    rows = list(zip(overview.pairs, *values, overview.targets or repeat(""), strict=False))
    rows.sort(key=lambda row: -row[0][2])
    listed = rows[-MOST_PAIRS:] if overview.lowest else rows[:MOST_PAIRS]
    is_numbered = overview.live or len(overview.first) <= _NUMBERED
    in_rows = (side for pair, *_ in listed for side in pair[:2])
    documents = list(dict.fromkeys([*(overview.first if is_numbered else ()), *in_rows]))
    places = {document: place for place, document in enumerate(documents)}
    names = [printable(document.name) for document in documents]
    table = [
        [places[left], places[right], score]
        + [printable(value) if isinstance(value, str) else value for value in values]
        for (left, right, score), *values in listed
    ]
    links = [(left, right, score) for left, right, score, *_ in table if left != right]
    best = [score for *_, score in overview.pairs]
    scores = overview.scores or best
    cut, linked = overview.cut or 0, overview.linked or max(overview.cut or 0, 1)
    groups = groups_of([link for link in links if link[2] >= linked])
    matrix = _matrix_sides([link for link in links if link[2]], groups, overview.queries)
    kinds = ["document", "document", "score"]
    kinds += ["text" if column.kind == "quote" else column.kind for column in columns]
    errors = sum(problem.severity == "error" for problem in problems)
    marked = {places[each] for each in overview.first[: overview.queries] if each in places}
    highest = Card("Highest score", max(scores, default="–"), "similarity, 0 to 99")
    shown = {
        "overview": overview,
        "columns": columns,
        "score_name": "Similarity, %" if overview.live else "Score",
        "first_cut": cut if max(best, default=0) >= cut else 0,
        "numbers": [
            *overview.cards,
            *([] if overview.live else [highest]),
            Card("Could not be read", errors, "listed below" if errors else ""),
        ],
        "alone": not (overview.pairs or overview.live),
        "reader": None,
        "command": None,
        "documents": documents,
        "names": names,
        "table": table,
        "step": _SHOWN,
        "kinds": kinds,
        "histogram": histogram_of(scores) if scores else None,
        "graph": cluster_graph(groups, names, marked) if overview.queries != 1 else [],
        "linked": linked,
        "groups": groups,
        "matrix": matrix,
        "map": matrix and heat_map([names[row] for row in matrix["rows"]], len(matrix["columns"])),
    }
    embedded = {name: shown[name] for name in ("names", "kinds", "linked", "step", "matrix")}
    embedded |= {"rows": [] if overview.live else table, "files": [], "live": overview.live}
    made = shown, provenance, problems, ["overview.css"], ["overview.js"], {"overview": embedded}
    return ReportPage("overview.html", overview.title, *made)


def _matrix_sides(
    links: Sequence[Link], groups: Sequence[LinkedGroup], queries: int
) -> dict[str, list[int]] | None:
    """The documents in rows and in columns of the matrix, clusters together; None for too many."""
    in_groups = (place for group in groups for place in group.members)
    others = (place for link in links for place in link[:2])
    rows = columns = [*dict.fromkeys([*in_groups, *others])]
    if queries:
        left, right = ({link[side] for link in links} for side in (0, 1))
        rows, columns = ([place for place in rows if place in side] for side in (left, right))
    fits = all(2 <= len(side) <= MOST_DOCUMENTS for side in (rows, columns))
    return {"rows": rows, "columns": columns} if fits else None
