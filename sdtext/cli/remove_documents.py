"""RemoveDocuments: remove documents from a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sdtext.cli.main import say
from sdtext.cli.options.common import where_option
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import report
from sdtext.cli.verb import Verb
from sdtext.errors import OutputError
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.model import Problem


@click.command(
    cls=Verb,
    epilog="Examples: sdtext RemoveDocuments papers.sdx drafts/old.pdf 17\n\n"
    "sdtext RemoveDocuments papers.sdx --where 'year < 2010' --dry-run\n\n"
    "sdtext RemoveDocuments papers.sdx --purge",
)
@click.argument("path", type=InputPath(), metavar="NAME.sdx")
@click.argument("documents", metavar="[DOCUMENT|ID]...", nargs=-1)
@where_option("Also remove the documents that meet this condition")
@click.option(
    "--purge",
    is_flag=True,
    help="Rewrite the stored data, so that nothing of removed documents stays on disk.",
)
@click.option("--dry-run", is_flag=True, help="Print how many would be removed; remove nothing.")
def command(
    path: str,
    documents: tuple[str, ...],
    where: str | None,
    purge: bool,
    dry_run: bool,
) -> int:
    """Remove documents from the collection NAME.sdx, by name or number.

    ShowCollection --documents lists both. The original files are not touched.
    """
    from sdtext.collections.stored_collection import StoredCollection

    if not documents and where is None and not purge:
        raise click.UsageError("no document is given; name documents, or select them with --where")
    problems: list[Problem] = []
    collection = StoredCollection.open(path)
    ids = collection.selected(documents, where, problems.append)
    if ids and not dry_run:
        collection.remove(sorted(ids))
    if documents or where:
        action = "would be removed from" if dry_run else "removed from"
        left = counted(len(collection), "document")
        say(f"{counted(len(ids), 'document')} {action} {shown(path)}, which has {left}")
    code = report(problems)
    if not dry_run:
        _end(collection, bool(ids), purge)
    return code


def _end(collection: StoredCollection, removed: bool, purge: bool) -> None:
    """Purge the data of removed documents, or print that it may stay on disk."""
    if not purge:
        if removed:
            say("their data may stay on disk until --purge rewrites it")
    elif collection.compact():
        say("no data of removed documents is left on disk")
    else:
        raise OutputError(
            "another process is reading it and keeps the removed data "
            "on disk; run RemoveDocuments --purge again when that process has ended",
            file=collection.path,
        )
