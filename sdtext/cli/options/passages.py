"""The options of Deduplicate for passages: what is compared, and which copies are removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from sdtext.cli.options.values import WholeNumber
from sdtext.deduplication.rule_names import DOCUMENT, UNITS
from sdtext.errors import OptionError

if TYPE_CHECKING:
    from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
    from sdtext.model import RecipeSpec

_OF_PASSAGES = ("min_tokens", "min_copies", "min_frequency", "distance")
_OF_DOCUMENTS = (
    "clusters",
    "minimum",
    "recall",
    "rule",
    "keep",
    "scope",
    "against",
    "covered",
    "mark",
    "explain",
    "reviewed",
    "html_path",
)


@dataclass(frozen=True)
class PassageOptions:
    """The options as they were given."""

    unit: str = DOCUMENT
    min_tokens: int | None = None
    min_copies: int = 1
    min_frequency: int = 2
    distance: int = 0
    restore: str = ""

    def rules(self, recipe: RecipeSpec | None) -> PassageRules:
        """The same as rules. Raises OptionError."""
        from sdtext.deduplication.repeated_passages.passage_rules import PassageRules

        return PassageRules(
            self.unit, self.min_tokens, self.min_copies, self.min_frequency, recipe, self.distance
        )

    def __bool__(self) -> bool:
        return self.unit != DOCUMENT


def passage_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--unit` and the options of passages, passed as `passages`."""

    @wraps(function)
    def with_passages(*args: Any, **options: Any) -> Any:
        passages = PassageOptions(
            *(options.pop(name) for name in ("unit", *_OF_PASSAGES, "restore")),
        )
        _check_given(passages)
        return function(*args, passages=passages, **options)

    for decorate in reversed(
        (
            click.option(
                "--unit",
                type=click.Choice(UNITS),
                default=DOCUMENT,
                show_default=True,
                help="Remove whole documents, or repeated paragraphs, sentences or passages in "
                "them: sentences within N words that stand elsewhere, too.",
            ),
            click.option(
                "--min-tokens",
                type=WholeNumber(min=1),
                metavar="N",
                help="Fewest words that are compared.  [default: 50 for passages, else 1]",
            ),
            click.option(
                "--min-copies",
                type=WholeNumber(min=1),
                default=1,
                show_default=True,
                metavar="N",
                help="Remove copies of a passage after the N-th.",
            ),
            click.option(
                "--min-frequency",
                type=WholeNumber(min=2),
                default=2,
                show_default=True,
                metavar="N",
                help="Remove only copies of what stands N times or more.",
            ),
            click.option(
                "--distance",
                type=WholeNumber(min=0),
                default=0,
                show_default=True,
                metavar="D",
                help="Also remove passages in which up to D of N words are changed "
                "(--unit passage).",
            ),
            click.option(
                "--restore",
                type=click.Path(),
                default="",
                metavar="REMOVED",
                help="Put back what REMOVED, an earlier file of --removed, lists: INPUT is the "
                "KEEP of that run, and KEEP gets the original texts.",
            ),
        )
    ):
        with_passages = decorate(with_passages)
    return with_passages


def _check_given(passages: PassageOptions) -> None:
    """OptionError where an option is given that does not go with the unit."""
    context = click.get_current_context()
    names = _OF_DOCUMENTS if passages else _OF_PASSAGES
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not ParameterSource.DEFAULT:
            units = "document" if passages else ", ".join(UNITS[1:])
            raise OptionError(
                f"is for --unit {units}; this is --unit {passages.unit}", place=parameter.opts[-1]
            )
