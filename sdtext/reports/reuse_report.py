"""Evidence of text reuse as rows, as a JSON record, and as a summary.

There is a row for each passage, for each pair of documents, for each document or each chapter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sdtext.model import Coverage, Evidence, Passage, Shared, Span
from sdtext.reports.readable_values import percent
from sdtext.reuse.mark_boilerplate_passages import BOILERPLATE, texts_in_one_row
from sdtext.wording import counted, shown

COLUMNS = (
    *("left", "right", "score", "similarity", "verbatim"),
    *("left_offset", "left_length", "right_offset", "right_length"),
    *("left_share", "right_share", "metadata", "excluded", "documents", "weak"),
)
"""The columns of a row."""
CHAPTERS_OF_SIDES = ("left_chapter", "right_chapter")
"""The columns that a row has beside its others where documents have chapters."""
PAIR_COLUMNS = ("score", "left", "right", "left_share", "right_share", "passages", "metadata")
CHAPTER_COLUMNS = ("score", "document", "chapter", "share", "words", "offset", "length")
DOCUMENT_COLUMNS = (
    *("score", "document", "share", "sources", "source", "source_share", "boilerplate", "words"),
)

TABLE_COLUMNS = (
    *("left", "right", "score", "verbatim", "left_place", "right_place"),
    *("left_share", "right_share", "metadata", "excluded"),
)
"""The columns of a table: those that fit on a terminal."""
_SHARES, _PLACES = ("left_share", "right_share"), ("left_place", "right_place")
LEFT_OUT_FIRST = (_SHARES, ("verbatim",), _PLACES)
"""Columns of a table of passages that are left out where it is too wide, the first ones first."""

_MAX_LINES, _MAX_SOURCES, _MAX_PARTS = 3, 5, 8  # of a summary; there is a row for each
Row = dict[str, Any]


def passage_rows(evidence: Evidence, *, unfolded: bool = False) -> Iterator[Row]:
    """A row for each passage, in the order of `listed_passages`."""
    return (listed.row for listed in listed_passages(evidence, unfolded=unfolded))


class ListedPassage(NamedTuple):
    """A row of the list of passages, a document and a span for each side, and the passage.

    Text in one row (`texts_in_one_row`) has one side, a row of metadata none.
    """

    row: Row
    sides: Sequence[tuple[int, Span]] = ()
    passage: Passage | None = None


def listed_passages(evidence: Evidence, *, unfolded: bool = False) -> list[ListedPassage]:
    """The passages with their rows, those with most words in verbatim runs first, weak ones last.

    A pair without a passage has one row, with the score of its metadata, if any. Text that stands
    in many documents (boilerplate), and text of three documents or more that does not count for
    another reason, has one row each, with nothing on the right; `unfolded`, one for each passage.
    """
    texts = texts_in_one_row(evidence)
    documents = {place: text.documents for text in texts for place in text.passages}
    empty = dict.fromkeys(COLUMNS)
    listed = list[ListedPassage]()
    for number, shared in enumerate(evidence.shared):
        pair, before = {**empty, **_beside(shared, evidence)}, len(listed)
        for place, passage in enumerate(shared.passages):
            in_documents = documents.get((number, place))
            if in_documents and not unfolded:
                continue
            row = {
                **pair,
                "score": passage.similarity.score,
                "similarity": float(passage.similarity),
                "verbatim": passage.verbatim,
                **extent(passage.left, "left_"),
                **extent(passage.right, "right_"),
                "excluded": passage.excluded or None,
                "documents": in_documents,
                "weak": passage.is_weak,
            }
            sides = (shared.left, passage.left), (shared.right, passage.right)
            listed.append(ListedPassage(row, sides, passage))
        if len(listed) == before and shared.likeness:
            listed.append(ListedPassage(pair))
    for text in () if unfolded else texts:
        row = {
            **empty,
            "left": evidence.documents[text.document].name,
            **extent(text.span, "left_"),
            "excluded": text.reason,
            "documents": text.documents,
        }
        listed.append(ListedPassage(row, [(text.document, text.span)]))
    return sorted(listed, key=_order)


def table_row(row: Mapping[str, Any]) -> Row:
    """A row of the table: places as OFFSET:LENGTH; many documents in place of the right one."""
    cells = dict(row)
    if row["weak"]:
        cells["verbatim"] = f"{row['verbatim']} weak"
    if row["right"] is None:
        cells["right"] = f"stands in {row['documents']:,} documents"
        cells["excluded"] = None if row["excluded"] == BOILERPLATE else row["excluded"]
    for side in ("left", "right"):
        offset, length = row[f"{side}_offset"], row[f"{side}_length"]
        cells[f"{side}_place"] = None if offset is None else f"{offset}:{length}"
    return cells


def _order(listed: ListedPassage) -> tuple[int, float, float]:
    """The sort key: passages by the length of what is verbatim, other rows, weak passages."""
    passage = listed.passage
    if passage is None:
        return 1, listed.row["right"] is None, 0.0
    similarity = float(passage.similarity)
    verbatim = 100 * similarity if passage.verbatim is None else passage.verbatim
    longest = max(span.end - span.start for span in (passage.left, passage.right))
    return 2 * passage.is_weak, -verbatim * longest, -similarity


def extent(span: Span, prefix: str = "") -> dict[str, int]:
    """The offset and the length of a span, by names that begin with `prefix`."""
    return {f"{prefix}offset": span.start, f"{prefix}length": span.end - span.start}


class ChapterTitles:
    """The chapters of documents; those of a document without titles have none."""

    def __init__(self, evidence: Evidence) -> None:
        chapters = {place: item.chapters for place, item in enumerate(evidence.documents)}
        for item in evidence.coverage:
            chapters[item.document] = tuple(part.span for part in item.parts)
        self._chapters = {n: spans for n, spans in chapters.items() if any(s.title for s in spans)}

    def __bool__(self) -> bool:
        return bool(self._chapters)

    def at(self, document: int, offset: int) -> str:
        """The title of the chapter at an offset, "" where there is none."""
        chapters = self._chapters.get(document, ())
        return next((span.title for span in chapters if span.start <= offset < span.end), "")

    def fields(self, listed: ListedPassage) -> Row:
        """What a row has in `CHAPTERS_OF_SIDES`."""
        titles = [self.at(document, span.start) or None for document, span in listed.sides]
        return dict(zip(CHAPTERS_OF_SIDES, [*titles, None, None], strict=False))


def by_weight(evidence: Evidence) -> Evidence:
    """The same evidence with the pairs that share most first.

    Of pairs that share equally much, the one with the most similar passage comes first.
    """
    ranked = sorted(
        evidence.shared,
        key=lambda pair: (
            max(pair.left_share, pair.right_share),
            pair.left_share + pair.right_share,
            max((float(item.similarity) for item in pair.passages), default=0.0),
        ),
        reverse=True,
    )
    return replace(evidence, shared=tuple(ranked))


def pair_rows(evidence: Evidence, *, unfolded: bool = False) -> Iterator[Row]:
    """A row for each pair, in the order of `evidence`; its score is the larger share, 0 to 99.

    Pairs whose passages are all left out of the shares have one only if `unfolded`.
    """
    for shared in evidence.shared:
        counting = sum(not passage.excluded for passage in shared.passages)
        if not (counting or shared.likeness or (unfolded and shared.passages)):
            continue
        values = {"score": shared.score, "passages": counting, **_beside(shared, evidence)}
        yield {name: values[name] for name in PAIR_COLUMNS}


def document_rows(evidence: Evidence, **_: object) -> Iterator[Row]:
    """A row for each document with its share, the largest first, and with its largest source."""
    for coverage in sorted(evidence.coverage, key=lambda coverage: -coverage.share):
        document, sources = evidence.documents[coverage.document], _by_share(coverage)
        source, share = sources[0] if sources else (None, None)
        yield {
            "score": coverage.score,
            "document": document.name,
            "share": coverage.share,
            "sources": len(sources),
            "source": None if source is None else evidence.documents[source].name,
            "source_share": share,
            "boilerplate": coverage.boilerplate,
            "words": document.words,
        }


def chapter_rows(evidence: Evidence, **_: object) -> Iterator[Row]:
    """A row for each chapter with its share, the largest first; a text without has one row."""
    chapters = [(coverage, part) for coverage in evidence.coverage for part in coverage.parts]
    for coverage, part in sorted(chapters, key=lambda item: (-item[1].share, -item[0].share)):
        yield {
            "score": part.score,
            "document": evidence.documents[coverage.document].name,
            "chapter": part.span.title or None,
            "share": part.share,
            "words": part.words,
            **extent(part.span),
        }


LISTS: dict[str, tuple[tuple[str, ...], str, Callable[..., Iterator[Row]]]] = {
    "passage": (COLUMNS, "sdtext/reuse/1", passage_rows),
    "document": (DOCUMENT_COLUMNS, "sdtext/reuse-documents/1", document_rows),
    "pair": (PAIR_COLUMNS, "sdtext/reuse-pairs/1", pair_rows),
    "chapter": (CHAPTER_COLUMNS, "sdtext/reuse-chapters/1", chapter_rows),
}
"""The columns, the JSON schema and the rows of what can be listed."""


def chapter_names(coverage: Coverage) -> list[str]:
    """What people read as the titles of the chapters of a document, those without in parentheses.

    >>> from sdtext.model import Part
    >>> parts = [Part(Span(0, 4), 1, 0.5), Part(Span(5, 9, "Bees"), 1, 0.5)]
    >>> chapter_names(Coverage(0, 0.5, {}, tuple(parts)))
    ['(before the first heading)', 'Bees']
    """
    names = [part.span.title or "(without a title)" for part in coverage.parts]
    if names and not coverage.parts[0].span.title:
        names[0] = "(before the first heading)" if len(names) > 1 else "(no headings)"
    return names


def with_chapter_names(rows: Iterable[Row], evidence: Evidence) -> Iterator[Row]:
    """Rows of chapters for people: none is without a name."""
    names = {
        (evidence.documents[item.document].name, part.span.start): name
        for item in evidence.coverage
        for name, part in zip(chapter_names(item), item.parts, strict=True)
    }
    return ({**row, "chapter": names[row["document"], row["offset"]]} for row in rows)


def _beside(shared: Shared, evidence: Evidence) -> Row:
    """What all rows of a pair have: the documents, their shares and the mean score of metadata."""
    scores = shared.likeness.values()
    return {
        "left": evidence.documents[shared.left].name,
        "right": evidence.documents[shared.right].name,
        "left_share": shared.left_share,
        "right_share": shared.right_share,
        "metadata": sum(scores) // len(scores) if scores else None,
    }


def record_of(evidence: Evidence) -> Row:
    """What JSON has beside rows and problems: parameters, documents, pairs and coverage."""
    names = [document.name for document in evidence.documents]
    return {
        "how": evidence.how,
        "parameters": dict(evidence.parameters),
        "documents": [
            {
                "document": document.name,
                "words": document.words,
                "length": document.length or None,
                "digest": document.digest or None,
                "short": document.short,
                "metadata": dict(document.metadata),
            }
            for document in evidence.documents
        ],
        "pairs": [
            {
                "left": names[pair.left],
                "right": names[pair.right],
                "passages": len(pair.passages),
                "left_share": pair.left_share,
                "right_share": pair.right_share,
                "likeness": dict(pair.likeness),
            }
            for pair in evidence.shared
        ],
        "coverage": [
            {
                "document": names[coverage.document],
                "share": coverage.share,
                "boilerplate": coverage.boilerplate,
                "sources": [
                    {"document": names[place], "share": share}
                    for place, share in _by_share(coverage)
                ],
                "parts": [
                    {"title": span.title, **extent(span), "words": part.words, "share": part.share}
                    for part in coverage.parts
                    for span in [part.span]
                ],
            }
            for coverage in evidence.coverage
        ],
    }


def _by_share(coverage: Coverage) -> list[tuple[int, float]]:
    """The sources of a document and their shares, the largest first."""
    return sorted(coverage.sources.items(), key=lambda item: (-item[1], item[0]))


def summary_of(evidence: Evidence, by: str = "passage") -> list[str]:
    """A line for each of the documents with the largest shares, and for what was left out.

    Rows `by` document or chapter say the shares themselves.
    """
    lines = []
    if by not in ("document", "chapter") and not evidence.nothing_compared:
        names = [shown(document.name) for document in evidence.documents]
        counted_in = evidence.parameters.get("shares", "of words").removeprefix("of ")
        largest = sorted(evidence.coverage, key=lambda coverage: -coverage.share)
        lines += [_coverage_line(item, names, counted_in) for item in largest[:_MAX_LINES]]
        if (more := len(evidence.coverage) - _MAX_LINES) > 0:
            sharing = max(0, sum(bool(item.share) for item in evidence.coverage) - _MAX_LINES)
            what = f"{counted(more, 'more document')}, {sharing or 'none'} with shared text"
            lines.append(f"{what}; --by document lists all")
        if any(len(coverage.parts) > _MAX_PARTS for coverage in evidence.coverage):
            lines.append("--by chapter lists the shares of all chapters")
    passages = (passage for shared in evidence.shared for passage in shared.passages)
    reasons = Counter(passage.excluded for passage in passages if passage.excluded)
    if reasons:
        counts = ", ".join(f"{shown(reason)} {count}" for reason, count in sorted(reasons.items()))
        lines.append(f"{counted(reasons.total(), 'passage')} left out of the shares: {counts}")
    if texts := texts_in_one_row(evidence):
        many = sum(text.reason == BOILERPLATE for text in texts)
        kinds = [f"{counted(many, 'text')} in many documents"] if many else []
        if excluded := len(texts) - many:
            kinds.append(f"{counted(excluded, 'excluded text')} in several documents")
        lines.append(f"{', '.join(kinds)}, one row each; --all lists all rows")
    if short := sum(document.short for document in evidence.documents):
        lines.append(f"{counted(short, 'sentence')} too short to be compared")
    without_text = {item.path for item in evidence.problems if item.category == "no-text"}
    if without := sum(item.name in without_text for item in evidence.documents):
        lines.append(f"{counted(without, 'document')} without text: only places are listed")
    return lines


def _coverage_line(coverage: Coverage, names: list[str], counted_in: str) -> str:
    """The line of a summary about one document, whose share is counted in words or sentences."""
    name, sources = names[coverage.document], _by_share(coverage)
    many, where = "", "in shared passages"
    if common := coverage.boilerplate:
        another = "; another" if coverage.share else ";"
        many = f"{another} {percent(common)} stand in many documents and do not count"
    if not coverage.share:
        return f"{name}: none of its {counted_in} found elsewhere{many}"
    if sources:
        shares = [f"{names[place]} {percent(share)}" for place, share in sources]
        whom = f"{counted(len(sources), 'document')} ({_abridged(shares, _MAX_SOURCES)})"
        where = f"in passages shared with {whom}"
    chapters = [
        f"{shown(span.title[:100]) or f'at {span.start}' * bool(span.start) or 'the beginning'} "
        f"{percent(part.share)}"
        for part in coverage.parts
        if part.share and ((span := part.span).title or len(coverage.parts) > 1)
    ]
    suffix = f"; chapters: {_abridged(chapters, _MAX_PARTS)}" if chapters else ""
    return f"{name}: {percent(coverage.share)} of its {counted_in} {where}{many}{suffix}"


def _abridged(items: Sequence[str], most: int) -> str:
    """The first items, and the number of the others."""
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more} more" if more > 0 else "")
