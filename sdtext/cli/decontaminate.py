"""Decontaminate: find the items of a benchmark in a corpus, and write the corpus without them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.main import say
from sdtext.cli.options import common, html_page, reading
from sdtext.cli.options.values import STANDARD_OUTPUT, OutputPath
from sdtext.cli.print_results import is_table, print_rows, report
from sdtext.cli.verb import verb
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.cli.batch_run import Batch
    from sdtext.decontamination.find_contamination import Decontaminated
    from sdtext.reading.parallel_run import Run
    from sdtext.reading.records.record import Fields

CONTAMINATED = 1
"""Exit code."""

_TOP = 20
"""Rows of a table on a terminal."""

_ACTIONS = {"remove": "left out", "cut": "with items cut out", "mark": "marked"}


@verb(
    "sdtext Decontaminate pages.jsonl --benchmark quiz.jsonl --check",
    "sdtext Decontaminate pages.jsonl.gz --benchmark quiz.jsonl -o clean.jsonl --action cut",
)
@common.inputs("CORPUS", "inputs")
@common.paths(
    *("--benchmark", "benchmarks"),
    metavar="ITEMS",
    words="Items of a benchmark: a file of records, or documents, a paragraph an item. Repeatable.",
    required=True,
)
@click.option(
    "--question-field",
    "questions",
    multiple=True,
    metavar="F",
    help="Field of an item with its question. Repeatable: fields are joined.  "
    "[default: question, else text]",
)
@common.option(
    "--answer-field",
    metavar="F",
    default="",
    help="Field of an item with its answer or answers.  [default: answer, if there is one]",
)
@common.minimum("Minimum score, 0 to 99.", default=60, show_default=True)
@common.option(
    "--min-words", least=8, default=8, help="Search only for items of so many words or more."
)
@common.flag("with-answer", "Of items with answers, count only those that stand near an answer.")
@common.output(
    "CLEAN",
    "The file for the corpus without items; - prints it instead of rows.",
    OutputPath(),
    "clean",
    default="",
)
@common.option(
    "--action",
    choices=[*_ACTIONS],
    default="remove",
    help="In CLEAN, leave out records that hold items, cut the items out, or mark them in a field.",
)
@html_page.html
@common.force
@click.option("--check", "is_check", is_flag=True, help="Exit with 1 if an item is found.")
@common.records
@common.rows_format
@reading.corpus
def command(
    inputs: tuple[str, ...],
    benchmarks: tuple[str, ...],
    questions: tuple[str, ...],
    answer_field: str,
    clean: str,
    action: str,
    html: html_page.HtmlFile,
    force: bool,
    is_check: bool,
    form: str | None,
    fields: Fields,
    batch: Batch,
    **asked: Any,
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
    with batch.running(inputs) as run:
        items = load_items(benchmarks, ItemFields(questions, answer_field), run)
        sources = sources_in(Inputs(inputs, fields), run)
        if clean:
            check_output(sources, clean, action)
        done = find_contamination(sources, items, Contamination(**asked), run)
        if clean:
            with written(clean, output.check_replaced) as file:
                write_clean(done, action, clean, file, run)
    if html:
        from sdtext.reports.html.result_overviews import page_of_decontamination

        minimum, problems = asked["minimum"], run.problems or ()
        html.write(page_of_decontamination(done, minimum, inputs, benchmarks, problems))
    if clean != STANDARD_OUTPUT:
        _print(done, form, run)
    say(str(done))
    if clean not in ("", STANDARD_OUTPUT):
        say(f"{shown(clean)}: {done.contaminated:,} of {done.read:,} {_ACTIONS[action]}")
    return report(run.problems) or (CONTAMINATED if is_check and done.matches else 0)


def _print(done: Decontaminated, form: str | None, run: Run) -> None:
    """Print the items that occur; in a table on a terminal, the strongest."""
    from sdtext.decontamination.find_items import ItemMatch
    from sdtext.reports.decontamination import strongest_rows, summary_of

    schema = "sdtext/decontamination/1"
    if is_table(form) and sys.stdout.isatty():
        print_rows(form, ItemMatch, strongest_rows(done, _TOP), schema)
        if (more := len(done.matches) - _TOP) > 0:
            say(f"… {more:,} more (--format tsv prints all)")
        return
    print_rows(form, ItemMatch, done.matches, schema, run.problems, **summary_of(done))
