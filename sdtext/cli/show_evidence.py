"""ShowEvidence: show a file of evidence as rows, as texts, or as a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.options.common import exit_code_option
from sdtext.cli.options.html_page import HtmlFile, html_option
from sdtext.cli.options.reading import reading_options
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_evidence import (
    Listing,
    counting_passages,
    listing_options,
    needs_texts,
    page_of_evidence,
    print_evidence,
)
from sdtext.cli.print_results import NOTHING_FOUND, report
from sdtext.cli.verb import Verb
from sdtext.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdtext.reading.options import Reading


@click.command(
    cls=Verb,
    epilog="Examples: sdtext ShowEvidence evidence.xml --html evidence.html\n\n"
    "sdtext ShowEvidence evidence.xml essays/ --show",
)
@click.argument("path", type=InputPath(), metavar="EVIDENCE.xml")
@click.argument("files", nargs=-1, type=InputPath(), metavar="[FILE|FOLDER]...")
@click.option(
    "--places",
    is_flag=True,
    help="Leave out the texts: the page has places only, for readers who may not have the texts.",
)
@listing_options
@html_option
@exit_code_option
@reading_options
def command(
    path: str,
    files: Sequence[str],
    places: bool,
    listing: Listing,
    form: str | None,
    html: HtmlFile,
    fail_if_empty: bool,
    reading: Reading,
) -> int:
    """Show the passages in EVIDENCE.xml, which FindReuse --format xml or an evidence page wrote.

    The texts for --show and --html come from the files that EVIDENCE.xml names, or from files of
    these names in FOLDER, if they are unchanged.
    """
    from sdtext.fingerprinting.load_and_save import load_evidence
    from sdtext.reuse import with_texts

    html.check([path, *files])
    evidence = load_evidence(path)
    if listing.by == "chapter" and not any(item.parts for item in evidence.coverage):
        raise OptionError(
            f"--by chapter: {path} has no shares of chapters; make it again with FindReuse "
            "--unit chapter"
        )
    with running(reading, 1, files) as run:
        if needs_texts(listing, form, html) and not places:
            evidence = with_texts(evidence, files, run=run)
    evidence = replace(evidence, problems=(*(run.problems or ()), *evidence.problems))
    if html:
        html.write(page_of_evidence(evidence, evidence.origin.created))
    print_evidence(evidence, form, listing, evidence.origin.created)
    code = report(evidence.problems)
    return code or (NOTHING_FOUND if fail_if_empty and not counting_passages(evidence) else 0)
