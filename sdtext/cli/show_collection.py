"""ShowCollection: show what a collection stores."""

from __future__ import annotations

import click

from sdtext.cli.options.common import format_option, where_option
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import as_records, print_record, print_rows, report
from sdtext.cli.verb import Verb


@click.command(
    cls=Verb,
    epilog="Examples: sdtext ShowCollection papers.sdx\n\n"
    "sdtext ShowCollection papers.sdx --where \"year >= 2019 and organisation = 'HUT'\"",
)
@click.argument("path", type=InputPath(), metavar="NAME.sdx")
@click.option("--documents", is_flag=True, help="List the documents.")
@where_option("List the documents that meet this condition")
@format_option
def command(path: str, documents: bool, where: str | None, form: str | None) -> None:
    """Show what the collection NAME.sdx stores and how it was made, or list its documents."""
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.reports.collection_record import COLUMNS, record_of, rows_of
    from sdtext.reports.row_formats import flat

    collection = StoredCollection.open(path)
    if documents or where:
        rows = rows_of(collection, where)
        print_rows(form, COLUMNS, rows, "sdtext/collection-documents/1", collection.problems)
        report(collection.problems)
        return
    record = record_of(collection)
    if form not in ("json", "jsonl"):
        record.pop("curve", None)
        record = dict(flat(record))
    elif collection.problems:
        record["problems"] = as_records(collection.problems)
    print_record(form, "sdtext/collection/1", record)
    report(collection.problems)
