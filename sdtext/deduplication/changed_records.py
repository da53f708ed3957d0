"""Records with some of them changed, written in the format of the input or another."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from typing import BinaryIO

from sdtext.deduplication.outputs import (
    converts,
    joined_files,
    note_other_encodings,
    write_as_inputs,
)
from sdtext.deduplication.source_documents import Sources
from sdtext.formats.strict_json import json_text
from sdtext.model.record_formats import JSON_LINES, RecordFormat
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.json_records import Row

Change = Callable[[int, int, int, Row], Row]
"""What becomes of a row: from the number of its file, its place there, its position, and the row.

The position is that among those that are written, from 1; of JSON lines that stay JSON lines, the
number of its line.
"""
NewLine = Callable[[int, bytes], bytes]

_DECODER = json.JSONDecoder()
_WHITE = " \t\n\r"


def write_changed(
    sources: Sources,
    places: Mapping[int, Container[int]],
    change: Change,
    chosen: RecordFormat,
    file: BinaryIO,
    run: Run,
) -> None:
    """Write all records to `file`, those at `places` in their files with a `change`.

    JSON lines that are written as such stay byte for byte where nothing is changed. Raises
    UnreadableError where an input cannot be read again.
    """

    def rows() -> Iterator[Row]:
        for position, (number, place, row) in enumerate(sources.all_rows(run), 1):
            is_chosen = place in places.get(number, ())
            yield change(number, place, position, row) if is_chosen else row

    note_other_encodings(sources, chosen, run)
    if chosen == JSON_LINES and not converts(sources, chosen):
        file.writelines(_changed_lines(sources, places, change, run))
    else:
        write_as_inputs(rows, sources, chosen, file, run)


def _changed_lines(
    sources: Sources, places: Mapping[int, Container[int]], change: Change, run: Run
) -> Iterator[bytes]:
    before, ended = 0, True

    def pieces(number: int) -> Iterator[bytes]:
        own, first = places.get(number, ()), before + (not ended)

        def changed(place: int, line: bytes) -> bytes:
            row = json.loads(line.decode("utf-8-sig"))
            return line_with(line, row, change(number, place, first + place, row))

        return lines_with(sources.file(number, run).content.blocks(), own, changed)

    for piece in joined_files(pieces, len(sources.paths)):
        yield piece
        before += piece.count(b"\n")
        ended = piece.endswith(b"\n") if piece else ended


def lines_with(
    blocks: Iterable[bytes], chosen: Container[int], replace: NewLine
) -> Iterator[bytes]:
    r"""The bytes with what `replace` makes of the `chosen` lines, by their numbers from 1.

    Memory does not grow with the length of other lines.

    >>> blocks = [b"one\ntw", b"o\nthree"]
    >>> b"".join(lines_with(blocks, [2], lambda _, line: line.upper()))
    b'one\nTWO\nthree'
    """
    number, is_chosen = 1, 1 in chosen
    begun: list[bytes] = []
    for block in blocks:
        pieces = list[bytes]()
        *ended, rest = block.split(b"\n")
        for piece in ended:
            if is_chosen:
                pieces.append(replace(number, b"".join([*begun, piece])))
                begun.clear()
            else:
                pieces.append(piece)
            pieces.append(b"\n")
            number += 1
            is_chosen = number in chosen
        (begun if is_chosen else pieces).append(rest)
        yield b"".join(pieces)
    if any(begun):
        yield replace(number, b"".join(begun))


def line_with(line: bytes, row: Row, new: Row) -> bytes:
    r"""The line of a row with other texts in some fields, or further fields; all other bytes stay.

    Of a field that is there twice, the last one is replaced.

    >>> row = {"n": 1.5, "text": "a b", "m": {"text": 2}}
    >>> line = b'{"n": 1.50, "text": "a b",  "m": {"text": 2}}\r'
    >>> line_with(line, row, {**row, "text": "b"})
    b'{"n": 1.50, "text": "b",  "m": {"text": 2}}\r'
    """
    before = line.decode("utf-8")
    place, stop, spans = before.index("{"), 0, {}
    while before[place] != "}":
        key, place = _DECODER.raw_decode(before, _visible(before, place + 1))
        begin = _visible(before, _visible(before, place) + 1)
        _, stop = _DECODER.raw_decode(before, begin)
        spans[key] = begin, stop
        place = _visible(before, stop)
    dumped = partial(json_text, ensure_ascii=before.isascii())
    edits = [(*spans[key], dumped(new[key])) for key in row if new[key] != row[key]]
    more = (f", {dumped(key)}: {dumped(new[key])}" for key in new if key not in row)
    for begin, end, value in sorted([*edits, (stop, stop, "".join(more))], reverse=True):
        before = before[:begin] + value + before[end:]
    return before.encode("utf-8", "backslashreplace")  # half a surrogate pair is escaped


def _visible(line: str, place: int) -> int:
    """The first place from `place` on that is not white space."""
    while line[place] in _WHITE:
        place += 1
    return place
