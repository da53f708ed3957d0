"""CompareDirectory: find what in a folder is similar to a document or fingerprint."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import VERBOSE, is_set, say
from sdtext.cli.options.bare_arguments import comparison_arguments, is_folder
from sdtext.cli.options.common import (
    dictionaries_option,
    exit_code_option,
    explain_option,
    format_option,
    gathered,
    jobs_option,
    matcher_option,
    min_terms_option,
    recommended_option,
    segment_option,
    top_option,
)
from sdtext.cli.options.html_page import HtmlFile, html_options, provenance
from sdtext.cli.options.reading import folder_options, reading_options
from sdtext.cli.options.values import InputPath, MinimumScore
from sdtext.cli.print_results import (
    LISTED_TERMS,
    NOTHING_FOUND,
    default_format,
    explain_chances,
    print_rows,
    report,
    warn_of_unexplained,
    with_chance,
)
from sdtext.cli.verb import Verb
from sdtext.errors import counted, printable, shown
from sdtext.model.matches import MIN_TERMS

if TYPE_CHECKING:
    from sdtext.fingerprinting.compare_folder import Comparison, Row
    from sdtext.fingerprinting.query_files import Queries
    from sdtext.io.decompressed_content import Content
    from sdtext.model.calibration import Calibration
    from sdtext.parts.units.term_segments import Segment
    from sdtext.reading.options import Reading
    from sdtext.reports.html.report_page import ReportPage

_TOP = 20
"""Rows for each fingerprint, where no option asks for more."""

_HIGH = 50
"""A score that unrelated documents hardly reach with any dictionary of some hundred terms."""

_MAX_REASONS = 5
_NAMED = 5  # fingerprints


@dataclass(frozen=True)
class _Method:
    """How documents are compared."""

    matcher: str | None
    minimum: int | None
    recommended: bool
    dictionaries: Sequence[str]
    segment: Segment | None
    min_terms: int
    index: str
    explain: bool


@dataclass(frozen=True)
class _Printing:
    """Which rows are printed, in which format, and the exit code without any."""

    top: int | None
    unabridged: bool
    form: str | None
    fail_if_empty: bool


@click.command(
    cls=Verb,
    epilog="Examples: sdtext CompareDirectory memo.docx letters/\n\n"
    "sdtext CompareDirectory case/ disk/\n\n"
    "sdtext CompareDirectory memo.fp.xml letters/ -s 15",
)
@matcher_option
@click.argument("bare", nargs=-1, type=InputPath(), metavar="[FINGERPRINT]... [DIR]")
@click.option(
    "-f",
    "--fingerprint",
    "named",
    multiple=True,
    type=InputPath(),
    metavar="FINGERPRINT",
    help="What to look for: a fingerprint file, a container, a document or a folder of these. "
    "Repeatable, also as bare arguments.",
)
@click.option(
    "-p",
    "--path",
    "folders",
    multiple=True,
    type=InputPath(),
    metavar="DIR",
    help="A folder to search. Repeatable. Without -p, the bare arguments that are folders, without "
    "the first if nothing else is given to look for, else the last argument.",
)
@click.option(
    "-s",
    "--min-score",
    "minimum",
    type=MinimumScore(),
    metavar="MIN",
    help="Minimum score, 0 to 99.  [default: 1]",
)
@recommended_option
@click.option(
    "--all",
    "unabridged",
    is_flag=True,
    help="List every candidate, also those without a score, with the reason.",
)
@dictionaries_option(
    "The dictionary, if the fingerprint does not contain it. Repeatable.  [default: the one that "
    "the fingerprint was made with, if it comes with sdtext or is a file in the same folder; for a "
    "document, one made from DIR]"
)
@segment_option(
    "Also compare documents segment by segment, to find an excerpt in a long document: TOKENS near "
    "the number of its terms and STEP half of that; 200/100 if it is not known.  [default: as the "
    "fingerprints are]"
)
@top_option("Maximum number of rows for each fingerprint.  [default: 20, with -s or --all all]")
@min_terms_option(MIN_TERMS)
@click.option(
    "--index",
    type=click.Choice(("columns", "scan")),
    default="columns",
    show_default=True,
    help="How similar documents, and segments of two, are found: scan scores every pair.",
)
@explain_option
@exit_code_option
@format_option
@html_options
@reading_options
@folder_options("folders")
@jobs_option
@comparison_arguments
@gathered("method", _Method)
@gathered("printing", _Printing)
def command(
    files: list[str],
    folders: list[str],
    opened: Mapping[str, Content],
    method: _Method,
    printing: _Printing,
    html: HtmlFile,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Compare a fingerprint with all documents and fingerprints in DIR and below.

    Rows are sorted by score, highest first, by default the best 20 for each fingerprint; 99 means a
    similarity of at least 0.99. common is the number of terms in both, a the number in the
    fingerprint, b the number in the file. Paths are relative to DIR; with several folders they
    begin with DIR. A file in DIR is not compared with itself. If a segment of a document matches
    best, these are the numbers of its terms, and segment and query_segment give its place:
    OFFSET:LENGTH in characters of the text as ExtractText prints it.

    A document without a dictionary (-d) is compared with one made from all documents in DIR; with
    fewer than 8 in DIR, with the one that comes with sdtext for its language. Unrelated documents
    mostly score below 15 with a dictionary of DIR, below 35 with the bundled English and German
    ones (40 for English documents of one project), below 45 with the bundled Arabic, Chinese,
    French, Russian and Spanish ones. Higher scores deserve a look. Of a small or trimmed
    dictionary no such score is known: Calibrate measures it.
    """
    from sdtext.fingerprinting.compare_folder import compare_by
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.fingerprinting.pair_selection import Wanted
    from sdtext.fingerprinting.query_files import load_queries

    html.check([*files, *folders, *method.dictionaries])
    known = [opened.get(path, path) for path in method.dictionaries]
    loaded = [load_dictionary(item, reading.max_bytes) for item in known]
    with running(reading, jobs, [*folders, *files]) as run:
        read = [opened.get(path, path) for path in files]
        queries = load_queries(read, loaded, run, method.segment, folders)
        best = _recommended(queries, method) if method.recommended else None
        matcher = best.matcher if best else method.matcher
        terms = LISTED_TERMS if method.explain else 0
        comparer = queries.comparer(matcher, method.min_terms, terms, method.index)
        listing = _ListedRows.of(
            best or method.minimum,
            printing.top,
            unabridged=printing.unabridged,
            segmented=queries.segment is not None,
        )
        every = listing.unabridged or bool(html)
        wanted = Wanted(listing.minimum or 1, listing.top, every)
        comparison = compare_by(comparer, queries, folders, run, wanted)
    if searched := ", ".join(map(shown, filter(is_folder, files))):
        say(f"queries: {counted(len(queries.fingerprints), 'fingerprint')}, also of {searched}")
    for dictionary in queries.origins:
        say(f"dictionary: {dictionary}")
    if matcher is None:
        say(f"matcher: {comparison.matcher}")
    rows = listing.rows(comparison)
    form = printing.form or default_format()
    _print(comparison, queries, listing, form, explained=method.explain)
    if html:
        html.write(_page(comparison, rows, queries, best or method.minimum, folders))
    code = report(comparison.problems)
    listing.summarise(comparison, rows, repeats=form == "table" and sys.stdout.isatty())
    if method.explain:
        warn_of_unexplained(sum(row.score is not None and row.shared_terms is None for row in rows))
    comparison.check(folders, queries.default)
    if printing.fail_if_empty and all(row.score is None for row in rows):
        return code or NOTHING_FOUND
    return code


