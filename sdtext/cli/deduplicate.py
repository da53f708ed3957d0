"""Deduplicate: remove the duplicates of documents that are kept, or repeated parts of documents."""

from collections.abc import Callable
from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, html_page, reading, search
from sdtext.cli.options.engine import engine
from sdtext.cli.options.values import STANDARD_OUTPUT, InputPath, OutputPath, WholeNumber
from sdtext.cli.print_results import format_of_rows, print_record, print_rows, report
from sdtext.cli.verb import verb
from sdtext.deduplication.rule_names import DOCUMENT, KEEP_FORMS, RULES, SCOPE_FORMS, UNITS
from sdtext.errors import OptionError


def _rows_file(name: str, words: str) -> Callable[[Any], Any]:
    return common.option(name, kind=OutputPath(), metavar="FILE", default="", help=words)


def _unit(context: click.Context, option: click.Parameter, text: Any) -> dict[str, Any]:
    unit, colon, words = text.partition(":")
    least = WholeNumber(1).convert(words, option, context) if colon else None
    return {"unit": unit, "min_tokens": least}


@verb(
    "sdtext Deduplicate pages.jsonl.gz -o kept.jsonl --removed removed.csv",
    "sdtext Deduplicate letters/ -o kept.txt --clusters clusters.jsonl --against archive.sdx -s 70",
)
@common.inputs("INPUT", "inputs")
@common.output("KEEP", "The file for what is kept; - prints it.", OutputPath(), default="")
@_rows_file("--removed", "A file for what is removed, and what is kept instead.")
@_rows_file("--clusters", "A file for the clusters of similar documents.")
@html_page.html
@common.force
@search.recipe_minimum
@common.shared(
    "config",
    "The recipe to compare by: a name of ListRecipes, or a file.  [default: see above]",
    "recipe",
)
@common.option(
    "--rule",
    choices=RULES,
    default=RULES[0],
    help="direct: remove what scores MIN or more with a kept document; cluster: all but one "
    "document of each cluster; contained: what a kept document contains.",
)
@common.choice_with_field(
    "--keep",
    KEEP_FORMS,
    default="first",
    help="Which of similar documents is kept: newest by a date, best by a number in a field.",
)
@common.choice_with_field(
    "--scope",
    SCOPE_FORMS,
    default="",
    help="Compare only records with the same value in a field, or with different values.  "
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
    "explain", "Add what both documents share to --removed: the number of shingles, and a passage."
)
@common.option(
    "--review",
    least=1,
    help="Print the N least similar removals, with the passages where the texts differ.",
)
@common.choice_with_field(
    "--unit",
    (DOCUMENT, *(f"{unit}[:N]" for unit in UNITS[1:])),
    default=DOCUMENT,
    callback=_unit,
    help="Remove whole documents, or repeated paragraphs, sentences or passages in them: sentences "
    "within N words that stand elsewhere, too. Fewer than N words are not compared: 50 for "
    "passages, else 1.",
)
@common.records
@common.rows_format
@reading.corpus
@engine("output", "removed", "minimum", "recipe", "rule", "keep", "scope", "against")
def command(
    inputs: tuple[str, ...],
    output: str,
    removed: str,
    clusters: str,
    html: html_page.HtmlFile,
    force: bool,
    minimum: int | None,
    review: int | None,
    form: str | None,
    unit: dict[str, Any],
    batch: Batch,
    **question: Any,
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
    from sdtext.deduplication.deduplicate import deduplicate
    from sdtext.parts.load_recipe import files_of_recipe
    from sdtext.reading.overwrite_guard import PLAIN, Output, check_outputs
    from sdtext.reports.deduplication import lists_of, write_lists
    from sdtext.search.search_explanations import describe_curve

    is_printed = STANDARD_OUTPUT in (output, removed, clusters)
    if not (output or review):
        raise click.UsageError("name a file for what is kept with -o, or - to print it")
    if review and is_printed:
        raise click.UsageError("--review prints rows on standard output, and so does - for a file")
    if unit["unit"] != DOCUMENT and (clusters or html.path):
        raise OptionError(f"clusters and html are for the unit {DOCUMENT}")
    lists = lists_of(removed, clusters, unit["unit"], replaces=force)
    outputs = [*([Output(output, PLAIN, force)] if output else []), *lists.values(), *html.outputs]
    check_outputs(outputs, [*inputs, *files_of_recipe(question["recipe"])])
    similarity = None if minimum is None else minimum / 100
    with batch.running(inputs) as run:
        question |= {**unit, "output": output, "force": force, "review": review or 0}
        done = deduplicate(inputs, similarity=similarity, run=run, **question)
        write_lists(lists, done, format_of_rows(form))
    problems = run.problems or ()
    html.write_overview(
        lambda made: made.page_of_deduplication(done, inputs, problems, mark=question["mark"])
    )
    if review:
        print_rows(form, done.reviewed.row_type, done.reviewed, "sdtext/review/1")
    elif form and not is_printed:
        is_whole = unit["unit"] == DOCUMENT
        schema = "sdtext/deduplication/1" if is_whole else "sdtext/deduplicated-passages/1"
        print_record(form, schema, done.record, problems)
    return report(problems, done.how, describe_curve(done.curve), done.summary)
