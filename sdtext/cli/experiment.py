"""Experiment: which tokenizers, range of IDF, matcher and cut find most on these documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, html_page, reading
from sdtext.cli.options.values import InputPath, OutputPath
from sdtext.cli.origin import origin
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import verb


@verb(
    "sdtext Experiment letters/ -o results/ --report results.html",
    "sdtext Experiment -c plan.toml -o results/",
    "sdtext Experiment -c plan.toml -o results/ --resume",
)
@common.option(
    "-c",
    "--config",
    kind=InputPath(),
    metavar="PLAN",
    help="The plan, a file in TOML or XML.  [default: 39 ranges of IDF and shingles of five words, "
    "four matchers, four kinds of copies of up to 200 documents of DIR]",
)
@common.paths(
    *("-p", "--path", "named"),
    metavar="DIR",
    words="A file or folder of documents, in place of those of the plan. Repeatable, also as bare "
    "arguments.",
)
@click.argument("bare", nargs=-1, type=InputPath(), metavar="[DIR]...")
@common.option(
    "-o",
    "--output",
    "folder",
    kind=OutputPath(),
    metavar="OUT",
    help="The folder for the recipe, the dictionary, the commands and the database.  "
    "[default: the name of PLAN or DIR with -results]",
)
@common.option(
    "--database",
    metavar="FILE|URL",
    default="",
    help="The database of results: a file of SQLite, or postgresql://USER@HOST/NAME.  "
    "[default: experiment.sqlite in OUT]",
)
@common.flag(
    "resume",
    "Continue the last run of the same plan where it stopped. If it is finished, choose again "
    "from its measurements, for another target or false_positive_rate.",
)
@html_page.page("--report", "html")
@common.force
@common.rows_format
@reading.folders
def command(
    config: str | None,
    named: tuple[str, ...],
    bare: list[str],
    folder: str | None,
    database: str,
    resume: bool,
    html: html_page.HtmlFile,
    force: bool,
    form: str | None,
    batch: Batch,
) -> int:
    """Find the tokenizers, the range of IDF, the matcher and the cut that find most.

    DIR holds the documents; or a plan names them, and manglers that make copies of them, or a CSV
    file of pairs that belong together. Each range of IDF, matcher and group of tokenizers is tried.
    A row is the best range of a group and a matcher: recall, of the edited copies, and
    false_positive_rate, of unrelated documents as they are, are those at the cut, the minimum
    score; terms is the size of the dictionary, plateau the number of ranges
    that are as good. Shingles need no dictionary; a plan of shingles tries bands of sketches in
    place of ranges. The best row of all is written to OUT, with the dictionary and the commands
    that use it.
    """
    from sdtext.experiment.chosen_files import ChosenFiles
    from sdtext.experiment.plan import load_plan
    from sdtext.experiment.results_database import without_passwords
    from sdtext.experiment.run_experiment import described, run_experiment

    documents = [*named, *bare]
    if not (config or documents):
        raise click.UsageError("no documents are given; name a folder, or a plan with -c")
    plan = load_plan(config, dataset=documents)
    paths = [*map(str, plan.paths)]
    inputs = [*filter(None, [config]), *paths, *([str(plan.pairs)] if plan.pairs else [])]
    html.check(inputs)
    folder = folder or f"{Path(config or documents[0]).resolve().stem}-results"
    files = ChosenFiles(Path(folder), force, database, batch.reading)
    made, now = origin(), lambda: origin().created
    batch = replace(batch, jobs=batch.jobs or plan.threads)
    with files.checked(inputs), batch.running(paths) as run:
        result = run_experiment(plan, database=files.results, resume=resume, run=run, now=now)
        files.write(result.plan, result.choice, made, run)
    problems, rows = run.problems or (), result.records
    if html.path:
        from sdtext.reports.html.experiment_page import experiment_page

        html.write(experiment_page(result, files, problems), without_passwords)
    print_rows(form, [*rows[0]], rows, "sdtext/experiment/1", problems, **result.record())
    return report(problems, *described(result), *files.summary(result.plan, result.choice))
