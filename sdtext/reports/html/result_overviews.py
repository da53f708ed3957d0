"""The pages of what verbs find: similar documents and pairs, duplicates, items of a benchmark."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sdtext.collections.stored_collection import StoredCollection
from sdtext.decontamination.find_contamination import Decontamination
from sdtext.deduplication.rules_and_removals import Deduplication
from sdtext.model import Problem
from sdtext.model.calibration import BUNDLED_SAMPLE, Calibration
from sdtext.reports.html.overview_page import Card, Overview, PairColumn, PairRow, page_of
from sdtext.reports.html.report_page import (
    OF_CONTENT,
    InputDigest,
    PageProvenance,
    ReportPage,
    digests_of,
    digests_of_inputs,
)
from sdtext.reports.html.side_by_side import sources_of, with_texts
from sdtext.reports.readable_values import cell_text, percent
from sdtext.search import Found, Hits, Pairs, Question
from sdtext.search.comparison_rows import Comparison, Row
from sdtext.search.search_plan import plan_search
from sdtext.wording import counted, printable

NOTABLE = 15
"""The score from which on documents that a folder's own dictionary compares deserve a look."""

_WHY_NOTABLE = (
    f"No minimum was asked for, so pairs are listed from {NOTABLE} on: unrelated documents mostly "
    "score below 15 with a dictionary of their own folder, below 35 with the English and German "
    "ones that come with sdtext, below 45 with the others. The rows of the "
    "command begin at 1; a click on a bar, or “Score from”, shows them."
)
_WHY_BY_SIZE = (
    "The minimum score depends on the number of terms, so that pairs below that of their size are "
    "not listed, whatever score is chosen"
)

_COMPARED = "documents and fingerprints"
_PASSAGE = 300  # characters of a passage that a page shows
_NUMBERS = ("count", "share")


