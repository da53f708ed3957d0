"""The outputs of a deduplication of passages: the cut texts, and the list of what was removed.

From both, the original texts are restored.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Protocol

from sdtext.deduplication.outputs import converts, kept_format, note_other_encodings, packed
from sdtext.deduplication.repeated_passages.find_repeats import RepeatedPassages
from sdtext.deduplication.repeated_passages.removed_passages import (
    RemovedPassage,
    restored,
    without_ranges,
)
from sdtext.deduplication.source_documents import FILES, Sources
from sdtext.errors import FormatError, OptionError, shown
from sdtext.model.displayed_results import columns_in_files
from sdtext.model.record_formats import (
    FORMATS,
    JSON_LINES,
    PARQUET,
    RecordFormat,
    ending_of,
    format_of,
)
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.record_files import write_records, write_rows_without

NewLine = Callable[[int, bytes], bytes]

_DECODER = json.JSONDecoder()
_BOM = b"\xef\xbb\xbf"
_WHITE = " \t\n\r"
_NUMBERS = ("record", "start", "end", "kept_start", "kept_end", "words")
_WANTED = "no list of removed passages; give the file of these (.jsonl, .json or .csv)"


class RemovedPassages:
    """The removed passages in a temporary file, so that memory does not grow with them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, passages: Iterable[RemovedPassage]) -> None:
        """Append passages."""
        self._file.writelines(json.dumps(asdict(row)).encode() + b"\n" for row in passages)

    def __iter__(self) -> Iterator[RemovedPassage]:
        self._file.seek(0)
        return (RemovedPassage(**json.loads(line)) for line in self._file)


@contextmanager
def collected_passages(folder: str | Path | None) -> Iterator[RemovedPassages]:
    """A collection of removed passages; its temporary file is in `folder`."""
    with TemporaryFile(dir=folder) as file:
        yield RemovedPassages(file)


def format_of_texts(sources: Sources, path: str | Path, asked: str = "") -> RecordFormat:
    """The format in which texts are written: of records theirs, of documents JSON lines.

    OptionError where `path` says another format than `asked`, or none.
    """
    if sources.kind != FILES:
        return kept_format(sources, path, asked) or JSON_LINES
    named = format_of(path)
    chosen = FORMATS[asked] if asked else named or JSON_LINES
    is_file = str(path) != "-" and (Path(path).is_file() or not Path(path).exists())
    if is_file and named != chosen:
        raise OptionError(
            f"has the wrong ending for texts, which are written as {chosen.called}; use the ending "
            f"{chosen.endings}",
            file=path,
        )
    return chosen


def write_cut_texts(
    repeated: RepeatedPassages, chosen: RecordFormat, file: BinaryIO, run: Run, log: RemovedPassages
) -> None:
    """Write all records and documents, with cut texts, to `file` in a format.

    Of documents there is a record with `id`, the path, and `text`. What is removed goes to the
    `log`. Raises UnreadableError where an input cannot be read again.
    """
    cuts = _Cuts(repeated, log)
    if repeated.sources.kind == FILES:
        write_records(cuts.documents, chosen, file)
    else:
        write_texts(repeated.sources, cuts, chosen, file, run)


@contextmanager
def packed_texts(file: BinaryIO, path: str | Path, chosen: RecordFormat) -> Iterator[BinaryIO]:
    """A file for texts in a format, which compresses by the suffix of `path`."""
    if not chosen.is_packed:
        yield file
        return
    with packed(file, path) as target:
        yield target


class _Cuts:
    """The texts without what is repeated, which goes to the `log` once."""

    def __init__(self, repeated: RepeatedPassages, log: RemovedPassages) -> None:
        self._repeated, self._log = repeated, log
        self._logged = 0

    def changes(self, origin: tuple[int, int], _record: int) -> bool:
        """Whether something is removed from the document of that origin."""
        return origin in self._repeated.documents

    def text(self, origin: tuple[int, int], record: int, text: str) -> str:
        """What is left of the text of a document, which is written at the position `record`."""
        document = self._repeated.documents[origin]
        if record > self._logged:
            self._log.add(self._repeated.passages(document, text, record))
            self._logged = record
        return without_ranges(text, self._repeated.ranges(document, text))

    def documents(self) -> Iterator[Mapping[str, Any]]:
        """A record for each document."""
        corpus, sources = self._repeated.corpus, self._repeated.sources
        for document in range(len(corpus)):
            text, origin = corpus.text(document), corpus.origin(document)
            if document in self._removed:
                text = self.text(origin, document + 1, text)
            yield {"id": sources.name_of(origin[0], ""), "text": text}

    @cached_property
    def _removed(self) -> set[int]:
        return {*self._repeated.documents.values()}


class TextChanges(Protocol):
    """New texts of some records."""

    def changes(self, origin: tuple[int, int], record: int, /) -> bool:
        """Whether the text of a record changes: by its file and place, and its position."""

    def text(self, origin: tuple[int, int], record: int, text: str, /) -> str:
        """The new text of such a record."""


