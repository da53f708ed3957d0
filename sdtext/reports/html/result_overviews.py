"""The pages of what verbs find: similar documents and pairs, duplicates, items of a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from sdtext.collections.stored_collection import StoredCollection
from sdtext.decontamination.find_contamination import Decontamination
from sdtext.deduplication.rules_and_removals import Deduplication
from sdtext.model import Problem
from sdtext.model.calibration import BUNDLED_SAMPLE, Calibration
from sdtext.reports.html.overview_page import (
    Card,
    Overview,
    PairColumn,
    PairRow,
    page_of,
)
from sdtext.reports.html.report_page import (
    PageProvenance,
    ReportPage,
    digests_of,
    digests_of_dictionaries,
    digests_of_inputs,
    digests_of_stored,
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

_PASSAGE = 300  # characters of a passage that a page shows
_CHANCE = PairColumn("By chance", "text")
_TERMS = PairColumn("Shared terms that weigh most", "text")


def page_of_comparison(
    comparison: Comparison, rows: Sequence[Row], minimum: int | None, folders: Sequence[str]
) -> ReportPage:
    """The page of a comparison with folders; `rows` are those that are listed.

    Without a `minimum` the cut is the score from which on rows deserve a look; with a calibration,
    which recommends a score for each size, the least of these. The second of two rows that differ
    in their direction alone is left out.
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
    listed, columns = _rows_and_columns(rows, places, below)
    without = comparison.unmatched(rows) if len(comparison.names) > 1 else ()
    unmatched = f"No file is listed for {len(without):,} of {len(comparison.names):,}"
    has_others = len(queries) < len(names)
    compared = len({row.path for row in comparison.rows})
    overview = Overview(
        title="Similar documents",
        lead=f"{above:,} of {counted(len(scores), 'comparison')} reached {reach} or more.",
        how=comparison.how,
        cards=[
            Card("Files", f"{compared:,}", "documents and fingerprints"),
            Card("Searched for", f"{len(queries):,}", "documents and fingerprints"),
            _pairs(sum(row.score >= cut for row in listed), cut),
            Card("Not comparable", f"{sum(n for _, n in comparison.reasons):,}"),
        ],
        names=[name.removeprefix(below) for name in names],
        rows=listed,
        columns=columns,
        queries=len(queries) if has_others else 0,
        scores=scores,
        cut=cut,
        cut_notes=why,
        linked=max(cut, 1),
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
            *digests_of_dictionaries(comparison.dictionaries),
        ],
        inputs_text="What was searched for, the files that are listed, and the dictionaries; not "
        "the files that were compared, but are not listed.",
    )
    paths = {name.removeprefix(below): name for name in names}
    page = page_of(overview, made, comparison.problems)
    return with_texts(page, lambda name: paths.get(name, name))