def page_of_comparison(
    comparison: Comparison, rows: Sequence[Row], minimum: int | None, folders: Sequence[str]
) -> ReportPage:
    """The page of a comparison with folders; `rows` are those that are listed.

    Without a `minimum` the cut is the score from which on rows deserve a look; with a calibration,
    which recommends a score for each size, the least of these.
    """
    least: int | Calibration | None = minimum
    if not isinstance(comparison.minimum, int) or not (minimum or comparison.dictionaries):
        least = comparison.minimum
    only = Path(folders[0])
    folder = only if only.is_dir() else only.parent
    below = f"{folder.as_posix()}/" if len(folders) == 1 and folder.parts else ""
    scores = [row.score for row in comparison.rows if row.score is not None]
    if isinstance(least, Calibration):
        cut = min((level for _, level in least.recommended), default=0)
        why = [f"{_WHY_BY_SIZE}: {least.described()}."]
        above, reach, described = len(rows), "the recommended score", least.levels_described()
    else:
        cut = NOTABLE if least is None else least
        why = [_WHY_NOTABLE] * (least is None) + [*error_rates(comparison.calibrations, cut)]
        above, reach = sum(score >= cut for score in scores), f"a score of {cut}"
        described = "none" if least is None else str(least)
    queries = list(dict.fromkeys(comparison.names))
    names = list(dict.fromkeys([*queries, *(below + row.path for row in comparison.rows)]))
    places = {name: place for place, name in enumerate(names)}
    pairs: dict[tuple[int, int, int], Row] = {}  # of two different files, with one score once
    for row in rows:
        left, right, score = places[row.fingerprint], places[below + row.path], row.score
        if score is not None and left != right and (right, left, score) not in pairs:
            pairs.setdefault((left, right, score), row)
    some = pairs.values()
    terms = [", ".join(item.term for item in row.shared_terms or ()) for row in some]
    listed, columns = _rows_and_columns(
        pairs,
        {
            PairColumn("Common terms"): [row.common for row in some],
            PairColumn("Share of the first", "share"): [row.common / (row.a or 1) for row in some],
            PairColumn("Share of the second", "share"): [row.common / (row.b or 1) for row in some],
            PairColumn("Segment of the file", "text"): [row.segment or "" for row in some],
            PairColumn("Segment", "text"): [row.query_segment or "" for row in some],
            PairColumn("By chance", "text"): list(map(_chance_of, some)),
            PairColumn("Shared terms that weigh most", "text"): terms,
        },
    )
    without = comparison.unmatched(rows) if len(comparison.names) > 1 else ()
    unmatched = f"No file is listed for {len(without):,} of {len(comparison.names):,}"
    overview = Overview(
        title="Similar documents",
        lead=f"{above:,} of {counted(len(scores), 'comparison')} reached {reach} or more.",
        how=comparison.how,
        cards=[
            _card("Files", len({row.path for row in comparison.rows}), _COMPARED),
            _card("Searched for", len(queries), _COMPARED),
            _pairs(sum(row.score >= cut for row in listed), cut),
            _card("Not comparable", sum(n for _, n in comparison.reasons)),
        ],
        names=[name.removeprefix(below) for name in names],
        rows=listed,
        columns=columns,
        queries=len(queries) if len(queries) < len(names) else 0,
        scores=scores,
        cut=cut,
        cut_notes=why,
        sides=("Searched for", "File"),
        notes=[f"{n:,} not comparable: {reason}" for reason, n in comparison.reasons],
        named_note=(unmatched, without) if without else ("", ()),
    )
    files = dict.fromkeys(below + row.path for row in rows)
    made = PageProvenance(
        parameters=[
            ("Compared", comparison.how),
            ("Matcher", comparison.matcher),
            ("Minimum score", described),
        ],
        inputs=[
            *digests_of(queries, "compared with the others"),
            *digests_of((path for path in files if path not in queries), "listed"),
            *(
                InputDigest(item.name or item.guid, item.digest, "dictionary (content)")
                for item in comparison.dictionaries
            ),
        ],
        inputs_text="What was searched for, the files that are listed, and the dictionaries; not "
        "the files that were compared, but are not listed.",
    )
    paths = {name.removeprefix(below): name for name in names}
    page = page_of(overview, made, comparison.problems)
    return with_texts(page, lambda name: paths.get(name, name))


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


def page_of_pairs(
    pairs: Pairs, collections: Sequence[StoredCollection], question: Question
) -> ReportPage:
    """The page of the similar pairs in one or two collections."""
    documents = sum(map(len, collections))
    scores = [row.score for row in pairs.rows]
    cut = min(scores, default=1) if question.least is None else question.least
    left = [(row.left, row.left_id) for row in pairs.rows]
    right = [(row.right, row.right_id) for row in pairs.rows]
    ids = sorted({*left, *right})
    places = {document: place for place, document in enumerate(ids)}
    sides = (map(places.__getitem__, side) for side in (left, right))
    rows, _ = _rows_and_columns(zip(*sides, scores, strict=True), {})
    overview = Overview(
        title="Similar pairs",
        lead=f"{counted(len(rows), 'pair')} of similar documents among {documents:,}.",
        how=pairs.how,
        cards=[
            _card("Documents", documents),
            _pairs(len(rows), cut),
            _card("Documents in pairs", len(ids), documents),
        ],
        names=[name for name, _ in ids],
        rows=rows,
        cut=cut,
    )
    of_each = (left, right) if len(collections) > 1 else (ids,)
    listed = [{number for _, number in some} for some in of_each]
    made = _of_search(collections, listed, pairs.how)
    return with_texts(page_of(overview, made, pairs.problems), *sources_of(collections))


