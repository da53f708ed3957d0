"""Search options of FindReuse."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from sdtext.cli.options.common import Decorator, where_option
from sdtext.cli.options.values import InputPath, WholeNumber

window_length_option = click.option(
    "-w",
    "w",
    type=WholeNumber(min=1),
    metavar="W",
    help="Window length in terms.  [default: as in the recipe, otherwise 30]",
)
_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--method",
        type=click.Choice(["windows", "sentences"]),
        help="Compare windows of terms, or codes of sentences.  [default: what the recipe is for, "
        "otherwise windows]",
    ),
    window_length_option,
    click.option(
        "--distance",
        type=WholeNumber(min=0),
        metavar="D",
        help="Number of terms in a window, or of bits in a sentence code, that may differ.  "
        "[default: as in the recipe, in proportion to W]",
    ),
    click.option(
        "--short",
        is_flag=True,
        help="Also find short quotations, of 11 terms or more in place of 15: -w 20 --distance 9. "
        "Stop words are no terms: in English prose 11 terms are mostly 14 to 23 words. Of passages "
        "of 30 words or more it finds no more.",
    ),
    where_option("Use only stored documents that meet this condition"),
    click.option(
        "--unit",
        type=click.Choice(["chapter"]),
        help="Also report the share of each chapter; --by chapter lists them as rows. Chapters are "
        "known in formats that mark headings (Word, OpenDocument, RTF, HTML, EPUB, PDF with "
        "bookmarks), in Markdown, and in plain text by lines such as CHAPTER I.",
    ),
    click.option("--exclude-quotes", is_flag=True, help="Do not count quoted text."),
    click.option("--exclude-references", is_flag=True, help="Do not count lists of references."),
    click.option(
        "--template",
        multiple=True,
        type=InputPath(),
        metavar="FILE",
        help="Do not count the text of FILE, such as a form, in any document. Repeatable.",
    ),
    click.option(
        "--min-passage",
        type=WholeNumber(min=1),
        metavar="TOKENS",
        help=(
            "Minimum length of a passage in terms.  [default: 15; half a window if -w is below 30]"
        ),
    ),
    click.option(
        "-c",
        "--config",
        "recipe",
        type=InputPath("recipes"),
        metavar="RECIPE",
        help="How texts become terms, and which windows or codes are compared. With a collection, "
        "tokenizer and filters must be the collection's.  [default: reuse, or the collection's]",
    ),
)
_NAMES = (
    *("method", "w", "distance", "short", "where", "unit"),
    *("exclude_quotes", "exclude_references", "template", "min_passage", "recipe"),
)


def reuse_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The search options, passed as `question`: keywords of `find_reuse`."""

    @wraps(function)
    def with_question(*args: Any, **options: Any) -> Any:
        question = {name: options.pop(name) for name in _NAMES}
        question["method"] = question["method"] or ""
        return function(*args, question=question, **options)

    command: Callable[..., Any] = with_question
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
