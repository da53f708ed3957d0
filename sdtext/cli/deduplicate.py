"""Deduplicate: remove the duplicates of documents that are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import format_option, jobs_option, records_options
from sdtext.cli.options.duplicate_removal import (
    GivenPassageOptions,
    RuleOptions,
    passage_options,
    result_options,
    rule_options,
)
from sdtext.cli.options.html_page import HtmlFile, provenance
from sdtext.cli.options.reading import folder_options, reading_options
from sdtext.cli.options.search import checks_options
from sdtext.cli.options.values import InputPath
from sdtext.cli.print_results import as_records, is_table, print_record, print_rows, report
from sdtext.cli.verb import Verb
from sdtext.errors import OptionError, counted

if TYPE_CHECKING:
    from sdtext.collections.stored_collection import Checks
    from sdtext.deduplication.cost_estimate import Estimate
    from sdtext.deduplication.outputs import Outputs
    from sdtext.deduplication.repeated_passages.find_repeats import RepeatedPassages
    from sdtext.deduplication.repeated_passages.outputs_of_passages import RemovedPassages
    from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
    from sdtext.deduplication.rules_and_removals import Rules
    from sdtext.deduplication.run import Deduplicated
    from sdtext.deduplication.source_documents import Sources
    from sdtext.model import Problem, RecipeSpec
    from sdtext.model.record_formats import RecordFormat
    from sdtext.reading.options import Reading
    from sdtext.reading.overwrite_guard import Output
    from sdtext.reading.parallel_run import Run
    from sdtext.reading.records import Fields
    from sdtext.reports.html.report_page import ReportPage

    Task = Callable[[Sources, Run, Outputs], int]


@click.command(
    cls=Verb,
    epilog="Examples: sdtext Deduplicate pages.jsonl.gz -o kept.jsonl --removed removed.csv\n\n"
    "sdtext Deduplicate letters/ -o kept.txt --clusters clusters.jsonl --against archive.sdx -s 70",
)
@click.argument("inputs", type=InputPath(), metavar="INPUT...", nargs=-1)
@result_options
@rule_options
@passage_options
@checks_options
@records_options
@format_option
@reading_options
@folder_options("inputs", "INPUT...")
@jobs_option
def command(
    inputs: tuple[str, ...],
    outputs: Outputs,
    html: HtmlFile,
    dry_run: bool,
    asked: RuleOptions,
    passages: GivenPassageOptions,
    checks: Checks,
    fields: Fields,
    form: str | None,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Remove near-duplicates: keep one of similar documents at INPUT.

    INPUT is either files of records (JSON lines, JSON arrays, CSV, TSV or Parquet) or documents:
    files, folders and archives; - is standard input. KEEP gets the kept records, unchanged in the
    format of INPUT, but CSV and TSV always in UTF-8; compressed if its name ends in .gz, .bz2, .xz
    or .zst; of documents it gets the paths. The names of the other files end in .jsonl, .json,
    .csv, .tsv (also with .gz and the like) or .parquet. Without -c, shingles of five words (of
    Chinese, Thai and the like, characters) without case and punctuation are compared, or with
    --against what that collection stores. In a text of 20 words, one changed word lowers the score
    to about 50: for short texts use a lower -s, such as 50; for names, titles and other records of
    a few words the recipe short-texts (-c), which compares characters.

    With --unit, parts of documents are removed instead, and KEEP gets all records with what is left
    of their texts; of documents it gets JSON lines. --removed then holds what was removed and from
    where, so that the original can be restored.
    """
    from sdtext.deduplication.outputs import converts, kept_format, marked_format
    from sdtext.deduplication.resumable_reading import check_resumable
    from sdtext.deduplication.source_documents import sources_in
    from sdtext.reading.inputs import Inputs

    asked.check(outputs, dry_run=dry_run)
    if passages.restore and outputs.progress:
        raise click.UsageError("--restore reads no corpus; omit --resume")
    named = outputs_of_passages(outputs) if passages else _named(outputs)
    read = [*inputs, *asked.files, *filter(None, [passages.restore])]
    _check(outputs, named, read, html, needs_kept=not (dry_run or asked.reviewed))
    rules = asked.rules(checks, lists_covered=bool(outputs.covered))
    of_passages = passage_task(passages, rules.recipe, form, dry_run=dry_run)
    with running(reading, jobs, inputs) as run:
        sources = sources_in(Inputs(inputs, fields), run)
        if outputs.progress:
            check_resumable(sources)
        if of_passages:
            code = of_passages(sources, run, outputs)
            _end(outputs, dry_run=dry_run)
            return code
        if outputs.kept:
            chosen = (marked_format if asked.mark else kept_format)(
                sources, outputs.kept, outputs.form
            )
            sources = replace(sources, converted=asked.mark or converts(sources, chosen))
        work = _estimated if dry_run else _deduplicated
        done = work(sources, rules, run, outputs)
    if html:
        html.write(_page(done, rules, inputs, run))
    _end(outputs, dry_run=dry_run)
    problems = run.problems or ()
    if asked.reviewed:
        _print_review(done, form)
        form = None
    _report(done, form if dry_run or "-" not in outputs.paths else None, problems)
    return report(problems)