def page_of_hits(
    hits: Hits, collection: StoredCollection, files: Sequence[str], question: Question
) -> ReportPage:
    """The page of the stored documents that are similar to queries in files."""
    minimum, documents = question.least, len(collection)
    asked = list(dict.fromkeys(row.query for row in hits.rows))
    whom = f"{len(asked)} of the queries" if len(asked) > 1 else (asked or [*files, "it"])[0]
    stored = {row.id for row in hits.rows}
    names, places = _numbered(asked, (row.document for row in hits.rows))
    columns = {
        PairColumn(printable(name), "text"): [
            cell_text(row.metadata.get(name)) for row in hits.rows
        ]
        for name in dict.fromkeys(name for row in hits.rows for name in row.metadata)
    }
    columns[PairColumn("By chance", "text")] = chances = list(map(_chance_of, hits.rows))
    pairs = [(places[True, row.query], places[False, row.document], row.score) for row in hits.rows]
    rows, filled = _rows_and_columns(pairs, columns)
    cut = min((row.score for row in rows), default=0) if minimum is None else minimum
    calibrations = plan_search(collection, question).calibrations if any(chances) else ()
    overview = Overview(
        title="Similar documents of a collection",
        lead=f"Similar to {whom}: {len(stored):,} of {counted(documents, 'stored document')}.",
        how=hits.how,
        cards=[
            _card("Asked for", len(asked), "with similar documents"),
            _card("Stored documents", documents),
            _pairs(len(rows), minimum or 0),
        ],
        names=names,
        rows=rows,
        columns=filled,
        queries=len(asked),
        cut=minimum,
        cut_notes=list(error_rates(calibrations, cut)),
        sides=("Asked for", "Stored document"),
    )
    of_files = digests_of_inputs(files, (row.query for row in hits.rows), "asked for")
    made = _of_search([collection], [stored], hits.how, of_files)
    page = page_of(overview, made, hits.problems)
    return with_texts(page, *sources_of([collection], files))


def page_of_deduplication(
    done: Deduplication,
    inputs: Sequence[str],
    problems: Sequence[Problem],
    *,
    mark: bool = False,
    collections: Sequence[StoredCollection] = (),
) -> ReportPage:
    """The page of removed documents and those kept instead, with all problems of the run.

    Their texts are those of files among the inputs, or those that `collections` keep.
    """
    removed, read, kept = done.removed, done.counts["documents"], done.counts["kept"]
    copies, other = ("Removed", "Kept") if not mark else ("Copies", "No copies")
    sides = [(row.duplicate or row.kept, row.document) for row in removed]
    gone = {row.document for row in removed}
    stays = dict.fromkeys(name for name, _ in sides if name not in gone)
    names = list(stays | dict.fromkeys(name for pair in sides for name in pair))
    places = {name: place for place, name in enumerate(names)}
    texts = {(row.kept, row.document): (row.kept_text, row.text) for row in done.reviewed}
    both = [texts.get(pair, (None, None)) for pair in sides]
    columns = {
        PairColumn("Longest shared passage", "quote"): [row.passage or "" for row in removed],
        PairColumn("Text kept", "text"): [kept or "" for kept, _ in both],
        PairColumn("Text removed", "text"): [text or "" for _, text in both],
    }
    pairs = [
        (places[other], places[name], row.score)
        for (other, name), row in zip(sides, removed, strict=True)
    ]
    rows, filled = _rows_and_columns(pairs, columns)
    scores = [row.score for row in rows]
    largest = max((cluster.documents for cluster in done.clusters), default=0)
    overview = Overview(
        title="Near-duplicates",
        lead=f"{done}.",
        how=done.how,
        cards=[
            _card("Read", read),
            _card(other, kept, read),
            _card(copies, len(removed), read),
            _card("Clusters", len(done.clusters), f"the largest has {largest:,} documents"),
        ],
        names=names,
        rows=rows,
        scores=scores,
        cut=min(scores, default=None),
        queries=len(stays),
        lowest=True,  # whether these are copies is to be seen
        sides=("Kept", "Removed"),
        columns=filled,
    )
    files = digests_of_inputs(inputs, (name for pair in sides for name in pair if name), "read")
    page = page_of(overview, PageProvenance("", "", [("Search", done.how)], [*files]), problems)
    return with_texts(page, *sources_of(collections, inputs))


