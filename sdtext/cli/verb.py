"""The command class of all verbs: common options, defaults of the user, help in sections."""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sdtext.cli.main import ENCODING, find_verb
from sdtext.errors import FormatError, OptionError

OWN = "Options"
SECTIONS: dict[str, tuple[str, ...]] = {
    OWN: (
        *("--input", "--fingerprint", "--path", "--output", "--for"),
        *("--min-score", "--top", "--matcher", "--mangler", "--config", "--dictionary"),
    ),
    "Output": ("--format", "--html", "--exit-code", "--force", "--quiet", "--verbose"),
    "Records (JSON lines, tables, Parquet)": ("--text-field", "--id-field", "--metadata"),
    "Reading of documents": ("--include", "--exclude", "--encoding", "--ocr"),
    "Provenance": ("--creator", "--volume", "--image", "--byte-run"),
    "Apache Spark": ("--engine", "--remote", "--master", "--conf"),
    "Damaged collections": ("--skip-damaged",),
    "Other": ("--jobs", "--help"),
}
"""Titles with their options, in the order of the help. The first also has all other options."""
_PLACES = {
    name: (title, place) for title, names in SECTIONS.items() for place, name in enumerate(names)
}
_COLUMN, _GAP = 26, 2
"""Width of the left column, and blanks after it. A longer option has a line of its own."""


def verb(*examples: str) -> Callable[[Callable[..., Any]], "Verb"]:
    """The function of a verb as its command; the help ends with the examples."""

    def decorate(function: Callable[..., Any]) -> Verb:
        command: Verb = click.command(cls=Verb, epilog="\n".join(examples))(function)
        return command

    return decorate


class Verb(click.Command):
    """A verb with defaults from the user's configuration.

    It refuses an option with a single value if it is given twice; click alone would use the last
    value and drop the others silently.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing and not {*ctx.help_option_names}.intersection(args):
            self._set_defaults(ctx)
            given = Counter(self.make_parser(ctx).parse_args(list(args))[2])
            for option, count in given.items():
                takes_one = isinstance(option, click.Option) and not (
                    option.multiple or option.is_flag or option.count
                )
                if takes_one and count > 1:
                    names = " / ".join(f"'{name}'" for name in option.opts)
                    ctx.fail(f"Option {names} takes one value, but it is given {count} times.")
        return super().parse_args(ctx, args)

    def _set_defaults(self, ctx: click.Context) -> None:
        """Let options have the defaults of the environment and of the configuration file."""
        config = _configuration()
        values = {name: value for name, value in config.items() if not isinstance(value, dict)}
        for name, table in config.items():
            if isinstance(table, dict) and find_verb(name) == self.name:
                values |= table
        # Verbs without the option read files, too.
        ctx.meta[ENCODING] = os.environ.get("SDTEXT_ENCODING") or str(values.get(ENCODING, ""))
        ctx.default_map = {}
        for option in self.get_params(ctx):
            long = next((name[2:] for name in option.opts if name.startswith("--")), "")
            if isinstance(option, click.Option) and long and not option.is_eager:
                ending = long.replace("-", "_").upper()
                option.envvar = [f"SDTEXT_{str(self.name).upper()}_{ending}", f"SDTEXT_{ending}"]
                if long in values:
                    ctx.default_map[str(option.name)] = values[long]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS}
        options = [item for item in self.get_params(ctx) if isinstance(item, click.Option)]
        for option in sorted(options, key=lambda option: _place(option)[1]):
            if record := option.get_help_record(ctx):
                sections[_place(option)[0]].append(record)
        for title, records in sections.items():
            if records:
                widest = min(_COLUMN, max(len(option) for option, _ in records))
                with formatter.section(title):
                    formatter.write_dl(records, _COLUMN, _COLUMN + _GAP - widest)

    def format_epilog(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for example in str(self.epilog).split("\n"):
                formatter.write(f"  {example}\n")


def _configuration() -> dict[str, Any]:
    """The user's configuration file, below ~/.config or XDG_CONFIG_HOME; empty without one."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    try:
        folder = Path(home) if Path(home).is_absolute() else Path("~/.config").expanduser()
        path = folder / "sdtext" / "config.toml"
        if not path.is_file():  # a device may never end
            return {}
        from sdtext.formats.toml_reader import MAX_BYTES, table_in

        with path.open("rb") as file:
            return table_in(file.read(MAX_BYTES + 1), str(path), "a configuration")
    except (OSError, RuntimeError):  # no home
        return {}
    except FormatError as error:
        raise OptionError(error.what, file=path) from error


def _place(option: click.Option) -> tuple[str, int]:
    """The title of the section of an option, and its place there."""
    return next((_PLACES[name] for name in option.opts if name in _PLACES), (OWN, len(_PLACES)))
