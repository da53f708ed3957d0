"""Decontaminate: find the items of a benchmark in a corpus, and write the corpus without them."""

import sys
from dataclasses import replace
from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, html_page, reading
from sdtext.cli.options.engine import engine
from sdtext.cli.options.values import STANDARD_OUTPUT, OutputPath
from sdtext.cli.print_results import format_of_rows, print_rows, report
from sdtext.cli.verb import verb
from sdtext.wording import shown

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
    "--benchmark",
    metavar="ITEMS",
    words="Items of a benchmark: a file of records, or documents, a paragraph an item. Repeatable.",
    required=True,
)
@click.option(
    "--question-field",
    multiple=True,
    metavar="F",
    help="Field of an item with its question. Repeatable: each is searched for.  "
    "[default: question, else text]",
)
@common.option(
    "--answer-field",
    metavar="F",
    default="",
    help="Field of an item with its answer or answers.  [default: answer, if there is one]",
)
@common.shared("minimum", "Minimum score, 0 to 99.", default=60, show_default=True)
@common.option(
    "--min-words", least=8, default=8, help="Search only for items of so many words or more."
)
@common.flag("with-answer", "Of items with answers, count only those that stand near an answer.")
@common.output(
    "CLEAN",
    "The file for the corpus without items; - prints it instead of rows.",
    OutputPath(),
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
@engine(
    "benchmark", "question_field", "answer_field", "minimum", "min_words", "with_answer", "output"
)
def command(
    inputs: tuple[str, ...],
    benchmark: tuple[str, ...],
    minimum: int,
    output: str,
    action: str,
    html: html_page.HtmlFile,
    force: bool,
    is_check: bool,
    form: str | None,
    batch: Batch,
    **asked: Any,
) -> int:
    """Find the items of a benchmark in the records or documents at CORPUS.

    CORPUS is either files of records (JSON lines, JSON arrays, CSV, TSV or Parquet) or documents:
    files, folders and archives; - is standard input. A row names a record, an item in it, and
    where it stands; differs has the numbers, names and rarest words of the item that are not
    there: it may be another question. A table on a terminal has 20 rows, those of the highest
    scores, first one of each item. CLEAN gets the records without items unchanged, but CSV and TSV
    always in UTF-8; of documents it gets the paths.
    """
    from sdtext.decontamination.decontaminate import decontaminate
    from sdtext.reading.overwrite_guard import PLAIN, Output, check_outputs

    outputs = [Output(output, PLAIN, force)] if output else []
    check_outputs([*outputs, *html.outputs], [*inputs, *benchmark])
    with batch.running(inputs) as run:
        asked |= {"action": action, "output": output, "force": force}
        done = decontaminate(inputs, benchmark, similarity=minimum / 100, run=run, **asked)
    problems = run.problems or ()
    html.write_overview(
        lambda made: made.page_of_decontamination(done, minimum, inputs, benchmark, problems)
    )
    rows, more = list(done.matches), 0
    if format_of_rows(form) == "table" and sys.stdout.isatty():
        rows = [replace(row, passage=_line_of(row.passage)) for row in done.strongest(_TOP)]
        more = len(done.matches) - len(rows)
    if output != STANDARD_OUTPUT:
        schema = "sdtext/decontamination/1"
        print_rows(form, done.matches.row_type, rows, schema, problems, **done.counts)
    lines = [f"… {more:,} more (--format tsv prints all)" * bool(more), done.summary]
    if output not in ("", STANDARD_OUTPUT):
        lines.append(f"{shown(output)}: {done.contaminated:,} of {done.read:,} {_ACTIONS[action]}")
    return report(problems, *lines) or (CONTAMINATED if is_check and done.matches else 0)


def _line_of(text: str) -> str:
    """As much of a text as fits on one line below its row."""
    from rich.console import Console
    from rich.text import Text

    from sdtext.reports.readable_values import one_line
    from sdtext.reports.terminal_table import INDENT

    line = Text(one_line(" ".join(text.split())))
    line.truncate(Console().width - INDENT, overflow="ellipsis")
    return line.plain
