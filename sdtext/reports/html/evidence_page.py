"""The evidence page: shared passages side by side, and each text with all of its sources."""

import io
import re
from base64 import b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice
from pathlib import Path
from typing import Any
from zlib import DEFLATED, Z_FIXED, compressobj

import numpy as np

from sdtext.formats.evidence_xml import write_evidence
from sdtext.model import Coverage, Evidence, Examined, Shared, Span, WordCounts
from sdtext.parts.units.quotes import quotes_in
from sdtext.reports.html.displayed_text import displayed_text, units_of
from sdtext.reports.html.overview_page import Card, Listed, Overview, PairColumn, page_of
from sdtext.reports.html.report_page import PageProvenance, ReportPage, digests_of_examined
from sdtext.reports.readable_values import common_folder, distinct_names, percent
from sdtext.reports.reuse_report import (
    by_weight,
    chapter_names,
    reasons_in,
    title_at,
    titled_chapters,
)
from sdtext.reuse.coverage import boundaries_of, words_in
from sdtext.reuse.mark_boilerplate_passages import BOILERPLATE, FrequentText, frequent_texts
from sdtext.text.document import Document
from sdtext.text.line_joins import letter_of_unspaced
from sdtext.wording import counted, printable

MOST_TEXT = 1 << 25
"""Characters of all texts in a page; those of further documents are left out."""

REASONS = {
    "template": "template or form",
    "cited": "cited",
    "common-wording": "common wording",
    "own-work": "own earlier work",
}
"""Why a reader leaves passages out of the shares: the word in evidence files, and in words."""

_QUOTE, _CITED = "quote", "quote-cited"
_GROUPS = {
    _CITED: "quoted, with a citation nearby",
    _QUOTE: "quoted, without a citation",
    "": "neither quoted nor left out",
}
_GIVEN = {
    **_GROUPS,
    "references": "list of references",
    "boilerplate": "stands in many documents",
}
_SAMPLE = 5000  # characters that tell whether words stand apart
_LINKED = 15  # per cent of a document: the share from which on documents are drawn as a cluster
_WORD = re.compile(r"\w+")
_COMPARED = re.compile(r"compared with (\d+)")
_SIDES = ("left", "right")
_NEARBY = 150  # characters around a quotation in which a citation belongs to it
# (Author, 2019), [12], and marks of notes; also in Chinese brackets.
_CITATION = re.compile(
    r"[(\uff08][^()\uff08\uff09]{0,80}\b(?:1[5-9]|20)\d\d[a-z]?\b[^()\uff08\uff09]{0,40}[)\uff09]"
    r"|[\[\uff3b]\d{1,3}(?:[,;\u2013-]\s?\d{1,3}){0,9}[\]\uff3d]|[\u00b9\u00b2\u00b3\u2070-\u2079]"
)
_EXCERPT = 200  # characters of a text that stands in many documents

Units = Callable[[int], int]


def evidence_page(evidence: Evidence, found_at: str = "") -> ReportPage:
    """The page of the evidence; documents without texts have places only.

    `found_at` is when it was found, if that was before the page is made.
    """
    evidence = in_order(evidence)
    words, short = {**_GIVEN, **REASONS}, sum(document.short for document in evidence.documents)
    excluded = [
        f"{counted(number, 'passage')}: {words.get(reason, reason)}"
        for reason, number in reasons_in(evidence).most_common()
    ]
    excluded += [f"{counted(short, 'sentence')}: too short to be compared"] * (short > 0)
    made = PageProvenance(
        parameters=[
            *([("Evidence found", found_at)] if found_at else []),
            ("Search", evidence.how),
            *((name.capitalize(), value) for name, value in evidence.parameters.items()),
        ],
        inputs=[*digests_of_examined(evidence.documents, "compared")],
        excluded=excluded,
    )
    return with_passages(page_of(_overview(evidence), made, evidence.problems), evidence)