def write_texts(
    sources: Sources, changes: TextChanges, chosen: RecordFormat, file: BinaryIO, run: Run
) -> None:
    """Write all records to `file` in a format, some with other texts.

    The position of a record is that among those that are written, from 1; of JSON lines that stay
    JSON lines, the number of its line. Lines of these that do not change stay byte for byte, and of
    the others all but the text does. Raises UnreadableError where an input cannot be read again.
    """
    note_other_encodings(sources, chosen, run)
    if chosen == JSON_LINES and not converts(sources, chosen):
        file.writelines(_lines(sources, changes, run))
    elif chosen == PARQUET and not converts(sources, chosen):
        _write_parquet(sources, changes, file, run)
    else:
        write_records(lambda: _rows(sources, changes, run), chosen, file)


def _write_parquet(sources: Sources, changes: TextChanges, file: BinaryIO, run: Run) -> None:
    """Write the rows of all files; their columns and types stay.

    What is read here are copies that a sandboxed process made. Raises OptionError where the files
    have different columns.
    """
    import pyarrow.parquet as pq

    field, before = sources.fields.text, 0
    with ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for number, path in enumerate(sources.paths):
            copy = stack.enter_context(TemporaryFile())
            write_rows_without([path], {}, copy, run.reading)
            table = pq.ParquetFile(copy)
            writer = writer or stack.enter_context(pq.ParquetWriter(file, table.schema_arrow))
            if not table.schema_arrow.equals(writer.schema):
                raise OptionError(
                    f"has other columns than {shown(sources.paths[0])}, so that their rows cannot "
                    "be written to one file; deduplicate JSON lines, or one of them",
                    file=path,
                )
            start = 0
            for group in range(table.num_row_groups):
                rows = Frame(table.read_row_group(group), "deduplicate")
                texts = _changed_texts(rows, changes, (number, start, before), field)
                writer.write_table(rows.with_texts(field, texts))
                start, before = start + len(rows), before + len(rows)


def _changed_texts(
    rows: Frame, changes: TextChanges, places: tuple[int, int, int], field: str
) -> dict[int, str]:
    """The new texts by their places among the rows.

    `places` are the number of the file and the numbers of rows before these, in it and in all.
    """
    number, start, before = places
    texts = dict[int, str]()
    for place, row in enumerate(rows.rows([field])):
        origin, record = (number, start + place + 1), before + place + 1
        if changes.changes(origin, record):
            texts[place] = changes.text(origin, record, row[field])
    return texts


def _rows(sources: Sources, changes: TextChanges, run: Run) -> Iterator[dict[str, Any]]:
    record, field = 0, sources.fields.text
    for number in range(len(sources.paths)):
        for place, row in sources.rows(number, run):
            record, origin = record + 1, (number, place)
            if changes.changes(origin, record):
                yield {**row, field: changes.text(origin, record, row[field])}
            else:
                yield row


def _lines(sources: Sources, changes: TextChanges, run: Run) -> Iterator[bytes]:
    before, ended = 0, True
    for number in range(len(sources.paths)):
        lines = _RewrittenLines(number, before + (not ended), sources.fields.text, changes)
        first = True
        blocks = sources.file(number, run).content.blocks()
        for piece in lines_with(blocks, lines.is_changed, lines.changed):
            if first and piece:
                first = False
                yield b"" if ended else b"\n"
                before += not ended
                piece = piece.removeprefix(_BOM) if number else piece  # noqa: PLW2901
            if piece:
                yield piece
                before += piece.count(b"\n")
                ended = piece.endswith(b"\n")


@dataclass(frozen=True)
class _RewrittenLines:
    """The lines of the file with that number, `before` which other lines are written."""

    number: int
    before: int
    field: str
    changes: TextChanges

    def is_changed(self, line: int) -> bool:
        return self.changes.changes((self.number, line), self.before + line)

    def changed(self, line: int, data: bytes) -> bytes:
        text = text_of(data, self.field)
        text = self.changes.text((self.number, line), self.before + line, text)
        return line_with(data, self.field, text)


def lines_with(
    blocks: Iterable[bytes], chosen: Callable[[int], bool], replace: NewLine
) -> Iterator[bytes]:
    r"""The bytes with what `replace` makes of the `chosen` lines, by their numbers from 1.

    Memory does not grow with the length of other lines.

    >>> blocks = [b"one\ntw", b"o\nthree"]
    >>> b"".join(lines_with(blocks, lambda number: number == 2, lambda _, line: line.upper()))
    b'one\nTWO\nthree'
    """
    number, is_chosen = 1, chosen(1)
    held: list[bytes] = []
    for block in blocks:
        pieces = list[bytes]()
        *ended, rest = block.split(b"\n")
        for piece in ended:
            if is_chosen:
                pieces.append(replace(number, b"".join([*held, piece])))
                held.clear()
            else:
                pieces.append(piece)
            pieces.append(b"\n")
            number += 1
            is_chosen = chosen(number)
        (held if is_chosen else pieces).append(rest)
        yield b"".join(pieces)
    if any(held):
        yield replace(number, b"".join(held))


def text_of(line: bytes, field: str) -> str:
    """The text in a field of the object in a line of JSON."""
    text: str = json.loads(line.decode("utf-8-sig"))[field]
    return text


