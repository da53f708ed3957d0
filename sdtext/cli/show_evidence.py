"""ShowEvidence: show a file of evidence as rows, as texts, or as a page."""

from collections.abc import Sequence
from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, html_page, reading
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_evidence import listing_options, print_evidence
from sdtext.cli.verb import verb
from sdtext.errors import OptionError


@verb(
    "sdtext ShowEvidence evidence.xml --html evidence.html",
    "sdtext ShowEvidence evidence.xml essays/ --show",
)
@common.path("EVIDENCE.xml")
@click.argument("files", nargs=-1, type=InputPath(), metavar="[FILE|FOLDER]...")
@common.flag(
    "places",
    "Leave out the texts: the page has places only, for readers who may not have the texts.",
)
@listing_options
@html_page.html
@common.exit_code
@reading.single_files
def command(
    path: str,
    files: Sequence[str],
    places: bool,
    listed: dict[str, Any],
    html: html_page.HtmlFile,
    batch: Batch,
) -> int:
    """Show the passages in EVIDENCE.xml, which FindReuse --format xml or an evidence page wrote.

    The texts for --show and --html come from the files that EVIDENCE.xml names, or from files of
    these names in FOLDER, if they are unchanged.
    """
    from sdtext.fingerprinting.load_and_save import load_evidence
    from sdtext.reports.reuse_report import Listing
    from sdtext.reuse import with_texts

    html.check([path, *files])
    listing = Listing(**listed)
    evidence = load_evidence(path)
    if listing.by == "chapter" and not any(item.parts for item in evidence.coverage):
        what = "has no shares of chapters; make it again with FindReuse --unit chapter"
        raise OptionError(f"--by chapter: {path} {what}")
    with batch.running(files) as run:
        if (listing.show or listing.form == "html" or html.path) and not places:
            evidence = with_texts(evidence, files, run=run)
    return print_evidence(evidence, listing, html, evidence.origin.created)
