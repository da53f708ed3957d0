"""The output files of a deduplication, and how the kept documents are written to one."""

import codecs
import json
import os
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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
from sdtext.reading.records.json_records import Row, lines_with
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


Change = Callable[[int, int, int, Row], Row]
"""What becomes of a row: from the number of its file, its place there, its position, and the row.

The position is that among those that are written, from 1; of JSON lines that stay JSON lines, the
number of its line.
"""


@dataclass(frozen=True)
class KeptOutput:
    """An open `file` to which what is kept of `sources` is written, in a format; None for paths.

    Methods raise UnreadableError where an input cannot be read again.
    """

    sources: Sources
    form: RecordFormat | None
    file: BinaryIO
    run: Run

    @property
    def converts(self) -> bool:
        """Whether records of another format are among the sources."""
        return converts(self.sources, self.form)

    def write_kept(self, removed: Places) -> None:
        """Write the documents but for the `removed` ones: places by the number of the file.

        - Records: in the format of `kept_format`. In that of the input they stay as they are: JSON
          lines byte for byte, Parquet with all its columns. CSV and TSV are written in UTF-8; a
          table in another encoding is a problem of the run.
        - Files, without a format: their paths, one a line.
        """
        sources, form, run = self.sources, self.form, self.run
        if form is None:
            names = (each for number, each in enumerate(sources.paths) if number not in removed)
            lines = (os.fsencode(remote_address(name) or name) + b"\n" for name in names)
            self.file.writelines(lines)
            return
        if form == PARQUET and not self.converts:
            write_rows_without(sources.paths, removed, self.file, run.reading)
            return
        files: list[RecordFile] = []
        if not self.converts:
            files = [sources.file(number, run) for number in range(len(sources.paths))]

        def without(number: int) -> Iterator[bytes]:
            """The lines or elements that are kept; of tables, only the first has a header."""
            gone = removed.get(number, frozenset())
            is_later = number > 0 and bool(files[number].header)
            return files[number].without(gone | {1} if is_later else gone)

        def rows() -> Iterator[Row]:
            every = sources.all_rows(run)
            return (row for number, place, row in every if place not in removed.get(number, ()))

        if not files or any(each.header != files[0].header for each in files):
            self.write_rows(rows)
        elif form == JSON_ARRAY:
            elements = (each for number in range(len(files)) for each in without(number))
            self.file.writelines(as_array(elements))
        else:
            ends = (b"\n",) if form == JSON_LINES else (b"\n", b"\r")
            self.file.writelines(joined_files(without, len(files), ends))

    def write_marked(self, marks: Marks) -> None:
        """Write all documents with their clusters: `marks` by the number of the file and the place.

        Records get a field `cluster`: the number of their cluster, 0 where they are similar to a
        stored document, and null elsewhere. Of files, rows of `document` and `cluster` are written.
        Raises UnreadableError where a record has such a field.
        """
        sources = self.sources
        if self.form == PARQUET and not self.converts:
            write_rows_without(sources.paths, {}, self.file, self.run.reading, marks)
            return

        def rows() -> Iterator[Row]:
            if sources.kind == FILES:
                for number, each in enumerate(sources.paths):
                    cluster = marks.get(number, {}).get(0)
                    yield {"document": remote_address(each) or str(each), CLUSTER: cluster}
                return
            for number, place, row in sources.all_rows(self.run):
                if CLUSTER in row:
                    raise UnreadableError(HAS_CLUSTERS, file=sources.paths[number])
                yield {**row, CLUSTER: marks.get(number, {}).get(place)}

        self.write_rows(rows)

    def write_changed(self, places: Mapping[int, Container[int]], change: Change) -> None:
        """Write all records, those at `places` in their files with a `change`.

        JSON lines that are written as such stay byte for byte where nothing is changed.
        """

        def rows() -> Iterator[Row]:
            every = enumerate(self.sources.all_rows(self.run), 1)
            for position, (number, place, row) in every:
                is_chosen = place in places.get(number, ())
                yield change(number, place, position, row) if is_chosen else row

        if self.form == JSON_LINES and not self.converts:
            self.file.writelines(self._changed_lines(places, change))
        else:
            self.write_rows(rows)

    def write_rows(self, rows: Rows) -> None:
        """Write rows: a table with the separator and quotes of the first one among the inputs."""
        form, sources = self.form or JSON_LINES, self.sources
        is_table = form in DELIMITED and form in sources.formats
        like = sources.file(sources.formats.index(form), self.run) if is_table else None
        write_records(rows, form, self.file, like)

    def _changed_lines(
        self, places: Mapping[int, Container[int]], change: Change
    ) -> Iterator[bytes]:
        before, ended = 0, True

        def pieces(number: int) -> Iterator[bytes]:
            own, first = places.get(number, ()), before + (not ended)

            def changed(place: int, line: bytes) -> bytes:
                row = json.loads(line.decode("utf-8-sig"))
                return line_with(line, row, change(number, place, first + place, row))

            blocks = self.sources.file(number, self.run).content.blocks()
            return lines_with(blocks, own, changed)

        for piece in joined_files(pieces, len(self.sources.paths)):
            yield piece
            before += piece.count(b"\n")
            ended = piece.endswith(b"\n") if piece else ended


@contextmanager
def kept_output(
    output: Output, sources: Sources, form: RecordFormat | None, run: Run
) -> Iterator[KeptOutput]:
    """What is written to a file; a table in another encoding than UTF-8 is a problem of the run."""
    _note_other_encodings(sources, form, run)
    with written_packed(output) as file:
        yield KeptOutput(sources, form, file, run)


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


def _note_other_encodings(sources: Sources, chosen: RecordFormat | None, run: Run) -> None:
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


_DECODER = json.JSONDecoder()
_WHITE = " \t\n\r"


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
