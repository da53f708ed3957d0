"""Deduplicate: remove the duplicates of documents that are kept, or repeated parts of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

import click
from click.core import ParameterSource

from sdtext.cli.main import say
from sdtext.cli.options import common, html_page, reading, search
from sdtext.cli.options.values import FieldChoiceType, InputPath, OutputPath
from sdtext.cli.print_results import JSON_FORMATS, default_format, print_record, print_rows, report
from sdtext.cli.verb import verb
from sdtext.deduplication.rule_names import (
    DOCUMENT,
    KEEP_FORMS,
    RULES,
    SCOPE_FORMS,
    UNITS,
    check_unit,
)
from sdtext.wording import counted

if TYPE_CHECKING:
    from sdtext.cli.batch_run import Batch
    from sdtext.deduplication.repeated_passages.repeated_sentences import PassageRules
    from sdtext.deduplication.run import Deduplicated
    from sdtext.deduplication.source_documents import Sources
    from sdtext.reading.overwrite_guard import Output
    from sdtext.reading.parallel_run import Run
    from sdtext.reading.records.record import Fields

Outputs = Mapping[str, "Output"]
"""The files to write, by what they are for: kept, removed, clusters."""


def _rows_file(name: str, words: str) -> Callable[[Any], Any]:
    return common.option(name, kind=OutputPath(), metavar="FILE", default="", help=words)


@verb(
    "sdtext Deduplicate pages.jsonl.gz -o kept.jsonl --removed removed.csv",
    "sdtext Deduplicate letters/ -o kept.txt --clusters clusters.jsonl --against archive.sdx -s 70",
)
@common.inputs("INPUT", "inputs")
@common.output("KEEP", "The file for what is kept; - prints it.", OutputPath(), "kept", default="")
@_rows_file("--removed", "A file for what is removed, and what is kept instead.")
@_rows_file("--clusters", "A file for the clusters of similar documents.")
@html_page.html
@common.force
@search.recipe_minimum
@common.recipe("The recipe to compare by: a name of ListRecipes, or a file.  [default: see above]")
@common.option(
    "--rule",
    choices=RULES,
    default=RULES[0],
    help="Remove what scores MIN with a kept document, all but one of each cluster of links, "
    "or what a kept document contains.",
)
@common.option(
    "--keep",
    kind=FieldChoiceType(KEEP_FORMS),
    default="first",
    help="Which of similar documents is kept: newest by a date, best by a number in a field.",
)
@common.option(
    "--scope",
    kind=FieldChoiceType(SCOPE_FORMS),
    default="",
    help="Compare records with the same value in a field alone, or with different ones.  "
    "[default: all]",
)
@common.option(
    "--against",
    kind=InputPath(),
    metavar="NAME.sdx",
    help="Also remove what is similar to a document of this collection.",
)
@common.flag(
    "mark",
    "Remove nothing: write all documents to KEEP, with the number of their cluster in a "
    "column (of records, a field) called cluster.",
)
@common.flag(
    "explain",
    "Add what both documents share to --removed: the number of shingles, and a passage.",
)
@common.option(
    "--review",
    least=1,
    help="Print the N least similar removals, with the passages where the texts differ.",
)
@search.recall
@common.option(
    "--unit",
    choices=UNITS,
    default=DOCUMENT,
    help="Remove whole documents, or repeated paragraphs, sentences or passages in them: sentences "
    "within N words that stand elsewhere, too.",
)
@common.option(
    "--min-tokens",
    least=1,
    help="Fewest words that are compared.  [default: 50 for passages, else 1]",
)
@common.records
@common.rows_format
@reading.corpus
def command(
    inputs: tuple[str, ...],
    kept: str,
    removed: str,
    clusters: str,
    html: html_page.HtmlFile,
    force: bool,
    config: str | None,
    against: str | None,
    mark: bool,
    explain: bool,
    review: int | None,
    unit: str,
    min_tokens: int | None,
    fields: Fields,
    form: str | None,
    batch: Batch,
    **rules: Any,
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
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.deduplication.outputs import converts, kept_format, temporary_place
    from sdtext.deduplication.repeated_passages.repeated_sentences import PassageRules
    from sdtext.deduplication.rules_and_removals import ReviewedPair, Rules
    from sdtext.deduplication.run import deduplicate
    from sdtext.deduplication.source_documents import sources_in
    from sdtext.model.record_formats import TSV
    from sdtext.parts.load_recipe import files_of_recipe, load_recipe
    from sdtext.reading.inputs import Inputs
    from sdtext.reading.overwrite_guard import check_outputs
    from sdtext.reports.deduplication import result_of, summary_of_marks
    from sdtext.search.search_explanations import describe_curve

    _check_options(unit)
    files = _outputs(kept, removed, clusters, unit, force=force)
    recipe_files = map(str, files_of_recipe(config)) if config else ()
    check_outputs([*files.values(), *([html.output] if html else [])], [*inputs, *recipe_files])
    recipe = load_recipe(config) if config else None
    printed = form or default_format()
    if unit != DOCUMENT:
        passage_rules = PassageRules(unit, min_tokens, recipe=recipe)
        with batch.running(inputs) as run:
            sources = sources_in(Inputs(inputs, fields), run)
            summary, record = _cut(sources, passage_rules, files, printed, run)
        schema, lines = "sdtext/deduplicated-passages/1", [summary]
    else:
        stored = StoredCollection.open(against) if against else None
        chosen_rules = Rules(recipe, against=stored, **rules)
        with batch.running(inputs) as run:
            sources = sources_in(Inputs(inputs, fields), run)
            if kept:
                chosen = kept_format(sources, kept, TSV if mark else None)
                sources = replace(sources, converted=mark or converts(sources, chosen))
            place = temporary_place(kept)
            done = deduplicate(
                sources, chosen_rules, run, place, review=review or 0, explain=explain
            )
            _write(done, files, printed, run, mark=mark)
        if html:
            from sdtext.reports.html.result_overviews import page_of_deduplication

            html.write(page_of_deduplication(done, inputs, run.problems or (), mark=mark))
        if review:
            print_rows(form, ReviewedPair, done.reviewed, "sdtext/review/1")
        summary = summary_of_marks(done) if mark else str(done)
        lines = [done.how, describe_curve(done.curve), summary, _unread(done)]
        schema, record = (
            "sdtext/deduplication/1",
            result_of(done, in_words=form not in JSON_FORMATS),
        )
    if form and not review and "-" not in (kept, removed, clusters):
        print_record(form, schema, record, run.problems)
    for line in filter(None, lines):
        say(line)
    return report(run.problems)


def _check_options(unit: str) -> None:
    """UsageError for an option that needs another one, OptionError for one of another unit."""
    context = click.get_current_context()
    given = {
        parameter.name or "": max(parameter.opts, key=len).lstrip("-")
        for parameter in context.command.params
        if context.get_parameter_source(parameter.name or "") is not ParameterSource.DEFAULT
    }
    check_unit(unit, [option.replace("-", "_") for option in given.values()])
    outputs = [context.params[name] for name in ("kept", "removed", "clusters")]
    if not {"kept", "review"} & given.keys():
        raise click.UsageError(
            "no output file is given; name one with -o, or - to print what is kept"
        )
    if "review" in given and "-" in outputs:
        raise click.UsageError("--review prints rows on standard output, and so does - for a file")
    if "explain" in given and "removed" not in given:
        raise click.UsageError("--explain adds columns to a file of --removed, which is not named")


def _outputs(
    kept: str, removed: str, clusters: str, unit: str, *, force: bool
) -> dict[str, Output]:
    """The files that are named. Raises OptionError for a wrong ending."""
    from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage
    from sdtext.deduplication.rules_and_removals import DuplicateCluster, RemovedDocument
    from sdtext.reading.overwrite_guard import PLAIN, Output
    from sdtext.reports.deduplication import output_of_rows

    outputs = {"kept": Output(kept, PLAIN, force)} if kept else {}
    kind = RemovedDocument if unit == DOCUMENT else RemovedPassage
    if removed:
        outputs["removed"] = output_of_rows(removed, kind, replaces=force)
    if clusters:
        outputs["clusters"] = output_of_rows(clusters, DuplicateCluster, replaces=force)
    return outputs


@contextmanager
def _opened(outputs: Outputs) -> Iterator[dict[str, BinaryIO]]:
    """The files to write to: all of them, or none."""
    from sdtext.io.output import written

    with ExitStack() as stack:
        yield {
            name: stack.enter_context(
                written(output.path, output.check_replaced, required=len(outputs) == 1)
            )
            for name, output in outputs.items()
        }


def _write(done: Deduplicated, outputs: Outputs, printed: str, run: Run, *, mark: bool) -> None:
    from sdtext.deduplication.outputs import write_kept, write_marked
    from sdtext.deduplication.rules_and_removals import DuplicateCluster, RemovedDocument
    from sdtext.reports.deduplication import write_as

    with _opened(outputs) as files:
        for name, file in files.items():
            path = str(outputs[name].path)
            if name == "removed":
                write_as(path, printed, file, RemovedDocument, done.removed)
            elif name == "clusters":
                write_as(path, printed, file, DuplicateCluster, done.clusters)
            elif mark:
                write_marked(done.sources, done.marks, path, file, run)
            else:
                write_kept(done.sources, done.places, path, file, run)


def _cut(
    sources: Sources, rules: PassageRules, outputs: Outputs, printed: str, run: Run
) -> tuple[str, dict[str, int]]:
    """Write the texts without what repeats; a summary, and counts."""
    from sdtext.deduplication.outputs import converts, kept_format, packed, temporary_place
    from sdtext.deduplication.repeated_passages.cut_texts import CutTexts
    from sdtext.deduplication.repeated_passages.find_repeats import repeated_passages
    from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage
    from sdtext.model.record_formats import JSON_LINES
    from sdtext.reports.deduplication import write_as

    kept = str(outputs["kept"].path)
    folder, chosen = temporary_place(kept), kept_format(sources, kept, JSON_LINES) or JSON_LINES
    sources = replace(sources, converted=converts(sources, chosen))
    with (
        repeated_passages(sources, rules, run, folder) as repeated,
        TemporaryFile(dir=folder) as log,
    ):
        cut = CutTexts(repeated, log)
        with _opened(outputs) as files:
            with packed(files["kept"], kept if chosen.is_packed else "") as target:
                cut.write(chosen, target, run)
            if "removed" in files:
                path = str(outputs["removed"].path)
                write_as(path, printed, files["removed"], RemovedPassage, cut.removed())
        return str(repeated), repeated.counts


def _unread(done: Deduplicated) -> str:
    """What becomes of files that could not be read; "" for records, whose messages say it."""
    from sdtext.deduplication.source_documents import FILES

    number = len(done.sources.paths) - done.read if done.sources.kind == FILES else 0
    verb = "is" if number == 1 else "are"
    return f"{counted(number, 'unread file')} {verb} kept, too" if number > 0 else ""
