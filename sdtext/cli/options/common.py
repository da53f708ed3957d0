"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from sdtext.cli.options.values import InputPath, PartName, WholeNumber
from sdtext.reports.row_formats import FORMATS
from sdtext.wording import shown

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FROM_STDIN = "- reads standard input"
"""The end of messages about an input that is not given."""


format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Output format of rows.  [default: table on a terminal, otherwise TSV]",
)


jobs_option = click.option(
    "--jobs",
    type=WholeNumber(min=1),
    metavar="N",
    help="Number of processes.  [default: 1; for much input, one per core]",
)

exit_code_option = click.option(
    "--exit-code", "fail_if_empty", is_flag=True, help="Exit with 1 if nothing is found."
)


explain_option = click.option(
    "--explain",
    is_flag=True,
    help="Also list the shared terms that weigh most. Needs the dictionary.",
)

explain_pieces_option = click.option(
    "--explain",
    is_flag=True,
    help="Also list the shared runs of words or characters, the longest first, where the texts are "
    "at hand.",
)


force_option = click.option(
    "--force", is_flag=True, help="Replace existing files of any kind, but never an input."
)


def top_option(words: str) -> Decorator:
    """`-k TOP`."""
    return click.option("-k", "--top", "top", type=WholeNumber(min=1), metavar="TOP", help=words)


def files_option(*names: str, metavar: str, words: str) -> Decorator:
    """An option that can be repeated or given as bare arguments, passed as `files`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_files(
            *args: Any, named: Sequence[str], bare: Sequence[str], **options: Any
        ) -> Any:
            if not (named or bare):
                raise click.UsageError(f"Missing argument '{metavar}...'; {FROM_STDIN}.")
            return function(*args, files=[*named, *bare], **options)

        kind = InputPath()
        argument = click.argument("bare", nargs=-1, type=kind, metavar=f"[{metavar}]...")
        help_text = f"{words} Repeatable, also as bare arguments."
        option = click.option(
            *names, "named", multiple=True, type=kind, metavar=metavar, help=help_text
        )
        return option(argument(with_files))

    return decorate


def file_option(
    *names: str, to: str, metavar: str, words: str, required: bool = True, bundled: str = ""
) -> Decorator:
    """An option that takes one value, or that value as a bare argument, passed as `to`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_file(*args: Any, named: str | None, bare: str | None, **options: Any) -> Any:
            if named is not None and bare is not None:
                raise click.UsageError(
                    f"{metavar} is given twice: {shown(named)} with {names[0]}, and {shown(bare)}"
                )
            value = bare if named is None else named
            if required and value is None:
                raise click.UsageError(f"Missing argument '{metavar}'; {FROM_STDIN}.")
            return function(*args, **{to: value}, **options)

        kind = InputPath(bundled)
        argument = click.argument("bare", required=False, type=kind, metavar=f"[{metavar}]")
        help_text = f"{words} Also as a bare argument."
        option = click.option(*names, "named", type=kind, metavar=metavar, help=help_text)
        return option(argument(with_file))

    return decorate


def recommended_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--recommended`."""
    words = (
        "Take the matcher and the minimum scores from the calibration of the dictionary: at most "
        "0.1 % of unrelated pairs reach them, or 1 % if it is of few documents. That of a bundled "
        "dictionary holds for documents of different sources: Calibrate measures yours."
    )
    return click.option("--recommended", is_flag=True, help=words)(function)


def matcher_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`-m MATCHER`."""
    words = (
        "Similarity measure, such as cosine, or 'name(option=value)'; ListParts matchers lists "
        "them.  [default: as in the recipe, otherwise idf-cosine]"
    )
    return click.option(
        "-m",
        "--matcher",
        type=PartName("matchers"),
        metavar="MATCHER",
        help=words,
        callback=_canonical_matcher,
    )(function)


def _canonical_matcher(
    _context: click.Context, _option: click.Parameter, matcher: str | None
) -> str | None:
    """The matcher in canonical spelling. Raises OptionError for an unknown name."""
    from sdtext.parts.registry import normalised, parse

    return str(normalised("matchers", parse(matcher))) if matcher else None


def dictionaries_option(words: str, *, required: bool = False) -> Decorator:
    """`-d DICT`, repeatable, passed as `dictionaries`."""
    return click.option(
        "-d",
        "--dictionary",
        "dictionaries",
        multiple=True,
        required=required,
        type=InputPath("dictionaries"),
        metavar="DICT",
        help=words,
    )


def segment_option(words: str) -> Decorator:
    """`--segment TOKENS[/STEP]`."""
    from sdtext.parts.units.term_segments import Segment

    return click.option(
        "--segment",
        metavar="TOKENS[/STEP]",
        callback=lambda _context, _option, text: None if text is None else Segment.parse(text),
        help=words,
    )


def where_option(words: str) -> Decorator:
    """`--where CONDITION`, parsed."""
    return click.option(
        "--where",
        metavar="CONDITION",
        help=f"{words}, such as \"year >= 2019 and organisation = 'HUT'\".",
    )


def records_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--text-field` and `--id-field`, passed as `fields`."""

    @wraps(function)
    def with_fields(*args: Any, text_field: str, id_field: str, **options: Any) -> Any:
        from sdtext.reading.records import Fields  # few verbs take records

        return function(*args, fields=Fields(text_field, id_field), **options)

    identity = "Field of a record with its name.  [default: id; if there is none, the line number]"
    text = click.option(
        "--text-field",
        default="text",
        metavar="F",
        show_default=True,
        help="Field of a record with its text.",
    )
    return text(click.option("--id-field", default="", metavar="F", help=identity)(with_fields))


def min_terms_option(default: int) -> Decorator:
    """`--min-terms N`."""
    words = (
        "Minimum number of terms on each side for a score. Whole documents with equal terms need "
        "none."
    )
    return click.option(
        "--min-terms",
        type=WholeNumber(min=1),
        metavar="N",
        default=default,
        show_default=True,
        help=words,
    )
