"""The command class of all verbs: an option that takes one value is given once."""

from __future__ import annotations

from collections import Counter

import click


class Verb(click.Command):
    """A verb that refuses an option with a single value if it is given twice.

    click alone would use the last value and drop the others silently.
    """

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
