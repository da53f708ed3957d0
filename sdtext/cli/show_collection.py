"""ShowCollection: show what a collection stores."""

from sdtext.cli.options import common
from sdtext.cli.print_results import JSON_FORMATS, print_record, print_rows, report
from sdtext.cli.verb import verb


@verb(
    "sdtext ShowCollection papers.sdx",
    "sdtext ShowCollection papers.sdx --where \"year >= 2019 and organisation = 'HUT'\"",
)
@common.path("NAME.sdx")
@common.flag("documents", "List the documents.")
@common.shared("where", f"List the documents that meet this condition{common.SUCH_CONDITIONS}")
@common.rows_format
def command(path: str, documents: bool, where: str | None, form: str | None) -> None:
    """Show what the collection NAME.sdx stores and how it was made, or list its documents."""
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.reports.collection_record import COLUMNS, record_of, rows_of
    from sdtext.reports.row_formats import flat

    collection = StoredCollection.open(path)
    problems = collection.problems
    if documents or where:
        rows = rows_of(collection, where)
        print_rows(form, COLUMNS, rows, "sdtext/collection-documents/1", problems)
    else:
        record = record_of(collection)
        if form not in JSON_FORMATS:
            record.pop("curve", None)
            record = dict(flat(record))
        print_record(form, "sdtext/collection/1", record, problems or None)
    report(problems)
