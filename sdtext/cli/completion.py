"""What a shell completes for a value: names that come with sdtext, and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_PARTS = {"MANGLER": "manglers", "MATCHER": "matchers", "UNIT": "units"}


@dataclass(frozen=True)
class CompletedText(click.types.StringParamType):
    """A text that a shell completes by its `metavar`: the name of a part or bundle, else a file.

    Files come first: bash offers them where no name fits.
    """

    metavar: str = ""

    def get_missing_message(
        self,
        param: click.Parameter,
        ctx: click.Context | None,  # noqa: ARG002 (as click calls it)
    ) -> str | None:
        """What a required option is for, as its help says."""
        text = param.help if isinstance(param, click.Option) else None
        return text and text.split("  [")[0].removesuffix(" Repeatable.")

    def shell_complete(
        self, _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin like `incomplete`; the files are left to the shell."""
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]
        files = [] if self.metavar in _PARTS else [CompletionItem(incomplete, type="file")]
        return files + names

    def _names(self) -> Sequence[str]:
        if self.metavar in _PARTS:
            from sdtext.parts.registry import PARTS

            return sorted(PARTS[_PARTS[self.metavar]])
        from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES, RECIPES

        bundles = {"RECIPE": RECIPES, "DICT": DICTIONARIES}
        return bundles[self.metavar].names() if self.metavar in bundles else ()
