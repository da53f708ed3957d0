"""FindSimilar: find the documents of a collection that are similar to given ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdtext.cli.options.common import (
    exit_code_option,
    files_option,
    format_option,
    records_options,
    top_option,
)
from sdtext.cli.options.reading import reading_options
from sdtext.cli.options.search import question_options
from sdtext.cli.progress import running
from sdtext.cli.result import print_search

if TYPE_CHECKING:
    from sdtext.collections.ingest.inputs import Inputs
    from sdtext.model import Document
    from sdtext.reading.batches import Run
    from sdtext.reading.options import Reading
    from sdtext.reading.records import Fields
    from sdtext.search import Question


@click.command(
    epilog="Examples: sdtext FindSimilar papers.sdx -i draft.pdf -k 10\n\n"
    "sdtext FindSimilar archive.sdx -i letters.zip -s 80 --where \"organisation = 'HUT'\""
)
@click.argument("path", metavar="NAME.sdx")
@files_option(
    "-i", "--input", metavar="FILE", words="A document, an archive, a folder or a file of records."
)
@question_options
@top_option("Maximum number of rows for each FILE or record.")
@exit_code_option
@format_option
@records_options
@reading_options
def command(
    path: str,
    files: list[str],
    question: Question,
    fail_if_empty: bool,
    form: str | None,
    fields: Fields,
    reading: Reading,
) -> int:
    """Find the documents of the collection NAME.sdx that are similar to FILE.

    FILE is a document, an archive, a folder, or a file of records (JSON lines or Parquet), each of
    which is a query; - is standard input. For each FILE or record, rows are sorted by similarity,
    highest first. metadata is that of the stored document. With -k and without -s there is no
    minimum score.
    """
    from sdtext.collections.collection import Collection
    from sdtext.collections.ingest.inputs import Inputs
    from sdtext.search import similar

    collection = Collection.open(path)
    with running(reading, 1, files) as run:
        result = similar(collection, _documents(Inputs(files, fields), run), question)
    result = replace(result, problems=(*(run.problems or ()), *result.problems))
    return print_search(
        result, "sdtext/similar/1", "document", form=form, fail_if_empty=fail_if_empty
    )


def _documents(inputs: Inputs, run: Run) -> Iterator[Document]:
    """The documents and records at `inputs`; what cannot be read becomes a problem.

    With several files, records are named FILE#ID.
    """
    from sdtext.collections.ingest.inputs import input_files
    from sdtext.reading.records import records_in

    named = input_files(inputs, run)
    for entry in named:
        if entry.records:
            for record in records_in(entry.path, inputs.fields, run.note, run.reading):
                name = f"{entry.path}#{record.name}" if len(named) > 1 else record.name
                yield replace(record.document, source=name)
        else:
            yield from _document(entry.path, run)
        run.step(1, len(named))


def _document(path: Path, run: Run) -> Iterator[Document]:
    from sdtext.model import Problem
    from sdtext.reading.batches import process_document

    document = process_document(path, run.reading, lambda source: source.document())
    if isinstance(document, Problem):
        run.note(document)
    else:
        yield document
