"""Deduplication of passages: read a corpus, find what repeats, and cut the texts."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from weakref import finalize

import numpy as np

from sdtext.deduplication.outputs import KeptOutput
from sdtext.deduplication.repeated_passages.corpus_words import CorpusWords, UnitReader, read_corpus
from sdtext.deduplication.repeated_passages.removed_passages import (
    CutUnits,
    RemovedPassage,
    cut_ranges,
    digest_of,
    without_ranges,
)
from sdtext.deduplication.repeated_passages.repeated_sentences import Repeats, find_repeats
from sdtext.deduplication.rule_names import DEFAULT_RECIPE
from sdtext.deduplication.rules_and_removals import Rules
from sdtext.deduplication.source_documents import FILES, Sources
from sdtext.deduplication.temporary_collection import CORPUS, temporary_folder
from sdtext.errors import OptionError
from sdtext.model.record_formats import PARQUET
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.parallel_run import Run, nothing_left, run_batches
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.json_records import Row
from sdtext.reading.records.record import check_cuts
from sdtext.reading.records.record_files import write_rows_without
from sdtext.wording import counted, shown


@dataclass(frozen=True, eq=False)
class RepeatedPassages:
    """What repeats in a corpus, while its temporary files are there."""

    sources: Sources
    corpus: CorpusWords
    repeats: Repeats
    unit: str

    @property
    def counts(self) -> dict[str, int]:
        """How many documents were read, and how much of them is removed."""
        return {
            "documents": len(self.corpus),
            "changed": len(np.unique(self.repeats.documents)),
            "removed": len(self.repeats),
            "removed_words": int(self.repeats.words.sum()),
            "words": len(self.corpus.words),
        }

    def __str__(self) -> str:
        counts = self.counts
        share = f"{counts['removed_words']:,} of {counts['words']:,} words"
        removed = f"{counted(counts['removed'], self.unit)} ({share})"
        return f"{counts['documents']:,} read, {removed} removed from {counts['changed']:,}"

    @cached_property
    def documents(self) -> dict[int, dict[int, int]]:
        """The number of each document from which something is removed, by its file and place."""
        chosen: dict[int, dict[int, int]] = {}
        for document in np.unique(self.repeats.documents).tolist():
            number, place = self.corpus.origin(document)
            chosen.setdefault(number, {})[place] = document
        return chosen

    def cut(self, document: int, text: str, record: int) -> tuple[str, list[RemovedPassage]]:
        """The text of that document without what repeats, and that.

        The document is written at the position `record`.
        """
        repeats, name = self.repeats, self._name(document)
        rows = range(*np.searchsorted(repeats.documents, (document, document + 1)).tolist())
        begin, stop = self.corpus.documents[document : document + 2].tolist()
        starts = [*self.corpus.columns["unit_starts"][begin:stop].tolist(), -1]
        ends = [*self.corpus.columns["unit_ends"][begin:stop].tolist(), -1]  # before the first
        units = [(repeats.first[row] - begin, repeats.last[row] - begin) for row in rows]
        removals = [
            CutUnits(ends[first - 1], starts[first], ends[last - 1], starts[last])
            for first, last in units
        ]
        ranges = cut_ranges(text, removals)
        left = without_ranges(text, ranges)
        digest = digest_of(left)
        passages = []
        for row, (start, end) in zip(rows, ranges, strict=True):
            words, kept = int(repeats.words[row]), self._name(int(repeats.kept[row]))
            there = int(repeats.kept_start[row]), int(repeats.kept_end[row])
            removed = text[start:end]
            passages.append(
                RemovedPassage(name, record, start, end, kept, *there, words, removed, digest)
            )
        return left, passages

    def _name(self, document: int) -> str:
        return self.sources.name_of(self.corpus.origin(document)[0], self.corpus.name(document))


@contextmanager
def repeated_passages(
    sources: Sources, rules: Rules, run: Run, folder: str | Path | None = None
) -> Iterator[RepeatedPassages]:
    """What repeats in the documents of `sources`; temporary files are below `folder`.

    Raises OptionError, OutputError, and UnreadableError where none can be read.
    """
    recipe = rules.recipe or load_recipe(DEFAULT_RECIPE)
    unit = "sentence" if rules.unit == "passage" else rules.unit
    read = UnitReader(recipe, unit, run.reading.preferring(recipe.reader), sources.has_files)
    with temporary_folder(folder) as place:
        batches = run_batches(read, sources.batches(run), run, sources.expected)
        corpus = read_corpus(batches, place / CORPUS)
        if not len(corpus):
            raise nothing_left(run, "no document could be read")
        yield RepeatedPassages(sources, corpus, find_repeats(corpus, rules), rules.unit)


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


def write_cut(repeated: RepeatedPassages, log: RemovedLog, output: KeptOutput) -> None:
    """Write all texts without what is repeated to `output`; that goes to the `log`, once.

    Lines that stay do byte for byte. Of documents there is a record with `id`, the path, and
    `text`. Raises UnreadableError where an input cannot be read again.
    """
    sources, corpus, documents = repeated.sources, repeated.corpus, repeated.documents
    field, logged = sources.fields.text, 0

    def cut(number: int, place: int, record: int, text: str) -> str:
        """What is left of the text of a document from which something is removed."""
        nonlocal logged
        left, removed = repeated.cut(documents[number][place], text, record)
        if record > logged:
            log.add(removed)
            logged = record
        return left

    def changed(number: int, place: int, record: int, row: Row) -> Row:
        check_cuts(row, field)
        return {**row, field: cut(number, place, record, row[field])}

    def rows() -> Iterator[Row]:
        for document in range(len(corpus)):
            text, (number, place) = corpus.text(document), corpus.origin(document)
            if number in documents:
                text = cut(number, place, document + 1, text)
            yield {"id": sources.name_of(number, ""), "text": text}

    if sources.kind == FILES:
        output.write_rows(rows)
    elif output.form == PARQUET and not output.converts:
        _write_parquet(repeated, cut, output)
    else:
        output.write_changed(documents, changed)


def _write_parquet(
    repeated: RepeatedPassages, cut: Callable[[int, int, int, str], str], output: KeptOutput
) -> None:
    """Write the rows of all files; their columns, of which all must have the same, stay."""
    import pyarrow.parquet as pq

    sources, before = repeated.sources, 0
    field = sources.fields.text
    with ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for number, path in enumerate(sources.paths):
            copy = stack.enter_context(TemporaryFile())
            write_rows_without([path], {}, copy, output.run.reading)
            table = pq.ParquetFile(copy)
            writer = writer or stack.enter_context(
                pq.ParquetWriter(output.file, table.schema_arrow)
            )
            if not table.schema_arrow.equals(writer.schema):
                what = f"has other columns than {shown(sources.paths[0])}; deduplicate one"
                raise OptionError(what, file=path)
            start = 0
            for group in range(table.num_row_groups):
                rows = Frame(table.read_row_group(group), "deduplicate")
                texts = {
                    place: cut(number, start + place + 1, before + place + 1, row[field])
                    for place, row in enumerate(rows.rows(field))
                    if start + place + 1 in repeated.documents.get(number, ())
                }
                writer.write_table(rows.with_texts(field, texts))
                start, before = start + len(rows), before + len(rows)