def _check(
    outputs: Outputs,
    files: Sequence[Output],
    inputs: Sequence[str],
    html: HtmlFile,
    *,
    needs_kept: bool,
) -> None:
    """Raise UsageError, OptionError or OutputError for bad outputs before anything is read."""
    from sdtext.reading.overwrite_guard import PLAIN, Output, check_outputs
    from sdtext.reports.deduplication import form_of

    if needs_kept and not outputs.kept:
        raise click.UsageError(
            "no output file is given; name one with -o, or - to print what is kept"
        )
    for path in outputs.paths[bool(outputs.kept) :]:
        form_of(path)
    named = [output for output in files if output.path]
    if outputs.progress:
        named.append(Output(outputs.progress, PLAIN, replaces=True))
    check_outputs([*named, html.output] if html else named, inputs)


def _end(outputs: Outputs, *, dry_run: bool) -> None:
    """Remove the progress of a run that is complete."""
    if outputs.progress and not dry_run:
        Path(outputs.progress).unlink(missing_ok=True)


def _named(outputs: Outputs) -> list[Output]:
    """The files for what is kept and for rows, without those that are not asked for."""
    from sdtext.reading.overwrite_guard import PLAIN, Output
    from sdtext.reports.deduplication import ROW_TYPES, output_of_rows

    paths = zip((outputs.removed, outputs.clusters, outputs.covered), ROW_TYPES, strict=True)
    named = [
        Output(outputs.kept, PLAIN, outputs.replaces),
        *(output_of_rows(path, kind, replaces=outputs.replaces) for path, kind in paths),
    ]
    return [output for output in named if output.path]


def _estimated(sources: Sources, rules: Rules, run: Run, _outputs: Outputs) -> Estimate:
    from sdtext.deduplication.cost_estimate import estimate_cost

    for problem in rules.against.problems if rules.against else ():
        run.note(problem)
    return estimate_cost(sources, rules, run, perf_counter)


def _deduplicated(sources: Sources, rules: Rules, run: Run, outputs: Outputs) -> Deduplicated:
    from sdtext.deduplication.run import deduplicate

    done = deduplicate(sources, rules, run, outputs.folder, outputs.progress)
    for problem in done.problems:
        run.note(problem)
    _write(done, outputs, run)
    return done


def _write(done: Deduplicated, outputs: Outputs, run: Run) -> None:
    """Write all results, or none."""
    from sdtext.deduplication.outputs import write_kept, write_marked
    from sdtext.deduplication.rules_and_removals import (
        CoveredDocument,
        DuplicateCluster,
        RemovedDocument,
    )
    from sdtext.io.output import written
    from sdtext.reports.deduplication import write_as

    rows = {
        outputs.removed: (RemovedDocument, done.removed),
        outputs.clusters: (DuplicateCluster, done.clusters),
        outputs.covered: (CoveredDocument, done.covered),
    }
    with ExitStack() as stack:
        named = _named(outputs)
        for output in named:
            file = stack.enter_context(
                written(output.path, output.check_replaced, required=len(named) == 1)
            )
            if output.path == outputs.kept:
                write = write_kept if done.marks is None else write_marked
                write(done, outputs.kept, file, run, outputs.form)
            else:
                path = str(output.path)
                write_as(path, outputs.printed, file, *rows[path])


