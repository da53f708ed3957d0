"""Overviews of the results of CompareDirectory, FindPairs, FindSimilar and Deduplicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sdtext.collections.stored_collection import StoredCollection
from sdtext.decontamination.find_contamination import Contamination, Decontaminated
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.run import Deduplicated
from sdtext.model import Problem
from sdtext.model.calibration import BUNDLED_SAMPLE, Calibration
from sdtext.reports.deduplication import summary_of_marks
from sdtext.reports.html.overview_page import Card, Overview, PairColumn, PairRow
from sdtext.reports.readable_values import percent
from sdtext.search import Found, Hits, Pairs, Question
from sdtext.search.compare import Comparison, Row
from sdtext.wording import counted

NOTABLE = 15
"""The score from which on documents that a folder's own dictionary compares deserve a look."""

_WHY_NOTABLE = (
    f"No minimum was asked for, so pairs are listed from {NOTABLE} on: unrelated documents mostly "
    "score below 15 with a dictionary of their own folder, below 35 with the English and German "
    "ones that come with sdtext, below 45 with the others. The rows of the "
    "command begin at 1; the slider shows them all."
)

_WHY_BY_SIZE = (
    "The minimum score depends on the number of terms, so that pairs below that of their size are "
    "not listed, whatever the slider says"
)

_PASSAGE = 300  # characters of a passage that a page shows
_CHANCE = PairColumn("By chance", "text")
_TERMS = PairColumn("Shared terms that weigh most", "text")


def of_comparison(
    comparison: Comparison,
    rows: Sequence[Row],
    minimum: int | Calibration | None,
    below: str = "",
) -> Overview:
    """The overview of a comparison with a folder; `rows` are those that are listed.

    Without a `minimum` the cut is the score from which on rows deserve a look; with a calibration,
    which recommends a score for each size, the least of these. Paths are `below` this folder. The
    second of two rows that differ in their direction alone is left out.
    """
    scores = [row.score for row in comparison.rows if row.score is not None]
    if isinstance(minimum, Calibration):
        cut = min((level for _, level in minimum.recommended), default=0)
        why = [f"{_WHY_BY_SIZE}: {minimum.described()}."]
        above, which = len(rows), "the score that is recommended for"
        reaching = f"has {which} its" if above == 1 else f"have {which} their"
        lead = f"{above:,} of {counted(len(scores), 'comparison')} {reaching} size or more."
    else:
        cut = NOTABLE if minimum is None else minimum
        why = [_WHY_NOTABLE] * (minimum is None) + [*error_rates(comparison.calibrations, cut)]
        above, positive = (sum(score >= least for score in scores) for least in (cut, 1))
        reaching = f"{'has' if above == 1 else 'have'} a score of {cut} or more"
        others = f", {positive:,} a score of 1 or more" * (cut > 1)
        lead = f"{above:,} of {counted(len(scores), 'comparison')} {reaching}{others}."
    queries = list(dict.fromkeys(comparison.names))
    names = list(dict.fromkeys([*queries, *(below + row.path for row in comparison.rows)]))
    places = {name: place for place, name in enumerate(names)}
    listed, columns = _rows_and_columns(rows, places, below)
    number = sum(row.score >= cut for row in listed)
    compared = len({row.path for row in comparison.rows})
    without = comparison.unmatched(rows) if comparison.queries > 1 else ()
    unmatched = f"No file is listed for {len(without):,} of {comparison.queries:,}"
    has_others = len(queries) < len(names)
    return Overview(
        title="Similar documents",
        lead=lead,
        cards=[
            Card("Files", f"{compared:,}", "documents and fingerprints"),
            Card("Searched for", f"{len(queries):,}", "documents and fingerprints"),
            Card("Pairs", f"{number:,}", f"listed from {cut}", "pairs"),
            _highest(scores),
            Card("Not comparable", f"{sum(n for _, n in comparison.reasons):,}"),
            _unread(comparison.problems),
        ],
        names=[name.removeprefix(below) for name in names],
        rows=listed,
        columns=columns,
        queries=len(queries) if has_others else 0,
        scores=scores,
        cut=cut,
        cut_notes=why,
        linked=max(cut, 1),
        marked_text="what was searched for" if has_others else "",
        sides=("Searched for", "File"),
        notes=[f"{n:,} not comparable: {reason}" for reason, n in comparison.reasons],
        named_note=(unmatched, without) if without else ("", ()),
    )