def in_order(evidence: Evidence) -> Evidence:
    """The evidence with the pairs first that share most, and of each the passages that count.

    Of two documents that share nothing both texts are shown.
    """
    pairs = list[Shared]()
    for pair in by_weight(evidence).shared:
        order = sorted(pair.passages, key=lambda item: (bool(item.excluded), item.left.start))
        pairs.append(replace(pair, passages=tuple(order)))
    if not pairs and len(evidence.documents) == 2:
        pairs = [Shared(0, 1, (), 0.0, 0.0)]
    return replace(evidence, shared=tuple(pairs))


def with_passages(page: ReportPage, evidence: Evidence) -> ReportPage:
    """The page with a reader of the passages in evidence that is `in_order`."""
    sharing = [pair for pair in evidence.shared if pair.passages]
    shown = {side for pair in sharing or evidence.shared[:1] for side in (pair.left, pair.right)}
    frequent = frequent_texts(evidence)
    values = _values(evidence, shown, frequent)
    documents = [values["documents"][place] for place in shown]
    reader = {
        "is_empty": not sharing,
        "how": evidence.how,
        "textless": sum(document["text"] is None for document in documents),
        "reasons": REASONS,
        "inexact": bool(sharing) and not all(document["exact"] for document in documents),
        "frequent": list(_listed(evidence, frequent)),
    }
    is_alone = page.data["alone"] or (page.data["overview"].live and len(sharing) < 2)
    return replace(
        page,
        data={**page.data, "alone": is_alone, "reader": reader},
        styles=[*page.styles, "evidence.css"],
        scripts=[*page.scripts, "evidence.js"],
        embedded={**page.embedded, "evidence": values},
    )


def _names(evidence: Evidence) -> list[str]:
    """The names of the documents without the folder that all are in.

    A stored one with the name of one that it was compared with has that of its collection, too.
    """
    names = [document.name for document in evidence.documents]
    folder, number = common_folder(names), len(evidence.coverage)
    place = evidence.parameters.get("collections", "").rpartition(", ")[2].partition(" (")[0]
    asked = set(names[:number]) if place else set()
    names[number:] = [f"{Path(place).name}/" * (name in asked) + name for name in names[number:]]
    return [printable(name.removeprefix(folder)) for name in names]


def _overview(evidence: Evidence) -> Overview:
    """The pairs of documents by the larger of their shares, in per cent."""
    names, queries = _names(evidence), len(evidence.coverage)
    documents = [Listed(name, id=place) for place, name in enumerate(names)]
    listed = [
        (pair, f"#p{number}", passages)
        for number, pair in enumerate(evidence.shared, 1)
        if (passages := sum(not passage.excluded for passage in pair.passages))
    ]
    reasons = [{passage.excluded for passage in pair.passages} for pair in evidence.shared]
    only_uncounted = [some for some in reasons if some and "" not in some]
    further = sum(some != {BOILERPLATE} for some in only_uncounted)
    lead = f"Passages are shared by {counted(len(listed), 'pair')} of documents"
    if not any(reasons):
        lead = f"No shared passage was found in {counted(len(names), 'document')}"
    if only_uncounted:
        more = counted(len(only_uncounted), "more pair")
        lead += f", and only text that is not counted by {more}"
    uncounted = (
        f"Only text that does not count is shared by {counted(further, 'more pair')}. Choose one "
        "document with its sources: it lists them."
    )
    largest = percent(max((coverage.share for coverage in evidence.coverage), default=0))
    return Overview(
        title=" and ".join(names) if len(names) == 2 else "Text that documents share",
        lead=f"{lead}.",
        how=evidence.how,
        cards=[
            Card("Pairs", len(listed), "that share text", "pairs"),
            Card("Passages", sum(n for *_, n in listed), "that count in the shares", "passages"),
            Card("Largest total share", largest, "of a document", "largest"),
        ],
        pairs=[(documents[pair.left], documents[pair.right], pair.score) for pair, *_ in listed],
        columns=[
            PairColumn("Share of the first", "share", [pair.left_share for pair, *_ in listed]),
            PairColumn("Share of the second", "share", [pair.right_share for pair, *_ in listed]),
            PairColumn("Passages", "count", [passages for *_, passages in listed]),
        ],
        targets=[target for _, target, _ in listed],
        first=documents,
        queries=queries if queries < len(names) else 0,
        linked=_LINKED,
        sides=("Document", "Shares text with"),
        notes=[(uncounted, ())] if further else [],
        live=True,
    )


