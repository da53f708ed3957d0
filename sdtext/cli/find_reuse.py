"""FindReuse: find the passages that documents share, and the share of each document."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import exit_code_option, jobs_option, records_options, top_option
from sdtext.cli.options.folders import folder_options
from sdtext.cli.options.html import HtmlFile, html_options, provenance
from sdtext.cli.options.integrity import checks_options
from sdtext.cli.options.provenance import origin
from sdtext.cli.options.reading import reading_options
from sdtext.cli.options.reuse import reuse_options
from sdtext.cli.options.values import Score
from sdtext.cli.print_results import NOTHING_FOUND, default_format, print_rows, print_texts
from sdtext.cli.report_problems import report
from sdtext.cli.verb import Verb
from sdtext.errors import OptionError, counted
from sdtext.reports.row_formats import FORMATS

if TYPE_CHECKING:
    from sdtext.collections.collection import Checks
    from sdtext.collections.conditions import Condition
    from sdtext.model import Evidence
    from sdtext.reading.inputs import Inputs
    from sdtext.reading.options import Reading
    from sdtext.reading.records import Fields
    from sdtext.reports.html.report_page import ReportPage
    from sdtext.reports.reuse_report import ListedPassage
    from sdtext.reuse import ReuseInput, ReuseQuestion

_PAN, _XML, _HTML = "pan", "xml", "html"
_LISTED = ("passage", "document", "pair")
_TABLE_COLUMNS = (
    *("left", "right", "score", "verbatim", "left_place", "right_place"),
    *("left_share", "right_share", "metadata", "excluded"),
)
"""The columns of a table: those that fit on a terminal."""


@dataclass(frozen=True)
class _Sides:
    """The two sides of the comparison: paths of collections, and files."""

    collections: Sequence[str]
    files: Sequence[str]
    fields: Fields
    metadata: str | None

    @classmethod
    def named(
        cls, named: Sequence[str], bare: Sequence[str], fields: Fields, metadata: str | None
    ) -> _Sides:
        """The sides that the command line names; bare arguments may be collections or files."""
        from sdtext.collections.collection import is_collection

        collections = [path for path in bare if path.endswith(".sdx") or is_collection(path)]
        paths = [*named, *(path for path in bare if path not in collections)]
        files = list({os.path.realpath(path): path for path in reversed(paths)}.values())[::-1]
        return cls(collections, files, fields, metadata)

    def check(self, where: Condition | None) -> None:
        """Raise UsageError for sides that cannot be compared."""
        if where and not self.collections:
            raise click.UsageError(
                "--where filters the documents of a collection; name a collection"
            )
        if len(self.collections) > 2 or (len(self.collections) == 2 and self.files):
            raise click.UsageError(
                "give one collection, two collections, or one collection and files with -i"
            )
        if not self.collections and not self.files:
            raise click.UsageError(
                "give two files with -i, a folder, or a collection NAME.sdx; or files and one of "
                "these"
            )

    def check_pan(self) -> None:
        """Raise UsageError unless PAN's XML can represent the result."""
        if self.collections or len(self.files) != 2:
            raise click.UsageError("--format pan is for two files: -i A -i B")

    def sought(self, checks: Checks) -> tuple[ReuseInput, ReuseInput | None]:
        """The left side and the right one, None for a collection alone."""
        from sdtext.collections.collection import Collection

        opened = [Collection.open(path, checks) for path in self.collections]
        if not opened:
            if len(self.files) == 1:
                return self._inputs(self.files), None
            return self._inputs(self.files[:1]), self._inputs(self.files[1:])
        if self.files:
            return self._inputs(self.files), opened[0]
        return opened[0], opened[1] if len(opened) > 1 else None

    def _inputs(self, files: Sequence[str]) -> Inputs:
        from sdtext.reading.inputs import Inputs

        return Inputs(files, self.fields, self.metadata)


