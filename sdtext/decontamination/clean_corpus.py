"""The corpus without the items of a benchmark: records removed, or spans of them cut or marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from sdtext.decontamination.benchmark_items import CUT, REMOVE
from sdtext.decontamination.find_contamination import Spans
from sdtext.decontamination.find_items import ItemMatch
from sdtext.deduplication.changed_records import write_changed
from sdtext.deduplication.outputs import kept_format, packed, write_kept
from sdtext.deduplication.source_documents import Sources
from sdtext.errors import OptionError
from sdtext.model.record_formats import JSON_LINES
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.json_records import Row

if TYPE_CHECKING:
    import pyarrow as pa

MARKS = "benchmark_items"
"""The field that marks the items in a record."""


def check_output(sources: Sources, path: str | Path, action: str) -> None:
    """OptionError or OutputError where what is kept cannot be written to `path`."""
    if kept_format(sources, path) is None and action != REMOVE:
        raise OptionError(
            f"spans are {'cut from' if action == CUT else 'marked in'} records, and the corpus is "
            "of documents; use the action remove, which lists those that hold no item"
        )


def write_clean(
    sources: Sources, spans: Spans, action: str, path: str | Path, file: BinaryIO, run: Run
) -> None:
    """Write the corpus to `file`, which will be at `path`, in the format that its name says.

    - remove: what holds no item.
    - cut, mark: all records; in JSON lines, those without items stay byte for byte.

    Raises OptionError, OutputError, and UnreadableError where an input cannot be read again.
    """
    if action == REMOVE:
        places = {number: frozenset(spans) for number, spans in spans.items()}
        write_kept(sources, places, path, file, run)
        return
    chosen = kept_format(sources, path) or JSON_LINES

    def changed(number: int, place: int, _position: int, row: Row) -> Row:
        return changed_row(row, sources.fields.text, spans[number][place], action)

    with packed(file, path) as target:
        write_changed(sources, spans, changed, chosen, target, run)


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
        rows = enumerate(frame.rows([field]))
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