def _page(
    done: Estimate | Deduplicated, rules: Rules, inputs: Sequence[str], run: Run
) -> ReportPage:
    """What was removed as a page, with the digests of the files that were read."""
    from sdtext.deduplication.run import Deduplicated
    from sdtext.reports.html.overview_page import page_of
    from sdtext.reports.html.report_page import digests_of_inputs
    from sdtext.reports.html.result_overviews import of_deduplication, parameters_of_rules

    assert isinstance(done, Deduplicated)  # noqa: S101 (no page of an estimate)
    names = (
        name for row in done.removed for name in (row.document, row.kept or row.duplicate or "")
    )
    facts = provenance(
        parameters_of_rules(rules, inputs, done.how), [*digests_of_inputs(inputs, names, "read")]
    )
    problems = run.problems or ()
    return page_of(of_deduplication(done, problems), facts, problems)


def _print_review(done: Estimate | Deduplicated, form: str | None) -> None:
    """Print the least similar removals."""
    from sdtext.deduplication.removal_evidence import ReviewedPair
    from sdtext.deduplication.run import Deduplicated
    from sdtext.reports.deduplication import columns_of

    assert isinstance(done, Deduplicated)  # noqa: S101 (no review of an estimate)
    rows = (vars(row) for row in done.reviewed)
    print_rows(form, columns_of(ReviewedPair), rows, "sdtext/review/1")


def _report(done: Estimate | Deduplicated, form: str | None, problems: Sequence[Problem]) -> None:
    """Print the result, after the progress bar has gone: an estimate, or what a format is for."""
    from sdtext.deduplication.run import Deduplicated
    from sdtext.reports.deduplication import (
        describe_estimate,
        readable,
        record_of,
        result_of,
        table_of,
    )
    from sdtext.search.search_explanations import describe_curve

    if isinstance(done, Deduplicated):
        record, schema = result_of(done), "sdtext/deduplication/1"
        lines = [done.how, describe_curve(done.curve), str(done), _unread(done)]
    else:
        record, schema = record_of(done), "sdtext/deduplication-estimate/1"
        lines = [describe_estimate(done)]
    if form or not isinstance(done, Deduplicated):
        is_json = form in ("json", "jsonl")
        beside = {"problems": as_records(problems)}
        is_estimate = not isinstance(done, Deduplicated)
        table = readable(table_of(record)) if is_estimate and is_table(form) else table_of(record)
        print_record(form, schema, record | beside if is_json else table)
    for line in filter(None, lines):
        say(line)


def _unread(done: Deduplicated) -> str:
    """What becomes of files that could not be read; "" for records, whose messages say it."""
    from sdtext.deduplication.source_documents import FILES

    number = len(done.sources.paths) - done.read if done.sources.kind == FILES else 0
    verb = "is" if number == 1 else "are"
    return f"{counted(number, 'unread file')} {verb} kept, too" if number > 0 else ""


def outputs_of_passages(outputs: Outputs) -> tuple[Output, Output]:
    """The files for the cut texts and for what is removed."""
    from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage
    from sdtext.reading.overwrite_guard import PLAIN, Output
    from sdtext.reports.deduplication import output_of_rows

    return (
        Output(outputs.kept, PLAIN, outputs.replaces),
        output_of_rows(outputs.removed, RemovedPassage, replaces=outputs.replaces),
    )


def passage_task(
    passages: GivenPassageOptions, recipe: RecipeSpec | None, form: str | None, *, dry_run: bool
) -> Task | None:
    """What is asked for; None for whole documents. Raises OptionError."""
    if passages.restore:
        return partial(restore_kept, passages.restore)
    if not passages:
        return None
    return partial(print_estimate if dry_run else remove_passages, passages.rules(recipe), form)