def _rows_and_columns(
    rows: Sequence[Row], places: Mapping[str, int], below: str
) -> tuple[list[PairRow], list[PairColumn]]:
    """The rows of two different files, those of one pair with one score once; further columns.

    Some columns are there only where a row has a value in them.
    """
    columns: dict[PairColumn, Callable[[Row], Any]] = {
        PairColumn("Common terms"): lambda row: row.common,
        PairColumn("Terms"): lambda row: row.a,
        PairColumn("Terms of the file"): lambda row: row.b,
    }
    optional: dict[PairColumn, Callable[[Row], Any]] = {
        PairColumn("Segment of the file", "text"): lambda row: row.segment or "",
        PairColumn("Segment", "text"): lambda row: row.query_segment or "",
        _CHANCE: _chance_of,
        _TERMS: lambda row: ", ".join(item.term for item in row.shared_terms or ()),
    }
    columns |= {name: value_of for name, value_of in optional.items() if any(map(value_of, rows))}
    listed: dict[tuple[int, int, int], PairRow] = {}
    for row in rows:
        left, right, score = places[row.fingerprint], places[below + row.path], row.score
        if score is not None and left != right and (right, left, score) not in listed:
            values = tuple(value_of(row) for value_of in columns.values())
            listed.setdefault((left, right, score), PairRow(left, right, score, values))
    return list(listed.values()), list(columns)


def _chance_of(row: Row | Found) -> str:
    """How often chance gives the score, without the score, which stands beside."""
    return str(row.chance or "").partition(": ")[2]


def error_rates(calibrations: Iterable[Calibration], score: int) -> Iterator[str]:
    """How often unrelated documents reach a score, as it was measured: a sentence each."""
    for calibration in calibrations:
        rates = [
            f"{float(f'{100 * item.bound(score):.2g}'):g} % of pairs with {item.sizes} terms"
            for item in calibration.classes
            if item.is_sampled
        ]
        source = f"; bundled calibration: {BUNDLED_SAMPLE}" if calibration.bundled else ""
        if rates:
            yield (
                f"Measured error rate: of unrelated documents at most {', '.join(rates)} score "
                f"{score} or more (95 % confidence; {calibration.matcher}, measured on "
                f"{counted(calibration.documents, 'document')}{source})."
            )


def of_pairs(pairs: Pairs, documents: int, minimum: int | None) -> Overview:
    """The overview of the similar pairs of collections with so many documents."""
    scores = [row.score for row in pairs.rows]
    cut = min(scores, default=1) if minimum is None else minimum
    ids = sorted({(row.left, row.left_id) for row in pairs.rows}
                 | {(row.right, row.right_id) for row in pairs.rows})  # fmt: skip
    places = {document: place for place, document in enumerate(ids)}
    rows = [
        PairRow(places[row.left, row.left_id], places[row.right, row.right_id], row.score)
        for row in pairs.rows
    ]
    return Overview(
        title="Similar pairs",
        lead=f"{counted(len(rows), 'pair')} of similar documents among {documents:,}.",
        cards=[
            Card("Documents", f"{documents:,}"),
            Card("Pairs", f"{len(rows):,}", f"listed from {cut}", "pairs"),
            Card("Documents in pairs", f"{len(ids):,}", _share(len(ids), documents)),
            _highest(scores),
            _unread(pairs.problems),
        ],
        names=[name for name, _ in ids],
        rows=rows,
        cut=cut,
        linked=max(cut, 1),
        notes=[pairs.how],
    )


