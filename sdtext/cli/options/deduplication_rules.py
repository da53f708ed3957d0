"""Options of Deduplicate that say what is removed, what is kept, and what is reported of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.values import FieldChoiceType, OutputPath
from sdtext.deduplication.rule_names import KEEP_FORMS, RULES, SCOPE_FORMS

if TYPE_CHECKING:
    from sdtext.collections.collection import Collection
    from sdtext.deduplication.rules_and_removals import Rules
    from sdtext.model import RecipeSpec

_NAMES = ("minimum", "recall", "rule", "keep", "scope", "covered", "mark", "explain", "reviewed")


@dataclass(frozen=True)
class RuleOptions:
    """The options as they were given."""

    minimum: int | None
    recall: float | None
    rule: str
    keep: str
    scope: str
    covered: str
    mark: bool
    explain: bool
    reviewed: int | None

    def rules(self, recipe: RecipeSpec | None, stored: Collection | None) -> Rules:
        """The same as rules. Raises OptionError."""
        from sdtext.deduplication.rules_and_removals import Rules

        return Rules(
            recipe,
            self.minimum,
            self.recall,
            self.keep,
            stored,
            self.rule,
            self.scope,
            lists_covered=bool(self.covered),
            explains=self.explain,
            reviewed=self.reviewed or 0,
            marks=self.mark,
        )


def rule_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options about what is removed, kept and reported, passed as `choices`."""

    @wraps(function)
    def with_choices(*args: Any, **options: Any) -> Any:
        choices = RuleOptions(*(options.pop(name) for name in _NAMES))
        return function(*args, choices=choices, **options)

    for decorate in reversed(_OPTIONS):
        with_choices = decorate(with_choices)
    return with_choices


_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option(
        "--rule",
        type=click.Choice(RULES),
        default=RULES[0],
        show_default=True,
        help="Remove what scores MIN with a kept document, all but one of each cluster of "
        "links, or what a kept document contains.",
    ),
    click.option(
        "--keep",
        type=FieldChoiceType(KEEP_FORMS),
        default="first",
        show_default=True,
        help="Which of similar documents is kept: newest by a date, best by a number in a field.",
    ),
    click.option(
        "--scope",
        type=FieldChoiceType(SCOPE_FORMS),
        default="",
        help="Compare records with the same value in a field alone, or with different ones.  "
        "[default: all]",
    ),
    click.option(
        "--covered",
        type=OutputPath(),
        default="",
        metavar="FILE",
        help="A file for the documents of that collection that INPUT has something similar to.",
    ),
    click.option(
        "--mark",
        is_flag=True,
        help="Write all documents to KEEP with the numbers of their clusters, instead of "
        "removing any.",
    ),
    click.option(
        "--explain",
        is_flag=True,
        help="Add what both documents share to --removed: the number of shingles, and a passage.",
    ),
    click.option(
        "--review",
        "reviewed",
        type=click.IntRange(1),
        metavar="N",
        help="Print the N least similar removals, with the passages where the texts differ.",
    ),
)