def _print(
    comparison: Comparison, queries: Queries, listing: _ListedRows, form: str, *, explained: bool
) -> None:
    """Print the listed rows, in JSON also what was compared and what is left out."""
    columns, rows = comparison.columns(explained=explained), listing.rows(comparison)
    print_rows(
        form,
        columns,
        (with_chance(row, form, columns) for row in rows),
        "sdtext/compare/1",
        comparison.problems,
        matcher=comparison.matcher,
        dictionaries=_names(queries),
        queries=comparison.queries,
        documents=comparison.documents,
        compared=comparison.tally.scored.total(),
        without_text=comparison.without_text,
        unreadable=comparison.unreadable,
        unmatched=comparison.unmatched(rows),
        more=listing.more(comparison, rows),
        not_comparable=[{"reason": reason, "count": n} for reason, n in comparison.reasons()],
    )
    explain_chances(form, rows)


def _recommended(queries: Queries, method: _Method) -> Calibration:
    """The calibration that gives the matcher and the minimum score."""
    from sdtext.fingerprinting.compare_fingerprints import recommended_calibration

    if method.matcher is not None or method.minimum is not None:
        raise click.UsageError("--recommended stands for -m and -s; leave these out")
    best = recommended_calibration(queries.dictionaries)
    say(f"recommended: {best.described()}")
    return best


