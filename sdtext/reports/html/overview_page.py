"""The overview: what is similar to what among many documents, as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sdtext.model import Problem
from sdtext.reports.charts.cluster_graph import Link, LinkedGroup, cluster_graph, groups_of
from sdtext.reports.charts.score_charts import MOST_DOCUMENTS, heat_map, histogram_of
from sdtext.reports.html.report_page import PageProvenance, ReportPage
from sdtext.wording import printable

MOST_PAIRS = 20_000
"""Pairs that the table of a page has, mostly the best ones."""

_SHOWN = 100
"""Rows of the table before a script takes it over, and of each further step."""

_NUMBERED = 1000  # queries that have the first numbers, those of their file, also without a pair


class Card(NamedTuple):
    """A number at the top of the page; scripts find those that follow the cut by their `key`."""

    label: str
    value: str
    note: str = ""
    key: str = ""


class PairColumn(NamedTuple):
    """A further column of the table of pairs; `kind` is `count`, `share`, `text` or `quote`."""

    label: str
    kind: str = "count"


class PairRow(NamedTuple):
    """Two documents by their places, their score, the values of the further columns.

    `target` is the address of what the two share, such as `#p3`.
    """

    left: int
    right: int
    score: int
    values: tuple[Any, ...] = ()
    target: str = ""


@dataclass(frozen=True)
class Overview:
    """What a comparison of many documents gave.

    `names` are those of the documents. With `queries`, the first so many of these were compared
    with the others; without, all with each other. `rows` are the pairs, the best first; `scores`
    are those of all pairs that were compared, where they are known. At the score `cut` the
    histogram has a line, and `cut_notes` say more about it; from there on, or from `linked` on,
    pairs make clusters.
    `sides` are the headings of the two documents, `how` says what was searched. `named_note` is a
    note with the names of the documents that it is about. Of very many pairs the page has the best,
    or the `lowest` ones. Where the rows are `live`, they are shares in per cent, and a script
    changes them: the page has all names, in their order.
    """

    title: str
    lead: str
    cards: Sequence[Card]
    names: Sequence[str]
    rows: Sequence[PairRow]
    columns: Sequence[PairColumn] = ()
    queries: int = 0
    scores: Sequence[int] | None = None
    cut: int | None = None
    cut_notes: Sequence[str] = ()
    linked: int | None = None
    sides: tuple[str, str] = ("Document", "Similar document")
    how: str = ""
    notes: Sequence[str] = ()
    named_note: tuple[str, Sequence[str]] = ("", ())
    lowest: bool = False
    live: bool = False

    @property
    def first_cut(self) -> int:
        """The score from which on the table lists pairs at first: the cut, if any reaches it."""
        return self.cut if self.cut and any(row.score >= self.cut for row in self.rows) else 0

    @property
    def score_name(self) -> str:
        """The heading of the score."""
        return "Similarity, %" if self.live else "Score"


def page_of(
    overview: Overview, provenance: PageProvenance, problems: Sequence[Problem] = ()
) -> ReportPage:
    """The page of an overview.

    A row of its table has the places of two names, the score, the values of further columns and
    the address of what the two share.
    """
    listed = overview.rows[-MOST_PAIRS:] if overview.lowest else overview.rows[:MOST_PAIRS]
    asked = range(overview.queries if overview.queries <= _NUMBERED else 0)
    in_rows = (place for row in listed for place in (row.left, row.right))
    order = range(len(overview.names)) if overview.live else [*dict.fromkeys([*asked, *in_rows])]
    place_in_page = {place: n for n, place in enumerate(order)}
    names = [printable(overview.names[place]) for place in order]
    table = list[list[Any]]()
    for row in listed:
        values = (printable(value) if isinstance(value, str) else value for value in row.values)
        sides = place_in_page[row.left], place_in_page[row.right]
        table.append([*sides, row.score, *values, row.target])
    links = [(left, right, score) for left, right, score, *_ in table if left != right]
    linked = overview.linked or max(overview.cut or 0, 1)
    groups = groups_of([link for link in links if link[2] >= linked])
    rows, columns = _matrix_sides([link for link in links if link[2]], groups, overview.queries)
    kinds = ["document", "document", "score"]
    kinds += ["text" if column.kind == "quote" else column.kind for column in overview.columns]
    scores = overview.scores or [row.score for row in overview.rows]
    errors = sum(problem.severity == "error" for problem in problems)
    cards = [
        *overview.cards,
        *([] if overview.live else [Card("Highest score", str(max(scores, default="–")), "of 99")]),
        Card("Could not be read", f"{errors:,}", "listed below" if errors else ""),
    ]
    marked = {n for place, n in place_in_page.items() if place < overview.queries}
    graph = cluster_graph(groups, names, marked) if overview.queries != 1 else []
    shown = {
        "overview": overview,
        "cards_shown": cards,
        "alone": not (overview.rows or overview.live),
        "reader": None,
        "command": None,
        "names": names,
        "table": table,
        "order": order,
        "step": _SHOWN,
        "kinds": kinds,
        "histogram": histogram_of(scores) if scores else None,
        "graph": graph,
        "linked": linked,
        "groups": groups,
        "map": heat_map([names[row] for row in rows], len(columns)) if rows else None,
        "map_rows": rows,
    }
    note_of_all = [card.note for card in cards if card.key == "pairs"]
    embedded = {
        "names": names,
        "rows": [] if overview.live else table,
        "files": [],
        "live": overview.live,
        "kinds": kinds,
        "linked": linked,
        "step": _SHOWN,
        "note": "listed from 0" if overview.first_cut or not note_of_all else note_of_all[0],
        "matrix": {"rows": rows, "columns": columns} if rows else None,
    }
    return ReportPage(
        "overview.html",
        overview.title,
        shown,
        provenance,
        problems,
        styles=("overview.css",),
        scripts=("overview.js",),
        embedded={"overview": embedded},
    )


def _matrix_sides(
    links: Sequence[Link], groups: Sequence[LinkedGroup], queries: int
) -> tuple[list[int], list[int]]:
    """The documents in rows and in columns of the matrix, clusters together; none for too many."""
    in_groups = (place for group in groups for place in group.members)
    others = (place for link in links for place in link[:2])
    rows = columns = [*dict.fromkeys([*in_groups, *others])]
    if queries:
        left, right = ({link[side] for link in links} for side in (0, 1))
        rows, columns = ([place for place in rows if place in side] for side in (left, right))
    fits = all(2 <= len(side) <= MOST_DOCUMENTS for side in (rows, columns))
    return (rows, columns) if fits else ([], [])
