"""The evidence page: shared passages side by side, and each text with all of its sources."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sdtext.errors import counted, printable, shown
from sdtext.formats.evidence_xml import write_evidence
from sdtext.model import Coverage, Evidence, Examined, Passage, Problem
from sdtext.reports.html.displayed_text import DisplayedText
from sdtext.reports.html.overview_page import Card, Overview, PairColumn, PairRow, page_of
from sdtext.reports.html.report_page import PageProvenance, ReportPage
from sdtext.reports.reuse_report import by_weight, score_of_share
from sdtext.reports.terminal_table import common_folder, percent
from sdtext.reuse.coverage import words_in

MOST_TEXT = 1 << 25
"""Characters of all texts in a page; those of further documents are left out."""

REASONS = {
    "template": "template or form",
    "cited": "cited",
    "common-wording": "common wording",
    "own-work": "own earlier work",
}
"""Why a reader leaves passages out of the shares: the word in evidence files, and in words."""

_GIVEN = {
    "quote": "quotation",
    "references": "list of references",
    "boilerplate": "stands in many documents",
}
_LINKED = 15  # per cent of a document: the share from which on documents are drawn as a cluster
_WORD = re.compile(r"\w+")
# Elements of an evidence file as `write_evidence` writes them; < is escaped elsewhere.
_PAIR = re.compile(r"<pair [^>]*>\n(.*?)</pair>", re.DOTALL)
_COVERAGE = re.compile(r'<coverage document="([0-9]+)"[^>]*>\n(.*?)</coverage>\n', re.DOTALL)
_PART = re.compile(r"<part .*\n")


def evidence_page(
    evidence: Evidence, provenance: PageProvenance, problems: Sequence[Problem] = ()
) -> ReportPage:
    """The page of the evidence; documents without texts have places only."""
    ordered = _ordered(evidence)
    values = _values(ordered, problems)
    overview = _overview(ordered, [document["name"] for document in values["documents"]], problems)
    page = page_of(overview, provenance, problems)
    facts = {
        "alone": sum(bool(pair.passages) for pair in evidence.shared) < 2,
        "textless": sum(document["text"] is None for document in values["documents"]),
    }
    return replace(
        page,
        template="evidence.html",
        data={**page.data, **facts},
        styles=[*page.styles, "evidence.css"],
        scripts=[*page.scripts, "evidence.js"],
        embedded={**page.embedded, "evidence": values},
    )


def _ordered(evidence: Evidence) -> Evidence:
    """The pairs that share most first, and the passages of a pair as they stand on the left."""
    ordered = by_weight(evidence)
    pairs = (
        replace(pair, passages=tuple(sorted(pair.passages, key=lambda item: item.left.start)))
        for pair in ordered.shared
    )
    return replace(ordered, shared=tuple(pairs))


def _overview(evidence: Evidence, names: Sequence[str], problems: Sequence[Problem]) -> Overview:
    """The pairs of documents by the larger of their shares, in per cent."""
    counting = [
        passage for pair in evidence.shared for passage in pair.passages if not passage.excluded
    ]
    rows = [
        PairRow(
            pair.left,
            pair.right,
            score_of_share(max(pair.left_share, pair.right_share)),
            (pair.left_share, pair.right_share, number_of_counting),
            f"#p{number}",
        )
        for number, pair in enumerate(evidence.shared, 1)
        if (number_of_counting := sum(not passage.excluded for passage in pair.passages))
    ]
    others = sum(bool(pair.passages) for pair in evidence.shared) - len(rows)
    passages = sum(len(pair.passages) for pair in evidence.shared)
    shares = [coverage.share for coverage in evidence.coverage]
    unread = sum(problem.severity == "error" for problem in problems)
    queries = len(evidence.coverage)
    return Overview(
        title=" and ".join(names) if len(names) == 2 else "Text that documents share",
        lead=_lead(evidence),
        cards=[
            Card("Documents", f"{len(names):,}", "listed on this page"),
            Card("Pairs", f"{len(rows):,}", "that share text that counts"),
            Card("Passages", f"{len(counting):,}", _left_out(passages - len(counting))),
            Card("Largest share", percent(max(shares, default=0)), "of the words of a document"),
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
        links_text=f"Documents of which {_LINKED} per cent or more stand in each other.",
        score_name="Larger share, %",
        sides=("Document", "Shares text with"),
        notes=[_without_counting_text(others)] if others else [],
    )


def _without_counting_text(pairs: int) -> str:
    return (
        f"{counted(pairs, 'more pair')} share only text that does not count. Choose one document "
        "with its sources below: it lists them."
    )


def _lead(evidence: Evidence) -> str:
    """How many pairs share passages, and how many only such that do not count."""
    sharing = [pair for pair in evidence.shared if pair.passages]
    pairs = sum(any(not item.excluded for item in pair.passages) for pair in sharing)
    noun = "1 pair of documents shares" if pairs == 1 else f"{pairs:,} pairs of documents share"
    others = len(sharing) - pairs
    only = f"; {others:,} more only such as are left out of the shares" if others else ""
    return f"{noun} passages{only}."


def _left_out(number: int) -> str:
    return f"{number:,} more left out of the shares" if number else ""


def _values(evidence: Evidence, problems: Sequence[Problem]) -> dict[str, Any]:
    """What the script works with: documents, pairs and passages, as lists of numbers."""
    boundaries = _boundaries(evidence)
    coverage = {item.document: item for item in evidence.coverage}
    left = MOST_TEXT
    folder = common_folder([document.name for document in evidence.documents])
    documents = []
    for place, document in enumerate(evidence.documents):
        has_text = bool(document.text) and len(document.text) <= left
        left -= len(document.text) if has_text else 0
        text = document.text if has_text else None
        entry = _document(document, boundaries[place], coverage.get(place))
        name = printable(document.name.removeprefix(folder))
        hidden = _notes_of_hidden_text(document, problems)
        documents.append({**entry, "name": name, **_displayed(text, hidden)})
    return {
        "documents": documents,
        "pairs": [
            [pair.left, pair.right, pair.left_share, pair.right_share] for pair in evidence.shared
        ],
        "passages": [
            [number, *_passage(passage)]
            for number, pair in enumerate(evidence.shared)
            for passage in pair.passages
        ],
        "reasons": {**_GIVEN, **REASONS},
        "choices": list(REASONS),
        "xml": _frame(evidence),
    }


def _displayed(text: str | None, notes: Sequence[str]) -> dict[str, Any]:
    """The text of a document, if the page has it, its disguises, and notes about what is hidden."""
    if text is None:
        return {"text": None, "notes": notes}
    displayed = DisplayedText.of(text)
    return {
        "text": displayed.text,
        "blocks": displayed.blocks,
        "disguises": displayed.disguises,
        "notes": [*displayed.notes, *notes],
    }


def _notes_of_hidden_text(document: Examined, problems: Sequence[Problem]) -> list[str]:
    """What its reader reported about text that the document does not show.

    Readers report how much that is and its first words, not where all of it stands.
    """
    name = shown(document.name)
    return [
        f"holds text that it does not show: {printable(problem.what)}."
        for problem in problems
        if problem.category == "hidden-text" and problem.message == f"{name}: {problem.what}"
    ]


def _boundaries(evidence: Evidence) -> list[list[int]]:
    """The offsets of each document at which a passage, gap or chapter begins or ends, in order."""
    offsets: list[set[int]] = [{0} for _ in evidence.documents]
    for pair in evidence.shared:
        for passage in pair.passages:
            for place, spans in zip((pair.left, pair.right), passage.corresponding, strict=True):
                offsets[place] |= {offset for span in spans for offset in (span.start, span.end)}
    for item in evidence.coverage:
        for part in item.parts:
            offsets[item.document] |= {part.span.start, part.span.end}
    for document, known in zip(evidence.documents, offsets, strict=True):
        known.add(max(document.length, *known))
    return [sorted(known) for known in offsets]


def _document(
    document: Examined, boundaries: Sequence[int], coverage: Coverage | None
) -> dict[str, Any]:
    """A document: its share, its parts, and its words before each boundary."""
    parts = coverage.parts if coverage else ()
    return {
        "words": document.words,
        "share": coverage.share if coverage else None,
        "boilerplate": coverage.boilerplate if coverage else 0,
        "facts": ", ".join(printable(f"{key}: {value}") for key, value in _facts(document)),
        "parts": [
            [
                part.span.start,
                part.span.end,
                printable(part.span.title) or "(without a title)",
                part.words,
                part.share,
            ]
            for part in parts
            if len(parts) > 1 or part.span.title
        ],
        "at": boundaries,
        **_words_before(document, boundaries),
    }


def _facts(document: Examined) -> Iterator[tuple[str, Any]]:
    return ((key, value) for key, value in document.metadata.items() if value is not None)


def _words_before(document: Examined, boundaries: Sequence[int]) -> dict[str, list[int]]:
    """How many words, and how many of these are excluded, begin before each boundary.

    They are characters where the text is not known.
    """
    starts: Sequence[int] = document.word_starts
    if not len(starts) and document.text:
        starts = [word.start() for word in _WORD.finditer(document.text)]
    if not starts:
        return {"before": list(boundaries)}
    before = np.searchsorted(np.asarray(starts), boundaries)
    counts = {"before": before.tolist()}
    if document.excluded:
        excluded = words_in(np.asarray(starts), document.excluded)
        counts["excluded"] = np.append(0, np.cumsum(excluded))[before].tolist()
    return counts


def _passage(passage: Passage) -> list[Any]:
    """Spans, score, verbatim share, reason, numbers for the file, edits, and what corresponds."""
    similarity = passage.similarity
    edits = [
        (edit.left.start, edit.left.end, edit.right.start, edit.right.end) for edit in passage.edits
    ]
    return [
        passage.left.start,
        passage.left.end,
        passage.right.start,
        passage.right.end,
        similarity.score,
        passage.verbatim,
        passage.excluded,
        [similarity.top, similarity.bottom, int(similarity.root), passage.common, *passage.terms],
        [offset for edit in edits for offset in edit],
        [
            [(span.start, span.end, passage.excluded) for span in spans]
            for spans in passage.corresponding
        ],
    ]


def _frame(evidence: Evidence) -> dict[str, Any]:
    """The parts of the evidence file that stay when a reader leaves passages out.

    These are its beginning, what each pair has beside passages, the chapters of the documents, and
    its end. The script writes the rest.
    """
    pairs = tuple(replace(pair, passages=()) for pair in evidence.shared)
    file = io.BytesIO()
    write_evidence(file, replace(evidence, shared=pairs))
    text = file.getvalue().decode("utf-8")
    head, _, rest = text.partition("<pairs ")
    covered = _COVERAGE.findall(rest)
    return {
        "head": head,
        "pairs": _PAIR.findall(rest),
        "parts": {number: _PART.findall(content) for number, content in covered},
        "covered": [int(number) for number, _ in covered],
        "tail": _COVERAGE.sub("", rest.partition("</pairs>\n")[2]).lstrip("\n"),
    }
