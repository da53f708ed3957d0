"""The evidence page: shared passages side by side, and each text with all of its sources.

What a reader of a text does not see is made visible.
"""

from __future__ import annotations

import io
import re
from base64 import b64encode
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from gzip import compress
from itertools import accumulate, pairwise
from statistics import mean
from typing import Any

import numpy as np

from sdtext.formats.evidence_xml import write_evidence
from sdtext.model import Coverage, Evidence, Examined, Passage, Problem, Shared, Span, WordCounts
from sdtext.model.reuse_evidence import score_of_share
from sdtext.parts.units.quotes import quotes_in
from sdtext.reports.html.overview_page import Card, Overview, PairColumn, PairRow, page_of
from sdtext.reports.html.report_page import PageProvenance, ReportPage, numbered
from sdtext.reports.readable_values import common_folder, distinct_names, percent
from sdtext.reports.reuse_report import ChapterTitles, by_weight, chapter_names
from sdtext.reuse.coverage import boundaries_of, words_before, words_in
from sdtext.reuse.mark_boilerplate_passages import BOILERPLATE, FrequentText, frequent_texts
from sdtext.text.disguises import Disguise, disguises_in, undisguised
from sdtext.text.document import Document, hidden_spans
from sdtext.wording import counted, printable, shown

MOST_MARKS = 5000
"""Disguises of a document that are marked, the first ones."""

_UNSEEN = re.compile(
    "[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff]"
)  # characters that nobody sees, or that reverse what follows
_BOX = "\u25af"
_UNSPACED = re.compile("[\u2e80-\u9fff\uff00-\uffef]")  # scripts without blanks between words
_SAMPLE = 200_000  # characters in which the length of lines is measured
_WRAPPED = (50, 110)  # characters of the longer lines of hard-wrapped texts
_OPENING = "\"'“‘(«"
_BLOCK = 3000  # characters; a block has up to three times as many
MOST_TEXT = 1 << 25
"""Characters of all texts in a page; those of further documents are left out."""

REASONS = {
    "template": "template or form",
    "cited": "cited",
    "common-wording": "common wording",
    "own-work": "own earlier work",
}
"""Why a reader leaves passages out of the shares: the word in evidence files, and in words."""

_QUOTE = "quote"
_GIVEN = {
    _QUOTE: "quotation",
    "references": "list of references",
    "boilerplate": "stands in many documents",
}
_LINKED = 15  # per cent of a document: the share from which on documents are drawn as a cluster
_WORD = re.compile(r"\w+")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")  # characters that are two units of UTF-16
_EXCERPT = 200  # characters of a text that stands in many documents


@dataclass(frozen=True)
class DisplayedText:
    """A text of the same length as the original, so that offsets stay.

    `blocks` are the offsets at which further blocks begin, which a browser lays out as they come
    into view. A note is a sentence without its subject, the document.
    """

    text: str
    blocks: Sequence[int]
    disguises: Sequence[Disguise]
    notes: Sequence[str]

    @classmethod
    def of(cls, text: str) -> DisplayedText:
        """The text with a box for each character that nobody sees, and page breaks as line ends.

        A browser shows a form feed as nothing, not even as a blank between two words.

        >>> DisplayedText.of("Bees\u202e dance.").text
        'Bees▯ dance.'
        """
        disguises = disguises_in(text)
        shown = flowing(_UNSEEN.sub(_BOX, text).replace("\f", "\n"))
        notes = [*_notes(text, len(disguises))]
        return cls(shown, [*_blocks(shown)], disguises[:MOST_MARKS], notes)


def _notes(text: str, places: int) -> Iterator[str]:
    """What nobody sees in a text, and what was undone, as the warning about the document counts."""
    if number := len(_UNSEEN.findall(text.removeprefix("\ufeff"))):
        where = "it stands" if number == 1 else "they stand"
        what = f"{number:,} invisible or reversing character{'s' * (number != 1)}"
        yield f"has {what}, shown as {_BOX} where {where}."
    if undone := "; ".join(f"{step.count} {step.step}" for step in undisguised(text).undone):
        first = f"the first {MOST_MARKS:,} places"
        marked = counted(places, "place") if places <= MOST_MARKS else first
        yield f"is disguised: {undone}; marked in {marked}."


def _blocks(text: str) -> Iterator[int]:
    """The offsets at which blocks begin, but the first: after a line, or else after a word."""
    place = 0
    while True:
        end = place + 3 * _BLOCK
        breaks = (
            text.find(character, place + least, end) + 1
            for character, least in (("\n", _BLOCK), (" ", 2 * _BLOCK))
        )
        place = next(filter(None, breaks), end)
        if place >= len(text):
            return
        yield place


