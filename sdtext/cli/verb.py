"""The command class of all verbs: common options; an option that takes one value is given once."""

from __future__ import annotations

from collections import Counter

import click

from sdtext.cli.main import QUIET, VERBOSE


def _message_option(name: str, words: str) -> click.Option:
    """A flag that is kept in the context for `say` and `report`; the verb does not see it."""

    def keep(context: click.Context, _option: click.Parameter, value: object) -> None:
        context.meta[name] = value

    return click.Option([f"--{name}"], is_flag=True, expose_value=False, callback=keep, help=words)


_MESSAGE_OPTIONS = (
    _message_option(QUIET, "Print results and errors only: no warnings, summaries or progress."),
    _message_option(VERBOSE, "List every problem, also the fourth and further ones of a kind."),
)


class Verb(click.Command):
    """A verb with `--quiet` and `--verbose`.

    It refuses an option with a single value if it is given twice; click alone would use the last
    value and drop the others silently.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The verb's own options, those of all verbs, `--help`."""
        own = len(self.params)
        parameters = super().get_params(ctx)
        return [*parameters[:own], *_MESSAGE_OPTIONS, *parameters[own:]]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # not while a shell completes
            _, _, given = self.make_parser(ctx).parse_args(list(args))
            for parameter, count in Counter(given).items():
                if count > 1 and _takes_one_value(parameter):
                    names = " / ".join(f"'{name}'" for name in parameter.opts)
                    ctx.fail(f"Option {names} takes one value, but it is given {count} times.")
        return super().parse_args(ctx, args)


def _takes_one_value(parameter: click.Parameter) -> bool:
    if not isinstance(parameter, click.Option):
        return False
    return not (parameter.multiple or parameter.is_flag or parameter.count)
