"""Experiment: which tokenizers, range of IDF, matcher and cut find most on these documents."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import force_option, format_option, jobs_option
from sdtext.cli.options.html_page import HtmlFile, page_option, provenance
from sdtext.cli.options.provenance import origin
from sdtext.cli.options.reading import (
    folder_options,
    reading_words,
    selection_words,
)
from sdtext.cli.options.values import STANDARD_OUTPUT, InputPath
from sdtext.cli.print_results import default_format, print_rows, report
from sdtext.cli.verb import Verb
from sdtext.errors import OptionError
from sdtext.wording import shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sdtext.experiment.chosen_files import ChosenFiles
    from sdtext.experiment.run_experiment import ExperimentResult
    from sdtext.model import Problem
    from sdtext.reading.options import Reading
    from sdtext.reports.html.report_page import ReportPage


@click.command(
    cls=Verb,
    epilog="Examples: sdtext Experiment letters/ -o results/ --report results.html\n\n"
    "sdtext Experiment -c plan.toml -o results/\n\n"
    "sdtext Experiment -c plan.toml -o results/ --resume",
)
@click.option(
    "-c",
    "--config",
    type=InputPath(),
    metavar="PLAN",
    help="The plan, a file in TOML or XML.  [default: 39 ranges of IDF, three matchers, four kinds "
    "of copies of up to 200 documents of DIR]",
)
@click.option(
    "-p",
    "--path",
    "named",
    multiple=True,
    type=InputPath(),
    metavar="DIR",
    help="A file or folder of documents, in place of those of the plan. Repeatable, also as bare "
    "arguments.",
)
@click.argument("bare", nargs=-1, type=InputPath(), metavar="[DIR]...")
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="OUT",
    help="The folder for the recipe, the dictionary, the commands and the database.  "
    "[default: the name of PLAN or DIR with -results]",
)
@click.option(
    "--database",
    default="",
    metavar="FILE|URL",
    help="The database of results: a file of SQLite, or postgresql://USER@HOST/NAME.  "
    "[default: experiment.sqlite in OUT]",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Continue the last run of the same plan where it stopped. If it is finished, choose again "
    "from its measurements, for another target or false_positive_rate.",
)
@page_option("--report")
@force_option
@format_option
@folder_options
@jobs_option
def command(
    config: str | None,
    named: tuple[str, ...],
    bare: list[str],
    folder: str | None,
    database: str,
    resume: bool,
    html: HtmlFile,
    force: bool,
    form: str | None,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Find the tokenizers, the range of IDF, the matcher and the cut that find most.

    DIR holds the documents; or a plan names them, and manglers that make copies of them, or a CSV
    file of pairs that belong together. Each range of IDF, matcher and group of tokenizers is tried.
    A row is the best range of a group and a matcher: recall, of the edited copies, and
    false_positive_rate, of unrelated documents as they are, are those at the cut, the minimum
    score; terms is the size of the dictionary, plateau the number of ranges
    that are as good. A plan with shingles tries bands of sketches in place of ranges. The best row
    of all is written to OUT, with the dictionary and the commands that use it.
    """
    from sdtext.experiment.chosen_files import ChosenFiles
    from sdtext.experiment.plan import load_plan
    from sdtext.experiment.run_experiment import run_experiment

    documents = [*named, *bare]
    if not (config or documents):
        raise click.UsageError("no documents are given; name a folder, or a plan with -c")
    plan = load_plan(config, dataset=documents)
    inputs = [*([config] if config else []), *map(str, plan.paths)]
    inputs += [str(plan.pairs)] if plan.pairs else []
    html.check(inputs)
    place = _folder(folder, config or documents[0])
    words, selected = reading_words(reading), selection_words(reading.selection)
    files = ChosenFiles(place, force, database, words, selected)
    provenance_of_run = origin()
    with (
        files.checked(inputs),
        running(reading, jobs or plan.threads, [*map(str, plan.paths)]) as run,
    ):
        result = run_experiment(
            plan, database=files.results, resume=resume, run=run, now=lambda: origin().created
        )
        files.write(plan, result.choice, provenance_of_run, run)
    if html:
        html.write(_page(result, files, run.problems or ()))
    form = form or default_format()
    rows = [row.record for row in result.rows]
    rows = [_for_table(row, plan.target.name) for row in rows] if form == "table" else rows
    print_rows(
        form,
        [*rows[0]],
        rows,
        "sdtext/experiment/1",
        run.problems or (),
        held_out=asdict(result.held_out),
    )
    _say_what_it_gave(result, files)
    return report(run.problems or ())


_OF_TARGET = {"precision": "", "f1": "f1", "average_precision": "average-precision", "plateau": ""}
"""Columns that a table on a terminal has for the target of this name alone."""

_SHARES = ("recall", "false_positive_rate", "f1", "average_precision")


def _for_table(row: dict[str, Any], target: str) -> dict[str, Any]:
    """The columns that fit on a terminal: what was tried, the cut, and what it is worth."""
    kept = {name: row[name] for name in row if _OF_TARGET.get(name, target) == target}
    bounds = {name: f"{kept[name]:g}" for name in ("min_idf", "max_idf") if name in kept}
    shares = {name: f"{100 * kept[name]:.3g} %" for name in _SHARES if name in kept}
    return kept | bounds | shares


def _folder(given: str | None, source: str) -> Path:
    """The output folder, named after the plan or documents by default. Raises OptionError."""
    from pathlib import Path

    name = f"{Path(source).resolve().stem}-results" if given is None else given
    if name in ("", STANDARD_OUTPUT):
        raise OptionError(f"output is {name!r}; it must be the name of a folder")
    return Path(name)


def _page(result: ExperimentResult, files: ChosenFiles, problems: Sequence[Problem]) -> ReportPage:
    """The result as a page."""
    from sdtext.experiment.results_database import without_passwords
    from sdtext.reports.html.experiment_page import experiment_page

    plan = result.plan
    parameters = [
        ("Documents", f"{result.documents:,} of {plan.dataset}"),
        ("Trials", str(plan.trials)),
        ("Folds", str(plan.folds)),
        ("Seed", str(plan.seed)),
        ("Target", plan.target.name),
        ("Highest false-positive rate", f"{plan.target.false_positive_rate:g}"),
    ]
    origins = provenance(parameters)
    origins = replace(origins, command=without_passwords(origins.command))
    return experiment_page(result, files, origins, problems)


def _say_what_it_gave(result: ExperimentResult, files: ChosenFiles) -> None:
    """What the choice is worth on documents that it was not made on, and where its files are."""
    from sdtext.experiment.results_database import without_passwords
    from sdtext.experiment.run_experiment import described

    for line in described(result):
        say(line)
    written = ["recipe", *([] if result.plan.has_shingles else ["dictionary"]), "commands"]
    if not files.database:
        written.append("results")
    say(f"{', '.join(written[:-1])} and {written[-1]} are in {shown(files.folder)}")
    if files.database:
        say(f"results are in {shown(without_passwords(files.database))}")
    first = files.instructions(result.plan, result.choice)[0]
    say(f"{first.purpose}: {shown(first.commands[0])}")