def flowing(text: str) -> str:
    r"""A text of hard-wrapped lines with blanks for the line ends within paragraphs.

    >>> line = "A line of so many words that it had to be wrapped by hand,"
    >>> flowing(f"{line}\n{line}\n\n{line}\n").count("\n")
    3
    """
    lengths = sorted(len(line) for line in text[:_SAMPLE].split("\n") if len(line) > 1)
    typical = lengths[int(0.9 * len(lengths))] if lengths else 0
    if not _WRAPPED[0] <= typical <= _WRAPPED[1] or lengths[-1] > 2 * typical:
        return text
    lines = text.split("\n")
    least = int(0.7 * typical)
    pieces = []
    for line, after in pairwise(lines):
        begins = after[:1].isalnum() or after.startswith(tuple(_OPENING))
        goes_on = len(line) >= least and begins and not _UNSPACED.match(line[-1])
        pieces.append(line + (" " if goes_on else "\n"))
    return "".join((*pieces, lines[-1]))


def evidence_page(
    evidence: Evidence, provenance: PageProvenance, problems: Sequence[Problem] = ()
) -> ReportPage:
    """The page of the evidence; documents without texts have places only.

    Texts of documents that share no passages are not in it.
    """
    ordered, sharing = _ordered(evidence), _sharing(evidence)
    frequent = frequent_texts(ordered)
    values = _values(ordered, frequent, problems)
    overview = _overview(ordered, values, problems)
    page = page_of(overview, provenance, problems)
    facts = {
        "alone": sum(bool(pair.passages) for pair in evidence.shared) < 2,
        "textless": sum(values["documents"][place]["text"] is None for place in sharing),
        "reasons": REASONS,
        "all_reasons": values["reasons"],
        "inexact": not all(values["documents"][place]["exact"] for place in sharing),
        "asked": values["asked"],
        "documents": [
            {"number": item.document + 1, "chapters": _chapters(item)} for item in ordered.coverage
        ],
        "frequent": _listed(ordered, frequent),
    }
    return replace(
        page,
        template="evidence.html",
        data={**page.data, **facts},
        styles=[*page.styles, "evidence.css"],
        scripts=[*page.scripts, "evidence.js"],
        embedded={**page.embedded, "evidence": values},
    )


def _sharing(evidence: Evidence) -> set[int]:
    """The places of the documents that share passages."""
    return {side for pair in evidence.shared if pair.passages for side in (pair.left, pair.right)}


def _chapters(coverage: Coverage) -> list[dict[str, Any]]:
    """The titles and words of chapters; none where the whole document is one without a title."""
    if len(coverage.parts) < 2 and not any(part.span.title for part in coverage.parts):
        return []
    named = zip(chapter_names(coverage), coverage.parts, strict=True)
    return [{"title": name, "words": part.words} for name, part in named]


@dataclass(frozen=True)
class _Quotations:
    """The quotations of a text by their starts and ends, and the characters before each."""

    starts: Sequence[int]
    ends: Sequence[int]
    before: Sequence[int]

    @classmethod
    def of(cls, text: str) -> _Quotations:
        spans = quotes_in(Document(text, text)) if text else ()
        starts, ends = ([getattr(span, side) for span in spans] for side in ("start", "end"))
        lengths = (end - start for start, end in zip(starts, ends, strict=True))
        return cls(starts, ends, [0, *accumulate(lengths)])

    def have(self, span: Span) -> bool:
        """Whether more than half of a span is in quotations."""
        return 2 * (self._until(span.end) - self._until(span.start)) > span.end - span.start

    def _until(self, place: int) -> int:
        """The characters in quotations before a place."""
        number = bisect_left(self.starts, place)
        beyond = max(0, self.ends[number - 1] - place) if number else 0
        return self.before[number] - beyond


def _is_quoted(passage: Passage, pair: Shared, quotations: Sequence[_Quotations]) -> bool:
    """Whether a side of a passage is a quotation; a reader may leave out all of these at once."""
    return quotations[pair.left].have(passage.left) or quotations[pair.right].have(passage.right)


def _passages(evidence: Evidence) -> Iterator[Passage]:
    return (passage for pair in evidence.shared for passage in pair.passages)


def _all_reasons(evidence: Evidence) -> dict[str, str]:
    """The reasons to choose from and those that the evidence has, each in words."""
    given = {passage.excluded for passage in _passages(evidence) if passage.excluded}
    others = sorted({_QUOTE, *given} - REASONS.keys())
    return {**REASONS, **{reason: _GIVEN.get(reason, printable(reason)) for reason in others}}


