"""TokenizeFile: print the terms that a recipe produces from a file."""

from itertools import chain as chained

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import while_read
from sdtext.cli.options import common, reading
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import verb
from sdtext.reports.row_formats import FORMATS
from sdtext.wording import shown


@verb(
    "sdtext TokenizeFile letter.txt -c english",
    "sdtext TokenizeFile -c english --explain Constitutional",
)
@common.file_option(
    *("-i", "--input"), to="path", metavar="FILE", words="The document; - is stdin.", required=False
)
@common.shared(
    "config",
    "The recipe, such as english: a name of ListRecipes, or a file (a dictionary, too).",
    required=True,
)
@common.option(
    "--format",
    "form",
    choices=["text", *FORMATS],
    default="text",
    help="Output format: text is one term per line; the others add its place in the text.",
)
@common.option("--explain", "word", metavar="WORD", help="Show what each filter makes of WORD.")
@reading.plain_files
def command(path: str | None, config: str, form: str, word: str | None, batch: Batch) -> int:
    """Print the terms that a recipe produces from FILE, in the order of the text.

    Places are half-open ranges in code points of the text as ExtractText prints it.
    """
    from sdtext.analysis.tokenizer_chain import Chain, PlacedTerm
    from sdtext.io.output import standard_output
    from sdtext.parts.load_recipe import load_recipe
    from sdtext.reading.main_process_limits import within_limits
    from sdtext.reading.read_document import Source

    recipe = load_recipe(config)
    chain = Chain(recipe)
    if (word is None) == (path is None):
        raise click.UsageError("give either -i FILE or --explain WORD")
    if word is not None:
        explained = chain.suited_to(word).explain(word)
        rows = ({"filter": name, "word": result or None} for name, result in explained)
        print_rows(None if form == "text" else form, ["filter", "word"], rows, "sdtext/explain/1")
        return 0
    source = Source(str(path), batch.reading.preferring(recipe.reader))
    with within_limits(batch.reading.limits, shown(str(path))):
        chain = chain.suited_to(source.sample) if chain.is_automatic else chain
        pieces = source.documents(chain.tokenizer.cuts)
        if form == "text":
            output = standard_output()
            with while_read():
                for terms in chained.from_iterable(
                    chain.term_pieces(piece.clean) for _, piece in pieces
                ):
                    lines = "".join(f"{term}\n" for term in terms)
                    output.write(lines.encode("utf-8", "surrogatepass"))
        else:
            known_at_the_end = (problem for each in [source] for problem in each.problems)
            placed = chain.placed_terms(pieces)
            print_rows(form, PlacedTerm._fields, placed, "sdtext/tokens/1", known_at_the_end)
    return report(source.problems)
