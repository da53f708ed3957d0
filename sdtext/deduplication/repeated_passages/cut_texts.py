"""The texts of a corpus without what repeats, written in the format of the input or another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from tempfile import TemporaryFile
from typing import Any, BinaryIO
from weakref import finalize

from sdtext.deduplication.outputs import converts, joined_files, note_other_encodings
from sdtext.deduplication.repeated_passages.find_repeats import RepeatedPassages
from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage
from sdtext.deduplication.source_documents import FILES
from sdtext.errors import OptionError
from sdtext.model.record_formats import JSON_LINES, PARQUET, RecordFormat
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.record_files import write_records, write_rows_without
from sdtext.wording import shown

NewLine = Callable[[int, bytes], bytes]

_DECODER = json.JSONDecoder()
_WHITE = " \t\n\r"


class RemovedLog(Sequence[RemovedPassage]):
    """Removed passages in a temporary file below `folder`, which goes when they do."""

    def __init__(self, folder: str | None) -> None:
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 (closed with this)
        finalize(self, self._file.close)
        self._number = 0

    def add(self, rows: Sequence[RemovedPassage]) -> None:
        """Add some at the end."""
        self._file.writelines(json.dumps(asdict(row)).encode() + b"\n" for row in rows)
        self._number += len(rows)

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[RemovedPassage]:
        self._file.seek(0)
        return (RemovedPassage(**json.loads(line)) for line in self._file)

    def __getitem__(self, place: Any) -> Any:
        return [*self][place]


class CutTexts:
    """The texts without what is repeated; that goes to the `log`, once.

    The position of a record is that among those that are written, from 1; of JSON lines that stay
    JSON lines, the number of its line.
    """

    def __init__(self, repeated: RepeatedPassages, log: RemovedLog) -> None:
        self._repeated, self._log = repeated, log
        self._logged = 0

    def write(self, chosen: RecordFormat, file: BinaryIO, run: Run) -> None:
        """Write all records and documents to `file` in a format; lines that stay do byte for byte.

        Of documents there is a record with `id`, the path, and `text`. Raises UnreadableError
        where an input cannot be read again.
        """
        sources = self._repeated.sources
        if sources.kind == FILES:
            write_records(self._documents, chosen, file)
            return
        note_other_encodings(sources, chosen, run)
        if chosen == JSON_LINES and not converts(sources, chosen):
            file.writelines(self._lines(run))
        elif chosen == PARQUET and not converts(sources, chosen):
            self._write_parquet(file, run)
        else:
            write_records(lambda: self._rows(run), chosen, file)

    def _text(self, origin: tuple[int, int], record: int, text: str) -> str:
        """What is left of the text of a document from which something is removed."""
        left, removed = self._repeated.cut(self._repeated.documents[origin], text, record)
        if record > self._logged:
            self._log.add(removed)
            self._logged = record
        return left

    def _documents(self) -> Iterator[dict[str, Any]]:
        corpus, sources = self._repeated.corpus, self._repeated.sources
        for document in range(len(corpus)):
            text, origin = corpus.text(document), corpus.origin(document)
            if origin in self._repeated.documents:
                text = self._text(origin, document + 1, text)
            yield {"id": sources.name_of(origin[0], ""), "text": text}

    def _rows(self, run: Run) -> Iterator[dict[str, Any]]:
        sources, field = self._repeated.sources, self._repeated.sources.fields.text
        for record, (number, place, row) in enumerate(sources.all_rows(run), 1):
            if (number, place) in self._repeated.documents:
                yield {**row, field: self._text((number, place), record, row[field])}
            else:
                yield row

    def _lines(self, run: Run) -> Iterator[bytes]:
        sources, before, ended = self._repeated.sources, 0, True
        documents, field = self._repeated.documents, sources.fields.text

        def pieces(number: int) -> Iterator[bytes]:
            first = before + (not ended)

            def changed(line: int, data: bytes) -> bytes:
                text = json.loads(data.decode("utf-8-sig"))[field]
                return line_with(data, field, self._text((number, line), first + line, text))

            blocks = sources.file(number, run).content.blocks()
            yield from lines_with(blocks, lambda line: (number, line) in documents, changed)

        for piece in joined_files(pieces, len(sources.paths)):
            yield piece
            before += piece.count(b"\n")
            ended = piece.endswith(b"\n") if piece else ended

    def _write_parquet(self, file: BinaryIO, run: Run) -> None:
        """Write the rows of all files; their columns and types stay.

        What is read here are copies that a sandboxed process made. Raises OptionError where the
        files have different columns.
        """
        import pyarrow.parquet as pq

        sources, before = self._repeated.sources, 0
        field = sources.fields.text
        with ExitStack() as stack:
            writer: pq.ParquetWriter | None = None
            for number, path in enumerate(sources.paths):
                copy = stack.enter_context(TemporaryFile())
                write_rows_without([path], {}, copy, run.reading)
                table = pq.ParquetFile(copy)
                writer = writer or stack.enter_context(pq.ParquetWriter(file, table.schema_arrow))
                if not table.schema_arrow.equals(writer.schema):
                    raise OptionError(
                        f"has other columns than {shown(sources.paths[0])}, so that their rows "
                        "cannot be written to one file; deduplicate JSON lines, or one of them",
                        file=path,
                    )
                start = 0
                for group in range(table.num_row_groups):
                    rows = Frame(table.read_row_group(group), "deduplicate")
                    texts = {
                        place: self._text(origin, before + place + 1, row[field])
                        for place, row in enumerate(rows.rows([field]))
                        if (origin := (number, start + place + 1)) in self._repeated.documents
                    }
                    writer.write_table(rows.with_texts(field, texts))
                    start, before = start + len(rows), before + len(rows)


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
            is_chosen = chosen(number)
        (begun if is_chosen else pieces).append(rest)
        yield b"".join(pieces)
    if any(begun):
        yield replace(number, b"".join(begun))


def line_with(line: bytes, field: str, text: str) -> bytes:
    r"""A line of JSON with another text in a field of its object; all other bytes stay.

    Of a field that is there twice, the last one is replaced.

    >>> line_with(b'{"n": 1.50, "text": "a b",  "m": {"text": 2}}\r', "text", "b")
    b'{"n": 1.50, "text": "b",  "m": {"text": 2}}\r'
    """
    before = line.decode("utf-8")
    place, (start, end) = before.index("{"), (0, 0)
    while before[place] != "}":
        key, place = _DECODER.raw_decode(before, _visible(before, place + 1))
        begin = _visible(before, _visible(before, place) + 1)
        _, stop = _DECODER.raw_decode(before, begin)
        start, end = (begin, stop) if key == field else (start, end)
        place = _visible(before, stop)
    value = json.dumps(text, ensure_ascii=before[start:end].isascii())
    try:
        return f"{before[:start]}{value}{before[end:]}".encode()
    except UnicodeEncodeError:  # half a surrogate pair, which is escaped
        return f"{before[:start]}{json.dumps(text)}{before[end:]}".encode()


def _visible(line: str, place: int) -> int:
    """The first place from `place` on that is not white space."""
    while line[place] in _WHITE:
        place += 1
    return place
