"""Defaults of options that a user sets: in a configuration file, or in environment variables.

The command line comes before the environment, that before the file. Inputs, outputs and --force
are given with every command and have no such defaults.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from sdtext.cli.main import VERBS, find_verb
from sdtext.errors import OptionError, SdtextError, reason

PREFIX = "SDTEXT_"
_GIVEN_EACH_TIME = frozenset(
    (
        *("named", "folders", "files_from", "truth", "detections", "word"),
        *(
            "output",
            "kept",
            "clean",
            "progress",
            "benchmarks",
            "removed",
            "clusters",
            "html_path",
            "names",
            "force",
        ),
        *("path", "folder", "others", "database", "report_path"),
    )
)
"""Inputs, outputs and --force, by the names of their parameters."""


def set_defaults(context: click.Context) -> None:
    """Let the options of the verb of `context` have the user's defaults. Raises OptionError."""
    options = options_with_defaults(context.command)
    path = config_path()
    defaults: dict[str, Any] = {}
    if path.is_file():
        for name, value in _values_for(context, _load(path), path, options).items():
            defaults[name] = _listed(options[name], value)
            _check(options[name], defaults[name], context, file=path, place=name)
    for variable, name in _variables_set(str(context.command.name), options).items():
        defaults[name] = _listed(options[name], os.environ[variable])
        _check(options[name], defaults[name], context, place=variable)
    context.default_map = {str(options[name].name): value for name, value in defaults.items()}


def _listed(option: click.Option, value: Any) -> Any:
    """The value of an option, as a list where the option can be repeated."""
    return [value] if option.multiple and not isinstance(value, list) else value


def _variables_set(verb: str, options: Mapping[str, click.Option]) -> dict[str, str]:
    """The environment variables that are set, with the options of a verb. Raises OptionError.

    A variable of this verb that names no option is refused. Others may be those of another verb.
    """
    own = {variables(verb, name)[0]: name for name in options}
    prefix = variables(verb, "")[0]
    for variable in os.environ:
        if variable.startswith(prefix) and variable not in own:
            close = get_close_matches(variable, own, 1)
            hint = f"did you mean {close[0]}?" if close else "remove it"
            what = f"names no option of {verb} that can have a default"
            raise OptionError(f"{what}; {hint}", place=variable)
    names = {}
    for name in options:
        if given := [item for item in variables(verb, name) if os.environ.get(item)]:
            names[given[0]] = name
    return names


def config_path() -> Path:
    """The user's configuration file: ~/.config/sdtext/config.toml, or below XDG_CONFIG_HOME."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(home) if Path(home).is_absolute() else Path("~/.config").expanduser()
    return folder / "sdtext" / "config.toml"


def variables(verb: str, name: str) -> list[str]:
    """The environment variables of an option: of the verb alone, of all verbs.

    >>> variables("FindPairs", "min-score")
    ['SDTEXT_FINDPAIRS_MIN_SCORE', 'SDTEXT_MIN_SCORE']
    """
    ending = name.replace("-", "_").upper()
    return [f"{PREFIX}{verb.upper()}_{ending}", f"{PREFIX}{ending}"]


def options_with_defaults(verb: click.Command) -> dict[str, click.Option]:
    """The options of a verb that may have defaults, by their long names without hyphens."""
    options = {}
    # Click keeps the option of the first context that has one: here `--help` without `-h`.
    for option in verb.get_params(click.Context(verb, help_option_names=[])):
        name = next((item[2:] for item in option.opts if item.startswith("--")), "")
        fits = isinstance(option, click.Option) and not option.is_eager
        if not fits or not name or option.name in _GIVEN_EACH_TIME:
            continue
        if isinstance(option, click.Option) and not (option.is_flag and name.startswith("no-")):
            options[name] = option
    return options


def _load(path: Path) -> dict[str, Any]:
    import tomllib

    from sdtext.formats.toml_reader import explained

    text = ""
    try:
        text = path.read_text("utf-8")
        return tomllib.loads(text)
    except OSError as error:
        raise OptionError(f"{reason(error)}; make it readable, or remove it", file=path) from error
    except ValueError as error:  # TOML or UTF-8
        what = f"is not valid TOML: {explained(error, text)}; correct it"
        raise OptionError(what, file=path) from error


def _values_for(
    context: click.Context, content: Mapping[str, Any], path: Path, options: Mapping[str, Any]
) -> dict[str, Any]:
    """The values for the options of a verb: those for all verbs, replaced by its own."""
    common: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key, value in content.items():
        if not isinstance(value, dict):
            if key not in options:
                _check_known(key, _all_options(context), path, key)
            else:
                common[key] = value
        elif (verb := find_verb(key)) is None:
            _check_known(key, [name for rows in VERBS.values() for name in rows], path, key)
        elif verb == context.command.name:
            own = value
    for key in own:
        _check_known(key, options, path, f"[{context.command.name}] {key}")
    return {**common, **own}


def _all_options(context: click.Context) -> Iterator[str]:
    """The options of all verbs, verb by verb, as each takes time to load."""
    group = context.parent.command if context.parent else None
    if isinstance(group, click.Group):
        for verb in group.list_commands(context):
            command = group.get_command(context, verb)
            yield from options_with_defaults(command) if command else ()


def _check_known(key: str, known: Any, path: Path, place: str) -> None:
    names = []
    for name in known:
        if name == key:
            return
        names.append(name)
    close = get_close_matches(key, names, 1)
    what = "is no option that can have a default, and no verb"
    hint = f"did you mean {close[0]}?" if close else "remove it"
    raise OptionError(f"{what}; {hint}", file=path, place=place)


def _check(
    option: click.Option, value: Any, context: click.Context, *, place: str, file: Path | str = ""
) -> None:
    """Raise OptionError if the option does not take this value."""
    try:
        option.process_value(context, value)
    except click.UsageError as error:
        raise OptionError(error.message, file=file, place=place) from error
    except SdtextError as error:
        raise OptionError(str(error), file=file, place=place) from error
