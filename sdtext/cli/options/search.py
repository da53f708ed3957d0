"""Options of the verbs that search: collections for similar documents, texts for passages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.common import (
    SUCH_CONDITIONS,
    Decorator,
    flag,
    grouped,
    matcher,
    option,
    paths,
    shared,
)
from sdtext.cli.print_results import LISTED_TERMS

if TYPE_CHECKING:
    from sdtext.search.search_plan import Question

skip_damaged = flag(
    "skip-damaged", "Leave damaged segments of the collection out, with a warning for each."
)
recipe_minimum = shared(
    "minimum", "Minimum score, 0 to 99.  [default: the one that the recipe's index is made for]"
)
recall = option(
    "--recall",
    kind=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="R",
    help="Required probability of finding a pair that scores MIN, such as 0.99.  "
    "[default: as in the recipe]",
)


def _question(config: str | None, explain: bool, **asked: Any) -> Question:
    from sdtext.parts.load_recipe import load_recipe
    from sdtext.search.search_plan import Question

    loaded = load_recipe(config) if config else None
    return Question(recipe=loaded, explain=LISTED_TERMS if explain else 0, **asked)


def question(*before: Decorator, most: str) -> Decorator:
    """The options of a search in collections, passed as `question`."""
    return grouped(
        "question",
        _question,
        *before,
        matcher,
        shared(
            "config",
            "Search with the shingles, sketches, bands and matcher of this recipe. Its tokenizer "
            "and filters must be the collection's.  [default: the collection's]",
        ),
        recall,
        option(
            "--index",
            metavar="INDEX",
            help="How candidates are selected: bands (shingles), columns (bit vectors), or scan, "
            "which compares all.  [default: as in the recipe, else the faster one]",
        ),
        flag("estimate", "Take scores from sketches, without verification."),
        shared("where", f"Use only documents that meet this condition{SUCH_CONDITIONS}"),
        shared("top", most),
        flag(
            "explain",
            "Also list the shared runs of words or characters, the longest first, where the texts "
            "are at hand.",
        ),
    )


window_length = option(
    "-w",
    "w",
    least=1,
    metavar="W",
    help="Window length in terms.  [default: as in the recipe, otherwise 30]",
)

reuse = grouped(
    "question",
    dict,
    option(
        "--method",
        choices=["windows", "sentences"],
        help="Compare windows of terms, or codes of sentences.  [default: what the recipe is for, "
        "otherwise windows]",
    ),
    window_length,
    shared(
        "distance",
        "Number of terms in a window, or of bits in a sentence code, that may differ. -w 20 "
        "--distance 9 also finds short quotations, of 11 terms or more in place of 15: in English "
        "prose mostly 14 to 23 words.  [default: as in the recipe, in proportion to W]",
    ),
    shared("where", f"Use only stored documents that meet this condition{SUCH_CONDITIONS}"),
    option(
        "--unit",
        choices=["chapter"],
        help="Also report the share of each chapter; --by chapter lists them as rows. Chapters "
        "are known in formats that mark headings (Word, OpenDocument, RTF, HTML, EPUB, PDF with "
        "bookmarks), in Markdown, and in plain text by lines such as CHAPTER I.",
    ),
    flag("exclude-quotes", "Do not count quoted text."),
    flag("exclude-references", "Do not count lists of references."),
    paths(
        "--template",
        metavar="FILE",
        words="Do not count the text of FILE, such as a form, in any document. Repeatable.",
    ),
    option(
        "--min-passage",
        least=1,
        metavar="TOKENS",
        help="Minimum length of a passage in terms.  [default: 15; half a window if -w is below "
        "30]",
    ),
    shared(
        "config",
        "How texts become terms, and which windows or codes are compared. With a collection, "
        "tokenizer and filters must be the collection's.  [default: reuse, or the collection's]",
        "recipe",
    ),
)
"""The options of a search for passages, passed as `question`: keywords of `find_reuse`."""
