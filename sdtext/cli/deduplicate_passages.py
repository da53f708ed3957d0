"""Deduplicate --unit: remove repeated paragraphs, sentences and passages."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from sdtext.cli.main import say
from sdtext.cli.print_results import print_record
from sdtext.cli.report_problems import as_records, report
from sdtext.errors import OptionError, counted

if TYPE_CHECKING:
    from sdtext.cli.options.passages import PassageOptions
    from sdtext.deduplication.outputs import Outputs
    from sdtext.deduplication.repeated_passages.find_repeats import RepeatedPassages
    from sdtext.deduplication.repeated_passages.outputs_of_passages import RemovedPassages
    from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
    from sdtext.deduplication.source_documents import Sources
    from sdtext.model import RecipeSpec
    from sdtext.model.record_formats import RecordFormat
    from sdtext.reading.overwrite_guard import Output
    from sdtext.reading.parallel_run import Run

    Task = Callable[[Sources, Run, Outputs], int]


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
    passages: PassageOptions, recipe: RecipeSpec | None, form: str | None, *, dry_run: bool
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
        _write(repeated, chosen, outputs, run, removed)
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
    from sdtext.deduplication.repeated_passages.passage_estimate import estimate_passages
    from sdtext.reports.deduplication import describe_estimate

    estimate = estimate_passages(sources, rules, run, perf_counter)
    problems = run.problems or ()
    beside = {"problems": as_records(problems)} if form in ("json", "jsonl") else {}
    record = asdict(replace(estimate, seconds=round(estimate.seconds, 3)))
    print_record(form, "sdtext/passage-estimate/1", record | beside)
    say(describe_estimate(estimate))
    return report(problems)


def restore_kept(removed: str, sources: Sources, run: Run, outputs: Outputs) -> int:
    """Write the original texts of the one file of records, and return the exit code."""
    from sdtext.deduplication.outputs import kept_format
    from sdtext.deduplication.repeated_passages.outputs_of_passages import packed_texts
    from sdtext.deduplication.repeated_passages.restore_texts import (
        RestoredTexts,
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
    by_record = passages_by_record(removed, run.reading)
    output = outputs_of_passages(outputs)[0]
    with (
        written(output.path, output.check_replaced) as file,
        packed_texts(file, outputs.kept, chosen) as target,
    ):
        restore_texts(sources, RestoredTexts(by_record), chosen, target, run)
    say(f"{counted(len(by_record), 'text')} restored")
    return report(run.problems or ())


def _write(
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
    from sdtext.reports.deduplication import form_of, write_as

    with ExitStack() as stack:
        kept, removed = (
            stack.enter_context(written(output.path, output.check_replaced))
            if output.path
            else None
            for output in outputs_of_passages(outputs)
        )
        if kept:
            with packed_texts(kept, outputs.kept, chosen) as target:
                write_cut_texts(repeated, chosen, target, run, passages)
        if removed:
            form = form_of(outputs.removed, outputs.printed)
            write_as(form, removed, RemovedPassage, passages)
