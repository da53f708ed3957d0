"""Decontaminate: find the items of a benchmark in a corpus, and write the corpus without them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import wraps
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import (
    force_option,
    format_option,
    gathered,
    jobs_option,
    output_format_option,
    records_options,
)
from sdtext.cli.options.html_page import HtmlFile, html_option, provenance
from sdtext.cli.options.reading import folder_options, reading_options
from sdtext.cli.options.values import (
    STANDARD_OUTPUT,
    InputPath,
    MinimumScore,
    OutputPath,
    WholeNumber,
)
from sdtext.cli.print_results import (
    JSON_FORMATS,
    as_records,
    is_table,
    print_record,
    print_rows,
    report,
)
from sdtext.cli.verb import Verb
from sdtext.errors import shown

if TYPE_CHECKING:
    from sdtext.decontamination.benchmark_items import ItemFields
    from sdtext.decontamination.find_contamination import Contamination, Decontaminated
    from sdtext.decontamination.time_and_memory import DecontaminationEstimate
    from sdtext.model import Problem
    from sdtext.reading.options import Reading
    from sdtext.reading.overwrite_guard import Output
    from sdtext.reading.parallel_run import Run
    from sdtext.reading.records import Fields
    from sdtext.reports.html.report_page import ReportPage

_OPTIONS = (
    click.option(
        "--benchmark",
        "benchmarks",
        multiple=True,
        required=True,
        type=InputPath(),
        metavar="ITEMS",
        help="Items of a benchmark: a file of records, or documents, a paragraph an item. "
        "Repeatable.",
    ),
    click.option(
        "--question-field",
        "questions",
        multiple=True,
        metavar="F",
        help="Field of an item with its question. Repeatable: fields are joined.  "
        "[default: question, else text]",
    ),
    click.option(
        "--answer-field",
        default="",
        metavar="F",
        help="Field of an item with its answer or answers.  [default: answer, if there is one]",
    ),
    click.option(
        "-s",
        "--min-score",
        "minimum",
        type=MinimumScore(),
        metavar="MIN",
        default=60,
        show_default=True,
        help="Minimum score, 0 to 99.",
    ),
    click.option(
        "--min-words",
        type=WholeNumber(min=8),
        metavar="N",
        default=8,
        show_default=True,
        help="Search only for items of so many words or more.",
    ),
    click.option(
        "--with-answer",
        is_flag=True,
        help="Of items with answers, count only those that stand near an answer.",
    ),
)
CONTAMINATED = 1
"""Exit code."""

_TOP = 20
"""Rows of a table on a terminal."""

_ACTIONS = ("remove", "cut", "mark")


def benchmark_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the items, passed as `benchmarks`, `item_fields` and `asked`."""

    @wraps(function)
    def with_benchmark(
        *args: Any,
        questions: tuple[str, ...],
        answer_field: str,
        minimum: int,
        min_words: int,
        with_answer: bool,
        **options: Any,
    ) -> Any:
        from sdtext.decontamination.benchmark_items import ItemFields
        from sdtext.decontamination.find_contamination import Contamination

        item_fields = ItemFields(questions, answer_field)
        asked = Contamination(minimum, min_words, with_answer)
        return function(*args, item_fields=item_fields, asked=asked, **options)

    for option in reversed(_OPTIONS):
        with_benchmark = option(with_benchmark)
    return with_benchmark


@dataclass(frozen=True)
class _Writing:
    """What is written and printed of the result."""

    clean: str
    action: str
    output_format: str | None
    html_path: str
    progress: str
    dry_run: bool
    is_check: bool
    force: bool
    form: str | None

    @property
    def output(self) -> Output:
        """The file for the corpus without items."""
        from sdtext.reading.overwrite_guard import PLAIN, Output

        return Output(self.clean, PLAIN, self.force or self.dry_run)

    @property
    def html(self) -> HtmlFile:
        """The page."""
        return HtmlFile("" if self.dry_run else self.html_path, force=self.force)

    def check(self, inputs: Sequence[str]) -> None:
        """Raise OutputError for a file that must not be replaced."""
        from sdtext.reading.overwrite_guard import check_outputs

        named = [self.output] if self.clean else []
        check_outputs([*named, self.html.output] if self.html else named, inputs)