def _listed(evidence: Evidence, texts: Sequence[FrequentText]) -> Iterator[dict[str, Any]]:
    """The texts that stand in many documents, with the number of the first passage of each."""
    before = [0, *accumulate(len(pair.passages) for pair in evidence.shared)]
    for text in texts:
        span, whole = text.span, evidence.documents[text.document].text
        excerpt = " ".join(whole[span.start : min(span.end, span.start + _EXCERPT)].split())
        more = " …" * (bool(whole) and span.end - span.start > _EXCERPT)
        pair, place = text.passages[0]
        number = before[pair] + place + 1
        yield {"passage": number, "documents": text.documents, "excerpt": excerpt + more}


def _values(
    evidence: Evidence, shown: set[int], frequent: Sequence[FrequentText]
) -> dict[str, Any]:
    """What the script works with: documents, pairs and passages; offsets in units of UTF-16.

    Of the documents that are `shown`, as many have their texts as a page has room for.
    """
    left, texts = MOST_TEXT, list[str | None]()
    for place, document in enumerate(evidence.documents):
        has_room = place in shown and 0 < len(document.text) <= left
        left -= len(document.text) if has_room else 0
        texts.append(document.text if has_room else None)
    units = [units_of(text) for text in texts]
    coverage = {item.document: item for item in evidence.coverage}
    names, documents = _names(evidence), []
    concealed = [item for item in evidence.problems if item.category == "hidden-text"]
    boundaries = boundaries_of(evidence, range(len(names)))
    for (place, places), name, label in zip(boundaries, names, distinct_names(names), strict=True):
        document = evidence.documents[place]
        hidden = [item for item in concealed if item.path == document.name]
        values = _document(document, places, coverage.get(place), units[place])
        values |= {"name": name, "label": label}
        documents.append({**values, **displayed_text(texts[place], hidden)})
    compared = _COMPARED.search(evidence.how)  # of a collection, documents that share nothing, too
    given = sorted({*_GROUPS, *reasons_in(evidence)} - REASONS.keys())
    reasons = REASONS | {reason: _GIVEN.get(reason, printable(reason)) for reason in given}
    file = io.BytesIO()
    write_evidence(file, evidence)
    return {
        "documents": documents,
        "asked": len(coverage) if 2 < len(documents) > len(coverage) else 0,
        "others": int(compared[1]) if compared else len(documents) - 1,
        "pairs": [
            [pair.left, pair.right, pair.left_share, pair.right_share, pair.review]
            for pair in evidence.shared
        ],
        "passages": list(_passages(evidence, texts, units, frequent)),
        "reasons": reasons,
        "choices": list(REASONS),
        "xml": deflated(file.getvalue().decode("utf-8")),  # saved by the script
    }


def deflated(xml: str) -> str:
    """XML in raw deflate with fixed codes, which it stays in as long as it is ASCII; in base64."""
    deflate = compressobj(9, DEFLATED, -15, 9, Z_FIXED)
    packed = deflate.compress(xml.encode("ascii", "xmlcharrefreplace")) + deflate.flush()
    return b64encode(packed).decode("ascii")


