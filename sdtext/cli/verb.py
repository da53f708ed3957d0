"""The command class of all verbs: common options, help in sections, suggestions for a wrong option.

An option that takes one value is given once. Examples of the help can be pasted into a shell.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import takewhile
from stat import S_ISREG

import click
from click.core import ParameterSource

from sdtext.cli.main import QUIET, VERBOSE, say
from sdtext.cli.options.values import HTML_PATH, InputPath, MinimumScore, OutputPath
from sdtext.cli.user_defaults import set_defaults
from sdtext.errors import OptionError, shown
from sdtext.reports.row_formats import FORMATS

OWN = "Options"
SECTIONS: dict[str, tuple[str, ...]] = {
    OWN: (
        *("--input", "--fingerprint", "--path", "--truth", "--found", "--output", "--for"),
        *("--min-score", "--top", "--matcher", "--mangler", "--config", "--dictionary"),
    ),
    "Output": ("--format", "--html", "--exit-code", "--force", "--quiet", "--verbose"),
    "Repeated passages (--unit)": ("--min-tokens", "--min-copies"),
    "Files in folders": ("--include", "--exclude", "--all-files", "--files-from"),
    "Records (JSON lines, tables, Parquet)": ("--text-field", "--id-field", "--metadata"),
    "Reading of documents": (
        *("--encoding", "--hidden", "--ocr", "--pdf-engine", "--extractor"),
        *("--max-bytes", "--max-seconds", "--max-memory"),
    ),
    "Provenance": ("--creator", "--program", "--volume", "--image", "--byte-run"),
    "Damaged collections": ("--no-verify", "--skip-damaged"),
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
_CLOSE = 0.66
"""Least similarity, by difflib, of a mistyped name to the name of an option."""
_LEAST_PREFIX = 3
_LEAST_NAME = 3  # letters; shorter ones after a hyphen may be an option with its value

_SYNONYMS = {
    "--config": "recipe conf configuration settings language lang",
    "--dictionary": "dict vocabulary",
    "--distance": "tau edits errors differences",
    "--encoding": "charset codec",
    "--exclude": "ignore skip",
    "--explain": "why",
    "--fingerprint": "input file query document",
    "--force": "overwrite replace yes y",
    "--html": "page report",
    "--id-field": "id key",
    "--include": "glob pattern",
    "--input": "file files folder directory dir path document documents query",
    "--jobs": "j threads workers processes parallel cores cpus",
    "--limit": "n top max count head",
    "--matcher": "measure metric",
    "--max-bytes": "max-size size",
    "--max-idf": "top max maximum upper",
    "--max-memory": "memory mem ram",
    "--max-seconds": "timeout time",
    "--min-idf": "bottom min minimum lower",
    "--min-score": "threshold min minimum score cutoff similarity min-similarity",
    "--output": "out outfile output-file file save write",
    "--path": "folder directory dir dataset corpus",
    "--quiet": "q silent",
    "--show": "text passages context",
    "--text-field": "text field column text-column",
    "--top": "n max limit number count best head",
    "--verbose": "v debug",
    "--where": "filter",
    "-w": "window window-size width words",
}
"""The words that people type for an option, where other programs name theirs so."""
_ORDERS = ("sort", "sort-by", "order", "order-by", "sorted")
"""The words that people type for an order of rows, which no verb has as an option."""
_ORDER_OF_PASSAGES = (
    "Rows are in the order of weight. --by lists passages, pairs or documents; --format csv or "
    "json has the offsets of passages, to sort them by place."
)
_CALLS = ("", "find_reuse", "search", "deduplicate", "window_pairs", "mangle", "trim")
"""Places of errors about arguments: other errors are about a file, a recipe or a part."""
_GIVEN = re.compile(r"'(.*?)' is not one of")
_SUBJECT = re.compile(r"\w+(?: and \w+)*(?= )")


def _message_option(name: str, words: str) -> click.Option:
    """A flag that is kept in the context for `say` and `report`; the verb does not see it."""

    def keep(context: click.Context, _option: click.Parameter, value: object) -> None:
        context.meta[name] = value

    return click.Option([f"--{name}"], is_flag=True, expose_value=False, callback=keep, help=words)


_MESSAGE_OPTIONS = (
    _message_option(QUIET, "Print results and errors only: no warnings, summaries or progress."),
    _message_option(VERBOSE, "List every problem, also the fourth and further ones of a kind."),
)


def one_file_too_many(verb: str, file: str) -> str:
    """The message about a second file for a verb that takes one."""
    return (
        f"{verb} takes one file, but {shown(file)} is given, too; run it for each, as with: "
        f'for file in *; do sdtext {verb} "$file"; done'
    )


class Verb(click.Command):
    """A verb with `--quiet` and `--verbose`.

    It refuses an option with a single value if it is given twice; click alone would use the last
    value and drop the others silently. Errors about the library's arguments name the options.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The verb's own options, those of all verbs, `--help`."""
        own = len(self.params)
        parameters = super().get_params(ctx)
        return [*parameters[:own], *_MESSAGE_OPTIONS, *parameters[own:]]

    def _given_options(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[list[click.Parameter], Mapping[str, object]]:
        """The options on the command line, and their texts by the names of parameters.

        Raises UsageError, also for a second file, and for a long option with a single hyphen.
        """
        self._check_hyphens(ctx, args)
        try:
            texts, others, given = self.make_parser(ctx).parse_args(list(args))
        except click.NoSuchOption as error:
            raise with_suggestion(error, self) from error
        if (
            others
            and os.path.lexists(others[0])
            and not {*ctx.help_option_names}.intersection(args)
        ):
            ctx.fail(one_file_too_many(str(ctx.info_name), others[0]))
        return given, texts

    def _without_signs(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words with -s80 for -s=80, of which click would take the sign for the value's."""
        short = {name for item in self.get_params(ctx) for name in item.opts if len(name) == 2}
        end = args.index("--") if "--" in args else len(args)
        words = [
            word[:2] + word[3:] if word[:2] in short and word[2:3] == "=" and word[3:] else word
            for word in args[:end]
        ]
        return [*words, *args[end:]]

    def _check_hyphens(self, ctx: click.Context, args: list[str]) -> None:
        """Raise NoSuchOption for -min-score, which click would take for -m with a value."""
        long = {name for item in self.get_params(ctx) for name in item.opts if name[:2] == "--"}
        for word in takewhile(lambda word: word != "--", args):
            name = word.partition("=")[0].replace("_", "-")
            if f"-{name}" in long and len(name) > _LEAST_NAME:
                message = f"No such option '{name}'. Did you mean -{name}?"
                raise click.NoSuchOption(name, message, ctx=ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_options(self, ctx, formatter)

    def format_epilog(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(self, formatter)

    def invoke(self, ctx: click.Context) -> object:
        outputs = _existing_outputs(ctx)
        try:
            result = super().invoke(ctx)
        except OptionError as error:
            what = _as_typed(error.what, _given(ctx))
            if error.file or error.place not in _CALLS:
                raise
            raise OptionError(what, file=error.file) from error
        for path, identity in outputs.items():
            if _identity_of(path) not in (identity, None):
                say(f"replaced {shown(path)}")
        return result

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # not while a shell completes
            args = self._without_signs(ctx, args)
            if not {*ctx.help_option_names}.intersection(args):
                set_defaults(ctx)
            given, texts = self._given_options(ctx, args)
            _check_counts(ctx, given)
        try:
            rest = super().parse_args(ctx, args)
        except OptionError as error:
            raise _with_options(error, self.params) from error
        except click.BadParameter as error:
            if hint := _hint(error):
                raise click.BadParameter(error.message + hint, error.ctx, error.param) from error
            raise
        if not ctx.resilient_parsing:
            _check_named(ctx, given)
            _warn_of_ambiguous_scores(given, texts)
        return rest


def _existing_outputs(context: click.Context) -> dict[str, tuple[int, int]]:
    """The files that stand at the outputs of a verb and are not empty, each with its identity.

    None with `--force`, which asks for that. That a page replaces a file is reported with the page.
    """
    parameters = context.command.params
    if any("--force" in item.opts and context.params.get(item.name or "") for item in parameters):
        return {}
    paths = (
        context.params.get(parameter.name or "")
        for parameter in parameters
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


def _warn_of_ambiguous_scores(
    given: Iterable[click.Parameter], texts: Mapping[str, object]
) -> None:
    """Say what a minimum score of 1 is: somebody may mean the similarity of equal documents."""
    for parameter in given:
        if isinstance(parameter.type, MinimumScore) and texts[parameter.name or ""] == "1":
            say(
                "warning: the minimum score 1 is 1 of 99, not a similarity of 1.0: nearly all "
                "that is similar at all; write 99 for the highest score, 1% to omit this warning"
            )


def _check_named(context: click.Context, given: Iterable[click.Parameter]) -> None:
    """Raise an error for a path that is empty, as of an unset variable of a script.

    It is a BadParameter for an input, an OptionError for an output.
    """
    for parameter in given:
        value = context.params.get(parameter.name or "")
        if "" not in (value if isinstance(value, tuple) else (value,)):
            continue
        if isinstance(parameter.type, InputPath):
            message = "it is empty, as of a variable that is not set"
            raise click.BadParameter(message, context, parameter)
        if isinstance(parameter.type, OutputPath):
            raise OptionError("names no file; name one, or omit it", place=parameter.opts[-1])


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
    if given and given[1].lower() == "html" and _has_option(error.ctx, "--html"):
        return " For a page, write --html OUT.html."
    close = get_close_matches(given[1].lower(), map(str, choices), 1) if given else ()
    return f" Did you mean {close[0]}?" if close else ""


def _has_option(context: click.Context | None, name: str) -> bool:
    return context is not None and any(name in item.opts for item in context.command.params)


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
    typed = " and ".join(options.get(name.replace("_", "-"), name) for name in names)
    return typed + what[subject.end() :] if subject else what


def _takes_one_value(parameter: click.Parameter) -> bool:
    if not isinstance(parameter, click.Option):
        return False
    return not (parameter.multiple or parameter.is_flag or parameter.count)


def sections_of(command: click.Command, context: click.Context) -> dict[str, list[Record]]:
    """The options of a verb by the titles of their sections, without empty sections."""
    sections: dict[str, list[Record]] = {title: [] for title in SECTIONS}
    options = [item for item in command.get_params(context) if isinstance(item, click.Option)]
    for option in sorted(options, key=lambda option: _place(option)[1]):
        if record := option.get_help_record(context):
            sections[_place(option)[0]].append((record[0], _in_words(record[1])))
    return {title: records for title, records in sections.items() if records}


def _place(option: click.Option) -> tuple[str, int]:
    """The title of the section of an option, and its place there."""
    return next((_PLACES[name] for name in option.opts if name in _PLACES), (OWN, len(_PLACES)))


def _in_words(text: str) -> str:
    """A help text with the limits of a number in words, beside the default.

    >>> _in_words("Number of rows.  [default: all]  [x>=1]")
    'Number of rows.  [default: all; at least 1]'
    """
    return re.sub(r"\bx>=(\d+)", r"at least \1", text.replace("]  [x", "; x"))


def write_options(
    command: click.Command, context: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write the options of a verb, section by section."""
    for title, records in sections_of(command, context).items():
        widest = min(_COLUMN, max(len(option) for option, _ in records))
        with formatter.section(title):
            formatter.write_dl(records, _COLUMN, _COLUMN + _GAP - widest)


def examples_of(command: click.Command) -> list[str]:
    """The commands in the epilog "Examples: COMMAND", with blank lines between them."""
    text = re.sub(r"^Examples?: ", "", command.epilog or "")
    return [example for example in text.split("\n\n") if example]


def write_examples(command: click.Command, formatter: click.HelpFormatter) -> None:
    """Write the examples of a verb; long ones go on in a new line before an option."""
    with formatter.section("Examples"):
        for example in examples_of(command):
            for line in _lines(example, formatter.width - 4):
                formatter.write(f"  {line}\n")


def _lines(example: str, width: int) -> Iterator[str]:
    r"""The lines of a command, which end in a backslash where it goes on.

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


def with_suggestion(error: click.NoSuchOption, verb: click.Command) -> click.NoSuchOption:
    """The error about an unknown option of `verb`, with what the user may have meant."""
    word = error.option_name.lstrip("-").lower()
    parameters = verb.get_params(click.Context(verb))
    options = {
        name: item for item in parameters if isinstance(item, click.Option) for name in item.opts
    }
    meant = [" / ".join(option.opts) for option in dict.fromkeys(_meant(word, options))]
    if word in FORMATS and "--format" in options:
        meant = [f"--format {word}"]
    if f"-{word}" in options:
        meant = [" / ".join(options[f"-{word}"].opts)]
    if word in _ORDERS:
        meant = []
    advice = f"Did you mean {' or '.join(meant)}?" if meant else _advice(word, options)
    return click.NoSuchOption(error.option_name, f"{error.message} {advice}".strip(), ctx=error.ctx)


def _advice(word: str, options: Mapping[str, click.Option]) -> str:
    """What to do without such an option, where none of `options` stands for it."""
    if word in _ORDERS:
        return _ORDER_OF_PASSAGES if "--by" in options else ""
    if word in ("o", "output", *_SYNONYMS["--output"].split()):
        page = ", or a page with --html FILE" if "--html" in options else ""
        return f"Results go to standard output: write them with > FILE{page}."
    if word in ("c", "config", *_SYNONYMS["--config"].split()) and "--dictionary" in options:
        return "The recipe is that of the dictionary; name one with -d / --dictionary."
    if "--include" not in options:  # the verb takes no folders
        return ""
    if word in ("r", "recursive"):
        return "Folders are read with all folders in them."
    return "Files and folders need no option." if word in _SYNONYMS["--input"].split() else ""


def _meant(word: str, options: Mapping[str, click.Option]) -> Iterator[click.Option]:
    """The options that begin with a word or are spelled nearly like it, else its synonyms."""
    names = {name.lstrip("-"): name for name in options if name.startswith("--")}
    close = get_close_matches(word, names, 2, _CLOSE)
    if len(word) >= _LEAST_PREFIX:
        close += [name for name in names if name.startswith(word) and name not in close]
    synonyms = [name for name, words in _SYNONYMS.items() if word in words.split()]
    for name in synonyms or [names[name] for name in close]:
        if name in options:
            yield options[name]
