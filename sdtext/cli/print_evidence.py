"""Print evidence of text reuse: rows of passages, documents and so on, texts, XML or a page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, BinaryIO

import click

from sdtext.cli.main import QUIET, is_set, say, while_read
from sdtext.cli.options.common import flag, grouped, option, shared
from sdtext.cli.options.html_page import HtmlFile, with_origin
from sdtext.cli.print_results import format_of_rows, print_rows, print_texts, report
from sdtext.errors import OptionError
from sdtext.reports.row_formats import FORMATS
from sdtext.wording import counted

if TYPE_CHECKING:
    from sdtext.model import Evidence
    from sdtext.reports.reuse_report import Listing

_LISTED = ("passage", "document", "pair", "chapter")


listing_options = grouped(
    "listed",
    dict,
    option(
        "--by",
        choices=_LISTED,
        default="passage",
        help="List passages, or documents, pairs of documents or chapters with their shares. "
        "Chapters are those of FindReuse --unit chapter.",
    ),
    click.option(
        "--all",
        "unfolded",
        is_flag=True,
        help="List each passage of text that stands in many documents: in more than 3 (10 if it "
        "is long), and in more than 1 in 100 of those compared; and of excluded "
        "text, such as a template, in three or more. Otherwise such a text is one row. It does not "
        "count in the shares. With --by pair, list the pairs that share nothing else, too.",
    ),
    shared(
        "minimum",
        "Minimum score of a row, 0 to 99. Of a passage it is its similarity, of a pair, a document "
        "or a chapter its share in per cent.  [default: all rows]",
    ),
    shared("top", "Maximum number of rows.  [default: all]"),
    flag(
        "show",
        "Print the passages themselves, both sides, with line numbers; words that differ and text "
        "that moved are marked. Long ones are shortened in the middle; --all prints them whole.",
    ),
    option(
        "--format",
        "form",
        choices=[*FORMATS, "xml", "pan", "html"],
        help="Output format of passages; html is the page of --html.  [default: table on a "
        "terminal, otherwise TSV]",
    ),
)


def print_evidence(evidence: Evidence, listing: Listing, html: HtmlFile, found_at: str = "") -> int:
    """Print what was found, and say it in some lines beside; return the exit code.

    `found_at` is when it was found, if that was before this run.
    """
    from sdtext.reports import reuse_report
    from sdtext.reports.terminal_table import table_of

    if html.path:
        from sdtext.reports.html.evidence_page import evidence_page

        html.write(evidence_page(evidence, found_at))
    form, is_of_passages = listing.form, listing.by == "passage"
    listed, more = list[reuse_report.ListedPassage](), 0
    if form not in reuse_report.WHOLE:
        listed, more = listing.listed(evidence, named=format_of_rows(form) == "table")
    chapters: tuple[str, ...] = ()
    if is_of_passages and reuse_report.titled_chapters(evidence):
        chapters = reuse_report.CHAPTERS_OF_SIDES
    if form in reuse_report.WHOLE:
        with while_read():
            _write_whole(sys.stdout.buffer, evidence, form, found_at)
    elif listing.show and form in (None, "table"):
        from sdtext.reports.passage_texts import print_passages  # rich takes time to load

        print_texts(print_passages(listed, evidence, whole=listing.unfolded))
    elif format_of_rows(form) == "table" and is_of_passages:
        rows = [*map(reuse_report.table_row, listing.rows(listed, evidence))]
        columns = (*reuse_report.TABLE_COLUMNS, *chapters)
        print_texts([table_of(columns, rows, reuse_report.LEFT_OUT_FIRST)])
    else:
        columns, schema, _ = reuse_report.LISTS[listing.by]
        columns = (*columns, *chapters, *(reuse_report.TEXT_COLUMNS if listing.show else ()))
        beside = {**reuse_report.record_of(evidence), "more": more} if form == "json" else {}
        of_rows = listing.rows(listed, evidence)
        print_rows(form, columns, of_rows, schema, evidence.problems, **beside)
    passages = (item for shared in evidence.shared for item in shared.passages)
    counting = sum(not item.excluded for item in passages)
    if not is_set(QUIET):
        if more:
            say(f"… {more:,} more (-k, -s)")
        for line in (evidence.how, *reuse_report.summary_of(evidence, listing.by)):
            say(line)
        say(f"{counted(counting, 'passage')} found")
    return report(evidence.problems, found=counting)


def _write_whole(file: BinaryIO, evidence: Evidence, form: str | None, found_at: str) -> None:
    """Write what was found in a format that is always complete."""
    if form == "xml":
        from sdtext.formats.evidence_xml import write_evidence

        write_evidence(file, evidence)
    elif form == "pan":
        from sdtext.formats.pan import pan_of

        if len(evidence.documents) != 2:
            raise OptionError("--format pan needs exactly two documents")
        this, source = (document.name for document in evidence.documents)
        passages = evidence.shared[0].passages if evidence.shared else ()
        file.write(pan_of(this, source, passages).encode("utf-8"))
    else:
        from sdtext.reports.html.evidence_page import evidence_page
        from sdtext.reports.html.report_page import rendered

        page = with_origin(evidence_page(evidence, found_at))
        file.write(rendered(page).encode("utf-8", "replace"))