def _document(
    document: Examined, boundaries: Sequence[int], coverage: Coverage | None, units: Units
) -> dict[str, Any]:
    """A document: its share, its parts, its words and the excluded ones before each boundary.

    Where the evidence has no exact counts they are those of the text; without a text, characters.
    """
    counts = document.word_counts
    is_exact = counts is not None and {*counts.offsets}.issuperset(
        boundaries[: bisect_left(boundaries, counts.offsets[-1])]  # before the end of the words
    )
    if counts is None or not is_exact:
        starts: Sequence[int] = document.word_starts
        if not len(starts) and document.text:
            starts = [word.start() for word in _WORD.finditer(document.text)]
        before = np.searchsorted(starts, boundaries).tolist() if starts else boundaries
        counts = WordCounts(tuple(boundaries), tuple(before))
    sample = document.text[:_SAMPLE]
    is_spaced = 2 * len(letter_of_unspaced().findall(sample)) <= sum(map(str.isalpha, sample))
    has_words = (is_exact or bool(document.text)) and is_spaced
    values: dict[str, Any] = {
        "unit": "word" if has_words else "character",
        "length": document.words if has_words else len(document.text) or document.length,
        "exact": is_exact,
        "at": [units(place) for place in counts.offsets],
        "before": counts.words,
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
                "title": printable(title) if coverage.parts[1:] or part.span.title else "",
                "start": units(part.span.start),
                "end": units(part.span.end),
                "words": part.words,
                "share": part.share,
            }
            for title, part in zip(chapter_names(coverage), coverage.parts, strict=True)
        ]
        if coverage
        else [],
    }
    if document.excluded:
        is_out = words_in(np.array(counts.offsets[:-1], np.int64), document.excluded)
        values["excluded"] = [0, *np.cumsum(np.diff(counts.words) * is_out).tolist()]
    return values


def _passages(
    evidence: Evidence,
    texts: Sequence[str | None],
    units: Sequence[Units],
    frequent: Sequence[FrequentText],
) -> Iterator[list[Any]]:
    """For each passage the number of its pair, its spans, its score and its chapters in words.

    Then its reason, edits, number of documents, what corresponds on both sides, its group, and the
    note of a review.
    """
    copies = {place: text.documents for text in frequent for place in text.passages}
    titles = titled_chapters(evidence)
    quotations = [quotes_in(Document(text, text)) if text else () for text in texts]
    for number, pair in enumerate(evidence.shared):
        sides = pair.left, pair.right
        for place, passage in enumerate(pair.passages):
            spans = [*zip(sides, (passage.left, passage.right), strict=True)]
            verbatim = "" if passage.verbatim is None else f", verbatim {passage.verbatim}"
            chapters = filter(None, (title_at(titles, side, span.start) for side, span in spans))
            beside = printable(" – ".join(chapters))
            groups = {_group(span, texts[side], quotations[side]) for side, span in spans}
            yield [
                number,
                [_place(span, units[side]) for side, span in spans],
                f"score {passage.score}{verbatim}{', weak' * passage.is_weak}"
                + (f"; {beside}" if beside else ""),
                passage.excluded,
                [
                    [(*_place(getattr(e, s), units[n]), e.kind == "moved") for e in passage.edits]
                    for n, s in zip(sides, _SIDES, strict=True)
                ],
                copies.get((number, place), 0),
                [
                    [_place(span, units[n]) for span in own]
                    for n, own in zip(sides, passage.corresponding, strict=True)
                ],
                passage.excluded or max(groups),  # cited, quoted, neither
                passage.review,
            ]


def _place(span: Span, units: Units) -> tuple[int, int]:
    return units(span.start), units(span.end)


def _group(span: Span, text: str | None, quotations: Sequence[Span]) -> str:
    """Whether more than half of a span is in quotations, with a citation in it or near it."""
    first = bisect_right(quotations, span.start, key=lambda quotation: quotation.end)
    common = 0
    for quotation in islice(quotations, first, None):
        if quotation.start >= span.end:
            break
        common += min(span.end, quotation.end) - max(span.start, quotation.start)
    if 2 * common <= span.end - span.start:
        return ""
    near = max(0, span.start - _NEARBY), span.end + _NEARBY
    return _CITED if _CITATION.search(text or "", *near) else _QUOTE