def _names(queries: Queries) -> list[str]:
    """The names of the dictionaries, or what stands for the one that no one named."""
    if queries.default:
        return [queries.default.origin]
    return [dictionary.name or dictionary.guid for dictionary in queries.dictionaries]


def _page(
    comparison: Comparison,
    rows: Sequence[Row],
    queries: Queries,
    minimum: int | Calibration | None,
    folders: Sequence[str],
) -> ReportPage:
    """The comparison as a page, with the digests of what is listed in it."""
    from sdtext.reports.html.overview_page import page_of
    from sdtext.reports.html.report_page import digests_of, digests_of_dictionaries
    from sdtext.reports.html.result_overviews import of_comparison

    parameters = [
        ("Folders", ", ".join(folders)),
        ("Dictionary", ", ".join(_names(queries))),
        ("Matcher", comparison.matcher),
        ("Minimum score", _described(minimum)),
    ]
    below = _below(folders)
    names = list(dict.fromkeys(comparison.names))
    listed = (f"{below}{row.path}" for row in rows)
    inputs = [
        *digests_of(names, "compared with the others"),
        *digests_of((path for path in listed if path not in names), "listed"),
        *digests_of_dictionaries(queries.dictionaries),
    ]
    calibrations = queries.comparer(comparison.matcher).calibrations
    overview = of_comparison(comparison, rows, minimum, below, calibrations)
    facts = replace(
        provenance(parameters, inputs),
        inputs_text="What was searched for, the files that are listed, and the dictionaries; not "
        "the files that were compared, but are not listed.",
    )
    return page_of(overview, facts, comparison.problems)


def _described(minimum: int | Calibration | None) -> str:
    """The minimum score in words."""
    if minimum is None:
        return "none"
    return str(minimum) if isinstance(minimum, int) else minimum.levels_described()


def _below(folders: Sequence[str]) -> str:
    """What stands before the paths of rows: the folder, if it is the only one, with a slash."""
    only = Path(folders[0])
    folder = only if only.is_dir() else only.parent
    return f"{folder.as_posix()}/" if len(folders) == 1 and folder.parts else ""


