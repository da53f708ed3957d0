"""The command `sdtext`: its verbs, and errors as one line and an exit code."""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from sdtext.errors import (
    FormatError,
    MismatchError,
    OptionError,
    OutputError,
    SdtextError,
    UnreadableError,
)
from sdtext.wording import printable, unwritable

INTERRUPTED = 130
QUIET, VERBOSE, FOUND = "quiet", "verbose", "exit-code"
"""Flags that the context keeps for `is_set`."""
ENCODING = "encoding"
"""What the context keeps for verbs without the option: the user's encoding."""
EXIT_CODES: tuple[tuple[type[SdtextError], int], ...] = (
    (OptionError, 2),
    (UnreadableError, 3),
    (MismatchError, 4),
    (FormatError, 5),
    (OutputError, 6),
)

VERBS: dict[str, dict[str, str]] = {
    "Similar documents": {
        "CompareDirectory": "Find what in a folder is similar to a document.",
        "ScoreFingerprints": "Score the similarity of two fingerprints.",
        "FindPairs": "Find similar pairs in one or two collections.",
        "FindSimilar": "Find similar documents in a collection.",
        "Deduplicate": "Keep one of each cluster of similar documents.",
    },
    "Shared passages": {
        "FindReuse": "Find the passages that documents share.",
        "ShowEvidence": "Show a file of evidence: passages, shares, or a page.",
        "WindowPairs": "List windows of two documents that differ in few terms.",
        "Decontaminate": "Find the items of a benchmark in a corpus.",
        "EvaluateReuse": "Measure how well passages were detected.",
    },
    "Collections": {
        "AddDocuments": "Add documents to a collection, or create one.",
        "RemoveDocuments": "Remove documents from a collection.",
        "ShowCollection": "Show what a collection stores.",
        "Serve": "Check documents against collections in a browser.",
    },
    "Fingerprints": {
        "Fingerprint": "Write the fingerprints of documents.",
        "ShowFingerprint": "Show everything in a fingerprint.",
        "ExtractDictionary": "Write the dictionary in a fingerprint to a file.",
    },
    "Dictionaries": {
        "CreateDictionary": "Create a dictionary from documents.",
        "TrimDictionary": "Keep the terms in a range of normalized IDF.",
        "Calibrate": "Measure which scores unrelated documents reach.",
        "ShowDictionaryTokens": "List a dictionary's terms.",
        "ShowDictionaryStatistics": "Show how a dictionary was made.",
    },
    "Sharing": {
        "KeyDictionary": "Put the terms of a dictionary under a key.",
        "Sign": "Sign dictionaries, fingerprint files and evidence.",
        "Verify": "Check who signed files, and that they are unchanged.",
    },
    "Choice of parameters": {
        "Experiment": "Find the recipe, dictionary and cut that find most on given documents.",
        "Mangle": "Write edited copies of documents.",
    },
    "Inspection": {
        "ExtractText": "Print the text of a file.",
        "TokenizeFile": "Print the terms that a recipe produces.",
        "Doctor": "Diagnose how files are read.",
        "SelfTest": "Check that this installation computes what others do.",
        "ListRecipes": "List the recipes that come with sdtext.",
        "ListParts": "List the parts of recipes with their options.",
    },
}
"""What each verb does, by groups; `CompareDirectory` is in the module `compare_directory`."""
FIRST_STEPS = (
    ("CompareDirectory FILE FOLDER", "what in FOLDER is similar to FILE?"),
    ("FindReuse FOLDER", "which passages do its files share?"),
    ("Deduplicate FOLDER -o kept.txt", "which files are near-duplicates?"),
)
_NO_MEMORY = "needs more memory than there is; use fewer processes (--jobs 1) or smaller files"
_PURPOSES = {verb: does for verbs in VERBS.values() for verb, does in verbs.items()}
_SPELLINGS = {verb.lower(): verb for verb in _PURPOSES} | {"bitvectorfingerprinter": "Fingerprint"}


def find_verb(name: str) -> str | None:
    """The verb with this name in any spelling, None if there is none."""
    return _SPELLINGS.get(name.replace("-", "").replace("_", "").lower())


