"""RemoveDocuments: remove documents from a collection."""

import click

from sdtext.cli.main import say
from sdtext.cli.options import common
from sdtext.cli.print_results import report
from sdtext.cli.verb import verb
from sdtext.errors import OutputError
from sdtext.wording import counted, shown


@verb(
    "sdtext RemoveDocuments papers.sdx drafts/old.pdf 17",
    "sdtext RemoveDocuments papers.sdx --where 'year < 2010' --dry-run",
    "sdtext RemoveDocuments papers.sdx --purge",
)
@common.path("NAME.sdx")
@click.argument("documents", metavar="[DOCUMENT|ID]...", nargs=-1)
@common.shared(
    "where", f"Also remove the documents that meet this condition{common.SUCH_CONDITIONS}"
)
@common.flag(
    "purge", "Rewrite the stored data, so that nothing of removed documents stays on disk."
)
@common.flag("dry-run", "Print how many would be removed; remove nothing.")
def command(
    path: str, documents: tuple[str, ...], where: str | None, purge: bool, dry_run: bool
) -> int:
    """Remove documents from the collection NAME.sdx, by name or number.

    ShowCollection --documents lists both. The original files are not touched.
    """
    from sdtext.collections.stored_collection import StoredCollection

    if not documents and where is None and not purge:
        raise click.UsageError("no document is given; name documents, or select them with --where")
    done = ""
    collection = StoredCollection.open(path)
    ids, problems = collection.selected(documents, where)
    if ids and not dry_run:
        collection.remove_ids(sorted(ids))
    if documents or where:
        action = "would be removed from" if dry_run else "removed from"
        left = counted(len(collection), "document")
        done = f"{counted(len(ids), 'document')} {action} {shown(path)}, which has {left}"
    code = report(problems, done)
    if purge and not dry_run:
        if not collection.compact():
            what = "another process is reading it and keeps the removed data; "
            what += "run RemoveDocuments --purge again later"
            raise OutputError(what, file=collection.path)
        say("no data of removed documents is left on disk")
    elif ids and not dry_run:
        say("their data may stay on disk until --purge rewrites it")
    return code
