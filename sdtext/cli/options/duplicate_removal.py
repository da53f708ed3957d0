"""The options of Deduplicate: what is compared, which copies are removed, what is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from sdtext.cli.options.common import force_option, output_format_option
from sdtext.cli.options.html_page import HtmlFile, html_option
from sdtext.cli.options.search import minimum_option, recall_option
from sdtext.cli.options.values import FieldChoiceType, InputPath, OutputPath, WholeNumber
from sdtext.deduplication.rule_names import DOCUMENT, KEEP_FORMS, RULES, SCOPE_FORMS, UNITS
from sdtext.errors import OptionError

if TYPE_CHECKING:
    from sdtext.collections.stored_collection import Checks
    from sdtext.deduplication.outputs import Outputs
    from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
    from sdtext.deduplication.rules_and_removals import Rules
    from sdtext.model import RecipeSpec

    Command = Callable[..., Any]

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
class RuleOptions:
    """The options as they were given."""

    minimum: int | None
    config: str | None
    rule: str
    keep: str
    scope: str
    against: str | None
    mark: bool
    explain: bool
    reviewed: int | None
    recall: float | None

    @property
    def files(self) -> list[str]:
        """The files of the recipe."""
        from sdtext.parts.load_recipe import files_of_recipe

        return [*map(str, files_of_recipe(self.config))] if self.config else []

    def rules(self, checks: Checks, *, lists_covered: bool) -> Rules:
        """The same as rules, with the opened collection. Raises OptionError, UnreadableError."""
        from sdtext.collections.stored_collection import StoredCollection
        from sdtext.deduplication.rules_and_removals import Rules
        from sdtext.parts.load_recipe import load_recipe

        return Rules(
            load_recipe(self.config) if self.config else None,
            self.minimum,
            self.recall,
            self.keep,
            StoredCollection.open(self.against, checks) if self.against else None,
            self.rule,
            self.scope,
            lists_covered=lists_covered,
            explains=self.explain,
            reviewed=self.reviewed or 0,
            marks=self.mark,
        )

    def check(self, outputs: Outputs, *, dry_run: bool) -> None:
        """Raise UsageError for options that need another one, or do not go with another."""
        if outputs.covered and not self.against:
            raise click.UsageError(
                "--covered lists documents of a collection; name one with --against"
            )
        if self.reviewed and (dry_run or "-" in outputs.paths):
            other = "--dry-run" if dry_run else "- for a file"
            raise click.UsageError(f"--review prints rows on standard output, and so does {other}")
        if self.explain and not outputs.removed:
            raise click.UsageError(
                "--explain adds columns to a file of --removed, which is not named"
            )


_OF_RULES = (
    minimum_option,
    click.option(
        "-c",
        "--config",
        type=InputPath("recipes"),
        metavar="RECIPE",
        help="The recipe to compare by: a name of ListRecipes, or a file.  [default: see above]",
    ),
    click.option(
        "--rule",
        type=click.Choice(RULES),
        default=RULES[0],
        show_default=True,
        help="Remove what scores MIN with a kept document, all but one of each cluster of links, "
        "or what a kept document contains.",
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
        "--against",
        type=InputPath(),
        metavar="NAME.sdx",
        help="Also remove what is similar to a document of this collection.",
    ),
    click.option(
        "--mark",
        is_flag=True,
        help="Remove nothing: write all documents to KEEP, with the number of their cluster in a "
        "column (of records, a field) called cluster.",
    ),
    click.option(
        "--explain",
        is_flag=True,
        help="Add what both documents share to --removed: the number of shingles, and a passage.",
    ),
    click.option(
        "--review",
        "reviewed",
        type=WholeNumber(min=1),
        metavar="N",
        help="Print the N least similar removals, with the passages where the texts differ.",
    ),
    recall_option,
)


def rule_options(function: Command) -> Command:
    """The options about which documents are removed, passed as `asked`, RuleOptions."""

    @wraps(function)
    def with_rules(*args: Any, **options: Any) -> Any:
        names = RuleOptions.__dataclass_fields__
        asked = RuleOptions(**{name: options.pop(name) for name in names})
        return function(*args, asked=asked, **options)

    command: Command = with_rules
    for option in reversed(_OF_RULES):
        command = option(command)
    return command


def _file_option(name: str, help_text: str) -> Callable[[Command], Command]:
    return click.option(name, type=OutputPath(), default="", metavar="FILE", help=help_text)


_OF_OUTPUTS = (
    click.option(
        "-o",
        "--output",
        "kept",
        type=OutputPath(),
        default="",
        metavar="KEEP",
        help="The file for what is kept; - prints it.",
    ),
    output_format_option("KEEP", "INPUT"),
    _file_option("--removed", "A file for what is removed, and what is kept instead."),
    _file_option("--clusters", "A file for the clusters of similar documents."),
    _file_option(
        "--covered",
        "A file for the documents of the collection of --against that INPUT has something similar "
        "to.",
    ),
    html_option,
    click.option(
        "--resume",
        "progress",
        type=OutputPath(),
        default="",
        metavar="PROGRESS",
        help="Keep what is read in this file until all is written; an interrupted run goes on "
        "from there.",
    ),
    click.option("--dry-run", is_flag=True, help="Print a plan with its cost; write nothing."),
    force_option,
)


def result_options(function: Command) -> Command:
    """The files to write, passed as `outputs` and `html`, and `--dry-run`, which writes none."""

    @wraps(function)
    def with_outputs(
        *args: Any,
        output_format: str | None,
        html_path: str,
        force: bool,
        dry_run: bool,
        form: str | None,
        **options: Any,
    ) -> Any:
        from sdtext.cli.print_results import default_format
        from sdtext.deduplication.outputs import Outputs

        outputs = Outputs(
            **{
                name: options.pop(name)
                for name in ("kept", "removed", "clusters", "covered", "progress")
            },
            printed=form or default_format(),
            replaces=force or dry_run,
            form=output_format or "",
        )
        html = HtmlFile("" if dry_run else html_path, force=force)
        return function(*args, outputs=outputs, html=html, dry_run=dry_run, form=form, **options)

    command: Command = with_outputs
    for option in reversed(_OF_OUTPUTS):
        command = option(command)
    return command


@dataclass(frozen=True)
class GivenPassageOptions:
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
        passages = GivenPassageOptions(
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
                type=InputPath(),
                default="",
                metavar="REMOVED",
                help="Put back what REMOVED, an earlier file of --removed, lists: INPUT is the "
                "KEEP of that run, and KEEP gets the original texts.",
            ),
        )
    ):
        with_passages = decorate(with_passages)
    return with_passages


def _check_given(passages: GivenPassageOptions) -> None:
    """OptionError where an option is given that does not go with the unit."""
    context = click.get_current_context()
    names = _OF_DOCUMENTS if passages else _OF_PASSAGES
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not ParameterSource.DEFAULT:
            of_parts = "passage" if parameter.name == "distance" else ", ".join(UNITS[1:])
            units = "document" if passages else of_parts
            raise OptionError(
                f"is for --unit {units}; this is --unit {passages.unit}", place=parameter.opts[-1]
            )