def of_hits(
    hits: Hits, documents: int, minimum: int | None, calibrations: Iterable[Calibration] = ()
) -> Overview:
    """The overview of the stored documents that are similar to queries.

    `calibrations` are those of the dictionary for the matcher.
    """
    scores = [row.score for row in hits.rows]
    asked = list(dict.fromkeys(row.query for row in hits.rows))
    stored = len({row.id for row in hits.rows})
    names, places = _numbered(asked, (row.document for row in hits.rows))
    has_chance = any(row.chance for row in hits.rows)
    rows = [
        PairRow(
            places[True, row.query],
            places[False, row.document],
            row.score,
            (_chance_of(row),) if has_chance else (),
        )
        for row in hits.rows
    ]
    cut = min(scores, default=0) if minimum is None else minimum
    return Overview(
        title="Similar documents of a collection",
        lead=f"{stored:,} of {documents:,} stored documents are similar to one of {len(asked):,}.",
        cards=[
            Card("Asked for", f"{len(asked):,}", "with similar documents"),
            Card("Stored documents", f"{documents:,}"),
            Card("Pairs", f"{len(rows):,}", f"listed from {minimum or 0}", "pairs"),
            _highest(scores),
            _unread(hits.problems),
        ],
        names=names,
        rows=rows,
        columns=[_CHANCE] if has_chance else [],
        queries=len(asked),
        cut=minimum,
        cut_notes=list(error_rates(calibrations, cut)),
        linked=minimum or 1,
        marked_text="what was asked for",
        sides=("Asked for", "Stored document"),
        notes=[hits.how],
    )


def of_deduplication(
    done: Deduplicated, problems: Sequence[Problem], *, mark: bool = False
) -> Overview:
    """The overview of removed documents and those kept instead, with all problems of the run."""
    removed = done.removed
    kept = done.read - len(removed)
    copies, other = ("Removed", "Kept") if not mark else ("Copies", "No copies")
    scores = [row.score for row in removed]
    cut = min([done.minimum, *scores])
    others = [row.kept if row.duplicate is None else row.duplicate for row in removed]
    sides = [*zip(others, (row.document for row in removed), strict=True)]
    names = list(dict.fromkeys(name for pair in sides for name in pair))
    places = {name: place for place, name in enumerate(names)}
    passages = [row.passage or "" for row in removed]
    columns: dict[PairColumn, Sequence[str]] = {}
    if any(passages):
        columns[PairColumn("Longest shared passage", "text")] = passages
    if done.reviewed:
        texts = {(row.kept, row.document): (row.kept_text, row.text) for row in done.reviewed}
        both = [texts.get(pair, (None, None)) for pair in sides]
        columns[PairColumn("Text kept", "text")] = [kept or "" for kept, _ in both]
        columns[PairColumn("Text removed", "text")] = [text or "" for _, text in both]
    rows = [
        PairRow(places[other], places[row.document], row.score, tuple(values))
        for (other, _), row, *values in zip(sides, removed, *columns.values(), strict=True)
    ]
    rows.sort(key=lambda row: -row.score)
    stays = frozenset(row.left for row in rows) - {row.right for row in rows}
    largest = max((cluster.documents for cluster in done.clusters), default=0)
    return Overview(
        title="Near-duplicates",
        lead=f"{summary_of_marks(done) if mark else done}.",
        cards=[
            Card("Read", f"{done.read:,}"),
            Card(other, f"{kept:,}", _share(kept, done.read)),
            Card(copies, f"{len(removed):,}", _share(len(removed), done.read)),
            Card("Clusters", f"{len(done.clusters):,}", f"the largest has {largest:,} documents"),
            _highest(scores),
            _unread(problems),
        ],
        names=names,
        rows=rows,
        cut=cut,
        linked=0,
        links_text="Documents that are removed, with those that are kept instead.",
        marked=stays,
        marked_text="kept",
        has_matrix=False,
        lowest=True,  # whether these are copies is to be seen
        sides=("Kept", "Removed"),
        columns=list(columns),
        notes=[done.how],
    )


