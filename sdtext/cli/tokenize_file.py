"""TokenizeFile: print the terms that a recipe produces from a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import while_read
from sdtext.cli.options import common, reading
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import verb
from sdtext.reports.row_formats import FORMATS
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.cli.batch_run import Batch
    from sdtext.model import Problem


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
@reading.single_files
def command(path: str | None, config: str, form: str, word: str | None, batch: Batch) -> int:
    """Print the terms that a recipe produces from FILE, in the order of the text.

    Places are half-open ranges in code points of the text as ExtractText prints it.
    """
    from sdtext.analysis.tokenizer_chain import Chain
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
    problems: list[Problem] = []

    def places() -> Iterator[dict[str, str | int]]:
        """A row for each term, with its place in the whole text; at the end, problems are known."""
        for place, piece in source.documents(chain.tokenizer.cuts):
            for tokens in chain.token_pieces(piece):
                for term, start, end in zip(tokens.words, tokens.starts, tokens.ends, strict=True):
                    yield {"token": term, "start": place + start, "end": place + end}
        problems.extend(source.problems)

    with within_limits(batch.reading.limits, shown(str(path))):
        chain = chain.suited_to(source.sample) if chain.is_automatic else chain
        if form == "text":
            output = standard_output()
            with while_read():
                for _, piece in source.documents(chain.tokenizer.cuts):
                    for terms in chain.term_pieces(piece.clean):
                        lines = "".join(f"{term}\n" for term in terms)
                        output.write(lines.encode("utf-8", "surrogatepass"))
        else:
            print_rows(form, ["token", "start", "end"], places(), "sdtext/tokens/1", problems)
    return report(source.problems)