def remove_passages(
    rules: PassageRules, form: str | None, sources: Sources, run: Run, outputs: Outputs
) -> int:
    """Remove the repeated passages, print what was done, and return the exit code."""
    from sdtext.deduplication.outputs import converts
    from sdtext.deduplication.repeated_passages.find_repeats import repeated_passages
    from sdtext.deduplication.repeated_passages.outputs_of_passages import (
        collected_passages,
        format_of_texts,
    )

    chosen = format_of_texts(sources, outputs.kept, outputs.form)
    sources = replace(sources, converted=converts(sources, chosen))
    with (
        repeated_passages(sources, rules, run, outputs.folder, outputs.progress) as repeated,
        collected_passages(outputs.folder) as removed,
    ):
        _write_passages(repeated, chosen, outputs, run, removed)
        summary, record = str(repeated), asdict(repeated.counts)
    problems = run.problems or ()
    if form and "-" not in outputs.paths:
        beside = {"problems": as_records(problems)} if form in ("json", "jsonl") else {}
        print_record(form, "sdtext/deduplicated-passages/1", record | beside)
    say(summary)
    return report(problems)


def print_estimate(
    rules: PassageRules, form: str | None, sources: Sources, run: Run, _outputs: Outputs
) -> int:
    """Print what removing passages will take, and return the exit code."""
    from sdtext.deduplication.cost_estimate import estimate_passages
    from sdtext.reports.deduplication import describe_estimate, readable

    estimate = estimate_passages(sources, rules, run, perf_counter)
    problems = run.problems or ()
    beside = {"problems": as_records(problems)} if form in ("json", "jsonl") else {}
    record = asdict(replace(estimate, seconds=round(estimate.seconds, 3)))
    print_record(
        form, "sdtext/passage-estimate/1", readable(record) if is_table(form) else record | beside
    )
    say(describe_estimate(estimate))
    return report(problems)


def restore_kept(removed: str, sources: Sources, run: Run, outputs: Outputs) -> int:
    """Write the original texts of the one file of records, and return the exit code."""
    from sdtext.deduplication.outputs import kept_format
    from sdtext.deduplication.repeated_passages.outputs_of_passages import (
        RestoredTexts,
        packed_texts,
        passages_by_record,
        restore_texts,
    )
    from sdtext.io.output import written

    chosen = kept_format(sources, outputs.kept, outputs.form)
    if chosen is None or len(sources.paths) != 1:
        raise OptionError(
            "restores a single file of records, the KEEP of the run that wrote --removed",
            place="--restore",
        )
    texts = RestoredTexts(by_record := passages_by_record(removed, run.reading))
    output = outputs_of_passages(outputs)[0]
    with (
        written(output.path, output.check_replaced) as file,
        packed_texts(file, outputs.kept, chosen) as target,
    ):
        restore_texts(sources, texts, chosen, target, run)
    unchecked = "" if texts.is_checked else f"; {removed} has no digests to check them by"
    say(f"{counted(len(by_record), 'text')} restored{unchecked}")
    return report(run.problems or ())


def _write_passages(
    repeated: RepeatedPassages,
    chosen: RecordFormat,
    outputs: Outputs,
    run: Run,
    passages: RemovedPassages,
) -> None:
    """Write all results, or none."""
    from sdtext.deduplication.repeated_passages.outputs_of_passages import (
        packed_texts,
        write_cut_texts,
    )
    from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage
    from sdtext.io.output import written
    from sdtext.reports.deduplication import write_as

    with ExitStack() as stack:
        named = outputs_of_passages(outputs)
        is_alone = not all(output.path for output in named)
        kept, removed = (
            stack.enter_context(written(output.path, output.check_replaced, required=is_alone))
            if output.path
            else None
            for output in named
        )
        if kept:
            with packed_texts(kept, outputs.kept, chosen) as target:
                write_cut_texts(repeated, chosen, target, run, passages)
        if removed:
            write_as(outputs.removed, outputs.printed, removed, RemovedPassage, passages)