class _Verbs(click.Group):
    """The verbs: loaded on use, accepted in CamelCase and kebab-case, in any letter case."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(_PURPOSES)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        verb = find_verb(name)
        if verb is None:
            return None
        module = re.sub(r"(?<!^)(?=[A-Z])", "_", verb).lower()
        command: click.Command = import_module(f"sdtext.cli.{module}").command
        command.name = verb
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        command = self.get_command(context, args[0])
        if command is None:
            raise click.exceptions.NoSuchCommand(
                args[0], possibilities=list(_PURPOSES), ctx=context
            )
        return command.name, command, args[1:]

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except BrokenPipeError:  # click would exit with 1
            _silence()
            return 0

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The verbs that begin so, in any spelling, without loading them; or options."""
        begin = incomplete[:1] + incomplete[1:].replace("-", "").replace("_", "")
        verbs = [
            CompletionItem(verb, help=does)
            for verb, does in _PURPOSES.items()
            if verb.lower().startswith(begin.lower())
        ]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in VERBS.items():
            with formatter.section(title):
                formatter.write_dl([*verbs.items()], col_max=26)

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("First steps"):
            formatter.write_dl([(f"sdtext {command}", does) for command, does in FIRST_STEPS], 40)
        super().format_epilog(context, formatter)


def _print(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Print the version, or the script that completes commands in a shell."""
    if not value or context.resilient_parsing:
        return
    if option.name == "version":
        from sdtext.cli.installed_versions import describe_installation

        click.echo(describe_installation())
    else:
        from click.shell_completion import get_completion_class

        if script := get_completion_class(value):
            click.echo(script(context.command, {}, "sdtext", "_SDTEXT_COMPLETE").source())
    context.exit()


@click.group(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="VERB [ARGS]...",
    epilog="sdtext VERB --help lists the options of a verb with an example. Verbs are accepted in "
    "kebab-case, too. ~/.config/sdtext/config.toml has your defaults of options, such as format = "
    '"csv", and in tables such as [FindPairs] those of a verb; so have variables such as '
    "SDTEXT_FORMAT and SDTEXT_FINDPAIRS_FORMAT. One file may unpack to 256 MB and take 60 seconds "
    "and 1 GB of memory: SDTEXT_MAX_BYTES, SDTEXT_MAX_SECONDS and SDTEXT_MAX_MEMORY.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print,
    help="Print the version, and which packages and programs are installed.",
)
@click.option(
    "--completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    is_eager=True,
    expose_value=False,
    callback=_print,
    help="Print the script that completes verbs, options, names and files in this shell.",
)
def sdtext() -> None:
    """Find documents that share content, by fingerprints that can be shared without them."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; an expected error is printed as one line."""
    verb = next((word for word in arguments if not word.startswith("-")), "")
    name = " ".join(["sdtext", find_verb(verb) or ""]).strip()
    try:
        code = sdtext.main(list(arguments), prog_name="sdtext", standalone_mode=False)
        with while_read():
            sys.stdout.flush()
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        if isinstance(error.__cause__, EOFError):  # a defect, which click takes for Ctrl-D
            raise error.__cause__ from None
        say(f"{name}: interrupted; {error.__cause__ or ''}".removesuffix("; "))
        return INTERRUPTED
    except (SdtextError, MemoryError) as error:
        known = error if isinstance(error, SdtextError) else UnreadableError(_NO_MEMORY)
        say(f"{name}: {known}")
        try:
            sys.stdout.flush()
        except OSError:  # what cannot be written is dropped
            _silence()
        return exit_code(known)
    except OSError as error:  # only the last flush: other modules explain their own errors
        say(f"{name}: {error.filename or 'standard output'}: {unwritable(error)}")
        _silence()
        return exit_code(OutputError())
    return code if isinstance(code, int) else 0


def _show(error: click.ClickException) -> None:
    """Print a usage error; what it repeats of the command line is escaped."""
    if not isinstance(error, click.exceptions.NoArgsIsHelpError):  # its message is the help
        context = getattr(error, "ctx", None)
        error = click.UsageError(printable(error.format_message()), context)
    error.show()


def exit_code(error: SdtextError) -> int:
    """The exit code of an error."""
    return next(code for kind, code in EXIT_CODES if isinstance(error, kind))


def say(message: str, *, always: bool = False) -> None:
    """Print a message to standard error; with `--quiet` only one that is printed `always`."""
    if always or not is_set(QUIET):
        click.echo(printable(message), err=True)


def is_set(name: str, *, otherwise: bool = False) -> bool:
    """Whether the running verb was given a flag that the context keeps; never outside of a verb.

    For a verb without this flag, `otherwise`.
    """
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(name, otherwise))


@contextmanager
def while_read() -> Iterator[None]:
    """Leave the block where the reader of the standard output has ended, as `head` does.

    What is printed later is dropped, so that the verb can go on and report its problems.
    """
    try:
        yield
    except BrokenPipeError:
        _silence()


def _silence() -> None:
    """Redirect the standard output, so that the last flush cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
