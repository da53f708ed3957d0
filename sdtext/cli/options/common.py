"""Options that several verbs share."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Any

import click

from sdtext.cli.main import FOUND, QUIET, VERBOSE
from sdtext.cli.options.values import (
    SCORE,
    InputPath,
    MatcherName,
    OutputPath,
    PartName,
    WholeNumber,
)
from sdtext.model.matches import MIN_TERMS
from sdtext.reports.row_formats import FORMATS
from sdtext.wording import shown

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FROM_STDIN = "- reads standard input"
"""The end of messages about an input that is not given."""


def grouped(to: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Options that a verb gets as one argument called `to`: what `make` makes of their values."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def command(*args: Any, **values: Any) -> Any:
            own = {name: values.pop(name) for name in names}
            return function(*args, **{to: make(**own)}, **values)

        known = len(getattr(command, "__click_params__", ()))
        for option in reversed(options):
            option(command)
        names = [str(item.name) for item in getattr(command, "__click_params__", ())[known:]]
        return command

    return decorate


def option(
    *names: str,
    kind: Any = None,
    least: int | None = None,
    choices: Sequence[str] = (),
    **more: Any,
) -> Decorator:
    """An option for a value: a whole number of `least` or more, one of some choices, or a `kind`.

    The help says its default, unless that is empty.
    """
    if least is not None:
        kind, more = WholeNumber(least), {"metavar": "N", **more}
    kind = click.Choice(choices) if choices else kind
    is_shown = more.get("default") not in (None, "")
    return click.option(*names, type=kind, show_default=is_shown, **more)


def flag(name: str, words: str) -> Decorator:
    """An option without a value."""
    return click.option(f"--{name}", is_flag=True, help=words)


def kept_flag(name: str, words: str) -> Decorator:
    """A flag that is kept in the context, where `is_set` finds it; the verb does not see it."""
    return click.option(
        f"--{name}",
        is_flag=True,
        expose_value=False,
        callback=lambda context, _option, value: context.meta.update({name: value}),
        help=words,
    )


def choice_with_field(name: str, forms: Sequence[str], **more: Any) -> Decorator:
    """An option for one of some choices, of which some name a field: NAME:FIELD or NAME[:FIELD]."""
    names = [form.partition("[")[0].partition("FIELD")[0] for form in forms]

    def complete(_context: Any, _option: Any, begun: str) -> list[str]:
        return [each for each in names if each.startswith(begun)]

    return option(name, metavar="|".join(forms), shell_complete=complete, **more)


def amount(name: str, words: str, **more: Any) -> Decorator:
    """An option for a count or a percentage."""
    return option(name, metavar="COUNT|PERCENT%", help=words, **more)


form = partial(
    option,
    *("--format", "form"),
    help="Output format of rows.  [default: table on a terminal, otherwise TSV]",
)
rows_format = form(choices=FORMATS)
jobs = click.option(
    "--jobs",
    type=WholeNumber(min=1),
    metavar="N",
    help="Number of processes.  [default: 1; for much input, one per core]",
)
quiet = kept_flag(QUIET, "Print results and errors only: no warnings, summaries or progress.")
verbose = kept_flag(VERBOSE, "List every problem, also the fourth and further ones of a kind.")
exit_code = kept_flag(FOUND, "Exit with 1 if nothing is found.")
force = flag("force", "Replace existing files of any kind, but never an input.")
explain_terms = flag("explain", "Also list the shared terms that weigh most. Needs the dictionary.")
recommended = flag(
    "recommended",
    "Take the matcher and the minimum scores from the calibration of the dictionary: at most "
    "0.1 % of unrelated pairs reach them, or 1 % if it is of few documents. That of a bundled "
    "dictionary holds for documents of different sources: Calibrate measures yours.",
)


def inputs(metavar: str, name: str = "files") -> Decorator:
    """One bare argument or more: files, folders and the like."""
    return click.argument(name, type=InputPath(), metavar=f"{metavar}...", nargs=-1, required=True)


def path(metavar: str, name: str = "path") -> Decorator:
    """One bare argument: a file or a folder."""
    return click.argument(name, type=InputPath(), metavar=metavar)


def key(words: str) -> Decorator:
    """`-k KEY`."""
    return click.option("-k", "--key", type=InputPath(), metavar="KEY", help=words)


def paths(*names: str, metavar: str, words: str, **more: Any) -> Decorator:
    """An option for a path, which can be repeated."""
    return option(*names, multiple=True, kind=InputPath(), metavar=metavar, help=words, **more)


def files_option(*names: str, metavar: str, words: str, required: bool = True) -> Decorator:
    """An option that can be repeated or given as bare arguments, passed as `files`."""

    def both(named: Sequence[str], bare: Sequence[str]) -> list[str]:
        if required and not (named or bare):
            raise click.UsageError(f"Missing argument '{metavar}...'; {FROM_STDIN}.")
        return [*named, *bare]

    words += " Repeatable, also as bare arguments."
    return grouped(
        "files",
        both,
        click.argument("bare", nargs=-1, type=InputPath(), metavar=f"[{metavar}]..."),
        paths(*names, "named", metavar=metavar, words=words),
    )


def file_option(
    *names: str, to: str, metavar: str, words: str, required: bool = True, bundled: str = ""
) -> Decorator:
    """An option that takes one value, or that value as a bare argument, passed as `to`."""

    def either(named: str | None, bare: str | None) -> str | None:
        if named is not None and bare is not None:
            raise click.UsageError(
                f"{metavar} is given twice: {shown(named)} with {names[0]}, and {shown(bare)}"
            )
        if required and named is bare is None:
            raise click.UsageError(f"Missing argument '{metavar}'; {FROM_STDIN}.")
        return bare if named is None else named

    kind, words = InputPath(bundled), f"{words} Also as a bare argument."
    return grouped(
        to,
        either,
        click.argument("bare", required=False, type=kind, metavar=f"[{metavar}]"),
        click.option(*names, "named", type=kind, metavar=metavar, help=words),
    )


dictionary = file_option(
    *("-d", "--dictionary"),
    to="path",
    metavar="DICT",
    words="The dictionary.",
    bundled="dictionaries",
)


def output(
    metavar: str, words: str, kind: OutputPath, to: str = "output", **more: Any
) -> Decorator:
    """`-o OUT`."""
    return click.option("-o", "--output", to, type=kind, metavar=metavar, help=words, **more)


_SHARED: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "config": (("-c", "--config"), {"type": InputPath("recipes"), "metavar": "RECIPE"}),
    "dictionaries": (
        ("-d", "--dictionary", "dictionaries"),
        {"type": InputPath("dictionaries"), "metavar": "DICT", "multiple": True},
    ),
    "distance": (("--distance",), {"type": WholeNumber(min=0), "metavar": "D"}),
    "minimum": (("-s", "--min-score", "minimum"), {"type": SCORE, "metavar": "MIN"}),
    "seed": (
        ("--seed",),
        {"type": WholeNumber(min=0), "default": 1, "show_default": True, "metavar": "N"},
    ),
    "top": (("-k", "--top"), {"type": WholeNumber(min=1), "metavar": "TOP"}),
    "where": (("--where",), {"metavar": "CONDITION"}),
}


def shared(name: str, words: str, *to: str, **more: Any) -> Decorator:
    """An option that verbs share, with the words of this one; passed as `to`, if that is given."""
    names, attributes = _SHARED[name]
    return click.option(*names, *to, help=words, **{**attributes, **more})


matcher = click.option(
    "-m",
    "--matcher",
    type=MatcherName("matchers"),
    metavar="MATCHER",
    help="Similarity measure, such as cosine, or 'name(option=value)'; ListParts matchers lists "
    "them.  [default: as in the recipe, otherwise idf-cosine]",
)


def manglers(to: str, words: str, *names: str, required: bool = False) -> Decorator:
    """`--mangler MANGLER`, repeatable."""
    return click.option(
        *(*names, "--mangler", to),
        multiple=True,
        required=required,
        type=PartName("manglers"),
        metavar="MANGLER",
        help=words,
    )


def segment(words: str) -> Decorator:
    """`--segment TOKENS[/STEP]`."""
    from sdtext.parts.units.term_segments import Segment

    return click.option(
        "--segment",
        metavar="TOKENS[/STEP]",
        callback=lambda _context, _option, text: None if text is None else Segment.parse(text),
        help=words,
    )


SUCH_CONDITIONS = ", such as \"year >= 2019 and organisation = 'HUT'\"."
"""The end of the help of `where`."""

min_terms = option(
    "--min-terms",
    least=1,
    default=MIN_TERMS,
    help="Minimum number of terms on each side for a score. Whole documents with equal terms need "
    "none.",
)

_TEXT_FIELD = option(
    "--text-field",
    default="text",
    metavar="F",
    help="Field of a record with its text, or a path: messages[].content.",
)
_ID_FIELD = option(
    "--id-field",
    default="",
    metavar="F",
    help="Field of a record with its name.  [default: id; if there is none, the line number]",
)


def records(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the verbs that read records: `text_field` and `id_field`."""
    return _TEXT_FIELD(_ID_FIELD(function))
