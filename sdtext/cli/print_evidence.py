"""Print evidence of text reuse: rows of passages, documents and so on, texts, XML or a page."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from sdtext.cli.main import say, while_read
from sdtext.cli.options.common import top_option
from sdtext.cli.options.html_page import HtmlFile, provenance
from sdtext.cli.options.values import SCORE
from sdtext.cli.print_results import is_table, print_rows, print_texts
from sdtext.errors import OptionError
from sdtext.reports.row_formats import FORMATS
from sdtext.wording import counted

if TYPE_CHECKING:
    from sdtext.model import Evidence
    from sdtext.reports.html.report_page import ReportPage
    from sdtext.reports.reuse_report import ListedPassage

PAN, XML, _HTML = "pan", "xml", "html"
_LISTED = ("passage", "document", "pair", "chapter")
_TABLE_COLUMNS = (
    *("left", "right", "score", "verbatim", "left_place", "right_place"),
    *("left_share", "right_share", "metadata", "excluded"),
)
"""The columns of a table: those that fit on a terminal."""

_IN_WORDS = {
    "method": "Method",
    "w": "Terms of a window",
    "distance": "Terms that may differ",
    "tau": "Terms that may differ",  # the name in evidence of before
    "aligner": "Passages",
    "tokenizer": "Words",
    "filters": "Filters of words",
    "chain SHA-256": "Words and filters, SHA-256",
    "collections": "Collections",
    "left out": "Left out of the shares",
    "templates": "Templates",
    "where": "Condition",
    "program": "Search by",
    "boilerplate": "Text of more documents than this does not count",
}
"""The parameters of a search in the words of the page."""


@dataclass(frozen=True)
class Listing:
    """What is listed: passages, pairs, documents or chapters; which of them, and how many."""

    by: str
    minimum: int | None
    top: int | None
    unfolded: bool
    show: bool

    def check(self, form: str | None) -> None:
        """Raise UsageError for a format that is always complete."""
        is_chosen = self.minimum is not None or self.top is not None or self.by != "passage"
        if form in (XML, PAN, _HTML) and is_chosen:
            raise click.UsageError(f"--format {form} has all passages; omit --by, -s and -k")
        if self.show and form in (XML, PAN, _HTML):
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
        from sdtext.reports.reuse_report import ChapterTitles

        if self.by == "passage":
            texts = DocumentTexts(evidence) if self.show else None
            chapters = ChapterTitles(evidence)
            for item in self.passages(evidence):
                beside = chapters.fields(item) if chapters else {}
                yield {**item.row, **beside, **(texts.fields(item) if texts else {})}
            return
        rows = (row for row in self._all_rows(evidence) if self._is_listed(row))
        yield from islice(rows, self.top)

    def more(self, evidence: Evidence) -> int:
        """How many rows the minimum and the maximum number leave out."""
        if self.minimum is None and self.top is None:
            return 0
        are_listed = [self._is_listed(row) for row in self._all_rows(evidence)]
        return len(are_listed) - min(sum(are_listed), self.top or len(are_listed))

    def _all_rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """All rows without texts, those of most weight first."""
        from sdtext.reports import reuse_report

        ordered = reuse_report.by_weight(evidence)
        if self.by == "passage":
            return reuse_report.rows_of(ordered, unfolded=self.unfolded)
        if self.by == "pair":
            return reuse_report.rows_of_pairs(ordered, unfolded=self.unfolded)
        if self.by == "chapter":
            return reuse_report.rows_of_chapters(ordered)
        return reuse_report.rows_of_documents(ordered)

    def _is_listed(self, row: Mapping[str, Any]) -> bool:
        return not self.minimum or (row["score"] or 0) >= self.minimum


_OPTIONS = (
    click.option(
        "--by",
        type=click.Choice(_LISTED),
        default="passage",
        show_default=True,
        help="List passages, or documents, pairs of documents or chapters with their shares. "
        "Chapters are those of --unit chapter.",
    ),
    click.option(
        "--all",
        "unfolded",
        is_flag=True,
        help="List each passage of text that stands in many documents: in more than 3 (10 if it "
        "has more than 50 words), and in more than 1 in 100 of those compared; and of excluded "
        "text, such as a template, in three or more. Otherwise such a text is one row. It does not "
        "count in the shares. With --by pair, list the pairs that share nothing else, too.",
    ),
    click.option(
        "-s",
        "--min-score",
        "minimum",
        type=SCORE,
        metavar="MIN",
        help="Minimum score of a row, 0 to 99. Of a passage it is its "
        "similarity, of a pair, a document or a chapter its share in per cent.  [default: all "
        "rows]",
    ),
    top_option("Maximum number of rows.  [default: all]"),
    click.option(
        "--show",
        is_flag=True,
        help="Print the passages themselves, both sides, with line numbers and the words that "
        "differ marked. Long ones are shortened in the middle; --all prints them whole.",
    ),
    click.option(
        "--format",
        "form",
        type=click.Choice([*FORMATS, XML, PAN, _HTML]),
        help="Output format of passages; html is the page of --html.  [default: table on a "
        "terminal, otherwise TSV]",
    ),
)


def listing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What is listed, as `listing`; `--format`, passed as `form`, fits it."""

    @wraps(function)
    def with_listing(*args: Any, form: str | None, **options: Any) -> Any:
        names = [field.name for field in fields(Listing)]
        listing = Listing(**{name: options.pop(name) for name in names})
        listing.check(form)
        return function(*args, listing=listing, form=form, **options)

    command: Callable[..., Any] = with_listing
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def needs_texts(listing: Listing, form: str | None, html: HtmlFile) -> bool:
    """Whether the texts of documents are asked for."""
    return listing.show or bool(html) or form == _HTML


