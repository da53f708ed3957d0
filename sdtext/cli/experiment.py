"""Experiment: which tokenizers, range of IDF, matcher and cut find most on these documents."""

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
@common.shared(
    "config",
    "The plan, a file in TOML or XML.  [default: 39 ranges of IDF and shingles of five words, "
    "four matchers, four kinds of copies of up to 200 documents of DIR]",
    type=InputPath(),
    metavar="PLAN",
)
@common.files_option(
    *("-p", "--path"),
    metavar="DIR",
    words="A file or folder of documents, in place of those of the plan.",
    required=False,
)
@common.output(
    "OUT",
    "The folder for the recipe, the dictionary, the commands and the database.  "
    "[default: the name of PLAN or DIR with -results]",
    OutputPath(),
    "folder",
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
    files: list[str],
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

    if not (config or files):
        raise click.UsageError("no documents are given; name a folder, or a plan with -c")
    plan = load_plan(config, dataset=files)
    paths = [*map(str, plan.paths)]
    inputs = [*filter(None, [config]), *paths, *([str(plan.pairs)] if plan.pairs else [])]
    html.check(inputs)
    folder = folder or f"{Path(config or files[0]).resolve().stem}-results"
    chosen = ChosenFiles(Path(folder), force, database, batch.reading)
    made, now = origin(), lambda: origin().created
    batch = replace(batch, jobs=batch.jobs or plan.threads)
    with chosen.checked(inputs), batch.running(paths) as run:
        result = run_experiment(plan, database=chosen.results, resume=resume, run=run, now=now)
        chosen.write(result.plan, result.choice, made, run)
    problems, rows = run.problems or (), result.records
    if html.path:
        from sdtext.reports.html.experiment_page import experiment_page

        html.write(experiment_page(result, chosen, problems), without_passwords)
    print_rows(form, [*rows[0]], rows, "sdtext/experiment/1", problems, **result.record())
    return report(problems, *described(result), *chosen.summary(result.plan, result.choice))
