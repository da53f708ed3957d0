"""What Lucene makes of texts of our own, and our chains to compare with it.

`own_*` are sentences, `random` lines of random characters of many scripts; each has an outcome for
each of several analyzers, of version 8.7 where the name says nothing else.
"""

from pathlib import Path

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.model import RecipeSpec
from sdtext.text.document import Document

LUCENE = Path(__file__).parent.parent / "samples" / "lucene"
Row = tuple[str, int, int]


def found_by(analyzer: str, name: str) -> list[list[Row]]:
    """Term, start and end of each token of each line of a sample, without empty terms.

    ArabicAnalyzer leaves them of words that are nothing but vowel signs.
    """
    lines = _lines(LUCENE / f"{name}.{analyzer}.tsv")
    cells = [[cell.split("|") for cell in line.split("\t") if cell] for line in lines]
    return [[(row[0], int(row[1]), int(row[2])) for row in line if row[0]] for line in cells]


def found_here(recipe: RecipeSpec, name: str) -> list[list[Row]]:
    """The same by a chain of ours."""
    chain = Chain(recipe)
    tokens = [chain.tokens(Document(line, line)) for line in _lines(LUCENE / f"{name}.txt")]
    return [list(zip(row.words, row.starts, row.ends, strict=True)) for row in tokens]


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")
