"""The texts of a corpus without what repeats, written in the format of the input or another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from tempfile import TemporaryFile
from typing import Any, BinaryIO
from weakref import finalize

from sdtext.deduplication.changed_records import write_changed
from sdtext.deduplication.outputs import converts
from sdtext.deduplication.repeated_passages.find_repeats import RepeatedPassages
from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage
from sdtext.deduplication.source_documents import FILES
from sdtext.errors import OptionError
from sdtext.model.record_formats import PARQUET, RecordFormat
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.json_records import Row
from sdtext.reading.records.record import check_cuts
from sdtext.reading.records.record_files import write_records, write_rows_without
from sdtext.wording import shown


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
    """The texts without what is repeated; that goes to the `log`, once."""

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
        elif chosen == PARQUET and not converts(sources, chosen):
            self._write_parquet(file, run)
        else:
            write_changed(sources, self._repeated.documents, self._changed, chosen, file, run)

    def _changed(self, number: int, place: int, record: int, row: Row) -> Row:
        field = self._repeated.sources.fields.text
        check_cuts(row, field)
        return {**row, field: self._text(number, place, record, row[field])}

    def _text(self, number: int, place: int, record: int, text: str) -> str:
        """What is left of the text of a document from which something is removed."""
        left, removed = self._repeated.cut(self._repeated.documents[number][place], text, record)
        if record > self._logged:
            self._log.add(removed)
            self._logged = record
        return left

    def _documents(self) -> Iterator[dict[str, Any]]:
        corpus, sources = self._repeated.corpus, self._repeated.sources
        for document in range(len(corpus)):
            text, (number, place) = corpus.text(document), corpus.origin(document)
            if number in self._repeated.documents:
                text = self._text(number, place, document + 1, text)
            yield {"id": sources.name_of(number, ""), "text": text}

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
                    what = f"has other columns than {shown(sources.paths[0])}, so that their rows "
                    what += "cannot be written to one file; deduplicate JSON lines, or one of them"
                    raise OptionError(what, file=path)
                start = 0
                for group in range(table.num_row_groups):
                    rows = Frame(table.read_row_group(group), "deduplicate")
                    texts = {
                        place: self._text(number, start + place + 1, before + place + 1, row[field])
                        for place, row in enumerate(rows.rows(field))
                        if start + place + 1 in self._repeated.documents.get(number, ())
                    }
                    writer.write_table(rows.with_texts(field, texts))
                    start, before = start + len(rows), before + len(rows)
