"""Decontaminate: find the items of a benchmark in a corpus, and write the corpus without them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import (
    force_option,
    format_option,
    jobs_option,
    records_options,
)
from sdtext.cli.options.html_page import HtmlFile, html_option, provenance
from sdtext.cli.options.reading import corpus_options
from sdtext.cli.options.values import (
    SCORE,
    STANDARD_OUTPUT,
    InputPath,
    OutputPath,
    WholeNumber,
)
from sdtext.cli.print_results import is_table, print_rows, report
from sdtext.cli.verb import Verb
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.decontamination.find_contamination import Contamination, Decontaminated
    from sdtext.model import Problem
    from sdtext.reading.options import Reading
    from sdtext.reading.records import Fields
    from sdtext.reports.html.report_page import ReportPage

CONTAMINATED = 1
"""Exit code."""

_TOP = 20
"""Rows of a table on a terminal."""

_ACTIONS = ("remove", "cut", "mark")


@click.command(
    cls=Verb,
    epilog="Examples: sdtext Decontaminate pages.jsonl --benchmark quiz.jsonl --check\n\n"
    "sdtext Decontaminate pages.jsonl.gz --benchmark quiz.jsonl -o clean.jsonl --action cut",
)
@click.argument("inputs", type=InputPath(), metavar="CORPUS...", nargs=-1, required=True)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    required=True,
    type=InputPath(),
    metavar="ITEMS",
    help="Items of a benchmark: a file of records, or documents, a paragraph an item. Repeatable.",
)
@click.option(
    "--question-field",
    "questions",
    multiple=True,
    metavar="F",
    help="Field of an item with its question. Repeatable: fields are joined.  "
    "[default: question, else text]",
)
@click.option(
    "--answer-field",
    default="",
    metavar="F",
    help="Field of an item with its answer or answers.  [default: answer, if there is one]",
)
@click.option(
    "-s",
    "--min-score",
    "minimum",
    type=SCORE,
    metavar="MIN",
    default=60,
    show_default=True,
    help="Minimum score, 0 to 99.",
)
@click.option(
    "--min-words",
    type=WholeNumber(min=8),
    metavar="N",
    default=8,
    show_default=True,
    help="Search only for items of so many words or more.",
)
@click.option(
    "--with-answer",
    is_flag=True,
    help="Of items with answers, count only those that stand near an answer.",
)
@click.option(
    "-o",
    "--output",
    "clean",
    type=OutputPath(),
    default="",
    metavar="CLEAN",
    help="The file for the corpus without items; - prints it instead of rows.",
)
@click.option(
    "--action",
    type=click.Choice(_ACTIONS),
    default=_ACTIONS[0],
    show_default=True,
    help="In CLEAN, leave out records that hold items, cut the items out, or mark them in a field.",
)
@html_option
@force_option
@click.option("--check", "is_check", is_flag=True, help="Exit with 1 if an item is found.")
@records_options
@format_option
@corpus_options
@jobs_option
def command(
    inputs: tuple[str, ...],
    benchmarks: tuple[str, ...],
    questions: tuple[str, ...],
    answer_field: str,
    minimum: int,
    min_words: int,
    with_answer: bool,
    clean: str,
    action: str,
    html: HtmlFile,
    force: bool,
    is_check: bool,
    form: str | None,
    fields: Fields,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Find the items of a benchmark in the records or documents at CORPUS.

    CORPUS is either files of records (JSON lines, JSON arrays, CSV, TSV or Parquet) or documents:
    files, folders and archives; - is standard input. A row names a record, an item in it, and
    where it stands; a table on a terminal has 20 rows, those of the highest scores, first one of
    each item. CLEAN gets the records without items unchanged, but CSV and TSV always in UTF-8; of
    documents it gets the paths.
    """
    from sdtext.decontamination.benchmark_items import ItemFields, load_items
    from sdtext.decontamination.clean_corpus import check_output, write_clean
    from sdtext.decontamination.find_contamination import Contamination, find_contamination
    from sdtext.deduplication.source_documents import sources_in
    from sdtext.io.output import written
    from sdtext.reading.inputs import Inputs
    from sdtext.reading.overwrite_guard import PLAIN, Output, check_outputs

    output = Output(clean, PLAIN, force)
    named = [output] if clean else []
    check_outputs([*named, html.output] if html else named, [*inputs, *benchmarks])
    asked = Contamination(minimum, min_words, with_answer)
    with running(reading, jobs, inputs) as run:
        items = load_items(benchmarks, ItemFields(questions, answer_field), run)
        sources = sources_in(Inputs(inputs, fields), run)
        if clean:
            check_output(sources, clean, action)
        done = find_contamination(sources, items, asked, run)
        if clean:
            with written(clean, output.check_replaced) as file:
                write_clean(done, action, clean, file, run)
    problems = run.problems or ()
    if html:
        html.write(_page(done, asked, inputs, benchmarks, problems))
    if clean != STANDARD_OUTPUT:
        _print(done, form, problems)
    say(str(done))
    if clean not in ("", STANDARD_OUTPUT):
        held = f"{done.contaminated:,}"
        by_action = {
            "remove": f"{done.read - done.contaminated:,} kept, {held} left out",
            "cut": f"items cut out of {held}",
            "mark": f"{held} marked",
        }
        say(f"{shown(clean)}: written, {by_action[action]}")
    return report(problems) or (CONTAMINATED if is_check and done.matches else 0)


def _page(
    done: Decontaminated,
    asked: Contamination,
    inputs: Sequence[str],
    benchmarks: Sequence[str],
    problems: Sequence[Problem],
) -> ReportPage:
    """The items that occur as a page, with the digests of the files that were read."""
    from sdtext.reports.html.overview_page import page_of
    from sdtext.reports.html.report_page import digests_of_inputs
    from sdtext.reports.html.result_overviews import (
        of_decontamination,
        parameters_of_contamination,
    )

    records = (match.record for match in done.matches)
    facts = provenance(
        parameters_of_contamination(asked, inputs, benchmarks),
        [
            *digests_of_inputs(inputs, records, "searched"),
            *digests_of_inputs(benchmarks, (match.item for match in done.matches), "items"),
        ],
    )
    return page_of(of_decontamination(done, asked.minimum, problems), facts, problems)


def _print(done: Decontaminated, form: str | None, problems: Sequence[Problem]) -> None:
    """Print the items that occur; in a table on a terminal, the strongest."""
    from sdtext.reports.decontamination import COLUMNS, row_of, strongest_rows, summary_of

    schema = "sdtext/decontamination/1"
    if is_table(form) and sys.stdout.isatty():
        print_rows(form, COLUMNS, strongest_rows(done, _TOP), schema)
        if (more := len(done.matches) - _TOP) > 0:
            say(f"… {more:,} more (--format tsv prints all)")
        return
    print_rows(form, COLUMNS, map(row_of, done.matches), schema, problems, **summary_of(done))