def line_with(line: bytes, field: str, text: str) -> bytes:
    r"""A line of JSON with another text in a field of its object; all other bytes stay.

    >>> line_with(b'{"n": 1.50, "text": "a b",  "m": {"text": 2}}\r', "text", "b")
    b'{"n": 1.50, "text": "b",  "m": {"text": 2}}\r'
    """
    before = line.decode("utf-8")
    start, end = _value_at(before, field)
    escapes = before[start:end].isascii()
    value = json.dumps(text, ensure_ascii=escapes)
    try:
        return f"{before[:start]}{value}{before[end:]}".encode()
    except UnicodeEncodeError:  # half a surrogate pair, which is escaped
        return f"{before[:start]}{json.dumps(text)}{before[end:]}".encode()


def _value_at(line: str, field: str) -> tuple[int, int]:
    """Where the value of a field stands; of a field that is there twice, the last one."""
    place, where = line.index("{") + 1, (0, 0)
    while True:
        key, place = _DECODER.raw_decode(line, _visible(line, place))
        start = _visible(line, _visible(line, place) + 1)
        _, end = _DECODER.raw_decode(line, start)
        where = (start, end) if key == field else where
        place = _visible(line, end)
        if line[place] == "}":
            return where
        place += 1


def _visible(line: str, place: int) -> int:
    """The first place from `place` on that is not white space."""
    while line[place] in _WHITE:
        place += 1
    return place


class RestoredTexts:
    """The original texts of records, from which passages were removed: by their positions."""

    def __init__(self, by_record: Mapping[int, Sequence[RemovedPassage]]) -> None:
        self._by_record = by_record
        self._restored = set[int]()

    def changes(self, _origin: tuple[int, int], record: int) -> bool:
        """Whether something was removed from that record."""
        return record in self._by_record

    def text(self, _origin: tuple[int, int], record: int, text: str) -> str:
        """The original text of that record. Raises FormatError."""
        self._restored.add(record)
        return restored(text, self._by_record[record])

    @property
    def is_checked(self) -> bool:
        """Whether all passages have the digest of the text that they belong to."""
        return all(row.digest for rows in self._by_record.values() for row in rows)

    def check(self, kept: str | Path) -> None:
        """FormatError if there was no record for some of the passages."""
        if missing := self._by_record.keys() - self._restored:
            raise FormatError(
                f"has no record {min(missing)}, from which passages were removed; give the file of "
                "kept texts of the same run",
                file=kept,
            )


def restore_texts(
    sources: Sources, texts: RestoredTexts, chosen: RecordFormat, file: BinaryIO, run: Run
) -> None:
    """Write the records of kept texts to `file` with their original texts.

    Raises UnreadableError and FormatError.
    """
    try:
        write_texts(sources, texts, chosen, file, run)
    except (ValueError, KeyError, TypeError) as error:
        what = f"holds a record without a text in the field {sources.fields.text!r}"
        raise FormatError(what, file=sources.paths[0]) from error
    texts.check(sources.paths[0])


def passages_by_record(path: str | Path, reading: Reading) -> dict[int, list[RemovedPassage]]:
    """The removed passages in a file of `--removed`, by the positions of their records.

    Raises FormatError and UnreadableError.
    """
    rows = sorted(passages_in(path, reading), key=attrgetter("record"))
    return {record: list(group) for record, group in groupby(rows, attrgetter("record"))}


def passages_in(path: str | Path, reading: Reading) -> Iterator[RemovedPassage]:
    """The removed passages in a file of `--removed`. Raises FormatError and UnreadableError."""
    rows_of = _FORMS.get(ending_of(path)[0])
    if rows_of is None:
        raise OptionError(f"is {_WANTED}", file=path)
    data = b"".join(content_at(path, reading.max_bytes, reading.limits).blocks())
    try:
        yield from map(_passage, rows_of(data.decode("utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        raise FormatError(f"is {_WANTED}", file=path) from error


def _passage(row: dict[str, Any]) -> RemovedPassage:
    row = {"digest": "", **row}  # earlier versions wrote none
    values = {name: row[name] for name in columns_in_files(RemovedPassage)}
    passage = RemovedPassage(**values | {name: int(values[name]) for name in _NUMBERS})
    if not isinstance(passage.text, str):
        raise TypeError(passage.text)
    return passage


def _in_lines(data: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in data.split("\n") if line.strip())


def _in_object(data: str) -> Iterator[dict[str, Any]]:
    yield from json.loads(data)["rows"]


def _in_table(data: str) -> Iterator[dict[str, Any]]:
    """The rows of CSV; the apostrophe goes that keeps spreadsheets from evaluating a cell."""
    for row in csv.DictReader(io.StringIO(data, newline="")):
        text = row["text"]
        added = len(text) - (int(row["end"]) - int(row["start"]))
        yield {**row, "text": text[1:] if added == 1 and text[:1] == "'" else text}


_FORMS = {".jsonl": _in_lines, ".ndjson": _in_lines, ".json": _in_object, ".csv": _in_table}
