"""The pages of what verbs find: similar documents and pairs, duplicates, items of a benchmark."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from sdtext.collections.stored_collection import StoredCollection
from sdtext.decontamination.decontaminate import Decontamination
from sdtext.deduplication.rules_and_removals import Deduplication
from sdtext.formats.strict_json import cell_text
from sdtext.model import Problem
from sdtext.model.calibration import BUNDLED_SAMPLE, Calibration
from sdtext.reports.html.overview_page import Card, Listed, Overview, PairColumn, page_of
from sdtext.reports.html.report_page import (
    OF_CONTENT,
    InputDigest,
    PageProvenance,
    ReportPage,
    digests_of,
    digests_of_inputs,
)
from sdtext.reports.html.side_by_side import with_texts
from sdtext.reports.readable_values import common_folder
from sdtext.search.compare import Comparison, Row
from sdtext.search.results import Found, Hits, Pairs
from sdtext.search.search_plan import Question, plan_search
from sdtext.wording import counted, printable

NOTABLE = 15
"""The score from which on documents that a folder's own dictionary compares deserve a look."""

_WHY_NOTABLE = (
    f"Listed from {NOTABLE} on, as no minimum was asked for. Most unrelated documents score below "
    "15 with a dictionary of their own folder, 35 with the English or German one, 45 with others."
)
_WHY_BY_SIZE = "Pairs below the minimum score for their number of terms are never listed"

_COMPARED = "documents and fingerprints"
_PASSAGE = 300  # characters of a passage that a page shows


def page_of_comparison(
    comparison: Comparison, listed_part: Comparison, minimum: int | None, folders: Sequence[str]
) -> ReportPage:
    """The page of a comparison with folders, of which a part, `restricted`, is listed.

    Without a `minimum` the cut is the score from which on rows deserve a look; with a calibration,
    which recommends a score for each size, the least of these.
    """
    least: int | Calibration | None = minimum
    if not isinstance(comparison.minimum, int) or not (minimum or comparison.dictionaries):
        least = comparison.minimum
    rows = listed_part.rows
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
    only = Path(folders[0])
    folder = only if only.is_dir() else only.parent
    below = f"{folder.as_posix()}/" if len(folders) == 1 and folder.parts else ""
    queries = list(dict.fromkeys(comparison.names))
    files = dict.fromkeys(below + row.path for row in rows)
    compared = {*queries, *(below + row.path for row in comparison.rows)}
    hidden = below
    if {Path(path).name for path in queries if path not in files} & {Path(p).name for p in files}:
        hidden = common_folder([*compared])  # the folder tells a file from its copy
    listed = {path: Listed(path.removeprefix(hidden), path) for path in compared}
    pairs: dict[tuple[Listed, Listed, int], Row] = {}  # of two different files, with one score once
    for row in rows:
        left, right, score = listed[row.fingerprint], listed[below + row.path], row.score
        if score is not None and left != right and (right, left, score) not in pairs:
            pairs.setdefault((left, right, score), row)
    some = pairs.values()
    terms = [", ".join(item.term for item in row.shared_terms or ()) for row in some]
    without = listed_part.unmatched() if len(comparison.names) > 1 else ()
    unmatched = f"No file is listed for {len(without):,} of {len(comparison.names):,}"
    is_apart = len(queries) < len(compared)
    asked = f"of {queries[0]} " if len(queries) == 1 else ""
    of_what = f"{counted(len(scores), 'comparison')} {asked}with {', '.join(folders)}"
    overview = Overview(
        title="Similar documents",
        lead=f"{above:,} of {of_what} reached {reach} or more.",
        how=f"{comparison.how}; minimum score {described}",
        cards=[
            Card("Files", len({row.path for row in comparison.rows}), _COMPARED),
            Card("Searched for", len(queries), _COMPARED),
            _pairs(sum(score >= cut for *_, score in pairs), cut),
            Card("Not comparable", sum(n for _, n in comparison.reasons)),
        ],
        pairs=list(pairs),
        columns=[
            PairColumn("Common terms", "count", [row.common for row in some]),
            PairColumn("Share of the first", "share", [row.common / (row.a or 1) for row in some]),
            PairColumn("Share of the second", "share", [row.common / (row.b or 1) for row in some]),
            PairColumn("Segment of the file", "text", [row.segment or "" for row in some]),
            PairColumn("Segment", "text", [row.query_segment or "" for row in some]),
            PairColumn("By chance", "text", [_chance_of(row) for row in some]),
            PairColumn("Shared terms that weigh most", "text", terms),
        ],
        first=[listed[name] for name in queries] if is_apart else (),
        queries=len(queries) if is_apart else 0,
        scores=scores,
        cut=cut,
        cut_notes=why,
        sides=("Searched for", "File"),
        notes=[
            *([(unmatched, without)] if without else []),
            *((f"{n:,} not comparable: {reason}", ()) for reason, n in comparison.reasons),
        ],
    )
    parameters = [("Compared", comparison.how), ("Matcher", comparison.matcher)]
    inputs = [
        *digests_of(queries, "compared with the others"),
        *digests_of((path for path in files if path not in queries), "listed"),
    ]
    inputs += (
        InputDigest(each.name or each.guid, each.digest, "dictionary (content)")
        for each in comparison.dictionaries
    )
    made = PageProvenance("", "", [*parameters, ("Minimum score", described)], inputs)
    return with_texts(page_of(overview, made, comparison.problems))


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
    documents, last = sum(map(len, collections)), len(collections) - 1
    left, right = (f"{collections[n].path.name}/" if last else "" for n in (0, last))
    listed = [
        (
            Listed(left + row.left, row.left, 0, row.left_id),
            Listed(right + row.right, row.right, last, row.right_id),
            row.score,
        )
        for row in pairs.rows
    ]
    cut = plan_search(collections[0], question).minimum
    both = " and ".join(f"{each.path.name} ({len(each):,})" for each in collections)
    where = f"between {both}" if last else f"among {documents:,}"
    sides = {document for pair in listed for document in pair[:2]}
    overview = Overview(
        title="Similar pairs",
        lead=f"{counted(len(listed), 'pair')} of similar documents {where}.",
        how=pairs.how,
        cards=[
            Card("Documents", documents),
            _pairs(len(listed), cut),
            Card("Documents in pairs", len(sides), documents),
        ],
        pairs=listed,
        cut=cut,
    )
    numbers = [{each.id for each in sides if each.collection == n} for n in range(last + 1)]
    made = _of_search(collections, numbers, pairs.how)
    return with_texts(page_of(overview, made, pairs.problems), collections, [])


