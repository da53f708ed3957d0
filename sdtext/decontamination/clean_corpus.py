"""The corpus without the items of a benchmark: records removed, or spans of them cut or marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from sdtext.decontamination.benchmark_items import CUT, REMOVE
from sdtext.decontamination.find_contamination import Spans
from sdtext.decontamination.find_items import ItemMatch
from sdtext.deduplication.changed_records import write_changed
from sdtext.deduplication.outputs import kept_format, write_kept
from sdtext.deduplication.source_documents import Sources
from sdtext.errors import OptionError
from sdtext.model.record_formats import RecordFormat
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.json_records import Row
from sdtext.reading.records.record import check_cuts

if TYPE_CHECKING:
    import pyarrow as pa

MARKS = "benchmark_items"
"""The field that marks the items in a record."""


def clean_format(sources: Sources, path: str | Path, action: str) -> RecordFormat | None:
    """The format of the corpus in the file at `path`; None for paths of documents.

    Raises OptionError or OutputError where it cannot be written there.
    """
    chosen = kept_format(sources, path)
    if chosen is None and action != REMOVE:
        raise OptionError(
            f"spans are {'cut from' if action == CUT else 'marked in'} records, and the corpus is "
            "of documents; use the action remove, which lists those that hold no item"
        )
    return chosen


def write_clean(
    sources: Sources,
    spans: Spans,
    action: str,
    chosen: RecordFormat | None,
    file: BinaryIO,
    run: Run,
) -> None:
    """Write the corpus to `file` in the format of `clean_format`.

    - remove: what holds no item.
    - cut, mark: all records; in JSON lines, those without items stay byte for byte.

    Raises UnreadableError where an input cannot be read again.
    """

    def changed(number: int, place: int, _position: int, row: Row) -> Row:
        return changed_row(row, sources.fields.text, spans[number][place], action)

    if action == REMOVE or chosen is None:
        places = {number: frozenset(spans) for number, spans in spans.items()}
        write_kept(sources, places, chosen, file, run)
    else:
        write_changed(sources, spans, changed, chosen, file, run)


def changed_row(
    row: Mapping[str, Any], field: str, matches: Sequence[ItemMatch], action: str
) -> Row:
    """A record whose text is without the spans of items, or in which they are marked.

    >>> match = ItemMatch("page", "7", 99, 1.0, 8, 6, 11, "")
    >>> changed_row({"text": "Quiz: items. End"}, "text", [match], "cut")
    {'text': 'Quiz: . End'}
    >>> changed_row({"text": "Quiz: items. End"}, "text", [match], "mark")["benchmark_items"]
    [{'item': '7', 'score': 99, 'start': 6, 'end': 11}]
    """
    if action == CUT:
        check_cuts(row, field)
        return {**row, field: cut_text(row[field], matches)}
    return {**row, MARKS: _marks(matches)}


def _marks(matches: Sequence[ItemMatch]) -> list[dict[str, Any]]:
    """The items in a text, as the value of a field."""
    return [
        {"item": match.item, "score": match.score, "start": match.start, "end": match.end}
        for match in matches
    ]


def clean_frame(
    frame: Frame, field: str, spans: Mapping[int, Sequence[ItemMatch]], action: str
) -> pa.Table:
    """The table of a frame whose rows at the places of `spans` are removed, cut or marked."""
    if action == REMOVE:
        return frame.without(spans.keys())
    if action == CUT:
        rows = enumerate(frame.rows(field))
        cut = {place: cut_text(row[field], spans[place]) for place, row in rows if place in spans}
        return frame.with_texts(field, cut)
    return frame.with_marks(MARKS, {place: _marks(spans[place]) for place in spans})


def cut_text(text: str, matches: Sequence[ItemMatch]) -> str:
    """The text without the spans of matches, which may overlap."""
    kept, end = [], 0
    for match in sorted(matches, key=lambda match: match.start):
        kept.append(text[end : max(end, match.start)])
        end = max(end, match.end)
    return "".join([*kept, text[end:]])
