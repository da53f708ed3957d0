"""Evidence of text reuse as rows, as a JSON record, and as a summary.

There is a row for each passage, for each pair of documents, for each document or each chapter.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, NamedTuple

from sdtext.errors import OptionError
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
TEXT_COLUMNS = ("left_line", "left_text", "right_line", "right_text", "edits")
"""The columns that a row has beside its others where texts are asked for."""
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
_LINE_END = re.compile(r"\r\n?|\n")
SIDES = ("left", "right")
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

    def order(listed: ListedPassage) -> tuple[int, float, float]:
        if (passage := listed.passage) is None:
            return 1, listed.row["right"] is None, 0.0
        similarity = float(passage.similarity)
        verbatim = 100 * similarity if passage.verbatim is None else passage.verbatim
        longest = max(span.end - span.start for span in (passage.left, passage.right))
        return 2 * passage.is_weak, -verbatim * longest, -similarity

    return sorted(listed, key=order)


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


def extent(span: Span, prefix: str = "") -> dict[str, int]:
    """The offset and the length of a span, by names that begin with `prefix`."""
    return {f"{prefix}offset": span.start, f"{prefix}length": span.end - span.start}


Chapters = Mapping[int, Sequence[Span]]


def titled_chapters(evidence: Evidence) -> Chapters:
    """The chapters of the documents that have titles, by the numbers of the documents."""
    chapters = {place: item.chapters for place, item in enumerate(evidence.documents)}
    chapters |= {each.document: tuple(p.span for p in each.parts) for each in evidence.coverage}
    return {place: spans for place, spans in chapters.items() if any(s.title for s in spans)}


def title_at(chapters: Chapters, document: int, offset: int) -> str:
    """The title of the chapter at an offset of a document, "" where there is none."""
    spans = chapters.get(document, ())
    return next((span.title for span in spans if span.start <= offset < span.end), "")


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


def pair_rows(evidence: Evidence, *, unfolded: bool = False, **_: object) -> Iterator[Row]:
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


def chapter_rows(evidence: Evidence, *, named: bool = False, **_: object) -> Iterator[Row]:
    """A row for each chapter with its share, the largest first; a text without has one row.

    Those without a title are `named` for people.
    """
    chapters = [
        (coverage.document, part, name)
        for coverage in sorted(evidence.coverage, key=lambda coverage: -coverage.share)
        for part, name in zip(coverage.parts, chapter_names(coverage), strict=True)
    ]
    for document, part, name in sorted(chapters, key=lambda item: -item[1].share):
        yield {
            "score": part.score,
            "document": evidence.documents[document].name,
            "chapter": name if named else part.span.title or None,
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


class DocumentTexts:
    """The texts of the documents of evidence, with their lines."""

    def __init__(self, evidence: Evidence) -> None:
        self.documents = evidence.documents
        self._line_starts: dict[int, list[int]] = {}

    def line(self, document: int, offset: int) -> int:
        r"""The number of the line at an offset, from 1; lines end as editors end them.

        >>> from sdtext.model import Examined
        >>> texts = DocumentTexts(Evidence((Examined("a", 2, text="one\r\ntwo"),), (), ()))
        >>> texts.line(0, 4), texts.line(0, 5)
        (1, 2)
        """
        if document not in self._line_starts:
            ends = _LINE_END.finditer(self.documents[document].text)
            self._line_starts[document] = [0, *(end.end() for end in ends)]
        return bisect_right(self._line_starts[document], offset)

    def words(self, document: int, spans: Sequence[Span]) -> int | None:
        """The number of words in the spans of a document, None where they are not known."""
        counts = self.documents[document].word_counts
        numbers = [counts.within(span) if counts else None for span in spans]
        return None if None in numbers else sum(filter(None, numbers))

    def fields(self, listed: ListedPassage) -> Row:
        """What a row has in `TEXT_COLUMNS`: None where there is no text."""
        values: Row = dict.fromkeys(TEXT_COLUMNS)
        for name, (document, span) in zip(SIDES, listed.sides, strict=False):
            if text := self.documents[document].text:
                values[f"{name}_line"] = self.line(document, span.start)
                values[f"{name}_text"] = text[span.start : span.end]
        if listed.passage:
            values["edits"] = [
                {"kind": edit.kind, **extent(edit.left, "left_"), **extent(edit.right, "right_")}
                for edit in listed.passage.edits
            ]
        return values


WHOLE = ("pan", "xml", "html")
"""Formats that are always complete."""


@dataclass(frozen=True)
class Listing:
    """What is listed, of which score, how many rows, in which format, and whether with texts."""

    by: str
    minimum: int | None
    top: int | None
    unfolded: bool
    show: bool
    form: str | None

    def __post_init__(self) -> None:
        """Raise OptionError for a format that is always complete."""
        is_part = self.minimum is not None or self.top or self.by != "passage" or self.show
        if self.form in WHOLE and is_part:
            what = f"--format {self.form} has all passages"
            raise OptionError(f"{what}; omit --by, -s, -k and --show")
        if self.show and self.by != "passage":
            raise OptionError(f"--show prints passages; omit --by {self.by}")

    def listed(self, evidence: Evidence, *, named: bool = False) -> tuple[list[ListedPassage], int]:
        """What is listed, that of most weight first, chapters `named`, and how many more rows."""
        evidence = by_weight(evidence)
        if self.by == "passage":
            every = listed_passages(evidence, unfolded=self.unfolded)
        else:
            rows = LISTS[self.by][2](evidence, unfolded=self.unfolded, named=named)
            every = list(map(ListedPassage, rows))
        least = self.minimum or 0
        listed = [item for item in every if (item.row["score"] or 0) >= least][: self.top]
        return listed, len(every) - len(listed)

    def rows(self, listed: Iterable[ListedPassage], evidence: Evidence) -> Iterator[Row]:
        """The rows of what is listed; of passages with chapters and, if asked for, with texts."""
        texts = DocumentTexts(evidence) if self.show else None
        chapters = titled_chapters(evidence) if self.by == "passage" else {}
        for item in listed:
            titles = [title_at(chapters, place, span.start) or None for place, span in item.sides]
            beside = dict(zip_longest(CHAPTERS_OF_SIDES, titles)) if chapters else {}
            yield {**item.row, **beside, **(texts.fields(item) if texts else {})}


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
                "document": item.name,
                **_fields(item, "words", "length", "digest", "short", "metadata"),
            }
            | {"length": item.length or None, "digest": item.digest or None}
            for item in evidence.documents
        ],
        "pairs": [
            {"left": names[pair.left], "right": names[pair.right], "passages": len(pair.passages)}
            | _fields(pair, "left_share", "right_share", "likeness")
            for pair in evidence.shared
        ],
        "coverage": [
            {
                "document": names[item.document],
                **_fields(item, "share", "boilerplate"),
                "sources": [
                    {"document": names[place], "share": share} for place, share in _by_share(item)
                ],
                "parts": [
                    {
                        "title": part.span.title,
                        **extent(part.span),
                        **_fields(part, "words", "share"),
                    }
                    for part in item.parts
                ],
            }
            for item in evidence.coverage
        ],
    }


def _fields(item: object, *names: str) -> Row:
    values = {name: getattr(item, name) for name in names}
    return {name: dict(v) if isinstance(v, Mapping) else v for name, v in values.items()}


def _by_share(coverage: Coverage) -> list[tuple[int, float]]:
    """The sources of a document and their shares, the largest first."""
    return sorted(coverage.sources.items(), key=lambda item: (-item[1], item[0]))


def reasons_in(evidence: Evidence) -> Counter[str]:
    """How many passages are left out of the shares, by the reason."""
    passages = (passage for pair in evidence.shared for passage in pair.passages)
    return Counter(passage.excluded for passage in passages if passage.excluded)


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
    if reasons := reasons_in(evidence):
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
