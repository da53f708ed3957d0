"""Deduplicate: remove the duplicates of documents that are kept, or repeated parts of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

import click
from click.core import ParameterSource

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import (
    force_option,
    format_option,
    jobs_option,
    records_options,
)
from sdtext.cli.options.html_page import HtmlFile, html_option, provenance
from sdtext.cli.options.reading import corpus_options
from sdtext.cli.options.search import minimum_option, recall_option
from sdtext.cli.options.values import FieldChoiceType, InputPath, OutputPath, WholeNumber
from sdtext.cli.print_results import (
    as_records,
    default_format,
    print_record,
    print_rows,
    report,
)
from sdtext.cli.verb import Verb
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
    from sdtext.deduplication.repeated_passages.repeated_sentences import PassageRules
    from sdtext.deduplication.rules_and_removals import Rules
    from sdtext.deduplication.run import Deduplicated
    from sdtext.deduplication.source_documents import Sources
    from sdtext.reading.options import Reading
    from sdtext.reading.overwrite_guard import Output
    from sdtext.reading.parallel_run import Run
    from sdtext.reading.records import Fields
    from sdtext.reports.html.report_page import ReportPage


def _file_option(name: str, words: str) -> Callable[[Any], Any]:
    return click.option(name, type=OutputPath(), default="", metavar="FILE", help=words)


@click.command(
    cls=Verb,
    epilog="Examples: sdtext Deduplicate pages.jsonl.gz -o kept.jsonl --removed removed.csv\n\n"
    "sdtext Deduplicate letters/ -o kept.txt --clusters clusters.jsonl --against archive.sdx -s 70",
)
@click.argument("inputs", type=InputPath(), metavar="INPUT...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    "kept",
    type=OutputPath(),
    default="",
    metavar="KEEP",
    help="The file for what is kept; - prints it.",
)
@_file_option("--removed", "A file for what is removed, and what is kept instead.")
@_file_option("--clusters", "A file for the clusters of similar documents.")
@html_option
@force_option
@minimum_option
@click.option(
    "-c",
    "--config",
    type=InputPath("recipes"),
    metavar="RECIPE",
    help="The recipe to compare by: a name of ListRecipes, or a file.  [default: see above]",
)
@click.option(
    "--rule",
    type=click.Choice(RULES),
    default=RULES[0],
    show_default=True,
    help="Remove what scores MIN with a kept document, all but one of each cluster of links, "
    "or what a kept document contains.",
)
@click.option(
    "--keep",
    type=FieldChoiceType(KEEP_FORMS),
    default="first",
    show_default=True,
    help="Which of similar documents is kept: newest by a date, best by a number in a field.",
)
@click.option(
    "--scope",
    type=FieldChoiceType(SCOPE_FORMS),
    default="",
    help="Compare records with the same value in a field alone, or with different ones.  "
    "[default: all]",
)
@click.option(
    "--against",
    type=InputPath(),
    metavar="NAME.sdx",
    help="Also remove what is similar to a document of this collection.",
)
@click.option(
    "--mark",
    is_flag=True,
    help="Remove nothing: write all documents to KEEP, with the number of their cluster in a "
    "column (of records, a field) called cluster.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Add what both documents share to --removed: the number of shingles, and a passage.",
)
@click.option(
    "--review",
    type=WholeNumber(min=1),
    metavar="N",
    help="Print the N least similar removals, with the passages where the texts differ.",
)
@recall_option
@click.option(
    "--unit",
    type=click.Choice(UNITS),
    default=DOCUMENT,
    show_default=True,
    help="Remove whole documents, or repeated paragraphs, sentences or passages in them: sentences "
    "within N words that stand elsewhere, too.",
)
@click.option(
    "--min-tokens",
    type=WholeNumber(min=1),
    metavar="N",
    help="Fewest words that are compared.  [default: 50 for passages, else 1]",
)
@records_options
@format_option
@corpus_options
@jobs_option
def command(
    inputs: tuple[str, ...],
    kept: str,
    removed: str,
    clusters: str,
    html: HtmlFile,
    force: bool,
    minimum: int | None,
    config: str | None,
    rule: str,
    keep: str,
    scope: str,
    against: str | None,
    mark: bool,
    explain: bool,
    review: int | None,
    recall: float | None,
    unit: str,
    min_tokens: int | None,
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
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.deduplication.outputs import (
        converts,
        kept_format,
        marked_format,
        temporary_place,
    )
    from sdtext.deduplication.repeated_passages.repeated_sentences import PassageRules
    from sdtext.deduplication.rules_and_removals import ReviewedPair, Rules
    from sdtext.deduplication.run import deduplicate
    from sdtext.deduplication.source_documents import sources_in
    from sdtext.model.displayed_results import columns_in_files
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
    results = _Results(files, form)
    if unit != DOCUMENT:
        passage_rules = PassageRules(unit, min_tokens, recipe=recipe)
        with running(reading, jobs, inputs) as run:
            sources = sources_in(Inputs(inputs, fields), run)
            summary, counts = _cut(sources, passage_rules, results, run)
        results.print("sdtext/deduplicated-passages/1", counts, [summary], run)
        return report(run.problems or ())
    stored = StoredCollection.open(against) if against else None
    rules = Rules(recipe, minimum, recall, keep, stored, rule, scope)
    with running(reading, jobs, inputs) as run:
        sources = sources_in(Inputs(inputs, fields), run)
        if kept:
            format_of = marked_format if mark else kept_format
            chosen = format_of(sources, kept)
            sources = replace(sources, converted=mark or converts(sources, chosen))
        done = deduplicate(
            sources,
            rules,
            run,
            temporary_place(kept),
            review=review or 0,
            explain=explain,
        )
        _write(done, results, run, mark=mark)
    if html:
        html.write(_page(done, rules, inputs, run, mark=mark))
    if review:
        rows = (vars(row) for row in done.reviewed)
        print_rows(form, columns_in_files(ReviewedPair), rows, "sdtext/review/1")
        results = replace(results, form=None)
    summary = summary_of_marks(done) if mark else str(done)
    lines = [done.how, describe_curve(done.curve), summary, _unread(done)]
    results.print("sdtext/deduplication/1", result_of(done), lines, run)
    return report(run.problems or ())


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
    """The files that are named, by what they are for. Raises OptionError for a wrong ending."""
    from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage
    from sdtext.deduplication.rules_and_removals import DuplicateCluster, RemovedDocument
    from sdtext.reading.overwrite_guard import PLAIN, Output
    from sdtext.reports.deduplication import output_of_rows

    files = {"kept": Output(kept, PLAIN, force)} if kept else {}
    kinds = {
        "removed": (removed, RemovedDocument if unit == DOCUMENT else RemovedPassage),
        "clusters": (clusters, DuplicateCluster),
    }
    rows = {
        name: output_of_rows(path, kind, replaces=force)
        for name, (path, kind) in kinds.items()
        if path
    }
    return files | rows


@dataclass(frozen=True)
class _Results:
    """The files of results, the format of kept records, and that of what is printed."""

    files: Mapping[str, Output]
    form: str | None

    @property
    def kept(self) -> str:
        """The path of the file for what is kept; "" for none."""
        return str(self.files["kept"].path) if "kept" in self.files else ""

    @contextmanager
    def written(self) -> Iterator[dict[str, BinaryIO]]:
        """The files to write to: all of them, or none."""
        from sdtext.io.output import written

        with ExitStack() as stack:
            yield {
                name: stack.enter_context(
                    written(output.path, output.check_replaced, required=len(self.files) == 1)
                )
                for name, output in self.files.items()
            }

    def write_rows(self, name: str, file: BinaryIO, kind: type[Any], rows: Iterable[Any]) -> None:
        """Write rows to a file of that name."""
        from sdtext.reports.deduplication import write_as

        write_as(str(self.files[name].path), self.form or default_format(), file, kind, rows)

    def print(self, schema: str, record: Mapping[str, Any], lines: Sequence[str], run: Run) -> None:
        """Print the record in the format that is asked for, and the lines to stderr."""
        from sdtext.reports.deduplication import table_of

        if self.form and "-" not in {output.path for output in self.files.values()}:
            is_json = self.form in ("json", "jsonl")
            beside = {"problems": as_records(run.problems or ())}
            print_record(self.form, schema, {**record, **beside} if is_json else table_of(record))
        for line in filter(None, lines):
            say(line)


def _write(done: Deduplicated, results: _Results, run: Run, *, mark: bool) -> None:
    from sdtext.deduplication.outputs import write_kept, write_marked
    from sdtext.deduplication.rules_and_removals import DuplicateCluster, RemovedDocument

    rows = {
        "removed": (RemovedDocument, done.removed),
        "clusters": (DuplicateCluster, done.clusters),
    }
    sources, kept = done.sources, results.kept
    with results.written() as files:
        for name, file in files.items():
            if name != "kept":
                results.write_rows(name, file, *rows[name])
            elif mark:
                write_marked(sources, done.marks, kept, file, run)
            else:
                write_kept(sources, done.places, kept, file, run)


def _cut(
    sources: Sources, rules: PassageRules, results: _Results, run: Run
) -> tuple[str, dict[str, int]]:
    """Write the texts without what repeats; a summary, and counts."""
    from sdtext.deduplication.outputs import converts, packed, temporary_place
    from sdtext.deduplication.repeated_passages.cut_texts import CutTexts, format_of_texts
    from sdtext.deduplication.repeated_passages.find_repeats import repeated_passages
    from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage

    folder = temporary_place(results.kept)
    chosen = format_of_texts(sources, results.kept)
    sources = replace(sources, converted=converts(sources, chosen))
    with (
        repeated_passages(sources, rules, run, folder) as repeated,
        TemporaryFile(dir=folder) as log,
    ):
        cut = CutTexts(repeated, log)
        with results.written() as files:
            with packed(files["kept"], results.kept if chosen.is_packed else "") as target:
                cut.write(chosen, target, run)
            if "removed" in files:
                results.write_rows("removed", files["removed"], RemovedPassage, cut.removed())
        return str(repeated), repeated.counts


def _page(
    done: Deduplicated, rules: Rules, inputs: Sequence[str], run: Run, *, mark: bool
) -> ReportPage:
    """What was removed as a page, with the digests of the files that were read."""
    from sdtext.reports.html.overview_page import page_of
    from sdtext.reports.html.report_page import digests_of_inputs
    from sdtext.reports.html.result_overviews import of_deduplication, parameters_of_rules

    names = (
        name for row in done.removed for name in (row.document, row.kept or row.duplicate or "")
    )
    facts = provenance(
        parameters_of_rules(rules, inputs, done.how), [*digests_of_inputs(inputs, names, "read")]
    )
    problems = run.problems or ()
    return page_of(of_deduplication(done, problems, mark=mark), facts, problems)


def _unread(done: Deduplicated) -> str:
    """What becomes of files that could not be read; "" for records, whose messages say it."""
    from sdtext.deduplication.source_documents import FILES

    number = len(done.sources.paths) - done.read if done.sources.kind == FILES else 0
    verb = "is" if number == 1 else "are"
    return f"{counted(number, 'unread file')} {verb} kept, too" if number > 0 else ""
