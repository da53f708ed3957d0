"""Reused text as rows, a passage each; as a record; in lines for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from sdtext.errors import counted, shown
from sdtext.model import Coverage, Evidence, Examined, Part, Passage, Shared
from sdtext.reuse.metadata_similarity import mean_score

SCHEMA = "sdtext/reuse/1"
COLUMNS = (
    "left",
    "right",
    "score",
    "similarity",
    "left_offset",
    "left_length",
    "right_offset",
    "right_length",
    "left_share",
    "right_share",
    "metadata",
    "excluded",
)
"""Of the rows."""

_TOLD = 20  # documents that have a line of their own; a program reads the other formats
_SOURCES = 5
_PARTS = 8


def rows_of(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """A row for each passage, by pairs of documents in the order of `evidence`.

    A pair that shares no passage has one row, which says how alike its metadata are.
    """
    names = [one.name for one in evidence.documents]
    for shared in evidence.shared:
        pair = {"left": names[shared.left], "right": names[shared.right]}
        shares = {"left_share": shared.left_share, "right_share": shared.right_share}
        beside = {**shares, "metadata": mean_score(shared.likeness)}
        for passage in shared.passages or (None,):
            where = dict.fromkeys(COLUMNS) if passage is None else _place(passage)
            row = {**where, **pair, **beside}
            yield {name: row[name] for name in COLUMNS}


def _place(passage: Passage) -> dict[str, Any]:
    """How alike the two sides of a passage are, and where they stand."""
    return {
        "score": passage.similarity.score,
        "similarity": float(passage.similarity),
        "left_offset": passage.left.start,
        "left_length": passage.left.end - passage.left.start,
        "right_offset": passage.right.start,
        "right_length": passage.right.end - passage.right.start,
        "excluded": passage.excluded or None,
    }


def record_of(evidence: Evidence) -> dict[str, Any]:
    """What JSON says beside the rows and the problems: how it was looked for, and shares."""
    names = [one.name for one in evidence.documents]
    return {
        "how": evidence.how,
        "parameters": dict(evidence.parameters),
        "documents": [_document(one) for one in evidence.documents],
        "pairs": [_pair(one, names) for one in evidence.shared],
        "coverage": [_coverage(one, names) for one in evidence.coverage],
    }


def _document(examined: Examined) -> dict[str, Any]:
    return {
        "document": examined.name,
        "words": examined.words,
        "length": examined.length or None,
        "digest": examined.digest or None,
        "short": examined.short,
        "metadata": dict(examined.metadata),
    }


def _pair(shared: Shared, names: list[str]) -> dict[str, Any]:
    return {
        "left": names[shared.left],
        "right": names[shared.right],
        "passages": len(shared.passages),
        "left_share": shared.left_share,
        "right_share": shared.right_share,
        "likeness": dict(shared.likeness),
    }


def _coverage(coverage: Coverage, names: list[str]) -> dict[str, Any]:
    sources = _by_share(coverage)
    return {
        "document": names[coverage.document],
        "share": coverage.share,
        "sources": [{"document": names[place], "share": share} for place, share in sources],
        "parts": [_part(one) for one in coverage.parts],
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "title": part.span.title,
        "offset": part.span.start,
        "length": part.span.end - part.span.start,
        "words": part.words,
        "share": part.share,
    }


def _by_share(coverage: Coverage) -> list[tuple[int, float]]:
    """The sources of a document and their shares, high to low."""
    return sorted(coverage.sources.items(), key=lambda item: (-item[1], item[0]))


def summary_of(evidence: Evidence) -> list[str]:
    """What was found, in lines: one for each document of which shares are told, 20 at the most.

    Then how many passages are left out and why, and how many sentences were too short.
    """
    names = [shown(one.name) for one in evidence.documents]
    lines = [_told(one, names) for one in evidence.coverage[:_TOLD]]
    if (more := len(evidence.coverage) - _TOLD) > 0:
        lines.append(f"{counted(more, 'document')} more; --format json has all")
    return [*lines, *_left_out(evidence), *_too_short(evidence)]


def _told(coverage: Coverage, names: list[str]) -> str:
    """The line of one document."""
    name, sources = names[coverage.document], _by_share(coverage)
    if not coverage.share:
        return f"{name}: none of its words found elsewhere"
    told = _listed((f"{names[place]} {percent(share)}" for place, share in sources), _SOURCES)
    found = f"in {counted(len(sources), 'document')} ({told})" if sources else "elsewhere"
    parts = [one for one in coverage.parts if one.share and _is_chapter(one, coverage)]
    chapters = _listed((f"{_title(one)} {percent(one.share)}" for one in parts), _PARTS)
    behind = f"; chapters: {chapters}" if parts else ""
    return f"{name}: {percent(coverage.share)} of its words found {found}{behind}"


def _is_chapter(part: Part, coverage: Coverage) -> bool:
    """Whether it is more than the whole of a document without headings."""
    return bool(part.span.title) or len(coverage.parts) > 1


def _title(part: Part) -> str:
    return shown(part.span.title[:100]) or f"at {part.span.start}"


def _listed(told: Iterable[str], most: int) -> str:
    """The first of them, and how many more there are."""
    every = list(told)
    more = len(every) - most
    return ", ".join(every[:most]) + (f" and {more} more" if more > 0 else "")


def percent(share: float) -> str:
    """A share of 0 to 1 in whole per cent, rounded down.

    >>> percent(0.3499), percent(0.29), percent(0.004), percent(0.0)
    ('34 %', '29 %', 'under 1 %', '0 %')
    """
    whole = int(100 * share + 1e-9)  # 100 × .29 is a little less than 29
    return "under 1 %" if share and not whole else f"{whole} %"


def _left_out(evidence: Evidence) -> Iterator[str]:
    passages = (passage for shared in evidence.shared for passage in shared.passages)
    reasons = Counter(one.excluded for one in passages if one.excluded)
    if reasons:
        told = ", ".join(f"{shown(reason)} {count}" for reason, count in sorted(reasons.items()))
        yield f"{counted(reasons.total(), 'passage')} left out of the shares: {told}"


def _too_short(evidence: Evidence) -> Iterator[str]:
    if short := sum(one.short for one in evidence.documents):
        yield f"{counted(short, 'sentence')} too short to be compared"
