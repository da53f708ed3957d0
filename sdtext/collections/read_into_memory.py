"""Read documents into a collection in memory, with columns as collections on disk have them."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sdtext.collections.document_types import DocumentRows
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import TOKENS, WORD_ENDS, WORD_STARTS, WORDS, Array
from sdtext.collections.storage.merge_vocabularies import together
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.terms.document_words import WordOffsets
from sdtext.reading.inputs import InputFile, input_batches
from sdtext.reading.parallel_run import Run, run_batches
from sdtext.reading.records.metadata_files import MetadataTable
from sdtext.reading.records.record import Fields, InputDocument
from sdtext.text.document import Document

_SEGMENT_WORDS = 1 << 21


def read_into_memory(
    files: Sequence[InputFile],
    documents: Sequence[Document],
    builder: RowBuilder,
    run: Run,
    foreign: list[tuple[Path, str]],
    metadata: str | Path | None = None,
) -> tuple[MemoryCollection, MetadataTable | None]:
    """A collection of the files and of the `documents` in memory.

    It has the columns that `builder` makes, in segments of some two million words. The name of a
    document is its path, its root the real path of its file. What cannot be read is a problem of
    the `run`; documents in another language than the recipe are added to `foreign`, each with how.
    The table in the file of `metadata` is returned if no row of it names a document. Raises
    FormatError or UnreadableError where it is damaged or missing.
    """
    table = unmatched = None
    if metadata is not None:
        table = unmatched = MetadataTable(
            metadata, (file.name for file in files), run.note, run.reading
        )
    of_records = {file.root: str(file.path) for file in files if file.records}
    number = None if of_records else len(files) + len(documents)

    def named(item: InputDocument) -> InputDocument:
        nonlocal unmatched
        name, root = item.name, item.place
        row = table.of(name) if table else {}
        unmatched = None if row else unmatched
        if item.path is not None:
            name, root = str(item.path), os.path.realpath(item.path)
        elif item.document is None and len(files) > 1:
            name = f"{of_records[item.root]}#{name}"
        return item._replace(name=name, root=root, metadata={**item.metadata, **row})

    held = [InputDocument("", item.source, document=item) for item in documents]
    batches = input_batches(files, Fields(), run, held)
    items = ([*map(named, batch)] for batch in batches)
    segments: list[DocumentRows] = []
    pieces: list[DocumentRows] = []
    size = 0
    for built in run_batches(builder, items, run, number):
        foreign += built.foreign
        if built.rows is not None:
            pieces.append(built.rows)
            size += len(built.rows.arrays[WORD_STARTS].values)  # type: ignore[union-attr] # a Ragged
        if size > _SEGMENT_WORDS:
            segments.append(_segment(pieces))
            pieces, size = [], 0
    if pieces:
        segments.append(_segment(pieces))
    return MemoryCollection.of_rows(builder.recipe, segments), unmatched


def _segment(pieces: Sequence[DocumentRows]) -> DocumentRows:
    """The rows of all pieces with one vocabulary."""
    if len(pieces) == 1:
        return pieces[0]
    names = TOKENS, WORDS, WORD_STARTS, WORD_ENDS
    words = [WordOffsets(*(piece.arrays[name] for name in names)) for piece in pieces]  # type: ignore[arg-type] # these are Ragged
    whole = together(words, canonical=False)
    columns = whole.tokens, whole.words, whole.starts, whole.ends
    arrays: dict[str, Array] = dict(zip(names, columns, strict=True))
    for name in pieces[0].arrays.keys() - arrays.keys():
        some: list[Any] = [piece.arrays[name] for piece in pieces]
        arrays[name] = joined(some) if isinstance(some[0], Ragged) else np.concatenate(some)
    return DocumentRows([item for piece in pieces for item in piece.documents], arrays)
