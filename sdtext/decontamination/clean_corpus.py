"""The corpus without the items of a benchmark: records removed, or spans of them cut or marked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from sdtext.decontamination.benchmark_items import CUT, REMOVE
from sdtext.decontamination.find_contamination import Spans
from sdtext.decontamination.find_items import ItemMatch
from sdtext.deduplication.outputs import (
    converts,
    kept_format,
    note_other_encodings,
    packed,
    write_kept,
)
from sdtext.deduplication.source_documents import Sources
from sdtext.errors import OptionError
from sdtext.model.record_formats import JSON_LINES
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.json_records import Row, numbered
from sdtext.reading.records.record_files import write_records

if TYPE_CHECKING:
    import pyarrow as pa

MARKS = "benchmark_items"
"""The field that marks the items in a record."""

_BOM = b"\xef\xbb\xbf"


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
    note_other_encodings(sources, chosen, run)
    with packed(file, path) as target:
        if chosen != JSON_LINES or converts(sources, chosen):
            write_records(lambda: _changed_rows(sources, spans, action, run), chosen, target)
            return
        for number in range(len(sources.paths)):
            target.writelines(_changed_lines(sources, number, spans.get(number, {}), action, run))


def _changed_rows(sources: Sources, spans: Spans, action: str, run: Run) -> Iterator[Row]:
    """The rows of all files, those with items changed."""
    field = sources.fields.text
    for number in range(len(sources.paths)):
        own = spans.get(number, {})
        for place, row in sources.rows(number, run):
            yield changed_row(row, field, own[place], action) if place in own else row


def _changed_lines(
    sources: Sources,
    number: int,
    spans: Mapping[int, Sequence[ItemMatch]],
    action: str,
    run: Run,
) -> Iterator[bytes]:
    """The lines of a file, those of records with items changed; the last of all ends as it did."""
    line = last_byte = b""

    def blocks() -> Iterator[bytes]:
        nonlocal last_byte
        for block in sources.file(number, run).content.blocks():
            last_byte = block[-1:] or last_byte
            yield block

    for place, whole in numbered(blocks(), sys.maxsize):
        yield line + b"\n" * (place > 1)
        line = (whole or b"").removeprefix(_BOM if place == 1 and number else b"")
        if place in spans:
            text = line.removeprefix(_BOM if place == 1 else b"")
            row = changed_row(json.loads(text), sources.fields.text, spans[place], action)
            end = b"\r" if line.endswith(b"\r") else b""
            line = json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + end
    is_last = number == len(sources.paths) - 1
    yield line + b"\n" * (last_byte == b"\n" or not is_last)


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
