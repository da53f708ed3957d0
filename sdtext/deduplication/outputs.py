"""The output files of a deduplication, and how the kept documents are written to one."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from sdtext.deduplication.source_documents import FILES, HELD, Sources
from sdtext.errors import OptionError, OutputError, UnreadableError
from sdtext.formats.strict_json import json_text
from sdtext.io.decompressed_content import packed
from sdtext.io.output import written
from sdtext.io.remote_files import remote_address
from sdtext.model import Problem
from sdtext.model.record_formats import (
    BY_SUFFIX,
    COMPRESSIONS,
    DELIMITED,
    FORMATS,
    JSON_ARRAY,
    JSON_LINES,
    PARQUET,
    RecordFormat,
    ending_of,
    format_of,
    names_other_format,
)
from sdtext.parts.record_tables import CLUSTER, HAS_CLUSTERS
from sdtext.reading.archive_members import content_at
from sdtext.reading.overwrite_guard import Output
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.delimited import encoding_of
from sdtext.reading.records.json_records import Row
from sdtext.reading.records.record_files import (
    RecordFile,
    Rows,
    as_array,
    write_records,
    write_rows_without,
)

Places = Mapping[int, frozenset[int]]
Marks = Mapping[int, Mapping[int, int]]

_STDOUT = "-"
_BOM = b"\xef\xbb\xbf"
_WRITTEN_AS_IS = ("utf-8", "utf-8-sig", "ascii")
"""Encodings of tables that UTF-8 leaves unchanged."""


def temporary_place(kept: str) -> str | None:
    """The folder for temporary files: beside `kept`; None for the default, if TMPDIR is set.

    The system's own place for them may be in memory.
    """
    path = Path(os.path.realpath(kept))
    is_device = path.exists() and not path.is_file()
    is_elsewhere = kept in ("", _STDOUT) or is_device or bool(remote_address(kept))
    return None if os.environ.get("TMPDIR") or is_elsewhere else str(path.parent)


def write_kept(
    sources: Sources, removed: Places, chosen: RecordFormat | None, file: BinaryIO, run: Run
) -> None:
    """Write the documents but for the `removed` ones to `file`.

    These are places by the number of the file.

    - Records: in the format of `kept_format`. In that of the input they stay as they are: JSON
      lines byte for byte, Parquet with all its columns. CSV and TSV are written in UTF-8; a table
      in another encoding is a problem of the run.
    - Files, without a format: their paths, one a line.

    Raises UnreadableError where an input cannot be read again.
    """
    note_other_encodings(sources, chosen, run)
    if chosen is None:
        names = (each for number, each in enumerate(sources.paths) if number not in removed)
        file.writelines(os.fsencode(remote_address(name) or name) + b"\n" for name in names)
        return
    if chosen == PARQUET and not converts(sources, chosen):
        write_rows_without(sources.paths, removed, file, run.reading)
        return
    files: list[RecordFile] = []
    if not converts(sources, chosen):
        files = [sources.file(number, run) for number in range(len(sources.paths))]

    def without(number: int) -> Iterator[bytes]:
        """The lines or elements of a file that are kept; of tables, only the first has a header."""
        gone = removed.get(number, frozenset())
        is_later = number > 0 and bool(files[number].header)
        return files[number].without(gone | {1} if is_later else gone)

    def rows() -> Iterator[Row]:
        every = sources.all_rows(run)
        return (row for number, place, row in every if place not in removed.get(number, ()))

    if not files or any(each.header != files[0].header for each in files):
        write_as_inputs(rows, sources, chosen, file, run)
    elif chosen == JSON_ARRAY:
        elements = (each for number in range(len(files)) for each in without(number))
        file.writelines(as_array(elements))
    else:
        ends = (b"\n",) if chosen == JSON_LINES else (b"\n", b"\r")
        file.writelines(joined_files(without, len(files), ends))


def joined_files(
    pieces: Callable[[int], Iterator[bytes]], number: int, ends: tuple[bytes, ...] = (b"\n",)
) -> Iterator[bytes]:
    """The pieces of so many files in a row, each of which begins on a line of its own."""
    ended = True
    for place in range(number):
        first = True
        for piece in pieces(place):
            if first and piece:
                first = False
                yield b"" if ended else b"\n"
                piece = piece.removeprefix(_BOM) if place else piece  # noqa: PLW2901
            if piece:
                yield piece
                ended = piece.endswith(ends)


def write_marked(
    sources: Sources, marks: Marks, chosen: RecordFormat, file: BinaryIO, run: Run
) -> None:
    """Write all documents to `file` in a format, with their clusters.

    `marks` has numbers of clusters by the number of the file and the place there. Records get a
    field `cluster`: the number of their cluster, 0 where they are similar to a stored document,
    and null elsewhere. Of files, rows of `document` and `cluster` are written.

    Raises UnreadableError where a record has such a field or an input cannot be read again.
    """
    note_other_encodings(sources, chosen, run)
    if chosen == PARQUET and not converts(sources, PARQUET):
        write_rows_without(sources.paths, {}, file, run.reading, marks)
        return

    def rows() -> Iterator[Row]:
        if sources.kind == FILES:
            for number, each in enumerate(sources.paths):
                cluster = marks.get(number, {}).get(0)
                yield {"document": remote_address(each) or str(each), CLUSTER: cluster}
            return
        for number, place, row in sources.all_rows(run):
            if CLUSTER in row:
                raise UnreadableError(HAS_CLUSTERS, file=sources.paths[number])
            yield {**row, CLUSTER: marks.get(number, {}).get(place)}

    write_as_inputs(rows, sources, chosen, file, run)


def write_as_inputs(
    rows: Rows, sources: Sources, chosen: RecordFormat, file: BinaryIO, run: Run
) -> None:
    """Write rows to `file`: a table with the separator and quotes of the first one among inputs."""
    is_table = chosen in DELIMITED and chosen in sources.formats
    like = sources.file(sources.formats.index(chosen), run) if is_table else None
    write_records(rows, chosen, file, like)


def kept_format(
    sources: Sources, path: str | Path, of_files: RecordFormat | None = None
) -> RecordFormat | None:
    """The format of the records that are kept; None for documents, of which paths are written.

    It is the one that the name of the file says, else that of the input, or `of_files` where
    records are written of documents, too.

    OptionError where `path` says another format than can be written, or the inputs differ in
    theirs. OutputError where the name of a file cannot stand in a list of lines.
    """
    if sources.kind == HELD:
        raise OptionError("output is for what is read from files; all else is in the result")
    if names_other_format(path, BY_SUFFIX):
        known = ", ".join(each.suffixes[0] for each in FORMATS.values())
        what = f"its ending names a format that is not written; use one of {known}, or .txt for "
        raise OptionError(f"{what}paths of documents", file=path)
    named = format_of(path)
    if sources.kind == FILES and not of_files:
        if named:
            what = "has the wrong format for paths of documents; use the ending .txt"
            raise OptionError(what, file=path)
        if broken := next((each for each in sources.paths if "\n" in str(each)), None):
            raise OutputError(
                "has a line break in its name, so it cannot be listed one name per line; rename it",
                file=broken,
            )
        return None
    of_files = of_files if sources.kind == FILES else None
    chosen = named or of_files or sources.formats[0]
    if not named and (others := {*sources.formats} - {chosen}):
        both = f"{chosen.called} and {min(other.called for other in others)}"
        what = f"says no format, and the inputs are {both}; name a file with the ending of one"
        raise OptionError(what, file=path)
    packing = Path(path).suffix.lower() in COMPRESSIONS
    if ending_of(path)[0] == ".txt" or (packing and not chosen.is_packed):
        what = f"has the wrong ending for what is kept, {chosen.called}; use the ending "
        raise OptionError(f"{what}{chosen.endings}", file=path)
    return chosen


def converts(sources: Sources, chosen: RecordFormat | None) -> bool:
    """Whether records of another format than `chosen` are among the sources."""
    return chosen is not None and any(form != chosen for form in sources.formats)


def note_other_encodings(sources: Sources, chosen: RecordFormat | None, run: Run) -> None:
    """Note each table in another encoding than UTF-8, if the output is a table: it is UTF-8."""
    if chosen not in DELIMITED:
        return
    reading = run.reading
    for path, form in zip(sources.paths, sources.formats, strict=False):  # documents have none
        if form not in DELIMITED:
            continue
        content = content_at(path, reading.max_bytes, reading.limits)
        name = reading.encoding or encoding_of(content)
        if codecs.lookup(name).name not in _WRITTEN_AS_IS:
            what = f"is in {name}, and the output is written in UTF-8; open it as UTF-8"
            message = f"{content.name}: {what}"
            run.note(Problem("warning", "other-encoding", message, str(path), what))


@contextmanager
def written_packed(output: Output) -> Iterator[BinaryIO]:
    """A file to write to that compresses by the suffix of its path, and is there on success."""
    with (
        written(output.path, output.check_replaced, required=False) as file,
        packed(file, output.path) as target,
    ):
        yield target


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