def left_out(evidence: Evidence) -> list[str]:
    """What does not count in the shares, and why, a line each."""
    reasons = Counter(passage.excluded for passage in _passages(evidence) if passage.excluded)
    words = {**_GIVEN, **REASONS}
    lines = [
        f"{numbered(number, 'passage')}: {words.get(reason, reason)}"
        for reason, number in reasons.most_common()
    ]
    short = sum(document.short for document in evidence.documents)
    return lines + [f"{numbered(short, 'sentence')}: too short to be compared"] * (short > 0)


def _ordered(evidence: Evidence) -> Evidence:
    """The pairs that share most first, and the passages of a pair as they stand on the left."""
    ordered = by_weight(evidence)
    pairs = (
        replace(pair, passages=tuple(sorted(pair.passages, key=lambda item: item.left.start)))
        for pair in ordered.shared
    )
    return replace(ordered, shared=tuple(pairs))


def _overview(
    evidence: Evidence, values: Mapping[str, Any], problems: Sequence[Problem]
) -> Overview:
    """The pairs of documents by the larger of their shares, in per cent."""
    names = [document["name"] for document in values["documents"]]
    counting = sum(not passage.excluded for passage in _passages(evidence))
    rows = [
        PairRow(
            pair.left,
            pair.right,
            pair.score,
            (pair.left_share, pair.right_share, number_of_counting),
            f"#p{number}",
        )
        for number, pair in enumerate(evidence.shared, 1)
        if (number_of_counting := sum(not passage.excluded for passage in pair.passages))
    ]
    reasons = [{passage.excluded for passage in pair.passages} for pair in evidence.shared]
    others = sum("" not in some and bool(some - {BOILERPLATE}) for some in reasons)
    uncounted = (
        f"{numbered(others, 'more pair')} share only text that does not count. Choose one document "
        "with its sources: it lists them."
    )
    shares = [coverage.share for coverage in evidence.coverage]
    unread = sum(problem.severity == "error" for problem in problems)
    queries = len(evidence.coverage)
    return Overview(
        title=" and ".join(names) if len(names) == 2 else "Text that documents share",
        lead=_lead(evidence),
        cards=[
            Card("Documents", f"{len(names):,}", "listed on this page"),
            Card("Pairs", f"{len(rows):,}", "that share text", "pairs"),
            Card("Passages", f"{counting:,}", "that count in the shares", "passages"),
            Card("Largest share", percent(max(shares, default=0)), "of a document", "largest"),
            Card("Could not be read", f"{unread:,}", "listed below" if unread else ""),
        ],
        names=names,
        rows=rows,
        columns=[
            PairColumn("Share of the first", "share"),
            PairColumn("Share of the second", "share"),
            PairColumn("Passages"),
        ],
        queries=queries if queries < len(names) else 0,
        linked=_LINKED,
        links_text=f"Lines join documents that share at least {_LINKED} % of one of them.",
        score_name="Similarity, %",
        sides=("Document", "Shares text with"),
        notes=[uncounted] if others else [],
        live=True,
        measures=_measures(rows, _longest(values)),
    )


def _measures(rows: Sequence[PairRow], longest: Mapping[str, float]) -> dict[str, list[int]]:
    """The measures of similarity that the script knows, in its order, with the scores of rows."""
    shares = [row.values[:2] for row in rows]
    measures: dict[str, Iterable[float]] = {
        "the larger share": map(max, shares),
        "the smaller share": map(min, shares),
        "the mean of both shares": map(mean, shares),
        "the share of the longest passage": (longest[row.target] for row in rows),
    }
    return {name: [*map(score_of_share, some)] for name, some in measures.items()}


def _longest(values: Mapping[str, Any]) -> dict[str, float]:
    """The largest share of a document that is in one passage, by the address of the pair."""
    longest: dict[str, float] = {}
    for number, _, _, reason, _, _, inner, _ in values["passages"]:
        for place, spans in zip(values["pairs"][number], inner, strict=False):
            document = values["documents"][place]
            at, before = document["at"], document["before"]
            words = sum(
                before[bisect_left(at, end)] - before[bisect_left(at, start)]
                for start, end in spans
            )
            share = words / (before[-1] or 1) if not reason else 0
            address = f"#p{number + 1}"
            longest[address] = max(share, longest.get(address, 0))
    return longest