@dataclass(frozen=True)
class _ListedRows:
    """Which rows are listed."""

    minimum: int | Calibration
    top: int | None
    unabridged: bool
    segmented: bool

    @classmethod
    def of(
        cls,
        minimum: int | Calibration | None,
        top: int | None,
        *,
        unabridged: bool,
        segmented: bool,
    ) -> _ListedRows:
        """The rows that options ask for; by default the best of each fingerprint."""
        if top is None and minimum is None and not unabridged:
            top = _TOP
        least = 0 if unabridged else 1
        minimum = least if minimum is None else minimum
        return cls(minimum, top, unabridged or minimum == 0, segmented)

    def rows(self, comparison: Comparison) -> list[Row]:
        """The rows to list, the best first."""
        return comparison.best(self.minimum, self.top, not_comparable=self.unabridged)

    def more(self, comparison: Comparison, rows: Sequence[Row]) -> int:
        """How many rows are left out that score the minimum or more."""
        listed = sum(row.reaches(self.minimum or 1) for row in rows)
        return comparison.tally.reaching - listed

    def summarise(self, comparison: Comparison, rows: Sequence[Row], *, repeats: bool) -> None:
        """Print what is not listed, and how many were compared, above the minimum, unreadable.

        It `repeats` the best rows of a long list, for people who have seen them pass.
        """
        if more := self.more(comparison, rows):
            say(f"… {more:,} more (-k, -s)")
        reasons = comparison.reasons()
        is_counted = rows and not self.unabridged
        for reason, number in reasons[:_MAX_REASONS] if is_counted else ():
            say(f"{number:,} not comparable: {printable(reason)} (--all lists them)")
        compared = comparison.tally.scored.total()
        unreadable = comparison.unreadable
        if not (compared or reasons or comparison.left_out or unreadable):
            return  # the problems say what there was
        minimum = self.minimum or 1
        least = minimum if isinstance(minimum, int) else "the recommended score"
        if comparison.queries > 1 or comparison.without_text:
            say(_searched(comparison))
        if compared and comparison.queries > 1 and (without := comparison.unmatched(rows)):
            say(_nothing_found(without, comparison.queries, whole=not self.segmented))
        say(
            f"{compared:,} compared, {comparison.tally.reaching:,} at or above "
            f"{least}, {sum(number for _, number in reasons):,} not comparable, "
            f"{unreadable:,} unreadable{_left_out(comparison)}"
        )
        for line in self._below_many(rows, repeats=repeats):
            say(line)

    def _below_many(self, rows: Sequence[Row], *, repeats: bool) -> Iterator[str]:
        """Lines below a long list: the option that makes it short, and the best rows once more."""
        if (self.minimum, self.top) != (1, _TOP) or len(rows) <= _TOP:
            return
        high = [row for row in rows if row.reaches(_HIGH)]
        if any(row.chance for row in rows):
            yield "--recommended lists only pairs with scores that unrelated documents hardly reach"
        else:
            of_all = f"{len(high):,} of {len(rows):,} rows"
            yield f"-s {_HIGH} lists the pairs that score {_HIGH} or more: {of_all}"
        if not (repeats and high):
            return
        yield f"the best rows once more, of {_HIGH} or more:"
        for row in high[:_TOP]:
            yield f"{row.score:>6}  {shown(row.path)}  {shown(row.fingerprint)}"
        if len(high) > _TOP:
            yield f"     …  {len(high) - _TOP:,} more"


def _nothing_found(without: Sequence[str], queries: int, *, whole: bool) -> str:
    """How many fingerprints have no row, with the first names, or all if these are asked for."""
    named = len(without) if is_set(VERBOSE) else _NAMED
    more = f" and {len(without) - named:,} more (--verbose)" if len(without) > named else ""
    names = ", ".join(map(shown, without[:named]))
    hint = "; --segment 200/100 also finds a document within a longer one" if whole else ""
    return f"nothing found for {len(without):,} of {queries:,} fingerprints: {names}{more}{hint}"


def _searched(comparison: Comparison) -> str:
    """How many documents were compared with how many others; the last line counts pairs."""
    documents = counted(comparison.documents, "document")
    others = counted(comparison.queries, "fingerprint")
    files = counted(comparison.without_text, "file")
    without = f"; {files} without text" if comparison.without_text else ""
    return f"{documents} compared with {others}{without}"


def _left_out(comparison: Comparison) -> str:
    """How many files were not compared with themselves, for the last line."""
    whose = "itself" if comparison.left_out == 1 else "themselves"
    left_out = counted(comparison.left_out, "file")
    return f"; {left_out} not compared with {whose}" if comparison.left_out else ""