def of_decontamination(
    done: Decontaminated, minimum: int, problems: Sequence[Problem] = ()
) -> Overview:
    """The overview of the items of a benchmark that occur in records with `minimum` or more."""
    items = list(dict.fromkeys(match.item for match in done.matches))
    sides = [(match.item, match.record) for match in done.matches]
    names, places = _numbered(items, (record for _, record in sides))
    rows = [
        PairRow(
            places[True, match.item],
            places[False, match.record],
            match.score,
            (match.share, match.words, match.answer, " ".join(match.passage.split())[:_PASSAGE]),
        )
        for match in done.matches
    ]
    rows.sort(key=lambda row: -row.score)
    left_out = (
        (done.short, "too short to be searched for"),
        (done.common, "of common words alone, and not searched for"),
    )
    return Overview(
        title="Items of a benchmark in a corpus",
        lead=f"{done}.",
        cards=[
            Card("Read", f"{done.read:,}"),
            Card("With items", f"{done.contaminated:,}", _share(done.contaminated, done.read)),
            Card("Items", f"{done.items:,}", "searched for"),
            Card("Items that occur", f"{done.occurring:,}", _share(done.occurring, done.items)),
            _highest([row.score for row in rows]),
            _unread(problems),
        ],
        names=names,
        rows=rows,
        columns=[
            PairColumn("Share", "share"),
            PairColumn("Words"),
            PairColumn("Answer", "text"),
            PairColumn("Passage", "text"),
        ],
        queries=len(items),
        cut=minimum,
        links_text="Items, with the records that hold them.",
        marked_text="items",
        has_matrix=False,
        sides=("Item", "Record"),
        notes=[f"{counted(number, 'item')} {why}" for number, why in left_out if number],
    )


def _numbered(
    queries: Sequence[str], others: Iterable[str]
) -> tuple[list[str], dict[tuple[bool, str], int]]:
    """The names of queries and of other documents, and their places: by (is a query, name)."""
    keys = [(True, name) for name in queries]
    keys += dict.fromkeys((False, name) for name in others)
    return [name for _, name in keys], {key: place for place, key in enumerate(keys)}


def _share(part: int, whole: int) -> str:
    return percent(part / whole) if whole else ""


def _highest(scores: Sequence[int]) -> Card:
    return Card("Highest score", str(max(scores)) if scores else "–", "of 99")


def _unread(problems: Iterable[Problem]) -> Card:
    number = sum(problem.severity == "error" for problem in problems)
    return Card("Could not be read", f"{number:,}", "listed below" if number else "")


def parameters_of_search(
    collections: Sequence[StoredCollection], question: Question, how: str
) -> list[tuple[str, str]]:
    """What was searched, for what and how, in words."""
    shinglers = {str(collection.recipe.shingler or "none") for collection in collections}
    described = (
        f"{each.path} (GUID {each.guid}, {counted(len(each), 'document')})" for each in collections
    )
    asked = {
        "Minimum score": question.minimum,
        "Matcher": question.matcher,
        "Most results": question.top,
        "Condition": question.where,
        "Recall": question.recall,
    }
    return [
        ("Collections", ", ".join(described)),
        *((name, str(value)) for name, value in asked.items() if value is not None),
        ("Shingles", ", ".join(sorted(shinglers))),
        ("Search", how),
    ]


def parameters_of_rules(rules: Rules, inputs: Iterable[str], how: str) -> list[tuple[str, str]]:
    """What was deduplicated, and how, in words."""
    asked = {"Minimum score": rules.minimum, "Recall": rules.recall}
    return [
        ("Inputs", ", ".join(inputs)),
        ("Rule", rules.rule),
        ("Kept", rules.keep),
        *([("Scope", rules.scope)] if rules.scope else []),
        *((name, str(value)) for name, value in asked.items() if value is not None),
        ("Search", how),
    ]


def parameters_of_contamination(
    asked: Contamination, corpus: Iterable[str], benchmark: Iterable[str]
) -> list[tuple[str, str]]:
    """What was searched for in what, in words."""
    return [
        ("Corpus", ", ".join(corpus)),
        ("Benchmark", ", ".join(benchmark)),
        ("Minimum score", str(asked.minimum)),
        ("Words of an item", f"{asked.min_words} or more"),
        ("Items with an answer count", "near their answer" if asked.with_answer else "anywhere"),
    ]
