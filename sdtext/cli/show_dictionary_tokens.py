"""ShowDictionaryTokens: list the terms of a dictionary with their frequencies."""

from sdtext.cli.main import say
from sdtext.cli.options import common
from sdtext.cli.print_results import print_rows
from sdtext.cli.verb import verb


@verb("sdtext ShowDictionaryTokens letters.xml --sort df --limit 20")
@common.dictionary
@common.option(
    "--sort",
    choices=["term", "df", "idf"],
    default="term",
    help="Sort by term, by decreasing document frequency, or by decreasing IDF.",
)
@common.option("--limit", least=1, help="Print only the first N.  [default: all]")
@common.rows_format
def command(path: str, sort: str, limit: int | None, form: str | None) -> None:
    """List the terms of a dictionary with document frequency, IDF and normalized IDF."""
    from sdtext.fingerprinting.load_and_save import load_dictionary

    dictionary = load_dictionary(path)
    pairs = list(zip(dictionary.terms, dictionary.counts, strict=True))
    if sort != "term":
        pairs.sort(key=lambda pair: -pair[1] if sort == "df" else pair[1])
    nidf = dictionary.nidf if dictionary.max_idf > 0 else lambda _: None
    if dictionary.max_idf <= 0:
        say("nidf is empty: the maximum IDF of this small dictionary is not above zero")
    rows = (
        {"term": term, "df": count, "idf": dictionary.idf(count), "nidf": nidf(count)}
        for term, count in pairs[:limit]
    )
    print_rows(form, ["term", "df", "idf", "nidf"], rows, "sdtext/dictionary-tokens/1")