def page_of_decontamination(
    done: Decontamination,
    minimum: int,
    corpus: Sequence[str],
    benchmarks: Sequence[str],
    problems: Sequence[Problem] = (),
) -> ReportPage:
    """The page of the items of a benchmark that occur in records with `minimum` or more."""
    items = list(dict.fromkeys(match.item for match in done.matches))
    records = [match.record for match in done.matches]
    names, places = _numbered(items, records)
    matches = done.matches
    rows, columns = _rows_and_columns(
        [(places[True, item.item], places[False, item.record], item.score) for item in matches],
        {
            PairColumn("Share", "share"): [item.share for item in matches],
            PairColumn("Words"): [item.words for item in matches],
            PairColumn("Answer", "text"): [item.answer for item in matches],
            PairColumn("Differs", "text"): [item.differs for item in matches],
            PairColumn("Passage", "quote"): [
                " ".join(item.passage.split())[:_PASSAGE] for item in matches
            ],
        },
    )
    left_out = {
        "too short to be searched for": done.too_short,
        "of common words alone, and not searched for": done.too_common,
    }
    overview = Overview(
        title="Items of a benchmark in a corpus",
        lead=f"{done}.",
        cards=[
            _card("Read", done.read),
            _card("With items", done.contaminated, done.read),
            _card("Items", done.items, "searched for"),
            _card("Items that occur", done.occurring, done.items),
        ],
        names=names,
        rows=rows,
        columns=columns,
        queries=len(items),
        cut=minimum,
        sides=("Item", "Record"),
        notes=[f"{counted(number, 'item')} {why}" for why, number in left_out.items() if number],
    )
    inputs = [
        *digests_of_inputs(corpus, records, "searched"),
        *digests_of_inputs(benchmarks, items, "items"),
    ]
    return page_of(overview, PageProvenance(inputs=inputs), problems)


def _rows_and_columns(
    pairs: Iterable[tuple[int, int, int]], columns: Mapping[PairColumn, Sequence[Any]]
) -> tuple[list[PairRow], list[PairColumn]]:
    """The rows of pairs, the best first, and the columns, without those of texts that are empty."""
    filled = {c: values for c, values in columns.items() if c.kind in _NUMBERS or any(values)}
    rows = [
        PairRow(*pair, tuple(values[place] for values in filled.values()))
        for place, pair in enumerate(pairs)
    ]
    return sorted(rows, key=lambda row: -row.score), list(filled)


def _numbered(
    queries: Sequence[str], others: Iterable[str]
) -> tuple[list[str], dict[tuple[bool, str], int]]:
    """The names of queries and of other documents, and their places: by (is a query, name)."""
    keys = [(True, name) for name in queries]
    keys += dict.fromkeys((False, name) for name in others)
    return [name for _, name in keys], {key: place for place, key in enumerate(keys)}


def _card(label: str, number: int, note: str | int = "") -> Card:
    """A card with a note, or with the share of a whole number."""
    if isinstance(note, int):
        note = percent(number / note) if note else ""
    return Card(label, f"{number:,}", note)


def _pairs(number: int, cut: int) -> Card:
    return Card("Pairs", f"{number:,}", f"listed from {cut}", "pairs")


def _of_search(
    collections: Sequence[StoredCollection],
    listed: Sequence[Collection[int]],
    how: str,
    files: Iterable[InputDigest] = (),
) -> PageProvenance:
    """What was searched, and how; documents of each collection are `listed` by their numbers."""
    described = (
        f"{each.path} (GUID {each.guid}, {counted(len(each), 'document')})" for each in collections
    )
    stored = (
        InputDigest(document.name, document.digest, f"stored in {each.path} ({OF_CONTENT})")
        for each, ids in zip(collections, listed, strict=True)
        for document in each.documents()
        if document.id in ids
    )
    parameters = [("Collections", ", ".join(described)), ("Search", how)]
    return PageProvenance(parameters=parameters, inputs=[*files, *stored])