def _lead(evidence: Evidence) -> str:
    """How many pairs share passages, and how many only such that do not count."""
    sharing = [pair for pair in evidence.shared if pair.passages]
    pairs = sum(any(not item.excluded for item in pair.passages) for pair in sharing)
    noun = "1 pair of documents shares" if pairs == 1 else f"{pairs:,} pairs of documents share"
    others = len(sharing) - pairs
    more = "1 more pair shares" if others == 1 else f"{others:,} more pairs share"
    only = f" {more} only text that is not counted." if others else ""
    return f"{noun} passages.{only}"


def _listed(evidence: Evidence, texts: Sequence[FrequentText]) -> list[dict[str, Any]]:
    """The texts that stand in many documents, with the number of the first passage of each."""
    before = [0, *accumulate(len(pair.passages) for pair in evidence.shared)]
    listed = []
    for text in texts:
        span, whole = text.span, evidence.documents[text.document].text
        excerpt = " ".join(whole[span.start : min(span.end, span.start + _EXCERPT)].split())
        more = " …" * (bool(whole) and span.end - span.start > _EXCERPT)
        number = before[text.passages[0][0]] + text.passages[0][1] + 1
        listed.append({"passage": number, "documents": text.documents, "excerpt": excerpt + more})
    return listed


def _values(
    evidence: Evidence, frequent: Sequence[FrequentText], problems: Sequence[Problem]
) -> dict[str, Any]:
    """What the script works with: documents, pairs and passages, as lists of numbers.

    Offsets are those of the texts in the script: in units of UTF-16.
    """
    texts = _texts(evidence)
    units = [_units(text) for text in texts]
    boundaries = dict(boundaries_of(evidence, range(len(evidence.documents))))
    coverage = {item.document: item for item in evidence.coverage}
    copies = {place: text.documents for text in frequent for place in text.passages}
    folder = common_folder([document.name for document in evidence.documents])
    names = [printable(document.name.removeprefix(folder)) for document in evidence.documents]
    titles = ChapterTitles(evidence)
    quotations = [_Quotations.of(text or "") for text in texts]
    documents = []
    for place, (document, label) in enumerate(
        zip(evidence.documents, distinct_names(names), strict=True)
    ):
        entry = _document(document, boundaries[place], coverage.get(place), units[place])
        hidden = [
            problem
            for problem in problems
            if problem.category == "hidden-text"
            and problem.message == f"{shown(document.name)}: {problem.what}"
        ]
        displayed = _displayed(texts[place], hidden, units[place])
        documents.append({**entry, "name": names[place], "label": label, **displayed})
    asked = len(evidence.coverage)
    file = io.BytesIO()
    write_evidence(file, evidence)
    return {
        "documents": documents,
        "asked": asked if 2 < len(documents) > asked else 0,
        "pairs": [
            [pair.left, pair.right, pair.left_share, pair.right_share] for pair in evidence.shared
        ],
        "passages": [
            [
                number,
                *_passage(
                    passage,
                    _chapters_of(passage, pair, titles),
                    copies.get((number, place), 0),
                    (units[pair.left], units[pair.right]),
                ),
                passage.excluded or _QUOTE * _is_quoted(passage, pair, quotations),
            ]
            for number, pair in enumerate(evidence.shared)
            for place, passage in enumerate(pair.passages)
        ],
        "reasons": _all_reasons(evidence),
        "choices": list(REASONS),
        "xml": b64encode(compress(file.getvalue(), mtime=0)).decode("ascii"),  # saved by the script
    }


def _texts(evidence: Evidence) -> list[str | None]:
    """The texts of the documents that share passages, as many as a page has room for."""
    left, sharing = MOST_TEXT, _sharing(evidence)
    texts = []
    for place, document in enumerate(evidence.documents):
        has_room = place in sharing and 0 < len(document.text) <= left
        left -= len(document.text) if has_room else 0
        texts.append(document.text if has_room else None)
    return texts


def _units(text: str | None) -> Callable[[int], int]:
    """What turns offsets in a text into those in units of UTF-16, as scripts have them.

    >>> [_units("a\U0001d518b")(offset) for offset in range(4)]
    [0, 1, 3, 4]
    """
    places = [place.start() for place in _ASTRAL.finditer(text or "")]
    return (lambda offset: offset + bisect_left(places, offset)) if places else int