def page_of_hits(
    hits: Hits, collection: StoredCollection, files: Sequence[str], question: Question
) -> ReportPage:
    """The page of the stored documents that are similar to queries in files."""
    documents, rows = len(collection), hits.rows
    asked = list(dict.fromkeys(row.query for row in rows))
    whom = f"{len(asked)} of the queries" if len(asked) > 1 else (asked or [*files, "it"])[0]
    stored = {row.id for row in rows}
    same = {Path(name).name for name in asked} & {Path(row.document).name for row in rows}
    folder = f"{collection.path.name}/" if same else ""  # tells a document from its copy
    names = dict.fromkeys(name for row in rows for name in row.metadata)
    metadata = {name: [cell_text(row.metadata.get(name)) for row in rows] for name in names}
    chances = list(map(_chance_of, rows))
    plan = plan_search(collection, question).for_queries()
    cut, calibrations = plan.minimum, plan.calibrations if any(chances) else ()
    overview = Overview(
        title="Similar documents of a collection",
        lead=f"Similar to {whom}: {len(stored):,} of {counted(documents, 'stored document')}.",
        how=hits.how,
        cards=[
            Card("Asked for", len(asked), "with similar documents"),
            Card("Stored documents", documents),
            _pairs(len(rows), cut),
        ],
        pairs=[
            (
                Listed(row.query, row.query),
                Listed(folder + row.document, row.document, 0, row.id),
                row.score,
            )
            for row in rows
        ],
        columns=[
            *(PairColumn(printable(name), "text", cells) for name, cells in metadata.items()),
            PairColumn("By chance", "text", chances),
        ],
        first=[Listed(name, name) for name in asked],
        queries=len(asked),
        cut=cut,
        cut_notes=list(error_rates(calibrations, cut)),
        sides=("Asked for", "Stored document"),
    )
    of_files = digests_of_inputs(files, asked, "asked for")
    made = _of_search([collection], [stored], hits.how, of_files)
    return with_texts(page_of(overview, made, hits.problems), [collection], files)


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
    stored = 0 if collections else None
    pairs = [
        (
            Listed(row.duplicate or row.kept, row.duplicate or row.kept, stored),
            Listed(row.document, row.document, stored),
            row.score,
        )
        for row in removed
    ]
    gone = {document for _, document, _ in pairs}
    stays = [kept for kept in dict.fromkeys(pair[0] for pair in pairs) if kept not in gone]
    texts = {(row.kept, row.document): (row.kept_text, row.text) for row in done.reviewed}
    both = [texts.get((left.name, right.name), (None, None)) for left, right, _ in pairs]
    scores = sorted((row.score for row in removed), reverse=True)
    largest = max((cluster.documents for cluster in done.clusters), default=0)
    overview = Overview(
        title="Near-duplicates",
        lead=f"{done}.",
        how=done.how,
        cards=[
            Card("Read", read),
            Card(other, kept, read),
            Card(copies, len(removed), read),
            Card("Clusters", len(done.clusters), f"the largest has {largest:,} documents"),
        ],
        pairs=pairs,
        columns=[
            PairColumn("Longest shared passage", "quote", [row.passage or "" for row in removed]),
            PairColumn("Text kept", "text", [kept or "" for kept, _ in both]),
            PairColumn("Text removed", "text", [text or "" for _, text in both]),
        ],
        first=stays,
        queries=len(stays),
        scores=scores,
        cut=min(scores, default=None),
        lowest=True,  # whether these are copies is to be seen
        sides=("Kept", "Removed"),
    )
    named = (side.name for pair in pairs for side in pair[:2] if side.name)
    files = digests_of_inputs(inputs, named, "read")
    page = page_of(overview, PageProvenance("", "", [("Search", done.how)], [*files]), problems)
    return with_texts(page, collections, inputs)


