"""The command class of all verbs: common options; an option that takes one value is given once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import click
from click.core import ParameterSource

from sdtext.cli.completion import CompletedText
from sdtext.cli.main import QUIET, VERBOSE
from sdtext.cli.option_defaults import set_defaults
from sdtext.cli.verb_help import write_examples, write_options
from sdtext.errors import OptionError


def _message_option(name: str, words: str) -> click.Option:
    """A flag that is kept in the context for `say` and `report`; the verb does not see it."""

    def keep(context: click.Context, _option: click.Parameter, value: object) -> None:
        context.meta[name] = value

    return click.Option([f"--{name}"], is_flag=True, expose_value=False, callback=keep, help=words)


_MESSAGE_OPTIONS = (
    _message_option(QUIET, "Print results and errors only: no warnings, summaries or progress."),
    _message_option(VERBOSE, "List every problem, also the fourth and further ones of a kind."),
)


_CALLS = ("", "find_reuse", "search", "deduplicate", "window_pairs")
"""Places of errors about arguments: other errors are about a file, a recipe or a part."""
_GIVEN = re.compile(r"'(.*?)' is not one of")
_SUBJECT = re.compile(r"\w+(?: and \w+)*(?= )")


class Verb(click.Command):
    """A verb with `--quiet` and `--verbose`.

    It refuses an option with a single value if it is given twice; click alone would use the last
    value and drop the others silently. Errors about the library's arguments name the options.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for parameter in self.params:
            if parameter.type is click.STRING:
                parameter.type = CompletedText((parameter.metavar or "").strip("[]"))

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The verb's own options, those of all verbs, `--help`."""
        own = len(self.params)
        parameters = super().get_params(ctx)
        return [*parameters[:own], *_MESSAGE_OPTIONS, *parameters[own:]]

    def _given_options(self, ctx: click.Context, args: list[str]) -> list[click.Parameter]:
        """The options on the command line. Raises UsageError."""
        try:
            return self.make_parser(ctx).parse_args(list(args))[2]
        except click.NoSuchOption as error:
            from sdtext.cli.unknown_option import with_suggestion

            raise with_suggestion(error, self) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_options(self, ctx, formatter)

    def format_epilog(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(self, formatter)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except OptionError as error:
            what = _as_typed(error.what, _given(ctx))
            if error.file or error.place not in _CALLS:
                raise
            raise OptionError(what, file=error.file) from error

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # not while a shell completes
            if not {*ctx.help_option_names}.intersection(args):
                set_defaults(ctx)
            given = self._given_options(ctx, args)
            _check_counts(ctx, given)
        try:
            return super().parse_args(ctx, args)
        except OptionError as error:
            raise _with_options(error, self.params) from error
        except click.BadParameter as error:
            if hint := _hint(error):
                raise click.BadParameter(error.message + hint, error.ctx, error.param) from error
            raise


def _check_counts(context: click.Context, given: Iterable[click.Parameter]) -> None:
    """Raise UsageError for an option with one value that is given twice."""
    for parameter, count in Counter(given).items():
        if count > 1 and _takes_one_value(parameter):
            names = " / ".join(f"'{name}'" for name in parameter.opts)
            context.fail(f"Option {names} takes one value, but it is given {count} times.")


def _with_options(error: OptionError, parameters: Sequence[click.Parameter]) -> OptionError:
    """The error with the option that it is about: that of its place, or the subject."""
    names = [name for item in parameters for name in item.opts if name.startswith("--")]
    options = {name.lstrip("-"): name for name in names}
    name, _, what = str(error).partition(": ")
    if name in options:
        return OptionError(what, place=options[name])
    return error if error.file or error.place else OptionError(_as_typed(error.what, options))


def _hint(error: click.BadParameter) -> str:
    """The closest of the values that a parameter takes, if the given one is close to one."""
    choices = (
        error.param.type.choices
        if error.param and isinstance(error.param.type, click.Choice)
        else ()
    )
    given = _GIVEN.match(error.message)
    close = get_close_matches(given[1].lower(), map(str, choices), 1) if given else ()
    return f" Did you mean {close[0]}?" if close else ""


def is_typed(name: str) -> bool:
    """Whether the parameter stands on the command line, not in the environment or a file."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def _given(context: click.Context) -> dict[str, str]:
    """The options on the command line, as they are written, by their names without hyphens."""
    return {
        name.lstrip("-"): name
        for parameter in context.command.params
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        for name in parameter.opts
    }


def _as_typed(what: str, options: dict[str, str]) -> str:
    """A message with the options at its beginning as they are written: "--distance is 12; …"."""
    subject = _SUBJECT.match(what)
    names = subject[0].split(" and ") if subject else []
    typed = " and ".join(options.get(name, name) for name in names)
    return typed + what[subject.end() :] if subject else what


def _takes_one_value(parameter: click.Parameter) -> bool:
    if not isinstance(parameter, click.Option):
        return False
    return not (parameter.multiple or parameter.is_flag or parameter.count)
