"""FindReuse: find the passages that documents share, and the share of each document."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, html_page, reading, search
from sdtext.cli.options.values import InputPath
from sdtext.cli.origin import origin
from sdtext.cli.print_evidence import listing_options, print_evidence
from sdtext.cli.verb import verb


@verb(
    "sdtext FindReuse essays/ --by pair",
    "sdtext FindReuse report.docx source.pdf --show",
    "sdtext FindReuse archive.sdx application.docx --unit chapter --template form.docx",
    "sdtext FindReuse archive.sdx --where \"organisation = 'HUT'\" --format xml > evidence.xml",
)
@click.argument(
    "bare", nargs=-1, type=InputPath(), metavar="FILE|FOLDER|NAME.sdx...", required=True
)
@listing_options
@html_page.html
@search.reuse
@common.exit_code
@reading.folders
def command(
    bare: Sequence[str],
    question: dict[str, Any],
    listed: dict[str, Any],
    html: html_page.HtmlFile,
    batch: Batch,
) -> int:
    """Find the passages that documents share, and the share of each that is found elsewhere.

    Two or more FILEs: the first is compared with each of the others; of two folders, the documents
    of the first with those of the second. Files of a folder, and then this folder: each of these
    files with the documents of the folder. A folder alone: its files with each other. NAME.sdx and
    FILEs: each FILE with the documents of the collection. NAME.sdx alone: its documents with each
    other. Two collections: the documents of the first with those of the second. FILE is a document,
    a folder, an archive or a file of records; - is standard input.

    First come the passages with most words in verbatim runs; last, marked as weak, those with next
    to none, the vocabulary of a topic. Pairs and documents come by their shares.
    """
    from sdtext.reports.reuse_report import Listing
    from sdtext.reuse import find_reuse

    html.check(bare)
    listing = Listing(**listed)
    sides, files = _sides(bare)
    texts = listing.show or listing.form == "html" or bool(html.path)
    question |= {"texts": texts, "edits": texts or listing.form == "xml"}
    question["method"] = question["method"] or ""
    if listing.by == "chapter":
        question["unit"] = "chapter"
    with batch.running(files) as run:
        evidence = find_reuse(*sides, **question, run=run)
    if question["edits"]:  # for XML and a page
        evidence = replace(evidence, origin=origin())
    return print_evidence(evidence, listing, html)


def _sides(bare: Sequence[str]) -> tuple[list[Any], list[str]]:
    """What is compared with what: collections, and lists of the files among the arguments."""
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.reading.walk import is_collection

    collections = [path for path in bare if path.endswith(".sdx") or is_collection(path)]
    files = [path for path in bare if path not in collections]
    if len(collections) + bool(files) > 2:
        raise click.UsageError("give one collection, two collections, or one collection and files")
    sides: list[Any] = [StoredCollection.open(path) for path in collections]
    if files:
        *others, last = files
        folder = os.path.realpath(last)
        are_within = others and all(
            Path(os.path.realpath(Path(path).parent)).is_relative_to(folder) for path in others
        )
        split = len(files) if collections else len(others) if are_within else 1
        sides = [*filter(None, [files[:split], files[split:]]), *sides]
    return sides, files
