"""RemoveDocuments: documents out of a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sdtext.cli.main import say
from sdtext.cli.options import report, where_option
from sdtext.errors import OutputError, counted, shown

if TYPE_CHECKING:
    from sdtext.collections.collection import Collection
    from sdtext.collections.filters import Condition
    from sdtext.model import Problem


@click.command(
    epilog="Examples: sdtext RemoveDocuments papers.sdx drafts/old.pdf 17\n\n"
    "sdtext RemoveDocuments papers.sdx --where 'year < 2010' --dry-run\n\n"
    "sdtext RemoveDocuments papers.sdx --purge"
)
@click.argument("path", metavar="NAME.sdx")
@click.argument("documents", metavar="[DOCUMENT|ID]...", nargs=-1)
@where_option("Remove the documents of which this is true, too.")
@click.option(
    "--purge",
    is_flag=True,
    help="Rewrite what is stored, so that nothing of removed documents stays on disk.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
def command(
    path: str, documents: tuple[str, ...], where: Condition | None, purge: bool, dry_run: bool
) -> int:
    """Remove documents from the collection NAME.sdx, by their names or numbers.

    ShowCollection --documents lists both. The files that the documents were read from stay.
    """
    from sdtext.collections.collection import Collection
    from sdtext.collections.filters import selected_ids

    if not documents and where is None and not purge:
        raise click.UsageError("no document is named; name some, or choose them with --where")
    problems: list[Problem] = []
    collection = Collection.open(path)
    found = selected_ids(collection, documents, where, problems.append)
    if found and not dry_run:
        collection.remove(sorted(found))
    if documents or where:
        done = "would be removed from" if dry_run else "removed from"
        left = counted(len(collection), "document")
        say(f"{counted(len(found), 'document')} {done} {shown(path)}, which has {left}")
    code = report(problems)
    if not dry_run:
        _end(collection, bool(found), purge)
    return code


def _end(collection: Collection, removed: bool, purge: bool) -> None:
    """See to it that nothing of removed documents stays on disk, or say that it does."""
    if not purge:
        if removed:
            say("what was stored of them may stay on disk until --purge rewrites it")
    elif collection.compact():
        say("nothing of removed documents is left on disk")
    else:
        raise OutputError(
            f"{shown(collection.path)}: another process is reading it, and keeps what was removed "
            "on disk; run RemoveDocuments --purge again when that has ended"
        )