@click.command(
    cls=Verb,
    epilog="Examples: sdtext Decontaminate pages.jsonl --benchmark quiz.jsonl --check\n\n"
    "sdtext Decontaminate pages.jsonl.gz --benchmark quiz.jsonl -o clean.jsonl --action cut",
)
@click.argument("inputs", type=InputPath(), metavar="CORPUS...", nargs=-1)
@benchmark_options
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
@output_format_option("CLEAN", "CORPUS")
@html_option
@click.option(
    "--resume",
    "progress",
    type=OutputPath(),
    default="",
    metavar="PROGRESS",
    help="Keep what is found in each file of CORPUS in this file, and go on from what it has.",
)
@click.option("--dry-run", is_flag=True, help="Print the estimated cost; write nothing.")
@click.option("--check", "is_check", is_flag=True, help="Exit with 1 if an item is found.")
@force_option
@records_options
@format_option
@reading_options
@folder_options("inputs", "CORPUS...")
@jobs_option
@gathered("writing", _Writing)
def command(
    inputs: tuple[str, ...],
    benchmarks: tuple[str, ...],
    item_fields: ItemFields,
    asked: Contamination,
    writing: _Writing,
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
    from sdtext.decontamination.benchmark_items import load_items
    from sdtext.decontamination.clean_corpus import check_output
    from sdtext.decontamination.find_contamination import find_contamination
    from sdtext.decontamination.time_and_memory import estimate_decontamination
    from sdtext.deduplication.source_documents import sources_in
    from sdtext.reading.inputs import Inputs

    writing.check([*inputs, *benchmarks])
    clean, how = writing.clean, (writing.action, writing.output_format or "")
    with running(reading, jobs, inputs) as run:
        items = load_items(benchmarks, item_fields, run)
        sources = sources_in(Inputs(inputs, fields), run)
        if clean:
            check_output(sources, clean, *how)
        if writing.dry_run:
            estimate = estimate_decontamination(sources, items, asked, run, perf_counter)
        else:
            done = find_contamination(sources, items, asked, run, writing.progress)
            if clean:
                _write(done, writing.output, how, run)
    problems = run.problems or ()
    if writing.dry_run:
        return _print_estimate(estimate, writing.form, problems)
    if writing.html:
        writing.html.write(_page(done, asked, inputs, benchmarks, problems))
    if clean != STANDARD_OUTPUT:
        _print(done, writing.form, problems)
    _summarise(done, writing)
    return report(problems) or (CONTAMINATED if writing.is_check and done.matches else 0)


def _write(done: Decontaminated, output: Output, how: tuple[str, str], run: Run) -> None:
    """Write what is kept, whole or not at all, by an action and in a format."""
    from sdtext.decontamination.clean_corpus import write_clean
    from sdtext.io.output import written

    action, form = how
    with written(output.path, output.check_replaced) as file:
        write_clean(done, action, (output.path, form), file, run)


def _summarise(done: Decontaminated, writing: _Writing) -> None:
    """Print what was found, and what the file of the clean corpus has."""
    say(str(done))
    if writing.clean in ("", STANDARD_OUTPUT):
        return
    held = f"{done.contaminated:,}"
    by_action = {
        "remove": f"{done.read - done.contaminated:,} kept, {held} left out",
        "cut": f"items cut out of {held}",
        "mark": f"{held} marked",
    }
    say(f"{shown(writing.clean)}: written, {by_action[writing.action]}")


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
    from sdtext.reports.decontamination import COLUMNS, rows_of, strongest_rows, summary_of

    schema = "sdtext/decontamination/1"
    if is_table(form) and sys.stdout.isatty():
        print_rows(form, COLUMNS, strongest_rows(done, _TOP), schema)
        if (more := len(done.matches) - _TOP) > 0:
            say(f"… {more:,} more (--format tsv prints all)")
        return
    print_rows(form, COLUMNS, rows_of(done), schema, problems, **summary_of(done))


def _print_estimate(
    estimate: DecontaminationEstimate, form: str | None, problems: Sequence[Problem]
) -> int:
    """Print an estimate; return the exit code."""
    from sdtext.reports.decontamination import describe_estimate
    from sdtext.reports.deduplication import readable

    beside = {"problems": as_records(problems)} if form in JSON_FORMATS else {}
    record = asdict(estimate) | {"seconds": round(estimate.seconds, 3)}
    print_record(
        form,
        "sdtext/decontamination-estimate/1",
        readable(record) if is_table(form) else record | beside,
    )
    say(describe_estimate(estimate))
    return report(problems)
