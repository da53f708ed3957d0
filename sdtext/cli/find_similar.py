"""FindSimilar: which documents of a collection are like the ones at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from dataclasses import fields as fields_of
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdtext.cli.asking import exit_code_option, question_options, top_option
from sdtext.cli.main import say
from sdtext.cli.options import (
    files_option,
    format_option,
    print_rows,
    records_options,
    report,
    running,
)
from sdtext.cli.reading import reading_options
from sdtext.errors import counted

if TYPE_CHECKING:
    from sdtext.collections.ingest.inputs import Inputs
    from sdtext.model import Document
    from sdtext.reading.batches import Run
    from sdtext.reading.options import Reading
    from sdtext.reading.records import Fields
    from sdtext.search import Question


_NOTHING_FOUND = 1


@click.command(
    epilog="Examples: sdtext FindSimilar papers.sdx -i draft.pdf -k 10\n\n"
    "sdtext FindSimilar archive.sdx -i letters.zip -s 80 --where \"organisation = 'HUT'\""
)
@click.argument("path", metavar="NAME.sdx")
@files_option(
    "-i", "--input", metavar="FILE", words="A document, an archive, a folder, or records."
)
@question_options
@top_option("At most TOP documents for each FILE or record.")
@exit_code_option
@format_option
@records_options
@reading_options
def command(
    path: str,
    files: list[str],
    question: Question,
    told: bool,
    form: str | None,
    fields: Fields,
    reading: Reading,
) -> int:
    """Find the documents of the collection NAME.sdx that are like FILE.

    FILE is a document, an archive, a folder, or a file of records (JSON lines, or Parquet), of
    which each is looked for; - is the standard input. Rows come for each FILE or record by
    similarity, high to low; metadata is what the collection knows of the document. With -k and
    without -s, all that has anything in common with it counts.
    """
    from sdtext.collections.collection import Collection
    from sdtext.collections.ingest.inputs import Inputs
    from sdtext.reports.curve import curve_told
    from sdtext.search import Found, similar

    collection = Collection.open(path)
    with running(reading, 1, files) as run:
        found = similar(collection, _documents(Inputs(files, fields), run), question)
    problems = [*(run.problems or ()), *found.problems]
    columns = [field.name for field in fields_of(Found)]
    beside = {"how": found.how, "curve": found.curve}
    print_rows(form, columns, map(asdict, found.rows), "sdtext/similar/1", problems, **beside)
    for line in filter(None, (found.how, curve_told(found.curve))):
        say(line)
    say(f"{counted(len(found.rows), 'document')} found")
    code = report(problems)
    return code or (_NOTHING_FOUND if told and not found.rows else 0)


def _documents(inputs: Inputs, run: Run) -> Iterator[Document]:
    """The documents and records at `inputs`; what cannot be read is a problem.

    Where there are several files, a record is called by its file, too: FILE#ID.
    """
    from sdtext.collections.ingest.inputs import input_files
    from sdtext.reading.records import records_in

    named = input_files(inputs, run)
    for one in named:
        if one.records:
            for record in records_in(one.path, inputs.fields, run.note, run.reading):
                name = f"{one.path}#{record.name}" if len(named) > 1 else record.name
                yield replace(record.document, source=name)
        else:
            yield from _document(one.path, run)
        run.step(1, len(named))


def _document(path: Path, run: Run) -> Iterator[Document]:
    from sdtext.model import Problem
    from sdtext.reading.batches import process_document

    document = process_document(path, run.reading, lambda source: source.document())
    if isinstance(document, Problem):
        run.note(document)
    else:
        yield document