@click.command(
    cls=Verb,
    epilog="Examples: sdtext FindReuse -i report.docx -i source.pdf\n\n"
    "sdtext FindReuse archive.sdx -i application.docx --unit chapter --exclude form.docx\n\n"
    "sdtext FindReuse archive.sdx --where \"organisation = 'HUT'\" --format xml > evidence.xml",
)
@click.argument("bare", nargs=-1, metavar="[FILE|FOLDER|NAME.sdx]...")
@click.option(
    "-i",
    "--input",
    "named",
    multiple=True,
    metavar="FILE",
    help="A document. Repeatable, also as bare arguments.",
)
@click.option("--metadata", metavar="TABLE", help="Metadata of the FILEs, as CSV or JSON lines.")
@click.option(
    "--by",
    type=click.Choice(_LISTED),
    default="passage",
    show_default=True,
    help="List passages, pairs of documents with their shares, or documents with their shares.",
)
@click.option(
    "--all",
    "unfolded",
    is_flag=True,
    help="List each passage of text that stands in many documents: in more than 3 (10 if it has "
    "more than 50 words), and in more than 1 in 100 of those compared. Otherwise such a text is "
    "one row. It does not count in the shares.",
)
@click.option(
    "-s",
    "--min-score",
    "minimum",
    type=Score(),
    metavar="MIN",
    help="Minimum score of a row, 0 to 99: of a passage its similarity, of a pair or a document "
    "its share in per cent.  [default: all rows]",
)
@top_option("Maximum number of rows.  [default: all]")
@click.option(
    "--show",
    is_flag=True,
    help="Print the passages themselves, both sides, with line numbers and the words that differ "
    "marked. Long ones are shortened in the middle; --all prints them whole.",
)
@html_options
@reuse_options
@checks_options
@exit_code_option
@click.option(
    "--format",
    "form",
    type=click.Choice([*FORMATS, _XML, _PAN, _HTML]),
    help="Output format of passages; html is the page of --html.  [default: table on a terminal, "
    "otherwise TSV]",
)
@records_options
@reading_options
@folder_options("bare", excluded=False)
@jobs_option
def command(
    bare: Sequence[str],
    named: tuple[str, ...],
    metadata: str | None,
    question: ReuseQuestion,
    checks: Checks,
    fail_if_empty: bool,
    unfolded: bool,
    by: str,
    minimum: int | None,
    top: int | None,
    show: bool,
    form: str | None,
    html: HtmlFile,
    fields: Fields,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Find the passages that documents share, and the share of each that is found elsewhere.

    Two or more FILEs: the first is compared with each of the others. A folder alone: its files
    with each other. NAME.sdx and FILEs: each FILE
    with the documents of the collection. NAME.sdx alone: its documents with each other. Two
    collections: the documents of the first with those of the second. FILE is a document, a folder,
    an archive or a file of records; - is standard input.

    Rows are in the order of weight: first the pairs that share most, of a pair first its longest
    passage.
    """
    from sdtext.reuse import find_reuse

    sides = _Sides.named(named, bare, fields, metadata)
    sides.check(question.where)
    if form == _PAN:
        sides.check_pan()
    listing = _Listing(by, minimum, top, unfolded, show)
    listing.check(form)
    html.check([*sides.files, *sides.collections])
    left, right = sides.sought(checks)
    with running(reading, jobs, sides.files) as run:
        evidence = find_reuse(left, right, question, run)
    evidence = replace(evidence, problems=(*(run.problems or ()), *evidence.problems))
    if html:
        html.write(_page(evidence))
    _print(evidence, form, listing)
    code = report(evidence.problems)
    return code or (NOTHING_FOUND if fail_if_empty and not _passages(evidence) else 0)


def _page(evidence: Evidence) -> ReportPage:
    """The evidence as a page."""
    from sdtext.reports.html.evidence_page import evidence_page

    stamped = replace(evidence, origin=origin())
    parameters = list(evidence.parameters.items())
    return evidence_page(stamped, provenance(parameters), evidence.problems)


def _passages(evidence: Evidence) -> int:
    """The number of passages that are not excluded."""
    return sum(not item.excluded for shared in evidence.shared for item in shared.passages)


def _table_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the table: places as OFFSET:LENGTH; many documents in place of the right one."""
    places: dict[str, str | None] = {}
    if row["right"] is None:
        places["right"] = f"stands in {row['documents']} documents"
    for side in ("left", "right"):
        offset, length = row[f"{side}_offset"], row[f"{side}_length"]
        places[f"{side}_place"] = None if offset is None else f"{offset}:{length}"
    return {**row, **places}


def _pan(evidence: Evidence) -> str:
    """The passages of two documents in PAN's XML."""
    from sdtext.formats.pan import pan_of

    names = [document.name for document in evidence.documents]
    if len(names) != 2:
        raise OptionError("--format pan needs exactly two documents; name each with -i")
    this, source = names
    return pan_of(this, source, evidence.shared[0].passages if evidence.shared else ())


@dataclass(frozen=True)
class _Listing:
    """What is listed: passages, pairs or documents; which of them, and how many."""

    by: str
    minimum: int | None
    top: int | None
    unfolded: bool
    show: bool

    def check(self, form: str | None) -> None:
        """Raise UsageError for a format that is always complete."""
        is_chosen = self.minimum is not None or self.top is not None or self.by != "passage"
        if form in (_XML, _PAN, _HTML) and is_chosen:
            raise click.UsageError(f"--format {form} has all passages; omit --by, -s and -k")
        if self.show and form in (_XML, _PAN, _HTML):
            has = "the passages anyway" if form == _HTML else "places, not texts"
            raise click.UsageError(
                f"--format {form} has {has}; with --show use table, tsv, csv, json or jsonl"
            )
        if self.show and self.by != "passage":
            raise click.UsageError(f"--show prints passages; omit --by {self.by}")

    def passages(self, evidence: Evidence) -> Iterator[ListedPassage]:
        """The passages with their rows, those of most weight first."""
        from sdtext.reports.reuse_report import by_weight, listed_passages

        listed = listed_passages(by_weight(evidence), unfolded=self.unfolded)
        return islice((item for item in listed if self._is_listed(item.row)), self.top)

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """The rows, those of most weight first; if asked for, with the texts."""
        from sdtext.reports.passage_texts import DocumentTexts
        from sdtext.reports.reuse_report import by_weight, rows_of_documents, rows_of_pairs

        if self.by == "passage":
            texts = DocumentTexts(evidence) if self.show else None
            for item in self.passages(evidence):
                yield {**item.row, **(texts.fields(item) if texts else {})}
            return
        rows_of = rows_of_pairs if self.by == "pair" else rows_of_documents
        rows = (row for row in rows_of(by_weight(evidence)) if self._is_listed(row))
        yield from islice(rows, self.top)

    def _is_listed(self, row: Mapping[str, Any]) -> bool:
        return not self.minimum or (row["score"] or 0) >= self.minimum


def _print(evidence: Evidence, form: str | None, listing: _Listing) -> None:
    """Print what was found, and say it in some lines beside."""
    from sdtext.reports.passage_texts import TEXT_COLUMNS, print_passages
    from sdtext.reports.reuse_report import LISTS, exceptions_of, record_of, summary_of

    if form == _XML:
        from sdtext.formats.evidence_xml import write_evidence

        write_evidence(sys.stdout.buffer, replace(evidence, origin=origin()))
    elif form == _PAN:
        sys.stdout.buffer.write(_pan(evidence).encode("utf-8"))
    elif form == _HTML:
        from sdtext.reports.html.report_page import rendered

        sys.stdout.buffer.write(rendered(_page(evidence)).encode("utf-8", "replace"))
    elif listing.show and form in (None, "table"):
        print_texts(print_passages(listing.passages(evidence), evidence, whole=listing.unfolded))
    elif (form or default_format()) == "table" and listing.by == "passage":
        print_rows("table", _TABLE_COLUMNS, map(_table_row, listing.rows(evidence)), "")
    else:
        columns, schema = LISTS[listing.by]
        columns = (*columns, *(TEXT_COLUMNS if listing.show else ()))
        beside = record_of(evidence)
        print_rows(form, columns, listing.rows(evidence), schema, evidence.problems, **beside)
    summary = exceptions_of if listing.by == "document" else summary_of
    for line in (evidence.how, *summary(evidence)):
        say(line)
    say(f"{counted(_passages(evidence), 'passage')} found")