def page_of_decontamination(
    done: Decontamination,
    minimum: int,
    corpus: Sequence[str],
    benchmarks: Sequence[str],
    problems: Sequence[Problem] = (),
) -> ReportPage:
    """The page of the items of a benchmark that occur in records with `minimum` or more."""
    matches = done.matches
    items = list(dict.fromkeys(match.item for match in matches))
    left_out = {
        "too short to be searched for": done.too_short,
        "of common words alone, and not searched for": done.too_common,
    }
    overview = Overview(
        title="Items of a benchmark in a corpus",
        lead=f"{done}.",
        cards=[
            Card("Read", done.read),
            Card("With items", done.contaminated, done.read),
            Card("Items", done.items, "searched for"),
            Card("Items that occur", done.occurring, done.items),
        ],
        pairs=[(Listed(each.item), Listed(each.record, id=1), each.score) for each in matches],
        columns=[
            PairColumn("Share", "share", [each.share for each in matches]),
            PairColumn("Words", "count", [each.words for each in matches]),
            PairColumn("Answer", "text", [each.answer for each in matches]),
            PairColumn("Differs", "text", [each.differs for each in matches]),
            PairColumn(
                "Passage", "quote", [" ".join(each.passage.split())[:_PASSAGE] for each in matches]
            ),
        ],
        first=list(map(Listed, items)),
        queries=len(items),
        cut=minimum,
        sides=("Item", "Record"),
        notes=[(f"{counted(n, 'item')} {why}", ()) for why, n in left_out.items() if n],
    )
    inputs = [
        *digests_of_inputs(corpus, (each.record for each in matches), "searched"),
        *digests_of_inputs(benchmarks, items, "items"),
    ]
    return page_of(overview, PageProvenance(inputs=inputs), problems)


def _pairs(number: int, cut: int) -> Card:
    return Card("Pairs", number, f"listed from {cut}", "pairs")


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
        for document in each.take(sorted(ids))
    )
    parameters = [("Collections", ", ".join(described)), ("Search", how)]
    return PageProvenance(parameters=parameters, inputs=[*files, *stored])
