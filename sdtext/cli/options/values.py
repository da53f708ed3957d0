"""Types of option values: paths, sizes, amounts, names of parts."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from sdtext.model.record_formats import TEXT_ENDINGS, names_other_format

STANDARD_OUTPUT = "-"
_STREAM_NAMES = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")

Parameter = click.Parameter | None
Context = click.Context | None


class WholeNumber(click.IntRange):
    """A whole number of `min` or more, and small enough for any counter."""

    def __init__(self, min: int = 0) -> None:  # noqa: A002 (click's)
        super().__init__(min, 10**15 - 1)

    def _describe_range(self) -> str:
        return f"x>={self.min}"


SCORE = click.IntRange(0, 99)


class PartName(click.types.StringParamType):
    """The name of a part of a kind, such as matchers, perhaps with options."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def shell_complete(
        self, _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The parts that begin like `incomplete`."""
        from sdtext.parts.registry import PARTS

        return _beginning(sorted(PARTS[self.kind]), incomplete)


class MatcherName(PartName):
    """A matcher, in canonical spelling."""

    def convert(self, value: Any, _parameter: Parameter, _context: Context) -> str:
        """The matcher. Raises OptionError for an unknown name."""
        from sdtext.parts.registry import normalised, parse

        return str(normalised(self.kind, parse(value)))


class _NamedPath(click.Path):
    """A path that the command line does not leave empty."""

    def convert(self, value: Any, param: Parameter, ctx: Context) -> str:
        """The path."""
        source = ctx.get_parameter_source(str(param.name)) if ctx and param else None
        if not value and source is ParameterSource.COMMANDLINE:
            self.fail("it is empty, as of a variable that is not set.", param, ctx)
        return str(value)


class InputPath(_NamedPath):
    """The path of an input, or a name of what is bundled: recipes, dictionaries or profiles."""

    def __init__(self, bundled: str = "") -> None:
        super().__init__()
        self.bundled = bundled

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names of files, first: bash offers them where no name fits. Then those bundled."""
        from sdtext.fingerprinting.disclosure_profiles import PROFILES
        from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES, RECIPES

        names = {
            "recipes": RECIPES.names,
            "dictionaries": DICTIONARIES.names,
            "profiles": PROFILES.keys,
        }
        bundled = names[self.bundled]() if self.bundled else ()
        files = super().shell_complete(ctx, param, incomplete)
        return [*files, *_beginning(bundled, incomplete)]


def _beginning(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class OutputPath(_NamedPath):
    """The path of an output; all names of the standard output become "-".

    A name that says another format than what is written, `called` in messages, is refused. Names
    of that format end in one of `endings`; without these, all names are taken.
    """

    def __init__(self, called: str = "", endings: Sequence[str] = ()) -> None:
        super().__init__()
        self.called, self.endings = called, endings

    def convert(self, value: Any, param: Parameter, ctx: Context) -> str:
        """The path."""
        path = Path(super().convert(value, param, ctx))
        is_folder = str(value).endswith(("/", os.sep)) or path.is_dir()
        if self.endings and not is_folder and names_other_format(path, self.endings):
            what = f"{value} is the name of another format, and the output is {self.called}"
            self.fail(f"{what}; name it {path.with_suffix(self.endings[0])}.", param, ctx)
        return STANDARD_OUTPUT if value in _STREAM_NAMES else str(value)


XML_PATH = OutputPath("XML", (".xml",))
TEXT_PATH = OutputPath("plain text", (".txt", *TEXT_ENDINGS))
