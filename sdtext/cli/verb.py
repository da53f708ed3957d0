"""The command class of all verbs: common options, defaults of the user, help in sections."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISREG
from typing import Any

import click
from click.core import ParameterSource

from sdtext.cli.main import QUIET, VERBOSE, find_verb, say
from sdtext.cli.options.values import HTML_PATH, OutputPath
from sdtext.errors import OptionError
from sdtext.wording import shown

OWN = "Options"
SECTIONS: dict[str, tuple[str, ...]] = {
    OWN: (
        *("--input", "--fingerprint", "--path", "--output", "--for"),
        *("--min-score", "--top", "--matcher", "--mangler", "--config", "--dictionary"),
    ),
    "Output": ("--format", "--html", "--exit-code", "--force", "--quiet", "--verbose"),
    "Repeated passages (--unit)": ("--min-tokens",),
    "Records (JSON lines, tables, Parquet)": ("--text-field", "--id-field", "--metadata"),
    "Reading of documents": ("--include", "--exclude", "--encoding", "--ocr", "--max-bytes"),
    "Provenance": ("--creator", "--program", "--volume", "--image", "--byte-run"),
    "Damaged collections": ("--skip-damaged",),
    "Other": ("--jobs", "--help"),
}
"""Titles with their options, in the order of the help. The first also has all other options."""
_PLACES = {
    name: (title, place) for title, names in SECTIONS.items() for place, name in enumerate(names)
}
_COLUMN, _GAP = 26, 2
"""Width of the left column, and blanks after it. A longer option has a line of its own."""

Record = tuple[str, str]
"""An option as it is written, and what it is for."""


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
    """A verb with `--quiet` and `--verbose`, and with defaults from the user's configuration.

    It refuses an option with a single value if it is given twice; click alone would use the last
    value and drop the others silently.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The verb's own options, those of all verbs, `--help`."""
        own = len(self.params)
        parameters = super().get_params(ctx)
        return [*parameters[:own], *_MESSAGE_OPTIONS, *parameters[own:]]

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
        ctx.default_map = {}
        for option in self.get_params(ctx):
            long = next((name[2:] for name in option.opts if name.startswith("--")), "")
            if isinstance(option, click.Option) and long and not option.is_eager:
                ending = long.replace("-", "_").upper()
                option.envvar = [f"SDTEXT_{str(self.name).upper()}_{ending}", f"SDTEXT_{ending}"]
                if long in values:
                    ctx.default_map[str(option.name)] = values[long]

    def invoke(self, ctx: click.Context) -> object:
        outputs = _existing_outputs(ctx)
        result = super().invoke(ctx)
        for path, identity in outputs.items():
            if _identity_of(path) not in (identity, None):
                say(f"replaced {shown(path)}")
        return result

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, records in sections_of(self, ctx).items():
            widest = min(_COLUMN, max(len(option) for option, _ in records))
            with formatter.section(title):
                formatter.write_dl(records, _COLUMN, _COLUMN + _GAP - widest)

    def format_epilog(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for example in examples_of(self):
                for line in _lines(example, formatter.width - 4):
                    formatter.write(f"  {line}\n")


def _configuration() -> dict[str, Any]:
    """The user's configuration file, in ~/.config/sdtext or below XDG_CONFIG_HOME.

    It is empty where there is none or where it cannot be read. Raises OptionError for a file that
    is not TOML.
    """
    import tomllib

    home = os.environ.get("XDG_CONFIG_HOME", "")
    try:
        folder = Path(home) if Path(home).is_absolute() else Path("~/.config").expanduser()
        content = (folder / "sdtext" / "config.toml").read_bytes()
    except (OSError, RuntimeError):  # no home
        return {}
    try:
        return tomllib.loads(content.decode("utf-8"))
    except ValueError as error:
        what = f"is not valid TOML: {error}; correct it"
        raise OptionError(what, file=folder / "sdtext" / "config.toml") from error


def _existing_outputs(context: click.Context) -> dict[str, tuple[int, int]]:
    """The files that stand at the outputs of a verb and are not empty, each with its identity.

    None with `--force`, which asks for that. That a page replaces a file is reported with the page.
    """
    if context.params.get("force"):
        return {}
    paths = (
        context.params.get(parameter.name or "")
        for parameter in context.command.params
        if isinstance(parameter.type, OutputPath) and parameter.type != HTML_PATH
    )
    identities = ((path, _identity_of(path)) for path in paths if isinstance(path, str))
    return {path: identity for path, identity in identities if identity}


def _identity_of(path: str) -> tuple[int, int] | None:
    """The device and number of a file that is not empty; None for anything else.

    A file that replaces another one has a number of its own.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 (Path.stat raises for some names)
    except (OSError, ValueError):
        return None
    is_filled = S_ISREG(status.st_mode) and status.st_size > 0
    return (status.st_dev, status.st_ino) if is_filled else None


def is_typed(name: str) -> bool:
    """Whether the parameter stands on the command line, not in the environment or a file."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def sections_of(command: click.Command, context: click.Context) -> dict[str, list[Record]]:
    """The options of a verb by the titles of their sections, without empty sections."""
    sections: dict[str, list[Record]] = {title: [] for title in SECTIONS}
    options = [item for item in command.get_params(context) if isinstance(item, click.Option)]
    for option in sorted(options, key=lambda option: _place(option)[1]):
        if record := option.get_help_record(context):
            sections[_place(option)[0]].append(record)
    return {title: records for title, records in sections.items() if records}


def _place(option: click.Option) -> tuple[str, int]:
    """The title of the section of an option, and its place there."""
    return next((_PLACES[name] for name in option.opts if name in _PLACES), (OWN, len(_PLACES)))


def examples_of(command: click.Command) -> list[str]:
    """The commands in the epilog "Examples: COMMAND", with blank lines between them."""
    text = re.sub(r"^Examples?: ", "", command.epilog or "")
    return [example for example in text.split("\n\n") if example]


def _lines(example: str, width: int) -> Iterator[str]:
    r"""The lines of a command, which end in a backslash where it goes on before an option.

    >>> list(_lines("sdtext FindPairs papers.sdx -s 80 -m 'dice'", 36))
    ['sdtext FindPairs papers.sdx -s 80 \\', "    -m 'dice'"]
    """
    line, *words = re.split(r" (?=-)", example)
    for word in words:
        if len(line) + len(word) + 3 > width:
            yield f"{line} \\"
            line = f"    {word}"
        else:
            line += f" {word}"
    yield line