def page_of_evidence(evidence: Evidence, found_at: str = "") -> ReportPage:
    """The evidence as a page; `found_at` is when, if that was before this run."""
    from sdtext.reports.html.evidence_page import evidence_page, left_out
    from sdtext.reports.html.report_page import digests_of_examined

    search = f"{evidence.how[:1].upper()}{evidence.how[1:]}"
    before = [("Evidence found", found_at)] if found_at else []
    named = ((_IN_WORDS.get(name, name), value) for name, value in evidence.parameters.items())
    parameters = [*before, ("Search", search), *named]
    inputs = [*digests_of_examined(evidence.documents, "compared")]
    facts = replace(provenance(parameters, inputs), excluded=left_out(evidence))
    return evidence_page(evidence, facts, evidence.problems)


def counting_passages(evidence: Evidence) -> int:
    """The number of passages that are not excluded."""
    return sum(not item.excluded for shared in evidence.shared for item in shared.passages)


def _table_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the table: places as OFFSET:LENGTH; many documents in place of the right one."""
    from sdtext.reuse.mark_boilerplate_passages import BOILERPLATE

    places: dict[str, str | None] = {}
    if row["right"] is None:
        places["right"] = f"stands in {row['documents']:,} documents"
        if row["excluded"] == BOILERPLATE:  # which the cell says
            places["excluded"] = None
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


def print_evidence(
    evidence: Evidence, form: str | None, listing: Listing, found_at: str = ""
) -> None:
    """Print what was found, and say it in some lines beside."""
    from sdtext.reports.passage_texts import TEXT_COLUMNS
    from sdtext.reports.reuse_report import (
        CHAPTERS_OF_SIDES,
        LEFT_OUT_FIRST,
        LISTS,
        ChapterTitles,
        record_of,
        with_chapter_names,
    )
    from sdtext.reports.terminal_table import table_of

    more = listing.more(evidence)
    if form in (XML, PAN, _HTML):
        with while_read():
            _write_all(sys.stdout.buffer, evidence, form, found_at)
    elif listing.show and form in (None, "table"):
        _print_passages(evidence, listing)
    elif is_table(form) and listing.by == "passage":
        columns = (*_TABLE_COLUMNS, *(CHAPTERS_OF_SIDES if ChapterTitles(evidence) else ()))
        passages = [*map(_table_row, listing.rows(evidence))]
        print_texts([table_of(columns, passages, LEFT_OUT_FIRST)])
    else:
        columns, schema = LISTS[listing.by]
        rows = listing.rows(evidence)
        if is_table(form) and listing.by == "chapter":
            rows = with_chapter_names(rows, evidence)
        has_chapters = listing.by == "passage" and ChapterTitles(evidence)
        columns = (*columns, *(CHAPTERS_OF_SIDES if has_chapters else ()))
        columns = (*columns, *(TEXT_COLUMNS if listing.show else ()))
        beside = {**record_of(evidence), "more": more}
        print_rows(form, columns, rows, schema, evidence.problems, **beside)
    _summarise(evidence, listing, more)


def _write_all(file: BinaryIO, evidence: Evidence, form: str, found_at: str) -> None:
    """Write what was found in a format that is always complete."""
    if form == XML:
        from sdtext.formats.evidence_xml import write_evidence

        write_evidence(file, evidence)
    elif form == PAN:
        file.write(_pan(evidence).encode("utf-8"))
    else:
        from sdtext.reports.html.report_page import rendered

        file.write(rendered(page_of_evidence(evidence, found_at)).encode("utf-8", "replace"))


def _print_passages(evidence: Evidence, listing: Listing) -> None:
    """Print the passages for people, and say how to see all of those that are shortened."""
    from sdtext.reports.passage_texts import is_shortened, print_passages

    shortened = 0

    def blocks() -> Iterator[str]:
        nonlocal shortened
        for block in print_passages(listing.passages(evidence), evidence, whole=listing.unfolded):
            yield block
            shortened += is_shortened(block)

    print_texts(blocks())
    if shortened:
        passages = counted(shortened, "passage")
        say(f"{passages} shortened in the middle (…); --all prints the whole text")


def _summarise(evidence: Evidence, listing: Listing, more: int) -> None:
    """Print how many rows are not listed, and the shares of the documents."""
    from sdtext.reports.reuse_report import exceptions_of, has_more_chapters, summary_of

    if more:
        say(f"… {more:,} more (-k, -s)")
    if listing.by != "chapter" and has_more_chapters(evidence):
        say("--by chapter lists the shares of all chapters")
    summary = exceptions_of if listing.by in ("document", "chapter") else summary_of
    for line in (evidence.how, *summary(evidence)):
        say(line)
    without_text = {item.path for item in evidence.problems if item.category == "no-text"}
    if without := sum(item.name in without_text for item in evidence.documents):
        say(f"{counted(without, 'document')} without text: only places of passages are listed")
    say(f"{counted(counting_passages(evidence), 'passage')} found")