def _rows_and_columns(
    rows: Sequence[Row], places: Mapping[str, int], below: str
) -> tuple[list[PairRow], list[PairColumn]]:
    """The rows of two different files, those of one pair with one score once; further columns.

    Some columns are there only where a row has a value in them.
    """
    columns: dict[PairColumn, Callable[[Row], Any]] = {
        PairColumn("Common terms"): lambda row: row.common,
        PairColumn("Share of the first", "share"): lambda row: row.common / (row.a or 1),
        PairColumn("Share of the second", "share"): lambda row: row.common / (row.b or 1),
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


def page_of_pairs(
    pairs: Pairs, collections: Sequence[StoredCollection], question: Question
) -> ReportPage:
    """The page of the similar pairs in one or two collections."""
    documents = sum(map(len, collections))
    scores = [row.score for row in pairs.rows]
    cut = min(scores, default=1) if question.least is None else question.least
    sides = [{(row.left, row.left_id) for row in pairs.rows}]
    sides += [{(row.right, row.right_id) for row in pairs.rows}]
    ids = sorted(sides[0] | sides[1])
    places = {document: place for place, document in enumerate(ids)}
    rows = [
        PairRow(places[row.left, row.left_id], places[row.right, row.right_id], row.score)
        for row in pairs.rows
    ]
    overview = Overview(
        title="Similar pairs",
        lead=f"{counted(len(rows), 'pair')} of similar documents among {documents:,}.",
        how=pairs.how,
        cards=[
            Card("Documents", f"{documents:,}"),
            _pairs(len(rows), cut),
            Card("Documents in pairs", f"{len(ids):,}", _share(len(ids), documents)),
        ],
        names=[name for name, _ in ids],
        rows=rows,
        cut=cut,
        linked=max(cut, 1),
    )
    of_each = sides if len(collections) > 1 else [sides[0] | sides[1]]
    inputs = [
        digests_of_stored(collection, {number for _, number in some})
        for collection, some in zip(collections, of_each, strict=True)
    ]
    made = _of_search(collections, pairs.how, chain.from_iterable(inputs))
    return with_texts(page_of(overview, made, pairs.problems), *sources_of(collections))


def page_of_hits(
    hits: Hits, collection: StoredCollection, files: Sequence[str], question: Question
) -> ReportPage:
    """The page of the stored documents that are similar to queries in files."""
    minimum, documents = question.least, len(collection)
    scores = [row.score for row in hits.rows]
    asked = list(dict.fromkeys(row.query for row in hits.rows))
    whom = f"{len(asked)} of the queries" if len(asked) > 1 else (asked or [*files, "it"])[0]
    stored = {row.id for row in hits.rows}
    names, places = _numbered(asked, (row.document for row in hits.rows))
    has_chance = any(row.chance for row in hits.rows)
    metadata = [*dict.fromkeys(name for row in hits.rows for name in row.metadata)]
    rows = [
        PairRow(
            places[True, row.query],
            places[False, row.document],
            row.score,
            (
                *(cell_text(row.metadata.get(name)) for name in metadata),
                *([_chance_of(row)] if has_chance else []),
            ),
        )
        for row in hits.rows
    ]
    cut = min(scores, default=0) if minimum is None else minimum
    calibrations = plan_search(collection, question).calibrations if has_chance else ()
    overview = Overview(
        title="Similar documents of a collection",
        lead=f"Similar to {whom}: {len(stored):,} of {counted(documents, 'stored document')}.",
        how=hits.how,
        cards=[
            Card("Asked for", f"{len(asked):,}", "with similar documents"),
            Card("Stored documents", f"{documents:,}"),
            _pairs(len(rows), minimum or 0),
        ],
        names=names,
        rows=rows,
        columns=[
            *(PairColumn(printable(name), "text") for name in metadata),
            *([_CHANCE] if has_chance else []),
        ],
        queries=len(asked),
        cut=minimum,
        cut_notes=list(error_rates(calibrations, cut)),
        linked=minimum or 1,
        sides=("Asked for", "Stored document"),
    )
    of_files = digests_of_inputs(files, (row.query for row in hits.rows), "asked for")
    inputs = chain(of_files, digests_of_stored(collection, stored))
    page = page_of(overview, _of_search([collection], hits.how, inputs), hits.problems)
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
    others = [row.kept if row.duplicate is None else row.duplicate for row in removed]
    sides = [*zip(others, (row.document for row in removed), strict=True)]
    gone = {row.document for row in removed}
    stays = dict.fromkeys(name for name in others if name not in gone)
    names = list(stays | dict.fromkeys(name for pair in sides for name in pair))
    places = {name: place for place, name in enumerate(names)}
    passages = [row.passage or "" for row in removed]
    columns: dict[PairColumn, Sequence[str]] = {}
    if any(passages):
        columns[PairColumn("Longest shared passage", "quote")] = passages
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
    scores = [row.score for row in rows]
    largest = max((cluster.documents for cluster in done.clusters), default=0)
    overview = Overview(
        title="Near-duplicates",
        lead=f"{done}.",
        how=done.how,
        cards=[
            Card("Read", f"{read:,}"),
            Card(other, f"{kept:,}", _share(kept, read)),
            Card(copies, f"{len(removed):,}", _share(len(removed), read)),
            Card("Clusters", f"{len(done.clusters):,}", f"the largest has {largest:,} documents"),
        ],
        names=names,
        rows=rows,
        scores=scores,
        cut=min(scores, default=None),
        queries=len(stays),
        linked=min(scores, default=0),
        lowest=True,  # whether these are copies is to be seen
        sides=("Kept", "Removed"),
        columns=list(columns),
    )
    files = digests_of_inputs(inputs, (name for pair in sides for name in pair if name), "read")
    page = page_of(overview, PageProvenance(parameters=_how(done.how), inputs=[*files]), problems)
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
    rows = [
        PairRow(
            places[True, match.item],
            places[False, match.record],
            match.score,
            (
                *(match.share, match.words, match.answer, match.differs),
                " ".join(match.passage.split())[:_PASSAGE],
            ),
        )
        for match in done.matches
    ]
    rows.sort(key=lambda row: -row.score)
    left_out = (
        (done.too_short, "too short to be searched for"),
        (done.too_common, "of common words alone, and not searched for"),
    )
    overview = Overview(
        title="Items of a benchmark in a corpus",
        lead=f"{done}.",
        cards=[
            Card("Read", f"{done.read:,}"),
            Card("With items", f"{done.contaminated:,}", _share(done.contaminated, done.read)),
            Card("Items", f"{done.items:,}", "searched for"),
            Card("Items that occur", f"{done.occurring:,}", _share(done.occurring, done.items)),
        ],
        names=names,
        rows=rows,
        columns=[
            PairColumn("Share", "share"),
            PairColumn("Words"),
            PairColumn("Answer", "text"),
            PairColumn("Differs", "text"),
            PairColumn("Passage", "quote"),
        ],
        queries=len(items),
        cut=minimum,
        sides=("Item", "Record"),
        notes=[f"{counted(number, 'item')} {why}" for number, why in left_out if number],
    )
    inputs = [
        *digests_of_inputs(corpus, records, "searched"),
        *digests_of_inputs(benchmarks, items, "items"),
    ]
    return page_of(overview, PageProvenance(inputs=inputs), problems)


def _numbered(
    queries: Sequence[str], others: Iterable[str]
) -> tuple[list[str], dict[tuple[bool, str], int]]:
    """The names of queries and of other documents, and their places: by (is a query, name)."""
    keys = [(True, name) for name in queries]
    keys += dict.fromkeys((False, name) for name in others)
    return [name for _, name in keys], {key: place for place, key in enumerate(keys)}


def _share(part: int, whole: int) -> str:
    return percent(part / whole) if whole else ""


def _pairs(number: int, cut: int) -> Card:
    return Card("Pairs", f"{number:,}", f"listed from {cut}", "pairs")


def _how(how: str) -> list[tuple[str, str]]:
    return [("Search", how)]


def _of_search(
    collections: Iterable[StoredCollection], how: str, inputs: Iterable[Any]
) -> PageProvenance:
    """What was searched, and how."""
    described = (
        f"{each.path} (GUID {each.guid}, {counted(len(each), 'document')})" for each in collections
    )
    parameters = [("Collections", ", ".join(described)), *_how(how)]
    return PageProvenance(parameters=parameters, inputs=[*inputs])
