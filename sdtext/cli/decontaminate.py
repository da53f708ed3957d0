"""Decontaminate: find the items of a benchmark in a corpus, and write the corpus without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import force_option, format_option, jobs_option, records_options
from sdtext.cli.options.folders import folder_options
from sdtext.cli.options.reading import reading_options
from sdtext.cli.options.values import STANDARD_OUTPUT, MinimumScore, OutputPath, WholeNumber
from sdtext.cli.print_results import print_rows
from sdtext.cli.report_problems import report
from sdtext.cli.verb import Verb

if TYPE_CHECKING:
    from sdtext.decontamination.run import Decontaminated
    from sdtext.model import Problem
    from sdtext.reading.options import Reading
    from sdtext.reading.overwrite_guard import Output
    from sdtext.reading.parallel_run import Run
    from sdtext.reading.records import Fields

CONTAMINATED = 1
"""Exit code."""

_ACTIONS = ("remove", "cut", "mark")


@click.command(
    cls=Verb,
    epilog="Examples: sdtext Decontaminate pages.jsonl --benchmark quiz.jsonl --check\n\n"
    "sdtext Decontaminate pages.jsonl.gz --benchmark quiz.jsonl -o clean.jsonl --action cut",
)
@click.argument("inputs", metavar="CORPUS...", nargs=-1)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    required=True,
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
    type=MinimumScore(),
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
@click.option("--check", "is_check", is_flag=True, help="Exit with 1 if an item is found.")
@force_option
@records_options
@format_option
@reading_options
@folder_options("inputs", "CORPUS...")
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
    is_check: bool,
    force: bool,
    fields: Fields,
    form: str | None,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Find the items of a benchmark in the records or documents at CORPUS.

    CORPUS is either files of records (JSON lines or Parquet) or documents: files, folders and
    archives; - is standard input. A row names a record, an item in it, and where it stands. CLEAN
    gets the records without items unchanged; of documents it gets the paths.
    """
    from sdtext.decontamination.benchmark_items import ItemFields, load_items
    from sdtext.decontamination.outputs import check_output
    from sdtext.decontamination.run import Contamination, find_contamination
    from sdtext.deduplication.source_documents import sources_in
    from sdtext.reading.inputs import Inputs
    from sdtext.reading.overwrite_guard import PLAIN, Output

    output = Output(clean, PLAIN, force)
    if clean:
        output.check([*inputs, *benchmarks])
    asked = Contamination(minimum, min_words, with_answer)
    with running(reading, jobs, inputs) as run:
        items = load_items(benchmarks, ItemFields(questions, answer_field), run)
        sources = sources_in(Inputs(inputs, fields), run)
        if clean:
            check_output(sources, clean, action)
        done = find_contamination(sources, items, asked, run)
        if clean:
            _write(done, output, action, run)
    problems = run.problems or ()
    if clean != STANDARD_OUTPUT:
        _print(done, form, problems)
    say(str(done))
    return report(problems) or (CONTAMINATED if is_check and done.matches else 0)


def _write(done: Decontaminated, output: Output, action: str, run: Run) -> None:
    """Write what is kept, whole or not at all."""
    from sdtext.decontamination.outputs import write_clean
    from sdtext.io.atomic import written

    with written(output.path, output.check_replaced) as file:
        write_clean(done, action, output.path, file, run)


def _print(done: Decontaminated, form: str | None, problems: Sequence[Problem]) -> None:
    """Print the items that occur."""
    from sdtext.reports.decontamination import COLUMNS, rows_of, summary_of

    schema = "sdtext/decontamination/1"
    print_rows(form, COLUMNS, rows_of(done), schema, problems, **summary_of(done))