def _displayed(
    text: str | None, hidden: Sequence[Problem], units: Callable[[int], int]
) -> dict[str, Any]:
    """The text of a document, if the page has it, its disguises, and notes about what is hidden.

    Hidden text is among the disguises, without a name.
    """
    notes = [f"holds text that it does not show: {printable(problem.what)}." for problem in hidden]
    if text is None:
        return {"text": None, "notes": notes}
    displayed = DisplayedText.of(text)
    unseen = hidden_spans(text, [piece for problem in hidden for piece in problem.texts])
    return {
        "text": displayed.text,
        "blocks": [units(place) for place in displayed.blocks],
        "disguises": [
            (units(start), units(stop), f"Disguised by {step}" if step else "Hidden")
            for start, stop, step in _with_hidden(displayed.disguises, unseen)
        ],
        "notes": [*displayed.notes, *notes],
    }


def _with_hidden(
    disguises: Sequence[tuple[int, int, str]], hidden: Sequence[Span]
) -> list[tuple[int, int, str]]:
    """Disguises and spans of hidden text, in order; a disguise cuts hidden text around it."""
    parts = list(disguises)
    for span in hidden:
        start = span.start
        for first, last, _ in disguises:
            if start < last and first < span.end:
                parts.append((start, max(start, first), ""))
                start = last
        parts.append((start, max(start, span.end), ""))
    return sorted(part for part in parts if part[0] < part[1])


def _document(
    document: Examined,
    boundaries: Sequence[int],
    coverage: Coverage | None,
    units: Callable[[int], int],
) -> dict[str, Any]:
    """A document: its share, its parts, and its words before each boundary."""
    parts = coverage.parts if coverage else ()
    counts = _word_counts(document, boundaries)
    return {
        **counts,
        "at": [units(place) for place in counts["at"]],
        "words": document.words,
        "share": coverage.share if coverage else None,
        "boilerplate": coverage.boilerplate if coverage else 0,
        "facts": ", ".join(
            printable(f"{key}: {value}")
            for key, value in document.metadata.items()
            if value is not None
        ),
        "parts": [
            {
                "start": units(part.span.start),
                "end": units(part.span.end),
                "words": part.words,
                "share": part.share,
            }
            for part in parts
        ],
    }


def _word_counts(document: Examined, boundaries: Sequence[int]) -> dict[str, Any]:
    """How many words, and how many of these are excluded, begin before each boundary.

    Where the evidence has no counts that are exact they are those of the text; without a text,
    characters.
    """
    counts = document.word_counts
    is_exact = counts is not None and {*counts.offsets}.issuperset(
        place
        for place in boundaries
        if place < counts.offsets[-1]  # where all words are before
    )
    if counts is None or not is_exact:
        counts = WordCounts(tuple(boundaries), tuple(_words_before(document, boundaries)))
    unit = "word" if is_exact or document.text else "character"
    values = {"unit": unit, "exact": is_exact, "at": counts.offsets, "before": counts.words}
    if not document.excluded:
        return values
    is_out = words_in(np.array(counts.offsets[:-1], np.int64), document.excluded)
    excluded = np.cumsum(np.diff(counts.words) * is_out)
    return {**values, "excluded": [0, *excluded.tolist()]}


def _words_before(document: Examined, boundaries: Sequence[int]) -> Sequence[int]:
    starts: Sequence[int] = document.word_starts
    if not len(starts) and document.text:
        starts = [word.start() for word in _WORD.finditer(document.text)]
    return words_before(starts, boundaries) if starts else boundaries


def _chapters_of(passage: Passage, pair: Shared, titles: ChapterTitles) -> str:
    """The chapters of both sides of a passage, behind a semicolon; "" where there are none."""
    sides = (pair.left, passage.left), (pair.right, passage.right)
    chapters = [
        printable(title) for place, span in sides if (title := titles.at(place, span.start))
    ]
    return f"; {' – '.join(chapters)}" if chapters else ""


def _passage(
    passage: Passage,
    chapters: str,
    copies: int,
    units: tuple[Callable[[int], int], Callable[[int], int]],
) -> list[Any]:
    """Spans, scores and chapters, reason, edits, number of documents, and what corresponds.

    Offsets are in units of UTF-16; spans, edits and what corresponds are those of both sides.
    """

    def placed(
        left_spans: Iterable[Span], right_spans: Iterable[Span]
    ) -> list[list[tuple[int, int]]]:
        sides = zip(units, (left_spans, right_spans), strict=True)
        return [[(unit(span.start), unit(span.end)) for span in spans] for unit, spans in sides]

    verbatim = "" if passage.verbatim is None else f", verbatim {passage.verbatim}"
    (left_span,), (right_span,) = placed([passage.left], [passage.right])
    return [
        (left_span, right_span),
        f"score {passage.score}{verbatim}{chapters}",
        passage.excluded,
        placed(*([getattr(edit, side) for edit in passage.edits] for side in ("left", "right"))),
        copies,
        placed(*passage.corresponding),
    ]
